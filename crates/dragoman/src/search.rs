//! Finding files by name, in a thread of its own: told as it goes, bounded, stopped when nobody wants it any more.
//!
//! Must not know: who asks, and in which words.

use dragoman_dialects::ux::wire::File;
use dragoman_dialects::ux::{Found, Search};
use dragoman_model::{Code, Fault};
use globset::{GlobBuilder, GlobMatcher};
use ignore::{DirEntry, WalkBuilder};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, UNIX_EPOCH};

/// Between two words about how it goes.
const PACE: Duration = Duration::from_millis(100);
/// No search goes on for longer, or looks at more.
const PATIENCE: Duration = Duration::from_secs(30);
const MOST_SEARCHED: u64 = 2_000_000;

/// Ends the search when it is dropped.
#[derive(Debug)]
pub struct Searching(Arc<AtomicBool>);

impl Drop for Searching {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// `tell` is called from another thread, the last time with how it ended.
pub fn begin(
    search: Search,
    roots: Arc<[PathBuf]>,
    mut tell: impl FnMut(Found) + Send + 'static,
) -> Searching {
    let stop = Arc::<AtomicBool>::default();
    let searching = Searching(stop.clone());
    std::thread::spawn(move || {
        let prepared = folder(&search, &roots).and_then(|folder| {
            let wanted = Wanted::new(&search.query)?;
            Ok((folder, wanted))
        });
        match prepared {
            Ok((folder, wanted)) => walk(&folder, &wanted, search.most, &stop, tell),
            Err(fault) => tell(Found {
                over: Some(Err(fault)),
                ..Found::default()
            }),
        }
    });
    searching
}

/// Where to search: the first root, or a folder in one of them.
fn folder(search: &Search, roots: &[PathBuf]) -> Result<PathBuf, Fault> {
    let real: Vec<PathBuf> = roots.iter().filter_map(|r| r.canonicalize().ok()).collect();
    let Some(first) = real.first() else {
        let fault = Fault::new(Code::FileRefused, "No folder may be searched");
        return Err(fault.suggest("Start the program with --search-root DIR."));
    };
    let Some(named) = &search.folder else {
        return Ok(first.clone());
    };
    let folder = first.join(named).canonicalize().ok().filter(|f| f.is_dir());
    let shown: String = named.chars().take(200).collect();
    match folder {
        None => Err(Fault::new(
            Code::FileRefused,
            format!("There is no folder {shown:?}"),
        )),
        Some(folder) if real.iter().any(|root| folder.starts_with(root)) => Ok(folder),
        Some(_) => Err(Fault::new(
            Code::FileRefused,
            format!("{shown:?} lies outside of the folders that may be searched"),
        )
        .suggest("Search elsewhere, or start the program with --search-root DIR.")),
    }
}

/// A glob for the name or for the whole path, or a part of the name in letters of any case.
enum Wanted {
    Name(GlobMatcher),
    Path(GlobMatcher),
    Part(String),
}

impl Wanted {
    fn new(query: &str) -> Result<Self, Fault> {
        if !query.contains(['*', '?', '[', '{']) {
            return Ok(Self::Part(query.to_lowercase()));
        }
        let glob = GlobBuilder::new(query)
            .literal_separator(true)
            .build()
            .map_err(|error| {
                Fault::new(Code::BadArgument, format!("The query is no glob: {error}"))
                    .suggest("Write it like *.ts or src/**/*.rs.")
            })?;
        let matcher = glob.compile_matcher();
        Ok(match query.contains('/') {
            true => Self::Path(matcher),
            false => Self::Name(matcher),
        })
    }

    fn fits(&self, root: &Path, entry: &DirEntry) -> bool {
        let name = entry.file_name();
        match self {
            Self::Name(glob) => glob.is_match(name),
            Self::Path(glob) => {
                let inside = entry.path().strip_prefix(root);
                inside.is_ok_and(|path| glob.is_match(path))
            }
            Self::Part(part) => name
                .to_string_lossy()
                .to_lowercase()
                .contains(part.as_str()),
        }
    }
}

fn walk(root: &Path, wanted: &Wanted, most: u64, stop: &AtomicBool, mut tell: impl FnMut(Found)) {
    let branches = std::fs::read_dir(root).map_or(1, |entries| entries.count().max(1) as u64);
    let (began, mut told_at) = (Instant::now(), Instant::now());
    let (mut searched, mut found, mut branch) = (0, 0, 0);
    let mut new: Vec<File> = Vec::new();
    let mut complete = true;
    for entry in WalkBuilder::new(root).build().flatten() {
        if stop.load(Ordering::Relaxed) {
            return;
        }
        branch += u64::from(entry.depth() == 1);
        if entry.depth() == 0 {
            continue;
        }
        searched += 1;
        if wanted.fits(root, &entry) {
            new.push(file(&entry));
            found += 1;
        }
        if found >= most || searched >= MOST_SEARCHED || began.elapsed() > PATIENCE {
            complete = false;
            break;
        }
        if told_at.elapsed() >= PACE {
            told_at = Instant::now();
            tell(Found {
                files: std::mem::take(&mut new),
                searched,
                progress: (branch.saturating_sub(1) * 100 / branches).min(99),
                over: None,
            });
        }
    }
    tell(Found {
        files: new,
        searched,
        progress: 100,
        over: Some(Ok(complete)),
    });
}

fn file(entry: &DirEntry) -> File {
    let about = entry.metadata().ok();
    let is_directory = entry.file_type().is_some_and(|kind| kind.is_dir());
    let modified = about.as_ref().and_then(|about| about.modified().ok());
    let since = modified.and_then(|at| at.duration_since(UNIX_EPOCH).ok());
    File {
        path: entry.path().display().to_string(),
        name: entry.file_name().to_string_lossy().into_owned(),
        is_directory,
        size: about.filter(|_| !is_directory).map(|about| about.len()),
        modified_at: since.map(|since| since.as_millis() as u64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    fn search(root: &Path, query: &str, folder: Option<&str>, most: u64) -> (Vec<String>, Found) {
        let (sender, receiver) = mpsc::channel();
        let search = Search {
            number: 1,
            query: query.into(),
            folder: folder.map(Into::into),
            most,
        };
        let roots: Arc<[PathBuf]> = vec![root.to_owned()].into();
        let _searching = begin(search, roots, move |found| drop(sender.send(found)));
        let mut names = Vec::new();
        loop {
            let found = receiver.recv_timeout(PATIENCE).unwrap();
            names.extend(found.files.iter().map(|file| file.name.clone()));
            if found.over.is_some() {
                names.sort();
                return (names, found);
            }
        }
    }

    #[test]
    fn files_are_found_by_glob_and_by_part_within_the_root() {
        let root = std::env::temp_dir().join(format!("dragoman-search-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&root);
        std::fs::create_dir_all(root.join("src/deep")).unwrap();
        for name in [
            "main.ts",
            "src/lib.ts",
            "src/deep/More.rs",
            "notes.txt",
            "ignored.ts",
        ] {
            std::fs::write(root.join(name), "x").unwrap();
        }
        std::fs::write(root.join(".ignore"), "ignored.ts").unwrap();
        let check = |query: &str, folder: Option<&str>, want: &[&str]| {
            let (names, last) = search(&root, query, folder, 100);
            assert_eq!(names, want, "{query}");
            assert_eq!(last.over, Some(Ok(true)));
        };
        check("*.ts", None, &["lib.ts", "main.ts"]);
        check("src/**/*.rs", None, &["More.rs"]);
        check("MORE", None, &["More.rs"]);
        check("*.ts", Some("src"), &["lib.ts"]);
        check("none", None, &[]);
        let (names, last) = search(&root, "*", None, 2);
        assert_eq!((names.len(), last.over), (2, Some(Ok(false))));
        for folder in ["..", "/", "nowhere", "main.ts"] {
            let (_, last) = search(&root, "*", Some(folder), 9);
            let refused = last.over.unwrap().unwrap_err();
            assert_eq!(refused.code, Code::FileRefused, "{folder}");
        }
        let (_, last) = search(&root, "[", None, 9);
        assert_eq!(last.over.unwrap().unwrap_err().code, Code::BadArgument);
        std::fs::remove_dir_all(&root).unwrap();
    }
}
