//! docs/config.md, from the table of settings.

use super::keys::{Config, Project, Row};
use std::fmt::Write;

pub fn markdown() -> String {
    let mut text = String::from(HEAD);
    let config = Config::default();
    let mut section = "";
    for row in config.rows() {
        if row.key.section != section {
            section = row.key.section;
            let _ = write!(
                text,
                "\n## [{section}]\n\n\
                 | key | what it is | default | variable | flag | a project's file |\n\
                 |---|---|---|---|---|---|\n"
            );
        }
        line(&mut text, &row);
    }
    text.push_str(TAIL);
    text
}

fn line(text: &mut String, row: &Row) {
    let key = row.key;
    let default = match key.unset {
        "" => format!("`{}`", row.value),
        unset => unset.to_owned(),
    };
    let flag = match key.flag {
        "" => String::new(),
        flag => format!("`{flag}`"),
    };
    let project = match key.project {
        Project::Free => "may set it",
        Project::Tighten => "may tighten it",
        Project::Never => "may not set it",
    };
    let _ = writeln!(
        text,
        "| `{}` | {} It is {}. | {default} | `{}` | {flag} | {project} |",
        key.leaf(),
        key.doc,
        (key.expected)(),
        key.env,
    );
}

const HEAD: &str = "# Configuration

Generated from the table of settings by `dragoman config --markdown`; do not edit.

Nothing needs to be configured. What you set may stand in five places; later ones win:

1. what is built in;
2. your file, `dragoman.toml` in `$XDG_CONFIG_HOME/dragoman` or `~/.config/dragoman` (macOS:
   `~/Library/Application Support/dragoman`, Windows: `%APPDATA%\\dragoman`). `DRAGOMAN_CONFIG` names another;
3. the project's file, `dragoman.toml` in the working directory or the nearest folder above it;
4. variables of the environment. One that is empty does not count; origins stand with commas between;
5. flags.

`dragoman config` prints every setting and where it came from, `dragoman config path` the files that are looked for.

```toml
[browser]
viewport = \"1440x900\"
profile = \"profiles/work\"        # relative to this file; ~/ is your home

[policy]
approve = \"writes\"
allow_origins = [\"https://example.com\", \"*.example.org\"]

[tools]
Wiki = \"https://en.wikipedia.org/\"
\"Issue tracker\" = \"https://issues.example.com/\"
```

A key or a section that does not exist, or a value of the wrong type, is an error with its place in the file. A list
replaces the list of an earlier source.

## What a project's file may do

A project's file may have come with a repository that somebody else wrote, and running `dragoman` there must be no risk. So it
may not choose the program that is started, the profile it is started with or the place where the journal is written:
that is an error. It may make the policy stricter, never looser: of two values the stricter one holds, origins are allowed
when both files allow them and blocked when either does, and a value that would loosen something does not count, which
is said on standard error. It may add tools, but not replace one of yours.
";

const TAIL: &str = "
## [tools]

Names for addresses that are opened often. A name has 1 to 60 visible characters and no quotes, and its case does not matter;
an address starts with `http://` or `https://` and has no password in it. A file may have 500 of them.

    dragoman tool add Wiki https://en.wikipedia.org/
    dragoman tool list
    dragoman tool remove wiki
    dragoman tool import tools.json

They change `[tools]` in your file and leave the rest of it, comments included, as it is. `import` reads JSON (a list of
`{\"name\": …, \"url\": …}`, or an object of names and addresses) or TOML with a section `[tools]`; `-` is standard input.
When one entry is wrong, nothing is imported.
";
