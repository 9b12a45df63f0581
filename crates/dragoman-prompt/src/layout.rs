//! Where everything is on a screen of a given size, in character cells. The picture, the mouse and the
//! bounds in a snapshot all come from here.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    pub width: u16,
    pub height: u16,
}

impl Default for Size {
    fn default() -> Self {
        Self {
            width: 80,
            height: 24,
        }
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Area {
    pub x: u16,
    pub y: u16,
    pub width: u16,
    pub height: u16,
}

impl Area {
    pub fn has(&self, x: u16, y: u16) -> bool {
        x >= self.x && x < self.x + self.width && y >= self.y && y < self.y + self.height
    }

    /// One row of it, if it has so many.
    pub fn row(&self, row: usize) -> Option<Area> {
        let row = u16::try_from(row).ok().filter(|row| *row < self.height)?;
        Some(Area {
            y: self.y + row,
            height: 1,
            ..*self
        })
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Areas {
    /// The filter line, or the title.
    pub head: Area,
    pub body: Area,
    /// Beside the body, where there is something to show and room for it.
    pub preview: Option<Area>,
    pub foot: Area,
}

/// Below this there is no room for a preview.
const WIDE: u16 = 60;

/// `most_rows`: what the body needs at most; 0: all there is.
pub fn areas(size: Size, with_preview: bool, most_rows: u16) -> Areas {
    let Size { width, height } = size;
    let row = |y: u16, rows: u16| Area {
        x: 0,
        y,
        width,
        height: rows,
    };
    let head = row(0, 1.min(height));
    let foot = row(height.saturating_sub(1).max(1), u16::from(height >= 2));
    // A rule between the head and the rest, where there is room.
    let top = 1 + u16::from(height >= 5);
    let rows = height.saturating_sub(top + 1);
    let rows = match most_rows {
        0 => rows,
        most => rows.min(most),
    };
    let mut body = row(top, rows);
    let mut preview = None;
    if with_preview && width >= WIDE {
        let left = width / 2;
        preview = Some(Area {
            x: left + 1,
            width: width - left - 1,
            ..body
        });
        body.width = left;
    }
    Areas {
        head,
        body,
        preview,
        foot,
    }
}

/// What can be clicked at the foot, from the left: submit, cancel, actions.
pub const FOOT: [(&str, u16); 3] = [
    ("Enter submit", 14),
    ("Esc cancel", 12),
    ("Ctrl+K actions", 16),
];

pub fn foot_part(foot: Area, at: usize) -> Area {
    let before: u16 = FOOT[..at].iter().map(|(_, width)| width).sum();
    Area {
        x: before.min(foot.width),
        width: FOOT[at].1.min(foot.width.saturating_sub(before)),
        ..foot
    }
}

/// The menu of actions lies over the body, at its end.
pub fn menu(size: Size, count: usize) -> Area {
    let all = areas(size, false, 0);
    let height = u16::try_from(count)
        .unwrap_or(u16::MAX)
        .min(all.body.height);
    let width = all.body.width.min(44);
    Area {
        x: all.body.width - width,
        y: all.body.y + all.body.height - height,
        width,
        height,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_leaves_the_screen() {
        for width in 0..=100 {
            for height in 0..=30 {
                for preview in [true, false] {
                    let all = areas(Size { width, height }, preview, height % 7);
                    let parts = [Some(all.head), Some(all.body), all.preview, Some(all.foot)];
                    for area in parts.into_iter().flatten().filter(|a| a.height > 0) {
                        assert!(area.x + area.width <= width, "{width}x{height} {all:?}");
                        assert!(area.y + area.height <= height, "{width}x{height} {all:?}");
                    }
                }
            }
        }
    }
}
