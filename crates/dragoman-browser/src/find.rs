//! Where the browser is: what the person set, what `PATH` knows, and the usual places.
//!
//! Must not know: how it is started. The search itself is a function of an `Environment`, so that
//! every system can be tested on any.

use dragoman_model::{Code, Fault};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The variable that names the browser to use; nothing else is tried when it is set.
pub const VARIABLE: &str = "DRAGOMAN_BROWSER";

/// In the order we like them: plain Chromium first, it is what we test with.
const NAMES: &[&str] = &[
    "chromium",
    "google-chrome",
    "google-chrome-stable",
    "chromium-browser",
    "chrome",
    "google-chrome-beta",
    "google-chrome-unstable",
    "microsoft-edge",
    "microsoft-edge-stable",
    "brave-browser",
    "brave",
    "vivaldi",
];

const LINUX: &[&str] = &[
    "/usr/bin/chromium",
    "/usr/bin/chromium-browser",
    "/usr/lib/chromium/chromium",
    "/usr/lib64/chromium-browser/chromium-browser",
    "/snap/bin/chromium",
    "/opt/google/chrome/chrome",
    "/opt/chromium/chrome",
    "/opt/microsoft/msedge/msedge",
    "/opt/brave.com/brave/brave",
];

/// Under `/Applications` and under the person's own.
const MACOS: &[&str] = &[
    "Chromium.app/Contents/MacOS/Chromium",
    "Google Chrome.app/Contents/MacOS/Google Chrome",
    "Google Chrome Canary.app/Contents/MacOS/Google Chrome Canary",
    "Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
    "Brave Browser.app/Contents/MacOS/Brave Browser",
];

/// Under each of the program directories.
const WINDOWS: &[&str] = &[
    r"Chromium\Application\chrome.exe",
    r"Google\Chrome\Application\chrome.exe",
    r"Microsoft\Edge\Application\msedge.exe",
    r"BraveSoftware\Brave-Browser\Application\brave.exe",
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum System {
    Linux,
    Macos,
    Windows,
}

/// All that the search wants to know of the world.
pub trait Environment {
    fn system(&self) -> System;
    fn variable(&self, name: &str) -> Option<OsString>;
    /// A browser that could be started, as far as a look at the file can tell.
    fn is_program(&self, path: &Path) -> bool;
    /// Names in a directory; none when it is not there.
    fn list(&self, directory: &Path) -> Vec<String>;
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    pub path: PathBuf,
    pub how: How,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// `DRAGOMAN_BROWSER` names it.
    Variable,
    Path,
    UsualPlace,
    /// Playwright downloaded it.
    Playwright,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotFound {
    #[error("{VARIABLE} is set to {0:?}, which is not a program")]
    NotUsable(PathBuf),
    #[error("no browser was found; looked for {}", .searched.join(", "))]
    Nowhere { searched: Vec<String> },
}

impl From<NotFound> for Fault {
    fn from(not_found: NotFound) -> Self {
        let suggestion = match &not_found {
            NotFound::NotUsable(_) => {
                format!("Set {VARIABLE} to the browser's program, or unset it.")
            }
            NotFound::Nowhere { .. } => format!(
                "Install Chromium (`dragoman doctor` says how), or set {VARIABLE} to a browser."
            ),
        };
        Fault::new(Code::NoBrowser, not_found.to_string()).suggest(suggestion)
    }
}

/// The browser of this machine.
pub fn find_browser() -> Result<Found, NotFound> {
    find_in(&ThisMachine)
}

pub fn find_in(environment: &impl Environment) -> Result<Found, NotFound> {
    if let Some(set) = environment.variable(VARIABLE).filter(|set| !set.is_empty()) {
        return find_set(environment, PathBuf::from(set));
    }
    let candidates = in_path(environment)
        .into_iter()
        .map(|path| (path, How::Path))
        .chain(
            usual_places(environment)
                .into_iter()
                .map(|path| (path, How::UsualPlace)),
        )
        .chain(
            of_playwright(environment)
                .into_iter()
                .map(|path| (path, How::Playwright)),
        );
    for (path, how) in candidates {
        if environment.is_program(&path) {
            return Ok(Found { path, how });
        }
    }
    Err(NotFound::Nowhere {
        searched: searched(environment),
    })
}

/// A path, or a name to be looked up in `PATH`.
fn find_set(environment: &impl Environment, set: PathBuf) -> Result<Found, NotFound> {
    let how = How::Variable;
    if environment.is_program(&set) && set.components().count() > 1 {
        return Ok(Found { path: set, how });
    }
    let in_path = path_directories(environment)
        .into_iter()
        .map(|directory| directory.join(&set))
        .find(|path| environment.is_program(path));
    match in_path {
        Some(path) if set.components().count() == 1 => Ok(Found { path, how }),
        _ => Err(NotFound::NotUsable(set)),
    }
}

fn path_directories(environment: &impl Environment) -> Vec<PathBuf> {
    let separator = match environment.system() {
        System::Windows => ';',
        System::Linux | System::Macos => ':',
    };
    let path = environment.variable("PATH").unwrap_or_default();
    path.to_string_lossy()
        .split(separator)
        // An empty entry means the working directory: no browser comes from there.
        .filter(|directory| !directory.is_empty())
        .map(PathBuf::from)
        .collect()
}

fn in_path(environment: &impl Environment) -> Vec<PathBuf> {
    let end = match environment.system() {
        System::Windows => ".exe",
        System::Linux | System::Macos => "",
    };
    let directories = path_directories(environment);
    NAMES
        .iter()
        .flat_map(|name| {
            directories
                .iter()
                .map(move |directory| directory.join(format!("{name}{end}")))
        })
        .collect()
}

fn usual_places(environment: &impl Environment) -> Vec<PathBuf> {
    let under = |roots: Vec<PathBuf>, places: &[&str]| {
        places
            .iter()
            .flat_map(|place| roots.iter().map(move |root| root.join(place)))
            .collect()
    };
    match environment.system() {
        System::Linux => LINUX.iter().map(PathBuf::from).collect(),
        System::Macos => {
            let mut roots = vec![PathBuf::from("/Applications")];
            roots.extend(home(environment).map(|home| home.join("Applications")));
            under(roots, MACOS)
        }
        System::Windows => {
            let roots = ["PROGRAMFILES", "PROGRAMFILES(X86)", "LOCALAPPDATA"]
                .into_iter()
                .filter_map(|name| environment.variable(name))
                .map(PathBuf::from)
                .collect();
            under(roots, WINDOWS)
        }
    }
}

/// What `npx playwright install chromium` left, the newest first.
fn of_playwright(environment: &impl Environment) -> Vec<PathBuf> {
    let (cache, program): (_, &[&str]) = match environment.system() {
        System::Linux => (
            home(environment).map(|home| home.join(".cache/ms-playwright")),
            &["chrome-linux64/chrome", "chrome-linux/chrome"],
        ),
        System::Macos => (
            home(environment).map(|home| home.join("Library/Caches/ms-playwright")),
            &["chrome-mac/Chromium.app/Contents/MacOS/Chromium"],
        ),
        System::Windows => (
            environment
                .variable("LOCALAPPDATA")
                .map(|local| PathBuf::from(local).join("ms-playwright")),
            &[r"chrome-win64\chrome.exe", r"chrome-win\chrome.exe"],
        ),
    };
    let Some(cache) = cache else {
        return Vec::new();
    };
    let mut builds: Vec<(u64, String)> = environment
        .list(&cache)
        .into_iter()
        .filter_map(|name| Some((name.strip_prefix("chromium-")?.parse().ok()?, name)))
        .collect();
    builds.sort_unstable_by(|a, b| b.cmp(a));
    builds
        .iter()
        .map(|(_, build)| cache.join(build))
        .flat_map(|build| program.iter().map(move |end| build.join(end)))
        .collect()
}

fn home(environment: &impl Environment) -> Option<PathBuf> {
    environment.variable("HOME").map(PathBuf::from)
}

/// For people: names rather than every name in every directory.
fn searched(environment: &impl Environment) -> Vec<String> {
    let names = format!("{} in PATH", NAMES.join(", "));
    std::iter::once(names)
        .chain(
            usual_places(environment)
                .iter()
                .map(|path| path.display().to_string()),
        )
        .chain(["browsers downloaded by Playwright".to_owned()])
        .collect()
}

impl Found {
    /// What it says of itself (`Chromium 156.0.…`). Starts the program, so only when asked; on
    /// Windows, where that would open a window, it is not known.
    pub fn version(&self) -> Option<String> {
        if cfg!(windows) {
            return None;
        }
        let output = Command::new(&self.path)
            .arg("--version")
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .output()
            .ok()?;
        let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        (output.status.success() && !text.is_empty()).then_some(text)
    }
}

struct ThisMachine;

impl Environment for ThisMachine {
    fn system(&self) -> System {
        if cfg!(windows) {
            System::Windows
        } else if cfg!(target_os = "macos") {
            System::Macos
        } else {
            System::Linux
        }
    }

    fn variable(&self, name: &str) -> Option<OsString> {
        std::env::var_os(name)
    }

    fn is_program(&self, path: &Path) -> bool {
        let Ok(metadata) = path.metadata() else {
            return false;
        };
        #[cfg(unix)]
        let may_run = std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o111 != 0;
        #[cfg(not(unix))]
        let may_run = true;
        metadata.is_file() && may_run && !is_ubuntu_stub(path, metadata.len())
    }

    fn list(&self, directory: &Path) -> Vec<String> {
        let Ok(entries) = std::fs::read_dir(directory) else {
            return Vec::new();
        };
        entries
            .flatten()
            .filter_map(|entry| entry.file_name().into_string().ok())
            .collect()
    }
}

/// Ubuntu's `chromium-browser` package is a script that only says to install the snap.
fn is_ubuntu_stub(path: &Path, size: u64) -> bool {
    const SNAP: &str = "/snap/bin/chromium";
    size < 8192
        && std::fs::read_to_string(path).is_ok_and(|text| text.contains(SNAP))
        && !Path::new(SNAP).exists()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::{BTreeMap, BTreeSet};

    struct Pretend {
        system: System,
        variables: BTreeMap<&'static str, &'static str>,
        programs: BTreeSet<PathBuf>,
    }

    impl Environment for Pretend {
        fn system(&self) -> System {
            self.system
        }
        fn variable(&self, name: &str) -> Option<OsString> {
            self.variables.get(name).map(OsString::from)
        }
        fn is_program(&self, path: &Path) -> bool {
            self.programs.contains(path)
        }
        fn list(&self, directory: &Path) -> Vec<String> {
            self.programs
                .iter()
                .filter_map(|path| path.strip_prefix(directory).ok()?.iter().next()?.to_str())
                .map(str::to_owned)
                .collect()
        }
    }

    fn check(
        system: System,
        variables: &[(&'static str, &'static str)],
        programs: &[&str],
        expected: Option<(&str, How)>,
    ) {
        let pretend = Pretend {
            system,
            variables: variables.iter().copied().collect(),
            programs: programs.iter().map(PathBuf::from).collect(),
        };
        let found = find_in(&pretend).ok().map(|found| (found.path, found.how));
        let expected = expected.map(|(path, how)| (PathBuf::from(path), how));
        assert_eq!(found, expected, "{variables:?} {programs:?}");
    }

    #[test]
    fn the_variable_comes_first_and_is_final() {
        let programs = ["/usr/bin/chromium", "/opt/mine/chrome", "/usr/bin/brave"];
        let path = ("PATH", "/usr/bin");
        check(
            System::Linux,
            &[path, (VARIABLE, "/opt/mine/chrome")],
            &programs,
            Some(("/opt/mine/chrome", How::Variable)),
        );
        check(
            System::Linux,
            &[path, (VARIABLE, "brave")],
            &programs,
            Some(("/usr/bin/brave", How::Variable)),
        );
        check(System::Linux, &[path, (VARIABLE, "/none")], &programs, None);
        check(System::Linux, &[path, (VARIABLE, "none")], &programs, None);
        check(
            System::Linux,
            &[path, (VARIABLE, "")],
            &programs,
            Some(("/usr/bin/chromium", How::Path)),
        );
    }

    #[test]
    fn a_better_name_wins_over_an_earlier_directory() {
        check(
            System::Linux,
            &[("PATH", "/a::/b")],
            &["/a/microsoft-edge", "/b/chromium"],
            Some(("/b/chromium", How::Path)),
        );
    }

    #[test]
    fn usual_places_come_after_path() {
        check(
            System::Linux,
            &[("PATH", "/usr/bin")],
            &["/opt/google/chrome/chrome"],
            Some(("/opt/google/chrome/chrome", How::UsualPlace)),
        );
        let edge = "/Users/a/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge";
        check(
            System::Macos,
            &[("HOME", "/Users/a")],
            &[edge],
            Some((edge, How::UsualPlace)),
        );
        let chrome = PathBuf::from(r"C:\Program Files").join(WINDOWS[1]);
        let chrome = chrome.to_str().unwrap();
        check(
            System::Windows,
            &[("PROGRAMFILES", r"C:\Program Files")],
            &[chrome],
            Some((chrome, How::UsualPlace)),
        );
    }

    #[test]
    fn the_newest_of_playwrights_is_the_last_resort() {
        check(
            System::Linux,
            &[("HOME", "/home/a")],
            &[
                "/home/a/.cache/ms-playwright/chromium-999/chrome-linux/chrome",
                "/home/a/.cache/ms-playwright/chromium-1200/chrome-linux64/chrome",
                "/home/a/.cache/ms-playwright/firefox-1/firefox/firefox",
            ],
            Some((
                "/home/a/.cache/ms-playwright/chromium-1200/chrome-linux64/chrome",
                How::Playwright,
            )),
        );
    }

    #[test]
    fn not_found_says_where_it_looked_and_what_to_do() {
        let pretend = Pretend {
            system: System::Linux,
            variables: BTreeMap::new(),
            programs: BTreeSet::new(),
        };
        let fault = Fault::from(find_in(&pretend).unwrap_err());
        assert_eq!(fault.code, Code::NoBrowser);
        assert!(fault.message.contains("google-chrome-stable") && fault.message.contains("/snap"));
        assert!(fault.suggestion.contains(VARIABLE));
    }
}
