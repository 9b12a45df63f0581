//! Which choices fit what was typed, best first, and which of their letters do.

use nucleo_matcher::pattern::{AtomKind, CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str, Utf32String};
use std::cell::RefCell;

/// What was typed is cut here: no name is as long, and every letter costs time.
const MOST: usize = 256;
/// So many are compared to the last letter.
const EXACT: usize = 1_000;
/// For less it is not worth to share the work.
const SHARE: usize = 10_000;

pub struct Filter {
    names: Vec<Utf32String>,
    /// Its memory is used again and again; nothing is remembered in it.
    matcher: RefCell<Matcher>,
    pattern: Pattern,
    query: String,
    /// Those that fit, roughly in order; without a filter empty.
    found: Vec<u64>,
    shown: Vec<u32>,
}

impl Filter {
    pub fn new<'a>(names: impl Iterator<Item = &'a str>) -> Self {
        let mut filter = Self {
            names: Vec::new(),
            matcher: RefCell::new(Matcher::new(Config::DEFAULT)),
            pattern: pattern(""),
            query: String::new(),
            found: Vec::new(),
            shown: Vec::new(),
        };
        filter.add(names);
        filter
    }

    /// More of them; what comes of it is the same as if they had been there from the beginning.
    pub fn add<'a>(&mut self, names: impl Iterator<Item = &'a str>) {
        let before = self.total();
        self.names.extend(names.map(Utf32String::from));
        let new: Vec<u32> = (count(before)..count(self.total())).collect();
        if self.is_empty() {
            return self.shown.extend(new);
        }
        let new = self.roughly(&new);
        self.found.extend(new);
        self.rank();
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
        // Whoever types on can only lose some: nobody else need be looked at again. (A backslash may
        // belong to the space that comes next.)
        let narrower =
            !self.is_empty() && query.starts_with(&self.query) && !self.query.ends_with('\\');
        let among = match narrower {
            true => std::mem::take(&mut self.shown),
            false => (0..count(self.total())).collect(),
        };
        self.pattern = pattern(&query);
        self.query = query;
        if self.is_empty() {
            self.found = Vec::new();
            self.shown = among;
            return;
        }
        self.found = self.roughly(&among);
        self.rank();
    }

    fn is_empty(&self) -> bool {
        self.pattern.atoms.is_empty()
    }

    /// Best first; equals in the order of the whole list. Of very many, only the best are compared to the
    /// last letter: nobody looks further down without typing on.
    fn rank(&mut self) {
        self.found.sort_unstable();
        self.shown = places(&self.found);
        let best = self.shown.len().min(EXACT);
        let mut exact = self.exactly(&self.shown[..best]);
        exact.sort_unstable();
        self.shown[..best].copy_from_slice(&places(&exact));
    }

    fn exactly(&self, among: &[u32]) -> Vec<u64> {
        let matcher = &mut *self.matcher.borrow_mut();
        keys(&self.names, among, |name| self.pattern.score(name, matcher))
    }

    /// Finds the same ones; how well they fit is a little off. Each processor takes its share.
    fn roughly(&self, among: &[u32]) -> Vec<u64> {
        let (names, pattern, ascii) = (&self.names, &self.pattern, self.query.is_ascii());
        let part = |share: &[u32], matcher: &mut Matcher| {
            // As the pattern was made.
            matcher.config.ignore_case = true;
            matcher.config.normalize = ascii;
            keys(names, share, |name| {
                // The last word typed leaves the fewest for the others.
                let atoms = pattern.atoms.iter().rev();
                let scores = atoms.map(|atom| matcher.fuzzy_match_greedy(name, atom.needle_text()));
                scores.map(|score| score.map(u32::from)).sum()
            })
        };
        if among.len() <= SHARE {
            return part(among, &mut self.matcher.borrow_mut());
        }
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let share = among.len().div_ceil(processors).max(SHARE);
        std::thread::scope(|scope| {
            let parts: Vec<_> = among
                .chunks(share)
                .map(|share| scope.spawn(move || part(share, &mut Matcher::new(Config::DEFAULT))))
                .collect();
            let parts = parts.into_iter().map(|part| part.join());
            parts
                .flat_map(|part| part.expect("matching does not panic"))
                .collect()
        })
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
    let accents = match query.is_ascii() {
        true => Normalization::Smart,
        false => Normalization::Never,
    };
    Pattern::new(query, CaseMatching::Ignore, accents, AtomKind::Fuzzy)
}

/// In their order they are ranked: by score, and then by place.
fn keys(
    names: &[Utf32String],
    among: &[u32],
    mut score: impl FnMut(Utf32Str<'_>) -> Option<u32>,
) -> Vec<u64> {
    let key = |at: &u32| {
        let score = score(names[*at as usize].slice(..))?;
        Some(u64::from(u32::MAX - score) << 32 | u64::from(*at))
    };
    among.iter().filter_map(key).collect()
}

fn places(keys: &[u64]) -> Vec<u32> {
    keys.iter().map(|key| *key as u32).collect()
}

fn count(names: usize) -> u32 {
    u32::try_from(names).unwrap_or(u32::MAX)
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
    fn of_very_many_the_same_ones_are_found() {
        let names: Vec<String> = (0..5_000)
            .map(|i| format!("Näme {i} of {}", i * 7 % 13))
            .collect();
        for query in ["n", "nm 12", "näme 7", "of 3", "4 4", "E9", "x"] {
            let mut filter = Filter::new(names.iter().map(String::as_str));
            filter.set(query);
            let mut matcher = Matcher::new(Config::DEFAULT);
            let pattern = pattern(query);
            let mut fits = |name: &&String| {
                let name = Utf32String::from(name.as_str());
                pattern.score(name.slice(..), &mut matcher).is_some()
            };
            let count = names.iter().filter(|name| fits(name)).count();
            assert_eq!(filter.shown().len(), count, "{query}");
        }
    }

    #[test]
    fn those_that_come_later_stand_where_they_belong() {
        let names: Vec<String> = (0..3_000)
            .map(|i| format!("{} number {i}", ["plum", "apple", "pineapple"][i % 3]))
            .collect();
        for query in ["", "apple", "number 7", "e 12", "x"] {
            let mut whole = Filter::new(names.iter().map(String::as_str));
            whole.set(query);
            for size in [50, 700, 2_999] {
                let mut filter = Filter::new(std::iter::empty());
                filter.set(query);
                for some in names.chunks(size) {
                    filter.add(some.iter().map(String::as_str));
                }
                assert_eq!(filter.shown(), whole.shown(), "{query} by {size}");
            }
        }
    }

    #[test]
    fn a_space_that_belongs_to_a_word() {
        let mut filter = Filter::new([r"a\b", "a b"].into_iter());
        for (query, want) in [(r"a\", &[0][..]), (r"a\ ", &[1]), (r"a\ b", &[1])] {
            filter.set(query);
            assert_eq!(filter.shown(), want, "{query}");
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
            "choice group",
            "number group 3",
        ] {
            // The least of several: others work on the machine, too.
            let once = |_| {
                filter.set("");
                let began = Instant::now();
                filter.set(query);
                began.elapsed().as_secs_f64() * 1e3
            };
            let took = (0..9).map(once).fold(f64::INFINITY, f64::min);
            println!("{query:>10}: {took:6.2} ms, {} fit", filter.shown().len());
            worst = worst.max(took);
        }
        println!("worst {worst:.2} ms");
        assert!(worst < 16.0, "{worst} ms");
    }
}
