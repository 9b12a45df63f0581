//! The `id` of a line that is no JSON at all.
//!
//! Must not know: any other key.

use super::MAX_ID;
use dragoman_model::RequestId;

/// The `id` at the top of something that may be broken further on, so that whoever sent it can
/// tell which of its requests failed.
pub(super) fn recover_id(line: &[u8]) -> Option<RequestId> {
    let mut rest = line.trim_ascii_start().strip_prefix(b"{")?;
    let mut depth = 1usize;
    while let Some((first, tail)) = rest.split_first() {
        rest = match first {
            b'"' => {
                let (text, tail) = raw_string(tail)?;
                let value = tail.trim_ascii_start().strip_prefix(b":");
                match value {
                    Some(value) if depth == 1 && text == b"id" => return raw_id(value),
                    _ => tail,
                }
            }
            b'{' | b'[' => {
                depth += 1;
                tail
            }
            b'}' | b']' => {
                depth = depth.checked_sub(1).filter(|left| *left > 0)?;
                tail
            }
            _ => tail,
        };
    }
    None
}

fn raw_id(value: &[u8]) -> Option<RequestId> {
    let value = value.trim_ascii_start();
    if let Some(tail) = value.strip_prefix(b"\"") {
        let (text, _) = raw_string(tail)?;
        let text = std::str::from_utf8(text).ok()?;
        let plain = !text.contains('\\') && !text.contains('\0') && text.len() <= MAX_ID;
        return plain.then(|| RequestId::Text(text.into()));
    }
    let digits = value.iter().take_while(|b| b.is_ascii_digit()).count();
    let ends = matches!(value.get(digits), Some(b',' | b'}' | b' ' | b'\t' | b'\r'));
    let number = std::str::from_utf8(&value[..digits]).ok()?.parse().ok()?;
    ends.then_some(RequestId::Number(number))
}

/// Up to the closing quote, escapes left as they are; and what follows.
fn raw_string(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let mut at = 0;
    loop {
        match bytes.get(at)? {
            b'\\' => at += 2,
            b'"' => return Some((&bytes[..at], &bytes[at + 1..])),
            _ => at += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_found_in_broken_lines() {
        let check = |line: &str, want: Option<RequestId>| {
            assert_eq!(recover_id(line.as_bytes()), want, "{line}");
        };
        let number = |n| Some(RequestId::Number(n));
        check(r#"{"id":7,"cmd":"#, number(7));
        check(r#"  {"cmd":"x\"}{","a":{"id":1},"id" : 8 }"#, number(8));
        check(r#"{"id":"a-1","cmd":"#, Some(RequestId::Text("a-1".into())));
        check(r#"{"x":"id","y":1}"#, None);
        check(r#"{"id":-1}"#, None);
        check(r#"{"id":12"#, None);
        check(r#"{"id":"un"#, None);
        check(r#"{} {"id":1}"#, None);
        check("[1]", None);
        check(r#"{"id":99999999999999999999999}"#, None);
    }
}
