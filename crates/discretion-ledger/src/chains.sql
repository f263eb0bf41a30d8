-- What format 3 changes: accounts can be upgraded, and answers and sessions have hashes. Tables are made anew and the old ones step
-- aside; their answers and sessions get their hashes from the program, and chains_end.sql comes after that.
DROP TRIGGER entries_are_never_changed;
DROP TRIGGER entries_are_never_deleted;
DROP TRIGGER entries_are_only_appended;
DROP TRIGGER sessions_only_go_on;
DROP TRIGGER sessions_are_never_deleted;
DROP TRIGGER sessions_begin_once;
DROP TRIGGER answers_are_never_changed;
DROP TRIGGER answers_are_never_deleted;
DROP TRIGGER answers_are_only_appended;
DROP INDEX entries_of_account;
DROP INDEX sessions_of_key;
ALTER TABLE entries RENAME TO entries_before;
ALTER TABLE sessions RENAME TO sessions_before;
ALTER TABLE answers RENAME TO answers_before;

CREATE TABLE entries (
    number   INTEGER PRIMARY KEY,
    at       TEXT NOT NULL,              -- RFC 3339, UTC
    kind     TEXT NOT NULL CHECK (kind IN ('opened', 'charged', 'released', 'raised', 'upgraded')),
    account  TEXT NOT NULL,
    cap      TEXT,                       -- opened, raised, upgraded: the cap from here on, as JSON
    event    TEXT,                       -- charged: what is run, as JSON
    charge   INTEGER,                    -- released: the number of the charge that paid for it
    note     TEXT NOT NULL,              -- charged: what for; released: the file; raised, upgraded: why
    digest   TEXT,                       -- charged: the table's fingerprint; released: the file's SHA-256
    previous BLOB NOT NULL,              -- the hash of the entry before
    hash     BLOB NOT NULL               -- SHA-256 of previous and of everything above
) STRICT;
CREATE INDEX entries_of_account ON entries (account, number);
INSERT INTO entries SELECT * FROM entries_before ORDER BY number;

CREATE TABLE sessions (
    charge   INTEGER PRIMARY KEY,        -- the charge that pays for it
    key      TEXT NOT NULL,              -- what its program finds it by
    revision INTEGER NOT NULL,           -- 1, and one more with every commit
    state    TEXT NOT NULL,              -- the state in force; as secret as the rows
    seal     BLOB NOT NULL               -- SHA-256 of the charge's hash, everything above and the last answer's hash
) STRICT;
CREATE INDEX sessions_of_key ON sessions (key, charge);

CREATE TABLE answers (
    charge INTEGER NOT NULL,             -- the session's charge
    number INTEGER NOT NULL,             -- 1, 2, ... within the session
    query  TEXT NOT NULL CHECK (query <> '' AND query NOT GLOB '*[^0-9a-f]*'),
    answer TEXT NOT NULL,                -- what left
    hash   BLOB NOT NULL,                -- SHA-256 of the hash before, the charge's for the first, and everything above
    PRIMARY KEY (charge, number),
    UNIQUE (charge, query)
) STRICT, WITHOUT ROWID;
