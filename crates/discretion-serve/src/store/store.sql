-- What a service keeps beside the ledger. No query is in here, and of tokens only their hashes.
CREATE TABLE tokens (
    id      INTEGER PRIMARY KEY,
    name    TEXT NOT NULL UNIQUE,
    role    TEXT NOT NULL CHECK (role IN ('analyst', 'custodian')),
    hash    BLOB NOT NULL UNIQUE,
    most    INTEGER,                    -- queries in all its life; NULL: any number
    used    INTEGER NOT NULL DEFAULT 0, -- queries answered so far
    revoked INTEGER NOT NULL DEFAULT 0,
    made_at TEXT NOT NULL
) STRICT;

-- Requests that came with an idempotency key: sent again, they get what left the first time.
CREATE TABLE requests (
    charge   INTEGER NOT NULL,          -- the session that answered
    token    INTEGER NOT NULL,
    key      TEXT NOT NULL,
    body     BLOB NOT NULL,             -- SHA-256 with the study's name: another body is a mistake
    response TEXT NOT NULL,
    PRIMARY KEY (token, key)            -- over all sessions: a new one does not make a key new
) STRICT, WITHOUT ROWID;

-- How far a session had come after each tick in which it went on, for the custodian's charts.
CREATE TABLE progress (
    charge   INTEGER NOT NULL,
    number   INTEGER NOT NULL,
    at       TEXT NOT NULL,
    queries  INTEGER NOT NULL,          -- left
    unstable INTEGER NOT NULL,          -- left
    PRIMARY KEY (charge, number)
) STRICT, WITHOUT ROWID;
