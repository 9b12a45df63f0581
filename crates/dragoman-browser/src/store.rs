//! Cookies of a session and storage of a page.

use crate::browser::Browser;
use crate::cdp::protocol::{runtime, storage};
use crate::look::View;
use crate::session::Session;
use dragoman_model::{
    ClearCookies, ClearStorage, Code, Cookie, Done, Failure, Fault, GetCookies, GetStorage, Reply,
    SetCookies, SetStorage, StorageArea,
};
use serde_json::json;
use std::collections::BTreeMap;
use std::rc::Rc;

pub(crate) async fn get_cookies(
    browser: &Rc<Browser>,
    session: &Session,
    ask: &GetCookies,
) -> Result<Done, Failure> {
    let all = cookies(browser, session).await?;
    let fits = |c: &storage::Cookie| ask.url.as_deref().is_none_or(|url| sent_to(c, url));
    Ok(Reply::Cookies(all.into_iter().filter(fits).map(shown).collect()).into())
}

async fn cookies(browser: &Rc<Browser>, session: &Session) -> Result<Vec<storage::Cookie>, Fault> {
    let browser_context_id = session.context.borrow().clone().flatten();
    let call = storage::GetCookies { browser_context_id };
    let answer = browser.connection.send(None, &call).await;
    Ok(answer
        .map_err(|e| Fault::new(Code::Internal, e.to_string()))?
        .cookies)
}

pub(crate) async fn set_cookies(
    browser: &Rc<Browser>,
    session: &Session,
    page_url: &str,
    ask: &SetCookies,
) -> Result<Done, Failure> {
    let cookies = ask
        .cookies
        .iter()
        .map(|c| wanted(c, page_url))
        .collect::<Result<Vec<_>, _>>()?;
    put(browser, session, cookies).await?;
    Ok(Reply::Nothing.into())
}

async fn put(
    browser: &Rc<Browser>,
    session: &Session,
    cookies: Vec<storage::CookieParam>,
) -> Result<(), Fault> {
    let browser_context_id = session.context.borrow().clone().flatten();
    let call = storage::SetCookies {
        cookies,
        browser_context_id,
    };
    let answer = browser.connection.send(None, &call).await;
    answer
        .map(drop)
        .map_err(|e| Fault::new(Code::BadArgument, format!("no such cookie can be set: {e}")))
}

pub(crate) async fn clear_cookies(
    browser: &Rc<Browser>,
    session: &Session,
    ask: &ClearCookies,
) -> Result<Done, Failure> {
    let keep = match &ask.name {
        Some(name) => {
            let all = cookies(browser, session).await?;
            all.into_iter()
                .filter(|c| c.name != *name)
                .map(again)
                .collect()
        }
        None => Vec::new(),
    };
    let browser_context_id = session.context.borrow().clone().flatten();
    let call = storage::ClearCookies { browser_context_id };
    let answer = browser.connection.send(None, &call).await;
    answer.map_err(|e| Fault::new(Code::Internal, e.to_string()))?;
    if !keep.is_empty() {
        put(browser, session, keep).await?;
    }
    Ok(Reply::Nothing.into())
}

fn shown(c: storage::Cookie) -> Cookie {
    Cookie {
        name: c.name,
        value: c.value,
        domain: Some(c.domain),
        path: Some(c.path),
        expires: (!c.session).then_some(c.expires),
        http_only: c.http_only,
        secure: c.secure,
        same_site: c.same_site.map(|s| format!("{s:?}").to_lowercase()),
    }
}

fn again(c: storage::Cookie) -> storage::CookieParam {
    storage::CookieParam {
        name: c.name,
        value: c.value,
        url: None,
        domain: Some(c.domain),
        path: Some(c.path),
        secure: Some(c.secure),
        http_only: Some(c.http_only),
        same_site: c.same_site,
        expires: (!c.session).then_some(c.expires),
    }
}

fn wanted(c: &Cookie, page_url: &str) -> Result<storage::CookieParam, Fault> {
    let same_site = match c
        .same_site
        .as_deref()
        .map(str::to_ascii_lowercase)
        .as_deref()
    {
        None => None,
        Some("strict") => Some(storage::SameSite::Strict),
        Some("lax") => Some(storage::SameSite::Lax),
        Some("none") => Some(storage::SameSite::None),
        Some(other) => {
            let message = format!("same_site is strict, lax or none, not {other:?}");
            return Err(Fault::new(Code::BadArgument, message));
        }
    };
    let url = (c.domain.is_none()).then(|| page_url.to_owned());
    if url.as_deref().is_some_and(|u| !u.starts_with("http")) {
        let message = format!(
            "cookie {:?} has no domain and there is no page to set it for",
            c.name
        );
        return Err(Fault::new(Code::BadArgument, message));
    }
    Ok(storage::CookieParam {
        name: c.name.clone(),
        value: c.value.clone(),
        url,
        domain: c.domain.clone(),
        path: c.path.clone(),
        secure: c.secure.then_some(true),
        http_only: c.http_only.then_some(true),
        same_site,
        expires: c.expires,
    })
}

/// Whether a cookie's domain and path cover an address.
fn sent_to(cookie: &storage::Cookie, url: &str) -> bool {
    let Some((scheme, rest)) = url.split_once("://") else {
        return false;
    };
    let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
    let host = authority.rsplit('@').next().unwrap_or("");
    let host = host.rsplit_once(':').map_or(host, |(host, _)| host);
    let domain = cookie.domain.trim_start_matches('.');
    let subdomain = cookie.domain.starts_with('.') && host.ends_with(&format!(".{domain}"));
    let path = format!("/{}", path.split(['?', '#']).next().unwrap_or(""));
    let under = path == cookie.path
        || path.starts_with(&cookie.path)
            && (cookie.path.ends_with('/') || path[cookie.path.len()..].starts_with('/'));
    (host == domain || subdomain) && under && (!cookie.secure || scheme == "https")
}

impl View {
    pub async fn get_storage(&self, ask: &GetStorage) -> Result<Done, Failure> {
        let script = match &ask.key {
            Some(key) => format!(
                "((k)=>{{const v=AREA.getItem(k);return JSON.stringify(v===null?{{}}:{{[k]:v}})}})({})",
                json!(key)
            ),
            None => "JSON.stringify(Object.fromEntries(Object.entries(AREA)))".into(),
        };
        let text = self.in_storage(ask.area, &script).await?;
        let map: BTreeMap<String, String> = serde_json::from_str(&text).unwrap_or_default();
        Ok(Reply::Storage(map).into())
    }

    pub async fn set_storage(&self, ask: &SetStorage) -> Result<Done, Failure> {
        let script = format!(
            "(AREA.setItem({}, {}), '')",
            json!(ask.key),
            json!(ask.value)
        );
        self.in_storage(ask.area, &script).await?;
        Ok(Reply::Nothing.into())
    }

    pub async fn clear_storage(&self, ask: &ClearStorage) -> Result<Done, Failure> {
        let script = match &ask.key {
            Some(key) => format!("(AREA.removeItem({}), '')", json!(key)),
            None => "(AREA.clear(), '')".into(),
        };
        self.in_storage(ask.area, &script).await?;
        Ok(Reply::Nothing.into())
    }

    /// Storage is the same from every world of a page; ours is the one a page cannot tamper with.
    async fn in_storage(&self, area: Option<StorageArea>, script: &str) -> Result<String, Fault> {
        let area = match area.unwrap_or_default() {
            StorageArea::Local => "localStorage",
            StorageArea::Session => "sessionStorage",
        };
        let world = self.tab.main_world().await?;
        let call = runtime::Evaluate {
            expression: format!("((AREA) => {script})({area})").into(),
            unique_context_id: Some(world.unique.to_string()),
            return_by_value: Some(true),
            silent: Some(true),
            ..Default::default()
        };
        let answer = self.tab.ask(&call).await?;
        match answer.into_result() {
            Ok(value) => Ok(value.into_text().unwrap_or_default()),
            Err(thrown) => {
                let message = format!("this page has no storage: {}", thrown.describe());
                Err(Fault::new(Code::Unsupported, message))
            }
        }
    }
}
