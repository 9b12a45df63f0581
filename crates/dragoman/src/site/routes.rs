//! The shop's routes. Small bodies only; anything but the site's own host names is refused, so
//! that no other page can reach it through a name that points at loopback.

use super::ledger::{Ledger, Order, Paper};
use super::{Door, House, pages};
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::header::{COOKIE, HOST, LOCATION, ORIGIN, SET_COOKIE};
use hyper::{Method, Request, Response, StatusCode, header};
use std::convert::Infallible;

type Answer = Response<Full<Bytes>>;

const MAX_BODY: usize = 1 << 20;

pub async fn answer(
    door: Door,
    house: &House,
    request: Request<Incoming>,
) -> Result<Answer, Infallible> {
    let own = match door {
        Door::Shop => &house.shop,
        Door::Voucher => &house.voucher,
    };
    let said = |name| request.headers().get(name).and_then(|v| v.to_str().ok());
    let host_is_ours = said(HOST).is_some_and(|host| own.strip_prefix("http://") == Some(host));
    let origin_is_ours = said(ORIGIN).is_none_or(|origin| origin == own);
    if !host_is_ours || !origin_is_ours {
        return Ok(plain(StatusCode::FORBIDDEN, "Not for you."));
    }
    let signed_in = said(COOKIE).is_some_and(|cookies| cookies.contains("desk=open"));
    let method = request.method().clone();
    let path = request.uri().path().to_owned();
    let query = request.uri().query().unwrap_or("").to_owned();
    let body = match Limited::new(request.into_body(), MAX_BODY).collect().await {
        Ok(body) => body.to_bytes(),
        Err(_) => return Ok(plain(StatusCode::PAYLOAD_TOO_LARGE, "Too much.")),
    };
    let visit = Visit {
        post: method == Method::POST,
        signed_in,
        path: &path,
        query: &query,
        body: &body,
    };
    Ok(match door {
        Door::Shop => shop(house, &visit),
        Door::Voucher => voucher(house, &visit),
    })
}

struct Visit<'a> {
    post: bool,
    signed_in: bool,
    path: &'a str,
    query: &'a str,
    body: &'a Bytes,
}

impl Visit<'_> {
    fn text(&self) -> String {
        String::from_utf8_lossy(self.body).into_owned()
    }
}

fn shop(house: &House, visit: &Visit) -> Answer {
    let mut ledger = house.ledger.borrow_mut();
    match (visit.post, visit.path) {
        (false, "/style.css") => style(),
        (false, "/") => page(pages::login("")),
        (true, "/login") => login(&mut ledger, &visit.text()),
        _ if !visit.signed_in => go_to("/"),
        (false, "/catalog") => {
            let query = field(visit.query, "q").unwrap_or_default();
            page(pages::catalog(&ledger, &query))
        }
        (false, "/order") => page(pages::order(&ledger, &house.voucher)),
        (true, "/api/cart") => add_to_cart(&mut ledger, visit.text()),
        (true, "/api/paper") => {
            let name = field(visit.query, "name").unwrap_or_default();
            let bytes = visit.body.to_vec();
            let said = format!("Received {name} ({} bytes)", bytes.len());
            ledger.paper = Some(Paper { name, bytes });
            plain(StatusCode::OK, &said)
        }
        (true, "/api/order") => place_order(&mut ledger, visit.body),
        (false, path) => confirmed(&ledger, path),
        _ => plain(StatusCode::NOT_FOUND, "There is nothing here."),
    }
}

fn voucher(house: &House, visit: &Visit) -> Answer {
    match (visit.post, visit.path) {
        (false, "/style.css") => style(),
        (false, "/") => page(pages::voucher(&house.shop)),
        (true, "/api/voucher") if visit.text() == Ledger::VOUCHER => {
            house.ledger.borrow_mut().voucher = Some(visit.text());
            plain(StatusCode::OK, "Voucher applied: 10 % off")
        }
        (true, "/api/voucher") => plain(StatusCode::OK, "There is no such voucher"),
        _ => plain(StatusCode::NOT_FOUND, "There is nothing here."),
    }
}

fn login(ledger: &mut Ledger, form: &str) -> Answer {
    let user = field(form, "user").unwrap_or_default();
    let password = field(form, "password").unwrap_or_default();
    if user != Ledger::USER || password != Ledger::PASSWORD {
        return page(pages::login(
            "That is not a user name and password we know.",
        ));
    }
    ledger.signed_in.push(user);
    let mut answer = go_to("/catalog");
    let cookie = header::HeaderValue::from_static("desk=open; Path=/; HttpOnly; SameSite=Lax");
    answer.headers_mut().insert(SET_COOKIE, cookie);
    answer
}

fn add_to_cart(ledger: &mut Ledger, sku: String) -> Answer {
    if !pages::is_product(&sku) {
        return plain(StatusCode::BAD_REQUEST, "There is no such product.");
    }
    ledger.cart.push(sku);
    plain(StatusCode::OK, &ledger.badge())
}

fn place_order(ledger: &mut Ledger, body: &Bytes) -> Answer {
    match serde_json::from_slice::<Order>(body) {
        Ok(order) => {
            let index = ledger.place(order);
            plain(StatusCode::OK, &format!("/confirmed/{index}"))
        }
        Err(error) => plain(StatusCode::BAD_REQUEST, &error.to_string()),
    }
}

fn confirmed(ledger: &Ledger, path: &str) -> Answer {
    let index = path
        .strip_prefix("/confirmed/")
        .and_then(|n| n.parse::<usize>().ok());
    let order = index.and_then(|n| Some((n, ledger.orders.get(n.checked_sub(1)?)?)));
    match order {
        Some((index, order)) => page(pages::confirmed(index, order)),
        None => plain(StatusCode::NOT_FOUND, "There is nothing here."),
    }
}

/// One field of a query string or of a posted form.
fn field(form: &str, name: &str) -> Option<String> {
    form.split('&')
        .filter_map(|pair| pair.split_once('='))
        .find(|(key, _)| *key == name)
        .map(|(_, value)| percent_decode(value))
}

fn percent_decode(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let hex = after.get(..2).and_then(|h| std::str::from_utf8(h).ok());
        match (first, hex.and_then(|h| u8::from_str_radix(h, 16).ok())) {
            (b'%', Some(byte)) => {
                bytes.push(byte);
                rest = &after[2..];
                continue;
            }
            (b'+', _) => bytes.push(b' '),
            _ => bytes.push(first),
        }
        rest = after;
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn page(html: String) -> Answer {
    typed("text/html; charset=utf-8", html)
}

fn style() -> Answer {
    typed("text/css; charset=utf-8", pages::STYLE.to_owned())
}

fn plain(status: StatusCode, text: &str) -> Answer {
    let mut answer = typed("text/plain; charset=utf-8", text.to_owned());
    *answer.status_mut() = status;
    answer
}

fn go_to(path: &'static str) -> Answer {
    let mut answer = plain(StatusCode::SEE_OTHER, "");
    let to = header::HeaderValue::from_static(path);
    answer.headers_mut().insert(LOCATION, to);
    answer
}

fn typed(kind: &'static str, body: String) -> Answer {
    let mut answer = Response::new(Full::new(Bytes::from(body)));
    let kind = header::HeaderValue::from_static(kind);
    answer.headers_mut().insert(header::CONTENT_TYPE, kind);
    let never = header::HeaderValue::from_static("no-store");
    answer.headers_mut().insert(header::CACHE_CONTROL, never);
    answer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn form_fields() {
        assert_eq!(
            field("a=1&q=brass+lantern%2C%C3%A9", "q").as_deref(),
            Some("brass lantern,é")
        );
        assert_eq!(field("q=100%", "q").as_deref(), Some("100%"));
        assert_eq!(field("a=1", "q"), None);
    }
}
