use super::*;
use crate::request_queue::IdempotencyKey;
use crate::tokens::{self, Role};
use discretion::RefusalKind;
use discretion_ledger::utc_now;
use std::collections::HashMap;

fn store() -> (tempfile::TempDir, Store) {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::of_account(&folder.path().join("ledger.sqlite"), "a").unwrap();
    (folder, store)
}

#[test]
fn tokens_are_kept_as_hashes_and_named_once() {
    let (folder, store) = store();
    let text = store.new_token("ann", Role::Analyst, Some(5)).unwrap();
    let found = tokens::find(&store.tokens().unwrap(), Some(&text)).cloned().unwrap();
    assert_eq!(
        (found.name.as_str(), found.role, found.limit, found.used),
        ("ann", Role::Analyst, Some(5), 0)
    );
    assert!(
        matches!(store.new_token("ann", Role::Custodian, None), Err(refusal) if refusal.kind() == RefusalKind::Refused)
    );
    assert!(
        matches!(store.new_token("", Role::Analyst, None), Err(refusal) if refusal.kind() == RefusalKind::BadInput)
    );
    for entry in std::fs::read_dir(folder.path()).unwrap() {
        let path = entry.unwrap().path();
        let bytes = std::fs::read(&path).unwrap();
        assert!(
            !bytes.windows(64).any(|window| window == &text.as_bytes()[11..]),
            "{}",
            path.display()
        );
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            assert_eq!(std::fs::metadata(&path).unwrap().mode() & 0o077, 0, "{}", path.display());
        }
    }
    store.revoke("ann").unwrap();
    assert!(tokens::find(&store.tokens().unwrap(), Some(&text)).is_none());
    assert!(store.revoke("bob").is_err());
}

#[test]
fn a_key_gives_its_response_again_and_limits_hold_at_the_commit() {
    let (_folder, store) = store();
    store.new_token("ann", Role::Analyst, Some(5)).unwrap();
    let id = store.tokens().unwrap()[0].id;
    let key = IdempotencyKey { name: "k".to_owned(), body: [7; 32] };
    let record = ResponseRecord { token: id, queries: 3, key: Some(&key), response: "{}" };
    let moment = Progress { at: utc_now(), queries_left: 7, unstable_left: 2 };
    assert!(store.settle(1, &[record], Some(&moment)).unwrap().is_empty());
    assert!(
        matches!(store.key_status(id, &key).unwrap(), KeyStatus::Answered(text) if text == "{}")
    );
    assert!(matches!(store.key_status(id + 1, &key).unwrap(), KeyStatus::New), "another token");
    // Another session of the account, in another process, under the same key.
    let again = ResponseRecord { token: id, queries: 1, key: Some(&key), response: "{1}" };
    assert_eq!(
        store.settle(2, &[again], None).unwrap(),
        HashMap::from([(0, WithholdReason::KeyUsed)])
    );
    let other = IdempotencyKey { body: [8; 32], ..key };
    assert!(matches!(store.key_status(id, &other).unwrap(), KeyStatus::OtherBody));
    assert_eq!(store.allowance(id).unwrap(), Allowance::Left(2));
    let late = |queries| ResponseRecord { token: id, queries, key: None, response: "" };
    assert_eq!(
        store.settle(1, &[late(2), late(1)], None).unwrap(),
        HashMap::from([(1, WithholdReason::OverLimit(0))])
    );
    assert_eq!(
        (store.allowance(id).unwrap(), store.tokens().unwrap()[0].used),
        (Allowance::Left(0), 5)
    );
    store.revoke("ann").unwrap();
    assert_eq!(store.allowance(id).unwrap(), Allowance::Revoked);
    assert_eq!(
        store.settle(1, &[late(0)], None).unwrap(),
        HashMap::from([(0, WithholdReason::Revoked)])
    );
    assert_eq!(store.progress(1, 100).unwrap(), [moment]);
}

#[test]
fn what_is_no_state_of_a_service_is_not_touched() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = folder.path().join("ledger.sqlite");
    let path = Store::path(&ledger, "a");
    assert!(Store::peek(&ledger, "a").unwrap().is_none() && !path.exists());
    let other = Connection::open(&path).unwrap();
    other.execute_batch("CREATE TABLE tokens (id INTEGER)").unwrap();
    let refused = |part: &str| {
        for opened in
            [Store::of_account(&ledger, "a").map(drop), Store::peek(&ledger, "a").map(drop)]
        {
            assert!(opened.unwrap_err().to_string().contains(part));
        }
    };
    refused("it is something else");
    other.execute_batch("DROP TABLE tokens").unwrap();
    let store = Store::of_account(&ledger, "a").unwrap();
    store.new_token("ann", Role::Analyst, None).unwrap();
    assert_eq!(Store::peek(&ledger, "a").unwrap().unwrap().tokens().unwrap().len(), 1);
    // Somebody else writes: whoever looks does not wait.
    let writing = sqlite::begin(&store.connection, WAIT).unwrap();
    assert_eq!(Store::of_account(&ledger, "a").unwrap().tokens().unwrap().len(), 1);
    drop(writing);
    other.pragma_update(None, "user_version", FORMAT + 1).unwrap();
    refused("a newer discretion made it");
}

/// One store is killed in a commit, and another one comes under its name.
#[test]
fn a_journal_of_another_store_brings_no_counts_back() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = folder.path().join("ledger.sqlite");
    let path = Store::path(&ledger, "a");
    let beside = |ending: &str| path.with_extension(format!("sqlite{ending}"));
    let store = || Store::of_account(&ledger, "a");
    let used = |store: &Store| store.tokens().unwrap()[0].used;
    let ask = |store: &Store| {
        let token = store.tokens().unwrap()[0].id;
        let record = ResponseRecord { token, queries: 1, key: None, response: "" };
        store.settle(1, &[record], None).unwrap();
    };
    // What a kill leaves: the journal of a commit whose pages are in the file.
    let killed = |store: &Store, has_first_page: bool| {
        store.connection.pragma_update(None, "cache_spill", 1).unwrap();
        let writing = sqlite::begin(&store.connection, WAIT).unwrap();
        writing.execute("UPDATE tokens SET used = used + 1", []).unwrap();
        if has_first_page {
            writing.pragma_update(None, "user_version", FORMAT).unwrap();
        }
        let long = "INSERT INTO requests VALUES (1, 1, 'k', x'00', hex(randomblob(9000000)))";
        writing.execute(long, []).unwrap();
        let left = [std::fs::read(&path).unwrap(), std::fs::read(beside("-journal")).unwrap()];
        assert!(left[0].len() > 9_000_000 && left[1].len() > 4096, "half a commit");
        drop(writing);
        left
    };
    let one = store().unwrap();
    one.new_token("ann", Role::Analyst, Some(5)).unwrap();
    ask(&one);
    let [file, journal] = killed(&one, true);
    let [_, without] = killed(&one, false);
    drop(one);

    std::fs::write(&path, &file).unwrap();
    std::fs::write(beside("-journal"), &journal).unwrap();
    assert_eq!(used(&store().unwrap()), 1, "its own is undone");

    std::fs::remove_file(&path).unwrap();
    let other = store().unwrap();
    other.new_token("ann", Role::Analyst, Some(5)).unwrap();
    ask(&other);
    drop(other);
    for (ending, bytes) in [("-journal", &journal), ("-journal", &without), ("-wal", &journal)] {
        std::fs::write(beside(ending), bytes).unwrap();
        let refused = store().err().unwrap().to_string();
        assert!(refused.contains("is of another file"), "{refused}");
        std::fs::remove_file(beside(ending)).unwrap();
    }
    assert_eq!(used(&store().unwrap()), 1);
}

/// A name that SQLite would read as something else.
#[test]
fn a_store_is_a_file_whatever_its_folder_is_called() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["file:x?mode=memory", "file::memory:", ":memory:"] {
        let folder = folder.path().join(name);
        let ledger = folder.join("ledger.sqlite");
        let store = Store::of_account(&ledger, "a").unwrap();
        store.new_token("ann", Role::Analyst, Some(5)).unwrap();
        drop(store);
        assert!(Store::path(&ledger, "a").starts_with(folder.canonicalize().unwrap()));
        assert_eq!(
            Store::peek(&ledger, "a").unwrap().unwrap().tokens().unwrap().len(),
            1,
            "{name}"
        );
        // Stores of earlier programs get their number when they are opened.
        let store = Store::of_account(&ledger, "a").unwrap();
        store.connection.pragma_update(None, "user_version", 1).unwrap();
        drop(store);
        assert_eq!(Store::of_account(&ledger, "a").unwrap().recognise().unwrap(), Some(FORMAT));
    }
}
