//! Pages as a browser would tell of them, small and large, and what a model gets to see of each.

use dragoman_dialects::mcp::*;
use dragoman_model::*;
use serde_json::{Value, json};

pub const NONCE: &str = "483920175";
const WORDS: &[&str] = &[
    "alpha", "bravo", "carbon", "delta", "ember", "falcon", "granite", "harbor", "indigo",
    "jasper", "kernel", "lumen",
];

/// Builds nodes in document order, each measured as if lines were 24 pixels high.
#[derive(Default)]
pub struct Page {
    pub nodes: Vec<Node>,
    depth: u16,
    refs: u64,
    line: u32,
}

impl Page {
    pub fn inside(&mut self, role: &str, fill: impl FnOnce(&mut Self)) -> &mut Self {
        self.add(role, "", false);
        self.depth += 1;
        fill(self);
        self.depth -= 1;
        self
    }

    pub fn acts(&mut self, role: &str, name: impl AsRef<str>) -> &mut Node {
        self.add(role, name.as_ref(), true)
    }

    pub fn says(&mut self, role: &str, name: impl AsRef<str>) -> &mut Node {
        self.add(role, name.as_ref(), false)
    }

    pub fn next_line(&mut self) {
        self.line += 1;
    }

    fn add(&mut self, role: &str, name: &str, acts: bool) -> &mut Node {
        self.refs += u64::from(acts);
        let y = f64::from(self.line * 24);
        self.nodes.push(Node {
            depth: self.depth,
            r#ref: acts.then_some(Ref(self.refs)),
            role: role.into(),
            name: name.into(),
            interactive: acts,
            in_view: acts && y < 720.0,
            bounds: acts.then_some(Bounds {
                x: 8.0,
                y,
                width: 80.0,
                height: 20.0,
            }),
            ..Node::default()
        });
        self.nodes.last_mut().unwrap()
    }
}

fn words(i: usize, n: usize) -> String {
    let list: Vec<&str> = (0..n)
        .map(|k| WORDS[(i * 7 + k * 5) % WORDS.len()])
        .collect();
    list.join(" ")
}

pub fn login() -> Page {
    let mut page = Page::default();
    page.says("heading", "Sign in to Example").level = Some(1);
    page.says("text", "Use your work account to continue.");
    for name in ["Username", "Password"] {
        page.acts("label", name);
        page.acts("textbox", name).tag = "INPUT".into();
    }
    page.acts("checkbox", "Remember me").checked = Some(Checked::No);
    page.acts("label", "Remember me");
    for name in ["Show password", "Sign in", "Increment"] {
        page.acts("button", name);
    }
    for name in ["Count: 0", "Forgot password?", "Create account", "Help"] {
        page.acts("link", name);
    }
    page
}

pub fn search(results: usize) -> Page {
    let mut page = Page::default();
    page.says("heading", "Search").level = Some(1);
    page.inside("search", |page| {
        page.acts("searchbox", "Query").value = Some("local".into());
        page.acts("button", "Search");
    });
    for i in 0..results {
        page.next_line();
        page.inside("heading", |page| {
            page.acts("link", format!("Result {i}: {}", words(i, 3)));
        });
        page.says(
            "text",
            format!("https://www.example.com/{}/{i}", words(i, 1)),
        );
        page.next_line();
        page.acts("link", format!("Cached {i}"));
        page.says("text", format!("{} — {}.", words(i, 6), words(i + 3, 12)));
        page.next_line();
        page.acts("button", format!("Save {i}"));
        page.acts("button", format!("Share {i}"));
    }
    page.says("text", "End of results");
    page.acts("link", "Privacy");
    page
}

pub fn table(rows: usize, cells: usize) -> Page {
    let mut page = Page::default();
    page.says("heading", "Orders").level = Some(1);
    page.acts("button", "Increment");
    page.inside("table", |page| {
        page.inside("row", |page| {
            for k in 0..cells {
                page.says("columnheader", format!("Field {k}"));
            }
        });
        for i in 0..rows {
            page.next_line();
            page.inside("row", |page| {
                for (role, name) in [
                    ("checkbox", "Pick"),
                    ("link", "Order"),
                    ("button", "Delete"),
                ] {
                    page.inside("cell", |page| {
                        page.acts(role, format!("{name} {i}"));
                    });
                }
                for k in 0..cells {
                    page.says("cell", format!("{} {}", words(i + k, 1), i * cells + k));
                }
            });
        }
    });
    page.acts("button", "Place order");
    page
}

pub fn huge(items: usize) -> Page {
    let mut page = Page::default();
    page.says("heading", "Catalogue").level = Some(1);
    page.inside("list", |page| {
        for i in 0..items {
            page.next_line();
            page.inside("listitem", |page| {
                page.acts("link", format!("Item {i} {}", words(i, 1)));
                page.acts("button", format!("Buy {i}"));
                page.acts("label", format!("Compare {i}"));
                page.acts("checkbox", format!("Compare {i}"));
                page.acts("textbox", format!("Quantity {i}"));
                // One of them is not like the others.
                if i == items / 2 {
                    page.acts("slider", "The odd one");
                }
            });
        }
    });
    page.acts("link", "Imprint");
    page
}

/// A thousand different things, none like another.
pub fn article(paragraphs: usize) -> Page {
    let mut page = Page::default();
    for i in 0..paragraphs {
        page.next_line();
        let level = (i % 5) as u8 + 1;
        if i % 7 == 0 {
            page.says("heading", words(i, 4)).level = Some(level);
        }
        page.says("text", words(i * 3, 30 + i % 11));
        if i % (2 + i % 3) == 0 {
            page.acts("link", words(i, 2));
        }
    }
    page
}

pub fn snapshot(nodes: Vec<Node>) -> Snapshot {
    Snapshot {
        id: SnapshotId(1),
        tab: TabId(1),
        url: "https://shop.example/".into(),
        title: "Shop".into(),
        viewport: Viewport::default(),
        focus: None,
        dialog: None,
        outside: 0,
        omitted: 0,
        prompt: None,
        nodes,
    }
}

pub fn conversation() -> Conversation {
    Conversation::new(Options {
        caps: Caps::all(),
        ..Options::new(NONCE)
    })
}

/// The answer to a call whose every step comes to this.
pub fn ask(tool: &str, args: Value, outcome: &Outcome) -> Answer {
    let mut conversation = conversation();
    let Value::Object(args) = args else {
        panic!("arguments are an object");
    };
    let (mut call, mut step) = conversation.call(tool, args).unwrap();
    for _ in 0..5 {
        step = match step {
            Step::Answer(answer) => return answer,
            _ => conversation.told(&mut call, Told::Outcome(outcome.clone())),
        };
    }
    panic!("{tool} has no end");
}

pub fn done(reply: Reply) -> Outcome {
    Outcome::Done(reply.into())
}

pub fn look(page: &Page, args: Value) -> Answer {
    let snapshot = snapshot(page.nodes.clone());
    ask(
        "browser_snapshot",
        args,
        &done(Reply::Snapshot(Box::new(snapshot))),
    )
}

fn count(answer: &Answer, name: &str) -> u64 {
    answer.structured.as_ref().unwrap()[name].as_u64().unwrap()
}

#[test]
fn a_small_page_is_shown_whole() {
    let answer = look(&login(), json!({}));
    assert_eq!(
        (count(&answer, "folded"), count(&answer, "omitted")),
        (0, 0)
    );
    assert!(!answer.text.contains("label"), "{}", answer.text);
    assert!(tokens(&answer.text) < 220, "{}", tokens(&answer.text));
}

#[test]
fn any_page_fits_and_every_kind_of_thing_is_there() {
    let check = |page: Page, kinds: &[&str]| {
        let answer = look(&page, json!({}));
        assert!(tokens(&answer.text) <= 2_000, "{}", tokens(&answer.text));
        for kind in kinds {
            assert!(answer.text.contains(kind), "no {kind} in\n{}", answer.text);
        }
        let all = count(&look(&page, json!({"output_budget": 200_000})), "shown");
        let parts = ["shown", "folded", "omitted"].map(|name| count(&answer, name));
        if all > 2_000 {
            assert!(parts[1] + parts[2] > 0);
        }
    };
    check(
        login(),
        &["textbox", "checkbox", "button", "link", "heading"],
    );
    check(
        search(20),
        &[
            "searchbox",
            "Result 0",
            "Cached 0",
            "Share 0",
            "Share 19",
            "more like these",
            "Privacy",
        ],
    );
    check(
        table(250, 20),
        &[
            "checkbox \"Pick 0\"",
            "Order 0",
            "Delete 0",
            "Delete 249",
            "Place order",
            "Field 19",
        ],
    );
    check(
        huge(2_500),
        &[
            "Item 0",
            "Buy 0",
            "Compare 0",
            "Quantity 0",
            "The odd one",
            "Imprint",
            "Buy 2499",
        ],
    );
    check(
        article(1_500),
        &["heading", "link", "text", "omitted: get them with"],
    );
}

#[test]
fn what_is_folded_can_be_opened() {
    let page = huge(1_000);
    let answer = look(&page, json!({}));
    let line = answer
        .text
        .lines()
        .find(|line| line.contains("more like these"))
        .unwrap();
    let range = line.rsplit(' ').next().unwrap();
    let opened = look(&page, json!({"target": range}));
    assert!(!opened.text.contains("more like these"), "{}", opened.text);
    let first = range.split('-').next().unwrap();
    assert!(
        opened.text.contains(&format!("[ref={first}]")),
        "{first}: {}",
        opened.text
    );
    let found = snapshot(page.nodes.clone());
    let outcome = done(Reply::Snapshot(Box::new(found)));
    let found = ask("browser_find", json!({"text": "buy 777"}), &outcome);
    assert!(
        found.text.contains("Quantity 777") && !found.text.contains("Buy 776"),
        "{}",
        found.text
    );
    let deep = look(&huge(8), json!({"depth": 2}));
    assert!(
        deep.text.contains("listitem") && !deep.text.contains("Buy"),
        "{}",
        deep.text
    );
}

#[test]
fn a_dialog_and_the_focus_come_first() {
    let mut page = article(800);
    page.inside("dialog", |page| {
        page.acts("button", "Agree to everything").in_view = false;
    });
    page.acts("textbox", "Last of all").focused = true;
    let answer = look(&page, json!({"output_budget": 300}));
    for name in ["Agree to everything", "Last of all"] {
        assert!(answer.text.contains(name), "{}", answer.text);
    }
    assert!(tokens(&answer.text) <= 300);
}

#[test]
fn a_click_and_what_it_changed_is_a_few_words() {
    let mut link = Node {
        role: "link".into(),
        name: "Count: 1".into(),
        ..Node::default()
    };
    link.r#ref = Some(Ref(1_204));
    let receipt = Receipt {
        effect: Effect::Changed,
        hit: Some(Hit {
            r#ref: Some(Ref(1_203)),
            role: "button".into(),
            name: "Increment".into(),
            tag: "BUTTON".into(),
            point: None,
            bounds: None,
        }),
        changes: Some(Changes {
            id: SnapshotId(1),
            tab: TabId(1),
            reset: false,
            changed: vec![link],
            removed: vec![],
            more: 0,
        }),
        ..Receipt::default()
    };
    let outcome = Outcome::Done(Done {
        reply: Reply::Nothing,
        receipt: Some(Box::new(receipt)),
    });
    let answer = ask("browser_click", json!({"target": "e1203"}), &outcome);
    let want = "Clicked e1203 [page 483920175]\n~ link \"Count: 1\" [ref=e1204]\n[/483920175]";
    // Thirty tokens by the tokenizer itself.
    assert_eq!(answer.text, want);
}

/// How long it takes from a snapshot to the answer.
fn time(page: &Page) -> std::time::Duration {
    let mut conversation = conversation();
    let (mut call, _) = conversation
        .call("browser_snapshot", Default::default())
        .unwrap();
    let snapshot = snapshot(page.nodes.clone());
    let told = Told::Outcome(done(Reply::Snapshot(Box::new(snapshot))));
    let began = std::time::Instant::now();
    let step = conversation.told(&mut call, told);
    let took = began.elapsed();
    assert!(matches!(step, Step::Answer(_)));
    took
}

/// `cargo test -p dragoman-dialects --release --test mcp -- --ignored --nocapture`; with `$MEASURE`
/// set to a folder the texts are written there, for a real tokenizer, and with `$SNAPSHOTS` those of
/// the snapshots in that folder (`dragoman snapshot --json`).
#[test]
#[ignore = "prints measurements"]
fn measure() {
    let folder = std::env::var("MEASURE").ok();
    let mut pages = vec![
        ("login".to_owned(), login()),
        ("search".to_owned(), search(20)),
        ("table".to_owned(), table(250, 20)),
        ("huge".to_owned(), huge(2_500)),
        ("article".to_owned(), article(1_500)),
    ];
    let stored = std::env::var("SNAPSHOTS").map(|folder| std::fs::read_dir(folder).unwrap());
    for path in stored
        .into_iter()
        .flatten()
        .map(|entry| entry.unwrap().path())
    {
        let text = std::fs::read_to_string(&path).unwrap();
        let snapshot: Snapshot = serde_json::from_str(&text).unwrap();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        pages.push((
            name,
            Page {
                nodes: snapshot.nodes,
                ..Page::default()
            },
        ));
    }
    for (name, page) in pages {
        let answer = look(&page, json!({}));
        let took = (0..7).map(|_| time(&page)).min().unwrap();
        let [shown, folded, omitted] =
            ["shown", "folded", "omitted"].map(|name| count(&answer, name));
        let estimate = tokens(&answer.text);
        println!(
            "{name}: {} nodes in {took:.1?}, {estimate} tokens, {shown} shown, {folded} folded, {omitted} omitted",
            page.nodes.len(),
        );
        if let Some(folder) = &folder {
            std::fs::write(format!("{folder}/{name}.txt"), &answer.text).unwrap();
        }
    }
    if let Some(folder) = &folder {
        std::fs::write(
            format!("{folder}/tools.json"),
            super::tools::as_listed(&Caps::default()).to_string(),
        )
        .unwrap();
    }
}
