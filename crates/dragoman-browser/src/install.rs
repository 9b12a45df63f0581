//! Installing a browser with the system's own package manager, for a person who asked for it.
//! Nothing here runs by itself: `plan` says what would be typed, `run` types it, aloud.
//!
//! Must not know: how browsers are found or started.

use dragoman_model::{Code, Fault};
use std::io::{BufRead as _, BufReader, Read};
use std::process::{Command, Stdio};
use std::sync::mpsc;

/// What would install a browser here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// Program and arguments, one step after the other; none when there is no way we know.
    pub command: Vec<Vec<String>>,
    /// Whether we can run it without a password.
    pub may_run: bool,
    /// The exact line for a person to type.
    pub say: String,
}

/// All that a plan depends on.
pub trait Machine {
    /// Whether a program is in `PATH`.
    fn has(&self, program: &str) -> bool;
    fn is_root(&self) -> bool;
    /// Whether `sudo` works without a password.
    fn sudo_works(&self) -> bool;
    /// `/etc/os-release`; empty where there is none.
    fn os_release(&self) -> String;
}

/// A package manager, and what installs a browser with it.
struct Manager {
    program: &'static str,
    steps: &'static [&'static str],
    rights: Rights,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Rights {
    /// Root, or sudo.
    Root,
    /// The person's own; refuses root.
    Own,
    /// It asks by itself.
    Asks,
}

const MANAGERS: &[Manager] = &[
    Manager {
        program: "apt-get",
        // Without the recommended hundred megabytes of desktop; the sandbox helper and a font are
        // among them, and needed.
        steps: &[
            "apt-get update",
            "env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
             chromium chromium-sandbox fonts-liberation",
        ],
        rights: Rights::Root,
    },
    Manager {
        program: "dnf",
        steps: &["dnf install -y chromium"],
        rights: Rights::Root,
    },
    Manager {
        program: "pacman",
        steps: &["pacman -S --needed --noconfirm chromium"],
        rights: Rights::Root,
    },
    Manager {
        program: "zypper",
        steps: &["zypper --non-interactive install chromium"],
        rights: Rights::Root,
    },
    Manager {
        program: "apk",
        steps: &["apk add chromium"],
        rights: Rights::Root,
    },
    Manager {
        program: "brew",
        steps: &["brew install --cask google-chrome"],
        rights: Rights::Own,
    },
    Manager {
        program: "winget",
        steps: &[
            "winget install --exact --id Google.Chrome --accept-package-agreements \
             --accept-source-agreements",
        ],
        rights: Rights::Asks,
    },
];

/// Ubuntu has Chromium as a snap only; its apt package is an empty shell.
const UBUNTU: Manager = Manager {
    program: "snap",
    steps: &["snap install chromium"],
    rights: Rights::Root,
};

const BY_HAND: &str = "Install Google Chrome from https://www.google.com/chrome/";

/// What would install a browser on this machine.
pub fn plan() -> Plan {
    plan_for(&ThisMachine)
}

pub fn plan_for(machine: &impl Machine) -> Plan {
    let manager = if is_ubuntu(&machine.os_release()) {
        Some(&UBUNTU).filter(|snap| machine.has(snap.program))
    } else {
        MANAGERS.iter().find(|manager| machine.has(manager.program))
    };
    let Some(manager) = manager else {
        return Plan {
            command: Vec::new(),
            may_run: false,
            say: BY_HAND.to_owned(),
        };
    };
    let needs_sudo = manager.rights == Rights::Root && !machine.is_root();
    let may_run = match manager.rights {
        Rights::Root => !needs_sudo || machine.sudo_works(),
        Rights::Own => !machine.is_root(),
        Rights::Asks => true,
    };
    let typed = |prefix: &str| -> Vec<String> {
        let steps = manager.steps.iter();
        steps.map(|step| format!("{prefix}{step}")).collect()
    };
    let say = typed(if needs_sudo { "sudo " } else { "" }).join(" && ");
    // `-n`: rather fail than ask for a password nobody sees.
    let command = typed(if needs_sudo { "sudo -n " } else { "" })
        .iter()
        .map(|step| step.split_whitespace().map(str::to_owned).collect())
        .collect();
    Plan {
        command,
        may_run,
        say,
    }
}

fn is_ubuntu(os_release: &str) -> bool {
    os_release.lines().any(|line| {
        let line = line.replace('"', "");
        line == "ID=ubuntu"
            || line
                .strip_prefix("ID_LIKE=")
                .is_some_and(|like| like.split(' ').any(|id| id == "ubuntu"))
    })
}

/// Carries the plan out. Each command and each line the package manager writes is told.
pub fn run(plan: &Plan, progress: &mut dyn FnMut(&str)) -> Result<(), Fault> {
    if plan.command.is_empty() || !plan.may_run {
        let message = "a browser cannot be installed without a person";
        return Err(Fault::new(Code::NoBrowser, message).suggest(advice(plan)));
    }
    for step in &plan.command {
        progress(&format!("$ {}", step.join(" ")));
        run_step(step, progress).map_err(|why| {
            let message = format!("`{}` failed: {why}", step.join(" "));
            Fault::new(Code::NoBrowser, message).suggest(advice(plan))
        })?;
    }
    Ok(())
}

fn advice(plan: &Plan) -> String {
    if plan.command.is_empty() {
        format!("{}.", plan.say)
    } else {
        format!("Type it yourself: {}", plan.say)
    }
}

fn run_step(step: &[String], progress: &mut dyn FnMut(&str)) -> Result<(), String> {
    let (program, arguments) = step.split_first().ok_or("there is nothing to run")?;
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| error.to_string())?;
    let (sender, lines) = mpsc::channel();
    let outputs: [Option<Box<dyn Read + Send>>; 2] = [
        child.stdout.take().map(|out| Box::new(out) as _),
        child.stderr.take().map(|out| Box::new(out) as _),
    ];
    for output in outputs.into_iter().flatten() {
        let sender = sender.clone();
        std::thread::spawn(move || tell_lines(output, &sender));
    }
    drop(sender);
    let mut last = String::new();
    for line in lines {
        progress(&line);
        if !line.trim().is_empty() {
            last = line;
        }
    }
    let status = child.wait().map_err(|error| error.to_string())?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("{status}: {last}"))
    }
}

fn tell_lines(output: impl Read, sender: &mpsc::Sender<String>) {
    for line in BufReader::new(output).split(b'\n') {
        let Ok(line) = line else { return };
        let line = String::from_utf8_lossy(&line).trim_end().to_owned();
        if sender.send(line).is_err() {
            return;
        }
    }
}

struct ThisMachine;

impl Machine for ThisMachine {
    fn has(&self, program: &str) -> bool {
        let program = if cfg!(windows) {
            format!("{program}.exe")
        } else {
            program.to_owned()
        };
        let path = std::env::var_os("PATH").unwrap_or_default();
        std::env::split_paths(&path).any(|directory| directory.join(&program).is_file())
    }

    fn is_root(&self) -> bool {
        #[cfg(unix)]
        return rustix::process::geteuid().is_root();
        #[cfg(not(unix))]
        return false;
    }

    fn sudo_works(&self) -> bool {
        Command::new("sudo")
            .args(["-n", "true"])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|status| status.success())
    }

    fn os_release(&self) -> String {
        std::fs::read_to_string("/etc/os-release").unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Pretend {
        programs: &'static [&'static str],
        root: bool,
        sudo: bool,
        os_release: &'static str,
    }

    const DEBIAN: Pretend = Pretend {
        programs: &["apt-get"],
        root: true,
        sudo: false,
        os_release: "ID=debian",
    };

    impl Machine for Pretend {
        fn has(&self, program: &str) -> bool {
            self.programs.contains(&program)
        }
        fn is_root(&self) -> bool {
            self.root
        }
        fn sudo_works(&self) -> bool {
            self.sudo
        }
        fn os_release(&self) -> String {
            self.os_release.to_owned()
        }
    }

    fn check(machine: &Pretend, may_run: bool, say: &str) -> Plan {
        let plan = plan_for(machine);
        assert_eq!((plan.may_run, plan.say.as_str()), (may_run, say));
        plan
    }

    #[test]
    fn root_runs_the_package_manager_itself() {
        let plan = check(
            &DEBIAN,
            true,
            "apt-get update && env DEBIAN_FRONTEND=noninteractive apt-get install -y \
             --no-install-recommends chromium chromium-sandbox fonts-liberation",
        );
        assert_eq!(plan.command[0], ["apt-get", "update"]);
        assert_eq!(plan.command[1][1], "DEBIAN_FRONTEND=noninteractive");
    }

    #[test]
    fn others_need_sudo_and_say_so() {
        let dnf = |sudo| Pretend {
            programs: &["dnf", "sudo"],
            root: false,
            sudo,
            os_release: "ID=fedora",
        };
        check(&dnf(false), false, "sudo dnf install -y chromium");
        let plan = check(&dnf(true), true, "sudo dnf install -y chromium");
        assert_eq!(plan.command[0][..3], ["sudo", "-n", "dnf"]);
    }

    #[test]
    fn brew_refuses_root() {
        let brew = |root| Pretend {
            programs: &["brew"],
            root,
            sudo: false,
            os_release: "",
        };
        let say = "brew install --cask google-chrome";
        check(&brew(false), true, say);
        check(&brew(true), false, say);
    }

    #[test]
    fn ubuntus_apt_has_no_browser() {
        let ubuntu = |programs| Pretend {
            programs,
            os_release: "NAME=\"Linux Mint\"\nID=linuxmint\nID_LIKE=\"ubuntu debian\"",
            ..DEBIAN
        };
        check(&ubuntu(&["apt-get", "snap"]), true, "snap install chromium");
        check(&ubuntu(&["apt-get"]), false, BY_HAND);
    }

    #[test]
    fn nothing_runs_that_may_not() {
        let plan = plan_for(&Pretend {
            programs: &[],
            ..DEBIAN
        });
        let mut told = 0;
        let fault = run(&plan, &mut |_| told += 1).unwrap_err();
        assert_eq!((fault.code, told), (Code::NoBrowser, 0));
        assert!(fault.suggestion.contains("google.com/chrome"));
    }

    #[cfg(unix)]
    #[test]
    fn every_line_is_told_and_a_failure_stops() {
        let step = |script: &str| vec!["sh".to_owned(), "-c".to_owned(), script.to_owned()];
        let plan = Plan {
            command: vec![
                step("echo one; echo two >&2"),
                step("echo broken; exit 3"),
                step("echo never"),
            ],
            may_run: true,
            say: "x".into(),
        };
        let mut told = Vec::new();
        let fault = run(&plan, &mut |line| told.push(line.to_owned())).unwrap_err();
        for line in ["one", "two", "broken"] {
            assert!(told.iter().any(|told| told == line), "{line} in {told:?}");
        }
        assert!(!told.iter().any(|line| line == "never"));
        assert!(fault.message.contains("broken"), "{fault}");
    }
}
