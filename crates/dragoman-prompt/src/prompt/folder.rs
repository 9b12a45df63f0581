//! From one folder into another.

use super::{Out, Prompt};
use crate::form::Content;
use crate::key::{Key, Press};
use crate::list::List;

impl Prompt {
    pub(super) fn key_in_folder(&mut self, key: Key) -> bool {
        match key.code {
            Press::Tab if key.shift => self.leave_folder(),
            Press::Tab => self.enter_folder(),
            Press::Right if self.caret_at_end() => self.enter_folder(),
            Press::Left | Press::Backspace if self.input().is_empty() => self.leave_folder(),
            _ => return false,
        }
        true
    }

    fn caret_at_end(&self) -> bool {
        match self.fields.first().map(|field| &field.content) {
            Some(Content::Text { text, .. }) => text.before_caret().len() == text.as_str().len(),
            _ => true,
        }
    }

    fn enter_folder(&mut self) {
        let selected = self.list.as_ref().and_then(List::selected);
        let folder = selected.filter(|(_, choice)| choice.name.ends_with('/'));
        if let Some((_, choice)) = folder {
            let folder = choice.value.clone();
            self.go_to(folder);
        }
    }

    fn leave_folder(&mut self) {
        let here = self.folder.trim_end_matches('/');
        let up = match here.rsplit_once('/') {
            _ if here.is_empty() => return,
            _ if here == "." || here == ".." || here.ends_with("/..") => format!("{here}/.."),
            Some(("", _)) => "/".into(),
            Some((up, _)) => up.into(),
            None => ".".into(),
        };
        self.go_to(up);
    }

    fn go_to(&mut self, folder: String) {
        self.folder.clone_from(&folder);
        self.write(0, |text| text.set(""));
        self.version += 1;
        self.out.push(Out::Folder(folder));
    }
}
