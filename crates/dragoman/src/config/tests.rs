//! The sources against each other, without a process of its own.

use super::*;
use dragoman_model::Approval;
use std::path::PathBuf;

/// A folder with a user's file, a project's file and a working directory below it.
struct World {
    folder: PathBuf,
    around: Surroundings,
}

impl World {
    fn new(name: &str) -> Self {
        let name = format!("dragoman-config-{name}-{}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(folder.join("project/below")).unwrap();
        let mut around = Surroundings {
            folder: Some(folder.join("project/below")),
            ..Surroundings::default()
        };
        let user = folder.join("user.toml");
        std::fs::write(&user, "").unwrap();
        around.variables.insert(VARIABLE.into(), user.into());
        Self { folder, around }
    }

    fn user(self, text: &str) -> Self {
        std::fs::write(self.folder.join("user.toml"), text).unwrap();
        self
    }

    fn project(self, text: &str) -> Self {
        std::fs::write(self.folder.join("project").join(NAME), text).unwrap();
        self
    }

    fn variable(mut self, name: &str, value: &str) -> Self {
        self.around.variables.insert(name.into(), value.into());
        self
    }

    fn load(&self) -> Config {
        self.load_with(&Flags::default())
    }

    fn load_with(&self, flags: &Flags) -> Config {
        Config::load_in(&self.around, flags).unwrap_or_else(|trouble| panic!("{}", trouble.what))
    }

    fn fails(&self) -> (String, String) {
        let trouble = Config::load_in(&self.around, &Flags::default()).unwrap_err();
        assert_eq!(trouble.code, Trouble::USAGE, "{}", trouble.what);
        (trouble.what, trouble.next)
    }
}

impl Drop for World {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

#[test]
fn later_sources_win() {
    let world = World::new("order");
    let from = |world: &World, flags: &Flags| {
        let setting = world.load_with(flags).browser.viewport;
        let from = setting.from.to_string();
        let file = from.rsplit('/').next().unwrap_or_default().to_owned();
        (setting.value, file)
    };
    let mut flags = Flags::default();
    let check = |world: &World, flags: &Flags, width: u32, source: &str| {
        assert_eq!(from(world, flags), (Viewport(width, 9), source.into()));
    };
    assert_eq!(
        from(&world, &flags),
        (Viewport(1280, 720), "default".into())
    );
    let world = world.user("\n[browser]\nviewport = \"1x9\"");
    check(&world, &flags, 1, "user.toml:3");
    let world = world.project("browser.viewport = \"2x9\"");
    check(&world, &flags, 2, "dragoman.toml:1");
    let world = world.variable("DRAGOMAN_VIEWPORT", "");
    check(&world, &flags, 2, "dragoman.toml:1");
    let world = world.variable("DRAGOMAN_VIEWPORT", "3x9");
    check(&world, &flags, 3, "$DRAGOMAN_VIEWPORT");
    flags.browser.viewport = Some(Viewport(4, 9));
    check(&world, &flags, 4, "--viewport");
}

#[test]
fn every_key_can_be_set_in_a_file_and_in_a_variable() {
    let world = World::new("all").user(
        "[browser]\npath = \"/b\"\nheaded = true\nprofile = \"/p\"\nviewport = \"1x2\"\n\
         [journal]\npath = \":memory:\"\n\
         [policy]\napprove = \"all\"\nauto = true\nauto_origins = [\"c.test\"]\nallow_origins = [\"a.test\"]\nblock_origins = [\"b.test\"]\n\
         max_tabs = 7\n[mcp]\ncaps = [\"vision\"]\noutput_budget = 500\nsave_dir = \"/s\"\n\
         secrets = \"/s.toml\"\n[command]\nmax_tabs = 32\nredact = false\n",
    );
    let in_file = world.load();
    assert!(in_file.rows().iter().all(|row| row.from.kind() == "user"));
    let mut world = World::new("all-variables");
    for row in in_file.rows() {
        let text = match &row.value {
            serde_json::Value::String(text) => text.clone(),
            serde_json::Value::Array(list) => list[0].as_str().unwrap().to_owned(),
            other => other.to_string(),
        };
        world = world.variable(row.key.env, &text);
    }
    let in_variables = world.load();
    for (one, other) in in_file.rows().iter().zip(in_variables.rows()) {
        assert_eq!(one.value, other.value, "{}", one.key.name);
        assert_eq!(other.from.to_string(), format!("${}", other.key.env));
    }
}

#[test]
fn the_table_is_sound() {
    let mut seen = std::collections::BTreeSet::new();
    for key in KEYS {
        assert!(
            seen.insert(key.name) && seen.insert(key.env),
            "{}",
            key.name
        );
        assert!(key.doc.ends_with('.'), "{}", key.name);
        assert!(key.env.starts_with("DRAGOMAN_"), "{}", key.name);
        assert!(key.name.starts_with(key.section), "{}", key.name);
    }
    assert_eq!(Config::default().rows().len(), KEYS.len());
}

#[test]
fn a_policy_is_given_only_when_something_was_said() {
    let world = World::new("given").user("[browser]\nheaded = true");
    assert_eq!(world.load().given_policy(), None);
    let given = world
        .variable("DRAGOMAN_BLOCK_ORIGINS", "a.test, *.b.test")
        .load();
    let policy = given.given_policy().unwrap();
    assert_eq!(policy.approval, Approval::None);
    assert_eq!(policy.max_tabs, dragoman_model::Policy::default().max_tabs);
    assert!(!policy.origins.permits("https://x.b.test/"));
    let mut flags = Flags::default();
    flags.policy.approve = Some(Approval::None);
    let world = World::new("given-flag");
    assert!(world.load_with(&flags).given_policy().is_some());
    // What is allowed ahead is part of it, and a project cannot allow anything.
    let ahead = World::new("given-auto").user("[policy]\nauto_origins = [\"a.test\"]");
    let config = ahead.load();
    assert!(
        config
            .notes
            .iter()
            .any(|note| note.contains("set `approve`"))
    );
    assert!(config.given_policy().unwrap().trusts("https://a.test/x"));
    let refused = World::new("given-auto-project").project("[policy]\nauto = true");
    assert!(refused.fails().0.contains("auto"));
    // What is said about the other language's tabs is nothing about the policy.
    let world = world.user("[command]\nmax_tabs = 2");
    assert_eq!(world.load().given_policy(), None);
}

#[test]
fn wrong_files_are_explained_with_a_place() {
    for (text, place, what, next) in [
        (
            "[browser]\nhedaed = true",
            ":2:1:",
            "`browser.hedaed`",
            "`browser.headed`",
        ),
        (
            "[brwser]\nheaded = true",
            ":1:2:",
            "section `brwser`",
            "`[browser]`",
        ),
        (
            "[browser]\n  max_tabs = 3",
            ":2:3:",
            "`browser.max_tabs`",
            "`policy.max_tabs`",
        ),
        (
            "aprove = \"all\"",
            ":1:1:",
            "key `aprove`",
            "`policy.approve`",
        ),
        (
            "[zzzzzzzzzzzz]",
            ":1:2:",
            "section `zzzzzzzzzzzz`",
            "lists all",
        ),
        (
            "[browser]\nheaded = \"yes\"",
            ":2:10:",
            "true or false, not the text \"yes\"",
            "",
        ),
        (
            "[browser]\npath = 3",
            ":2:8:",
            "a path, not the number 3",
            "",
        ),
        (
            "[browser]\npath = \"\"",
            ":2:8:",
            "a path, not the text \"\"",
            "",
        ),
        ("[browser]\npath = \"a\\u0000b\"", ":2:8:", "a path", ""),
        (
            "[browser]\nviewport = \"wide\"",
            ":2:12:",
            "WIDTHxHEIGHT",
            "",
        ),
        ("[browser.path]\nx = 1", ":1:10:", "not a section", ""),
        (
            "browser = 1",
            ":1:1:",
            "`browser` is a section, not the number 1",
            "[browser]",
        ),
        ("[[policy]]", ":1:3:", "a section, not a list of tables", ""),
        (
            "[policy]\nmax_tabs = 0",
            ":2:12:",
            "from 1 to 1000, not the number 0",
            "",
        ),
        (
            "[policy]\nmax_tabs = 9999999999",
            ":2:12:",
            "from 1 to 1000",
            "",
        ),
        (
            "[policy]\nmax_tabs = 2.5",
            ":2:12:",
            "not the number 2.5",
            "",
        ),
        ("[command]\nmax_tabs = 33", ":2:12:", "from 1 to 32", ""),
        (
            "[policy]\napprove = \"some\"",
            ":2:11:",
            "`none`, `writes` or `all`",
            "",
        ),
        (
            "[policy]\nallow_origins = \"a.test\"",
            ":2:17:",
            "a list",
            "",
        ),
        (
            "[policy]\nallow_origins = [\"a.test\",\n 1979-05-27]",
            ":3:2:",
            "a date",
            "",
        ),
        (
            "[policy]\nblock_origins = [\"https://a.test/x\"]",
            ":2:18:",
            "without a path",
            "",
        ),
        ("[tools]\n\"ä\" = 1", ":2:7:", "not the number 1", ""),
        (
            "[tools]\na.b = \"https://x\"",
            ":2:1:",
            "a name and an address",
            "quotes",
        ),
        (
            "[tools]\nA = \"https://x\"\na = \"https://x\"",
            ":3:1:",
            "in line 2 already",
            "",
        ),
        (
            "[tools]\nA = \"ftp://x\"",
            ":2:1:",
            "http:// or https://",
            "",
        ),
        (
            "[browser]\nheaded = true\nheaded = true",
            ":3:1:",
            "duplicate",
            "",
        ),
        ("[browser\n", ":1:", "", "TOML"),
        ("a = \"\0\"", ":1:", "", "TOML"),
    ] {
        let world = World::new("wrong").user(text);
        let (said, advice) = world.fails();
        assert!(
            said.contains(&format!("user.toml{place}")),
            "{text}: {said}"
        );
        assert!(said.contains(what), "{text}: {said}");
        assert!(
            advice.contains(next) && !advice.is_empty(),
            "{text}: {advice}"
        );
    }
}

#[test]
fn wrong_variables_are_explained() {
    let world = World::new("variable").variable("DRAGOMAN_MAX_TABS", "many");
    let (what, next) = world.fails();
    assert_eq!(
        what,
        "$DRAGOMAN_MAX_TABS is a number from 1 to 1000, not \"many\""
    );
    assert!(next.contains("unset DRAGOMAN_MAX_TABS"), "{next}");
    let world = World::new("misspelt")
        .variable("DRAGOMAN_ALLOW_ORIGIN", "a.test")
        .variable("DRAGOMAN_LOG", "debug")
        .variable("DRAGOMAN_BIN", "x");
    assert_eq!(
        world.load().notes,
        ["$DRAGOMAN_ALLOW_ORIGIN is no setting; did you mean $DRAGOMAN_ALLOW_ORIGINS?"]
    );
}

#[test]
fn paths_are_relative_to_their_file() {
    let world =
        World::new("paths").user("[browser]\nprofile = \"profiles/a\"\n[journal]\npath = \"j.db\"");
    let config = world.load();
    assert_eq!(
        config.browser.profile.value,
        Some(world.folder.join("profiles/a"))
    );
    let place = crate::journal::Place::File(world.folder.join("j.db"));
    assert_eq!(config.journal.path.value, Some(place));
    let world = World::new("paths-variable").variable("DRAGOMAN_PROFILE", "here");
    assert_eq!(world.load().browser.profile.value, Some("here".into()));
    let world = World::new("paths-home").user("[browser]\nprofile = \"~/p\"");
    assert_eq!(
        world.load().browser.profile.value,
        std::env::home_dir().map(|home| home.join("p"))
    );
}

#[test]
fn a_project_may_not_choose_programs_and_places() {
    for (text, key) in [
        ("[browser]\npath = \"./evil\"", "browser.path"),
        ("[browser]\nprofile = \"p\"", "browser.profile"),
        ("[journal]\npath = \"j.db\"", "journal.path"),
    ] {
        let (what, next) = World::new("never").project(text).fails();
        let place = format!("{NAME}:2:");
        assert!(what.contains(&place) && what.contains(key), "{what}");
        assert!(next.contains("DRAGOMAN_"), "{next}");
        // A variable does not make it right: the file is wrong all the same.
        let world = World::new("never-variable").project(text);
        world.variable("DRAGOMAN_BROWSER", "/usr/bin/true").fails();
    }
}

#[test]
fn a_project_can_only_tighten() {
    let tabs = |config: &Config| config.policy.max_tabs.value.get();
    let loose = "[policy]\napprove = \"none\"\nmax_tabs = 1000\n[command]\nredact = false";
    let world = World::new("loose")
        .user("[policy]\napprove = \"writes\"")
        .project(loose);
    let config = world.load();
    assert_eq!(config.policy.approve.value, Approval::Writes);
    assert!(
        config
            .policy
            .approve
            .from
            .to_string()
            .ends_with("user.toml:2")
    );
    assert_eq!(tabs(&config), 32);
    assert!(config.command.redact.value && config.command.redact.is_default());
    assert_eq!(config.notes.len(), 3, "{:?}", config.notes);
    assert!(
        config.notes[0].contains("dragoman.toml:2"),
        "{:?}",
        config.notes
    );

    let strict = "[policy]\napprove = \"all\"\nmax_tabs = 4\n[command]\nredact = true";
    let world = World::new("strict")
        .user("[policy]\nmax_tabs = 5\n[command]\nredact = false")
        .project(strict);
    let config = world.load();
    assert_eq!(config.policy.approve.value, Approval::All);
    assert_eq!((tabs(&config), config.command.redact.value), (4, true));
    assert!(config.notes.is_empty(), "{:?}", config.notes);
    // The person's own variables still have the last word.
    let config = world.variable("DRAGOMAN_APPROVE", "none").load();
    assert_eq!(config.policy.approve.value, Approval::None);
}

#[test]
fn a_project_can_only_allow_what_the_user_allows() {
    let check = |user: &str, project: &str, want: &[&str], notes: usize| {
        let world = World::new("origins")
            .user(&format!("[policy]\nallow_origins = {user}"))
            .project(&format!("[policy]\nallow_origins = {project}"));
        let config = world.load();
        let have: Vec<&str> = config
            .policy
            .allow_origins
            .value
            .0
            .iter()
            .map(|p| p.0.as_str())
            .collect();
        assert_eq!(have, want, "{user} and {project}");
        assert_eq!(
            config.notes.len(),
            notes,
            "{user} and {project}: {:?}",
            config.notes
        );
    };
    check("[]", r#"["a.test"]"#, &["a.test"], 0);
    check(r#"["a.test"]"#, "[]", &["a.test"], 1);
    check(r#"["a.test"]"#, r#"["b.test"]"#, &["a.test"], 1);
    check(
        r#"["*.a.test"]"#,
        r#"["x.a.test", "https://y.a.test", "*.z.a.test"]"#,
        &["x.a.test", "https://y.a.test", "*.z.a.test"],
        0,
    );
    check(
        r#"["https://a.test"]"#,
        r#"["a.test", "https://a.test"]"#,
        &["https://a.test"],
        1,
    );
    check(r#"["a.test:80"]"#, r#"["a.test"]"#, &["a.test:80"], 1);
    check(r#"["x.a.test"]"#, r#"["*.a.test", "*"]"#, &["x.a.test"], 1);
    check(
        r#"["a.test"]"#,
        r#"["xa.test", "a.test.evil"]"#,
        &["a.test"],
        1,
    );
}

#[test]
fn a_project_adds_to_what_is_blocked() {
    let world = World::new("blocked")
        .user("[policy]\nblock_origins = [\"a.test\"]")
        .project("[policy]\nblock_origins = [\"b.test\", \"a.test\"]");
    let config = world.load();
    let blocked = &config.policy.block_origins;
    assert_eq!(blocked.value.0.len(), 2);
    let from = blocked.from.to_string();
    assert!(
        from.contains("user.toml:2 and ") && from.ends_with("dragoman.toml:2"),
        "{from}"
    );
}

#[test]
fn the_users_tools_come_first_and_stay() {
    let world = World::new("tools")
        .user("[tools]\nWiki = \"https://wiki.test\"\n\"Äpfel\" = \"http://b.test:8080/x?y#z\"")
        .project("[tools]\nwiki = \"https://evil.test\"\n\"My Docs\" = \"https://docs.test\"");
    let config = world.load();
    let names: Vec<&str> = config.tools.iter().map(|t| t.value.name()).collect();
    assert_eq!(names, ["Wiki", "Äpfel", "My Docs"]);
    assert_eq!(
        config.tool("WIKI").unwrap().value.url(),
        "https://wiki.test"
    );
    assert_eq!(config.tool("äpfel").unwrap().from.kind(), "user");
    assert_eq!(config.tool("my docs").unwrap().from.kind(), "project");
    assert!(config.tool("other").is_none());
    assert!(
        config.notes[0].contains("cannot replace"),
        "{:?}",
        config.notes
    );
}

#[test]
fn tools_have_names_and_addresses() {
    for name in ["a", "Google Docs", "c.d/e", "日本", &"x".repeat(60)] {
        assert!(Tool::new(name, "https://a.test").is_ok(), "{name}");
    }
    for name in [
        "",
        " ",
        " a",
        "a\"b",
        "it's",
        "`",
        "a\nb",
        "a\0",
        "\u{200b}",
        "“x”",
        "a\u{202e}b",
    ] {
        assert!(Tool::new(name, "https://a.test").is_err(), "{name:?}");
    }
    assert!(Tool::new(&"x".repeat(61), "https://a.test").is_err());
    for url in [
        "http://a",
        "HTTPS://a.test:8443/x?y=%20#z",
        "http://[::1]:80/",
        "https://a.test/a@b",
    ] {
        assert!(Tool::new("a", url).is_ok(), "{url}");
    }
    for url in [
        "",
        "a.test",
        "https:a.test",
        "https://",
        "https:///x",
        "https://:80",
        "ftp://a",
        "file:///etc",
        "javascript:alert(1)",
        "https://a b",
        "https://a\n",
        "https://u:p@a.test",
        "https://a:99999",
        "https://a:x",
        "https://a.test\\@b",
        "https://?x",
    ] {
        assert!(Tool::new("a", url).is_err(), "{url}");
    }
}

#[test]
fn origins_that_can_match() {
    for good in [
        "a.test",
        "*.a.test",
        "https://a.test/",
        "http://a.test:80",
        "[::1]:8080",
        "*",
        "localhost",
    ] {
        assert!(origin_pattern(good).is_some(), "{good}");
    }
    for bad in [
        "", "https://", "a.test/x", "a b", "*://a", "a.test:x", "a:99999", "ü.test", "u@a", "a?b",
        "[zz]",
    ] {
        assert!(origin_pattern(bad).is_none(), "{bad}");
    }
}

#[test]
fn the_users_file_is_no_projects_file() {
    let world = World::new("same");
    let own = world.folder.join("project").join(NAME);
    std::fs::write(&own, "[browser]\npath = \"mine\"").unwrap();
    std::fs::write(world.folder.join(NAME), "[browser]\nheaded = true").unwrap();
    let world = world.variable(VARIABLE, own.to_str().unwrap());
    let config = world.load();
    assert_eq!(config.browser.path.from.kind(), "user");
    // The search goes on above it.
    assert_eq!(config.browser.headed.from.kind(), "project");
}

#[test]
fn tools_are_saved_and_the_rest_stays() {
    let text = "# top\n[policy] # p\nmax_tabs = 3 # few\n\n[tools] # mine\n# about work\n\n# the wiki\n\
                Wiki = \"https://old.test\" # w\n\n# docs\n'D.x' = \"https://d.test\"\n\n# end\n[browser]\nheaded = true\n# last\n";
    let world = World::new("edit").user(text);
    let path = world.folder.join("user.toml");
    let tool = |name: &str, url: &str| Tool::new(name, url).unwrap();
    let put = save_tools(
        &path,
        &[
            tool("wiki", "https://new.test"),
            tool("New one", "https://n.test"),
        ],
    );
    assert_eq!(
        put.unwrap(),
        [Put::Replaced(tool("Wiki", "https://old.test")), Put::Added]
    );
    let saved = std::fs::read_to_string(&path).unwrap();
    let want = text
        .replace("Wiki = \"https://old.test\"", "wiki = \"https://new.test\"")
        .replace(
            "https://d.test\"\n",
            "https://d.test\"\n\"New one\" = \"https://n.test\"\n",
        );
    assert_eq!(saved, want);
    let again = save_tools(&path, &[tool("wiki", "https://new.test")]).unwrap();
    assert_eq!(again, [Put::Same]);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), want);

    for name in ["WIKI", "d.X", "new ONE"] {
        remove_tool(&path, name).unwrap();
    }
    let left = std::fs::read_to_string(&path).unwrap();
    for comment in [
        "# top",
        "# p",
        "# few",
        "# mine",
        "# about work",
        "# end",
        "# last",
    ] {
        assert!(left.contains(comment), "{comment} in:\n{left}");
    }
    assert!(
        !left.contains("# the wiki") && !left.contains("https"),
        "{left}"
    );
    assert!(world.load().tools.is_empty());
}

#[test]
fn tools_are_saved_in_any_shape_of_table() {
    for text in [
        "",
        "tools = { A = \"https://a.test\" }\n",
        "tools.A = \"https://a.test\"\n",
        "[tools]\nA = \"https://a.test\"",
        "[browser]\nheaded = true\n",
        "\r\n[tools]\r\nA = \"https://a.test\"\r\n",
    ] {
        let world = World::new("shape").user(text);
        let path = world.folder.join("user.toml");
        let new = [
            Tool::new("B", "https://b.test").unwrap(),
            Tool::new("a", "https://c.test").unwrap(),
        ];
        save_tools(&path, &new).unwrap();
        let config = world.load();
        assert_eq!(
            config.tool("A").unwrap().value.url(),
            "https://c.test",
            "{text:?}"
        );
        assert_eq!(config.tools.len(), 2, "{text:?}");
        remove_tool(&path, "b").unwrap();
        remove_tool(&path, "a").unwrap();
        assert!(world.load().tools.is_empty(), "{text:?}");
    }
}
