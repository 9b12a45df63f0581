//! `Inspector`: the end of the page's process. After a crash no call of the session answers.

calls! {
    "Inspector.enable" => Enable;
}

events! {
    "Inspector.targetCrashed" => TargetCrashed;
    /// A navigation gave the session a new process.
    "Inspector.targetReloadedAfterCrash" => TargetReloadedAfterCrash;
    "Inspector.detached" => Detached { reason: String };
}
