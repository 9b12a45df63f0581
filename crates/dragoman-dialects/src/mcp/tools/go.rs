//! Where the browser is: addresses, tabs, the window.

use super::row;
use crate::mcp::args::Args;
use crate::mcp::call::{SessionAsk, Step};
use crate::mcp::plan::{Plan, TabsThen, Then};
use crate::mcp::tool::{Does, Kind, Row, may, need};
use crate::with_scheme;
use dragoman_model::{Back, CloseTab, Code, Fault, ListTabs, Navigate, OpenTab, Resize};

pub(super) const TOOLS: &[Row] = &[
    row(
        "browser_navigate",
        Does::Writes,
        "Go to a URL",
        &[need("url", Kind::Text, "address")],
        navigate,
    ),
    row(
        "browser_navigate_back",
        Does::Writes,
        "Go back in history",
        &[],
        back,
    ),
    row(
        "browser_tabs",
        Does::Writes,
        "List, open, close or select tabs",
        &[
            need(
                "action",
                Kind::Words(&["list", "new", "close", "select"]),
                "",
            ),
            may("index", Kind::Number, "from 0"),
            may("url", Kind::Text, "for new"),
        ],
        tabs,
    ),
    row(
        "browser_resize",
        Does::Moves,
        "Resize the viewport",
        &[
            need("width", Kind::Number, "pixels"),
            need("height", Kind::Number, "pixels"),
        ],
        resize,
    ),
    row(
        "browser_close",
        Does::Writes,
        "Close the browser session",
        &[],
        close,
    ),
];

fn navigate(mut args: Args) -> Result<Plan, Fault> {
    let url = with_scheme(&args.needed("url"));
    Ok(Plan::act("Navigated", None, Navigate { url, until: None }))
}

fn back(_: Args) -> Result<Plan, Fault> {
    Ok(Plan::act("Went back", None, Back { until: None }))
}

fn tabs(mut args: Args) -> Result<Plan, Fault> {
    let index = args.whole("index")?.map(|index| index as usize);
    let list = |then| Ok(Plan::submit(ListTabs {}, Then::Tabs(then)));
    match (args.needed("action").as_str(), index) {
        ("new", _) => {
            let url = args.text("url").map(|url| with_scheme(&url));
            let open = OpenTab {
                url,
                background: None,
                until: None,
            };
            Ok(Plan::act("Opened a tab", None, open))
        }
        ("close", None) => Ok(Plan::submit(
            CloseTab { close: None },
            Then::Done("Closed the tab"),
        )),
        ("close", Some(index)) => list(TabsThen::Close { index }),
        ("select", Some(index)) => list(TabsThen::Select { index }),
        ("select", None) => Err(Fault::new(Code::BadArgument, "select needs `index`")
            .suggest("`index` is a tab's place in the list, from 0.")),
        _ => list(TabsThen::List),
    }
}

fn resize(args: Args) -> Result<Plan, Fault> {
    let side = |name: &str| {
        let whole = args.whole(name)?.and_then(|n| u32::try_from(n).ok());
        whole.ok_or_else(|| args.wrong(name, "a whole number of pixels"))
    };
    let resize = Resize {
        width: side("width")?,
        height: side("height")?,
    };
    Ok(Plan::act("Resized", None, resize))
}

fn close(_: Args) -> Result<Plan, Fault> {
    let first = Step::Session(SessionAsk::Close { session: None });
    Ok(Plan {
        first,
        then: Then::Left(None),
    })
}
