//! The walls of the house: which crate may lean on which. A table, and a check of it against what
//! cargo has really resolved.
//!
//! Cargo unifies features over the workspace, so an optional edge that another crate switched on
//! counts here too. That errs on the strict side.

use crate::metadata::{Dep, Metadata};
use anyhow::{Result, bail};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// One crate of ours and what it may know.
struct Room {
    name: &'static str,
    /// The crates of ours it may depend on, in tests too.
    ours: &'static [&'static str],
    /// When given: the only other crates it may name as dependencies.
    only: Option<&'static [&'static str]>,
    /// Crates it may never reach, however far away.
    never: &'static [&'static str],
}

const MODEL: &str = "dragoman-model";
const BINARY: &str = "dragoman";

/// An async runtime or a socket library: what a crate without I/O cannot have.
const SOCKETS: &[&str] = &[
    "tokio",
    "async-std",
    "smol",
    "socket2",
    "hyper",
    "axum",
    "tungstenite",
    "tokio-tungstenite",
    "reqwest",
    "ureq",
];

const ROOMS: &[Room] = &[
    Room {
        name: MODEL,
        ours: &[],
        // And a text that is kept in place, which knows of nothing.
        only: Some(&["serde", "compact_str"]),
        never: SOCKETS,
    },
    Room {
        name: "dragoman-dialects",
        ours: &[MODEL],
        only: None,
        never: SOCKETS,
    },
    Room {
        name: "dragoman-engine",
        ours: &[MODEL],
        only: None,
        never: SOCKETS,
    },
    Room {
        name: "dragoman-browser",
        ours: &[MODEL],
        only: None,
        never: &[],
    },
    Room {
        name: "dragoman-prompt",
        ours: &[MODEL],
        only: None,
        never: SOCKETS,
    },
    Room {
        name: BINARY,
        ours: &[
            MODEL,
            "dragoman-dialects",
            "dragoman-engine",
            "dragoman-browser",
            "dragoman-prompt",
        ],
        only: None,
        never: &[],
    },
    Room {
        name: "xtask",
        ours: &[],
        only: None,
        never: SOCKETS,
    },
];

pub fn run() -> Result<()> {
    let breaches = check(&Metadata::read()?);
    if breaches.is_empty() {
        println!("the walls stand: {} crates", ROOMS.len());
        return Ok(());
    }
    for breach in &breaches {
        println!("  {breach}");
    }
    bail!("forbidden dependencies: {}", breaches.len())
}

/// Every breach, in words. Empty: the walls stand.
fn check(metadata: &Metadata) -> Vec<String> {
    let graph = Graph::of(metadata);
    let mut breaches = graph.foreign_sources();
    for id in &metadata.workspace_members {
        let name = graph.name(id);
        match ROOMS.iter().find(|room| room.name == name) {
            Some(room) => breaches.extend(graph.breaches_of(room, id)),
            None => breaches.push(format!(
                "{name} has no row in the table of walls (xtask/src/walls.rs)"
            )),
        }
    }
    breaches
}

struct Graph<'a> {
    metadata: &'a Metadata,
    names: BTreeMap<&'a str, &'a str>,
    deps: BTreeMap<&'a str, &'a [Dep]>,
}

impl<'a> Graph<'a> {
    fn of(metadata: &'a Metadata) -> Self {
        let packages = metadata.packages.iter();
        let nodes = metadata.resolve.nodes.iter();
        Self {
            metadata,
            names: packages.map(|p| (p.id.as_str(), p.name.as_str())).collect(),
            deps: nodes.map(|n| (n.id.as_str(), n.deps.as_slice())).collect(),
        }
    }

    fn name(&self, id: &str) -> &'a str {
        self.names.get(id).copied().unwrap_or("?")
    }

    fn deps(&self, id: &str) -> &'a [Dep] {
        self.deps.get(id).copied().unwrap_or_default()
    }

    /// Everything comes from this workspace or from a registry.
    fn foreign_sources(&self) -> Vec<String> {
        let packages = self.metadata.packages.iter();
        let members = &self.metadata.workspace_members;
        packages
            .filter_map(|package| match &package.source {
                None if members.contains(&package.id) => None,
                None => Some(format!("{} lies outside of this workspace", package.name)),
                Some(source) if source.starts_with("git+") => {
                    Some(format!("{} comes from git, not a registry", package.name))
                }
                Some(_) => None,
            })
            .collect()
    }

    fn breaches_of(&self, room: &Room, id: &str) -> Vec<String> {
        let mut breaches = Vec::new();
        for dep in self.deps(id) {
            let name = self.name(&dep.pkg);
            if self.metadata.workspace_members.contains(&dep.pkg) {
                if !room.ours.contains(&name) {
                    breaches.push(format!("{} must not depend on {name}", room.name));
                }
            } else if let Some(only) = room.only
                && is_shipped(dep)
                && !only.contains(&name)
            {
                let may = only.join(", ");
                breaches.push(format!("{} may use only {may}, not {name}", room.name));
            }
        }
        for never in room.never {
            if let Some(way) = self.way_to(id, never) {
                breaches.push(format!("{} must not reach {never}: {way}", room.name));
            }
        }
        breaches
    }

    /// The shortest chain of shipped dependencies from one package to a crate of that name.
    fn way_to(&self, from: &str, wanted: &str) -> Option<String> {
        let mut seen = BTreeSet::from([from]);
        let mut queue = VecDeque::from([(from, self.name(from).to_owned())]);
        while let Some((id, way)) = queue.pop_front() {
            for dep in self.deps(id).iter().filter(|dep| is_shipped(dep)) {
                let name = self.name(&dep.pkg);
                let way = format!("{way} → {name}");
                if name == wanted {
                    return Some(way);
                }
                if seen.insert(dep.pkg.as_str()) {
                    queue.push_back((dep.pkg.as_str(), way));
                }
            }
        }
        None
    }
}

/// Not merely for tests.
fn is_shipped(dep: &Dep) -> bool {
    dep.dep_kinds
        .iter()
        .any(|kind| kind.kind.as_deref() != Some("dev"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metadata::{DepKind, Node, Package, Resolve};

    const REGISTRY: &str = "registry+somewhere";

    /// `edges`: `a > b` an ordinary dependency, `a ~ b` one for tests only, `a >` none. A crate is
    /// ours when the table knows it or when its name starts with `our-`; `git-` comes from git.
    fn house(edges: &str) -> Metadata {
        let mut deps: BTreeMap<String, Vec<Dep>> = BTreeMap::new();
        for line in edges.lines().map(str::trim).filter(|l| !l.is_empty()) {
            let (sign, kind) = if line.contains('~') {
                ('~', Some("dev".to_owned()))
            } else {
                ('>', None)
            };
            let (from, to) = line.split_once(sign).expect("an edge");
            let list = deps.entry(from.trim().to_owned()).or_default();
            let to = to.trim().to_owned();
            if !to.is_empty() {
                list.push(Dep {
                    pkg: to.clone(),
                    dep_kinds: vec![DepKind { kind }],
                });
                deps.entry(to).or_default();
            }
        }
        let ours =
            |name: &str| name.starts_with("our-") || ROOMS.iter().any(|room| room.name == name);
        let source = |name: &str| {
            let git = name.starts_with("git-");
            (!ours(name)).then(|| if git { "git+somewhere" } else { REGISTRY }.to_owned())
        };
        Metadata {
            packages: deps
                .keys()
                .map(|name| Package {
                    id: name.clone(),
                    name: name.clone(),
                    source: source(name),
                })
                .collect(),
            workspace_members: deps.keys().filter(|name| ours(name)).cloned().collect(),
            resolve: Resolve {
                nodes: deps
                    .into_iter()
                    .map(|(id, deps)| Node { id, deps })
                    .collect(),
            },
            target_directory: "target".into(),
        }
    }

    #[track_caller]
    fn check_house(edges: &str, want: &[&str]) {
        assert_eq!(check(&house(edges)), want, "{edges}");
    }

    #[test]
    fn the_house_as_designed_stands() {
        check_house(
            "dragoman-model > serde
             dragoman-model ~ serde_json
             dragoman-dialects > dragoman-model
             dragoman-dialects > serde_json
             dragoman-engine > dragoman-model
             dragoman-engine ~ proptest
             dragoman-browser > dragoman-model
             dragoman-browser > tokio
             dragoman-prompt > dragoman-model
             dragoman > dragoman-browser
             dragoman > dragoman-engine
             dragoman > dragoman-dialects
             dragoman > tokio
             xtask > anyhow",
            &[],
        );
    }

    #[test]
    fn a_forbidden_edge_is_found() {
        check_house(
            "dragoman-engine > dragoman-browser",
            &["dragoman-engine must not depend on dragoman-browser"],
        );
        check_house(
            "dragoman-browser > dragoman-dialects",
            &["dragoman-browser must not depend on dragoman-dialects"],
        );
        check_house(
            "dragoman-prompt > dragoman-browser",
            &["dragoman-prompt must not depend on dragoman-browser"],
        );
        check_house("xtask > dragoman", &["xtask must not depend on dragoman"]);
    }

    #[test]
    fn a_test_may_not_cross_a_wall_either() {
        check_house(
            "dragoman-dialects ~ dragoman-engine",
            &["dragoman-dialects must not depend on dragoman-engine"],
        );
    }

    #[test]
    fn the_model_has_no_wire_format() {
        check_house(
            "dragoman-model > serde_json",
            &["dragoman-model may use only serde, compact_str, not serde_json"],
        );
    }

    #[test]
    fn tokio_is_found_however_far_away() {
        check_house(
            "dragoman-dialects > helper
             helper > other
             other > tokio",
            &["dragoman-dialects must not reach tokio: dragoman-dialects → helper → other → tokio"],
        );
        check_house(
            "dragoman-engine ~ helper
             helper > tokio",
            &[],
        );
        check_house(
            "dragoman-engine > helper
             helper ~ tokio",
            &[],
        );
    }

    #[test]
    fn nothing_comes_from_git() {
        check_house(
            "dragoman > git-thing",
            &["git-thing comes from git, not a registry"],
        );
    }

    #[test]
    fn a_new_crate_needs_a_row() {
        check_house(
            "our-new-crate >",
            &["our-new-crate has no row in the table of walls (xtask/src/walls.rs)"],
        );
    }

    #[test]
    fn a_circle_ends() {
        check_house(
            "dragoman-prompt > a
             a > b
             b > a",
            &[],
        );
    }
}
