//! Cookies and storage as the file that other tools know, and selectors that outlive a page.
//!
//! Must not know: where the file is.

use super::plan::{Restoring, Stored, StoredOrigin, Then};
use dragoman_model::{
    Batch, Code, Command, Cookie, Done, Fault, Outcome, Reply, SetCookies, SetStorage, Snapshot,
    StepOutcome, StorageArea, TabInfo, Target,
};
use serde::{Deserialize, Serialize};

#[derive(Debug, Default, Serialize, Deserialize)]
struct File {
    #[serde(default)]
    cookies: Vec<FileCookie>,
    #[serde(default)]
    origins: Vec<FileOrigin>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct FileCookie {
    name: String,
    value: String,
    #[serde(default)]
    domain: Option<String>,
    #[serde(default)]
    path: Option<String>,
    /// -1 for a session cookie.
    #[serde(default)]
    expires: Option<f64>,
    #[serde(default)]
    http_only: bool,
    #[serde(default)]
    secure: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    same_site: Option<String>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct FileOrigin {
    origin: String,
    #[serde(default)]
    local_storage: Vec<FileItem>,
}

#[derive(Debug, Serialize, Deserialize)]
struct FileItem {
    name: String,
    value: String,
}

/// Of what the steps of `browser_storage_state` came to.
pub(super) fn state(steps: &[StepOutcome]) -> String {
    let mut file = File::default();
    let mut origin = None;
    for step in steps {
        let Outcome::Done(Done { reply, .. }) = &step.outcome else {
            continue;
        };
        match reply {
            Reply::Cookies(cookies) => file.cookies = cookies.iter().map(to_file).collect(),
            Reply::Tabs(tabs) => {
                origin = tabs
                    .iter()
                    .find(|tab| tab.current)
                    .and_then(|tab| origin_of(&tab.url))
            }
            Reply::Storage(items) if !items.is_empty() => {
                let item = |(name, value): (&String, &String)| FileItem {
                    name: name.clone(),
                    value: value.clone(),
                };
                let local_storage = items.iter().map(item).collect();
                let origin = origin.clone().unwrap_or_default();
                file.origins.push(FileOrigin {
                    origin,
                    local_storage,
                });
            }
            _ => {}
        }
    }
    serde_json::to_string_pretty(&file).unwrap_or_default()
}

fn to_file(cookie: &Cookie) -> FileCookie {
    FileCookie {
        name: cookie.name.clone(),
        value: cookie.value.clone(),
        domain: cookie.domain.clone(),
        path: cookie.path.clone(),
        expires: Some(cookie.expires.unwrap_or(-1.0)),
        http_only: cookie.http_only,
        secure: cookie.secure,
        same_site: cookie.same_site.clone(),
    }
}

pub(super) fn read(text: &str) -> Result<Stored, Fault> {
    let file: File = serde_json::from_str(text).map_err(|error| {
        Fault::new(
            Code::BadInput,
            format!("The file holds no storage state: {error}"),
        )
        .suggest("Use a file that browser_storage_state wrote.")
    })?;
    let cookie = |c: FileCookie| Cookie {
        name: c.name,
        value: c.value,
        domain: c.domain,
        path: c.path,
        expires: c.expires.filter(|at| *at >= 0.0),
        http_only: c.http_only,
        secure: c.secure,
        same_site: c.same_site,
    };
    let origin = |o: FileOrigin| StoredOrigin {
        origin: o.origin,
        items: o
            .local_storage
            .into_iter()
            .map(|item| (item.name, item.value))
            .collect(),
    };
    Ok(Stored {
        cookies: file.cookies.into_iter().map(cookie).collect(),
        origins: file.origins.into_iter().map(origin).collect(),
    })
}

/// All cookies, and what the current page may be given: a page's storage is its origin's alone.
pub(super) fn restore(stored: Stored, tabs: &[TabInfo]) -> (Command, Then) {
    let here = tabs
        .iter()
        .find(|tab| tab.current)
        .and_then(|tab| origin_of(&tab.url));
    let cookies = stored.cookies.len();
    let (mut items, mut elsewhere) = (0, 0);
    let mut steps: Vec<Command> = Vec::new();
    if cookies > 0 {
        steps.push(
            SetCookies {
                cookies: stored.cookies,
            }
            .into(),
        );
    }
    for origin in stored.origins {
        if Some(&origin.origin) != here.as_ref() {
            elsewhere += origin.items.len();
            continue;
        }
        items += origin.items.len();
        for (key, value) in origin.items {
            let area = Some(StorageArea::Local);
            steps.push(SetStorage { key, value, area }.into());
        }
    }
    let then = Then::Restore(Restoring::Setting {
        cookies,
        items,
        elsewhere,
    });
    (
        Batch {
            steps,
            stop_on_error: None,
        }
        .into(),
        then,
    )
}

/// `https://a.example`
fn origin_of(url: &str) -> Option<String> {
    let (scheme, rest) = url.split_once("://")?;
    let host = rest.split(['/', '?', '#']).next()?;
    Some(format!("{scheme}://{host}"))
}

/// A selector for an element: by role and name where that is enough, else by its semantic id.
pub(super) fn locator(target: &Target, snapshot: &Snapshot) -> Option<String> {
    let Target::Ref(wanted) = target else {
        return Some(as_text(target));
    };
    let node = snapshot
        .nodes
        .iter()
        .find(|node| node.r#ref == Some(*wanted))?;
    let same = |other: &&dragoman_model::Node| other.role == node.role && other.name == node.name;
    let unique = snapshot.nodes.iter().filter(same).count() == 1;
    let by_name = Target::Role {
        role: node.role.to_string(),
        name: Some(node.name.to_string()),
    };
    Some(match (unique && !node.name.is_empty(), &node.id) {
        (true, _) => as_text(&by_name),
        (false, Some(id)) => format!("id={id}"),
        (false, None) => wanted.to_string(),
    })
}

/// As a client would write it.
fn as_text(target: &Target) -> String {
    let quoted = |name: &str| serde_json::Value::from(name).to_string();
    match target {
        Target::Ref(r#ref) => r#ref.to_string(),
        Target::Semantic(id) => format!("id={id}"),
        Target::Css(css) => css.clone(),
        Target::XPath(path) => format!("xpath={path}"),
        Target::Text(text) => format!("text={}", quoted(text)),
        Target::Label(name) => format!("label={}", quoted(name)),
        Target::Role {
            role,
            name: Some(name),
        } => format!("role={role}[name={}]", quoted(name)),
        Target::Role { role, name: None } => format!("role={role}"),
        Target::Point(_) | Target::Focused => target.to_string(),
    }
}
