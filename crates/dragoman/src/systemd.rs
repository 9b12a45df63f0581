//! What a service manager is told, where one asked to be: systemd's `Type=notify` and its watchdog.

use crate::driver::Door;
use sd_notify::NotifyState;

/// Connections are taken up.
pub fn ready() {
    tell(NotifyState::Ready);
}

/// It ends, and that may take a moment.
pub fn stopping() {
    tell(NotifyState::Stopping);
}

/// As long as the driver gets round to answering, twice within the time that the manager allows.
pub async fn stay_alive(door: Door) {
    let Some(allowed) = sd_notify::watchdog_enabled().filter(|time| !time.is_zero()) else {
        return;
    };
    let mut turn = tokio::time::interval(allowed / 2);
    loop {
        turn.tick().await;
        if !door.pulse().await {
            return;
        }
        tell(NotifyState::Watchdog);
    }
}

/// Nothing happens where nobody asked.
fn tell(state: NotifyState) {
    if let Err(error) = sd_notify::notify(&[state]) {
        tracing::warn!(%error, "the service manager could not be told");
    }
}
