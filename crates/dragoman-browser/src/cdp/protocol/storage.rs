//! `Storage`: cookies of one browser context.

use super::BrowserContextId;
use serde::{Deserialize, Serialize};

calls! {
    "Storage.getCookies" => GetCookies with { browser_context_id: BrowserContextId } -> Cookies;
    "Storage.setCookies" => SetCookies { cookies: Vec<CookieParam> } with {
        browser_context_id: BrowserContextId,
    };
    "Storage.clearCookies" => ClearCookies with { browser_context_id: BrowserContextId };
    /// There is no call of `Storage` for a single cookie: this one goes to a page's session.
    "Network.deleteCookies" => DeleteCookies { name: String } with {
        url: String,
        domain: String,
        path: String,
    };
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum SameSite {
    Strict,
    Lax,
    None,
}

#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CookieParam {
    pub name: String,
    pub value: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub domain: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub secure: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub http_only: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub same_site: Option<SameSite>,
    /// Seconds since 1970; without it the cookie goes with the session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires: Option<f64>,
}

parts! {
    Cookies { cookies: Vec<Cookie> }
    Cookie {
        name: String,
        value: String,
        domain: String,
        path: String,
        /// Seconds since 1970; -1 for a session cookie.
        expires: f64,
        http_only: bool,
        secure: bool,
        session: bool,
        same_site: Option<SameSite>,
    }
}
