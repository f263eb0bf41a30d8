PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
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
INSERT INTO entries VALUES(1,'2026-11-15T09:04:56.918Z','opened','adult','{"kind":"pure","epsilon":1.0}',NULL,NULL,'',NULL,X'82c2614b0f36cfdb8cf2ae401c94a61564b8397b25a1c2d679bad5f9194bc2c8',X'7ec8ed4b8cdf13deb38ef51a99067e63a415fc59d612394d38ca7445efb258d5');
INSERT INTO entries VALUES(2,'2026-11-15T09:04:56.918Z','charged','adult',NULL,'{"event":"pure","epsilon":0.25,"what":"test"}',NULL,'fit adult','b67bf36ebad3d59b329b68dd0712c04d09c2a4ad963fb7059b5839eaa75fbd20',X'7ec8ed4b8cdf13deb38ef51a99067e63a415fc59d612394d38ca7445efb258d5',X'0b4a00a79412ac63cb43375fcf2e17224f1e252178d2208ec55dee205e4d7533');
INSERT INTO entries VALUES(3,'2026-11-15','released','adult',NULL,NULL,2,'model.json','abababababababababababababababababababababababababababababababab',X'0b4a00a79412ac63cb43375fcf2e17224f1e252178d2208ec55dee205e4d7533',X'9eb3618e6e44d43fadf1ca0bd73ba464af61557fc461766f419b4f4d362fbfc1');
INSERT INTO entries VALUES(4,'2026-11-15T09:04:56.926Z','charged','adult',NULL,'{"event":"pure","epsilon":0.125,"what":"test"}',NULL,'fit again','b67bf36ebad3d59b329b68dd0712c04d09c2a4ad963fb7059b5839eaa75fbd20',X'9eb3618e6e44d43fadf1ca0bd73ba464af61557fc461766f419b4f4d362fbfc1',X'4aa3157308bfbcf4f10be8edb7c04164650b26381b189b5fa88ee1b6bf5ea524');
INSERT INTO entries VALUES(5,'2026-11-15T09:04:56.930Z','opened','other','{"kind":"approximate","epsilon":2.0,"delta":1e-6}',NULL,NULL,'',NULL,X'4aa3157308bfbcf4f10be8edb7c04164650b26381b189b5fa88ee1b6bf5ea524',X'31f9358a62bc9ce6e28384967fce063b905498aed1259fe71359490b37c16d7f');
INSERT INTO entries VALUES(6,'2026-11-15T09:04:56.930Z','charged','other',NULL,'{"event":"gaussian","sensitivity":1.0,"sigma":20.0}',NULL,'mean',NULL,X'31f9358a62bc9ce6e28384967fce063b905498aed1259fe71359490b37c16d7f',X'90ea8999e4d80122fc7ce57c1d13b8936e83e354980ce24fc8d64e9ffdebb1cf');
INSERT INTO entries VALUES(7,'2026-11-15T09:04:56.934Z','raised','adult','{"kind":"pure","epsilon":2.0}',NULL,NULL,'new ethics vote',NULL,X'90ea8999e4d80122fc7ce57c1d13b8936e83e354980ce24fc8d64e9ffdebb1cf',X'ace69df42e4c9f36ea6e2d9a66e3e23f7f304c3d7efea217dbd33a28f8c3572b');
CREATE TABLE secrets (
    name  TEXT PRIMARY KEY,
    value BLOB NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO secrets VALUES('fingerprint',X'bd411bdc10ca6446ce450b2ad82516bc6734f337401b3e4e063f8aa3c8b3aada');
CREATE INDEX entries_of_account ON entries (account, number);
CREATE TRIGGER entries_are_never_changed BEFORE UPDATE ON entries
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only: entries are never changed'); END;
CREATE TRIGGER entries_are_never_deleted BEFORE DELETE ON entries
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only: entries are never deleted'); END;
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
COMMIT;
