//! `Emulation`: the size of the screen, what it shows pages for, and focus for tabs that are not in
//! front.

use serde::Serialize;

calls! {
    "Emulation.setFocusEmulationEnabled" => SetFocusEmulationEnabled { enabled: bool };
    "Emulation.setDeviceMetricsOverride" => SetDeviceMetricsOverride {
        width: u32,
        height: u32,
        /// 0 leaves it as it is.
        device_scale_factor: f64,
        mobile: bool,
    };
    /// An empty medium is the page's own; a feature with an empty value is the person's.
    "Emulation.setEmulatedMedia" => SetEmulatedMedia { media: &'static str, features: Vec<MediaFeature> };
    "Emulation.clearDeviceMetricsOverride" => ClearDeviceMetricsOverride;
}

#[derive(Debug, Clone, Copy, Default, Serialize)]
pub struct MediaFeature {
    pub name: &'static str,
    pub value: &'static str,
}
