//! The shop's pages: templates from `site/`, filled in. Whatever goes into one is escaped here.

use super::ledger::{Ledger, Order};
use dragoman_dialects::escape;
use std::fmt::Write;

pub const STYLE: &str = include_str!("../../site/style.css");
const LOGIN: &str = include_str!("../../site/login.html");
const CATALOG: &str = include_str!("../../site/catalog.html");
const ORDER: &str = include_str!("../../site/order.html");
const VOUCHER: &str = include_str!("../../site/voucher.html");
const CONFIRMED: &str = include_str!("../../site/confirmed.html");

pub fn login(wrong: &str) -> String {
    LOGIN.replace("{{wrong}}", &escape(wrong))
}

pub fn catalog(ledger: &Ledger, query: &str) -> String {
    let found: Vec<Product> = products().filter(|p| p.matches(query)).collect();
    let mut rows = String::new();
    for product in &found {
        product.row(&mut rows);
    }
    let count = match found.len() {
        0 => format!("Nothing is called “{query}”."),
        1 => "1 product".into(),
        n => format!("{n} products"),
    };
    CATALOG
        .replace("{{badge}}", &escape(&ledger.badge()))
        .replace("{{count}}", &escape(&count))
        .replace("{{query}}", &escape(query))
        .replace("{{rows}}", &rows)
}

pub fn order(ledger: &Ledger, voucher_url: &str) -> String {
    let items: Vec<String> = ledger.cart.iter().map(|sku| name_of(sku)).collect();
    let items = if items.is_empty() {
        "Nothing yet: choose something from the catalogue.".into()
    } else {
        items.join(", ")
    };
    ORDER
        .replace("{{badge}}", &escape(&ledger.badge()))
        .replace("{{items}}", &escape(&items))
        .replace("{{voucher}}", &escape(voucher_url))
}

pub fn voucher(shop_url: &str) -> String {
    VOUCHER.replace("{{shop}}", &escape(shop_url))
}

pub fn confirmed(index: usize, order: &Order) -> String {
    let items: Vec<String> = order.items.iter().map(|sku| name_of(sku)).collect();
    let paper = order.paper.as_ref().map(|paper| paper.name.as_str());
    let facts = [
        (
            "Products",
            format!("{} × {}", order.quantity, items.join(", ")),
        ),
        ("Delivery", format!("{}, {}", order.delivery, order.date)),
        ("Payment", order.payment.clone()),
        ("Gift", if order.gift { "wrapped" } else { "no" }.into()),
        ("Voucher", order.voucher.clone().unwrap_or("none".into())),
        ("Papers", paper.unwrap_or("none").into()),
    ];
    let mut list = String::new();
    for (term, value) in facts {
        let _ = writeln!(list, "      <dt>{term}</dt><dd>{}</dd>", escape(&value));
    }
    CONFIRMED
        .replace("{{number}}", &Order::number(index))
        .replace("{{recipient}}", &escape(&order.recipient))
        .replace("{{facts}}", &list)
}

struct Product {
    sku: String,
    name: String,
    kind: &'static str,
    cents: u32,
    stock: u32,
}

/// One thousand products, the same ones every time.
fn products() -> impl Iterator<Item = Product> {
    const STUFF: [&str; 10] = [
        "Brass", "Copper", "Oak", "Walnut", "Linen", "Wool", "Glass", "Iron", "Cork", "Slate",
    ];
    const THINGS: [(&str, &str); 20] = [
        ("lantern", "Light"),
        ("candle holder", "Light"),
        ("desk lamp", "Light"),
        ("wall hook", "Hardware"),
        ("door handle", "Hardware"),
        ("drawer pull", "Hardware"),
        ("bracket", "Hardware"),
        ("tray", "Table"),
        ("bowl", "Table"),
        ("coaster", "Table"),
        ("bread board", "Kitchen"),
        ("storage jar", "Kitchen"),
        ("ladle", "Kitchen"),
        ("bench", "Furniture"),
        ("stool", "Furniture"),
        ("side table", "Furniture"),
        ("letter tray", "Office"),
        ("pen stand", "Office"),
        ("book end", "Office"),
        ("clip board", "Office"),
    ];
    const SIZES: [&str; 5] = ["tiny", "small", "medium", "large", "grand"];
    (0..1000u32).map(|n| {
        let stuff = STUFF[(n / 100) as usize];
        let (thing, kind) = THINGS[(n / 5 % 20) as usize];
        let size = SIZES[(n % 5) as usize];
        Product {
            sku: format!("L{:04}", n + 1),
            name: format!("{stuff} {thing}, {size}"),
            kind,
            cents: 450 + n * 7919 % 19_000,
            stock: n * 31 % 97,
        }
    })
}

impl Product {
    fn matches(&self, query: &str) -> bool {
        let name = self.name.to_lowercase();
        let query = query.to_lowercase();
        query.split_whitespace().all(|word| name.contains(word))
    }

    fn row(&self, into: &mut String) {
        let Self {
            sku, name, kind, ..
        } = self;
        let price = format!("{}.{:02} €", self.cents / 100, self.cents % 100);
        let _ = writeln!(
            into,
            "<tr><td>{sku}</td><td>{name}</td><td>{kind}</td><td class=\"number\">{price}</td>\
             <td class=\"number\">{}</td><td><button class=\"quiet\" data-sku=\"{sku}\" \
             aria-label=\"Add {name}\">Add</button></td></tr>",
            self.stock
        );
    }
}

fn name_of(sku: &str) -> String {
    products()
        .find(|p| p.sku == sku)
        .map_or_else(|| sku.to_owned(), |p| p.name)
}

pub fn is_product(sku: &str) -> bool {
    products().any(|p| p.sku == sku)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thousand_products_with_names_of_their_own() {
        let names: std::collections::BTreeSet<String> = products().map(|p| p.name).collect();
        assert_eq!(names.len(), 1000);
        assert_eq!(products().filter(|p| p.matches("brass LANTERN")).count(), 5);
    }

    #[test]
    fn what_a_visitor_wrote_is_escaped() {
        let page = catalog(&Ledger::default(), "\"><script>alert(1)</script>");
        assert!(!page.contains("<script>alert"));
    }

    #[test]
    fn every_placeholder_is_filled() {
        let ledger = Ledger::default();
        let order_made = Order {
            quantity: 1,
            recipient: "R".into(),
            delivery: "post".into(),
            date: "2030-01-01".into(),
            payment: "card".into(),
            note: String::new(),
            gift: false,
            items: vec!["L0001".into()],
            voucher: None,
            paper: None,
        };
        for page in [
            login(""),
            catalog(&ledger, ""),
            order(&ledger, "http://localhost:1"),
            voucher("http://127.0.0.1:1"),
            confirmed(1, &order_made),
        ] {
            assert!(!page.contains("{{"), "{page}");
        }
    }
}
