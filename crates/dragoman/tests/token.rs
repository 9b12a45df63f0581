//! Access tokens: the store as the door meets it, and `dragoman token` as people do.
#![allow(clippy::unwrap_used)]

mod support;

use dragoman::token::{Scope, Scopes, Store, Token};
use dragoman::trouble::Trouble;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use support::{Folder, dragoman};

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn scopes(text: &str) -> Scopes {
    text.parse().unwrap()
}

/// A file of tokens in a folder that is not there yet.
struct Home {
    folder: Folder,
}

impl Home {
    fn new(name: &str) -> Self {
        let folder = Folder::new(&format!("token-{name}"));
        Self { folder }
    }

    fn file(&self) -> PathBuf {
        self.folder.0.join("data/tokens.json")
    }

    /// Each time another one, as another process has it.
    fn store(&self) -> Store {
        Store::at(&self.file())
    }

    fn kept(&self) -> String {
        std::fs::read_to_string(self.file()).unwrap()
    }

    /// Changed in place, as an editor may.
    fn put(&self, text: impl AsRef<[u8]>) {
        std::fs::create_dir_all(self.file().parent().unwrap()).unwrap();
        std::fs::write(self.file(), text).unwrap();
        mode(&self.file(), 0o600);
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = dragoman();
        command
            .arg("token")
            .args(arguments)
            .env("DRAGOMAN_TOKENS", self.file())
            .stdin(Stdio::null());
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// It works; what it prints.
    #[track_caller]
    fn says(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        let said = text(&output.stderr);
        assert!(output.status.success(), "{arguments:?}: {said}");
        text(&output.stdout)
    }

    /// It fails with this code, in words and with nothing on standard output; what it says.
    #[track_caller]
    fn fails(&self, code: i32, arguments: &[&str]) -> String {
        failed(code, &self.run(arguments))
    }
}

#[track_caller]
fn failed(code: i32, output: &Output) -> String {
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{said}");
    assert!(!said.contains("panicked"), "{said}");
    assert!(said.contains("to do:"), "it says what to do: {said}");
    assert_eq!(text(&output.stdout), "");
    said
}

#[cfg(unix)]
fn mode(path: &Path, mode: u32) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

#[cfg(not(unix))]
fn mode(_: &Path, _: u32) {}

#[track_caller]
fn trouble<T: std::fmt::Debug>(result: anyhow::Result<T>) -> (String, String) {
    let error = result.unwrap_err();
    let trouble = error.downcast_ref::<Trouble>().unwrap();
    (trouble.what.clone(), trouble.next.clone())
}

fn names(tokens: &[Token]) -> Vec<&str> {
    tokens.iter().map(|token| token.name.as_str()).collect()
}

#[test]
fn made_asked_for_and_revoked_across_stores() {
    let home = Home::new("life");
    let (one, door) = (home.store(), home.store());
    assert_eq!(one.list().unwrap(), []);
    assert!(!one.revoke("ci").unwrap());
    assert!(!home.file().exists(), "asking makes nothing");

    let ci = one.create("ci", scopes("observe,act")).unwrap();
    assert!(ci.starts_with("drg_") && ci.len() == 47, "{}", ci.len());
    let token = door.check(&ci).unwrap();
    assert_eq!(token.name, "ci");
    assert_eq!(token.scopes, scopes("act,observe"));
    let age = dragoman::clock::now_ms() - token.created_ms;
    assert!(age < 60_000, "{age} ms");
    assert!(token.scopes.has(Scope::Act) && !token.scopes.has(Scope::Approve));

    let boss = home.store().create("Boss", scopes("admin")).unwrap();
    assert_eq!(door.check(&boss).unwrap().name, "Boss");
    assert!(door.check(&boss).unwrap().scopes.has(Scope::Approve));
    assert_eq!(names(&one.list().unwrap()), ["ci", "Boss"]);

    assert!(one.revoke("CI").unwrap(), "whatever the case");
    assert_eq!(door.check(&ci), None);
    assert_eq!(door.check(&boss).unwrap().name, "Boss");
    assert!(!one.revoke("ci").unwrap());

    std::fs::remove_file(home.file()).unwrap();
    assert_eq!(door.check(&boss), None);
}

/// A new file may be of the same size and come within the same tick of the clock.
#[test]
fn a_revoked_token_ends_at_once() {
    let home = Home::new("at-once");
    let (store, door) = (home.store(), home.store());
    let mut old = store.create("ci", scopes("act")).unwrap();
    for round in 0..50 {
        assert!(door.check(&old).is_some(), "{round}");
        assert!(store.revoke("ci").unwrap());
        let new = store.create("ci", scopes("act")).unwrap();
        assert_eq!(door.check(&old), None, "{round}");
        old = new;
    }
}

#[test]
fn what_is_no_token_admits_nobody() {
    let home = Home::new("wrong");
    let store = home.store();
    assert_eq!(store.check("drg_"), None, "there is no file yet");
    let good = store.create("ci", scopes("act")).unwrap();
    let hash = home.kept();
    let hash = hash.split('"').find(|word| word.len() == 64).unwrap();
    let last = if good.ends_with('A') { "B" } else { "A" };
    for wrong in [
        "",
        "drg_",
        "ci",
        hash,
        &good[..good.len() - 1],
        &good[4..],
        &format!("{good} "),
        &format!("{good}="),
        &format!("{good}\n"),
        &format!("{}{last}", &good[..good.len() - 1]),
        &good.to_uppercase(),
        &"x".repeat(1 << 20),
        &format!("drg_{}", "é".repeat(21)),
    ] {
        assert_eq!(store.check(wrong), None);
    }
    assert!(store.check(&good).is_some());
}

#[test]
fn the_secret_is_nowhere() {
    let home = Home::new("nowhere");
    let store = home.store();
    let secret = home.says(&["new", "ci"]).trim_end().to_owned();
    let token = store.check(&secret).unwrap();
    let kept = home.kept();
    let hash = kept.split('"').find(|word| word.len() == 64).unwrap();
    let again = trouble(store.create("CI", scopes("act")));
    let shown = [
        format!("{token:?} {store:?} {again:?}"),
        home.says(&["list"]),
        home.says(&["list", "--json"]),
        home.fails(1, &["new", "ci"]),
        home.fails(1, &["revoke", "cj"]),
        home.fails(2, &["revoke", &secret]),
        home.fails(2, &["new", &secret]),
    ];
    for shown in shown {
        assert!(!shown.contains(&secret[4..]), "{shown}");
        assert!(!shown.contains(hash), "{shown}");
    }
    assert!(!kept.contains(&secret[4..]), "{kept}");

    // One that somebody put into the file by hand is not repeated either.
    for damage in [
        kept.replace(hash, &secret),
        kept.replace("\"ci\"", &format!("\"{secret}\"")),
        kept.replace("\"act\"", &format!("\"{secret}\"")),
        kept.replace("\"version\"", &format!("\"{secret}\"")),
        kept.replace("\"version\": 1", &format!("\"version\": \"{secret}\"")),
        secret.clone(),
    ] {
        home.put(&damage);
        let said = home.fails(2, &["list"]);
        assert!(!said.contains(&secret[4..]), "{said}");
        let said = format!("{:?}", store.list().unwrap_err());
        assert!(!said.contains(&secret[4..]), "{said}");
    }
}

#[test]
fn a_damaged_file_is_told_and_admits_nobody() {
    let home = Home::new("damaged");
    let door = home.store();
    let secret = door.create("ci", scopes("act")).unwrap();
    let good = home.kept();
    assert!(door.check(&secret).is_some());
    let twice = {
        let mut file: Value = serde_json::from_str(&good).unwrap();
        let mut second = file["tokens"][0].clone();
        second["name"] = "CI".into();
        file["tokens"].as_array_mut().unwrap().push(second);
        file.to_string()
    };
    for (damage, word) in [
        (String::new(), "damaged"),
        ("{}".into(), "damaged"),
        ("[]".into(), "damaged"),
        (good[..good.len() / 2].into(), "damaged"),
        (format!("{good}x"), "damaged"),
        (good.replace("\"sha256\": \"", "\"sha256\": \"0"), "hash"),
        (good.replace("\"ci\"", "\"a\\u001b[2Jb\""), "name"),
        (good.replace("\"act\"", ""), "scopes"),
        (good.replace("\"act\"", "\"everything\""), "damaged"),
        (
            good.replace("\"name\"", "\"expires\": 1, \"name\""),
            "damaged",
        ),
        (good.replace("\"version\": 1", "\"version\": 2"), "version"),
        (twice, "the name of another"),
        (format!("{good}{}", " ".repeat(1 << 20)), "too large"),
    ] {
        home.put(&damage);
        assert_eq!(door.check(&secret), None, "{word}");
        for arguments in [&["list"][..], &["new", "other"], &["revoke", "ci"]] {
            let said = home.fails(2, arguments);
            assert!(said.contains(word), "{word} in: {said}");
        }
        let kept = std::fs::read(home.file()).unwrap();
        assert!(kept == damage.as_bytes(), "nothing was written: {word}");
    }
    home.put(b"\xff\xfe");
    assert!(home.fails(2, &["list"]).contains("no text"));
    std::fs::remove_file(home.file()).unwrap();
    std::fs::create_dir(home.file()).unwrap();
    assert!(home.fails(2, &["list"]).contains("no file"));
    assert_eq!(door.check(&secret), None);
    std::fs::remove_dir(home.file()).unwrap();

    home.put(&good);
    assert_eq!(door.check(&secret).unwrap().name, "ci", "and it is mended");
}

#[cfg(unix)]
#[test]
fn the_file_is_the_users_alone() {
    use std::os::unix::fs::PermissionsExt;
    let home = Home::new("permissions");
    let door = home.store();
    let secret = door.create("ci", scopes("act")).unwrap();
    let has = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
    let folder = home.file().parent().unwrap().to_owned();
    assert_eq!(has(&folder), 0o700);
    for entry in std::fs::read_dir(&folder).unwrap() {
        assert_eq!(has(&entry.unwrap().path()), 0o600);
    }
    assert!(door.check(&secret).is_some());

    for open in [0o644, 0o640, 0o604, 0o620, 0o602, 0o660, 0o601, 0o777] {
        mode(&home.file(), open);
        assert_eq!(door.check(&secret), None, "{open:o}");
        for arguments in [&["list"][..], &["new", "other"], &["revoke", "ci"]] {
            let said = home.fails(2, arguments);
            assert!(said.contains("chmod 600"), "{said}");
            assert!(said.contains(&format!("{open:04o}")), "{said}");
        }
        mode(&home.file(), 0o600);
        assert!(door.check(&secret).is_some(), "{open:o}");
    }
    let (_, next) = {
        mode(&home.file(), 0o666);
        trouble(home.store().list())
    };
    assert!(
        next.contains("token list"),
        "somebody may have added one: {next}"
    );
}

#[cfg(unix)]
#[test]
fn a_link_stays_a_link() {
    let home = Home::new("link");
    let folder = home.file().parent().unwrap().to_owned();
    std::fs::create_dir_all(&folder).unwrap();
    let real = home.folder.0.join("real.json");
    let first = Store::at(&real).create("one", scopes("act")).unwrap();
    std::os::unix::fs::symlink(&real, home.file()).unwrap();
    let second = home.store().create("two", scopes("act")).unwrap();
    assert!(home.file().symlink_metadata().unwrap().is_symlink());
    for secret in [first, second] {
        assert!(Store::at(&real).check(&secret).is_some());
        assert!(home.store().check(&secret).is_some());
    }
    mode(&real, 0o644);
    assert!(home.fails(2, &["list"]).contains("chmod 600"));
}

#[test]
fn hostile_names_are_refused_and_others_do_no_harm() {
    let home = Home::new("names");
    let longer = "x".repeat(61);
    for bad in [
        "",
        "  ",
        "a\nb",
        "a\x1b[2Jb",
        "a\u{202e}b",
        "a\u{200b}b",
        "\u{3164}",
        "a\"b",
        "a`b",
        &longer,
    ] {
        let said = home.fails(2, &["new", "--", bad]);
        assert!(said.contains("1 to 60"), "{said}");
        assert!(
            !said.contains('\x1b') && !said.contains('\u{202e}'),
            "{said:?}"
        );
        assert!(home.store().create(bad, scopes("act")).is_err(), "{bad:?}");
    }
    assert!(!home.file().exists(), "nothing was written");
    assert!(home.store().create("ci", Scopes::default()).is_err());

    let longest = "é".repeat(60);
    let fine = [
        "../../etc/passwd",
        "--json",
        "$(reboot)",
        "a,b;c&d|e",
        "<b>{}\\",
        &longest,
    ];
    for good in fine {
        home.says(&["new", "--", good]);
        assert!(
            home.fails(1, &["new", "--", &good.to_uppercase()])
                .contains("already")
        );
    }
    assert_eq!(names(&home.store().list().unwrap()), fine);
    let escape = "no\x1b[2J\u{202e}one";
    let said = home.fails(1, &["revoke", escape]);
    assert!(
        !said.contains('\x1b') && !said.contains('\u{202e}'),
        "{said:?}"
    );
    for good in fine {
        home.says(&["revoke", "--", good]);
    }
    assert_eq!(home.store().list().unwrap(), []);
}

#[test]
fn on_the_command_line() {
    let home = Home::new("cli");
    assert!(home.says(&["list"]).contains("token new"));
    assert_eq!(home.says(&["list", "--json"]), "[]\n");

    let made = home.run(&["new", "My laptop"]);
    let (out, said) = (text(&made.stdout), text(&made.stderr));
    let secret = out.strip_suffix('\n').unwrap();
    assert_eq!(secret.len(), 47, "the token and nothing else");
    let token = home.store().check(secret).unwrap();
    assert_eq!(token.scopes, scopes("observe,act"), "unless it is said");
    assert!(said.contains("not shown again"), "{said}");
    assert!(said.contains("token revoke 'My laptop'"), "{said}");
    home.says(&["new", "watcher", "--scope", "observe"]);
    home.says(&["new", "boss", "--scope", "approve, Admin"]);

    let listed = home.says(&["list"]);
    let lines: Vec<&str> = listed.lines().collect();
    assert!(
        lines[0].starts_with("My laptop  observe,act    20"),
        "{listed}"
    );
    assert!(lines[2].contains("approve,admin"), "{listed}");
    let listed: Value = serde_json::from_str(&home.says(&["list", "--json"])).unwrap();
    assert_eq!(listed[1]["name"], "watcher");
    assert_eq!(listed[1]["scopes"], serde_json::json!(["observe"]));
    assert!(listed[1]["created_ms"].is_u64());
    assert_eq!(listed[1].as_object().unwrap().len(), 3, "{listed}");

    let said = home.fails(1, &["revoke", "wacher"]);
    assert!(said.contains("mean `watcher`"), "{said}");
    let said = home.fails(1, &["revoke", "nothing like it"]);
    assert!(said.contains("token list"), "{said}");
    let said = home.fails(2, &["revoke", secret]);
    assert!(said.contains("token revoke 'My laptop'"), "{said}");
    assert!(home.says(&["revoke", "WATCHER"]).contains("Revoked"));
    assert!(home.says(&["revoke", "My laptop"]).contains("Revoked"));
    assert_eq!(home.store().check(secret), None);

    for (wrong, word) in [
        (&["new", "x", "--scope", "acts"][..], "mean act?"),
        (&["new", "x", "--scope", ""], "missing"),
        (&["new"], "NAME"),
        (&["revoke"], "NAME"),
        (&["fly"], "unrecognized"),
    ] {
        let output = home.run(wrong);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(word), "{word} in: {said}");
    }
    assert_eq!(names(&home.store().list().unwrap()), ["boss"]);
}

#[cfg(unix)]
#[test]
fn the_usual_place_is_the_data_folder() {
    let folder = Folder::new("token-usual");
    let run = |tokens: &str| {
        let mut command = dragoman();
        command
            .args(["token", "new", "ci"])
            .env("HOME", &folder.0)
            .env("XDG_DATA_HOME", folder.0.join("data"))
            .env("DRAGOMAN_TOKENS", tokens);
        command.current_dir(&folder.0).output().unwrap()
    };
    assert!(run("").status.success(), "empty does not count");
    let base = match cfg!(target_os = "macos") {
        true => folder.0.join("Library/Application Support"),
        false => folder.0.join("data"),
    };
    assert!(base.join("dragoman/tokens.json").is_file());
    assert!(run("mine.json").status.success());
    assert!(folder.0.join("mine.json").is_file());

    let mut nowhere = dragoman();
    nowhere.args(["token", "list"]).env_remove("HOME");
    nowhere
        .env_remove("XDG_DATA_HOME")
        .env_remove("DRAGOMAN_TOKENS");
    let said = failed(1, &nowhere.output().unwrap());
    assert!(said.contains("DRAGOMAN_TOKENS"), "{said}");
}

/// A token that nobody received is no token.
#[cfg(target_os = "linux")]
#[test]
fn a_token_that_cannot_be_printed_is_revoked() {
    let home = Home::new("unprinted");
    let full = std::fs::File::options().write(true).open("/dev/full");
    let mut command = home.command(&["new", "ci"]);
    let output = command.stdout(full.unwrap()).output().unwrap();
    assert!(failed(1, &output).contains("revoked again"));
    assert_eq!(home.store().list().unwrap(), []);
}

#[test]
fn eight_at_once_lose_nothing() {
    let home = Home::new("at-once-8");
    let ended = home.store().create("ended", scopes("act")).unwrap();
    let mut children = Vec::new();
    for number in 0..8 {
        let mut command = home.command(&["new", &format!("token {number}")]);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        children.push(command.spawn().unwrap());
    }
    // One that is revoked meanwhile does not come back.
    assert!(home.store().revoke("ended").unwrap());
    let store = home.store();
    for (number, child) in children.into_iter().enumerate() {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", text(&output.stderr));
        let secret = text(&output.stdout);
        let token = store.check(secret.trim_end()).unwrap();
        assert_eq!(token.name, format!("token {number}"));
    }
    assert_eq!(store.list().unwrap().len(), 8);
    assert_eq!(store.check(&ended), None);
    let files = std::fs::read_dir(home.file().parent().unwrap()).unwrap();
    assert_eq!(
        files.count(),
        2,
        "the file and its lock, and nothing half done"
    );
}

/// Of several that want the same name, one has it.
#[test]
fn one_name_is_given_once() {
    let home = Home::new("same-name");
    let children: Vec<_> = (0..8)
        .map(|_| {
            let mut command = home.command(&["new", "ci"]);
            command.stdout(Stdio::piped()).stderr(Stdio::piped());
            command.spawn().unwrap()
        })
        .collect();
    let ends = children.into_iter().map(|c| c.wait_with_output().unwrap());
    let made = ends.filter(|output| output.status.success()).count();
    assert_eq!(made, 1);
    assert_eq!(names(&home.store().list().unwrap()), ["ci"]);
}
