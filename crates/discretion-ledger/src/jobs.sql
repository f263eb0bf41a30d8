-- What format 4 adds: the name of a charge's job. Earlier charges have it in their note.
ALTER TABLE entries ADD COLUMN job TEXT;
