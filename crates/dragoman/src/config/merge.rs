//! What comes of a value when a project's file has one, too: it can only make things stricter.

use super::kinds::Kind;
use serde_json::Value as Json;

pub trait Tighten: Sized {
    /// The user's value (or what is built in) together with the project's.
    fn tighten(&self, project: Self) -> Merged<Self> {
        Merged::projects(project)
    }
}

#[derive(Debug)]
pub struct Merged<T> {
    pub value: T,
    pub won: Won,
    /// What the project wanted and does not get.
    pub refused: Option<Json>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Won {
    User,
    Project,
    Both,
}

impl<T> Merged<T> {
    pub fn projects(value: T) -> Self {
        Self {
            value,
            won: Won::Project,
            refused: None,
        }
    }

    pub fn users(value: T, refused: Option<Json>) -> Self {
        Self {
            value,
            won: Won::User,
            refused,
        }
    }

    pub fn both(value: T) -> Self {
        Self {
            won: Won::Both,
            ..Self::projects(value)
        }
    }
}

impl<T: Kind> Merged<T> {
    pub fn stricter(user: T, project: T, project_is_as_strict: bool) -> Self {
        match project_is_as_strict {
            true => Self::projects(project),
            false => Self::users(user, Some(project.to_json())),
        }
    }
}
