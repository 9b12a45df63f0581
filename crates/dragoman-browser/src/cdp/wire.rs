//! The bytes of one CDP message: how a call is written, how an answer or an event is read.
//!
//! Must not know: who waits for it, how it travels.

use super::{CdpError, CdpSession, Method};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::value::RawValue;
use std::borrow::Cow;

/// `{"id":…,"method":…,"params":{…},"sessionId":…}`, without the transport's end mark.
pub(super) fn encode<M: Method>(
    id: u64,
    session: Option<&CdpSession>,
    params: &M,
) -> Result<Vec<u8>, CdpError> {
    use std::io::Write as _;
    let mut out = Vec::with_capacity(256);
    let written = (|| -> Result<(), serde_json::Error> {
        write!(out, r#"{{"id":{id},"method":"{}","params":"#, M::NAME)
            .map_err(serde_json::Error::io)?;
        serde_json::to_writer(&mut out, params)?;
        if let Some(session) = session {
            out.extend_from_slice(br#","sessionId":"#);
            serde_json::to_writer(&mut out, &*session.0)?;
        }
        out.push(b'}');
        Ok(())
    })();
    match written {
        Ok(()) => Ok(out),
        Err(error) => Err(CdpError::Decode(format!("{}: {error}", M::NAME))),
    }
}

/// The id of an answer, read from its first bytes. Chromium always writes it first; anything else
/// gives `None` and is looked at in full.
pub(super) fn leading_id(message: &[u8]) -> Option<u64> {
    let digits = message.strip_prefix(br#"{"id":"#)?;
    let end = digits.iter().position(|byte| !byte.is_ascii_digit())?;
    std::str::from_utf8(&digits[..end]).ok()?.parse().ok()
}

/// All of a message that decides where it goes.
#[derive(Deserialize)]
pub(super) struct Envelope<'a> {
    pub id: Option<u64>,
    #[serde(borrow)]
    pub method: Option<Cow<'a, str>>,
    #[serde(borrow, rename = "sessionId")]
    pub session: Option<Cow<'a, str>>,
    #[serde(borrow)]
    pub params: Option<&'a RawValue>,
}

impl<'a> Envelope<'a> {
    pub fn read(message: &'a [u8]) -> Result<Self, serde_json::Error> {
        serde_json::from_slice(message)
    }
}

#[derive(Deserialize)]
struct AnswerMessage<T> {
    result: Option<T>,
    error: Option<RemoteError>,
}

#[derive(Deserialize)]
struct RemoteError {
    #[serde(default)]
    code: i64,
    #[serde(default)]
    message: String,
    data: Option<String>,
}

/// Decodes a whole answer in one pass, whatever its size.
pub(super) fn answer<T: DeserializeOwned>(message: &[u8]) -> Result<T, CdpError> {
    let read: AnswerMessage<T> = from_slice(message).map_err(|e| {
        // The head says which call it was; the rest may be megabytes of page content.
        CdpError::Decode(e.to_string())
    })?;
    match read {
        AnswerMessage {
            error: Some(error), ..
        } => Err(CdpError::Remote {
            code: error.code,
            message: error.message,
            data: error.data,
        }),
        AnswerMessage {
            result: Some(result),
            ..
        } => Ok(result),
        _ => Err(CdpError::Decode("neither result nor error".into())),
    }
}

/// The text that an evaluation gave, from an answer just as Chromium writes it; `None`: it is read the long way.
/// Such a text is JSON with a backslash every few bytes, which is what this is quick at.
pub(super) fn evaluated_text(message: &[u8]) -> Option<String> {
    let rest = message.strip_prefix(br#"{"id":"#)?;
    let digits = rest.iter().position(|byte| !byte.is_ascii_digit())?;
    let quoted =
        rest[digits..].strip_prefix(br#","result":{"result":{"type":"string","value":""#)?;
    let (text, rest) = unquote(quoted)?;
    let rest = rest.strip_prefix(b"}}")?;
    let ends = rest == b"}" || (rest.starts_with(br#","sessionId":""#) && rest.ends_with(br#""}"#));
    ends.then_some(text)
}

/// What stands before the closing quote, and what comes behind it.
fn unquote(quoted: &[u8]) -> Option<(String, &[u8])> {
    // No character gets longer by being read.
    let mut text = vec![0; quoted.len()];
    let (mut at, mut length) = (0, 0);
    loop {
        let mut byte = *quoted.get(at)?;
        at += 1;
        if byte == b'"' {
            break;
        }
        if byte < 0x20 {
            return None;
        }
        if byte == b'\\' {
            let escaped = *quoted.get(at)?;
            at += 1;
            byte = match escaped {
                b'"' | b'\\' | b'/' => escaped,
                b'n' => b'\n',
                b't' => b'\t',
                b'r' => b'\r',
                b'b' => 8,
                b'f' => 12,
                b'u' => {
                    let (char, digits) = char_at(quoted, at - 2)?;
                    length += char.encode_utf8(text.get_mut(length..)?).len();
                    at += digits - 2;
                    continue;
                }
                _ => return None,
            };
        }
        *text.get_mut(length)? = byte;
        length += 1;
    }
    text.truncate(length);
    let text = String::from_utf8(text).ok()?;
    Some((text, &quoted[at..]))
}

/// The character of a `\uXXXX` at `start`, or of two of them, and how long that is.
fn char_at(message: &[u8], start: usize) -> Option<(char, usize)> {
    let first = unit_at(message, start)?;
    if let Some(char) = char::from_u32(first.into()) {
        return Some((char, 6));
    }
    let second = unit_at(message, start + 6)?;
    let mut chars = char::decode_utf16([first, second]);
    match (chars.next(), chars.next()) {
        (Some(Ok(char)), None) => Some((char, 12)),
        _ => None,
    }
}

/// `serde_json::from_slice` that also takes what JavaScript calls a string: half an emoji is
/// written as a lone `\ud83d`, which serde_json refuses. Such a message is mended and read again.
pub(super) fn from_slice<T: DeserializeOwned>(message: &[u8]) -> Result<T, serde_json::Error> {
    match serde_json::from_slice(message) {
        Err(error) if error.is_syntax() || error.is_data() => match mend(message) {
            Some(mended) => serde_json::from_slice(&mended),
            None => Err(error),
        },
        read => read,
    }
}

/// Replaces lone surrogate escapes by U+FFFD; `None` when there is nothing to mend.
fn mend(message: &[u8]) -> Option<Vec<u8>> {
    let mut mended: Option<Vec<u8>> = None;
    let mut at = 0;
    while let Some(found) = memchr::memchr(b'\\', &message[at..]) {
        let start = at + found;
        let Some(unit) = unit_at(message, start) else {
            at = start + 2; // any other escape, `\\` above all, is two bytes
            if at >= message.len() {
                break;
            }
            continue;
        };
        at = start + 6;
        let lone = match unit {
            0xD800..=0xDBFF => match unit_at(message, at) {
                Some(0xDC00..=0xDFFF) => {
                    at += 6;
                    false
                }
                _ => true,
            },
            0xDC00..=0xDFFF => true,
            _ => false,
        };
        if lone {
            let bytes = mended.get_or_insert_with(|| message.to_vec());
            bytes[start..start + 6].copy_from_slice(br"\ufffd");
        }
    }
    mended
}

/// The code unit of a `\uXXXX` at `start`.
fn unit_at(message: &[u8], start: usize) -> Option<u16> {
    let hex = message.get(start..start + 6)?.strip_prefix(br"\u")?;
    if !hex.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    u16::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_mend(message: &str, expected: Option<&str>) {
        let mended = mend(message.as_bytes()).map(|bytes| String::from_utf8(bytes).unwrap());
        assert_eq!(mended.as_deref(), expected, "{message}");
    }

    #[test]
    fn only_lone_surrogates_are_mended() {
        check_mend(r#""\ud83d\ude00""#, None);
        check_mend(r#""a\ud83d""#, Some(r#""a\ufffd""#));
        check_mend(r#""\ude00b""#, Some(r#""\ufffdb""#));
        check_mend(r#""\ud83d\ud83d\ude00""#, Some(r#""\ufffd\ud83d\ude00""#));
        check_mend(r#""\\ud83d""#, None);
        check_mend(r#""\\\ud83d\n""#, Some(r#""\\\ufffd\n""#));
        check_mend("\"\\", None);
    }

    #[test]
    fn an_answer_with_half_an_emoji_is_read() {
        let text: String = answer(br#"{"id":1,"result":"half \ud83d"}"#).unwrap();
        assert_eq!(text, "half \u{fffd}");
    }

    fn evaluated(value: &str, end: &str) -> Option<String> {
        let head = r#"{"id":7,"result":{"result":{"type":"string","value":"#;
        evaluated_text(format!("{head}{value}{end}").as_bytes())
    }

    #[test]
    fn a_text_is_read_in_the_one_shape_it_has() {
        let end = r#"}},"sessionId":"A1"}"#;
        let read = |value: &str| evaluated(value, end);
        assert_eq!(read(r#""{\"a\":1}""#).as_deref(), Some("{\"a\":1}"));
        assert_eq!(evaluated(r#""é\u00e9""#, "}}}").as_deref(), Some("éé"));
        assert_eq!(read(r#""\ud83d\ude00\u0000\/""#).as_deref(), Some("😀\0/"));
        // Anything else is read the long way.
        for strange in [
            r#""\ud83d""#,
            r#""\ude00\ud83d""#,
            r#""\u12""#,
            r#""\x""#,
            r#"""#,
            "7",
            "\"\n\"",
        ] {
            assert_eq!(read(strange), None, "{strange}");
        }
        let thrown = r#"},"exceptionDetails":{}}}"#;
        assert_eq!(evaluated(r#""a""#, thrown), None);
        assert_eq!(evaluated(r#""a""#, r#","description":"b"}}}"#), None);
    }

    proptest::proptest! {
        #[test]
        fn both_ways_to_read_a_text_agree(text in ".*", junk in r#"[\\"u0-9a-fnrt/é]{0,12}"#) {
            let value = serde_json::to_string(&text).unwrap();
            proptest::prop_assert_eq!(evaluated(&value, "}}}"), Some(text));
            let value = format!("\"{junk}\"");
            if let Some(read) = evaluated(&value, "}}}") {
                proptest::prop_assert_eq!(serde_json::from_str::<String>(&value).unwrap(), read);
            }
        }
    }

    #[test]
    fn ids_are_read_from_the_head_only() {
        assert_eq!(leading_id(br#"{"id":42,"result":{}}"#), Some(42));
        assert_eq!(leading_id(br#"{"method":"x","id":42}"#), None);
        assert_eq!(leading_id(br#"{"id":"42"}"#), None);
        assert_eq!(leading_id(br#"{"id":42"#), None);
    }

    #[test]
    fn a_refusal_keeps_code_and_message() {
        let read = answer::<String>(br#"{"id":1,"error":{"code":-32000,"message":"no"}}"#);
        assert_eq!(
            read,
            Err(CdpError::Remote {
                code: -32000,
                message: "no".into(),
                data: None
            })
        );
    }
}
