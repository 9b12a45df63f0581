//! A picture of the surface: of a page as pixels, of a prompt as the text on its screen.
//!
//! Must not know: how it is taken.

use super::look::Look;
use super::trouble::Trouble;
use super::wire::ScreenshotResult;
use dragoman_model::{Code, Command, Fault, ReadText, Reply, Screenshot};

/// What it will be of.
#[derive(Debug, Clone, Copy)]
pub(super) struct Frame {
    width: u64,
    height: u64,
}

pub(super) fn aim(look: &Look) -> (Frame, Command) {
    let view = &look.0.viewport;
    let frame = Frame {
        width: view.width as u64,
        height: view.height as u64,
    };
    let command = match look.prompt() {
        Some(_) => ReadText {
            target: None,
            max: None,
        }
        .into(),
        None => Screenshot {
            target: None,
            full: None,
            annotate: None,
            format: None,
            quality: None,
            css_pixels: Some(true),
        }
        .into(),
    };
    (frame, command)
}

pub(super) fn result(frame: Frame, reply: Reply) -> Result<ScreenshotResult, Trouble> {
    let (data, mime) = match reply {
        Reply::Text(text) => (text.text, "text/plain".into()),
        Reply::Image(image) => (image.data, image.mime),
        _ => return Err(Fault::new(Code::Internal, "a picture came as something else").into()),
    };
    let Frame { width, height } = frame;
    Ok(ScreenshotResult {
        data,
        width,
        height,
        mime,
    })
}
