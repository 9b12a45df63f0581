//! What must be new each time and nobody can guess.

use crate::clock::{new_name, now_ms};
use dragoman_dialects::bai;
use std::fmt::Write as _;

/// How a `bai` conversation is held: with keys that nobody had before.
pub fn bai(goal: &str, url: Option<&str>, redact: bool) -> Result<bai::Options, getrandom::Error> {
    Ok(bai::Options {
        goal: goal.to_owned(),
        url: url.map(str::to_owned),
        joins: false,
        redact,
        framed: false,
        key: uuid()?,
        ack_nonce: format!("n_{}", &uuid()?[..8]),
        epoch_ms: now_ms(),
        nonce: new_name("bai"),
    })
}

/// A random UUID (version 4).
pub fn uuid() -> Result<String, getrandom::Error> {
    let mut bytes = [0u8; 16];
    getrandom::fill(&mut bytes)?;
    bytes[6] = bytes[6] & 0x0f | 0x40;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let mut text = String::with_capacity(36);
    for (at, byte) in bytes.iter().enumerate() {
        if matches!(at, 4 | 6 | 8 | 10) {
            text.push('-');
        }
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::uuid;

    #[test]
    fn uuids_are_random_and_of_version_4() {
        let (one, two) = (uuid().unwrap(), uuid().unwrap());
        assert_ne!(one, two);
        assert_eq!(one.len(), 36);
        assert_eq!(&one[14..15], "4");
        assert!("89ab".contains(&one[19..20]), "{one}");
    }
}
