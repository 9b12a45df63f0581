//! Acting on real pages in real Chromium: what was hit, what came of it, what is refused.

mod common;

use common::with_browser;
use dragoman_model::Effect;

#[test]
fn clicks_hit_and_say_what_changed() {
    with_browser(async |world| {
        let case = world
            .at("<button onclick=\"document.querySelector('#n').textContent='Count: 1'\">Add</button><a href=#x id=n>Count: 0</a>")
            .await;
        let add = case.find("button", "Add").await;
        let receipt = case.click_ref(add).await;
        assert_eq!(receipt.effect, Effect::Changed);
        assert_eq!(receipt.hit.as_ref().unwrap().name, "Add");
        let changed = &receipt.changes.as_ref().unwrap().changed;
        assert!(changed.iter().any(|n| n.name == "Count: 1"), "{changed:?}");
        let case = world.at("<button>Dead</button>").await;
        let receipt = case.click_ref(case.find("button", "Dead").await).await;
        assert_eq!(receipt.effect, Effect::None, "{receipt:?}");
    });
}
