//! The configuration as people meet it: files, variables, `dragoman config`, `dragoman tool`.
#![allow(clippy::unwrap_used)]

mod support;

use serde_json::{Value, json};
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use support::{Folder, dragoman};

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// Somebody's home, and a project with a folder below it to work in.
struct Home {
    folder: Folder,
}

impl Home {
    fn new(name: &str) -> Self {
        let folder = Folder::new(&format!("config-{name}"));
        std::fs::create_dir_all(folder.0.join("project/below")).unwrap();
        Self { folder }
    }

    fn file(&self) -> PathBuf {
        let home = &self.folder.0;
        let base = match cfg!(target_os = "macos") {
            true => home.join("Library/Application Support"),
            false => home.join("settings"),
        };
        base.join("dragoman/dragoman.toml")
    }

    fn user(self, text: impl AsRef<[u8]>) -> Self {
        std::fs::create_dir_all(self.file().parent().unwrap()).unwrap();
        std::fs::write(self.file(), text).unwrap();
        self
    }

    fn project_file(&self) -> PathBuf {
        self.folder.0.join("project/dragoman.toml")
    }

    fn project(self, text: &str) -> Self {
        std::fs::write(self.project_file(), text).unwrap();
        self
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = dragoman();
        command
            .args(arguments)
            .env_remove("DRAGOMAN_CONFIG")
            .env("HOME", &self.folder.0)
            .env("XDG_CONFIG_HOME", self.folder.0.join("settings"))
            .env("APPDATA", self.folder.0.join("settings"))
            .current_dir(self.folder.0.join("project/below"))
            .stdin(Stdio::null());
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// It works; what it prints.
    fn says(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert!(
            output.status.success(),
            "{arguments:?}: {}",
            text(&output.stderr)
        );
        text(&output.stdout)
    }

    /// It fails with this code, in words and not in a panic; what it says.
    fn fails(&self, code: i32, arguments: &[&str]) -> String {
        failed(code, &self.run(arguments))
    }

    fn with_input(&self, arguments: &[&str], input: &[u8]) -> Output {
        let mut child = self
            .command(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // Whoever has seen enough stops reading.
        let _ = child.stdin.take().unwrap().write_all(input);
        child.wait_with_output().unwrap()
    }

    fn json(&self, arguments: &[&str]) -> Value {
        serde_json::from_str(&self.says(arguments)).unwrap()
    }

    fn setting(&self, key: &str) -> (Value, String) {
        let config = self.json(&["config", "--json"]);
        let settings = config["settings"].as_array().unwrap();
        let row = settings.iter().find(|row| row["key"] == key).unwrap();
        (
            row["value"].clone(),
            row["from"].as_str().unwrap().to_owned(),
        )
    }

    fn kept(&self) -> String {
        std::fs::read_to_string(self.file()).unwrap()
    }
}

#[track_caller]
fn failed(code: i32, output: &Output) -> String {
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{said}");
    assert!(!said.contains("panicked"), "{said}");
    assert!(said.contains("to do:"), "it says what to do: {said}");
    said
}

#[test]
fn every_setting_is_shown_with_its_source() {
    let home = Home::new("show");
    let shown = home.says(&["config"]);
    for key in dragoman::config::KEYS {
        assert!(shown.contains(key.name), "{shown}");
    }
    assert!(
        shown.lines().all(|line| line.ends_with("default")),
        "{shown}"
    );
    assert!(!shown.contains('\x1b'), "{shown}");

    let home = home.user("[browser]\nviewport = \"1x1\"\n[tools]\nA = \"https://a.test\"\n");
    let user = home.file();
    assert_eq!(
        home.setting("browser.viewport"),
        (json!("1x1"), format!("{}:2", user.display()))
    );
    let home = home.project("browser.viewport = \"2x2\"");
    let project = home.project_file().canonicalize().unwrap();
    let (value, from) = home.setting("browser.viewport");
    let at = PathBuf::from(from.strip_suffix(":1").unwrap());
    assert_eq!((value, at.canonicalize().unwrap()), (json!("2x2"), project));
    let output = home
        .command(&["config"])
        .env("DRAGOMAN_VIEWPORT", "3x3")
        .output()
        .unwrap();
    let shown = text(&output.stdout);
    let line = shown
        .lines()
        .find(|line| line.starts_with("browser.viewport"));
    let words: Vec<&str> = line.unwrap().split_whitespace().collect();
    assert_eq!(words, ["browser.viewport", "3x3", "$DRAGOMAN_VIEWPORT"]);
    assert!(shown.contains("tools.A"), "{shown}");
    // Aligned: the sources all begin in the same column.
    let column = |line: &str| line.rfind("  ").unwrap();
    let columns: Vec<usize> = shown.lines().map(column).collect();
    assert!(columns.iter().all(|c| *c == columns[0]), "{shown}");
}

#[test]
fn the_files_are_named() {
    let home = Home::new("path");
    let said = home.says(&["config", "path"]);
    assert!(said.contains(home.file().to_str().unwrap()), "{said}");
    assert!(
        said.contains("not there") && said.contains("project  none"),
        "{said}"
    );
    let home = home.user("").project("");
    let files = home.json(&["config", "path", "--json"]);
    assert_eq!(files["user"]["exists"], true, "{files}");
    assert!(
        files["project"]["path"]
            .as_str()
            .unwrap()
            .ends_with("project/dragoman.toml")
    );
    // A broken file does not keep the paths from being told.
    let home = home.user("[");
    assert!(home.says(&["config", "path"]).contains("dragoman.toml"));
}

#[test]
fn another_file_can_be_named() {
    let home = Home::new("named").user("[browser]\nheaded = true");
    let other = home.folder.path("other.toml");
    let run = || {
        home.command(&["config", "--json"])
            .env("DRAGOMAN_CONFIG", &other)
            .output()
            .unwrap()
    };
    let said = failed(2, &run());
    assert!(
        said.contains("DRAGOMAN_CONFIG") && said.contains("other.toml"),
        "{said}"
    );
    std::fs::write(&other, "[policy]\nmax_tabs = 9").unwrap();
    let shown: Value = serde_json::from_slice(&run().stdout).unwrap();
    let value = |key: &str| {
        let settings = shown["settings"].as_array().unwrap();
        settings.iter().find(|s| s["key"] == key).unwrap()["value"].clone()
    };
    assert_eq!(value("policy.max_tabs"), 9);
    assert_eq!(value("browser.headed"), false);
}

#[test]
fn a_mistake_has_a_place_and_a_likely_meaning() {
    let home = Home::new("mistake").user("[policy]\n  max_tab = 3\n");
    for arguments in [
        &["config"][..],
        &["pipe"],
        &["journal", "list"],
        &["snapshot", "about:blank"],
    ] {
        let said = home.fails(2, arguments);
        assert!(said.contains("dragoman.toml:2:3:"), "{said}");
        assert!(
            said.contains("`policy.max_tab`") && said.contains("`policy.max_tabs`"),
            "{said}"
        );
    }
    let home = home.user("[policy]\nmax_tabs = \"3\"\n");
    let said = home.fails(2, &["config"]);
    assert!(
        said.contains(":2:12:") && said.contains("a number from 1 to 1000"),
        "{said}"
    );
    let doctor = home.run(&[
        "doctor",
        "--browser",
        "/no/such/thing",
        "--journal",
        ":memory:",
    ]);
    let said = text(&doctor.stdout);
    assert!(
        said.contains("fail  configuration") && said.contains("journal"),
        "{said}"
    );
}

#[test]
fn hostile_files_are_errors_and_nothing_worse() {
    let long = format!("# {}\n", "x".repeat(1 << 20));
    let many = "[tools]\n".to_owned() + &"\"a\" = \"https://a.test\"\n".repeat(15_000);
    let deep = format!("a = {}{}", "[".repeat(50_000), "]".repeat(50_000));
    let deep_keys = format!("{}b = 1", "a.".repeat(50_000));
    let tables = format!("[{}b]", "a.".repeat(50_000));
    let inline = format!("a = {}1{}", "{a=".repeat(20_000), "}".repeat(20_000));
    let long_key = format!("[browser]\n{} = 1", "k".repeat(300_000));
    let tool = |n: usize| format!("t{n} = \"https://a.test\"\n");
    let tools = "[tools]\n".to_owned() + &(0..15_000).map(tool).collect::<String>();
    let escape = "\"\\u001b[2Jx\" = 1";
    let cases: [(&[u8], &str); 12] = [
        (long.as_bytes(), "larger than"),
        (long_key.as_bytes(), "`browser.kkk"),
        (tools.as_bytes(), ":502:1: there are more than 500 tools"),
        (many.as_bytes(), ":3:"),
        (deep.as_bytes(), ":1:"),
        (deep_keys.as_bytes(), ":1:"),
        (tables.as_bytes(), ":1:"),
        (inline.as_bytes(), ":1:"),
        (b"[browser]\nx = \"\xff\xfe\"", ":2:6: this is not UTF-8"),
        (b"[browser]\npath = \"a\0b\"", ":2:"),
        (b"\x7fELF\x02\x01\x01", ":1:"),
        (escape.as_bytes(), "there is no key"),
    ];
    for (bytes, word) in cases {
        let home = Home::new("hostile").user(bytes);
        let said = home.fails(2, &["config"]);
        assert!(said.contains(word), "{word} in: {said:.300}");
        assert!(said.len() < 2000 && !said.contains('\x1b'), "{said:.300}");
        let said = home.fails(2, &["tool", "add", "A", "https://a.test"]);
        assert!(said.contains(word), "{word} in: {said:.300}");
        assert_eq!(
            std::fs::read(home.file()).unwrap(),
            bytes,
            "it is left alone"
        );
    }
}

#[test]
fn what_is_no_file_is_said_to_be_none() {
    let home = Home::new("folder");
    std::fs::create_dir_all(home.file()).unwrap();
    assert!(home.fails(2, &["config"]).contains("is a folder"));
    assert!(
        home.fails(2, &["tool", "add", "A", "https://a.test"])
            .contains("is a folder")
    );
    let home = Home::new("project-folder");
    std::fs::create_dir_all(home.project_file()).unwrap();
    assert!(home.fails(2, &["config"]).contains("is no file"));
}

#[cfg(unix)]
#[test]
fn a_file_that_cannot_be_read_is_an_error() {
    use std::os::unix::fs::PermissionsExt;
    let home = Home::new("unreadable").user("");
    let locked = std::fs::Permissions::from_mode(0o000);
    std::fs::set_permissions(home.file(), locked).unwrap();
    // Root reads everything.
    if std::fs::read(home.file()).is_err() {
        let said = home.fails(2, &["config"]);
        assert!(
            said.contains("cannot be read") && said.contains("chmod"),
            "{said}"
        );
    }
}

#[test]
fn settings_reach_what_they_are_for() {
    let home = Home::new("reach").user("[journal]\npath = \"kept/j.db\"\n");
    let said = home.fails(4, &["journal", "list"]);
    let journal = home.file().parent().unwrap().join("kept/j.db");
    assert!(said.contains(journal.to_str().unwrap()), "{said}");
    let flag = home.fails(4, &["journal", "list", "--journal", "/nowhere/flag.db"]);
    assert!(flag.contains("/nowhere/flag.db"), "{flag}");
    let variable = home
        .command(&["journal", "list"])
        .env("DRAGOMAN_JOURNAL", "/nowhere/variable.db")
        .output()
        .unwrap();
    assert!(failed(4, &variable).contains("/nowhere/variable.db"));

    let home = home.user("\n[browser]\npath = \"no/such/browser\"\n");
    let said = home
        .command(&["snapshot", "about:blank"])
        .env_remove("DRAGOMAN_BROWSER")
        .output()
        .unwrap();
    let said = failed(3, &said);
    assert!(
        said.contains("no/such/browser") && said.contains("dragoman.toml:3"),
        "{said}"
    );
}

#[test]
fn a_policy_in_a_file_holds() {
    let home = Home::new("policy").user("[policy]\napprove = \"all\"\n");
    let ask = b"{\"id\":1,\"cmd\":\"snapshot\"}\n{\"id\":2,\"queue\":\"list\"}\n";
    let state = |output: &Output| {
        let lines = text(&output.stdout);
        let mut answers = lines
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap());
        answers.find(|answer| answer["id"] == 1).unwrap()
    };
    let waits = home.with_input(&["pipe", "--journal", ":memory:"], ask);
    assert_eq!(
        state(&waits)["state"],
        "proposed",
        "{}",
        text(&waits.stderr)
    );
    let runs = home.with_input(&["pipe", "--journal", ":memory:", "--approve", "none"], ask);
    assert_eq!(state(&runs)["status"], "done", "{}", text(&runs.stderr));
}

#[test]
fn a_project_cannot_loosen_anything_silently() {
    let home = Home::new("project").project("[browser]\npath = \"./run-me\"\n");
    let said = home.fails(2, &["snapshot", "about:blank"]);
    assert!(
        said.contains("dragoman.toml:2:8:") && said.contains("browser.path"),
        "{said}"
    );

    let home = home.project("[command]\nredact = false\n");
    let output = home.run(&["config", "--json"]);
    let shown: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        home.setting("command.redact"),
        (json!(true), "default".into())
    );
    assert!(
        shown["notes"][0]
            .as_str()
            .unwrap()
            .contains("command.redact"),
        "{shown}"
    );
    let output = home.run(&["config"]);
    let said = text(&output.stderr);
    assert!(
        output.status.success() && said.contains("does not count"),
        "{said}"
    );
}

#[test]
fn tools_come_and_go() {
    let home = Home::new("tools");
    assert!(home.says(&["tool", "list"]).contains("dragoman tool add"));
    assert_eq!(home.json(&["tool", "list", "--json"]), json!([]));
    let said = home.says(&["tool", "add", "Google Docs", "https://docs.google.com/"]);
    assert!(said.starts_with("Added Google Docs"), "{said}");
    let said = home.says(&["tool", "add", "google docs", "https://docs.test/"]);
    assert!(
        said.contains("Replaced Google Docs by google docs"),
        "{said}"
    );
    assert!(said.contains("was https://docs.google.com/"), "{said}");
    home.says(&["tool", "add", "Wiki", "https://wiki.test/"]);
    let list = home.json(&["tool", "list", "--json"]);
    assert_eq!(list[0]["name"], "google docs");
    assert_eq!(list[0]["url"], "https://docs.test/");
    assert_eq!(list[1]["from"], format!("{}:3", home.file().display()));
    assert_eq!(home.says(&["tool", "list"]).lines().count(), 2);

    let said = home.fails(1, &["tool", "remove", "Wikki"]);
    assert!(said.contains("Did you mean `Wiki`?"), "{said}");
    assert!(
        home.says(&["tool", "remove", "WIKI"])
            .contains("Removed Wiki")
    );
    assert_eq!(
        home.kept(),
        "[tools]\n\"google docs\" = \"https://docs.test/\"\n"
    );

    for (name, url) in [
        ("a\"b", "https://a.test"),
        ("", "https://a.test"),
        ("A", "javascript:alert(1)"),
        ("A", "https://"),
        ("A", "https://user:secret@a.test"),
    ] {
        home.fails(2, &["tool", "add", name, url]);
    }
    let home = home.project("[tools]\nTheirs = \"https://t.test\"\n");
    let said = home.fails(1, &["tool", "remove", "theirs"]);
    assert!(said.contains("dragoman.toml:2"), "{said}");
}

#[test]
fn comments_and_order_survive() {
    let before = "# Mine.\n\n[tools]   # saved\n# b\nB = \"https://b.test\"   # bee\nA = 'https://a.test'\n\n\
                  [policy]\nmax_tabs = 0x10 # few\n# the end\n";
    let home = Home::new("comments").user(before);
    home.says(&["tool", "add", "b", "https://bb.test"]);
    home.says(&["tool", "add", "C", "https://c.test"]);
    let after = before
        .replace("B = \"https://b.test\"", "b = \"https://bb.test\"")
        .replace(
            "'https://a.test'\n",
            "'https://a.test'\nC = \"https://c.test\"\n",
        );
    assert_eq!(home.kept(), after);
    home.says(&["tool", "remove", "c"]);
    home.says(&["tool", "add", "B", "https://b.test"]);
    assert_eq!(home.kept(), before);
    let folder = std::fs::read_dir(home.file().parent().unwrap()).unwrap();
    assert_eq!(folder.count(), 1, "nothing is left beside it");
}

#[cfg(unix)]
#[test]
fn links_and_permissions_survive() {
    use std::os::unix::fs::PermissionsExt;
    let home = Home::new("link").user("");
    let real = home.folder.0.join("dotfiles.toml");
    std::fs::rename(home.file(), &real).unwrap();
    std::fs::set_permissions(&real, std::fs::Permissions::from_mode(0o640)).unwrap();
    std::os::unix::fs::symlink(&real, home.file()).unwrap();
    home.says(&["tool", "add", "A", "https://a.test"]);
    assert!(std::fs::symlink_metadata(home.file()).unwrap().is_symlink());
    assert!(std::fs::read_to_string(&real).unwrap().contains("a.test"));
    assert_eq!(
        std::fs::metadata(&real).unwrap().permissions().mode() & 0o777,
        0o640
    );

    std::fs::set_permissions(&real, std::fs::Permissions::from_mode(0o440)).unwrap();
    let said = home.fails(1, &["tool", "add", "B", "https://b.test"]);
    assert!(said.contains("read-only"), "{said}");

    let home = Home::new("private");
    home.says(&["tool", "add", "A", "https://a.test"]);
    let mode =
        |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&home.file()), 0o600);
    assert_eq!(mode(home.file().parent().unwrap()), 0o700);
}

#[test]
fn several_at_once_lose_nothing() {
    let home = Home::new("several");
    let add = |n: usize| {
        home.command(&["tool", "add", &format!("T{n}"), "https://t.test"])
            .stdout(Stdio::null())
            .spawn()
            .unwrap()
    };
    let all: Vec<_> = (0..8).map(add).collect();
    for mut child in all {
        assert!(child.wait().unwrap().success());
    }
    assert_eq!(
        home.json(&["tool", "list", "--json"])
            .as_array()
            .unwrap()
            .len(),
        8
    );
}

#[test]
fn many_tools_are_imported_at_once() {
    let home = Home::new("import")
        .user("[tools]\nSame = \"https://same.test\"\nOld = \"https://old.test\"\n");
    let list = json!([
        {"name": "New", "url": "https://new.test", "icon": "x"},
        {"name": "new", "url": "https://new.test"},
        {"name": "OLD", "url": "https://newer.test"},
        {"name": "Same", "url": "https://same.test"},
    ]);
    let output = home.with_input(&["tool", "import", "-"], list.to_string().as_bytes());
    let said = text(&output.stdout);
    assert!(
        said.starts_with("1 added, 1 replaced, 2 skipped"),
        "{said}{}",
        text(&output.stderr)
    );
    assert!(
        said.contains("twice in the file") && said.contains("saved already"),
        "{said}"
    );
    assert!(said.contains("was https://old.test"), "{said}");

    let file = home.folder.path("more.json");
    std::fs::write(&file, "\u{feff} {\"From object\": \"https://o.test\"}").unwrap();
    assert!(
        home.says(&["tool", "import", &file])
            .starts_with("1 added, 0")
    );
    let file = home.folder.path("more.toml");
    std::fs::write(&file, "[tools]\n\"From TOML\" = \"https://t.test\"\n").unwrap();
    assert!(
        home.says(&["tool", "import", &file])
            .starts_with("1 added, 0")
    );
    let names: Vec<String> = home
        .json(&["tool", "list", "--json"])
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["name"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(names, ["Same", "OLD", "New", "From object", "From TOML"]);
}

#[test]
fn a_bad_import_changes_nothing() {
    let before = "[tools]\nA = \"https://a.test\"\n";
    let home = Home::new("bad-import").user(before);
    let deep = format!("[{}", "[{".repeat(50_000));
    let long = format!("{{\"a\":\"{}\"}}", "x".repeat(1 << 20));
    let cases: [(&[u8], &str); 13] = [
        (
            br#"[{"name":"B","url":"https://b.test"},{"name":"C","url":"c.test"}]"#,
            "entry 2",
        ),
        (
            br#"[{"name":"B","url":"https://b.test"},{"name":"b","url":"https://c.test"}]"#,
            "and also",
        ),
        (
            br#"{"B":"https://b.test","b":"https://c.test"}"#,
            "and also",
        ),
        (br#"[{"name":"B"}]"#, "url"),
        (br#"{"B":3}"#, "expected a string"),
        (br#"[{"name":"B","url":"https://b.test"}"#, "EOF"),
        (b"[tools]\nB = 3", ":2:5:"),
        (b"[browser]\nheaded = true", "no tools"),
        (b"", "no tools"),
        (b"[{\"name\":\"\xff\",\"url\":\"x\"}]", "UTF-8"),
        (
            b"[{\"name\":\"a\\u0000b\",\"url\":\"https://b.test\"}]",
            "entry 1",
        ),
        (deep.as_bytes(), ":1:"),
        (long.as_bytes(), "larger than"),
    ];
    for (input, word) in cases {
        let said = failed(2, &home.with_input(&["tool", "import", "-"], input));
        assert!(said.contains(word), "{word} in: {said:.500}");
        assert_eq!(home.kept(), before);
    }
    let said = home.fails(2, &["tool", "import", "/no/such/file"]);
    assert!(said.contains("/no/such/file"), "{said}");
    home.fails(2, &["tool", "import", "."]);
}
