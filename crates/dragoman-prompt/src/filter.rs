//! Which choices fit what was typed, best first, and which of their letters do.

use nucleo_matcher::pattern::{AtomKind, CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str, Utf32String};
use std::cell::RefCell;

/// What was typed is cut here: no name is as long, and every letter costs time.
const MOST: usize = 256;

pub struct Filter {
    names: Vec<Utf32String>,
    /// Its memory is used again and again; nothing is remembered in it.
    matcher: RefCell<Matcher>,
    pattern: Pattern,
    query: String,
    shown: Vec<u32>,
}

impl Filter {
    pub fn new<'a>(names: impl Iterator<Item = &'a str>) -> Self {
        let names: Vec<Utf32String> = names.map(Utf32String::from).collect();
        Self {
            shown: all(&names),
            names,
            matcher: RefCell::new(Matcher::new(Config::DEFAULT)),
            pattern: pattern(""),
            query: String::new(),
        }
    }

    /// How many there are in all.
    pub fn total(&self) -> usize {
        self.names.len()
    }

    /// Those that fit, by their place in the whole list; without a filter in its order.
    pub fn shown(&self) -> &[u32] {
        &self.shown
    }

    pub fn set(&mut self, query: &str) {
        let query: String = query.chars().take(MOST).collect();
        // Whoever types on can only lose some: nobody else need be looked at again.
        let narrower = !self.query.is_empty() && query.starts_with(&self.query);
        let among = match narrower {
            true => std::mem::take(&mut self.shown),
            false => all(&self.names),
        };
        self.pattern = pattern(&query);
        self.query = query;
        self.shown = match self.pattern.atoms.is_empty() {
            true => all(&self.names),
            false => self.ranked(&among),
        };
    }

    /// Best first; equals in the order of the whole list.
    fn ranked(&mut self, among: &[u32]) -> Vec<u32> {
        let mut found: Vec<u64> = Vec::with_capacity(among.len());
        let matcher = self.matcher.get_mut();
        for at in among {
            let name = self.names[*at as usize].slice(..);
            if let Some(score) = self.pattern.score(name, matcher) {
                found.push(u64::from(u32::MAX - score) << 32 | u64::from(*at));
            }
        }
        found.sort_unstable();
        found.into_iter().map(|key| key as u32).collect()
    }

    /// The letters of a name that fit, as places of characters.
    pub fn hits(&self, name: &str) -> Vec<u32> {
        let mut hits = Vec::new();
        if self.pattern.atoms.is_empty() {
            return hits;
        }
        let mut letters = Vec::new();
        let name = Utf32Str::new(name, &mut letters);
        self.pattern
            .indices(name, &mut self.matcher.borrow_mut(), &mut hits);
        hits.sort_unstable();
        hits.dedup();
        hits
    }
}

/// A word fits where its letters follow one another, in any case, with others between them.
fn pattern(query: &str) -> Pattern {
    Pattern::new(
        query,
        CaseMatching::Ignore,
        Normalization::Smart,
        AtomKind::Fuzzy,
    )
}

fn all(names: &[Utf32String]) -> Vec<u32> {
    (0..u32::try_from(names.len()).unwrap_or(u32::MAX)).collect()
}

impl std::fmt::Debug for Filter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Filter")
            .field("total", &self.names.len())
            .field("shown", &self.shown.len())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Instant;

    fn check(names: &[&str], query: &str, want: &[u32]) {
        let mut filter = Filter::new(names.iter().copied());
        filter.set(query);
        assert_eq!(filter.shown(), want, "{query}");
    }

    #[test]
    fn the_best_comes_first() {
        let fruit = ["Pineapple", "Apple", "Grape", "Äpfel", "日本語"];
        check(&fruit, "", &[0, 1, 2, 3, 4]);
        check(&fruit, "  ", &[0, 1, 2, 3, 4]);
        check(&fruit, "apple", &[1, 0]);
        check(&fruit, "APP", &[1, 0]);
        check(&fruit, "ppe nea", &[0]);
        check(&fruit, "apf", &[3]);
        check(&fruit, "本", &[4]);
        check(&fruit, "xyz", &[]);
        check(&[], "a", &[]);
    }

    #[test]
    fn typing_on_and_taking_back() {
        let names = ["ab", "abc", "b"];
        let mut filter = Filter::new(names.into_iter());
        for (query, count) in [
            ("a", 2),
            ("ab", 2),
            ("abc", 1),
            ("ab", 2),
            ("b", 3),
            ("", 3),
        ] {
            filter.set(query);
            assert_eq!(filter.shown().len(), count, "{query}");
        }
    }

    #[test]
    fn letters_that_fit() {
        let mut filter = Filter::new(["Apple"].into_iter());
        assert!(filter.hits("Apple").is_empty());
        filter.set("ale");
        assert_eq!(filter.hits("Apple"), [0, 3, 4]);
    }

    /// `cargo test --release -p dragoman-prompt -- --ignored --nocapture a_hundred_thousand`
    #[test]
    #[ignore = "a measurement"]
    fn a_hundred_thousand_within_a_frame() {
        let names: Vec<String> = (0..100_000)
            .map(|i| {
                format!(
                    "Choice number {i} of {} in group {}",
                    i * 7919 % 100_003,
                    i % 97
                )
            })
            .collect();
        let mut filter = Filter::new(names.iter().map(String::as_str));
        let mut worst = 0.0_f64;
        for query in [
            "c",
            "ch",
            "cho",
            "e",
            "g9",
            "number 99",
            "zzz",
            "oup 4",
            "1234",
        ] {
            filter.set("");
            let began = Instant::now();
            filter.set(query);
            let took = began.elapsed().as_secs_f64() * 1e3;
            println!("{query:>10}: {took:6.2} ms, {} fit", filter.shown().len());
            worst = worst.max(took);
        }
        println!("worst {worst:.2} ms");
        assert!(worst < 16.0, "{worst} ms");
    }
}
