//! Pictures that a chat speaks of by name, where nothing but text goes to it: kept as files for the person, who may
//! hand them on.
//!
//! Must not know: what is in them.

use crate::clock::new_name;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use std::path::PathBuf;

#[derive(Debug, Default)]
pub struct Pictures {
    folder: Option<PathBuf>,
}

impl Pictures {
    /// In a folder of its own, which is made with the first one.
    pub fn keep(&mut self, name: &str, data: &str) {
        let folder = self
            .folder
            .get_or_insert_with(|| std::env::temp_dir().join(new_name("dragoman-pictures")));
        let file = folder.join(name);
        let written = STANDARD
            .decode(data)
            .map_err(std::io::Error::other)
            .and_then(|bytes| {
                std::fs::create_dir_all(&*folder)?;
                std::fs::write(&file, bytes)
            });
        match written {
            Ok(()) => tracing::warn!("{name} is {}", file.display()),
            Err(error) => tracing::warn!("{name} cannot be written to {}: {error}", file.display()),
        }
    }
}
