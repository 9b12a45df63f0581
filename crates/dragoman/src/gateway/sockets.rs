//! Who is there: how many sockets each token and each dialect has open, and who was not let in.

use crate::token::Token;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex};
use tokio::sync::Notify;

/// Sockets at once, by one token and by all.
const SOCKETS_OF_ONE: usize = 256;
const SOCKETS: usize = 1_024;

/// Who was not let in, by reason.
#[derive(Debug, Default)]
pub struct Refusals(Mutex<BTreeMap<&'static str, u64>>);

impl Refusals {
    pub fn note(&self, reason: &'static str) {
        if let Ok(mut all) = self.0.lock() {
            *all.entry(reason).or_default() += 1;
        }
    }

    pub fn all(&self) -> BTreeMap<String, u64> {
        let all = self.0.lock();
        let owned = |(reason, count): (&&str, &u64)| ((*reason).to_owned(), *count);
        all.map(|all| all.iter().map(owned).collect())
            .unwrap_or_default()
    }
}

/// How many sockets each token has open.
#[derive(Debug, Clone, Default)]
pub struct Sockets(Arc<Open>);

#[derive(Debug, Default)]
struct Open {
    by_token: Mutex<HashMap<String, usize>>,
    by_dialect: Mutex<BTreeMap<&'static str, usize>>,
    less: Notify,
}

/// One of them; gone when it is dropped.
#[derive(Debug)]
pub struct Place {
    all: Sockets,
    token: String,
    dialect: Option<&'static str>,
}

impl Place {
    pub fn speaks(mut self, dialect: &'static str) -> Self {
        if let Ok(mut open) = self.all.0.by_dialect.lock() {
            *open.entry(dialect).or_default() += 1;
            self.dialect = Some(dialect);
        }
        self
    }
}

impl Sockets {
    pub fn take(&self, token: &Token) -> Option<Place> {
        let mut open = self.0.by_token.lock().ok()?;
        let all: usize = open.values().sum();
        let mine = open.entry(token.name.clone()).or_default();
        if *mine >= SOCKETS_OF_ONE || all >= SOCKETS {
            return None;
        }
        *mine += 1;
        Some(Place {
            all: self.clone(),
            token: token.name.clone(),
            dialect: None,
        })
    }

    pub fn by_dialect(&self) -> BTreeMap<String, usize> {
        let open = self.0.by_dialect.lock();
        let owned = |(dialect, count): (&&str, &usize)| ((*dialect).to_owned(), *count);
        open.map(|open| open.iter().map(owned).collect())
            .unwrap_or_default()
    }

    /// Until the last one has gone.
    pub async fn all_gone(&self) {
        loop {
            let less = self.0.less.notified();
            if self.0.by_token.lock().is_ok_and(|open| open.is_empty()) {
                return;
            }
            less.await;
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if let (Some(dialect), Ok(mut open)) = (self.dialect, self.all.0.by_dialect.lock())
            && let Some(count) = open.get_mut(dialect)
        {
            *count -= 1;
        }
        let Ok(mut open) = self.all.0.by_token.lock() else {
            return;
        };
        if let Some(mine) = open.get_mut(&self.token) {
            *mine -= 1;
            if *mine == 0 {
                open.remove(&self.token);
            }
        }
        self.all.0.less.notify_waiters();
    }
}
