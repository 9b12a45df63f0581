//! What the shop has received: the truth that the demo is checked against.

use serde::Deserialize;

#[derive(Debug, Clone, Default)]
pub struct Ledger {
    /// Who signed in, in order.
    pub signed_in: Vec<String>,
    /// Numbers of the products in the cart.
    pub cart: Vec<String>,
    pub voucher: Option<String>,
    pub paper: Option<Paper>,
    pub orders: Vec<Order>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Paper {
    pub name: String,
    pub bytes: Vec<u8>,
}

/// An order, as the page sent it and as the shop completed it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Order {
    pub quantity: u32,
    pub recipient: String,
    pub delivery: String,
    pub date: String,
    pub payment: String,
    pub note: String,
    pub gift: bool,
    #[serde(skip)]
    pub items: Vec<String>,
    #[serde(skip)]
    pub voucher: Option<String>,
    #[serde(skip)]
    pub paper: Option<Paper>,
}

impl Ledger {
    pub const USER: &str = "ada";
    pub const PASSWORD: &str = "lamplight";
    pub const VOUCHER: &str = "HARBOUR10";

    /// Take what is in the cart, the voucher and the paper into an order; the order's number.
    pub fn place(&mut self, mut order: Order) -> usize {
        order.items = std::mem::take(&mut self.cart);
        order.voucher = self.voucher.take();
        order.paper = self.paper.take();
        self.orders.push(order);
        self.orders.len()
    }

    pub fn badge(&self) -> String {
        match self.cart.len() {
            0 => "Nothing in your order".into(),
            1 => "1 item in your order".into(),
            n => format!("{n} items in your order"),
        }
    }
}

impl Order {
    /// How an order is called on paper.
    pub fn number(index: usize) -> String {
        format!("LS-{:04}", 1000 + index)
    }
}
