//! A person at the terminal, and a shell that wants the answer.

use crate::support::terminal::Terminal;
use crate::support::{Folder, dragoman};
use std::io::Write;
use std::process::Stdio;

const SHELL: &str = "/bin/sh";

/// In a shell that tells what came of it.
fn ask(arguments: &str, rows: u16, cols: u16) -> Terminal {
    let program = env!("CARGO_BIN_EXE_dragoman");
    let line =
        format!("x=$({program} prompt {arguments}); echo \"code $?, answer <$x>\"; read wait");
    Terminal::with(SHELL, &["-c", &line], &[("SHELL", SHELL)], rows, cols)
}

/// A picture may come in several pieces: until all of it is there.
#[track_caller]
fn check(terminal: &mut Terminal, want: &[&str]) {
    let picture = want.join("\n");
    terminal.until(&picture, |screen| {
        let rows = screen.rows(0, screen.size().1.get());
        let rows: Vec<String> = rows.map(|row| row.trim_end().to_owned()).collect();
        rows == want
    });
}

#[test]
fn typing_filtering_choosing() {
    let mut terminal = ask("arg 'Pick a fruit' apple banana pineapple", 7, 40);
    terminal.until_shown("Esc cancel");
    check(
        &mut terminal,
        &[
            "❯ Pick a fruit                       3/3",
            "────────────────────────────────────────",
            "▸ apple",
            "  banana",
            "  pineapple",
            "",
            "Enter submit  Esc cancel",
        ],
    );
    assert!(terminal.screen.screen().alternate_screen());
    terminal.press("an");
    terminal.until_shown("1/3");
    check(
        &mut terminal,
        &[
            "❯ an                                 1/3",
            "────────────────────────────────────────",
            "▸ banana",
            "",
            "",
            "",
            "Enter submit  Esc cancel",
        ],
    );
    // The caret is behind what was typed; letters that fit stand out.
    terminal.until("caret", |screen| screen.cursor_position() == (0, 4));
    let underlined = |col| {
        terminal
            .screen
            .screen()
            .cell(2, col)
            .is_some_and(|cell| cell.underline())
    };
    let standing_out = (0..40).filter(|col| underlined(*col)).count();
    assert!(standing_out == 2 && !underlined(2), "{standing_out}");
    terminal.press("\r");
    terminal.until_shown("code 0, answer <banana>");
    assert!(!terminal.screen.screen().alternate_screen());
}

#[test]
fn what_fits_nothing_is_the_answer_unless_only_a_choice_will_do() {
    let mut free = ask("arg Pick apple", 7, 40);
    free.until_shown("1/1");
    free.press("kiwi\r");
    free.until_shown("code 0, answer <kiwi>");
    let mut strict = ask("arg Pick apple --strict", 7, 40);
    strict.until_shown("1/1");
    strict.press("kiwi\r");
    strict.until_shown("code 1, answer <>");
}

#[test]
fn cancelling() {
    for key in ["\x1b", "\x03"] {
        let mut terminal = ask("arg Pick apple", 7, 40);
        terminal.until_shown("1/1");
        terminal.press(key);
        terminal.until_shown("code 130, answer <>");
        assert!(!terminal.screen.screen().alternate_screen());
    }
}

#[test]
fn the_screen_grows_and_shrinks() {
    let mut terminal = ask("arg Pick one two three four five six seven", 7, 40);
    terminal.until_shown("7/7");
    terminal.press("\x1b[B\x1b[B\x1b[B\x1b[B\x1b[B");
    terminal.until_shown("▸ six");
    terminal.resize(5, 24);
    terminal.until("the foot at the new end", |screen| {
        let rows: Vec<String> = screen.rows(0, 24).collect();
        rows.len() == 5 && rows[4].contains("Esc") && rows[0].contains("7/7")
    });
    let text = terminal.text();
    assert!(text.contains("▸ six") && !text.contains("one"), "{text}");
    terminal.resize(12, 60);
    terminal.until("the foot at the end again", |screen| {
        let rows: Vec<String> = screen.rows(0, 60).collect();
        rows.len() == 12 && rows[11].contains("Esc") && rows[2].contains("one")
    });
    terminal.press("\r");
    terminal.until_shown("answer <six>");
}

#[test]
fn no_key_is_lost_while_the_screen_changes_its_size() {
    let mut terminal = ask("arg Name", 8, 60);
    terminal.until_shown("Esc cancel");
    let mut typed = String::new();
    for count in 0..200_u16 {
        terminal.resize(8, 60 + count % 2);
        let key = char::from(b'a' + u8::try_from(count % 26).unwrap());
        terminal.press(&key.to_string());
        typed.push(key);
        // Only the end of a long line is seen.
        let end = &typed[typed.len().saturating_sub(20)..];
        terminal.until_shown(end);
    }
}

#[test]
fn the_mouse() {
    let mut terminal = ask("arg Pick one two three", 7, 40);
    terminal.until_shown("3/3");
    let press = |row: u16| format!("\x1b[<0;5;{row}M\x1b[<0;5;{row}m");
    terminal.press(&press(4));
    terminal.until_shown("▸ two");
    terminal.press(&format!("{0}{0}", press(5)));
    terminal.until_shown("answer <three>");
}

#[test]
fn choices_on_standard_input() {
    let folder = Folder::new("prompt-stdin");
    let list = folder.path("list");
    let lines = "plain\n{\"name\":\"日本\",\"value\":\"jp\",\"group\":\"Asia\",\"preview\":\"# Tokyo\"}\n{broken\n";
    std::fs::write(&list, lines).unwrap();
    let mut terminal = ask(&format!("select 'Which ones?' < {list}"), 7, 64);
    terminal.until_shown("Tab marks");
    check(
        &mut terminal,
        &[
            "❯ Which ones?                                                3/3",
            "────────────────────────────────────────────────────────────────",
            "○ plain",
            "○ 日本                                                      Asia",
            "○ {broken",
            "",
            "Enter submit  Esc cancel                               Tab marks",
        ],
    );
    terminal.press("\t");
    terminal.until_shown("│ Tokyo");
    terminal.press("\t\r");
    terminal.until_shown("code 0, answer <plain");
    assert!(terminal.text().contains("jp>"), "{}", terminal.text());
}

/// With choices that come from us.
fn ask_from(folder: &Folder, arguments: &str) -> (Terminal, std::fs::File) {
    let fifo = folder.path("fifo");
    let made = std::process::Command::new("mkfifo").arg(&fifo).status();
    assert!(made.unwrap().success());
    let terminal = ask(&format!("{arguments} < {fifo}"), 7, 60);
    let writer = std::fs::OpenOptions::new().write(true).open(&fifo);
    (terminal, writer.unwrap())
}

#[test]
fn choices_are_shown_as_they_come() {
    let folder = Folder::new("prompt-come");
    let (mut terminal, mut writer) = ask_from(&folder, "arg Pick --strict");
    check(
        &mut terminal,
        &[
            "❯ Pick",
            "────────────────────────────────────────────────────────────",
            "",
            "",
            "",
            "",
            "Enter submit  Esc cancel                            reading…",
        ],
    );
    writer.write_all(b"apple\nche").unwrap();
    terminal.until_shown("1/1");
    terminal.press("a");
    terminal.until_shown("❯ a");
    // Half a line is no choice yet.
    assert!(!terminal.text().contains("che"), "{}", terminal.text());
    terminal.press("n\r");
    terminal.until_shown("Still reading");
    writer.write_all(b"rry\nbanana\ncranberry\n").unwrap();
    terminal.until_shown("2/4");
    terminal.press("\x1b[B");
    terminal.until_shown("▸ cranberry");
    writer.write_all(b"an\n").unwrap();
    terminal.until_shown("3/5");
    assert!(
        terminal.text().contains("▸ cranberry"),
        "{}",
        terminal.text()
    );
    drop(writer);
    terminal.press("\x7f");
    terminal.until("the end of the reading", |screen| {
        !screen.contents().contains("read")
    });
    terminal.press("nb\r");
    terminal.until_shown("code 0, answer <cranberry>");
}

#[test]
fn nobody_has_to_end_what_is_read() {
    let folder = Folder::new("prompt-open");
    let (mut terminal, mut writer) = ask_from(&folder, "arg Pick");
    writer.write_all(b"apple\n").unwrap();
    terminal.until_shown("1/1");
    terminal.press("\r");
    terminal.until_shown("code 0, answer <apple>");
}

#[test]
fn other_kinds() {
    let mut confirm = ask("confirm 'Delete it?'", 7, 40);
    confirm.until_shown("No");
    confirm.press("n");
    confirm.until_shown("code 1, answer <false>");
    let mut fields = ask("fields 'Who are you?' Name E-mail", 7, 40);
    fields.until_shown("E-mail");
    fields.press("Ada\tada@x.example");
    fields.until_shown("ada@x.example");
    fields.press("\r");
    fields.until_shown("answer <Ada");
    let mut editor = ask("editor Note 'one'", 7, 40);
    editor.until_shown("Ctrl+S submit");
    editor.press("\x1b[200~zero\r\n\x1b[201~\x13");
    editor.until_shown("answer <zero");
    let mut secret = ask("env Token TOKEN --secret", 7, 40);
    secret.until_shown("TOKEN");
    secret.press("s3cret");
    secret.until_shown("••••••");
    assert!(!secret.text().contains("s3"), "{}", secret.text());
    secret.press("\r");
    secret.until_shown("answer <s3cret>");
    let mut hotkey = ask("hotkey", 7, 100);
    hotkey.until_shown("Press a key combination");
    hotkey.press("\x1bp");
    hotkey.until_shown(r#""shortcut":"alt+p""#);
}

#[test]
fn a_path_is_walked_to() {
    let folder = Folder::new("prompt-path");
    std::fs::create_dir(folder.0.join("sub")).unwrap();
    std::fs::write(folder.0.join("sub/note.txt"), "").unwrap();
    std::fs::write(folder.0.join("a.txt"), "").unwrap();
    let mut terminal = ask(&format!("path Where {}", folder.0.display()), 9, 100);
    terminal.until_shown("a.txt");
    assert!(terminal.text().contains("▸ sub/"), "{}", terminal.text());
    terminal.press("\x1b[C");
    terminal.until_shown("▸ note.txt");
    terminal.press("\r");
    terminal.until_shown(&format!("answer <{}/sub/note.txt>", folder.0.display()));
}

#[test]
fn a_terminal_in_the_terminal() {
    let mut terminal = ask("term Run 'read line; echo \"heard $line\"'", 8, 50);
    terminal.until_shown("Ctrl+] end");
    terminal.press("hello\r");
    terminal.until_shown("answer <hello");
    assert!(
        terminal.text().contains("heard hello>"),
        "{}",
        terminal.text()
    );
}

#[test]
fn a_terminal_is_left_by_its_key() {
    let mut terminal = ask("term Run 'echo ready; exec cat'", 8, 50);
    terminal.until_shown("ready");
    terminal.press("\x1d");
    terminal.until_shown("code 130, answer <>");
}

#[test]
fn without_a_terminal() {
    let filtered = |text: &str| {
        let mut child = dragoman()
            .args(["prompt", "arg", "--filter", text])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        child
            .stdin
            .take()
            .unwrap()
            .write_all(b"banana\napple\n")
            .unwrap();
        let out = child.wait_with_output().unwrap();
        (out.status.code(), String::from_utf8(out.stdout).unwrap())
    };
    assert_eq!(filtered("ap"), (Some(0), "apple\n".into()));
    assert_eq!(filtered("zz"), (Some(1), String::new()));
    let check = |arguments: &[&str], words: &str| {
        let out = dragoman()
            .args(arguments)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let told = String::from_utf8_lossy(&out.stderr).into_owned();
        assert_eq!(out.status.code(), Some(2), "{told}");
        assert!(told.contains(words), "{told}");
    };
    check(
        &["prompt", "arg", "x", "a", "--headless"],
        "nobody could answer",
    );
    check(&["prompt", "fields"], "needs fields");
    check(&["prompt", "dance"], "possible values");
    check(
        &["prompt", "arg", "--agent", "pigeon"],
        "stdio, unix:PATH, ws or ws:PORT",
    );
    check(
        &["script", "/nowhere", "--headless", "--agent", "stdio"],
        "is no file",
    );
    check(&["pipe", "--ask", "{}"], "--ask");
}
