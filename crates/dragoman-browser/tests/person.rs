//! Somebody sits in front of the browser that we drive, and uses it too.

#![allow(clippy::unwrap_used, reason = "tests may fail loudly")]

mod common;
#[path = "common/other.rs"]
mod other;

use common::{World, with_options};
use dragoman_browser::LaunchOptions;
use dragoman_browser::cdp::protocol::input::{DispatchMouseEvent, MouseButton, MouseEventType};
use dragoman_browser::cdp::protocol::target::{AttachToTarget, GetTargets};
use dragoman_browser::cdp::{CdpSession, Connection, connect};
use other::Other;
use serde_json::json;
use std::rc::Rc;

/// A browser that is somebody else's, and their own way into it.
fn beside_a_person<F: AsyncFnOnce(Rc<World>, Connection)>(test: F) {
    let other = Other::start();
    let options = LaunchOptions {
        cdp_url: Some(other.url.clone()),
        ..LaunchOptions::default()
    };
    with_options(options, async |world| {
        let person = connect(&other.url).await.unwrap();
        test(world, person).await;
    });
}

/// Where this address is shown.
async fn sit_before(person: &Connection, url: &str) -> CdpSession {
    let all = person.send(None, &GetTargets::default()).await.unwrap();
    let mut pages = all.target_infos.into_iter().filter(|t| t.url == url);
    let attach = AttachToTarget {
        target_id: pages.next().expect("the page is there").target_id,
        flatten: true,
    };
    person.send(None, &attach).await.unwrap().session_id
}

async fn click_at(person: &Connection, page: &CdpSession, x: f64, y: f64) {
    let kinds = [MouseEventType::Pressed, MouseEventType::Released];
    for r#type in kinds {
        let event = DispatchMouseEvent {
            r#type,
            x,
            y,
            button: Some(MouseButton::Left),
            click_count: Some(1),
            ..Default::default()
        };
        person.send(Some(page), &event).await.unwrap();
    }
}

/// The aim for it was taken while it was looked at, and waited for a press of ours.
#[test]
fn what_could_not_be_checked_takes_nobodys_click() {
    beside_a_person(async |world, person| {
        let case = world
            .at("<style>button { position: absolute; left: 0; width: 90px; height: 30px }</style>
                <button style='top:0'>Ours</button><button style='top:90px' onclick='clicks++'>Theirs</button><script>var clicks = 0</script>")
            .await;
        let ours = case.find("button", "Ours").await;
        let url = case.js("location.href").await;
        let page = sit_before(&person, url.as_str().unwrap()).await;
        let check = json!({"cmd": "check", "target": {"ref": ours}}).to_string();
        assert_eq!(case.fails(&check).await, "unsupported");
        // A person is slower than the page's hearing of it; calls arrive in the order they were written.
        assert_eq!(case.js("clicks").await, json!(0));
        click_at(&person, &page, 45.0, 105.0).await;
        assert_eq!(case.js("clicks").await, json!(1));
    });
}

/// With the answer to one step, aim is taken at what a batch presses next; and then the batch ends.
#[test]
fn an_aim_that_no_press_follows_takes_nobodys_click() {
    beside_a_person(async |world, person| {
        let case = world
            .at("<style>button, input { position: absolute; left: 0; width: 90px; height: 30px }</style>
                <button style='top:0'>Ours</button><button style='top:90px' onclick='clicks++'>Theirs</button>
                <input style='top:180px' aria-label=Name><script>var clicks = 0</script>")
            .await;
        let ours = json!({"cmd": "click", "target": {"ref": case.find("button", "Ours").await}});
        let name = case.find("textbox", "Name").await;
        let fill = json!({"cmd": "replace_text", "target": {"ref": name}, "text": "Ada"});
        let url = case.js("location.href").await;
        let page = sit_before(&person, url.as_str().unwrap()).await;
        let told = case.row(&[fill], Some(&ours)).await;
        assert!(told[0].is_ok(), "{told:?}");
        // It is given up soon, by itself.
        let patience = tokio::time::Instant::now() + std::time::Duration::from_secs(3);
        while case.js("clicks").await == json!(0) {
            assert!(
                tokio::time::Instant::now() < patience,
                "no click came through"
            );
            click_at(&person, &page, 45.0, 105.0).await;
        }
    });
}
