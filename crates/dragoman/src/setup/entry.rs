//! One server among others, in the two formats that clients use.

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstRootNode};
use toml_edit::{Array, DocumentMut, Item, Table, value};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// With comments, as far as a client allows them.
    Json {
        list: &'static str,
        /// What some want to be told of every server.
        kind: Option<&'static str>,
    },
    Toml {
        list: &'static str,
    },
}

/// What a client has to start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub name: String,
    pub command: String,
    pub args: Vec<String>,
}

/// A file before and after.
#[derive(Debug, PartialEq, Eq)]
pub enum Change {
    Same,
    Added(String),
    /// There was one of this name.
    Replaced(String),
}

impl Entry {
    /// The entry alone, as it would stand in a file of its own.
    pub fn alone(&self, format: Format) -> String {
        match self.put_into("", format) {
            Ok(Change::Added(text)) => text,
            _ => String::new(),
        }
    }

    /// The file with this entry in it; an error says what is wrong with the file.
    pub fn put_into(&self, file: &str, format: Format) -> Result<Change, String> {
        match format {
            Format::Json { list, kind } => self.put_into_json(file, list, kind),
            Format::Toml { list } => self.put_into_toml(file, list),
        }
    }

    fn put_into_json(&self, file: &str, list: &str, kind: Option<&str>) -> Result<Change, String> {
        let empty = file.trim().is_empty();
        let text = if empty { "{}\n" } else { file };
        let root = CstRootNode::parse(text, &ParseOptions::default())
            .map_err(|error| format!("it is not JSON: {error}"))?;
        let top = root
            .object_value()
            .ok_or_else(|| "it is JSON, but no object".to_owned())?;
        let servers = top
            .object_value_or_create(list)
            .ok_or_else(|| format!("its {list:?} is no object"))?;
        let entry = self.as_json(kind);
        let had = servers.get(&self.name);
        match &had {
            Some(had) => had.set_value(entry),
            None => drop(servers.append(&self.name, entry)),
        }
        Ok(changed(file, root.to_string(), had.is_some()))
    }

    fn as_json(&self, kind: Option<&str>) -> CstInputValue {
        let text = |text: &str| CstInputValue::String(text.to_owned());
        let args = self.args.iter().map(|arg| text(arg)).collect();
        let kind = kind.map(|kind| ("type".to_owned(), text(kind)));
        let rest = [
            ("command".to_owned(), text(&self.command)),
            ("args".to_owned(), CstInputValue::Array(args)),
        ];
        CstInputValue::Object(kind.into_iter().chain(rest).collect())
    }

    fn put_into_toml(&self, file: &str, list: &str) -> Result<Change, String> {
        let mut document: DocumentMut = file
            .parse()
            .map_err(|error| format!("it is not TOML: {error}"))?;
        let servers = document.entry(list).or_insert_with(|| {
            let mut table = Table::new();
            table.set_implicit(true);
            Item::Table(table)
        });
        let servers = servers
            .as_table_like_mut()
            .ok_or_else(|| format!("its {list} is no table"))?;
        let had = servers.contains_key(&self.name);
        let entry = servers
            .entry(&self.name)
            .or_insert_with(|| Item::Table(Table::new()));
        let entry = entry
            .as_table_like_mut()
            .ok_or_else(|| format!("its {list}.{} is no table", self.name))?;
        entry.insert("command", value(&self.command));
        entry.insert("args", value(self.args.iter().collect::<Array>()));
        Ok(changed(file, document.to_string(), had))
    }
}

fn changed(before: &str, after: String, had: bool) -> Change {
    match had {
        _ if before == after => Change::Same,
        true => Change::Replaced(after),
        false => Change::Added(after),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const JSON: Format = Format::Json {
        list: "mcpServers",
        kind: None,
    };
    const TOML: Format = Format::Toml {
        list: "mcp_servers",
    };

    fn entry() -> Entry {
        Entry {
            name: "dragoman".into(),
            command: "/bin/dragoman".into(),
            args: vec!["mcp".into(), "--caps".into(), "vision".into()],
        }
    }

    fn put(file: &str, format: Format) -> Change {
        entry().put_into(file, format).expect("a good file")
    }

    #[test]
    fn all_else_in_a_json_file_stays() {
        let file = "{\n  // mine\n  \"theme\": \"dark\", /* really */\n  \"mcpServers\": {\n    \"other\": { \"command\": \"x\" } // keep\n  },\n}\n";
        let Change::Added(after) = put(file, JSON) else {
            panic!("it was not there");
        };
        for kept in [
            "// mine",
            "/* really */",
            "\"other\": { \"command\": \"x\" }",
            "// keep",
        ] {
            assert!(after.contains(kept), "{after}");
        }
        assert!(after.contains("\"command\": \"/bin/dragoman\""), "{after}");
        assert_eq!(put(&after, JSON), Change::Same);
    }

    #[test]
    fn an_older_entry_is_replaced() {
        let file =
            "{\"mcpServers\": {\"dragoman\": {\"command\": \"old\", \"env\": {}}, \"z\": 1}}";
        let Change::Replaced(after) = put(file, JSON) else {
            panic!("it was there");
        };
        assert!(
            !after.contains("old") && after.contains("\"z\": 1"),
            "{after}"
        );
    }

    #[test]
    fn a_new_file() {
        for format in [JSON, TOML] {
            let Change::Added(made) = put("", format) else {
                panic!("nothing was there");
            };
            assert_eq!(made, entry().alone(format));
            assert_eq!(put(&made, format), Change::Same);
        }
        let typed = Format::Json {
            list: "servers",
            kind: Some("stdio"),
        };
        let read: serde_json::Value =
            serde_json::from_str(&entry().alone(typed)).expect("plain JSON");
        assert_eq!(
            read,
            serde_json::json!({"servers": {"dragoman": {
                "type": "stdio", "command": "/bin/dragoman", "args": ["mcp", "--caps", "vision"],
            }}})
        );
    }

    #[test]
    fn all_else_in_a_toml_file_stays() {
        let file = "# mine\nmodel = \"o3\" # best\n\n[mcp_servers.other]\ncommand = \"x\"\n\n[mcp_servers.dragoman]\n# slow\nstartup_timeout_sec = 20\ncommand = \"old\"\n";
        let Change::Replaced(after) = put(file, TOML) else {
            panic!("it was there");
        };
        for kept in [
            "# mine",
            "# best",
            "[mcp_servers.other]",
            "# slow",
            "startup_timeout_sec = 20",
        ] {
            assert!(after.contains(kept), "{after}");
        }
        assert!(
            after.contains("command = \"/bin/dragoman\"") && !after.contains("old"),
            "{after}"
        );
        let Change::Added(after) = put("model = \"o3\"\n", TOML) else {
            panic!("it was not there");
        };
        assert!(
            after.contains("[mcp_servers.dragoman]") && !after.contains("[mcp_servers]"),
            "{after}"
        );
    }

    #[test]
    fn a_file_that_is_not_understood_is_left_alone() {
        for (file, format) in [
            ("{", JSON),
            ("[]", JSON),
            ("{\"mcpServers\": []}", JSON),
            ("= 1", TOML),
            ("mcp_servers = 1", TOML),
            ("[mcp_servers]\ndragoman = 1", TOML),
        ] {
            assert!(entry().put_into(file, format).is_err(), "{file}");
        }
    }
}
