//! What a page asked of the network.

use super::{FILENAME, row};
use crate::mcp::args::Args;
use crate::mcp::find;
use crate::mcp::plan::{Filter, Plan, Requests, Then};
use crate::mcp::tool::{Does, Kind, Row, may, need};
use dragoman_model::{Fault, ReadNetwork};

pub(super) const TOOLS: &[Row] = &[
    row(
        "browser_network_requests",
        Does::Reads,
        "Requests since the page loaded. static: images, scripts too; filter: regex on the URL",
        &[
            may("static", Kind::Flag),
            may("filter", Kind::Text),
            FILENAME,
        ],
        requests,
    ),
    row(
        "browser_network_request",
        Does::Reads,
        "One request with its bodies",
        &[
            need("index", Kind::Number),
            may("part", Kind::Words(&["request-body", "response-body"])),
            FILENAME,
        ],
        one_request,
    ),
];

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
