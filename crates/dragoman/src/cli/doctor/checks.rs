//! What the doctor looks at, one function for each thing.

use super::{Check, Verdict};
use crate::cli::options::{BrowserArgs, journal_place};
use crate::config::{Config, Places, Surroundings};
use crate::journal::{Place, SqliteJournal};
use crate::trouble::Trouble;
use dragoman_browser::{find, install, launch};
use std::path::Path;
use std::time::Instant;

pub fn configuration(loaded: &Result<Config, Trouble>) -> Check {
    let name = "configuration";
    match loaded {
        Ok(config) if config.notes.is_empty() => {
            let places = Places::of(&Surroundings::of_this_process());
            let files: Vec<String> = [places.user, places.project]
                .into_iter()
                .flatten()
                .filter(|path| path.exists())
                .map(|path| path.display().to_string())
                .collect();
            match files.is_empty() {
                true => Check::ok(name, "no file, which is fine"),
                false => Check::ok(name, files.join(" and ")),
            }
        }
        Ok(config) => Check::new(
            name,
            Verdict::Warn,
            config.notes.join("; "),
            "`dragoman config` shows what holds, and where it came from.",
        ),
        Err(trouble) => Check::new(name, Verdict::Fail, &trouble.what, &trouble.next),
    }
}

pub fn browser(args: &BrowserArgs, config: &Config) -> Check {
    let name = "browser";
    if let Some(url) = &args.cdp {
        return Check::ok(name, format!("the one that runs at {url}"));
    }
    let found = match config.named_browser() {
        Some(path) => Ok(find::Found {
            path: path.to_owned(),
            how: find::How::Variable,
        }),
        None => find::find_browser(),
    };
    match found {
        Ok(found) => match found.version() {
            Some(version) => Check::ok(name, format!("{version} at {}", found.path.display())),
            None => Check::new(
                name,
                Verdict::Warn,
                format!("{} does not tell its version", found.path.display()),
                "If it does not start below, choose another with --browser PATH.",
            ),
        },
        Err(missing) => {
            let plan = install::plan();
            let fix = match plan.may_run {
                _ if std::env::var_os("DRAGOMAN_BROWSER").is_some() => {
                    "Set DRAGOMAN_BROWSER to a browser's program, or unset it.".to_owned()
                }
                true => "dragoman install-browser --yes".to_owned(),
                false => plan.say,
            };
            Check::new(name, Verdict::Fail, missing.to_string(), fix)
        }
    }
}

pub async fn start(args: &BrowserArgs, config: &Config) -> Check {
    let name = "start";
    let began = Instant::now();
    match launch::launch(&args.launch_options(config)).await {
        Ok(launched) => {
            let took = began.elapsed().as_millis();
            let product = launched.version.product.clone();
            launched.shutdown().await;
            Check::ok(name, format!("{product} answered after {took} ms"))
        }
        Err(fault) => Check::new(name, Verdict::Fail, fault.message, fault.suggestion),
    }
}

/// Chromium's own sandbox needs a user who is not root, and user namespaces.
pub fn sandbox() -> Check {
    let name = "sandbox";
    #[cfg(unix)]
    if rustix::process::geteuid().is_root() {
        return Check::new(
            name,
            Verdict::Warn,
            "you are root, so Chromium runs without its sandbox",
            "Run dragoman as an ordinary user, at least for pages you do not trust.",
        );
    }
    let says =
        |path: &str, bad: &str| std::fs::read_to_string(path).is_ok_and(|text| text.trim() == bad);
    if says("/proc/sys/kernel/unprivileged_userns_clone", "0") {
        return Check::new(
            name,
            Verdict::Warn,
            "user namespaces are switched off",
            "sudo sysctl -w kernel.unprivileged_userns_clone=1",
        );
    }
    Check::ok(name, "nothing stands in its way")
}

pub fn journal(config: &Config) -> Check {
    let name = "journal";
    let opened = journal_place(config).and_then(|place| {
        SqliteJournal::open(&place)?;
        Ok(place)
    });
    match opened {
        Ok(Place::Memory) => Check::ok(name, "in memory: nothing is kept"),
        Ok(Place::File(path)) => Check::ok(name, format!("{} can be written", path.display())),
        Err(error) => {
            let fix = error
                .downcast_ref::<crate::journal::JournalError>()
                .map(crate::journal::JournalError::advice);
            Check::new(
                name,
                Verdict::Fail,
                error.to_string(),
                fix.unwrap_or_default(),
            )
        }
    }
}

/// Without any font a page's text is empty boxes, and so is every picture of it.
pub fn fonts() -> Check {
    let name = "fonts";
    if !cfg!(target_os = "linux") {
        return Check::ok(name, "the system's own");
    }
    let mut places = vec!["/usr/share/fonts".into(), "/usr/local/share/fonts".into()];
    if let Some(home) = std::env::var_os("HOME") {
        let home = std::path::PathBuf::from(home);
        places.push(home.join(".fonts"));
        places.push(home.join(".local/share/fonts"));
    }
    let count: usize = places.iter().map(|place| count_fonts(place, 6)).sum();
    match count {
        0 => Check::new(
            name,
            Verdict::Warn,
            "none found: text in pictures would be empty boxes",
            "Install one, for example: apt-get install fonts-liberation",
        ),
        n => Check::ok(name, format!("{n} found")),
    }
}

fn count_fonts(folder: &Path, depth: u32) -> usize {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return 0;
    };
    let is_font = |path: &Path| {
        let end = path.extension().and_then(|end| end.to_str());
        end.is_some_and(|end| matches!(end, "ttf" | "otf" | "ttc" | "pfb" | "woff2"))
    };
    entries
        .flatten()
        .map(|entry| entry.path())
        .map(|path| match path.is_dir() {
            true if depth > 0 => count_fonts(&path, depth - 1),
            _ => usize::from(is_font(&path)),
        })
        .sum()
}

/// A profile takes some ten megabytes, and a full disk makes Chromium fail in odd ways.
pub fn temporary() -> Check {
    let name = "temporary";
    let folder = std::env::temp_dir();
    let probe = folder.join(crate::clock::new_name("dragoman-doctor"));
    if let Err(error) = std::fs::write(&probe, b"probe") {
        return Check::new(
            name,
            Verdict::Fail,
            format!("{} cannot be written: {error}", folder.display()),
            "Set TMPDIR to a folder that is yours to write.",
        );
    }
    let _ = std::fs::remove_file(&probe);
    match free_mb(&folder) {
        Some(free) if free < 200 => Check::new(
            name,
            Verdict::Warn,
            format!("only {free} MB free in {}", folder.display()),
            "Make room, or set TMPDIR to a folder with more.",
        ),
        Some(free) => Check::ok(name, format!("{free} MB free in {}", folder.display())),
        None => Check::ok(name, format!("{} can be written", folder.display())),
    }
}

/// Chromium draws through /dev/shm; a container's usual 64 MB is little.
pub fn shared_memory() -> Check {
    let name = "shared memory";
    match free_mb(Path::new("/dev/shm")) {
        Some(free) if free < 60 => Check::new(
            name,
            Verdict::Warn,
            format!("only {free} MB free in /dev/shm: large pages may crash"),
            "In a container: give it more (docker run --shm-size=1g).",
        ),
        Some(free) => Check::ok(name, format!("{free} MB free in /dev/shm")),
        None => Check::ok(name, "not used on this system"),
    }
}

#[cfg(unix)]
fn free_mb(folder: &Path) -> Option<u64> {
    let stat = rustix::fs::statvfs(folder).ok()?;
    Some(stat.f_bavail.saturating_mul(stat.f_frsize) >> 20)
}

#[cfg(not(unix))]
fn free_mb(_folder: &Path) -> Option<u64> {
    None
}
