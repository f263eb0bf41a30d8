//! Study files: one that is read, and written again in another layout, reads the same.

use crate::{Verdict, one_line};
use discretion_table::{Form, HolderSettings, Location, Place, Places, Schema, Study};
use std::path::Path;

/// A study file.
pub fn study(bytes: &[u8]) -> Verdict {
    let Ok(text) = str::from_utf8(bytes) else { return Verdict::Refused };
    let path = Path::new("folder/study.toml");
    // The fields of the custodian's page hold whatever is TOML, finished or not.
    if let Ok(form) = Form::read(path, text) {
        let _ = form.check(path);
    }
    let read = match Study::parse(path, text) {
        Ok(read) => read,
        Err(refusal) => {
            if let Place::Character(line, _) = refusal.at.place {
                assert!(
                    line <= 1 + text.matches('\n').count() as u64,
                    "a refusal is about a line that is there"
                );
            }
            one_line(refusal);
            return Verdict::Refused;
        }
    };
    // Every row that is encoded by it is within length 1, or this panics.
    let _ = read.schema.encoder().layout();
    let json = serde_json::to_string(&read.schema).expect("a schema is plain data");
    let schema = serde_json::from_str(&json).expect("a schema that was written is read");
    assert_eq!(read.schema, schema, "a schema in a model file is the study's");

    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    // Only numbers of 64 bits can be written, and larger ones be read.
    let Ok(table) = text.parse::<toml::Table>() else { return Verdict::Accepted };
    let written = toml::to_string(&table).expect("TOML can be written");
    let again = Study::parse(path, &written)
        .unwrap_or_else(|refusal| panic!("written again: {refusal}\n{written}"));
    assert_eq!(content(again), content(read), "a study does not depend on its layout");
    Verdict::Accepted
}

/// What a study says, wherever it stands. Whoever writes it again writes columns and holders in the
/// order of their names.
fn content(mut study: Study) -> (Study, Vec<HolderSettings>) {
    let file = Location { path: study.path.clone(), place: Place::File };
    study.places =
        Places { budget: file.clone(), spend: Some(file.clone()), lambda: file, base_rate: None };
    let mut columns = study.schema.columns().to_vec();
    columns.sort_by(|one, other| one.name.cmp(&other.name));
    let ordered = Schema::new(study.schema.norm(), study.schema.target().clone(), columns);
    let from_rows = study.schema.from_rows().to_vec();
    study.schema = ordered.expect("the same columns").looked_up(from_rows);
    let mut aggregators = Vec::new();
    if let Some(party) = &mut study.party {
        aggregators.extend(party.aggregators.drain(..).map(|place| party.holders[place].clone()));
        party.holders.sort_by(|one, other| one.name.cmp(&other.name));
        aggregators.sort_by(|one, other| one.name.cmp(&other.name));
    }
    (study, aggregators)
}
