//! What the list of tools costs a model that is shown it.

use crate::client::{VERSION, hello};
use crate::support::dragoman;
use serde::Serialize;
use serde_json::ser::{Formatter, Serializer};
use serde_json::{Value, json};
use std::io::{self, Write};
use std::process::Stdio;

const MOST: usize = 3_000;

/// The line that lists the tools, as it is sent.
fn listed() -> String {
    let mut child = dragoman()
        .args(["mcp", "--journal", ":memory:"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    for message in [
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello(VERSION)}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {}}),
    ] {
        writeln!(stdin, "{message}").unwrap();
    }
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    said.lines().last().unwrap().to_owned()
}

#[test]
fn the_default_list_is_short() {
    let line = listed();
    let sent: Value = serde_json::from_str(&line).unwrap();
    let tools = &sent["result"]["tools"];
    assert!(tools.as_array().unwrap().len() > 20, "{line}");
    let tokens = |text: &str| bpe_openai::o200k_base().count(text);
    for (how, text) in [("as sent", line), ("written wide", wide(tools))] {
        let count = tokens(&text);
        println!("{how}: {count} tokens in {} bytes", text.len());
        assert!(count <= MOST, "{how}: {count} tokens");
    }
}

/// As many clients hand it on: with spaces, and nothing but ASCII.
fn wide(value: &Value) -> String {
    let mut out = Vec::new();
    let mut serializer = Serializer::with_formatter(&mut out, Wide);
    value.serialize(&mut serializer).unwrap();
    String::from_utf8(out).unwrap()
}

struct Wide;

fn comma<W: ?Sized + Write>(out: &mut W, first: bool) -> io::Result<()> {
    if first {
        return Ok(());
    }
    out.write_all(b", ")
}

impl Formatter for Wide {
    fn begin_array_value<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        comma(out, first)
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        comma(out, first)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        out.write_all(b": ")
    }

    fn write_string_fragment<W: ?Sized + Write>(
        &mut self,
        out: &mut W,
        text: &str,
    ) -> io::Result<()> {
        for c in text.chars() {
            match c.is_ascii() {
                true => write!(out, "{c}")?,
                false => {
                    for unit in c.encode_utf16(&mut [0; 2]) {
                        write!(out, "\\u{unit:04x}")?;
                    }
                }
            }
        }
        Ok(())
    }
}
