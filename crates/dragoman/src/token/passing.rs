//! A token for this one time: it is in no file, and good only as long as the program that made it runs.

use super::secret::{self, Hash};
use super::{Scope, Token};
use anyhow::Context;

#[derive(Debug)]
pub struct Passing(Hash);

impl Passing {
    /// With its text, which can be had only now.
    pub fn make() -> anyhow::Result<(Self, String)> {
        let secret = secret::make().context("the system has no random numbers to give")?;
        Ok((Self(Hash::of(&secret)), secret))
    }

    pub fn check(&self, secret: &str) -> Option<Token> {
        let is_it = self.0.is(&Hash::of(secret));
        bool::from(is_it).then(|| Token {
            name: "passing".into(),
            scopes: [Scope::Act].into_iter().collect(),
            created_ms: 0,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_its_own_text() {
        let (passing, secret) = Passing::make().unwrap();
        assert!(passing.check(&secret).is_some());
        let (_, another) = Passing::make().unwrap();
        for wrong in ["", "drg_", &another, &secret[1..]] {
            assert!(passing.check(wrong).is_none(), "{wrong}");
        }
    }
}
