//! Reading a journal back: a session to go on with, a list of sessions, a history to look at.

use super::Result;
use dragoman_model::{Outcome, Policy, QueueItem, Request, RequestId, SessionId, State};
use rusqlite::{Connection, OptionalExtension, Row};
use serde::Serialize;

/// How much of the history is loaded with a session; the rest stays in the file.
const RECENT: u32 = 200;

/// A session as it was left.
#[derive(Debug, Clone, PartialEq)]
pub struct Stored {
    pub policy: Policy,
    pub paused: bool,
    /// What had not ended, and the most recent of what had; in queue order.
    pub items: Vec<QueueItem>,
    /// Ids of older commands: they cannot be used again either.
    pub used: Vec<RequestId>,
    /// Those among the approved that a person let through.
    pub approved: Vec<u64>,
    pub next_number: u64,
}

/// One line of `dragoman journal list`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Summary {
    pub session: String,
    /// Milliseconds since 1970.
    pub created: i64,
    pub last: i64,
    pub closed: bool,
    pub paused: bool,
    pub commands: u64,
    pub open: u64,
    pub failed: u64,
}

/// One command of `dragoman journal show`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Entry {
    pub number: u64,
    pub state: State,
    pub request: Request,
    pub edits: u32,
    pub created: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub took_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<Change>,
}

/// What a person did to a command.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Change {
    pub at: i64,
    pub what: String,
    /// The request before it was replaced.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<Request>,
}

pub fn load(connection: &Connection, session: &SessionId) -> Result<Option<Stored>> {
    let name = session.as_str();
    let head: Option<(String, bool)> = connection
        .prepare_cached("SELECT policy, paused FROM sessions WHERE session = ?1")?
        .query_row([name], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    let Some((policy, paused)) = head else {
        return Ok(None);
    };
    let last: Option<i64> = connection.query_row(
        "SELECT max(number) FROM commands WHERE session = ?1",
        [name],
        |row| row.get(0),
    )?;
    let next_number = last.map_or(1, |n| n as u64 + 1);
    let recent_from = next_number.saturating_sub(u64::from(RECENT)) as i64;

    let mut open_or_recent = connection.prepare_cached(
        "SELECT number, state, request, edits, outcome FROM commands
         WHERE session = ?1
           AND (number >= ?2 OR state IN ('proposed', 'approved', 'running'))
         ORDER BY position, number",
    )?;
    let items = open_or_recent
        .query_and_then((name, recent_from), item)?
        .collect::<Result<_>>()?;

    let mut older = connection.prepare_cached(
        "SELECT request_id FROM commands
         WHERE session = ?1 AND number < ?2 AND request_id IS NOT NULL
           AND state NOT IN ('proposed', 'approved', 'running')",
    )?;
    let used = older
        .query_and_then((name, recent_from), |row| -> Result<RequestId> {
            Ok(serde_json::from_str(&row.get::<_, String>(0)?)?)
        })?
        .collect::<Result<_>>()?;

    let mut let_through = connection.prepare_cached(
        "SELECT number FROM commands c
         WHERE session = ?1 AND state = 'approved' AND EXISTS (
             SELECT 1 FROM changes WHERE session = ?1 AND number = c.number AND what = 'approved')",
    )?;
    let approved = let_through
        .query_map([name], |row| row.get::<_, i64>(0).map(|n| n as u64))?
        .collect::<rusqlite::Result<_>>()?;

    Ok(Some(Stored {
        policy: serde_json::from_str(&policy)?,
        paused,
        items,
        used,
        approved,
        next_number,
    }))
}

fn item(row: &Row) -> Result<QueueItem> {
    let request: Request = serde_json::from_str(&row.get::<_, String>(2)?)?;
    let outcome: Option<String> = row.get(4)?;
    Ok(QueueItem {
        number: row.get::<_, i64>(0)? as u64,
        id: request.id,
        state: state(row.get(1)?)?,
        command: request.command,
        tab: request.tab,
        timeout_ms: request.timeout_ms,
        edits: row.get(3)?,
        means: None,
        note: None,
        outcome: outcome.as_deref().map(serde_json::from_str).transpose()?,
    })
}

pub fn list(connection: &Connection) -> Result<Vec<Summary>> {
    let mut all = connection.prepare_cached(
        "SELECT s.session, s.created,
                max(s.created, ifnull(max(c.created), 0), ifnull(max(c.ended), 0)) AS last,
                s.closed IS NOT NULL, s.paused, count(c.number),
                count(c.number) FILTER (WHERE c.state IN ('proposed', 'approved', 'running')),
                count(c.number) FILTER (WHERE c.state IN ('failed', 'interrupted'))
         FROM sessions s LEFT JOIN commands c ON c.session = s.session
         GROUP BY s.session ORDER BY last DESC, s.session",
    )?;
    let rows = all.query_map([], |row| {
        Ok(Summary {
            session: row.get(0)?,
            created: row.get(1)?,
            last: row.get(2)?,
            closed: row.get(3)?,
            paused: row.get(4)?,
            commands: row.get::<_, i64>(5)? as u64,
            open: row.get::<_, i64>(6)? as u64,
            failed: row.get::<_, i64>(7)? as u64,
        })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

pub fn history(connection: &Connection, session: &SessionId) -> Result<Option<Vec<Entry>>> {
    let name = session.as_str();
    let known: bool = connection.query_row(
        "SELECT EXISTS (SELECT 1 FROM sessions WHERE session = ?1)",
        [name],
        |row| row.get(0),
    )?;
    if !known {
        return Ok(None);
    }
    let mut commands = connection.prepare_cached(
        "SELECT number, state, request, edits, created, started, ended, took_ms, outcome
         FROM commands WHERE session = ?1 ORDER BY number",
    )?;
    let mut changes = connection.prepare_cached(
        "SELECT at, what, before FROM changes WHERE session = ?1 AND number = ?2 ORDER BY id",
    )?;
    let entries = commands
        .query_and_then([name], |row| -> Result<Entry> {
            let number: i64 = row.get(0)?;
            let outcome: Option<String> = row.get(8)?;
            let took: Option<i64> = row.get(7)?;
            Ok(Entry {
                number: number as u64,
                state: state(row.get(1)?)?,
                request: serde_json::from_str(&row.get::<_, String>(2)?)?,
                edits: row.get(3)?,
                created: row.get(4)?,
                started: row.get(5)?,
                ended: row.get(6)?,
                took_ms: took.map(|ms| ms as u64),
                outcome: outcome.as_deref().map(serde_json::from_str).transpose()?,
                changes: changes
                    .query_and_then((name, number), change)?
                    .collect::<Result<_>>()?,
            })
        })?
        .collect::<Result<_>>()?;
    Ok(Some(entries))
}

fn change(row: &Row) -> Result<Change> {
    let before: Option<String> = row.get(2)?;
    Ok(Change {
        at: row.get(0)?,
        what: row.get(1)?,
        before: before.as_deref().map(serde_json::from_str).transpose()?,
    })
}

fn state(text: String) -> Result<State> {
    Ok(serde_json::from_value(serde_json::Value::String(text))?)
}
