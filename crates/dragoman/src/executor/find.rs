//! Which of the listed elements a target means. There is only what the executor lists: no selectors, no
//! points, no focus.

use dragoman_dialects::action::executor::{Element, Listing};
use dragoman_model::{Candidate, Code, Fault, Ref, Target};

const MOST_CANDIDATES: usize = 10;

/// The one element that is meant. A ref is looked up where it is sent.
pub(super) fn one(listing: Option<&Listing>, target: &Target) -> Result<Ref, Fault> {
    if let Target::Ref(wanted) = target {
        return Ok(*wanted);
    }
    match all(listing, target)?.as_slice() {
        [only] => Ok(only.r#ref),
        [] => {
            let message = format!("The executor lists no {target}");
            Err(Fault::new(Code::NotFound, message))
        }
        several => {
            let message = format!("{} elements match {target}", several.len());
            let some = several.iter().take(MOST_CANDIDATES);
            let candidates = some.map(|element| candidate(element)).collect();
            Err(Fault::new(Code::Ambiguous, message).with_candidates(candidates))
        }
    }
}

/// Everything a target may mean, best reading of its words first.
pub(super) fn all<'l>(
    listing: Option<&'l Listing>,
    target: &Target,
) -> Result<Vec<&'l Element>, Fault> {
    let listed = listing.iter().flat_map(|listing| &listing.elements);
    Ok(match target {
        Target::Ref(wanted) => listed.filter(|e| e.r#ref == *wanted).collect(),
        Target::Role { role, name } => {
            let listed = listed.filter(|e| e.role == *role).collect();
            match name {
                Some(name) => named(listed, name),
                None => listed,
            }
        }
        Target::Text(words) | Target::Label(words) => named(listed.collect(), words),
        Target::Semantic(_)
        | Target::Css(_)
        | Target::XPath(_)
        | Target::Point(_)
        | Target::Focused => {
            let message = format!("An executor cannot look for {target}");
            return Err(Fault::new(Code::Unsupported, message)
                .suggest("Name the element by its ref, its role and name, or its text."));
        }
    })
}

/// By name: exactly, then in any case, then as a part.
fn named<'l>(listed: Vec<&'l Element>, words: &str) -> Vec<&'l Element> {
    let words: Vec<&str> = words.split_whitespace().collect();
    let exact = words.join(" ");
    let folded = exact.to_lowercase();
    if folded.is_empty() {
        return Vec::new();
    }
    let fits: [&dyn Fn(&str) -> bool; 3] = [
        &|name| name == exact,
        &|name| name.to_lowercase() == folded,
        &|name| name.to_lowercase().contains(&folded),
    ];
    let stage = |fits: &&dyn Fn(&str) -> bool| -> Vec<&'l Element> {
        listed.iter().filter(|e| fits(&e.name)).copied().collect()
    };
    let mut stages = fits.iter().map(stage);
    stages.find(|found| !found.is_empty()).unwrap_or_default()
}

fn candidate(element: &Element) -> Candidate {
    Candidate {
        r#ref: Some(element.r#ref),
        role: element.role.clone(),
        name: element.name.clone(),
        tag: element.tag.clone(),
    }
}
