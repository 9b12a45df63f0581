//! What a page asks of the network, and what it is given instead.

use super::{FILENAME, row};
use crate::mcp::args::Args;
use crate::mcp::find;
use crate::mcp::plan::{Filter, Plan, Requests, Then};
use crate::mcp::tool::{Cap, Does, Kind, Row, may, need};
use dragoman_model::{AddRoute, Fault, ListRoutes, ReadNetwork, RemoveRoutes, SetOffline};
use std::collections::BTreeMap;

pub(super) const TOOLS: &[Row] = &[
    row(
        "browser_network_requests",
        Does::Reads,
        "Requests of the tab so far",
        &[
            may("static", Kind::Flag, "images, scripts too"),
            may("filter", Kind::Text, "regex on the URL"),
            FILENAME,
        ],
        requests,
    ),
    row(
        "browser_network_request",
        Does::Reads,
        "One request with its bodies",
        &[
            need("index", Kind::Number, "its number"),
            may("part", Kind::Words(&["request-body", "response-body"]), ""),
            FILENAME,
        ],
        one_request,
    ),
    row(
        "browser_route",
        Does::Writes,
        "Answer requests to a URL (* is a wildcard) with status, body and contentType, or only change their headers",
        &[
            need("pattern", Kind::Text, "URL, * is a wildcard"),
            may("status", Kind::Number, "of the answer"),
            may("body", Kind::Text, "of the answer"),
            may("contentType", Kind::Text, "of the body"),
            may("headers", Kind::Texts, "Name: value"),
            may("removeHeaders", Kind::Text, "names, comma-separated"),
        ],
        route,
    )
    .of(Cap::Network),
    row("browser_route_list", Does::Reads, "List routes", &[], |_| {
        Ok(Plan::submit(ListRoutes {}, Then::Routes))
    })
    .of(Cap::Network),
    row(
        "browser_unroute",
        Does::Writes,
        "Remove a route, or all",
        &[may("pattern", Kind::Text, "URL, * is a wildcard")],
        |mut args| {
            let pattern = args.text("pattern").map(|pattern| glob(&pattern));
            Ok(Plan::submit(RemoveRoutes { pattern }, Then::Done("Removed")))
        },
    )
    .of(Cap::Network),
    row(
        "browser_network_state_set",
        Does::Writes,
        "Go online or offline",
        &[need("state", Kind::Words(&["online", "offline"]), "")],
        |mut args| {
            let offline = args.needed("state") == "offline";
            let did = if offline { "Offline" } else { "Online" };
            Ok(Plan::submit(SetOffline { offline }, Then::Done(did)))
        },
    )
    .of(Cap::Network),
];

/// Elsewhere two stars go where one does not.
fn glob(pattern: &str) -> String {
    let mut pattern = pattern.to_owned();
    while pattern.contains("**") {
        pattern = pattern.replace("**", "*");
    }
    pattern
}

fn route(mut args: Args) -> Result<Plan, Fault> {
    let status = match args.whole("status")? {
        Some(status) => {
            Some(u16::try_from(status).map_err(|_| args.wrong("status", "an HTTP status"))?)
        }
        None => None,
    };
    let mut headers = BTreeMap::new();
    for header in args.texts("headers") {
        let Some((name, value)) = header.split_once(':') else {
            return Err(args.wrong("headers", "a list of `Name: value`"));
        };
        headers.insert(name.trim().to_owned(), value.trim().to_owned());
    }
    let removed = args.text("removeHeaders").unwrap_or_default();
    let removed = removed
        .split(',')
        .map(str::trim)
        .filter(|name| !name.is_empty());
    let removed: Vec<String> = removed.map(str::to_owned).collect();
    let route = AddRoute {
        pattern: glob(&args.needed("pattern")),
        status,
        body: args.text("body"),
        content_type: args.text("contentType"),
        headers: (!headers.is_empty()).then_some(headers),
        remove_headers: (!removed.is_empty()).then_some(removed),
    };
    Ok(Plan::submit(route, Then::Done("Routed")))
}

fn read(index: Option<u64>) -> ReadNetwork {
    ReadNetwork {
        filter: None,
        index,
        limit: Some(1_000),
        clear: None,
    }
}

fn requests(mut args: Args) -> Result<Plan, Fault> {
    let assets = args.flag("static").unwrap_or(false);
    let filter = args
        .text("filter")
        .map(|pattern| find::regex(&pattern).map(Filter))
        .transpose()?;
    Ok(Plan::submit(
        read(None),
        Then::Requests(Requests { assets, filter }),
    ))
}

fn one_request(mut args: Args) -> Result<Plan, Fault> {
    let index = args.whole("index")?;
    let part = args.text("part");
    Ok(Plan::submit(read(index), Then::OneRequest { part }))
}
