//! Whether the shop received what the operator was to send: one order, right in every detail.

use super::script;
use crate::site::{Ledger, Order};

/// What is wrong, in words; nothing when all is right.
pub fn compare(ledger: &Ledger) -> Vec<String> {
    let [order] = ledger.orders.as_slice() else {
        return vec![format!(
            "the shop has {} orders instead of one",
            ledger.orders.len()
        )];
    };
    let mut wrong = details(order);
    let mut check = |what: &str, right: bool| {
        if !right {
            wrong.push(format!("the shop has another idea of {what}"));
        }
    };
    check("who signed in", ledger.signed_in == [Ledger::USER]);
    check("what is left in the cart", ledger.cart.is_empty());
    wrong
}

fn details(order: &Order) -> Vec<String> {
    let paper = order
        .paper
        .as_ref()
        .map(|p| (p.name.as_str(), p.bytes.as_slice()));
    let want_paper = Some((script::PAPER_NAME, script::PAPER_TEXT.as_bytes()));
    let checks = [
        ("the product", order.items == [script::SKU]),
        ("the quantity", order.quantity == script::QUANTITY),
        ("the recipient", order.recipient == script::RECIPIENT),
        ("the delivery", order.delivery == "courier"),
        ("the date", order.date == script::DATE),
        ("the payment", order.payment == "invoice"),
        ("the note", order.note == script::NOTE),
        ("the gift wrapping", order.gift),
        (
            "the voucher",
            order.voucher.as_deref() == Some(Ledger::VOUCHER),
        ),
        ("the papers", paper == want_paper),
    ];
    let wrong = checks.iter().filter(|(_, right)| !right);
    wrong
        .map(|(what, _)| format!("the shop has another idea of {what}"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_order_is_wrong() {
        assert_eq!(compare(&Ledger::default()).len(), 1);
    }
}
