//! What the demo's operator asks for, in order.

use crate::site::Ledger;
use dragoman_model::{
    Assert, Check, Choice, Click, Command, Condition, Dialog, DialogAnswer, Leaf, Navigate, Press,
    ReplaceText, Select, TakeSnapshot, Target, TextMatch, Type, Upload, Wait,
};
use std::path::Path;

pub const SKU: &str = "L0003";
pub const QUANTITY: u32 = 3;
pub const RECIPIENT: &str = "Grace Hopper";
pub const DATE: &str = "2031-05-04";
pub const NOTE: &str = "Ring twice; the bell is shy.";
pub const PAPER_NAME: &str = "purchase-order.txt";
pub const PAPER_TEXT: &str = "Purchase order 42: three brass lanterns.\n";

pub struct Part {
    pub title: &'static str,
    pub commands: Vec<Command>,
}

pub fn parts(site: &str, paper: &Path) -> Vec<Part> {
    vec![
        Part {
            title: "Sign in",
            commands: vec![
                go_to(site),
                look(),
                fill("textbox", "User name", Ledger::USER),
                type_into(named("Password"), Ledger::PASSWORD),
                click("button", "Sign in"),
            ],
        },
        Part {
            title: "Find one product among a thousand",
            commands: vec![
                look(),
                fill("searchbox", "Search the catalogue", "brass lantern"),
                press("Enter"),
                click("button", "Add Brass lantern, medium"),
                wait_for("1 item in your order"),
                click("link", "Your order"),
            ],
        },
        Part {
            title: "Fill in the order, with a component inside a shadow root",
            commands: vec![
                click("button", "More"),
                click("button", "More"),
                fill("textbox", "Recipient", RECIPIENT),
                select("Delivery", "By courier"),
                Command::from(ReplaceText {
                    target: named("Delivery date"),
                    text: DATE.into(),
                    no_password: None,
                }),
                check("radio", "Invoice"),
                type_into(role("textbox", "Note for the driver"), NOTE),
                check("checkbox", "Wrap it as a gift"),
            ],
        },
        Part {
            title: "Redeem a voucher in a frame from another site",
            commands: vec![
                // A page is ready before the frames in it are.
                Command::from(Wait {
                    until: Some(Condition::Is(Leaf::Visible(role(
                        "textbox",
                        "Voucher code",
                    )))),
                    ms: None,
                }),
                fill("textbox", "Voucher code", Ledger::VOUCHER),
                click("button", "Apply voucher"),
                wait_for("Voucher applied"),
            ],
        },
        Part {
            title: "Upload the papers",
            commands: vec![
                Command::from(Upload {
                    target: named("Purchase order"),
                    files: vec![paper.to_string_lossy().into_owned()],
                }),
                wait_for("Received purchase-order.txt"),
            ],
        },
        Part {
            title: "Place the order and answer the dialog",
            commands: vec![
                click("button", "Place order"),
                Command::from(Dialog {
                    answer: DialogAnswer::Accept,
                    text: None,
                }),
                Command::from(Wait {
                    until: Some(Condition::Is(Leaf::Url(TextMatch::Contains(
                        "/confirmed/".into(),
                    )))),
                    ms: None,
                }),
                Command::from(Assert {
                    that: Condition::Is(Leaf::Text("Order confirmed".into())),
                    message: None,
                }),
            ],
        },
    ]
}

fn role(role: &str, name: &str) -> Target {
    Target::Role {
        role: role.into(),
        name: Some(name.into()),
    }
}

fn named(name: &str) -> Target {
    Target::Label(name.into())
}

fn go_to(site: &str) -> Command {
    Command::from(Navigate {
        url: format!("{site}/"),
        until: None,
    })
}

fn look() -> Command {
    Command::from(TakeSnapshot {
        in_view: None,
        interactive: None,
        root: None,
        all_refs: None,
        limit: None,
    })
}

fn click(of_role: &str, name: &str) -> Command {
    Command::from(Click {
        target: role(of_role, name),
        button: None,
        count: None,
        modifiers: None,
        position: None,
        hold_ms: None,
    })
}

fn fill(of_role: &str, name: &str, text: &str) -> Command {
    Command::from(ReplaceText {
        target: role(of_role, name),
        text: text.into(),
        no_password: None,
    })
}

fn type_into(target: Target, text: &str) -> Command {
    Command::from(Type {
        text: text.into(),
        target: Some(target),
        delay_ms: None,
        no_password: None,
    })
}

fn press(keys: &str) -> Command {
    Command::from(Press {
        keys: keys.into(),
        target: None,
        count: None,
        no_password: None,
    })
}

fn select(name: &str, label: &str) -> Command {
    Command::from(Select {
        target: role("combobox", name),
        options: vec![Choice::Label(label.into())],
    })
}

fn check(of_role: &str, name: &str) -> Command {
    Command::from(Check {
        target: role(of_role, name),
    })
}

fn wait_for(text: &str) -> Command {
    Command::from(Wait {
        until: Some(Condition::Is(Leaf::Text(text.into()))),
        ms: None,
    })
}
