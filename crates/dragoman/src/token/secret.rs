//! The text of a token, and the hash by which it is known again.
//!
//! 256 random bits need no salt and no slow hash: there is nothing to guess.
//!
//! Must not know: whose it is, where hashes are kept.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};
use std::fmt;
use subtle::{Choice, ConstantTimeEq};

const PREFIX: &str = "drg_";
const BYTES: usize = 32;
/// The prefix, and 32 bytes in base64.
pub const LENGTH: usize = PREFIX.len() + (BYTES * 4).div_ceil(3);

/// A new one, from the system's random source.
pub fn make() -> Result<String, getrandom::Error> {
    let mut random = [0; BYTES];
    getrandom::fill(&mut random)?;
    let mut text = String::with_capacity(LENGTH);
    text.push_str(PREFIX);
    URL_SAFE_NO_PAD.encode_string(random, &mut text);
    random.fill(0);
    std::hint::black_box(&random);
    Ok(text)
}

/// Whether somebody gave a token where something else belongs, a name for example.
pub fn looks_like_one(text: &str) -> bool {
    let start = text.trim_start().get(..PREFIX.len());
    start.is_some_and(|start| start.eq_ignore_ascii_case(PREFIX))
}

/// Nothing of it stays in memory.
pub fn wipe(secret: String) {
    let mut bytes = secret.into_bytes();
    bytes.fill(0);
    std::hint::black_box(&bytes);
}

#[derive(Clone)]
pub struct Hash([u8; 32]);

impl Hash {
    pub fn of(secret: &str) -> Self {
        Self(Sha256::digest(secret.as_bytes()).into())
    }

    /// Takes as long for a near miss as for any other.
    pub fn is(&self, other: &Self) -> Choice {
        self.0.ct_eq(&other.0)
    }

    pub fn hex(&self) -> String {
        self.0.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    pub fn from_hex(text: &str) -> Option<Self> {
        if text.len() != 64 || !text.bytes().all(|b| b.is_ascii_hexdigit()) {
            return None;
        }
        let mut bytes = [0; 32];
        for (byte, at) in bytes.iter_mut().zip((0..64).step_by(2)) {
            *byte = u8::from_str_radix(text.get(at..at + 2)?, 16).ok()?;
        }
        Some(Self(bytes))
    }
}

impl fmt::Debug for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Hash(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_one_is_new_and_fits_into_a_header() {
        let (one, other) = (make().expect("random"), make().expect("random"));
        assert_ne!(one, other);
        for text in [&one, &other] {
            assert_eq!(text.len(), LENGTH);
            assert!(looks_like_one(text));
            let rest = text.strip_prefix(PREFIX).expect("our prefix");
            let fine = |b: u8| b.is_ascii_alphanumeric() || b == b'-' || b == b'_';
            assert!(rest.bytes().all(fine), "{rest}");
        }
    }

    #[test]
    fn hashes() {
        let hash = Hash::of("abc");
        let known = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(hash.hex(), known);
        let read = Hash::from_hex(known).expect("a hash");
        assert!(bool::from(read.is(&hash)));
        assert!(!bool::from(read.is(&Hash::of("abd"))));
        assert_eq!(format!("{hash:?}"), "Hash(…)");
        for wrong in [
            "",
            "ba",
            &known[1..],
            &known.replace('b', "g"),
            &"é".repeat(32),
        ] {
            assert!(Hash::from_hex(wrong).is_none(), "{wrong}");
        }
    }
}
