//! What a command is aimed at.

use crate::{Command, Ref, Target};

/// `$to` is `&` or `&mut`, and `$inside` what makes that of an option.
macro_rules! aim_of {
    ($command:expr, $inside:ident, $($to:tt)+) => {
        match $command {
            Command::Click(c) => Some($($to)+ c.target),
            Command::Hover(c) => Some($($to)+ c.target),
            Command::Drag(c) => Some($($to)+ c.target),
            Command::Drop(c) => Some($($to)+ c.target),
            Command::ReplaceText(c) => Some($($to)+ c.target),
            Command::Clear(c) => Some($($to)+ c.target),
            Command::ScrollIntoView(c) => Some($($to)+ c.target),
            Command::Select(c) => Some($($to)+ c.target),
            Command::Check(c) => Some($($to)+ c.target),
            Command::Uncheck(c) => Some($($to)+ c.target),
            Command::Upload(c) => Some($($to)+ c.target),
            Command::OpenLink(c) => Some($($to)+ c.target),
            Command::Focus(c) => Some($($to)+ c.target),
            Command::Expand(c) => Some($($to)+ c.target),
            Command::Collapse(c) => Some($($to)+ c.target),
            Command::Blur(c) => c.target.$inside(),
            Command::Submit(c) => c.target.$inside(),
            Command::TakeSnapshot(c) => c.root.$inside(),
            Command::Type(c) => c.target.$inside(),
            Command::InsertText(c) => c.target.$inside(),
            Command::Press(c) => c.target.$inside(),
            Command::ScrollBy(c) => c.target.$inside(),
            Command::ScrollTo(c) => c.target.$inside(),
            Command::Highlight(c) => c.target.$inside(),
            Command::ReadText(c) => c.target.$inside(),
            Command::Screenshot(c) => c.target.$inside(),
            Command::Evaluate(c) => c.target.$inside(),
            _ => None,
        }
    };
}

impl Command {
    /// The element it is about, where it says so.
    pub fn target(&self) -> Option<&Target> {
        aim_of!(self, as_ref, &)
    }

    /// The same at an element that is known already; what is aimed at a point stays there.
    pub fn aimed_at(&self, element: Ref) -> Self {
        let mut copy = self.clone();
        if let Some(target) = aim_of!(&mut copy, as_mut, &mut)
            && !matches!(target, Target::Point(_))
        {
            *target = Target::Ref(element);
        }
        copy
    }
}
