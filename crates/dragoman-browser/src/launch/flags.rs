//! The command line Chromium is started with: what automation needs, and nothing that makes it
//! another browser for the pages.
//!
//! Must not know: processes, connections.

use super::LaunchOptions;
use crate::guard::Guard;
use dragoman_model::{Code, Fault};
use std::ffi::OsString;
use std::path::Path;

/// For every browser we start. The reason stands beside each.
const ALWAYS: &[&str] = &[
    // Driven over fd 3 and 4: no port, and it ends with us.
    "--remote-debugging-pipe",
    // No first tab of its own: it would cost a third of the time to ours. And the browser stays
    // when the last tab is closed.
    "--no-startup-window",
    // No greeting, no question, no keyring to unlock.
    "--no-first-run",
    "--no-default-browser-check",
    "--password-store=basic",
    "--use-mock-keychain",
    "--disable-search-engine-choice-screen",
    // A reload of a posted form asks in a window that CDP cannot see.
    "--disable-prompt-on-repost",
    // "The page does not respond" is ours to notice, not a window's.
    "--disable-hang-monitor",
    // Tabs that are not in front work as fast as the one that is.
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
    // Clicks count from the first frame on, not only after the first paint's commit.
    "--allow-pre-commit-input",
    // Going back loads the page again: a page kept in the cache keeps its process (memory), and
    // comes back with documents whose refs were given up.
    "--disable-back-forward-cache",
    // It talks to the sites it is sent to, and to nobody else.
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-client-side-phishing-detection",
    "--disable-domain-reliability",
    "--metrics-recording-only",
    "--no-pings",
    // UDP is often blocked where we run; a lost QUIC race costs seconds.
    "--disable-quic",
    // No crash reporter: a process less, and none that outlives the browser.
    "--disable-breakpad",
    "--disable-crash-reporter",
    // No experiments: the same browser every time.
    "--disable-field-trial-config",
];

/// Features that are off, and why.
const FEATURES_OFF: &[&str] = &[
    // Bubbles and buttons over the page.
    "Translate",
    "LensOverlay",
    "GlobalMediaControls",
    // The address bar's list as a page with a renderer of its own, in every window: 55 MB, headless
    // too, and two `browser_ui` targets.
    "WebUIOmniboxPopup",
    "WebUIOmniboxAimPopup",
    // Looks for Chromecasts in the network (macOS asks the person about it).
    "MediaRouter",
    "DialMediaRouteProvider",
    // Downloads models.
    "OptimizationHints",
    "OptimizationGuideModelDownloading",
    // `http://` means http: no try with https first.
    "HttpsUpgrades",
    // A picture taken just after a navigation shows the new page, not the old one held over.
    "PaintHolding",
    // A new frame, widget and compositor for each document of the same site: a fifth of a navigation's time, and a
    // third of the first look at the page.
    "RenderDocument",
];

/// What a window is higher than its page (measured on 156, headless too). A tab's exact size is
/// set by emulation; this makes the window fit around it.
const BARS: u32 = 87;

/// Below this, big pages crash their renderer (containers give 64 MB).
#[cfg(target_os = "linux")]
const SHARED_MEMORY_NEEDED: u64 = 512 << 20;

/// The whole command line, without the program.
pub(super) fn of(options: &LaunchOptions, profile: &Path) -> Vec<OsString> {
    let (width, height) = options.viewport;
    let mut args: Vec<OsString> = ALWAYS.iter().map(OsString::from).collect();
    args.push(join("--user-data-dir=", profile));
    args.push(format!("--disable-features={}", FEATURES_OFF.join(",")).into());
    let height = height.saturating_add(BARS);
    args.push(format!("--window-size={width},{height}").into());
    if !options.headed {
        args.push("--headless=new".into());
        args.push("--mute-audio".into());
        // In a window this flag would be told to the person; there, each page is told.
        let rules = Guard::new(&options.forbidden).resolver_rules();
        args.push(format!("--host-resolver-rules={rules}").into());
    }
    if we_are_root() {
        // Chromium's sandbox refuses to start as root.
        args.push("--no-sandbox".into());
    }
    if shared_memory_is_small() {
        args.push("--disable-dev-shm-usage".into());
    }
    merge(&mut args, &options.extra_args);
    args
}

fn join(flag: &str, path: &Path) -> OsString {
    let mut joined = OsString::from(flag);
    joined.push(path);
    joined
}

/// Chromium takes only the last of several `--disable-features`: the caller's are added to ours.
fn merge(args: &mut Vec<OsString>, extra: &[String]) {
    const LIST: &str = "--disable-features=";
    for arg in extra {
        let ours = args
            .iter_mut()
            .find(|ours| ours.to_str().is_some_and(|ours| ours.starts_with(LIST)));
        match (arg.strip_prefix(LIST), ours) {
            (Some(more), Some(ours)) => {
                ours.push(",");
                ours.push(more);
            }
            _ => args.push(arg.into()),
        }
    }
}

fn we_are_root() -> bool {
    #[cfg(unix)]
    return rustix::process::geteuid().is_root();
    #[cfg(not(unix))]
    return false;
}

fn shared_memory_is_small() -> bool {
    #[cfg(target_os = "linux")]
    return rustix::fs::statvfs("/dev/shm").map_or(true, |shm| {
        shm.f_bavail.saturating_mul(shm.f_frsize) < SHARED_MEMORY_NEEDED
    });
    #[cfg(not(target_os = "linux"))]
    return false;
}

/// A window needs somewhere to be; Chromium's own words for that help nobody.
pub(super) fn check_display(options: &LaunchOptions) -> Result<(), Fault> {
    let set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let has_screen = !cfg!(all(unix, not(target_os = "macos")))
        || set("DISPLAY")
        || set("WAYLAND_DISPLAY")
        || options
            .extra_args
            .iter()
            .any(|arg| arg.starts_with("--ozone-platform"));
    if options.headed && !has_screen {
        return Err(Fault::new(
            Code::NoBrowser,
            "a window was asked for, but there is no screen (DISPLAY and WAYLAND_DISPLAY are unset)",
        )
        .suggest("Leave out --headed, or start under a desktop or xvfb-run."));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(options: &LaunchOptions) -> Vec<String> {
        of(options, Path::new("/p"))
            .into_iter()
            .map(|arg| arg.into_string().unwrap())
            .collect()
    }

    #[test]
    fn headless_is_the_default_and_headed_has_a_window() {
        let headless = check(&LaunchOptions::default());
        assert!(headless.contains(&"--headless=new".to_owned()));
        assert!(headless.contains(&"--user-data-dir=/p".to_owned()));
        assert!(headless.contains(&"--window-size=1280,807".to_owned()));
        let headed = check(&LaunchOptions {
            headed: true,
            ..Default::default()
        });
        assert!(!headed.iter().any(|arg| arg.starts_with("--headless")));
    }

    #[test]
    fn no_port_is_opened() {
        let args = check(&LaunchOptions::default());
        assert!(
            !args
                .iter()
                .any(|arg| arg.starts_with("--remote-debugging-port"))
        );
    }

    #[test]
    fn features_that_a_caller_turns_off_do_not_turn_ours_on() {
        let args = check(&LaunchOptions {
            extra_args: vec!["--disable-features=Mine".into(), "--lang=de".into()],
            ..Default::default()
        });
        let lists: Vec<_> = args
            .iter()
            .filter(|arg| arg.starts_with("--disable-features="))
            .collect();
        assert_eq!(lists.len(), 1);
        assert!(lists[0].contains("Translate") && lists[0].ends_with(",Mine"));
        assert_eq!(args.last().unwrap(), "--lang=de");
    }

    #[test]
    fn the_sandbox_is_off_for_root_only() {
        let args = check(&LaunchOptions::default());
        assert_eq!(args.contains(&"--no-sandbox".to_owned()), we_are_root());
    }
}
