//! Fields that a batch fills in after one another go into the page in one call: the page must not be able to tell, and
//! whatever comes in between, nothing is done twice and nothing that was not asked for.

#![allow(clippy::unwrap_used, reason = "tests may fail loudly")]

mod common;

use common::{Case, with_browser};
use dragoman_model::{Code, Done, Effect, Failure, Receipt, Ref};
use serde_json::{Value, json};

type Told = Result<Done, Failure>;

fn fill(target: Ref, text: &str) -> Value {
    json!({ "cmd": "replace_text", "target": { "ref": target }, "text": text })
}

fn choose(target: Ref, label: &str) -> Value {
    json!({ "cmd": "select", "target": { "ref": target }, "options": [{ "label": label }] })
}

fn press(cmd: &str, target: Ref) -> Value {
    json!({ "cmd": cmd, "target": { "ref": target } })
}

fn receipt(told: &Told) -> &Receipt {
    let done = told.as_ref().unwrap_or_else(|e| panic!("{e:?}"));
    done.receipt.as_deref().expect("an action has a receipt")
}

/// The refs of what is called so, in the order of the names.
async fn refs(case: &Case, names: &[&str]) -> Vec<Ref> {
    let nodes = case.snapshot().await.nodes;
    let called = |name: &&str| {
        let mut fits = nodes
            .iter()
            .filter(|n| n.name == **name && n.role != "label");
        fits.next()
            .unwrap_or_else(|| panic!("{name} in {nodes:#?}"))
            .r#ref
            .unwrap()
    };
    names.iter().map(called).collect()
}

const FORM: &str = "<form>
    <label>Name <input id=name></label><label>Mail <input id=mail type=email value=old@x.org></label>
    <label>Notes <textarea id=notes>before</textarea></label><label>Day <input id=day type=date></label>
    <label>Land <select id=land><option>Chad<option>Peru<option>Oman</select></label>
    <button type=button onclick=\"log.push('pressed')\">Go</button></form>
    <script>window.log = [];
      for (const t of ['focus', 'blur', 'keydown', 'input', 'change', 'click'])
        addEventListener(t, (e) => log.push([t, e.target.id, e.inputType, e.data, e.target.value]
          .map((x) => x === undefined ? '' : String(x)).join(' ')), true);
    </script>";
const NAMES: &[&str] = &["Name", "Mail", "Notes", "Day", "Land"];
const HELD: &str =
    "['name', 'mail', 'notes', 'day', 'land'].map((id) => document.getElementById(id).value)";

#[test]
fn a_page_sees_the_same_as_one_by_one() {
    with_browser(async |world| {
        let asked = |r: &[Ref]| {
            vec![
                fill(r[0], "Ada"),
                fill(r[1], "ada@x.org"),
                fill(r[2], "two words"),
                fill(r[3], "2026-11-17"),
                choose(r[4], "Peru"),
            ]
        };
        let single = world.at(FORM).await;
        for command in asked(&refs(&single, NAMES).await) {
            single.run(command.to_string()).await;
        }
        let at_once = world.at(FORM).await;
        let r = refs(&at_once, NAMES).await;
        let told = at_once.row(&asked(&r), None).await;
        assert_eq!(told.len(), 5, "all of them go in one: {told:?}");
        let held = json!(["Ada", "ada@x.org", "two words", "2026-11-17", "Peru"]);
        assert_eq!(at_once.js(HELD).await, held);
        assert_eq!(single.js(HELD).await, held);
        assert_eq!(at_once.js("log").await, single.js("log").await);
        // Each tells of itself and of nothing else.
        for (told, (of, name)) in told.iter().zip(r.iter().zip(NAMES)) {
            let receipt = receipt(told);
            assert_eq!(receipt.effect, Effect::Changed);
            assert_eq!(receipt.hit.as_ref().unwrap().name, *name);
            let changed = &receipt.changes.as_ref().unwrap().changed;
            let about: Vec<_> = changed.iter().filter_map(|n| n.r#ref).collect();
            assert_eq!(about, [*of], "{changed:?}");
        }
    });
}

#[test]
fn what_the_script_cannot_do_by_itself_is_left_alone() {
    with_browser(async |world| {
        // What the second field is, how many of three are done, what it ends in by itself.
        for (second, done, alone) in [
            ("<input aria-label=Two disabled>", 1, Some("disabled")),
            ("<input aria-label=Two readonly>", 1, Some("not_editable")),
            ("<input aria-label=Two type=password>", 1, None),
            ("<input aria-label=Two onbeforeinput='1'>", 1, None),
            (
                "<input aria-label=Two type=number>",
                1,
                Some("bad_argument"),
            ),
            ("<input aria-label=Two>", 3, None),
        ] {
            let body = format!(
                "<input aria-label=One>{second}<input aria-label=Three oninput='this.n = (this.n || 0) + 1'>"
            );
            let case = world.at(&body).await;
            let r = refs(&case, &["One", "Two", "Three"]).await;
            let asked = [fill(r[0], "a"), fill(r[1], "b"), fill(r[2], "c")];
            let told = case.row(&asked, None).await;
            assert_eq!(told.len(), done, "{second}: {told:?}");
            assert!(told.iter().all(Result::is_ok), "{second}: {told:?}");
            let third = "document.querySelectorAll('input')[2]";
            let held = case.js(&format!("{third}.value")).await;
            assert_eq!(held, if done == 3 { "c" } else { "" }, "{second}");
            let single = case.try_run(asked[1].to_string()).await;
            let code = single.err().map(|e| e.fault.code.as_str());
            assert_eq!(code, alone, "{second}");
        }
    });
}

/// Who gives several commands at once has not seen what the first of them does to the page.
#[test]
fn a_batch_means_what_was_there_when_it_was_given() {
    with_browser(async |world| {
        // As the first is filled, the names of the other two are swapped, or the nodes, or one is drawn anew.
        let swaps = [
            (
                "[b.ariaLabel, c.ariaLabel] = [c.ariaLabel, b.ariaLabel]",
                "",
            ),
            ("b.before(c)", "Two2,Three3"),
            ("b.replaceWith(b.cloneNode())", "Two2,Three3"),
            (
                "b.replaceWith(Object.assign(b.cloneNode(), { ariaLabel: 'Four' }))",
                "Three3",
            ),
            ("b.remove()", "Three3"),
        ];
        for (swap, filled) in swaps {
            let body = format!(
                "<input id=a aria-label=One oninput=\"{swap}\"><input id=b aria-label=Two><input id=c aria-label=Three>"
            );
            let case = world.at(&body).await;
            let r = refs(&case, &["One", "Two", "Three"]).await;
            let mut asked = &[fill(r[0], "1"), fill(r[1], "2"), fill(r[2], "3")][..];
            // What was not begun is asked for again, as a batch that does not stop does.
            while !asked.is_empty() {
                let told = case.row(asked, None).await;
                for told in told.iter().filter_map(|told| told.as_ref().err()) {
                    assert_eq!(told.fault.code, Code::StaleRef, "{swap}: {told:?}");
                }
                asked = &asked[told.len()..];
            }
            let held = "['One', 'Two', 'Three', 'Four'].flatMap((name) =>
                [...document.querySelectorAll(`[aria-label=${name}]`)].filter((i) => i.value).map((i) => name + i.value))";
            let held = case.js(&format!("{held}.join()")).await;
            let expected = ["One1", filled].join(",");
            assert_eq!(held, expected.trim_end_matches(','), "{swap}");
        }
        // A list that draws itself anew into the nodes it has.
        let list = "<ul id=u></ul><script>
            const left = ['Apple', 'Pear', 'Plum'];
            const draw = () => { while (u.children.length > left.length) u.lastChild.remove();
              left.forEach((name, i) => { u.children[i].firstChild.textContent = 'Delete ' + name }) };
            left.forEach((name, i) => { u.innerHTML += `<li><button onclick='left.splice(${i}, 1); draw()'></button></li>` });
            draw()</script>";
        for (batch, left) in [(Some(7), "Pear,Plum"), (None, "Pear")] {
            let case = world.at(list).await;
            let r = refs(&case, &["Delete Apple", "Delete Pear"]).await;
            for (r, goes) in r.into_iter().zip([true, batch.is_none()]) {
                let told = case.row_of(batch, &[press("click", r)], None).await;
                assert_eq!(told[0].is_ok(), goes, "{told:?}");
            }
            assert_eq!(case.js("left.join()").await, left);
        }
        // What a batch has pressed itself, it may press again under its new name.
        let case = world
            .at("<button onclick=\"this.textContent = 'Pressed ' + ++n\">Press</button><script>var n = 0</script>")
            .await;
        let go = press("click", case.find("button", "Press").await);
        for _ in 0..3 {
            let told = case.row(std::slice::from_ref(&go), Some(&go)).await;
            assert!(told[0].is_ok(), "{told:?}");
        }
        assert_eq!(case.js("n").await, json!(3));
    });
}

#[test]
fn a_page_that_leaves_or_asks_stops_the_row() {
    with_browser(async |world| {
        world.site.page("/next", "<h1>Next</h1>");
        let body = |handler: &str| {
            format!(
                "<input aria-label=One oninput=\"{handler}\"><input aria-label=Two oninput='twos++'>
                <script>var twos = 0</script>"
            )
        };
        for leave in [
            "location = '/next'",
            "setTimeout(() => location = '/next', 20)",
        ] {
            let case = world.at(&body(leave)).await;
            let r = refs(&case, &["One", "Two"]).await;
            let told = case.row(&[fill(r[0], "1"), fill(r[1], "2")], None).await;
            assert_eq!(told.len(), 1, "{leave}: {told:?}");
            let gone = receipt(&told[0]).navigated.as_ref().unwrap();
            assert!(gone.url.ends_with("/next"), "{gone:?}");
            assert_eq!(case.text().await.trim(), "Next");
        }
        for ask in ["alert('Well?')", "setTimeout(() => alert('Well?'), 20)"] {
            let case = world.at(&body(ask)).await;
            let r = refs(&case, &["One", "Two"]).await;
            let told = case.row(&[fill(r[0], "1"), fill(r[1], "2")], None).await;
            assert_eq!(told.len(), 1, "{ask}: {told:?}");
            assert_eq!(receipt(&told[0]).effect, Effect::Dialog);
            case.run(json!({ "cmd": "dialog", "answer": "accept" }).to_string())
                .await;
            // Nothing goes on behind our back once the page does.
            let after = "new Promise((done) => setTimeout(() => requestAnimationFrame(() => done(twos)), 50))";
            assert_eq!(case.js(after).await, json!(0), "{ask}");
            let told = case.row(&[fill(r[1], "2"), fill(r[1], "3")], None).await;
            assert_eq!(told.len(), 2, "{ask}: {told:?}");
            assert_eq!(case.js("twos").await, json!(2));
        }
    });
}

/// Frameworks draw anew in microtasks, messages, frames, and in tasks of the browser's own scheduler.
#[test]
fn each_field_is_told_with_what_came_of_it() {
    with_browser(async |world| {
        for later in [
            "draw()",
            "queueMicrotask(draw)",
            "Promise.resolve().then(() => Promise.resolve()).then(draw)",
            "setTimeout(draw)",
            "setTimeout(draw, 30)",
            "requestAnimationFrame(draw)",
            "{ const c = new MessageChannel(); c.port1.onmessage = draw; c.port2.postMessage(0) }",
            "scheduler.postTask(draw)",
            "scheduler.postTask(draw, { priority: 'background' })",
            "scheduler.yield().then(draw)",
            "scheduler.postTask(() => setTimeout(draw, 10))",
            "fetch('/data').then((r) => r.text()).then(draw)",
        ] {
            world
                .site
                .put("/data", 200, "Content-Type: text/plain\r\n", "x");
            let body = format!(
                "<input aria-label=One><input aria-label=Two><a href=#n id=n>Nothing</a><script>
                  document.oninput = (e) => {{ const draw = () => {{ n.textContent = 'Seen ' + e.target.value }}; {later} }};
                </script>"
            );
            let case = world.at(&body).await;
            let r = refs(&case, &["One", "Two"]).await;
            let told = case.row(&[fill(r[0], "1"), fill(r[1], "2")], None).await;
            assert_eq!(told.len(), 2, "{later}: {told:?}");
            for (told, says) in told.iter().zip(["Seen 1", "Seen 2"]) {
                let changed = &receipt(told).changes.as_ref().unwrap().changed;
                assert!(
                    changed.iter().any(|n| n.name == says),
                    "{later}: {changed:?}"
                );
            }
        }
    });
}

#[test]
fn the_next_press_is_aimed_at_ahead_and_still_hits_nothing_else() {
    with_browser(async |world| {
        let body = "<style>button { display: block; width: 90px; height: 30px }</style>
            <input aria-label=One><input aria-label=Two>
            <button id=go onclick=\"log.push('go')\">Go</button><button id=no onclick=\"log.push('no')\">No</button>
            <label><input type=checkbox id=box onchange=\"log.push(this.checked)\"> Box</label>
            <script>window.log = []</script>";
        // What happens between the aim and the press.
        let between = [
            ("0", true),
            ("go.before(no)", true),
            ("scrollTo(0, 40)", true),
            ("go.replaceWith(go.cloneNode(true))", true),
            ("go.remove()", false),
            (
                "go.textContent = 'Delete all'; new Promise((then) => setTimeout(then, 60))",
                false,
            ),
            (
                "go.disabled = true; new Promise((then) => setTimeout(then, 60))",
                false,
            ),
        ];
        for (change, hits) in between {
            let case = world.at(body).await;
            let r = refs(&case, &["One", "Two", "Go"]).await;
            let go = press("click", r[2]);
            let told = case
                .row(&[fill(r[0], "1"), fill(r[1], "2")], Some(&go))
                .await;
            assert_eq!(told.len(), 2, "{told:?}");
            case.js(change).await;
            // What an element says of itself is believed for a moment only.
            case.js("new Promise((then) => setTimeout(then, 60))").await;
            let pressed = case.try_run(go.to_string()).await;
            assert_eq!(pressed.is_ok(), hits, "{change}: {pressed:?}");
            let log = if hits { json!(["go"]) } else { json!([]) };
            assert_eq!(case.js("log").await, log, "{change}");
        }
        // A box: ticked once, and not at all if it is ticked by then.
        for (cmd, already, ends) in [
            ("check", false, json!([true])),
            ("uncheck", false, json!([])),
            ("check", true, json!([])),
        ] {
            let case = world.at(body).await;
            if already {
                case.js("box.checked = true").await;
            }
            let r = refs(&case, &["One", "Two", "Box"]).await;
            let check = press(cmd, r[2]);
            case.row(&[fill(r[0], "1"), fill(r[1], "2")], Some(&check))
                .await;
            case.run(check.to_string()).await;
            assert_eq!(case.js("log").await, ends, "{cmd} {already}");
        }
        // Box after box: the aim comes with the answer to the one before.
        let case = world
            .at("<label><input type=checkbox> A</label><label><input type=checkbox> B</label><label><input type=checkbox> C</label>")
            .await;
        let r = refs(&case, &["A", "B", "C"]).await;
        let all: Vec<Value> = r.iter().map(|r| press("check", *r)).collect();
        for (at, one) in all.iter().enumerate() {
            let told = case.row(std::slice::from_ref(one), all.get(at + 1)).await;
            assert!(told[0].is_ok(), "{told:?}");
        }
        let ticked = "[...document.querySelectorAll('input')].map((i) => i.checked)";
        assert_eq!(case.js(ticked).await, json!([true, true, true]));
    });
}
