-- What format 2 adds to schema.sql: sessions that answer one question after another under one charge.
CREATE TABLE sessions (
    charge   INTEGER PRIMARY KEY,        -- the charge that pays for it
    key      TEXT NOT NULL,              -- what its program finds it by
    revision INTEGER NOT NULL,           -- 1, and one more with every commit
    state    TEXT NOT NULL               -- the state in force; as secret as the rows
) STRICT;
CREATE INDEX sessions_of_key ON sessions (key, charge);

CREATE TABLE answers (
    charge INTEGER NOT NULL,             -- the session's charge
    number INTEGER NOT NULL,             -- 1, 2, ... within the session
    query  TEXT NOT NULL CHECK (query <> '' AND query NOT GLOB '*[^0-9a-f]*'),
    answer TEXT NOT NULL,                -- what left
    PRIMARY KEY (charge, number),
    UNIQUE (charge, query)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER sessions_only_go_on BEFORE UPDATE ON sessions
WHEN NEW.charge IS NOT OLD.charge OR NEW.key IS NOT OLD.key OR NEW.revision IS NOT OLD.revision + 1
BEGIN SELECT RAISE(ABORT, 'a session only goes on: its charge and key are never changed'); END;
CREATE TRIGGER sessions_are_never_deleted BEFORE DELETE ON sessions
BEGIN SELECT RAISE(ABORT, 'sessions are never deleted'); END;
CREATE TRIGGER sessions_begin_once BEFORE INSERT ON sessions
WHEN NEW.revision IS NOT 1 OR EXISTS (SELECT 1 FROM sessions WHERE charge = NEW.charge)
    OR NOT EXISTS (SELECT 1 FROM entries WHERE number = NEW.charge AND kind = 'charged')
BEGIN SELECT RAISE(ABORT, 'a session begins once, under a charge, and is never changed back'); END;
CREATE TRIGGER answers_are_never_changed BEFORE UPDATE ON answers
BEGIN SELECT RAISE(ABORT, 'answers are append-only: they are never changed'); END;
CREATE TRIGGER answers_are_never_deleted BEFORE DELETE ON answers
BEGIN SELECT RAISE(ABORT, 'answers are append-only: they are never deleted'); END;
-- As for entries, INSERT OR REPLACE must find nothing that it could replace.
CREATE TRIGGER answers_are_only_appended BEFORE INSERT ON answers
WHEN NEW.number IS NOT (SELECT COALESCE(MAX(number), 0) + 1 FROM answers WHERE charge = NEW.charge)
    OR EXISTS (SELECT 1 FROM answers WHERE charge = NEW.charge AND query = NEW.query)
    OR NOT EXISTS (SELECT 1 FROM sessions WHERE charge = NEW.charge)
BEGIN SELECT RAISE(ABORT, 'answers are append-only: one has the next number and a new query'); END;
