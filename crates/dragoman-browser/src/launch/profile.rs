//! The browser's profile directory: a throw-away one that is removed at the end, or a person's
//! own. Throw-away directories of runs that died are found by their unheld lock and removed.
//!
//! Must not know: processes, flags.

use super::Ahead;
use dragoman_model::{Code, Fault};
use serde_json::json;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

const PREFIX: &str = "dragoman-profile-";

/// Held while the directory is in use. A lock, not a process number: numbers are used again, and
/// mean nothing in another container that shares this temporary directory.
const LOCK: &str = "dragoman.lock";

/// A directory without a lock is left alone for so long.
const HALF_MADE: Duration = Duration::from_secs(60);

#[derive(Debug)]
pub(super) struct Profile {
    path: PathBuf,
    /// Of a throw-away profile; its file stays locked as long as we live.
    lock: Option<File>,
}

impl Profile {
    pub fn open(own: Option<&Path>) -> Result<Self, Fault> {
        match own {
            Some(path) => Self::persistent(path),
            None => Self::throw_away_in(&std::env::temp_dir()).map_err(|error| {
                let message = format!("no temporary profile could be made: {error}");
                Fault::new(Code::NoBrowser, message)
                    .suggest("Free some space, or set TMPDIR to a directory that can be written.")
            }),
        }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What is set in a profile that is new; a person's own is left as it is.
    pub fn set_up(&self, ahead: Ahead) {
        let mut settings = match self.lock.is_some() {
            // Passwords and forms are the operator's to fill in; no address is told to anybody but its server, and
            // what to warn of was never fetched. Without all of these a page is there sooner.
            true => json!({
                "autofill": { "enabled": false, "profile_enabled": false, "credit_card_enabled": false },
                "credentials_enable_service": false,
                "safebrowsing": { "enabled": false, "enhanced": false },
                "search": { "suggest_enabled": false },
                "alternate_error_pages": { "enabled": false },
            }),
            false => json!({}),
        };
        if ahead == Ahead::Never {
            settings["net"] = json!({ "network_prediction_options": 2 });
        }
        let folder = self.path.join("Default");
        let file = folder.join("Preferences");
        if settings == json!({}) || file.exists() {
            return;
        }
        let written =
            fs::create_dir_all(&folder).and_then(|()| fs::write(&file, settings.to_string()));
        if let Err(error) = written {
            tracing::warn!(path = %file.display(), %error, "settings not written");
        }
    }

    fn persistent(path: &Path) -> Result<Self, Fault> {
        let unusable = |error: io::Error| {
            let message = format!("the profile {} cannot be used: {error}", path.display());
            Fault::new(Code::NoBrowser, message)
                .suggest("Name a directory that exists, or that can be made.")
        };
        fs::create_dir_all(path).map_err(unusable)?;
        // Chromium resolves a relative path against its own working directory.
        let path = path.canonicalize().map_err(unusable)?;
        if let Some(user) = user_of(&path) {
            let message = format!("the profile {} is in use by {user}", path.display());
            return Err(Fault::new(Code::NoBrowser, message).suggest(
                "Close that browser, choose another profile directory, or leave the profile out.",
            ));
        }
        Ok(Self { path, lock: None })
    }

    fn throw_away_in(parent: &Path) -> io::Result<Self> {
        let process = std::process::id();
        let mut last = io::Error::from(io::ErrorKind::AlreadyExists);
        for attempt in 0..1000 {
            let path = parent.join(format!("{PREFIX}{process}-{attempt}"));
            match make_private_dir(&path) {
                Ok(()) => {}
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                Err(error) => return Err(error),
            }
            let lock = File::create_new(path.join(LOCK))?;
            match lock.try_lock() {
                Ok(()) => {
                    let lock = Some(lock);
                    return Ok(Self { path, lock });
                }
                // Somebody's sweep was faster than we, and removes it: take the next.
                Err(error) => last = error.into(),
            }
        }
        Err(last)
    }
}

/// A throw-away profile is removed; a person's own never.
impl Drop for Profile {
    fn drop(&mut self) {
        if self.lock.is_some()
            && let Err(error) = remove_patiently(&self.path)
        {
            // The next start sweeps it.
            tracing::warn!(path = %self.path.display(), %error, "profile not removed");
        }
    }
}

fn make_private_dir(path: &Path) -> io::Result<()> {
    #[cfg(unix)]
    let made = {
        use std::os::unix::fs::DirBuilderExt as _;
        fs::DirBuilder::new().mode(0o700).create(path)
    };
    #[cfg(not(unix))]
    let made = fs::create_dir(path);
    made
}

/// A helper of the browser may still write for a moment after its main process has gone.
fn remove_patiently(path: &Path) -> io::Result<()> {
    let mut result = Ok(());
    for attempt in 0..6 {
        if attempt > 0 {
            std::thread::sleep(Duration::from_millis(1 << (attempt + 2)));
        }
        result = match fs::remove_dir_all(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            result => result,
        };
        if result.is_ok() {
            break;
        }
    }
    result
}

/// Removes what earlier runs left behind when they were killed. On a thread of its own: nobody
/// waits for it, and when we end first the next run goes on with it.
pub(super) fn sweep_in_background() {
    let swept = std::thread::Builder::new()
        .name("profile-sweep".into())
        .spawn(|| sweep(&std::env::temp_dir()));
    if let Err(error) = swept {
        tracing::debug!(%error, "no sweep of old profiles");
    }
}

fn sweep(parent: &Path) {
    let Ok(entries) = fs::read_dir(parent) else {
        return;
    };
    for entry in entries.flatten() {
        let path = entry.path();
        if !entry.file_name().to_string_lossy().starts_with(PREFIX) || !is_our_dir(&path) {
            continue;
        }
        let removed = match File::open(path.join(LOCK)) {
            // Held by us while we remove it, so that no two sweeps meet.
            Ok(lock) => match lock.try_lock() {
                Ok(()) => remove_patiently(&path),
                Err(TryLockError::WouldBlock | TryLockError::Error(_)) => continue,
            },
            // Half made, or half removed; if it was made just now its lock is still to come.
            Err(_) if is_old(&path) => remove_patiently(&path),
            Err(_) => continue,
        };
        tracing::debug!(path = %path.display(), ?removed, "swept an old profile");
    }
}

fn is_old(path: &Path) -> bool {
    let modified = path.metadata().and_then(|metadata| metadata.modified());
    modified.is_ok_and(|time| time.elapsed().is_ok_and(|age| age > HALF_MADE))
}

/// A directory, not a link to one, and made by this user.
fn is_our_dir(path: &Path) -> bool {
    let Ok(metadata) = path.symlink_metadata() else {
        return false;
    };
    #[cfg(unix)]
    let ours =
        std::os::unix::fs::MetadataExt::uid(&metadata) == rustix::process::geteuid().as_raw();
    #[cfg(not(unix))]
    let ours = true;
    metadata.is_dir() && ours
}

/// The browser that uses a profile now, from the lock Chromium keeps in it: `SingletonLock` is a
/// link to `host-process`. A lock of this host counts only while somebody answers its socket; a
/// browser that was killed leaves it behind, and Chromium itself takes it over.
fn user_of(profile: &Path) -> Option<String> {
    let lock = fs::read_link(profile.join("SingletonLock")).ok()?;
    let lock = lock.to_string_lossy();
    let (host, process) = lock.rsplit_once('-')?;
    if host != this_host() {
        return Some(format!("process {process} on the computer {host}"));
    }
    socket_answers(profile).then(|| format!("the browser with process number {process}"))
}

#[cfg(unix)]
fn this_host() -> String {
    rustix::system::uname()
        .nodename()
        .to_string_lossy()
        .into_owned()
}

#[cfg(unix)]
fn socket_answers(profile: &Path) -> bool {
    // The link itself may be too long for a socket's address; what it points to is not.
    fs::read_link(profile.join("SingletonSocket"))
        .is_ok_and(|socket| std::os::unix::net::UnixStream::connect(socket).is_ok())
}

/// Windows has no such links: there Chromium's own check has the word.
#[cfg(not(unix))]
fn this_host() -> String {
    String::new()
}

#[cfg(not(unix))]
fn socket_answers(_: &Path) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A directory of this test alone, removed at its end.
    struct Place(PathBuf);

    impl Place {
        fn new(name: &str) -> Self {
            let path =
                std::env::temp_dir().join(format!("dragoman-test-{name}-{}", std::process::id()));
            fs::create_dir_all(&path).unwrap();
            Self(path)
        }

        fn names(&self) -> Vec<String> {
            let mut names: Vec<_> = fs::read_dir(&self.0)
                .unwrap()
                .map(|entry| entry.unwrap().file_name().into_string().unwrap())
                .collect();
            names.sort();
            names
        }
    }

    impl Drop for Place {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn a_throw_away_profile_goes_with_its_owner() {
        let place = Place::new("owner");
        let one = Profile::throw_away_in(&place.0).unwrap();
        let two = Profile::throw_away_in(&place.0).unwrap();
        assert_ne!(one.path(), two.path());
        fs::write(one.path().join("file"), "x").unwrap();
        drop(one);
        assert!(two.path().exists());
        drop(two);
        assert_eq!(place.names(), [""; 0]);
    }

    #[test]
    fn a_sweep_takes_the_dead_and_leaves_the_living() {
        let place = Place::new("sweep");
        let living = Profile::throw_away_in(&place.0).unwrap();
        let dead = place.0.join(format!("{PREFIX}1-0"));
        let stranger = place.0.join("somebody-else");
        let unlocked = place.0.join(format!("{PREFIX}2-0"));
        for dir in [&dead, &stranger, &unlocked] {
            fs::create_dir(dir).unwrap();
        }
        fs::write(dead.join(LOCK), "").unwrap();
        sweep(&place.0);
        assert!(living.path().exists());
        assert!(stranger.exists());
        assert!(unlocked.exists(), "may be about to be locked");
        assert!(!dead.exists());
    }

    #[cfg(unix)]
    #[test]
    fn a_profile_in_use_is_refused_and_a_stale_lock_is_not() {
        use std::os::unix::fs::symlink;
        let place = Place::new("lock");
        let link = place.0.join("SingletonLock");
        let check = |expected: Option<&str>| {
            let opened = Profile::open(Some(&place.0)).map(drop);
            match expected {
                None => assert_eq!(opened, Ok(())),
                Some(user) => {
                    let fault = opened.unwrap_err();
                    assert_eq!(fault.code, Code::NoBrowser);
                    assert!(fault.message.contains(user), "{fault}");
                }
            }
        };
        check(None);
        symlink(format!("{}-4242", this_host()), &link).unwrap();
        check(None);
        let socket = place.0.join("socket");
        let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        symlink(&socket, place.0.join("SingletonSocket")).unwrap();
        check(Some("4242"));
        fs::remove_file(&link).unwrap();
        symlink("elsewhere-7", &link).unwrap();
        check(Some("elsewhere"));
        assert!(place.0.exists(), "a person's profile is never removed");
    }
}
