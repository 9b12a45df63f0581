//! The sources, one on top of the other: a file, the environment. Flags are typed already and
//! need nothing of this.

use super::file::{File, describe};
use super::keys::{Config, KEYS, Key, Project};
use super::kinds::Kind;
use super::merge::Won;
use super::places::Surroundings;
use super::source::{At, Setting, Source, Whose};
use crate::term::one_line;
use crate::trouble::Trouble;
use dragoman_model::nearest;
use std::path::Path;

/// Something that may have a value for each setting.
pub trait Layer {
    fn lay<T: Kind>(&mut self, key: &'static Key, setting: &mut Setting<T>) -> Result<(), Trouble>;
}

impl Config {
    pub(super) fn lay_file(&mut self, file: &File) -> Result<(), Trouble> {
        let mut layer = FileLayer {
            file,
            notes: Vec::new(),
        };
        self.lay(&mut layer)?;
        self.notes.append(&mut layer.notes);
        for (tool, at) in &file.tools {
            match self.tool(tool.name()) {
                Some(own) => self.notes.push(format!(
                    "{at}: the tool `{}` is yours already ({}); a project's file cannot replace it",
                    tool.name(),
                    own.from
                )),
                None => self.tools.push(Setting {
                    value: tool.clone(),
                    from: Source::File(at.clone()),
                }),
            }
        }
        Ok(())
    }

    pub(super) fn lay_environment(&mut self, around: &Surroundings) -> Result<(), Trouble> {
        self.lay(&mut EnvironmentLayer { around })?;
        self.notes.extend(misspelt(around));
        Ok(())
    }
}

struct FileLayer<'a> {
    file: &'a File,
    notes: Vec<String>,
}

impl Layer for FileLayer<'_> {
    fn lay<T: Kind>(&mut self, key: &'static Key, setting: &mut Setting<T>) -> Result<(), Trouble> {
        let Some((value, at)) = self.file.get(key) else {
            return Ok(());
        };
        let is_project = self.file.whose == Whose::Project;
        if is_project && key.project == Project::Never {
            let what = format!("`{}` cannot be set by a project's file", key.name);
            let next = format!(
                "Take it out: whoever wrote this folder's files should not choose that for you. \
                 If it was you, set it in your own file (`dragoman config path`), in ${} or with {}.",
                key.env, key.flag
            );
            return Err(self.file.wrong(value.span(), &what, next));
        }
        let folder = self.file.path.parent().unwrap_or(Path::new(""));
        let read = T::from_toml(value, folder).map_err(|wrong| {
            let what = format!(
                "`{}` is {}, not {}",
                key.name,
                T::expected(),
                describe(wrong)
            );
            self.file.wrong(
                wrong.span(),
                &what,
                format!("{} See docs/config.md.", key.doc),
            )
        })?;
        if is_project && key.project == Project::Tighten {
            self.notes.extend(tighten(key, setting, read, at));
        } else {
            *setting = Setting {
                value: read,
                from: Source::File(at),
            };
        }
        Ok(())
    }
}

/// What the project wanted and does not get, if anything.
fn tighten<T: Kind>(key: &Key, setting: &mut Setting<T>, project: T, at: At) -> Option<String> {
    let merged = setting.value.tighten(project);
    let note = merged.refused.map(|refused| {
        let whose = match &setting.from {
            Source::Default => "the default".to_owned(),
            from => format!("what {from} says"),
        };
        format!(
            "{at}: `{} = {refused}` would loosen {whose}; a project's file can only tighten, so it \
             does not count",
            key.name
        )
    });
    setting.value = merged.value;
    setting.from = match (merged.won, &setting.from) {
        (Won::User, from) => from.clone(),
        (Won::Both, Source::File(own)) => Source::Files(own.clone(), at),
        _ => Source::File(at),
    };
    note
}

struct EnvironmentLayer<'a> {
    around: &'a Surroundings,
}

impl Layer for EnvironmentLayer<'_> {
    fn lay<T: Kind>(&mut self, key: &'static Key, setting: &mut Setting<T>) -> Result<(), Trouble> {
        let Some(text) = self.around.variable(key.env) else {
            return Ok(());
        };
        let value = T::from_os(text).ok_or_else(|| {
            let said = one_line(&text.to_string_lossy(), 60);
            let what = format!("${} is {}, not {said:?}", key.env, T::expected());
            Trouble::new(
                Trouble::USAGE,
                what,
                format!("Set it anew, or unset {}.", key.env),
            )
        })?;
        *setting = Setting {
            value,
            from: Source::Environment(key.env),
        };
        Ok(())
    }
}

const PREFIX: &str = "DRAGOMAN_";

/// Variables with our prefix that are nearly a setting. A rule that was misspelt protects nobody.
fn misspelt(around: &Surroundings) -> impl Iterator<Item = String> + '_ {
    let ends = || KEYS.iter().filter_map(|key| key.env.strip_prefix(PREFIX));
    around.variables.keys().filter_map(move |name| {
        let end = name.strip_prefix(PREFIX)?;
        if ends().any(|known| known == end) {
            return None;
        }
        let like = nearest(end, ends())?;
        Some(format!(
            "${name} is no setting; did you mean ${PREFIX}{like}?"
        ))
    })
}
