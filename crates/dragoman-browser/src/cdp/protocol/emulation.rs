//! `Emulation`: the size of the screen, and focus for tabs that are not in front.

calls! {
    "Emulation.setFocusEmulationEnabled" => SetFocusEmulationEnabled { enabled: bool };
    "Emulation.setDeviceMetricsOverride" => SetDeviceMetricsOverride {
        width: u32,
        height: u32,
        /// 0 leaves it as it is.
        device_scale_factor: f64,
        mobile: bool,
    };
    "Emulation.clearDeviceMetricsOverride" => ClearDeviceMetricsOverride;
}
