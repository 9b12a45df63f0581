//! The document's example flow with somebody else's backend, against a page in a real browser.

use crate::python::Peer;
use crate::served::Gateway;
use crate::support::Stand;

#[test]
fn the_example_flow_with_a_foreign_client() {
    let gateway = Gateway::start("foreign-backend");
    let page = "<button onclick=\"this.textContent = 'Log out'\">Login</button>";
    let stand = Stand::start(&[("/", page)]);
    let path = format!("/action?url={}/", stand.url);
    let backend = Peer::start("backend.py", &gateway, &gateway.token, &path, &[]);
    let (told, fine) = backend.end();
    assert!(fine, "{told:?}");
    let results: Vec<_> = told
        .iter()
        .filter(|m| m["type"] == "ActionResult")
        .collect();
    assert_eq!(results.len(), 1, "{told:?}");
}
