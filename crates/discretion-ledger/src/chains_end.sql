-- The end of format 3, when every row is in its place: what keeps them there.
DROP TABLE entries_before;
DROP TABLE sessions_before;
DROP TABLE answers_before;

CREATE TRIGGER entries_are_never_changed BEFORE UPDATE ON entries
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only: entries are never changed'); END;
CREATE TRIGGER entries_are_never_deleted BEFORE DELETE ON entries
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only: entries are never deleted'); END;
-- Without this, INSERT OR REPLACE would change an entry and fire neither of the two above.
CREATE TRIGGER entries_are_only_appended BEFORE INSERT ON entries
WHEN NEW.number IS NOT (SELECT COALESCE(MAX(number), 0) + 1 FROM entries)
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only: an entry has the next number'); END;

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
