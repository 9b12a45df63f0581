//! However it ends, the terminal is usable afterwards.

use crate::support::terminal::Terminal;
use rustix::process::{Pid, Signal, kill_process};

/// A shell in which a prompt is shown.
fn prompt() -> (Terminal, Pid) {
    let mut terminal = Terminal::with(
        "/bin/sh",
        &["-i"],
        &[("PS1", "ready> "), ("ENV", "")],
        12,
        70,
    );
    terminal.until_shown("ready>");
    let program = env!("CARGO_BIN_EXE_dragoman");
    terminal.press(&format!("{program} prompt arg Pick apple banana\n"));
    terminal.until("the prompt", |screen| {
        screen.alternate_screen() && screen.contents().contains("2/2")
    });
    let shell = terminal.child.process_id().unwrap();
    let children = std::fs::read_to_string(format!("/proc/{shell}/task/{shell}/children")).unwrap();
    let is_ours = |pid: &&str| {
        let typed = std::fs::read_to_string(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        typed.starts_with(program)
    };
    let pid = children.split_whitespace().find(is_ours).unwrap();
    let pid = Pid::from_raw(pid.parse().unwrap()).unwrap();
    (terminal, pid)
}

#[track_caller]
fn check_usable(terminal: &mut Terminal) {
    terminal.until("the old screen, with nothing of ours left", |screen| {
        !screen.alternate_screen()
            && screen.mouse_protocol_mode() == vt100::MouseProtocolMode::None
            && !screen.hide_cursor()
    });
    // What is typed is echoed, lines are lines, and Ctrl+C is a signal.
    terminal.press("clear; stty -a | tr ';' '\\n' | grep -wo -e '-\\?icanon' -e '-\\?echo' -e '-\\?isig' -e '-\\?opost'\n");
    terminal.until_shown("echo");
    let words = ["isig", "icanon", "echo", "opost"];
    terminal.until("all four modes", |screen| {
        let rows: Vec<String> = screen
            .rows(0, 70)
            .map(|row| row.trim().to_owned())
            .collect();
        words.iter().all(|word| rows.iter().any(|row| row == word))
    });
    terminal.press("echo $((6 * 7))\n");
    terminal.until_shown("42");
}

#[test]
fn kill_9() {
    let (mut terminal, pid) = prompt();
    kill_process(pid, Signal::KILL).unwrap();
    check_usable(&mut terminal);
}

#[test]
fn terminated() {
    for signal in [Signal::TERM, Signal::INT, Signal::HUP] {
        let (mut terminal, pid) = prompt();
        kill_process(pid, signal).unwrap();
        // It reads the keys to its end: nothing is typed before the shell is back.
        terminal.until("the shell", |screen| {
            screen.contents().matches("ready>").count() == 2
        });
        check_usable(&mut terminal);
    }
}
