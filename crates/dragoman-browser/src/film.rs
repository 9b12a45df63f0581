//! Filming a tab: the browser sends a picture whenever something has moved, some ten times a second at
//! most. Must not know how a film is written.

use crate::apng;
use crate::cdp::protocol::page;
use crate::look::View;
use crate::tab::Tab;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use dragoman_model::{Code, Done, Failure, Fault, Image, Reply};
use std::rc::Rc;
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// The next picture is asked for after this long.
const PAUSE: Duration = Duration::from_millis(100);
/// With more than this, every second picture is dropped: a long film gets coarser, not cut.
const MOST_PICTURES: usize = 600;
const MOST_BYTES: usize = 24 << 20;

#[derive(Debug)]
pub(crate) struct Film {
    pictures: Vec<(Instant, Vec<u8>)>,
    /// Of so many that come, one is kept.
    every: usize,
    seen: usize,
}

impl Film {
    fn new() -> Self {
        Self {
            pictures: Vec::new(),
            every: 1,
            seen: 0,
        }
    }

    fn push(&mut self, at: Instant, png: Vec<u8>) {
        self.seen += 1;
        if !(self.seen - 1).is_multiple_of(self.every) {
            return;
        }
        self.pictures.push((at, png));
        let bytes: usize = self.pictures.iter().map(|(_, png)| png.len()).sum();
        if self.pictures.len() > MOST_PICTURES || bytes > MOST_BYTES {
            let mut at = 0;
            self.pictures.retain(|_| {
                at += 1;
                at % 2 == 1
            });
            self.every *= 2;
        }
    }

    fn written(&self, end: Instant) -> Option<Vec<u8>> {
        let ends = self.pictures.iter().skip(1).map(|(at, _)| *at).chain([end]);
        let pictures = self.pictures.iter().zip(ends);
        let shown: Vec<_> = pictures
            .map(|((at, png), end)| (png.as_slice(), end.duration_since(*at)))
            .collect();
        apng::write(&shown)
    }
}

/// A picture came.
pub(crate) fn frame(tab: &Rc<Tab>, frame: page::ScreencastFrame) {
    let mut film = tab.film.borrow_mut();
    let Some(film) = film.as_mut() else { return };
    if let Ok(png) = STANDARD.decode(frame.data) {
        film.push(Instant::now(), png);
    }
    let tab = tab.clone();
    tokio::task::spawn_local(async move {
        sleep(PAUSE).await;
        let session_id = frame.session_id;
        tab.tell(&page::ScreencastFrameAck { session_id });
    });
}

impl View {
    pub async fn film(&self, on: bool) -> Result<Done, Failure> {
        match on {
            true => self.begin_film().await,
            false => self.end_film().await,
        }
    }

    async fn begin_film(&self) -> Result<Done, Failure> {
        if self.tab.film.borrow().is_some() {
            let fault = Fault::new(Code::WrongState, "the tab is being filmed already");
            return Err(fault.suggest("End that first.").into());
        }
        self.tab.film.borrow_mut().replace(Film::new());
        let begin = page::StartScreencast {
            format: Some(page::ImageFormat::Png),
            every_nth_frame: Some(1),
        };
        if let Err(fault) = self.tab.ask(&begin).await {
            self.tab.film.borrow_mut().take();
            return Err(fault.into());
        }
        Ok(Reply::Nothing.into())
    }

    async fn end_film(&self) -> Result<Done, Failure> {
        let Some(mut film) = self.tab.film.borrow_mut().take() else {
            let fault = Fault::new(Code::WrongState, "the tab is not being filmed");
            return Err(fault
                .suggest("Begin first; a film ends with its tab.")
                .into());
        };
        let end = Instant::now();
        self.tab.tell(&page::StopScreencast::default());
        // Nothing moved, or it moved just now: what is there at the end belongs to it.
        let last = page::CaptureScreenshot {
            format: Some(page::ImageFormat::Png),
            ..Default::default()
        };
        let last = self.tab.ask(&last).await?;
        if let Ok(png) = STANDARD.decode(last.data) {
            film.every = 1;
            film.push(end, png);
        }
        let film = film.written(end + PAUSE);
        let film = film.ok_or_else(|| Fault::new(Code::Internal, "there is no picture"))?;
        let image = Image {
            mime: "image/apng".into(),
            data: STANDARD.encode(film),
            refs: Vec::new(),
        };
        Ok(Reply::Image(image).into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_film_gets_coarser() {
        let mut film = Film::new();
        let began = Instant::now();
        for at in 0..5_000_u64 {
            film.push(began + Duration::from_secs(at), Vec::new());
        }
        assert!(film.pictures.len() <= MOST_PICTURES + 1);
        assert_eq!(film.pictures[0].0, began);
        let gaps: Vec<_> = film
            .pictures
            .windows(2)
            .map(|two| two[1].0 - two[0].0)
            .collect();
        let (least, most) = (gaps.iter().min(), gaps.iter().max());
        assert!(
            most <= least.map(|gap| *gap * 2).as_ref(),
            "{least:?} to {most:?}"
        );
    }
}
