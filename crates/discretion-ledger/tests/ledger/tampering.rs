//! Whatever is changed in a ledger behind its back is found.

use crate::common::{ONE, filled, place, pure};
use discretion_ledger::{Error, FileError, Ledger, Purchase, Verification};
use rusqlite::Connection;
use std::path::Path;

fn verified(path: &Path) -> Verification {
    Ledger::peek(path).unwrap().verify(None).unwrap()
}

/// Removes what keeps an honest program from changing entries, changes one, and puts it back.
fn tamper(path: &Path, sql: &str) -> usize {
    let connection = Connection::open(path).unwrap();
    // Hundreds of copies are tampered with, and none has to survive a power cut.
    connection.pragma_update(None, "synchronous", "OFF").unwrap();
    let triggers: Vec<(String, String)> = connection
        .prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'")
        .unwrap()
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))
        .unwrap()
        .collect::<Result<_, _>>()
        .unwrap();
    for (name, _) in &triggers {
        connection.execute_batch(&format!("DROP TRIGGER {name}")).unwrap();
    }
    let changed = connection.execute(sql, []).unwrap();
    for (_, sql) in &triggers {
        connection.execute_batch(sql).unwrap();
    }
    changed
}

#[test]
fn triggers_refuse_changes() {
    let (_directory, path) = place();
    drop(filled(&path));
    let connection = Connection::open(&path).unwrap();
    for sql in [
        "UPDATE entries SET note = 'x' WHERE number = 2",
        "DELETE FROM entries WHERE number = 7",
        "INSERT OR REPLACE INTO entries SELECT 2, at, kind, account, cap, event, charge, 'x', digest, previous, hash, job \
         FROM entries WHERE number = 2",
        "INSERT INTO entries SELECT 99, at, kind, account, cap, event, charge, note, digest, previous, hash, job \
         FROM entries WHERE number = 2",
        "UPDATE secrets SET value = zeroblob(32)",
        "DELETE FROM secrets",
        "INSERT OR REPLACE INTO secrets VALUES ('fingerprint', zeroblob(32))",
    ] {
        let error = connection.execute(sql, []).unwrap_err().to_string();
        assert!(
            error.contains("append-only")
                || error.contains("never changed")
                || error.contains("never deleted")
        );
    }
    assert_eq!(verified(&path).problem, None);
}

/// A ledger with a session under charge 2 that gave two answers.
fn with_session(path: &Path) {
    let ledger = Ledger::open(path).unwrap();
    let account = ledger.account("adult", ONE).unwrap();
    let mut session = account
        .charge(&Purchase::new(&pure(0.5), "vote").with_session("k", "0"))
        .unwrap()
        .session
        .unwrap();
    session.commit("1", &[("a1", "yes"), ("b2", "no")].map(|(q, a)| (q.into(), a.into()))).unwrap();
}

#[test]
fn triggers_refuse_changes_of_sessions() {
    let (_directory, path) = place();
    with_session(&path);
    let connection = Connection::open(&path).unwrap();
    for sql in [
        "UPDATE sessions SET state = '0'",
        "UPDATE sessions SET state = '0', revision = 1",
        "UPDATE sessions SET charge = 1, revision = revision + 1",
        "DELETE FROM sessions",
        "INSERT OR REPLACE INTO sessions VALUES (2, 'k', 1, '0', x'00')",
        "INSERT INTO sessions VALUES (1, 'k', 1, '0', x'00')",
        "INSERT INTO sessions VALUES (3, 'k', 1, '0', x'00')",
        "UPDATE answers SET answer = 'no'",
        "DELETE FROM answers WHERE number = 2",
        "INSERT OR REPLACE INTO answers VALUES (2, 2, 'c3', 'yes', x'00')",
        "INSERT OR REPLACE INTO answers VALUES (2, 3, 'a1', 'no', x'00')",
        "INSERT INTO answers VALUES (2, 4, 'c3', 'no', x'00')",
        "INSERT INTO answers VALUES (7, 1, 'c3', 'no', x'00')",
    ] {
        let error = connection.execute(sql, []).unwrap_err().to_string();
        assert!(
            ["only goes on", "never deleted", "begins once", "append-only"]
                .iter()
                .any(|words| error.contains(words)),
            "{sql}: {error}"
        );
    }
    assert_eq!(verified(&path).problem, None);
}

#[test]
fn sessions_without_a_charge_and_missing_answers_are_found() {
    for (sql, number, words) in [
        ("UPDATE sessions SET charge = 1", 1, "it is none"),
        ("INSERT INTO sessions VALUES (9, 'k', 1, '0', x'00')", 9, "it is none"),
        ("DELETE FROM sessions", 2, "is missing"),
        ("DELETE FROM answers WHERE number = 1", 2, "answers of its session are missing"),
        ("UPDATE answers SET number = 7 WHERE number = 2", 2, "answers of its session are missing"),
    ] {
        let (_directory, path) = place();
        with_session(&path);
        assert_eq!(tamper(&path, sql), 1, "{sql}");
        let problem = verified(&path).problem.unwrap_or_else(|| panic!("{sql}"));
        assert!(
            problem.number == Some(number) && problem.detail.contains(words),
            "{sql}: {problem:?}"
        );
    }
}

#[test]
fn changed_sessions_and_answers_are_found_and_not_built_upon() {
    for (sql, words) in [
        ("UPDATE sessions SET state = '0'", "is not what was written"),
        ("UPDATE sessions SET revision = 1", "is not what was written"),
        ("UPDATE sessions SET seal = zeroblob(32)", "is not what was written"),
        ("DELETE FROM answers WHERE number = 2", "answers are missing at its end"),
        ("UPDATE answers SET answer = 'yes' WHERE number = 2", "answer 2 of its session"),
        ("UPDATE answers SET hash = zeroblob(32) WHERE number = 2", "answer 2 of its session"),
    ] {
        let (_directory, path) = place();
        with_session(&path);
        let before = Ledger::open(&path).unwrap();
        let mut session = before.account("adult", ONE).unwrap().session("k").unwrap().unwrap();
        assert_eq!(tamper(&path, sql), 1, "{sql}");
        let problem = verified(&path).problem.unwrap_or_else(|| panic!("{sql}"));
        assert!(problem.number == Some(2) && problem.detail.contains(words), "{sql}: {problem:?}");
        let damaged = |result: Result<(), Error>| {
            matches!(result, Err(Error::File(FileError::Corrupted { .. })))
        };
        let ledger = Ledger::open(&path).unwrap();
        let account = ledger.account("adult", ONE).unwrap();
        // An answer is looked at when it is given again.
        if !sql.contains("answer = 'yes'") {
            assert!(damaged(account.session("k").map(drop)), "{sql}");
            assert!(damaged(session.commit("2", &[])), "{sql}");
        }
        if sql.contains("number = 2") && !sql.starts_with("DELETE") {
            assert!(damaged(session.answer("b2").map(drop)), "{sql}");
        }
    }
}

#[test]
fn a_flipped_bit_in_any_byte_of_any_entry_is_found() {
    let (directory, path) = place();
    drop(filled(&path));
    let columns =
        ["at", "kind", "account", "cap", "event", "charge", "note", "digest", "previous", "hash"];
    let untouched = Connection::open(&path).unwrap();
    let mut tried = 0;
    for number in 1..=7 {
        for column in columns {
            let bytes: Option<Vec<u8>> = untouched
                .query_row(
                    &format!("SELECT CAST({column} AS BLOB) FROM entries WHERE number = {number}"),
                    [],
                    |row| row.get(0),
                )
                .unwrap();
            // Every byte of the entries with an event, the first and last of the others.
            let length = bytes.as_ref().map_or(0, Vec::len);
            for index in (0..length).filter(|&i| number == 2 || i == 0 || i + 1 == length) {
                let copy = directory.path().join("copy.sqlite");
                std::fs::copy(&path, &copy).unwrap();
                let mut flipped = bytes.clone().unwrap();
                flipped[index] ^= 1;
                let digits: String = flipped.iter().map(|byte| format!("{byte:02X}")).collect();
                let value = match column {
                    "previous" | "hash" => format!("x'{digits}'"),
                    "charge" => String::from_utf8(flipped).unwrap(),
                    _ => format!("CAST(x'{digits}' AS TEXT)"),
                };
                if column == "kind" {
                    // The CHECK keeps kinds to five words; without it the flip is still found.
                    let connection = Connection::open(&copy).unwrap();
                    connection.pragma_update(None, "ignore_check_constraints", true).unwrap();
                    connection.execute_batch("DROP TRIGGER entries_are_never_changed").unwrap();
                    let sql = format!("UPDATE entries SET kind = {value} WHERE number = {number}");
                    connection.execute(&sql, []).unwrap();
                } else {
                    assert_eq!(
                        tamper(
                            &copy,
                            &format!(
                                "UPDATE entries SET {column} = {value} WHERE number = {number}"
                            )
                        ),
                        1
                    );
                }
                let problem =
                    verified(&copy).problem.unwrap_or_else(|| panic!("{number} {column} {index}"));
                // A wrong hash shows in the entry itself.
                assert_eq!(problem.number, Some(number), "{column} {index}: {problem:?}");
                tried += 1;
            }
        }
    }
    assert!(tried > 250, "{tried}");
}

#[test]
fn a_missing_entry_a_changed_secret_and_a_missing_trigger_are_found() {
    let cases = [
        ("DELETE FROM entries WHERE number = 3", Some(3)),
        ("DELETE FROM entries WHERE number = 1", Some(1)),
        ("UPDATE secrets SET value = zeroblob(32)", Some(1)),
    ];
    for (sql, number) in cases {
        let (_directory, path) = place();
        drop(filled(&path));
        tamper(&path, sql);
        assert_eq!(verified(&path).problem.unwrap().number, number, "{sql}");
    }
    let (_directory, path) = place();
    drop(filled(&path));
    Connection::open(&path)
        .unwrap()
        .execute_batch("DROP TRIGGER entries_are_never_deleted")
        .unwrap();
    let problem = verified(&path).problem.unwrap();
    assert!(
        problem.number.is_none() && problem.detail.contains("entries_are_never_deleted"),
        "{problem:?}"
    );
}

#[test]
fn a_cut_off_tail_shows_only_against_a_noted_head() {
    let (_directory, path) = place();
    let head = filled(&path).verify(None).unwrap().head;
    assert_eq!(Ledger::peek(&path).unwrap().verify(Some(&head)).unwrap().problem, None);
    tamper(&path, "DELETE FROM entries WHERE number = 7");
    let ledger = Ledger::peek(&path).unwrap();
    assert_eq!(ledger.verify(None).unwrap().problem, None, "nothing inside the file tells");
    assert!(ledger.verify(Some(&head)).unwrap().problem.unwrap().detail.contains("noted head"));
}

#[test]
fn a_changed_last_entry_is_not_built_upon() {
    let (_directory, path) = place();
    drop(filled(&path));
    tamper(&path, "UPDATE entries SET note = 'x' WHERE number = 7");
    let ledger = Ledger::open(&path).unwrap();
    assert!(matches!(
        ledger.release(2, "model.json", None),
        Err(Error::File(FileError::Corrupted { .. }))
    ));
}
