//! What must not be seen: passwords that a client types, and secrets that it only names.

use crate::client::Mcp;
use crate::support::{Folder, Stand, dragoman};
use serde_json::json;
use std::path::Path;
use std::process::Stdio;

const PASSWORD: &str = "correct-horse-battery";

const LOGIN: &str = "<form action=/in method=post><label>User <input name=user></label>
    <label>Password <input type=password name=password></label><button>Sign in</button></form>";

/// Every file in the folder, as far as it is text.
fn all_files(folder: &Path) -> String {
    let mut text = String::new();
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        match entry.path() {
            path if path.is_dir() => text += &all_files(&path),
            path => text += &String::from_utf8_lossy(&std::fs::read(path).unwrap()),
        }
    }
    text
}

fn started(folder: &Folder, more: &[&str]) -> Mcp {
    let log = std::fs::File::create(folder.path("log")).unwrap();
    let mut command = dragoman();
    command
        .args(["-vvv", "mcp", "--journal", &folder.path("journal.db")])
        .args(["--save-dir", &folder.path("save")])
        .args(more)
        .stderr(Stdio::from(log));
    let mut mcp = Mcp::of(&mut command);
    mcp.handshake(crate::client::VERSION);
    mcp
}

#[test]
fn a_password_is_in_no_answer_log_or_file() {
    let stand = Stand::start(&[("/", LOGIN), ("/in", "<p>welcome</p>")]);
    let folder = Folder::new("mcp-password");
    let mut mcp = started(&folder, &["--caps", "all"]);
    mcp.go(&stand.url);
    let mut told = vec![mcp.snapshot()];
    let mut call =
        |mcp: &mut Mcp, tool: &str, args| told.push(mcp.call(tool, args).whole.to_string());
    let field = "label=Password";
    call(&mut mcp, "browser_start_tracing", json!({}));
    call(
        &mut mcp,
        "browser_type",
        json!({"target": field, "text": PASSWORD}),
    );
    call(
        &mut mcp,
        "browser_type",
        json!({"target": field, "text": PASSWORD, "slowly": true}),
    );
    let fields =
        json!([{"target": field, "name": "Password", "type": "textbox", "value": PASSWORD}]);
    call(&mut mcp, "browser_fill_form", json!({"fields": fields}));
    let steps = json!([{"tool": "browser_type", "arguments": {"target": field, "text": PASSWORD}}]);
    call(&mut mcp, "browser_batch", json!({"steps": steps}));
    for look in ["browser_snapshot", "browser_changes", "queue_list"] {
        call(&mut mcp, look, json!({}));
    }
    call(&mut mcp, "browser_snapshot", json!({"filename": "page.md"}));
    call(
        &mut mcp,
        "browser_click",
        json!({"target": "role=button[name=\"Sign in\"]"}),
    );
    call(
        &mut mcp,
        "browser_network_requests",
        json!({"static": true}),
    );
    call(&mut mcp, "browser_network_request", json!({"index": 2}));
    for (tool, file) in [
        ("browser_network_requests", "requests.txt"),
        ("browser_console_messages", "console.txt"),
        ("browser_storage_state", "state.json"),
    ] {
        call(&mut mcp, tool, json!({"filename": file}));
    }
    call(&mut mcp, "browser_console_messages", json!({"all": true}));
    call(&mut mcp, "queue_list", json!({}));
    call(&mut mcp, "browser_stop_tracing", json!({}));
    // Nor in what goes wrong: in the queue, in a batch, in a call that cannot be read.
    let nowhere = json!({"target": "#nowhere", "text": PASSWORD});
    let batch = json!({"steps": [{"tool": "browser_type", "arguments": nowhere}]});
    let wrong = json!({"target": {"not": "a target"}, "text": PASSWORD});
    for (tool, args) in [
        ("browser_type", nowhere),
        ("browser_batch", batch),
        ("browser_type", wrong),
    ] {
        told.push(mcp.fails(tool, args));
    }
    let said = told.join("\n");
    assert!(!said.contains(PASSWORD), "{said}");
    let saved = std::fs::read_dir(folder.0.join("save")).unwrap().count();
    assert!(saved >= 5, "the files were written: {saved}");
    let sent = stand.came().iter().any(|line| line.contains(PASSWORD));
    assert!(sent, "it was typed: {:?}", stand.came());
    assert!(!all_files(&folder.0).contains(PASSWORD), "while it runs");
    mcp.pipe.end_input();
    mcp.pipe.wait();
    assert!(!all_files(&folder.0).contains(PASSWORD), "afterwards");
}

#[test]
fn a_secret_is_typed_by_its_name() {
    let stand = Stand::start(&[("/", LOGIN), ("/in", "<p>welcome</p>")]);
    let folder = Folder::new("mcp-secret");
    let file = folder.path("secrets.toml");
    let elsewhere = Folder::new("mcp-secret-file");
    let file = file.replace(folder.0.to_str().unwrap(), elsewhere.0.to_str().unwrap());
    let secrets = format!(
        "[site]\nvalue = \"{PASSWORD}\"\norigin = \"{}\"\n",
        stand.url
    );
    std::fs::write(&file, secrets).unwrap();
    let mut mcp = started(&folder, &["--secrets", &file]);
    mcp.go(&stand.url);
    let mut told = Vec::new();
    let mut call =
        |mcp: &mut Mcp, tool: &str, args| told.push(mcp.call(tool, args).whole.to_string());
    // Also where everybody could read it.
    for field in ["label=User", "label=Password"] {
        let args = json!({"target": field, "text": "{{secret:site}}"});
        call(&mut mcp, "browser_type", args);
    }
    call(&mut mcp, "browser_snapshot", json!({}));
    let read = "() => document.querySelector('[name=user]').value";
    call(&mut mcp, "browser_evaluate", json!({"function": read}));
    call(&mut mcp, "browser_click", json!({"target": "role=button"}));
    call(&mut mcp, "queue_list", json!({}));
    let said = told.join("\n");
    assert!(!said.contains(PASSWORD), "{said}");
    assert!(said.contains("[secret:site]"), "{said}");
    let wanted = format!("POST /in user={PASSWORD}&password={PASSWORD}");
    assert!(stand.came().contains(&wanted), "{:?}", stand.came());
    // In a page of somebody else it is not typed.
    let other = Stand::start(&[("/", LOGIN)]);
    mcp.go(&other.url);
    let said = mcp.fails(
        "browser_type",
        json!({"target": "label=Password", "text": "{{secret:site}}"}),
    );
    assert!(said.starts_with("Error blocked"), "{said}");
    mcp.call("browser_click", json!({"target": "role=button"}));
    let sent = other.came();
    assert!(
        sent.contains(&"POST /in user=&password=".to_owned()),
        "{sent:?}"
    );
    assert!(!all_files(&folder.0).contains(PASSWORD));
}

#[test]
fn a_wrong_file_of_secrets_is_explained_without_showing_it() {
    let folder = Folder::new("mcp-bad-secrets");
    for (text, word) in [
        ("[a]\nvalue = \"hunter22\"\n", "origin"),
        ("[a]\nvalue = hunter22\n", "TOML"),
        (
            "[a]\nvalue = \"hun\"\norigin = \"https://a.example\"\n",
            "4 characters",
        ),
    ] {
        let file = folder.path("secrets.toml");
        std::fs::write(&file, text).unwrap();
        let said = dragoman()
            .args(["mcp", "--journal", ":memory:", "--secrets", &file])
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let said_text = String::from_utf8_lossy(&said.stderr).into_owned();
        assert_eq!(said.status.code(), Some(2), "{said_text}");
        assert!(
            said_text.contains(word) && !said_text.contains("hunter22"),
            "{said_text}"
        );
    }
}
