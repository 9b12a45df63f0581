//! Secrets in a real browser: typed where they belong, and nowhere to be seen.

#![allow(clippy::unwrap_used, reason = "tests may fail loudly")]

mod common;

use common::{Site, World, with_secrets};
use dragoman_browser::{LaunchOptions, Secret};
use dragoman_model::OriginPattern;
use serde_json::json;
use std::rc::Rc;

const VALUE: &str = "hunter \"2\" & é";

fn with_secret<F: AsyncFnOnce(Rc<World>)>(test: F) {
    let site = Site::start();
    let secret = Secret {
        name: "github".into(),
        value: VALUE.into(),
        origins: vec![OriginPattern(site.url(""))],
    };
    with_secrets(LaunchOptions::default(), site, vec![secret], test);
}

fn replace(target: &str) -> String {
    let text = "{{secret:github}}";
    json!({"cmd": "replace_text", "target": {"label": target}, "text": text}).to_string()
}

/// A page that tells everybody what was typed.
const LOUD: &str = "<label>User <input id=user></label><label>Word <input id=word type=password></label>
    <p id=echo></p><form action=/sent><label>Code <input id=code name=code></label></form>
    <script>
      addEventListener('input', (e) => {
        echo.textContent = 'you typed ' + e.target.value;
        document.title = e.target.value;
        console.log('typed', e.target.value);
        history.replaceState(null, '', '?v=' + encodeURIComponent(e.target.value));
        fetch('/log?v=' + encodeURIComponent(e.target.value), {method: 'POST', body: e.target.value});
      });
    </script>";

#[test]
fn a_secret_is_typed_and_never_told() {
    with_secret(async |world| {
        world.site.put("/log", 200, "", "");
        let case = world.at(LOUD).await;
        let mut told = Vec::new();
        for field in ["User", "Word"] {
            told.push(format!("{:?}", case.run(replace(field)).await));
        }
        let is = |id: &str, value: &str| format!("{id}.value === {}", json!(value));
        assert_eq!(case.js(&is("user", VALUE)).await, json!(true));
        assert_eq!(case.js(&is("word", VALUE)).await, json!(true));
        let typed =
            json!({"cmd": "type", "target": {"label": "User"}, "text": "!{{secret:github}}?"});
        told.push(format!("{:?}", case.run(typed.to_string()).await));
        assert_eq!(
            case.js(&is("user", &format!("{VALUE}!{VALUE}?"))).await,
            json!(true)
        );
        for look in [
            json!({"cmd": "snapshot"}),
            json!({"cmd": "changes"}),
            json!({"cmd": "text"}),
            json!({"cmd": "console"}),
            json!({"cmd": "network"}),
            json!({"cmd": "list_tabs"}),
            json!({"cmd": "evaluate", "script": "({user: user.value, here: location.href, [word.value]: 1})"}),
            json!({"cmd": "evaluate", "script": "(() => { throw new Error(user.value) })()"}),
            json!({"cmd": "click", "target": {"text": VALUE}}),
        ] {
            told.push(format!("{:?}", case.try_run(look.to_string()).await));
        }
        told.push(format!("{:?}", world.events()));
        let told = told.join("\n");
        assert!(told.contains("[secret:github]"), "{told}");
        for way in ["hunter", "%222%22"] {
            assert!(!told.contains(way), "{told}");
        }
        // A line break at the end is the Enter key.
        world.site.page("/sent", "<p>thanks</p>");
        let enter =
            json!({"cmd": "type", "target": {"label": "Code"}, "text": "{{secret:github}}\n"});
        case.run(enter.to_string()).await;
        assert_eq!(case.text().await.trim(), "thanks");
        let sent = world.site.asked("/sent?code=hunter+%222%22+%26+%C3%A9");
        assert_eq!(sent, 1);
    });
}

#[test]
fn a_secret_stays_out_of_other_origins() {
    with_secret(async |world| {
        world.site.page("/inner", "<label>Inner <input></label>");
        let frame = world.site.other("/inner");
        let case = world
            .at(&format!(
                "<label>Outer <input></label><iframe src='{frame}'></iframe>"
            ))
            .await;
        case.run(r#"{"cmd":"reload","until":"complete"}"#).await;
        assert_eq!(case.fails(replace("Inner")).await, "blocked");
        case.run(replace("Outer")).await;
        let other = world.case();
        for page in [
            frame.as_str(),
            "data:text/html,<label>Inner <input></label>",
        ] {
            other
                .run(json!({"cmd": "navigate", "url": page}).to_string())
                .await;
            assert_eq!(other.fails(replace("Inner")).await, "blocked", "{page}");
            assert_eq!(
                other.js("document.querySelector('input').value").await,
                json!("")
            );
        }
        let unknown =
            json!({"cmd": "type", "text": "{{secret:gitlab}}", "target": {"label": "Inner"}});
        assert_eq!(other.fails(unknown.to_string()).await, "bad_argument");
    });
}

#[test]
fn a_password_field_takes_no_text_from_whoever_is_to_know_none() {
    with_secret(async |world| {
        world.site.put("/log", 200, "", "");
        let case = world.at(LOUD).await;
        let ask = |cmd: &str, css: &str, text: &str| {
            json!({"cmd": cmd, "target": {"css": css}, "text": text, "no_password": true})
                .to_string()
        };
        for cmd in ["insert_text", "replace_text", "type"] {
            assert_eq!(case.fails(ask(cmd, "#word", "guess")).await, "not_allowed");
            assert_eq!(case.js("word.value").await, json!(""));
            case.run(ask(cmd, "#user", "me")).await;
        }
        case.js("word.focus()").await;
        let blind = json!({"cmd": "insert_text", "text": "guess", "no_password": true});
        assert_eq!(case.fails(blind.to_string()).await, "not_allowed");
        let key = |keys: &str| json!({"cmd": "press", "keys": keys, "no_password": true});
        for keys in ["g", "Shift+G", "Space", "Control+V"] {
            assert_eq!(case.fails(key(keys).to_string()).await, "not_allowed");
        }
        assert_eq!(case.js("word.value").await, json!(""));
        case.run(key("Control+A").to_string()).await;
        case.run(key("Shift+Tab").to_string()).await;
        case.run(key("x").to_string()).await;
        assert_eq!(case.js("user.value.includes('x')").await, json!(true));
        case.run(ask("replace_text", "#word", "{{secret:github}}"))
            .await;
        let typed = format!("word.value === {}", json!(VALUE));
        assert_eq!(case.js(&typed).await, json!(true));
    });
}

/// Fields that are filled in one go tell each other's values; a secret is not among what goes so.
#[test]
fn a_secret_in_a_batch_goes_its_own_way() {
    with_secret(async |world| {
        world.site.put("/log", 200, "", "");
        let case = world.at(LOUD).await;
        let of = async |name| case.find("textbox", name).await;
        let fill =
            |target, text| json!({"cmd": "replace_text", "target": {"ref": target}, "text": text});
        let (user, code) = (of("User").await, of("Code").await);
        let mut asked = &[
            fill(code, "first"),
            fill(user, "{{secret:github}}"),
            fill(code, "second"),
            fill(code, "third"),
        ][..];
        let mut turns = Vec::new();
        while !asked.is_empty() {
            let told = case.row(asked, None).await;
            assert!(told.iter().all(Result::is_ok), "{told:?}");
            assert!(!format!("{told:?}").contains("hunter"), "{told:?}");
            turns.push(told.len());
            asked = &asked[told.len()..];
        }
        assert_eq!(turns, [1, 1, 2]);
        let held = format!("user.value === {} && code.value === 'third'", json!(VALUE));
        assert_eq!(case.js(&held).await, json!(true));
    });
}
