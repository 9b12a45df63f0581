//! A film of a real page, looked at by a real browser.

#![allow(clippy::unwrap_used, reason = "tests may fail loudly")]

mod common;

use common::with_browser;
use dragoman_model::Reply;
use serde_json::json;

const BEGIN: &str = r#"{"cmd":"film","on":true}"#;
const END: &str = r#"{"cmd":"film","on":false}"#;

#[test]
fn a_film_shows_what_happened() {
    with_browser(async |world| {
        let case = world
            .at("<style>body{background:red}</style><button onclick=\"document.body.style.background='blue'\">Go</button>")
            .await;
        assert_eq!(case.fails(END).await, "wrong_state");
        case.run(BEGIN).await;
        assert_eq!(case.fails(BEGIN).await, "wrong_state");
        case.run(r#"{"cmd":"click","target":{"text":"Go"}}"#).await;
        let next = world
            .site
            .page("/next", "<style>body{background:lime}</style>next");
        case.run(json!({"cmd": "navigate", "url": next}).to_string())
            .await;
        let Reply::Image(film) = case.run(END).await.reply else {
            panic!("no film");
        };
        assert_eq!(film.mime, "image/apng");
        // The colour in a corner of the first and of the last picture, and how many there are.
        let look = format!(
            "(async () => {{
               const body = await (await fetch('data:image/png;base64,{}')).arrayBuffer();
               const film = new ImageDecoder({{ data: body, type: 'image/png' }});
               await film.tracks.ready;
               const count = film.tracks.selectedTrack.frameCount;
               const corner = async (frameIndex) => {{
                 const {{ image }} = await film.decode({{ frameIndex }});
                 const canvas = new OffscreenCanvas(image.displayWidth, image.displayHeight);
                 const draw = canvas.getContext('2d');
                 draw.drawImage(image, 0, 0);
                 const [r, g, b] = draw.getImageData(image.displayWidth - 5, image.displayHeight - 5, 1, 1).data;
                 return [r, g, b].join();
               }};
               return [count, await corner(0), await corner(count - 1)];
             }})()",
            film.data
        );
        let seen = case.js(&look).await;
        assert!(seen[0].as_u64().unwrap() >= 2, "{seen}");
        assert_eq!(seen[2], json!("0,255,0"), "{seen}");
        assert_ne!(seen[1], seen[2], "{seen}");
    });
}
