//! Cookies and a page's storage.

use super::{FILENAME, row};
use crate::mcp::args::Args;
use crate::mcp::call::Step;
use crate::mcp::plan::{CookieFilter, Plan, Restoring, Then};
use crate::mcp::tool::{Arg, Cap, Does, Kind, Row, may, need};
use dragoman_model::{
    Batch, ClearCookies, ClearStorage, Cookie, Fault, GetCookies, GetStorage, ListTabs, SetCookies,
    SetStorage, StorageArea,
};

const NAME: Arg = need("name", Kind::Text, "its name");
const KEY: Arg = need("key", Kind::Text, "its name");
const VALUE: Arg = need("value", Kind::Text, "text");

pub(super) const TOOLS: &[Row] = &[
    row(
        "browser_cookie_list",
        Does::Reads,
        "List cookies",
        &[
            may("domain", Kind::Text, "host"),
            may("path", Kind::Text, "path"),
        ],
        cookie_list,
    )
    .of(Cap::Storage),
    row(
        "browser_cookie_get",
        Does::Reads,
        "Read a cookie",
        &[NAME],
        cookie_get,
    )
    .of(Cap::Storage),
    row(
        "browser_cookie_set",
        Does::Writes,
        "Set a cookie, for the current page unless domain is given",
        &[
            NAME,
            VALUE,
            may("domain", Kind::Text, "host"),
            may("path", Kind::Text, "path"),
            may("expires", Kind::Number, "seconds since 1970"),
            may("httpOnly", Kind::Flag, "hidden from scripts"),
            may("secure", Kind::Flag, "https only"),
            may("sameSite", Kind::Words(&["Strict", "Lax", "None"]), ""),
        ],
        cookie_set,
    )
    .of(Cap::Storage),
    row(
        "browser_cookie_delete",
        Does::Writes,
        "Delete a cookie",
        &[NAME],
        cookie_delete,
    )
    .of(Cap::Storage),
    row(
        "browser_cookie_clear",
        Does::Writes,
        "Delete all cookies",
        &[],
        cookie_clear,
    )
    .of(Cap::Storage),
    row(
        "browser_localstorage_list",
        Does::Reads,
        "List local storage",
        &[],
        |_| Ok(list(StorageArea::Local)),
    )
    .of(Cap::Storage),
    row(
        "browser_localstorage_get",
        Does::Reads,
        "Read a key of local storage",
        &[KEY],
        |args| Ok(get(args, StorageArea::Local)),
    )
    .of(Cap::Storage),
    row(
        "browser_localstorage_set",
        Does::Writes,
        "Set a key of local storage",
        &[KEY, VALUE],
        |args| Ok(set(args, StorageArea::Local)),
    )
    .of(Cap::Storage),
    row(
        "browser_localstorage_delete",
        Does::Writes,
        "Delete a key of local storage",
        &[KEY],
        |args| Ok(delete(args, StorageArea::Local)),
    )
    .of(Cap::Storage),
    row(
        "browser_localstorage_clear",
        Does::Writes,
        "Clear local storage",
        &[],
        |args| Ok(delete(args, StorageArea::Local)),
    )
    .of(Cap::Storage),
    row(
        "browser_sessionstorage_list",
        Does::Reads,
        "List session storage",
        &[],
        |_| Ok(list(StorageArea::Session)),
    )
    .of(Cap::Storage),
    row(
        "browser_sessionstorage_get",
        Does::Reads,
        "Read a key of session storage",
        &[KEY],
        |args| Ok(get(args, StorageArea::Session)),
    )
    .of(Cap::Storage),
    row(
        "browser_sessionstorage_set",
        Does::Writes,
        "Set a key of session storage",
        &[KEY, VALUE],
        |args| Ok(set(args, StorageArea::Session)),
    )
    .of(Cap::Storage),
    row(
        "browser_sessionstorage_delete",
        Does::Writes,
        "Delete a key of session storage",
        &[KEY],
        |args| Ok(delete(args, StorageArea::Session)),
    )
    .of(Cap::Storage),
    row(
        "browser_sessionstorage_clear",
        Does::Writes,
        "Clear session storage",
        &[],
        |args| Ok(delete(args, StorageArea::Session)),
    )
    .of(Cap::Storage),
    row(
        "browser_storage_state",
        Does::Reads,
        "Save cookies and the page's local storage to a file",
        &[FILENAME],
        storage_state,
    )
    .of(Cap::Storage),
    row(
        "browser_set_storage_state",
        Does::Writes,
        "Restore cookies, and local storage of the current page's origin, from a file",
        &[need("filename", Kind::Text, "to read")],
        set_storage_state,
    )
    .of(Cap::Storage),
];

fn cookies(filter: CookieFilter) -> Result<Plan, Fault> {
    Ok(Plan::submit(
        GetCookies { url: None },
        Then::Cookies(Some(filter)),
    ))
}

fn cookie_list(mut args: Args) -> Result<Plan, Fault> {
    cookies(CookieFilter {
        name: None,
        domain: args.text("domain"),
        path: args.text("path"),
    })
}

fn cookie_get(mut args: Args) -> Result<Plan, Fault> {
    cookies(CookieFilter {
        name: args.text("name"),
        ..CookieFilter::default()
    })
}

fn cookie_set(mut args: Args) -> Result<Plan, Fault> {
    let cookie = Cookie {
        name: args.needed("name"),
        value: args.needed("value"),
        domain: args.text("domain"),
        path: args.text("path"),
        expires: args.number("expires"),
        http_only: args.flag("httpOnly").unwrap_or(false),
        secure: args.flag("secure").unwrap_or(false),
        same_site: args.text("sameSite"),
    };
    Ok(Plan::submit(
        SetCookies {
            cookies: vec![cookie],
        },
        Then::Done("Set the cookie"),
    ))
}

fn cookie_delete(mut args: Args) -> Result<Plan, Fault> {
    let name = args.text("name");
    Ok(Plan::submit(
        ClearCookies { name },
        Then::Done("Deleted the cookie"),
    ))
}

fn cookie_clear(_: Args) -> Result<Plan, Fault> {
    Ok(Plan::submit(
        ClearCookies { name: None },
        Then::Done("Deleted all cookies"),
    ))
}

fn list(area: StorageArea) -> Plan {
    Plan::submit(
        GetStorage {
            area: Some(area),
            key: None,
        },
        Then::Storage { key: None },
    )
}

fn get(mut args: Args, area: StorageArea) -> Plan {
    let key = args.text("key");
    Plan::submit(
        GetStorage {
            area: Some(area),
            key: key.clone(),
        },
        Then::Storage { key },
    )
}

fn set(mut args: Args, area: StorageArea) -> Plan {
    let set = SetStorage {
        key: args.needed("key"),
        value: args.needed("value"),
        area: Some(area),
    };
    Plan::submit(set, Then::Done("Set"))
}

/// Without a key, all of it.
fn delete(mut args: Args, area: StorageArea) -> Plan {
    let clear = ClearStorage {
        area: Some(area),
        key: args.text("key"),
    };
    Plan::submit(clear, Then::Done("Deleted"))
}

fn storage_state(_: Args) -> Result<Plan, Fault> {
    let local = GetStorage {
        area: Some(StorageArea::Local),
        key: None,
    };
    let steps = vec![
        GetCookies { url: None }.into(),
        ListTabs {}.into(),
        local.into(),
    ];
    Ok(Plan::submit(
        Batch {
            steps,
            stop_on_error: None,
        },
        Then::State,
    ))
}

fn set_storage_state(mut args: Args) -> Result<Plan, Fault> {
    let first = Step::Load {
        name: args.needed("filename"),
    };
    Ok(Plan {
        first,
        then: Then::Restore(Restoring::File),
    })
}
