//! What a page looks like: screenshots and PDF. Must not know what is on it.

use crate::cdp::protocol::{page, runtime};
use crate::frames;
use crate::look::{Found, View};
use crate::page::wire::{Marked, call};
use dragoman_model::{Code, Done, Failure, Fault, Image, ImageFormat, Pdf, Ref, Reply, Screenshot};
use serde_json::json;

/// A picture of a very long page is cut here; browsers cannot draw more.
const TALLEST: f64 = 16_384.0;

impl View {
    pub async fn screenshot(&self, ask: &Screenshot) -> Result<Done, Failure> {
        let annotate = ask.annotate.unwrap_or(false);
        let early = match annotate {
            true => None,
            false => self.as_it_is(ask).await?,
        };
        let (picture, refs) = match early {
            Some(picture) => (Ok(picture), Vec::new()),
            None => {
                let clip = self.clip(ask).await?;
                let refs = if annotate {
                    self.mark_refs(true).await?
                } else {
                    Vec::new()
                };
                let picture = self.capture(ask, clip).await;
                if annotate {
                    self.mark_refs(false).await?;
                }
                (picture, refs)
            }
        };
        let mime = match ask.format.unwrap_or_default() {
            ImageFormat::Png => "image/png",
            ImageFormat::Jpeg => "image/jpeg",
            ImageFormat::Webp => "image/webp",
        };
        let image = Image {
            mime: mime.into(),
            data: picture?.data,
            refs,
        };
        Ok(Reply::Image(image).into())
    }

    /// The viewport in CSS pixels, where these are the screen's own: that is asked for together with the picture, as
    /// mostly they are.
    async fn as_it_is(&self, ask: &Screenshot) -> Result<Option<page::Captured>, Fault> {
        let plain = ask.target.is_none() && !ask.full.unwrap_or(false);
        if !plain || !ask.css_pixels.unwrap_or(false) {
            return Ok(None);
        }
        let ask_metrics = page::GetLayoutMetrics::default();
        let (metrics, picture) = tokio::join!(self.tab.ask(&ask_metrics), self.capture(ask, None));
        match is_fine(pixels_per_css(&metrics?)) {
            true => Ok(None),
            false => picture.map(Some),
        }
    }

    /// What of the page is taken, and how large; `None`: the viewport, as it is.
    async fn clip(&self, ask: &Screenshot) -> Result<Option<page::Clip>, Fault> {
        let (full, css) = (ask.full.unwrap_or(false), ask.css_pixels.unwrap_or(false));
        if ask.target.is_none() && !full && !css {
            return Ok(None);
        }
        // Aiming at an element may scroll; where things are is asked behind it.
        let found = match &ask.target {
            Some(target) => Some(self.find(target, "drop", None, None).await?),
            None => None,
        };
        let metrics = self.tab.ask(&page::GetLayoutMetrics::default()).await?;
        let view = &metrics.css_layout_viewport;
        let fine = if css { pixels_per_css(&metrics) } else { 1.0 };
        let mut clip = match (&found, full) {
            (Some(found), _) => clip_of(found, view)?,
            (None, true) => whole_page(&metrics),
            (None, false) if !is_fine(fine) => return Ok(None),
            (None, false) => {
                let [width, height] = self.inner_size().await?;
                page::Clip {
                    x: view.page_x,
                    y: view.page_y,
                    width,
                    height,
                    scale: 1.0,
                }
            }
        };
        clip.scale /= fine;
        Ok(Some(clip))
    }

    /// Of the viewport, scroll bars and all; the browser's own metrics leave them out.
    async fn inner_size(&self) -> Result<[f64; 2], Fault> {
        let ask = runtime::Evaluate {
            expression: "[innerWidth, innerHeight]".into(),
            unique_context_id: self.world().map(|world| world.unique.to_string()),
            return_by_value: Some(true),
            ..Default::default()
        };
        let size = self.tab.ask(&ask).await?.result.value;
        let size = size.and_then(|size| serde_json::from_value(size).ok());
        size.ok_or_else(|| Fault::new(Code::Internal, "the page does not say how large it is"))
    }

    async fn capture(
        &self,
        ask: &Screenshot,
        clip: Option<page::Clip>,
    ) -> Result<page::Captured, Fault> {
        let format = match ask.format.unwrap_or_default() {
            ImageFormat::Png => page::ImageFormat::Png,
            ImageFormat::Jpeg => page::ImageFormat::Jpeg,
            ImageFormat::Webp => page::ImageFormat::Webp,
        };
        let call = page::CaptureScreenshot {
            format: Some(format),
            quality: ask
                .quality
                .filter(|_| format != page::ImageFormat::Png)
                .map(|q| q.min(100)),
            capture_beyond_viewport: Some(clip.is_some()),
            clip,
            optimize_for_speed: Some(true),
            ..Default::default()
        };
        self.tab.ask(&call).await
    }

    async fn mark_refs(&self, on: bool) -> Result<Vec<Ref>, Fault> {
        let mut refs = Vec::new();
        for group in frames::groups(&self.tab).await? {
            let ask = json!({ "on": on });
            let marked: Marked = self.tab.call(&group.world, call::MARKS, &ask).await?;
            refs.extend(marked.refs.into_iter().map(Ref));
        }
        Ok(refs)
    }

    pub async fn pdf(&self, ask: &Pdf) -> Result<Done, Failure> {
        let call = page::PrintToPdf {
            landscape: ask.landscape,
            print_background: Some(ask.background.unwrap_or(true)),
            ..Default::default()
        };
        let pending = self.tab.connection.send(Some(&self.tab.cdp), &call);
        match self.tab.or_trouble(pending).await.map_err(Fault::from)? {
            Ok(printed) => Ok(Reply::Pdf { data: printed.data }.into()),
            Err(error) => {
                let fault = Fault::new(Code::Unsupported, format!("cannot print: {error}"));
                Err(fault
                    .suggest("Printing to PDF needs a browser without a window.")
                    .into())
            }
        }
    }
}

/// How many of the screen's pixels there are to one of CSS, in each direction.
fn pixels_per_css(metrics: &page::LayoutMetrics) -> f64 {
    match metrics.css_layout_viewport.client_width {
        width if width > 0.0 => metrics.layout_viewport.client_width / width,
        _ => 1.0,
    }
}

fn is_fine(pixels_per_css: f64) -> bool {
    (pixels_per_css - 1.0).abs() >= 0.01
}

fn clip_of(found: &Found, view: &page::LayoutViewport) -> Result<page::Clip, Fault> {
    let [x, y, width, height] = found.aimed.area.unwrap_or_default();
    if width < 1.0 || height < 1.0 {
        return Err(Fault::new(Code::Hidden, "the element has no size"));
    }
    Ok(page::Clip {
        x: x + found.offset.0 + view.page_x,
        y: y + found.offset.1 + view.page_y,
        width,
        height,
        scale: 1.0,
    })
}

fn whole_page(metrics: &page::LayoutMetrics) -> page::Clip {
    let size = &metrics.css_content_size;
    page::Clip {
        x: 0.0,
        y: 0.0,
        width: size.width.min(TALLEST),
        height: size.height.min(TALLEST),
        scale: 1.0,
    }
}
