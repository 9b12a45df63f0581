//! Acting on real pages in real Chromium: what was hit, what came of it, what is refused.

#![allow(clippy::unwrap_used, reason = "tests may fail loudly")]

mod common;

use common::{Case, with_browser};
use dragoman_model::{Checked, Code, Effect, Reply, SurfaceEvent, Target};
use serde_json::{Value, json};

fn css(selector: &str) -> Value {
    json!({ "css": selector })
}

/// One command on one element.
fn on(cmd: &str, selector: &str) -> String {
    json!({ "cmd": cmd, "target": css(selector) }).to_string()
}

async fn value(case: &Case, selector: &str) -> Value {
    case.js(&format!("document.querySelector({selector:?}).value"))
        .await
}

/// Aim is taken while the press may not happen yet: nothing moves before, and what changed in between counts.
#[test]
fn nothing_is_touched_before_it_may() {
    with_browser(async |world| {
        let body = "<button onclick='log.push(1)'>Near</button><div style='height:3000px'></div>
            <button onclick='log.push(2)'>Far</button><script>window.log=[]</script>";
        let case = world.at(body).await;
        let (near, far) = (
            case.find("button", "Near").await,
            case.find("button", "Far").await,
        );
        let click = |r| json!({"cmd":"click","target":{"ref":r}}).to_string();
        for r in [near, far] {
            let untouched = async {
                // The page answers in order: what was asked before this has been done.
                let state = case.js("[log.length, scrollY]").await;
                assert_eq!(state, json!([0, 0]));
            };
            case.run_when(untouched, click(r)).await.unwrap();
            assert_eq!(case.js("log.splice(0).length").await, 1);
            case.js("scrollTo(0, 0)").await;
        }
        let moved = async {
            case.js("document.body.prepend(document.querySelectorAll('button')[1])")
                .await;
        };
        case.run_when(moved, click(near)).await.unwrap();
        assert_eq!(case.js("log.splice(0)").await, json!([1]));
        let covered = async {
            let cover = "<div id=cover style='position:fixed;inset:0;background:#fff' onclick='log.push(3)'>";
            case.js(&format!(
                "document.body.insertAdjacentHTML('beforeend', {cover:?})"
            ))
            .await;
        };
        let failure = case.run_when(covered, click(near)).await.unwrap_err();
        assert_eq!(failure.fault.code, Code::Covered);
        assert_eq!(case.js("log").await, json!([]));
        case.js("cover.remove()").await;
        let gone = async {
            case.js("document.querySelectorAll('button')[1].remove()")
                .await;
        };
        let failure = case.run_when(gone, click(near)).await.unwrap_err();
        assert_eq!(failure.fault.code, Code::StaleRef);
        assert_eq!(case.js("log").await, json!([]));
    });
}

#[test]
fn clicks_hit_and_say_what_changed() {
    with_browser(async |world| {
        let case = world
            .at("<button onclick=\"document.querySelector('#n').textContent='Count: 1'\">Add</button><a href=#x id=n>Count: 0</a>")
            .await;
        let receipt = case.click_ref(case.find("button", "Add").await).await;
        assert_eq!(receipt.effect, Effect::Changed);
        assert_eq!(receipt.hit.as_ref().unwrap().name, "Add");
        let changed = &receipt.changes.as_ref().unwrap().changed;
        assert!(changed.iter().any(|n| n.name == "Count: 1"), "{changed:?}");

        let case = world.at("<button>Dead</button>").await;
        let receipt = case.click_ref(case.find("button", "Dead").await).await;
        assert_eq!(
            receipt.effect,
            Effect::None,
            "a click without effect says so: {receipt:?}"
        );

        let case = world
            .at("<div id=d style='width:80px;height:40px;cursor:pointer' tabindex=0>box</div><script>window.log=[];
                for (const t of ['click','dblclick','contextmenu','auxclick'])
                  d.addEventListener(t,e=>{e.preventDefault();log.push([t,e.detail,e.shiftKey,e.ctrlKey,e.offsetX,e.offsetY,e.isTrusted])});
                </script>")
            .await;
        case.run(r##"{"cmd":"click","target":{"css":"#d"},"count":2,"modifiers":["shift"]}"##)
            .await;
        case.run(r##"{"cmd":"click","target":{"css":"#d"},"button":"right"}"##)
            .await;
        case.run(r##"{"cmd":"click","target":{"css":"#d"},"button":"middle"}"##)
            .await;
        case.run(r##"{"cmd":"click","target":{"css":"#d"},"position":{"x":5,"y":7},"modifiers":["control"]}"##).await;
        let log = case.js("log").await;
        let kinds: Vec<_> = log
            .as_array()
            .unwrap()
            .iter()
            .map(|e| e[0].as_str().unwrap())
            .collect();
        assert_eq!(
            kinds,
            [
                "click",
                "click",
                "dblclick",
                "contextmenu",
                "auxclick",
                "auxclick",
                "click"
            ]
        );
        assert_eq!(
            (&log[1][1], &log[1][2]),
            (&json!(2), &json!(true)),
            "second click, with shift"
        );
        assert_eq!(log[6], json!(["click", 1, false, true, 5, 7, true]));
    });
}

#[test]
fn a_button_is_held_as_long_as_asked() {
    with_browser(async |world| {
        let case = world
            .at("<button id=b>Hold</button><script>window.took=[]; let at;
                b.addEventListener('mousedown', e => at = e.timeStamp);
                b.addEventListener('mouseup', e => took.push(e.timeStamp - at));</script>")
            .await;
        for target in [json!({"css": "#b"}), json!({"point": {"x": 20, "y": 20}})] {
            let press = json!({"cmd": "click", "target": target, "count": 2, "hold_ms": 400});
            case.run(press.to_string()).await;
        }
        let took = case.js("took").await;
        let took: Vec<f64> = serde_json::from_value(took).unwrap();
        assert_eq!(took.len(), 4);
        assert!(took.iter().all(|ms| *ms >= 200.0), "{took:?}");
        let long = json!({"cmd": "click", "target": {"css": "#b"}, "hold_ms": 60_000});
        assert_eq!(case.fails(long.to_string()).await, "bad_argument");
    });
}

#[test]
fn targets_of_every_kind_mean_exactly_one_element() {
    with_browser(async |world| {
        let case = world
            .at("<form aria-label=Login><label>Name <input id=a name=who></label><input id=b aria-label=Code>
                <button id=go type=button onclick='window.hit=(window.hit||0)+1'>Sign in</button></form>
                <button type=button class=twin>Twin</button><button type=button class=twin>Twin</button>")
            .await;
        let sign_in = case.node("button", "Sign in").await;
        assert_eq!(sign_in.id.as_deref(), Some("button:sign-in"));
        let ways = [
            json!({"ref": sign_in.r#ref}),
            json!({"semantic": "button:sign-in"}),
            json!({"semantic": "button:sign*"}),
            json!({"css": "#go"}),
            json!({"xpath": "//button[@id='go']"}),
            json!({"text": "Sign in"}),
            json!({"label": "Sign in"}),
            json!({"role": {"role": "button", "name": "Sign in"}}),
        ];
        for (i, way) in ways.iter().enumerate() {
            case.run(json!({"cmd": "click", "target": way}).to_string())
                .await;
            assert_eq!(case.js("hit").await, json!(i + 1), "{way}");
        }
        let fails = async |target: Value| {
            case.fails(json!({"cmd": "click", "target": target}).to_string())
                .await
        };
        assert_eq!(fails(json!({"css": ".twin"})).await, "ambiguous");
        assert_eq!(fails(json!({"text": "Twin"})).await, "ambiguous");
        assert_eq!(fails(json!({"semantic": "button:*"})).await, "ambiguous");
        assert_eq!(fails(json!({"css": "#nope"})).await, "not_found");
        assert_eq!(fails(json!({"css": "##"})).await, "bad_argument");
        assert_eq!(fails(json!({"ref": 9999})).await, "unknown_ref");
        // Ids are counted over the whole page, so a part of it has none: they would mean others.
        case.run(json!({"cmd": "click", "target": {"semantic": "button:twin~2"}}).to_string())
            .await;
        let seen = case.run(r#"{"cmd":"snapshot","in_view":true}"#).await.reply;
        let Reply::Snapshot(seen) = seen else {
            panic!("{seen:?}")
        };
        assert!(seen.nodes.iter().all(|n| n.id.is_none()));
        let twins = case
            .try_run(on("click", ".twin"))
            .await
            .unwrap_err()
            .fault
            .candidates;
        assert_eq!(twins.len(), 2);
        assert!(
            twins.iter().all(|c| c.name == "Twin" && c.r#ref.is_some()),
            "{twins:?}"
        );
    });
}

#[test]
fn text_goes_in_as_asked() {
    with_browser(async |world| {
        let case = world
            .at("<input id=i value=old><textarea id=t>one</textarea><div id=e contenteditable>rich <b>text</b></div>
                <input id=p type=password aria-label=Secret>
                <script>window.keys=[];i.addEventListener('keydown',e=>keys.push(e.key))</script>")
            .await;
        case.run(r##"{"cmd":"type","target":{"css":"#i"},"text":"Ab1é!"}"##)
            .await;
        assert_eq!(
            value(&case, "#i").await.as_str().unwrap().len(),
            "oldAb1é!".len()
        );
        assert_eq!(
            case.js("keys.join('')").await,
            json!("Ab1!"),
            "é has no key: it is inserted"
        );
        case.run(r##"{"cmd":"replace_text","target":{"css":"#i"},"text":"new"}"##)
            .await;
        assert_eq!(value(&case, "#i").await, json!("new"));
        case.run(r##"{"cmd":"insert_text","target":{"css":"#i"},"text":"er 漢字"}"##)
            .await;
        assert_eq!(value(&case, "#i").await, json!("newer 漢字"));
        case.run(on("clear", "#i")).await;
        assert_eq!(value(&case, "#i").await, json!(""));
        case.run(r##"{"cmd":"replace_text","target":{"css":"#t"},"text":"a\nb"}"##)
            .await;
        assert_eq!(value(&case, "#t").await, json!("a\nb"));
        case.run(r##"{"cmd":"type","target":{"css":"#t"},"text":"\nc"}"##)
            .await;
        assert!(value(&case, "#t").await.as_str().unwrap().contains("\nc"));
        case.run(r##"{"cmd":"replace_text","target":{"css":"#e"},"text":"plain"}"##)
            .await;
        assert_eq!(case.js("e.innerText").await, json!("plain"));
        case.run(r##"{"cmd":"press","target":{"css":"#i"},"keys":"a"}"##)
            .await;
        case.run(r##"{"cmd":"press","keys":"Shift+b","count":2}"##)
            .await;
        assert_eq!(value(&case, "#i").await, json!("aBB"));
        case.run(r##"{"cmd":"press","keys":"Control+A"}"##).await;
        case.run(r##"{"cmd":"press","keys":"Backspace"}"##).await;
        assert_eq!(value(&case, "#i").await, json!(""));
        case.run(r##"{"cmd":"replace_text","target":{"css":"#p"},"text":"hunter2"}"##)
            .await;
        assert_eq!(value(&case, "#p").await, json!("hunter2"));
        let secret = case.node("textbox", "Secret").await;
        assert!(secret.password && secret.value.is_none(), "{secret:?}");
        let everything = serde_json::to_string(&case.snapshot().await).unwrap();
        assert!(!everything.contains("hunter2"));
        let receipt = case
            .act(r##"{"cmd":"type","target":{"css":"#p"},"text":"x"}"##)
            .await;
        assert!(!serde_json::to_string(&receipt).unwrap().contains("hunter2"));
        let not_text = world
            .at("<button id=b>no</button><input id=r readonly value=x><input id=d disabled>")
            .await;
        assert_eq!(
            not_text
                .fails(r##"{"cmd":"replace_text","target":{"css":"#b"},"text":"x"}"##)
                .await,
            "not_editable"
        );
        assert_eq!(
            not_text
                .fails(r##"{"cmd":"replace_text","target":{"css":"#r"},"text":"x"}"##)
                .await,
            "not_editable"
        );
        assert_eq!(
            not_text
                .fails(r##"{"cmd":"replace_text","target":{"css":"#d"},"text":"x"}"##)
                .await,
            "disabled"
        );
        assert_eq!(
            not_text
                .fails(r##"{"cmd":"press","keys":"Nonsense+Q"}"##)
                .await,
            "bad_argument"
        );
    });
}

#[test]
fn form_controls_take_what_they_can_hold() {
    with_browser(async |world| {
        let case = world
            .at("<select id=s><option>One<option value=2>Two<option disabled>Three</select>
                <select id=m multiple><option>A<option>B<option>C</select>
                <input id=date type=date><input id=time type=time><input id=color type=color>
                <input id=range type=range min=0 max=10><input id=num type=number>
                <input id=c type=checkbox><label for=c>Agree</label>
                <input type=radio name=r id=r1><input type=radio name=r id=r2 checked>
                <div id=sw role=switch aria-checked=false tabindex=0 onclick=\"this.setAttribute('aria-checked',this.getAttribute('aria-checked')!=='true')\">Dark</div>
                <script>window.changes=[];addEventListener('change',e=>changes.push(e.target.id))</script>")
            .await;
        case.run(r##"{"cmd":"select","target":{"css":"#s"},"options":[{"label":"Two"}]}"##)
            .await;
        assert_eq!(value(&case, "#s").await, json!("2"));
        case.run(r##"{"cmd":"select","target":{"css":"#s"},"options":[{"index":0}]}"##)
            .await;
        assert_eq!(value(&case, "#s").await, json!("One"));
        assert_eq!(
            case.fails(r##"{"cmd":"select","target":{"css":"#s"},"options":[{"label":"Nine"}]}"##)
                .await,
            "no_option"
        );
        assert_eq!(
            case.fails(r##"{"cmd":"select","target":{"css":"#s"},"options":[{"label":"Three"}]}"##)
                .await,
            "disabled"
        );
        case.run(
            r##"{"cmd":"select","target":{"css":"#m"},"options":[{"label":"A"},{"label":"C"}]}"##,
        )
        .await;
        assert_eq!(
            case.js("[...m.selectedOptions].map(o=>o.text).join()")
                .await,
            json!("A,C")
        );
        for (id, text) in [
            ("date", "2024-02-29"),
            ("time", "14:07"),
            ("color", "#ff8800"),
            ("range", "7"),
            ("num", "42"),
        ] {
            let command =
                json!({"cmd": "replace_text", "target": css(&format!("#{id}")), "text": text});
            case.run(command.to_string()).await;
            assert_eq!(value(&case, &format!("#{id}")).await, json!(text), "{id}");
        }
        assert_eq!(
            case.fails(r##"{"cmd":"replace_text","target":{"css":"#date"},"text":"soon"}"##)
                .await,
            "bad_argument"
        );
        case.run(on("check", "#c")).await;
        case.run(on("check", "#c")).await;
        assert_eq!(
            case.js("c.checked").await,
            json!(true),
            "checking twice is checking once"
        );
        case.run(on("uncheck", "#c")).await;
        assert_eq!(case.js("c.checked").await, json!(false));
        case.run(on("check", "#r1")).await;
        assert_eq!(case.js("r2.checked").await, json!(false));
        assert_eq!(case.fails(on("uncheck", "#r1")).await, "unsupported");
        case.run(on("check", "#sw")).await;
        assert_eq!(
            case.node("switch", "Dark").await.checked,
            Some(Checked::Yes)
        );
        let changes = case.js("changes").await;
        for id in ["s", "m", "date", "time", "color", "range", "c", "r1"] {
            assert!(
                changes.as_array().unwrap().contains(&json!(id)),
                "{id} in {changes}"
            );
        }
    });
}

#[test]
fn what_cannot_be_reached_is_refused_and_said() {
    with_browser(async |world| {
        let case = world
            .at("<button id=b onclick='window.hit=1'>Under</button>
                <div id=over role=dialog aria-label=Cookies style='position:fixed;inset:0;background:#fff8'>We use cookies</div>
                <button id=h hidden>Hidden</button><button id=d disabled>Off</button>")
            .await;
        let failure = case.try_run(on("click", "#b")).await.unwrap_err();
        assert_eq!(failure.fault.code.as_str(), "covered");
        assert!(
            failure.fault.message.contains("Cookies"),
            "{}",
            failure.fault.message
        );
        assert_eq!(case.fails(on("click", "#h")).await, "hidden");
        case.js("over.remove()").await;
        assert_eq!(case.fails(on("click", "#d")).await, "disabled");
        assert_eq!(case.js("window.hit||0").await, json!(0));
        case.run(on("click", "#b")).await;
        assert_eq!(case.js("window.hit||0").await, json!(1));

        // Something slides under the mouse as it arrives: the press must not reach it.
        let case = world
            .at("<div style='position:relative;width:200px;height:50px'><button id=b style='position:absolute;inset:0' onclick='window.hit=\"good\"'>Buy</button>
                <button id=evil style='position:absolute;inset:0;display:none' onclick='window.hit=\"evil\"'>Delete all</button></div>
                <script>b.addEventListener('mouseenter',()=>{evil.style.display='block'});
                  for (const t of ['pointerdown','mousedown','click']) evil.addEventListener(t,()=>window.hit='evil')</script>")
            .await;
        let failure = case.try_run(on("click", "#b")).await.unwrap_err();
        assert_eq!(failure.fault.code.as_str(), "covered");
        let blocker = failure.receipt.unwrap().in_the_way.unwrap();
        assert_eq!(blocker.name, "Delete all");
        assert_eq!(case.js("window.hit||'nothing'").await, json!("nothing"));
    });
}

/// The middle of a label, a row or a card may belong to a link or a button inside it.
/// A click goes to what holds the places of press and release: not to the element, if it moved in between.
#[test]
fn a_click_that_would_go_elsewhere_is_none() {
    with_browser(async |world| {
        let page = |down: &str| {
            format!(
                "<style>button {{ position: absolute; left: 0; width: 90px; height: 30px }}</style>
                <div style='height:200px' onclick='log.push(event.target.id)'>
                <button id=b onmousedown=\"downs++; {down}\">Press</button><p id=p></p></div>
                <script>var downs = 0, log = []</script>"
            )
        };
        // What the press does to it, how often it is pressed, what is clicked in the end.
        for (down, downs, clicked) in [
            ("", 1, Some(json!(["b"]))),
            ("this.style.left = this.offsetLeft ? 0 : '300px'", 3, None),
            (
                "if (downs == 1) this.style.left = '300px'",
                2,
                Some(json!(["b"])),
            ),
            (
                "this.style.left = '300px'; p.innerHTML = '<a href=#>New</a>'",
                1,
                None,
            ),
            // The page did it itself; whatever it makes of the click is its own.
            ("this.replaceWith(this.cloneNode(true))", 1, Some(json!([]))),
        ] {
            let case = world.at(&page(down)).await;
            let target = json!({ "ref": case.find("button", "Press").await });
            let click = json!({ "cmd": "click", "target": target }).to_string();
            let told = case.try_run(&click).await;
            match &clicked {
                Some(log) => {
                    assert!(told.is_ok(), "{down}: {told:?}");
                    assert_eq!(case.js("log").await, *log, "{down}");
                }
                None => {
                    assert_eq!(told.unwrap_err().fault.code, Code::Unseen, "{down}");
                    assert_eq!(case.js("log").await, json!([]), "{down}");
                }
            }
            assert_eq!(case.js("downs").await, json!(downs), "{down}");
        }
        // A field that has the focus has what it was pressed for; what came over it meanwhile gets no click.
        let case = world
            .at("<div style='height:200px' onclick='log.push(event.target.id)'><input id=f aria-label=Field style='position:absolute;top:90px'
                onfocus=\"this.style.left='300px'; p.innerHTML = '<a href=#>New</a>'\"><p id=p></p></div><script>var log = []</script>")
            .await;
        let target = json!({ "ref": case.find("textbox", "Field").await });
        case.run(json!({ "cmd": "click", "target": target }).to_string())
            .await;
        assert_eq!(
            case.js("[document.activeElement.id, log]").await,
            json!(["f", []])
        );
        // What a label passes on is the press's click too.
        let case = world
            .at("<label for=c style='position:absolute;top:90px'>Tick</label><input type=checkbox id=c onclick='n++'>
                <script>var n = 0</script>")
            .await;
        let label = json!({ "cmd": "click", "target": { "css": "label" } });
        case.run(label.to_string()).await;
        assert_eq!(case.js("[n, c.checked]").await, json!([1, true]));
    });
}

#[test]
fn a_press_is_not_taken_by_a_control_in_the_middle() {
    with_browser(async |world| {
        let wide = "style='display:inline-block;width:400px;text-align:center'";
        let case = world
            .at(&format!(
                "<style>.off{{position:absolute;opacity:0;width:0;height:0}}</style>
                <label id=l {wide}><input type=checkbox id=c onchange='n.textContent=\"agreed\"'> I agree to the <a href=#terms>terms</a> and more</label>
                <label id=m {wide}><input type=checkbox id=d class=off> I take the <a href=#news>newsletter of the month</a> too</label>
                <div id=card tabindex=0 onclick='window.pressed=1' style='position:relative;width:300px;height:120px'>Lamp
                <button style='position:absolute;left:100px;top:30px;width:100px;height:60px' onclick='event.stopPropagation();window.buy=1'>Buy</button></div>
                <ul role=menu><li role=menuitem id=i style='width:300px;padding:20px'><a href=#item style='display:block'>Open</a></li></ul>
                <div role=treeitem id=t tabindex=0 onclick='window.tree=event.target.id'>Top<div role=treeitem id=u tabindex=0>One</div><div role=treeitem tabindex=0>Two</div></div>
                <p id=n>nothing</p>"
            ))
            .await;
        case.act(on("click", "#l")).await;
        assert_eq!(
            case.js("[c.checked,location.hash]").await,
            json!([true, ""])
        );
        case.act(on("check", "#d")).await;
        assert_eq!(
            case.js("[d.checked,location.hash]").await,
            json!([true, ""])
        );
        case.act(on("click", "#card")).await;
        assert_eq!(
            case.js("[window.pressed,window.buy]").await,
            json!([1, null])
        );
        case.act(on("click", "#t")).await;
        assert_eq!(case.js("window.tree").await, json!("t"));
        // Where the control is all there is, it is meant.
        case.act(on("click", "#i")).await;
        assert_eq!(case.js("location.hash").await, json!("#item"));
        // A hidden checkbox whose label is nothing but a link cannot be pressed anywhere.
        let case = world
            .at("<label><input type=checkbox id=c style='position:absolute;opacity:0;width:0;height:0'><a href=#x style='display:inline-block'>Terms</a></label>")
            .await;
        assert_eq!(case.fails(on("click", "#c")).await, "covered");
        assert_eq!(case.js("location.hash").await, json!(""));
        // What comes under the mouse on its way there gets nothing either.
        let case = world
            .at("<div id=row tabindex=0 style='width:300px;height:40px' onmousemove='b.hidden=false' onclick='window.hit=1'>
                <button id=b hidden style='width:300px;height:40px' onclick='window.gone=1;event.stopPropagation()'>Delete</button></div>")
            .await;
        assert_eq!(case.fails(on("click", "#row")).await, "covered");
        assert_eq!(
            case.js("[window.hit,window.gone]").await,
            json!([null, null])
        );
    });
}

#[test]
fn refs_are_bound_to_nodes_and_never_hit_another() {
    with_browser(async |world| {
        let list = "<ul id=l><li><button onclick='hits.push(this.id)' id=x>Alpha</button><li><button onclick='hits.push(this.id)' id=y>Beta</button><li><button onclick='hits.push(this.id)' id=z>Gamma</button></ul><script>window.hits=[]</script>";
        let fresh = async || {
            let case = world.at(list).await;
            let beta = case.find("button", "Beta").await;
            (case, beta)
        };
        // (what the page does between the look and the click, what must have been hit, or the fault)
        let cases: &[(&str, Result<&str, &str>)] = &[
            ("l.append(l.firstElementChild)", Ok("y")),
            (
                "x.textContent='Beta'; y.textContent='Alpha'",
                Err("stale_ref"),
            ),
            ("y.textContent='Delete'", Err("stale_ref")),
            ("y.remove()", Err("stale_ref")),
            ("y.replaceWith(y.cloneNode(true))", Ok("y")),
            (
                "{const c=y.cloneNode(true);c.id='copy';y.replaceWith(c)}",
                Ok("copy"),
            ),
            (
                "{const c=y.cloneNode(true),d=y.cloneNode(true);y.replaceWith(c);c.after(d)}",
                Err("any"),
            ),
            ("l.innerHTML=l.innerHTML", Ok("y")),
            (
                "{const p=x.parentNode,q=y.parentNode;p.append(y);q.append(x)}",
                Ok("y"),
            ),
            ("y.setAttribute('role','link')", Err("stale_ref")),
            (
                "document.body.innerHTML='<button id=other onclick=hits.push(this.id)>Beta!</button>'",
                Err("stale_ref"),
            ),
        ];
        for (change, want) in cases {
            let (case, beta) = fresh().await;
            case.js(&format!("(()=>{{{change}}})()")).await;
            let result = case
                .try_run(json!({"cmd": "click", "target": {"ref": beta}}).to_string())
                .await;
            let hits = case.js("hits.join()").await;
            match (want, result) {
                (Ok(id), Ok(_)) => assert_eq!(hits, json!(id), "{change}"),
                (Err(code), Err(failure)) => {
                    assert!(
                        *code == "any" || failure.fault.code.as_str() == *code,
                        "{change}: {failure:?}"
                    );
                    assert_eq!(hits, json!(""), "{change}: nothing may be hit");
                }
                (want, result) => panic!("{change}: wanted {want:?}, got {result:?}, hit {hits}"),
            }
        }
        let (case, beta) = fresh().await;
        case.js("y.replaceWith(y.cloneNode(true))").await;
        assert!(
            case.click_ref(beta).await.healed.is_some(),
            "healing is said"
        );
        case.run(r#"{"cmd":"reload"}"#).await;
        assert_eq!(
            case.fails(json!({"cmd":"click","target":{"ref":beta}}).to_string())
                .await,
            "stale_ref"
        );
        let other = world.at(list).await;
        assert_eq!(
            other
                .fails(json!({"cmd":"click","target":{"ref":2}}).to_string())
                .await,
            "unknown_ref"
        );
    });
}

#[test]
fn the_mouse_moves_hovers_drags_and_scrolls() {
    with_browser(async |world| {
        let case = world
            .at("<style>#menu{display:none}#h:hover #menu{display:block}</style><div id=h tabindex=0>Menu<button id=menu>Inside</button></div>")
            .await;
        let receipt = case.act(on("hover", "#h")).await;
        assert_eq!(receipt.effect, Effect::Changed, "{receipt:?}");
        case.run(r#"{"cmd":"move","to":{"x":600,"y":400}}"#).await;

        // A busy page hears of the mouse late; what comes of it is told all the same.
        let case = world
            .at("<button id=n>0</button><script>onmousemove = onmousedown = (e) => { n.textContent = e.type + e.clientX };
                setInterval(() => { for (const end = performance.now() + 40; performance.now() < end;); }, 45)</script>")
            .await;
        for x in 300..310 {
            let moved = format!(r#"{{"cmd":"move","to":{{"x":{x},"y":200}}}}"#);
            let receipt = case.act(&moved).await;
            assert_eq!(receipt.effect, Effect::Changed, "{receipt:?}");
            assert_eq!(
                case.js("n.textContent").await,
                json!(format!("mousemove{x}"))
            );
        }
        let receipt = case.act(r#"{"cmd":"mouse_down"}"#).await;
        assert_eq!(receipt.effect, Effect::Changed, "{receipt:?}");

        let case = world
            .at("<div id=a draggable=true style='width:60px;height:40px;background:red'>drag</div><div id=b style='margin-top:60px;width:160px;height:80px;background:#ddd'>drop here</div>
                <script>a.ondragstart=e=>e.dataTransfer.setData('text/plain','cargo');b.ondragover=e=>e.preventDefault();
                b.ondrop=e=>{e.preventDefault();b.textContent='got '+e.dataTransfer.getData('text/plain')}</script>")
            .await;
        case.run(r##"{"cmd":"drag","target":{"css":"#a"},"to":{"css":"#b"}}"##)
            .await;
        assert_eq!(case.js("b.textContent").await, json!("got cargo"));

        let case = world
            .at("<div id=k style='position:absolute;left:20px;top:20px;width:30px;height:30px;background:blue;touch-action:none' tabindex=0>k</div>
                <script>let d=null;k.onpointerdown=e=>{d=[e.clientX-k.offsetLeft,e.clientY-k.offsetTop];k.setPointerCapture(e.pointerId)};
                k.onpointermove=e=>{if(d){k.style.left=(e.clientX-d[0])+'px';k.style.top=(e.clientY-d[1])+'px'}};k.onpointerup=()=>d=null</script>")
            .await;
        case.run(r##"{"cmd":"drag","target":{"css":"#k"},"by":{"x":100,"y":50}}"##)
            .await;
        assert_eq!(
            case.js("[k.offsetLeft,k.offsetTop]").await,
            json!([120, 70])
        );
        assert_eq!(case.fails(on("drag", "#k")).await, "bad_argument");

        let case = world
            .at("<div style='height:3000px'>tall</div><button id=end onclick='window.hit=1'>End</button><div id=box style='height:100px;overflow:auto'><p style='height:900px'>inner</p></div>")
            .await;
        let receipt = case.act(r#"{"cmd":"scroll_by","dx":0,"dy":300}"#).await;
        assert_eq!(receipt.scrolled.unwrap().y, 300.0, "{receipt:?}");
        let receipt = case.act(r#"{"cmd":"scroll_to","x":0,"y":1000}"#).await;
        assert_eq!(
            (receipt.effect, receipt.scrolled.unwrap().y),
            (Effect::Scrolled, 1000.0)
        );
        case.run(on("scroll_into_view", "#end")).await;
        let inside = case
            .js("end.getBoundingClientRect().bottom<=innerHeight")
            .await;
        assert_eq!(inside, json!(true));
        case.run(r#"{"cmd":"scroll_to","x":0,"y":0}"#).await;
        case.click(Target::Css("#end".into())).await;
        assert_eq!(
            case.js("window.hit").await,
            json!(1),
            "what is out of view is scrolled to"
        );
        case.run(r##"{"cmd":"scroll_by","target":{"css":"#box"},"dx":0,"dy":200}"##)
            .await;
        assert_eq!(case.js("box.scrollTop").await, json!(200));
    });
}

#[test]
fn files_go_into_inputs_and_through_choosers() {
    with_browser(async |world| {
        let folder = std::env::temp_dir().join(format!("dragoman-upload-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let file = folder.join("hello.txt");
        std::fs::write(&file, "hello").unwrap();
        let case = world
            .at("<input id=f type=file style='display:none'><button id=b onclick='f.click()'>Attach</button><p id=out></p>
                <script>f.onchange=()=>{out.textContent=f.files[0].name+':'+f.files[0].size}</script>")
            .await;
        let upload =
            |target: &str| json!({"cmd":"upload","target":css(target),"files":[file]}).to_string();
        case.run(upload("#f")).await;
        assert!(case.text().await.contains("hello.txt:5"));
        case.js("out.textContent='';f.value=''").await;
        case.run(upload("#b")).await;
        assert!(case.text().await.contains("hello.txt:5"));
        let missing = json!({"cmd":"upload","target":css("#f"),"files":["/no/such/file"]});
        assert_eq!(case.fails(missing.to_string()).await, "file_refused");
        std::fs::remove_dir_all(folder).unwrap();
    });
}

#[test]
fn keys_go_only_where_the_focus_is() {
    with_browser(async |world| {
        // A control inside its own label once sent the name computation round in circles.
        let case = world
            .at("<label><input type=checkbox>A</label><label><button>B</button></label><input id=q aria-label=Q>")
            .await;
        case.run(r#"{"cmd":"press","keys":"Tab"}"#).await;
        case.run(r##"{"cmd":"type","target":{"css":"#q"},"text":"x"}"##)
            .await;
        case.run(r##"{"cmd":"type","target":{"css":"#q"},"text":"日本"}"##)
            .await;
        assert_eq!(value(&case, "#q").await, json!("x日本"));
        case.run(r#"{"cmd":"scroll_by","dx":0,"dy":10}"#).await;

        // A focus trap takes the focus back: nothing may be written into its own field.
        let case = world
            .at("<input id=a aria-label=Behind><div role=dialog><input id=trap aria-label=Trap></div>
                <script>document.addEventListener('focusin',e=>{if(e.target!==trap)trap.focus()});trap.focus()</script>")
            .await;
        let code = case
            .fails(r##"{"cmd":"replace_text","target":{"css":"#a"},"text":"oops"}"##)
            .await;
        assert_eq!(code, "not_editable");
        assert_eq!(
            (value(&case, "#a").await, value(&case, "#trap").await),
            (json!(""), json!(""))
        );
        let case = world
            .at("<form onsubmit='window.sent=1;return false'><input id=i autofocus></form><div id=d>text</div>")
            .await;
        case.js("document.querySelector('#i').focus()").await;
        assert_eq!(
            case.fails(r##"{"cmd":"press","target":{"css":"#d"},"keys":"Enter"}"##)
                .await,
            "not_editable"
        );
        assert_eq!(case.js("window.sent||0").await, json!(0));
    });
}

/// What a page plants on every object must not catch what our script says to itself.
/// A fault names what was looked for, once.
#[test]
fn faults_name_the_target_once() {
    with_browser(async |world| {
        let case = world
            .at("<p class=two>a</p><p class=two>b</p><p id=no hidden>c</p>")
            .await;
        for (selector, want) in [
            ("#none", "css #none: Nothing matches."),
            (".two", "css .two: 2 visible elements match."),
            ("#no", "css #no: The element has no visible box."),
            ("][", "css ][: This is not a CSS selector."),
        ] {
            let failure = case.try_run(on("click", selector)).await.unwrap_err();
            assert_eq!(failure.fault.message, want);
        }
    });
}

#[test]
fn planted_getters_catch_nothing() {
    with_browser(async |world| {
        let case = world
            .at("<button id=b>Go</button><p id=o></p><script>
                window.caught=[];
                for (const key of ['bubbles','cancelable','composed','submitter','relatedTarget','detail','view','once','capture','passive','signal'])
                  Object.defineProperty(Object.prototype,key,{configurable:true,get(){caught.push(key);return undefined},set(v){}});
                b.addEventListener('click',()=>{o.textContent='went';history.pushState({},'','#a');history.back();
                  const x=new XMLHttpRequest();x.open('GET','/');x.send()});
                const host=document.createElement('div');document.body.append(host);
                const init=Object.create(null);init.mode='closed';
                host.attachShadow(init).innerHTML='<button>Inner</button>';
                </script>")
            .await;
        case.find("button", "Inner").await;
        let receipt = case.click_ref(case.find("button", "Go").await).await;
        assert_eq!(receipt.effect, Effect::Changed, "{receipt:?}");
        assert_eq!(case.js("caught.slice()").await, json!([]));
    });
}

#[test]
fn a_known_twin_is_no_successor() {
    with_browser(async |world| {
        let row = |name: &str| {
            format!(
                "<div><span>{name}</span><button onclick=\"hits.push('{name}')\">Delete</button></div>"
            )
        };
        let page = format!(
            "<script>window.hits=[]</script><div id=l>{}{}</div>",
            row("Alice"),
            row("Bob")
        );
        let case = world.at(&page).await;
        let s = case.snapshot().await;
        let alice = s
            .nodes
            .iter()
            .find(|n| n.name == "Delete")
            .unwrap()
            .r#ref
            .unwrap();
        // Bob's line is told once more, and then Alice's row goes.
        case.js("l.lastChild.querySelector('button').setAttribute('aria-pressed','true')")
            .await;
        case.run(r#"{"cmd":"changes"}"#).await;
        case.js("l.firstChild.remove()").await;
        let click = json!({"cmd":"click","target":{"ref":alice}}).to_string();
        assert_eq!(case.fails(&click).await, "stale_ref");
        assert_eq!(case.js("hits.join()").await, json!(""));
    });
}

#[test]
fn a_point_is_clicked_where_it_is_also_beside_frames() {
    with_browser(async |world| {
        world.site.page("/inner", "<button style='position:fixed;inset:0' onclick=\"parent.postMessage('in','*')\">In</button>");
        let frame = world.site.other("/inner");
        let case = world
            .at(&format!("<body style='margin:0;height:600px' onclick='log.push([event.clientX,event.clientY])'>
                <script>window.log=[];addEventListener('message',e=>log.push(e.data))</script>
                <iframe src='{frame}' style='position:absolute;left:100px;top:100px;width:200px;height:100px;border:0'></iframe>"))
            .await;
        for _ in 0..200 {
            if case.snapshot().await.nodes.iter().any(|n| n.name == "In") {
                break;
            }
        }
        case.run(r#"{"cmd":"click","target":{"point":{"x":5,"y":6}}}"#)
            .await;
        assert_eq!(case.js("log").await, json!([[5, 6]]));
        // A frame that has not been drawn yet gets no input, and that is said: then once more.
        let press = r#"{"cmd":"click","target":{"point":{"x":200,"y":150}}}"#;
        for _ in 0..50 {
            match case.try_run(press).await {
                Ok(_) => break,
                Err(failure) => assert_eq!(failure.fault.code, Code::Unseen, "{}", failure.fault),
            }
        }
        case.js("new Promise(done => { const look = () => log.length > 1 ? done() : requestAnimationFrame(look); look() })").await;
        assert_eq!(case.js("log").await, json!([[5, 6], "in"]));
    });
}

#[test]
fn a_frame_of_another_site_that_was_just_scrolled_to_gets_the_press() {
    with_browser(async |world| {
        world.site.page(
            "/below",
            "<button onclick=\"parent.postMessage('in','*')\">In</button>",
        );
        let frame = world.site.other("/below");
        let case = world
            .at(&format!(
                "<body style='margin:0'><script>window.log=[];addEventListener('message',e=>log.push(e.data))</script>
                <button style='display:block;width:100%;height:3000px' onclick=\"log.push('out')\">Out</button>
                <iframe src='{frame}' style='border:0'></iframe><div style='height:3000px'></div>"
            ))
            .await;
        let button = loop {
            let nodes = case.snapshot().await.nodes;
            if let Some(button) = nodes.iter().find(|n| n.name == "In") {
                break button.r#ref.unwrap();
            }
        };
        for n in 1..=8 {
            case.js("new Promise(done => { scrollTo(0, 0); requestAnimationFrame(() => requestAnimationFrame(() => done(1))) })").await;
            let click = json!({"cmd":"click","target":{"ref":button}}).to_string();
            case.act(&click).await;
            assert_ne!(case.js("scrollY").await, json!(0), "click {n}");
            let heard = case.js(&format!("new Promise(done => {{ const look = () => log.length >= {n} ? done(log.join()) : requestAnimationFrame(look); look() }})")).await;
            assert_eq!(heard, json!(vec!["in"; n].join(",")), "click {n}");
        }
    });
}

#[test]
fn typing_that_is_dropped_ends() {
    with_browser(async |world| {
        let case = world
            .at("<textarea id=t></textarea><script>t.oninput=()=>{if(t.value.length===10)console.log('ten')}</script>")
            .await;
        let told = || {
            let heard = world.events();
            let ten = |e: &SurfaceEvent| matches!(e, SurfaceEvent::Console { entry, .. } if entry.text == "ten");
            heard.iter().filter(|(_, e)| ten(e)).count()
        };
        let ten_came = async |before: usize| {
            while told() == before {
                tokio::task::yield_now().await;
            }
        };
        let long = "x".repeat(19_000);
        let typing = json!({"cmd": "type", "target": css("#t"), "text": long}).to_string();
        let pressing =
            json!({"cmd": "press", "target": css("#t"), "keys": "Shift+y", "count": 1000})
                .to_string();
        for (what, most) in [(typing, 2_000), (pressing, 500)] {
            case.js("t.value=''").await;
            let before = told();
            tokio::select! {
                biased;
                done = case.try_run(what) => panic!("nobody stopped it: {done:?}"),
                () = ten_came(before) => {}
            }
            // Keys are seen in their order: after this one nothing of the first burst is under way.
            case.run(r#"{"cmd":"press","keys":"F2"}"#).await;
            let typed = case.js("t.value.length").await.as_u64().unwrap();
            assert!(typed < most, "{typed} came although it was stopped");
            case.run(r#"{"cmd":"press","keys":"F2"}"#).await;
            assert_eq!(case.js("t.value.length").await, json!(typed));
        }

        // All of it arrives where nobody stops it, and what a dialog kept back is told.
        let text: String = ('a'..='z').cycle().take(300).collect();
        case.js("t.value=''").await;
        case.run(json!({"cmd": "type", "target": css("#t"), "text": text}).to_string())
            .await;
        assert_eq!(value(&case, "#t").await, json!(text));
        let case = world
            .at("<textarea id=t></textarea><script>t.oninput=()=>{if(t.value.length===40)alert('enough')}</script>")
            .await;
        let receipt = case
            .act(json!({"cmd": "type", "target": css("#t"), "text": text}).to_string())
            .await;
        assert_eq!(receipt.effect, Effect::Dialog);
        assert!(
            receipt
                .notes
                .iter()
                .any(|n| n.ends_with("of 300 characters were typed")),
            "{:?}",
            receipt.notes
        );
    });
}

#[test]
fn typing_presses_nothing_that_takes_no_text() {
    with_browser(async |world| {
        let case = world
            .at("<form id=f onsubmit='event.preventDefault();hits.push(\"submit\")'>
                <button id=b>Go</button><input id=sub type=submit><input id=res type=reset><input id=img type=image alt=i>
                <input id=c type=checkbox><label id=l><input id=c2 type=checkbox> Agree</label>
                <input id=r type=radio><input id=file type=file><input id=range type=range><input id=color type=color></form>
                <a id=a href=#gone><span id=in>link</span></a>
                <div id=rb role=button tabindex=0>role</div>
                <script>window.hits=[];for(const t of ['pointerdown','click','change'])addEventListener(t,e=>hits.push(t+' '+e.target.id),true)</script>")
            .await;
        for id in [
            "b", "sub", "res", "img", "c", "l", "r", "file", "range", "color", "a", "in", "rb",
        ] {
            let ask = json!({"cmd": "type", "target": css(&format!("#{id}")), "text": "x"});
            assert_eq!(case.fails(ask.to_string()).await, "not_editable", "{id}");
        }
        let b = case.node("button", "Go").await.bounds.unwrap();
        let ask = json!({"cmd": "type", "target": {"point": {"x": b.x + 3.0, "y": b.y + 3.0}}, "text": "x"});
        assert_eq!(case.fails(ask.to_string()).await, "not_editable");
        assert_eq!(case.js("hits").await, json!([]), "nothing was pressed");

        let case = world
            .at("<select id=s><option>Red<option>Green<option>Grey</select>
                <script>window.hits=[];addEventListener('mousedown',e=>hits.push(e.target.id),true);
                addEventListener('change',e=>hits.push('changed '+e.target.id))</script>")
            .await;
        case.run(r##"{"cmd":"type","target":{"css":"#s"},"text":"Grey"}"##)
            .await;
        assert_eq!(value(&case, "#s").await, json!("Grey"));
        let hits = case.js("hits").await.to_string();
        assert!(
            hits.contains("changed s") && !hits.contains("\"s\""),
            "{hits}"
        );
        let case = world
            .at("<label for=s>Land</label><select id=s><option>Red<option>Österreich</select>
                <input id=d type=date><div id=w>wrap <input id=i></div><div id=lazy>edit me</div>
                <script>lazy.onclick=()=>{if(!lazy.querySelector('input'))lazy.innerHTML='<input id=late>'}</script>")
            .await;
        case.run(r##"{"cmd":"type","target":{"label":"Land"},"text":"Ö"}"##)
            .await;
        assert_eq!(value(&case, "#s").await, json!("Österreich"));
        case.run(r##"{"cmd":"type","target":{"css":"#d"},"text":"01022024"}"##)
            .await;
        case.run(r##"{"cmd":"type","target":{"css":"#w"},"text":"in"}"##)
            .await;
        assert_eq!(value(&case, "#i").await, json!("in"));
        case.run(r##"{"cmd":"type","target":{"css":"#lazy"},"text":"came"}"##)
            .await;
        assert_eq!(value(&case, "#late").await, json!("came"));
    });
}

#[test]
fn a_page_that_wipes_itself_was_pressed_all_the_same() {
    with_browser(async |world| {
        world.site.page("/plain", "plain");
        let case = world
            .at("<p>before</p><button id=b onclick=\"for(let i=0;i<8;i++)open('/plain?'+i)\">Wipe</button>")
            .await;
        let b = case.find("button", "Wipe").await;
        let receipt = case.click_ref(b).await;
        assert_eq!(receipt.effect, Effect::Changed, "{receipt:?}");
        assert!(receipt.notes.is_empty(), "{receipt:?}");
        assert_eq!(case.text().await.trim(), "");

        // And what is written in its place can be operated like any other.
        let case = world
            .at("<button id=b onclick=\"document.open();document.write('<button id=n onclick=this.textContent=1>New</button>');document.close()\">Wipe</button>")
            .await;
        let b = case.find("button", "Wipe").await;
        case.click_ref(b).await;
        let new = case.find("button", "New").await;
        let receipt = case.click_ref(new).await;
        assert_eq!(receipt.effect, Effect::Changed, "{receipt:?}");
        assert_eq!(case.text().await.trim(), "1");

        // A tree that is no element may lose what it held, too.
        let case = world
            .at("<div id=h></div><button id=b onclick=\"root.textContent='two'\">Swap</button><script>root=h.attachShadow({mode:'open'});root.textContent='one'</script>")
            .await;
        let b = case.find("button", "Swap").await;
        let receipt = case.click_ref(b).await;
        let changed = receipt.changes.unwrap().changed;
        assert!(changed.iter().any(|n| n.name == "two"), "{changed:?}");

        let case = world
            .at("<form><input name=getElementsByTagName><button id=b>Go</button></form>")
            .await;
        let receipt = case.act(on("hover", "#b")).await;
        assert!(receipt.notes.is_empty(), "{receipt:?}");
    });
}

#[test]
fn a_field_is_filled_as_by_hand_and_tells_what_came_of_it() {
    with_browser(async |world| {
        let case = world
            .at("<input id=i aria-label=Name value=old maxlength=5><input id=m aria-label=More><p id=o></p>
                <script>var seen=[];for(const type of ['focus','beforeinput','input','change'])i.addEventListener(type,e=>seen.push(type+' '+e.isTrusted));
                i.addEventListener('input',()=>o.textContent='Hello '+i.value)</script>")
            .await;
        let receipt = case
            .act(r##"{"cmd":"replace_text","target":{"css":"#i"},"text":"Ada Lovelace"}"##)
            .await;
        assert_eq!(
            value(&case, "#i").await,
            json!("Ada L"),
            "its own limit holds"
        );
        let changes = serde_json::to_string(&receipt.changes).unwrap();
        assert!(changes.contains("Ada L"), "{changes}");
        case.run(r##"{"cmd":"replace_text","target":{"css":"#m"},"text":"x"}"##)
            .await;
        assert_eq!(
            case.js("seen.join()").await,
            json!("focus true,beforeinput true,input true,change true")
        );
        let numbers = case.snapshot().await.nodes.into_iter().map(|n| n.r#ref);
        assert!(numbers.flatten().all(|r| r.0 < 1_000), "refs stay short");
    });
}

/// The script writes by itself where nobody could tell the difference, and only there.
#[test]
fn a_page_that_hears_of_text_beforehand_hears_of_it() {
    with_browser(async |world| {
        let fill = r##"{"cmd":"replace_text","target":{"css":"#i"},"text":"Ada Lovelace"}"##;
        let page = |attributes: &str, script: &str| {
            format!(
                "<input id=i aria-label=Name value=old maxlength=5 {attributes}><input id=m><p id=o></p><script>
                var before=[],seen=[];for(const type of ['focus','input','change'])i.addEventListener(type,e=>seen.push([type,e.isTrusted,e.inputType,e.data]));
                i.addEventListener('input',()=>setTimeout(()=>o.textContent='Hello '+i.value,40));
                const hear=e=>before.push([e.type,e.isTrusted]);{script}</script>"
            )
        };
        let filled = async |attributes: &str, script: &str| {
            let case = world.at(&page(attributes, script)).await;
            let receipt = case.act(fill).await;
            let changes = serde_json::to_string(&receipt.changes).unwrap();
            assert!(changes.contains("Hello Ada L"), "{script}: {changes}");
            assert_eq!(value(&case, "#i").await, json!("Ada L"), "{script}");
            case.js("m.focus()").await;
            (case.js("before").await, case.js("seen").await)
        };
        let (before, plain) = filled("", "").await;
        assert_eq!(before, json!([]));
        let text = json!([
            ["focus", true, null, null],
            ["input", true, "insertText", "Ada L"],
            ["change", true, null, null]
        ]);
        assert_eq!(plain, text);
        let ways = [
            ("", "i.addEventListener('beforeinput', hear)"),
            ("", "document.addEventListener('beforeinput', hear, true)"),
            ("", "addEventListener('beforeinput', hear)"),
            ("", "i.onbeforeinput = hear"),
            ("", "document.body.onbeforeinput = hear"),
            ("", "document.onbeforeinput = hear"),
            ("", "onbeforeinput = hear"),
            ("onbeforeinput='hear(event)'", ""),
        ];
        for (attributes, script) in ways {
            let (before, seen) = filled(attributes, script).await;
            assert_eq!(
                before,
                json!([["beforeinput", true]]),
                "{attributes}{script}"
            );
            assert_eq!(seen, plain, "{attributes}{script}");
        }
        let (before, seen) = filled(
            "",
            "document.documentElement.addEventListener('textInput', hear)",
        )
        .await;
        assert_eq!((before, seen), (json!([["textInput", true]]), plain));
    });
}

#[test]
fn a_dialog_in_the_middle_of_filling_is_told_and_answered() {
    with_browser(async |world| {
        let case = world
            .at("<input id=i aria-label=Name><select id=s aria-label=Size><option>S<option>M</select><p id=o></p>
                <script>i.oninput=()=>{alert('really?');o.textContent='went on'};s.onchange=()=>alert('sure?')</script>")
            .await;
        let receipt = case
            .act(r##"{"cmd":"replace_text","target":{"css":"#i"},"text":"Ada"}"##)
            .await;
        assert_eq!(receipt.effect, Effect::Dialog, "{receipt:?}");
        assert_eq!(receipt.dialog.unwrap().message, "really?");
        case.act(r#"{"cmd":"dialog","answer":"accept"}"#).await;
        assert_eq!(
            case.js("i.value+' '+o.textContent").await,
            json!("Ada went on")
        );
        let receipt = case
            .act(r##"{"cmd":"select","target":{"css":"#s"},"options":[{"label":"M"}]}"##)
            .await;
        assert_eq!(receipt.dialog.unwrap().message, "sure?");
        case.act(r#"{"cmd":"dialog","answer":"accept"}"#).await;
        assert_eq!(case.js("s.value").await, json!("M"));
    });
}

#[test]
fn a_page_that_is_served_as_xml_is_understood() {
    with_browser(async |world| {
        let case = world.case();
        let url = world.site.put(
            "/strict",
            200,
            "Content-Type: application/xhtml+xml\r\n",
            "<html xmlns='http://www.w3.org/1999/xhtml'><head><title>Strict</title></head><body><input id='i' aria-label='Name' value='old'/></body></html>",
        );
        case.run(json!({"cmd":"navigate","url":url}).to_string())
            .await;
        let field = case.node("textbox", "Name").await;
        case.run(
            json!({"cmd":"replace_text","target":{"ref":field.r#ref},"text":"new"}).to_string(),
        )
        .await;
        let script = "document.getElementById('i').value";
        assert_eq!(case.js(script).await, json!("new"));
    });
}
