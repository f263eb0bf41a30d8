-- One append-only log. What an account is, holds and has spent follows from it.
CREATE TABLE entries (
    number   INTEGER PRIMARY KEY,
    at       TEXT NOT NULL,              -- RFC 3339, UTC
    kind     TEXT NOT NULL CHECK (kind IN ('opened', 'charged', 'released', 'raised')),
    account  TEXT NOT NULL,
    cap      TEXT,                       -- opened, raised: the cap from here on, as JSON
    event    TEXT,                       -- charged: what is run, as JSON
    charge   INTEGER,                    -- released: the number of the charge that paid for it
    note     TEXT NOT NULL,              -- charged: what for; released: the file; raised: why
    digest   TEXT,                       -- charged: the table's fingerprint; released: the file's SHA-256
    previous BLOB NOT NULL,              -- the hash of the entry before
    hash     BLOB NOT NULL               -- SHA-256 of previous and of everything above
) STRICT;
CREATE INDEX entries_of_account ON entries (account, number);

CREATE TABLE secrets (
    name  TEXT PRIMARY KEY,
    value BLOB NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TRIGGER entries_are_never_changed BEFORE UPDATE ON entries
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only: entries are never changed'); END;
CREATE TRIGGER entries_are_never_deleted BEFORE DELETE ON entries
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only: entries are never deleted'); END;
-- Without this, INSERT OR REPLACE would change an entry and fire neither of the two above.
CREATE TRIGGER entries_are_only_appended BEFORE INSERT ON entries
WHEN NEW.number IS NOT (SELECT COALESCE(MAX(number), 0) + 1 FROM entries)
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only: an entry has the next number'); END;
CREATE TRIGGER secrets_are_never_changed BEFORE UPDATE ON secrets
BEGIN SELECT RAISE(ABORT, 'the secrets of a ledger are never changed'); END;
CREATE TRIGGER secrets_are_never_deleted BEFORE DELETE ON secrets
BEGIN SELECT RAISE(ABORT, 'the secrets of a ledger are never deleted'); END;
CREATE TRIGGER secrets_are_only_added BEFORE INSERT ON secrets
WHEN EXISTS (SELECT 1 FROM secrets WHERE name = NEW.name)
BEGIN SELECT RAISE(ABORT, 'the secrets of a ledger are never changed'); END;
