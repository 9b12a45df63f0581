//! A value and where it came from.

use std::fmt;
use std::path::PathBuf;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting<T> {
    pub value: T,
    pub from: Source,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    Default,
    File(At),
    /// A list that the project's file added to.
    Files(At, At),
    /// The variable's name.
    Environment(&'static str),
    /// The flag, as it is typed.
    Flag(&'static str),
}

/// A line of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct At {
    pub path: PathBuf,
    pub whose: Whose,
    pub line: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Whose {
    User,
    /// May come with a repository that somebody else wrote.
    Project,
}

impl<T> Setting<T> {
    pub fn built_in(value: T) -> Self {
        Self {
            value,
            from: Source::Default,
        }
    }

    pub fn is_default(&self) -> bool {
        self.from == Source::Default
    }
}

impl Source {
    /// One word for programs.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::File(at) => match at.whose {
                Whose::User => "user",
                Whose::Project => "project",
            },
            Self::Files(..) => "files",
            Self::Environment(_) => "environment",
            Self::Flag(_) => "flag",
        }
    }
}

impl fmt::Display for At {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.path.display(), self.line)
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::File(at) => at.fmt(f),
            Self::Files(one, other) => write!(f, "{one} and {other}"),
            Self::Environment(name) => write!(f, "${name}"),
            Self::Flag(flag) => f.write_str(flag),
        }
    }
}
