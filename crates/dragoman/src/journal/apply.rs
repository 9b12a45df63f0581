//! What each record does to the tables. A record that does not fit what is there is refused.

use super::{JournalError, Result};
use dragoman_engine::Record;
use dragoman_model::{Request, RequestId, SessionId};
use rusqlite::{Connection, OptionalExtension, params};

pub fn apply(on: &Connection, record: &Record, now: i64) -> Result<()> {
    match record {
        Record::SessionOpened { session, policy } => {
            let policy = serde_json::to_string(policy)?;
            run_one(
                on,
                "INSERT INTO sessions (session, created, policy) VALUES (?1, ?2, ?3)
                 ON CONFLICT (session) DO UPDATE SET policy = ?3, closed = NULL",
                params![session.as_str(), now, policy],
            )
        }
        Record::Submitted {
            session,
            number,
            request,
            state,
        } => run_one(
            on,
            "INSERT INTO commands (session, number, request_id, request, state, position, created)
             VALUES (?1, ?2, ?3, ?4, ?5, ?2, ?6)",
            params![
                session.as_str(),
                sql_number(*number)?,
                id_text(&request.id)?,
                serde_json::to_string(request)?,
                state.as_str(),
                now
            ],
        ),
        Record::Approved { session, number } => {
            note(on, session, Some(*number), now, "approved", None)?;
            run_one(
                on,
                "UPDATE commands SET state = 'approved'
                 WHERE session = ?1 AND number = ?2 AND state IN ('proposed', 'approved')",
                params![session.as_str(), sql_number(*number)?],
            )
        }
        Record::Doubted { session, number } => {
            note(on, session, Some(*number), now, "doubted", None)?;
            run_one(
                on,
                "UPDATE commands SET state = 'proposed'
                 WHERE session = ?1 AND number = ?2 AND state = 'approved'",
                params![session.as_str(), sql_number(*number)?],
            )
        }
        // The condition on the state is the last guard against doing anything twice.
        Record::Started { session, number } => {
            forget_typed(on, session, *number)?;
            run_one(
                on,
                "UPDATE commands SET state = 'running', started = ?3
                 WHERE session = ?1 AND number = ?2 AND state = 'approved'",
                params![session.as_str(), sql_number(*number)?, now],
            )
        }
        Record::Ended {
            session,
            number,
            outcome,
            took_ms,
        } => {
            forget_typed(on, session, *number)?;
            run_one(
                on,
                "UPDATE commands SET state = ?3, outcome = ?4, took_ms = ?5, ended = ?6
                 WHERE session = ?1 AND number = ?2
                   AND state IN ('proposed', 'approved', 'running')",
                params![
                    session.as_str(),
                    sql_number(*number)?,
                    outcome.state().as_str(),
                    serde_json::to_string(outcome)?,
                    sql_number(*took_ms)?,
                    now
                ],
            )
        }
        Record::Replaced {
            session,
            number,
            command,
            state,
        } => {
            let before = request_of(on, session, *number)?;
            let mut request: Request = serde_json::from_str(&before)?;
            request.command = request.command.without_text();
            let before = serde_json::to_string(&request)?;
            request.command = command.clone();
            note(on, session, Some(*number), now, "replaced", Some(&before))?;
            run_one(
                on,
                "UPDATE commands SET request = ?3, state = ?4, edits = edits + 1
                 WHERE session = ?1 AND number = ?2 AND state IN ('proposed', 'approved')",
                params![
                    session.as_str(),
                    sql_number(*number)?,
                    serde_json::to_string(&request)?,
                    state.as_str()
                ],
            )
        }
        Record::Moved {
            session,
            number,
            before,
        } => {
            note(on, session, Some(*number), now, "moved", None)?;
            reorder(
                on,
                session,
                sql_number(*number)?,
                before.map(sql_number).transpose()?,
            )
        }
        Record::Paused { session, paused } => {
            let what = if *paused { "paused" } else { "resumed" };
            note(on, session, None, now, what, None)?;
            run_one(
                on,
                "UPDATE sessions SET paused = ?2 WHERE session = ?1",
                params![session.as_str(), paused],
            )
        }
        Record::Allowed { session, policy } => {
            note(on, session, None, now, "allowed", None)?;
            run_one(
                on,
                "UPDATE sessions SET policy = ?2 WHERE session = ?1",
                params![session.as_str(), serde_json::to_string(policy)?],
            )
        }
        Record::SessionClosed { session } => run_one(
            on,
            "UPDATE sessions SET closed = ?2 WHERE session = ?1",
            params![session.as_str(), now],
        ),
    }
}

/// Exactly one row, or the record does not fit what the journal knows.
fn run_one(on: &Connection, sql: &str, values: impl rusqlite::Params) -> Result<()> {
    match on.prepare_cached(sql)?.execute(values)? {
        1 => Ok(()),
        n => Err(JournalError::Refused(format!(
            "{n} rows where one was to change, in: {}",
            sql.split_whitespace().take(6).collect::<Vec<_>>().join(" ")
        ))),
    }
}

fn note(
    on: &Connection,
    session: &SessionId,
    number: Option<u64>,
    now: i64,
    what: &str,
    before: Option<&str>,
) -> Result<()> {
    run_one(
        on,
        "INSERT INTO changes (session, number, at, what, before) VALUES (?1, ?2, ?3, ?4, ?5)",
        params![
            session.as_str(),
            number.map(sql_number).transpose()?,
            now,
            what,
            before
        ],
    )
}

/// What was typed is kept only until its command starts: from then on it never runs again.
fn forget_typed(on: &Connection, session: &SessionId, number: u64) -> Result<()> {
    let waiting: Option<String> = on
        .prepare_cached(
            "SELECT request FROM commands
             WHERE session = ?1 AND number = ?2 AND state IN ('proposed', 'approved')",
        )?
        .query_row(params![session.as_str(), sql_number(number)?], |row| {
            row.get(0)
        })
        .optional()?;
    let Some(waiting) = waiting else {
        return Ok(());
    };
    let mut request: Request = serde_json::from_str(&waiting)?;
    let without = request.command.without_text();
    if without == request.command {
        return Ok(());
    }
    request.command = without;
    run_one(
        on,
        "UPDATE commands SET request = ?3 WHERE session = ?1 AND number = ?2",
        params![
            session.as_str(),
            sql_number(number)?,
            serde_json::to_string(&request)?
        ],
    )
}

fn request_of(on: &Connection, session: &SessionId, number: u64) -> Result<String> {
    on.prepare_cached("SELECT request FROM commands WHERE session = ?1 AND number = ?2")?
        .query_row(params![session.as_str(), sql_number(number)?], |row| {
            row.get(0)
        })
        .optional()?
        .ok_or_else(|| JournalError::Refused(format!("there is no command {number}")))
}

/// The waiting commands keep the set of their positions and share it out anew.
fn reorder(on: &Connection, session: &SessionId, number: i64, before: Option<i64>) -> Result<()> {
    let mut waiting = on.prepare_cached(
        "SELECT number, position FROM commands
         WHERE session = ?1 AND state IN ('proposed', 'approved') ORDER BY position, number",
    )?;
    let rows: Vec<(i64, i64)> = waiting
        .query_map([session.as_str()], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<rusqlite::Result<_>>()?;
    let mut order: Vec<i64> = rows
        .iter()
        .map(|(n, _)| *n)
        .filter(|n| *n != number)
        .collect();
    if order.len() == rows.len() {
        return Err(JournalError::Refused(format!(
            "command {number} does not wait"
        )));
    }
    let at = match before {
        None => order.len(),
        Some(other) => order
            .iter()
            .position(|n| *n == other)
            .ok_or_else(|| JournalError::Refused(format!("command {other} does not wait")))?,
    };
    order.insert(at, number);
    for (number, (_, position)) in order.into_iter().zip(rows) {
        run_one(
            on,
            "UPDATE commands SET position = ?3 WHERE session = ?1 AND number = ?2",
            params![session.as_str(), number, position],
        )?;
    }
    Ok(())
}

fn id_text(id: &Option<RequestId>) -> Result<Option<String>> {
    let said = id.as_ref().filter(|_| !RequestId::is_unsaid(id));
    Ok(said.map(serde_json::to_string).transpose()?)
}

fn sql_number(number: u64) -> Result<i64> {
    i64::try_from(number).map_err(|_| JournalError::Refused(format!("{number} is too large")))
}
