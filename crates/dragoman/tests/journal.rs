//! The journal on a real disk: what is answered is there, what does not fit is refused, one
//! process at a time writes a session.
#![allow(clippy::unwrap_used)]

use dragoman::journal::{Journal, JournalError, Place, SqliteJournal};
use dragoman_engine::Record;
use dragoman_model::{
    Approval, Code, Command, Fault, ListTabs, Outcome, Policy, Reload, Request, RequestId,
    SessionId, State, Type,
};
use std::path::{Path, PathBuf};

type Check = Result<(), Box<dyn std::error::Error>>;

/// A folder of its own for each test, gone afterwards.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("dragoman-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn journal(&self) -> Place {
        Place::File(self.0.join("deep/er/journal.db"))
    }

    fn file(&self) -> PathBuf {
        self.0.join("deep/er/journal.db")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn session(name: &str) -> SessionId {
    SessionId::new(name).unwrap()
}

fn opened(name: &str) -> Record {
    Record::SessionOpened {
        session: session(name),
        policy: Policy::default(),
    }
}

fn reload() -> Command {
    Command::from(Reload { until: None })
}

fn submitted(name: &str, number: u64, id: Option<RequestId>) -> Record {
    let mut request = Request::new(reload());
    request.id = id;
    Record::Submitted {
        session: session(name),
        number,
        request,
        state: State::Approved,
    }
}

fn started(name: &str, number: u64) -> Record {
    Record::Started {
        session: session(name),
        number,
    }
}

fn ended(name: &str, number: u64) -> Record {
    Record::Ended {
        session: session(name),
        number,
        outcome: Outcome::failed(Fault::new(Code::Hung, "it hung")),
        took_ms: 7,
    }
}

fn id(n: u64) -> Option<RequestId> {
    Some(RequestId::Number(n))
}

fn refused(result: Result<(), JournalError>) -> bool {
    matches!(
        result,
        Err(JournalError::Refused(_) | JournalError::Sqlite(_))
    )
}

#[tokio::test]
async fn what_was_answered_is_there_after_opening_again() -> Check {
    let folder = Folder::new("durable");
    let place = folder.journal();
    {
        let journal = SqliteJournal::open(&place)?;
        journal
            .append(vec![opened("a"), submitted("a", 1, id(1)), started("a", 1)])
            .await?;
        journal.append(vec![submitted("a", 2, id(2))]).await?;
        journal.append(vec![ended("a", 1)]).await?;
        let paused = Record::Paused {
            session: session("a"),
            paused: true,
        };
        journal.append(vec![paused]).await?;
    }
    let journal = SqliteJournal::open(&place)?;
    let stored = journal.load(&session("a")).await?.unwrap();
    assert_eq!(stored.next_number, 3);
    assert!(stored.paused);
    let states: Vec<_> = stored.items.iter().map(|i| (i.number, i.state)).collect();
    assert_eq!(states, [(1, State::Failed), (2, State::Approved)]);
    assert_eq!(
        stored.items[0]
            .outcome
            .as_ref()
            .unwrap()
            .fault()
            .unwrap()
            .code,
        Code::Hung
    );
    assert_eq!(journal.load(&session("b")).await?, None);
    Ok(())
}

/// Ids that mean something within one process only: the next one counts from the beginning again.
#[tokio::test]
async fn what_a_process_calls_its_own_requests_is_not_kept() -> Check {
    let folder = Folder::new("inner");
    let inner = || Some(RequestId::Inner(1));
    let records = vec![opened("a"), submitted("a", 1, inner())];
    SqliteJournal::open(&folder.journal())?
        .append(records)
        .await?;
    let journal = SqliteJournal::open(&folder.journal())?;
    journal.append(vec![submitted("a", 2, inner())]).await?;
    let stored = journal.load(&session("a")).await?.unwrap();
    let ids: Vec<_> = stored.items.iter().map(|item| item.id.clone()).collect();
    assert_eq!(ids, [None, None]);
    Ok(())
}

#[tokio::test]
async fn nothing_twice() -> Check {
    let journal = SqliteJournal::open(&Place::Memory)?;
    journal
        .append(vec![opened("a"), opened("b"), submitted("a", 1, id(1))])
        .await?;
    assert!(
        refused(journal.append(vec![submitted("a", 1, id(9))]).await),
        "number twice"
    );
    assert!(
        refused(journal.append(vec![submitted("a", 2, id(1))]).await),
        "id twice"
    );
    journal.append(vec![submitted("b", 1, id(1))]).await?;
    let text = Some(RequestId::Text("1".into()));
    journal.append(vec![submitted("a", 2, text)]).await?;
    journal
        .append(vec![submitted("a", 3, None), submitted("a", 4, None)])
        .await?;
    journal.append(vec![started("a", 1)]).await?;
    assert!(
        refused(journal.append(vec![started("a", 1)]).await),
        "started twice"
    );
    journal.append(vec![ended("a", 1)]).await?;
    assert!(
        refused(journal.append(vec![ended("a", 1)]).await),
        "ended twice"
    );
    assert!(
        refused(journal.append(vec![started("a", 1)]).await),
        "started after its end"
    );
    assert!(
        refused(journal.append(vec![ended("a", 77)]).await),
        "ended and never begun"
    );
    assert!(
        refused(journal.append(vec![submitted("c", 1, None)]).await),
        "no such session"
    );
    Ok(())
}

#[tokio::test]
async fn all_of_an_append_or_none_and_others_are_not_harmed() -> Check {
    let journal = SqliteJournal::open(&Place::Memory)?;
    journal.append(vec![opened("a"), opened("b")]).await?;
    // Asked for before any is awaited, so that they may share a transaction.
    let good = journal.append(vec![submitted("a", 1, None)]);
    let bad = journal.append(vec![submitted("b", 1, None), started("b", 2)]);
    let more = journal.append(vec![submitted("a", 2, None)]);
    good.await?;
    assert!(refused(bad.await));
    more.await?;
    for (name, commands) in [("a", 2), ("b", 0)] {
        let stored = journal.load(&session(name)).await?.unwrap();
        assert_eq!(stored.items.len(), commands, "{name}");
    }
    Ok(())
}

#[tokio::test]
async fn a_queue_comes_back_in_its_order() -> Check {
    let journal = SqliteJournal::open(&Place::Memory)?;
    let mut records = vec![opened("a")];
    records.extend((1..=5).map(|n| submitted("a", n, None)));
    journal.append(records).await?;
    let moved = |number, before| Record::Moved {
        session: session("a"),
        number,
        before,
    };
    journal
        .append(vec![moved(5, Some(2)), moved(1, None), started("a", 3)])
        .await?;
    journal
        .append(vec![moved(4, Some(5)), submitted("a", 6, None)])
        .await?;
    let order: Vec<u64> = journal
        .load(&session("a"))
        .await?
        .unwrap()
        .items
        .iter()
        .map(|i| i.number)
        .collect();
    assert_eq!(order, [4, 5, 3, 2, 1, 6]);
    assert!(
        refused(journal.append(vec![moved(3, None)]).await),
        "3 runs"
    );
    assert!(
        refused(journal.append(vec![moved(2, Some(3))]).await),
        "before what runs"
    );
    Ok(())
}

#[tokio::test]
async fn an_edit_keeps_what_was_there_before() -> Check {
    let folder = Folder::new("edit");
    let place = folder.journal();
    let journal = SqliteJournal::open(&place)?;
    journal
        .append(vec![opened("a"), submitted("a", 1, id(1))])
        .await?;
    let replaced = Record::Replaced {
        session: session("a"),
        number: 1,
        command: Command::from(ListTabs {}),
        state: State::Proposed,
    };
    let approved = Record::Approved {
        session: session("a"),
        number: 1,
    };
    journal.append(vec![replaced, approved]).await?;
    let stored = journal.load(&session("a")).await?.unwrap();
    assert_eq!(stored.approved, [1], "a person let it through");
    let item = &stored.items[0];
    assert_eq!((item.edits, item.state), (1, State::Approved));
    assert_eq!(item.command.name(), "list_tabs");
    assert_eq!(item.id, id(1));
    let entries = SqliteJournal::peek(&place)?
        .history(&session("a"))?
        .unwrap();
    let changes: Vec<&str> = entries[0].changes.iter().map(|c| c.what.as_str()).collect();
    assert_eq!(changes, ["replaced", "approved"]);
    let before = entries[0].changes[0].before.as_ref().unwrap();
    assert_eq!(before.command, reload());
    Ok(())
}

#[tokio::test]
async fn old_history_is_not_loaded_but_its_ids_stay_used() -> Check {
    let journal = SqliteJournal::open(&Place::Memory)?;
    let mut records = vec![opened("a")];
    for n in 1..=300 {
        records.push(submitted("a", n, id(n)));
        if n != 2 {
            records.push(ended("a", n));
        }
    }
    journal.append(records).await?;
    let stored = journal.load(&session("a")).await?.unwrap();
    assert_eq!(stored.next_number, 301);
    assert!(
        stored.items.iter().any(|item| item.number == 2),
        "what waits is loaded, however old"
    );
    assert_eq!(stored.items.len() + stored.used.len(), 300);
    assert!(stored.used.contains(&RequestId::Number(1)));
    let list = journal.list().await?;
    assert_eq!(
        (list[0].commands, list[0].open, list[0].failed),
        (300, 1, 299)
    );
    Ok(())
}

#[tokio::test]
async fn a_policy_that_is_given_anew_replaces_the_old_one() -> Check {
    let journal = SqliteJournal::open(&Place::Memory)?;
    journal
        .append(vec![
            opened("a"),
            Record::SessionClosed {
                session: session("a"),
            },
        ])
        .await?;
    assert!(journal.list().await?[0].closed);
    let policy = Policy {
        approval: Approval::All,
        ..Policy::default()
    };
    let again = Record::SessionOpened {
        session: session("a"),
        policy: policy.clone(),
    };
    journal.append(vec![again]).await?;
    assert_eq!(journal.load(&session("a")).await?.unwrap().policy, policy);
    assert!(!journal.list().await?[0].closed);
    let policy = Policy {
        auto: true,
        ..policy
    };
    let allowed = Record::Allowed {
        session: session("a"),
        policy: policy.clone(),
    };
    journal.append(vec![allowed]).await?;
    assert_eq!(journal.load(&session("a")).await?.unwrap().policy, policy);
    Ok(())
}

#[test]
fn a_session_has_one_owner() -> Check {
    let folder = Folder::new("lease");
    let place = folder.journal();
    let ours = SqliteJournal::open(&place)?;
    let theirs = SqliteJournal::open(&place)?;
    let lease = ours.claim(&session("a"))?;
    match theirs.claim(&session("a")) {
        Err(error @ JournalError::Taken { .. }) => {
            assert!(
                error.to_string().contains(&std::process::id().to_string()),
                "{error}"
            );
        }
        other => panic!("{other:?}"),
    }
    let _other = theirs.claim(&session("b"))?;
    drop(lease);
    theirs.claim(&session("a"))?;
    // A file that a killed owner left behind holds nothing.
    std::fs::write(folder.0.join("deep/er/journal.db.leases/c.lease"), "999999")?;
    ours.claim(&session("c"))?;
    Ok(())
}

#[cfg(unix)]
#[test]
fn it_is_the_users_alone() -> Check {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new("mode");
    let _journal = SqliteJournal::open(&folder.journal())?;
    let mode = |path: &Path| std::fs::metadata(path).map(|m| m.permissions().mode() & 0o777);
    assert_eq!(mode(&folder.file())?, 0o600);
    assert_eq!(mode(&folder.0.join("deep"))?, 0o700);
    assert_eq!(
        mode(&folder.file().with_file_name("journal.db-wal"))?,
        0o600
    );
    Ok(())
}

#[test]
fn what_is_no_journal_is_left_alone() -> Check {
    let folder = Folder::new("foreign");
    std::fs::create_dir_all(folder.file().parent().unwrap())?;
    let text = "Dear diary, this is not a database at all. ".repeat(100);
    std::fs::write(folder.file(), &text)?;
    let error = SqliteJournal::open(&folder.journal()).unwrap_err();
    assert!(
        matches!(error, JournalError::NotADatabase { .. }),
        "{error}"
    );
    assert!(error.advice().contains("--journal"), "{}", error.advice());
    assert_eq!(std::fs::read_to_string(folder.file())?, text);

    std::fs::remove_file(folder.file())?;
    let other = rusqlite::Connection::open(folder.file())?;
    other.execute_batch("CREATE TABLE theirs (x); PRAGMA user_version = 1;")?;
    drop(other);
    let error = SqliteJournal::open(&folder.journal()).unwrap_err();
    assert!(matches!(error, JournalError::NotOurs { .. }), "{error}");

    let error = SqliteJournal::open(&Place::File("/proc/no/journal.db".into())).unwrap_err();
    assert!(matches!(error, JournalError::Io { .. }), "{error}");
    let nowhere = folder.0.join("nowhere.db");
    let error = SqliteJournal::peek(&Place::File(nowhere.clone())).unwrap_err();
    assert!(matches!(error, JournalError::Missing { .. }), "{error}");
    assert!(!nowhere.exists());
    Ok(())
}

#[test]
fn a_newer_schema_is_refused_and_a_new_file_is_brought_up_to_date() -> Check {
    let folder = Folder::new("schema");
    drop(SqliteJournal::open(&folder.journal())?);
    let file = rusqlite::Connection::open(folder.file())?;
    let version: u32 = file.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    assert!(version >= 1);
    let strict: u32 = file.query_row(
        "SELECT count(*) FROM pragma_table_list WHERE schema = 'main' AND type = 'table'
         AND name NOT LIKE 'sqlite%' AND NOT strict",
        [],
        |row| row.get(0),
    )?;
    assert_eq!(strict, 0, "every table is strict");
    file.pragma_update(None, "user_version", version + 1)?;
    drop(file);
    let error = SqliteJournal::open(&folder.journal()).unwrap_err();
    assert!(matches!(error, JournalError::Newer { .. }), "{error}");
    Ok(())
}

#[test]
fn a_damaged_file_is_said_to_be_damaged() -> Check {
    let folder = Folder::new("damage");
    drop(SqliteJournal::open(&folder.journal())?);
    let mut bytes = std::fs::read(folder.file())?;
    bytes[100..].fill(0xa5);
    std::fs::write(folder.file(), bytes)?;
    let error = SqliteJournal::open(&folder.journal()).unwrap_err();
    assert!(matches!(error, JournalError::Damaged { .. }), "{error}");
    assert!(error.advice().contains("aside"));
    Ok(())
}

#[test]
fn a_new_file_may_be_opened_by_many_at_once() -> Check {
    for round in 0..20 {
        let folder = Folder::new(&format!("race-{round}"));
        let place = folder.journal();
        std::thread::scope(|scope| {
            let open = || SqliteJournal::open(&place).map(drop);
            let opening: Vec<_> = (0..8).map(|_| scope.spawn(open)).collect();
            opening
                .into_iter()
                .try_for_each(|thread| thread.join().unwrap())
        })?;
    }
    Ok(())
}

#[tokio::test]
async fn two_processes_may_share_a_file() -> Check {
    let folder = Folder::new("shared");
    let place = folder.journal();
    let (a, b) = (SqliteJournal::open(&place)?, SqliteJournal::open(&place)?);
    a.append(vec![opened("a")]).await?;
    b.append(vec![opened("b")]).await?;
    for n in 1..=50 {
        let (x, y) = (
            a.append(vec![submitted("a", n, None)]),
            b.append(vec![submitted("b", n, None)]),
        );
        x.await?;
        y.await?;
    }
    assert_eq!(a.list().await?.iter().map(|s| s.commands).sum::<u64>(), 100);
    Ok(())
}

#[tokio::test]
async fn many_sessions_share_a_trip_to_the_disk() -> Check {
    let folder = Folder::new("group");
    let journal = SqliteJournal::open(&folder.journal())?;
    journal.append(vec![opened("a")]).await?;
    let began = std::time::Instant::now();
    let waiting: Vec<_> = (1..=2000)
        .map(|n| journal.append(vec![submitted("a", n, id(n))]))
        .collect();
    for answer in waiting {
        answer.await?;
    }
    let each = began.elapsed().as_micros() / 2000;
    println!("{each} µs for each of 2,000 appends");
    assert_eq!(
        journal.load(&session("a")).await?.unwrap().next_number,
        2001
    );
    Ok(())
}

#[tokio::test]
async fn typed_text_is_kept_for_the_queue_only_where_it_must_be() -> Check {
    let journal = SqliteJournal::open(&Place::Memory)?;
    let command = Command::from(Type {
        text: "hunter2".into(),
        target: None,
        delay_ms: None,
        no_password: None,
    });
    let waits = Record::Submitted {
        session: session("a"),
        number: 1,
        request: Request::new(command.clone()),
        state: State::Proposed,
    };
    journal.append(vec![opened("a"), waits]).await?;
    assert_eq!(
        journal.load(&session("a")).await?.unwrap().items[0].command,
        command
    );
    let approved = Record::Approved {
        session: session("a"),
        number: 1,
    };
    let started = Record::Started {
        session: session("a"),
        number: 1,
    };
    journal.append(vec![approved, started]).await?;
    assert_eq!(
        journal.load(&session("a")).await?.unwrap().items[0].command,
        command.without_text()
    );
    Ok(())
}

/// What starts at once never leaves a trace of what it typed.
#[tokio::test]
async fn a_password_is_in_no_file() -> Check {
    let folder = Folder::new("typed");
    let journal = SqliteJournal::open(&Place::File(folder.file()))?;
    journal.append(vec![opened("a")]).await?;
    for number in 1..50 {
        let command = Command::from(Type {
            text: "hunter2-hunter2".into(),
            target: None,
            delay_ms: None,
            no_password: None,
        });
        let submitted = Record::Submitted {
            session: session("a"),
            number,
            request: Request::new(command),
            state: State::Approved,
        };
        let started = Record::Started {
            session: session("a"),
            number,
        };
        journal.append(vec![submitted, started]).await?;
    }
    let folder_path = folder.file();
    let mut files = 0;
    for file in std::fs::read_dir(folder_path.parent().unwrap())? {
        let path = file?.path();
        if path.is_file() {
            files += 1;
            let bytes = std::fs::read(&path)?;
            let text = String::from_utf8_lossy(&bytes);
            assert!(!text.contains("hunter2"), "{}", path.display());
        }
    }
    assert!(files >= 2, "the journal and what was written last");
    Ok(())
}
