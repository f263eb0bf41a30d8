//! Files that are published: one that is read, and written again, reads the same; and it can be
//! shown.

use crate::{Verdict, one_line};
use discretion::Refusal;
use discretion_formats::{Artefact, DensityFile, Drawn, EvaluationFile, Model, NumberModel};
use discretion_report::{report, terminal};
use discretion_table::Kind;
use std::path::Path;

/// A model file.
pub fn model(bytes: &[u8]) -> Verdict {
    let Ok(text) = str::from_utf8(bytes) else { return Verdict::Refused };
    let path = Path::new("model.json");
    if NumberModel::is_in(text) {
        return number(text, path);
    }
    let model = match Model::from_json(text) {
        Ok(model) => model,
        Err(refusal) => {
            one_line(Refusal::bad_input(refusal));
            return Verdict::Refused;
        }
    };
    let written = model.to_json();
    let again = Model::from_json(&written).expect("a model that was written is read");
    assert_eq!(again, model, "a model that was written is the same");
    assert_eq!(
        model.theta().len(),
        model.schema.encoder().layout().dimension(),
        "one coefficient for each"
    );
    assert!(report::html(&model, path, None).ends_with("</html>\n"), "the page is whole");
    assert!(
        terminal::model(&model, &[]).starts_with(&model.privacy.statement),
        "the summary says first what is promised"
    );
    Verdict::Accepted
}

/// A model of a number.
fn number(text: &str, path: &Path) -> Verdict {
    let model = match NumberModel::from_json(text) {
        Ok(model) => model,
        Err(refusal) => {
            one_line(Refusal::bad_input(refusal));
            return Verdict::Refused;
        }
    };
    let again = NumberModel::from_json(&model.to_json()).expect("a model that was written is read");
    assert_eq!(again, model, "a model that was written is the same");
    assert!(report::number_html(&model, path, None).ends_with("</html>\n"), "the page is whole");
    assert!(
        terminal::number(&model, &[]).starts_with(&model.privacy.statement),
        "the summary says first what is promised"
    );
    match model.solution() {
        Ok(Some(solution)) => assert_eq!(solution.coefficients().len(), model.coefficients.len()),
        Ok(None) => assert!(model.moments.is_none()),
        Err(sentence) => one_line(Refusal::bad_input(sentence)),
    }
    Verdict::Accepted
}

/// An evaluation file.
pub fn evaluation(bytes: &[u8]) -> Verdict {
    let Ok(text) = str::from_utf8(bytes) else { return Verdict::Refused };
    let file = match EvaluationFile::from_json(text) {
        Ok(file) => file,
        Err(refusal) => {
            one_line(Refusal::bad_input(refusal));
            return Verdict::Refused;
        }
    };
    let again =
        EvaluationFile::from_json(&file.to_json()).expect("an evaluation that was written is read");
    assert_eq!(again, file, "an evaluation that was written is the same");
    assert!(
        terminal::evaluation(&file, &[]).starts_with(&file.privacy.statement),
        "the summary says first what is promised"
    );
    Verdict::Accepted
}

/// A density file.
pub fn density(bytes: &[u8]) -> Verdict {
    let Ok(text) = str::from_utf8(bytes) else { return Verdict::Refused };
    let file = match DensityFile::from_json(text) {
        Ok(file) => file,
        Err(refusal) => {
            one_line(Refusal::bad_input(refusal));
            return Verdict::Refused;
        }
    };
    let again =
        DensityFile::from_json(&file.to_json()).expect("a density that was written is read");
    assert_eq!(again, file, "a density that was written is the same");
    for row in file.draw(7).take(20) {
        assert_eq!(row.len(), file.columns.len(), "a row has every column");
        for (column, value) in file.columns.iter().zip(row) {
            match (&column.kind, value) {
                (Kind::Number { min, max, .. }, Drawn::Number(text)) => {
                    let value: f64 = text.parse().expect("a number is one");
                    assert!((*min..=*max).contains(&value), "{value} is within its bounds");
                }
                (Kind::Category { values, .. }, Drawn::Name(name)) => {
                    // A value as tables have it, not its label; or the name of all that are not
                    // declared.
                    assert!(values.iter().chain(column.names.last()).any(|known| known == name))
                }
                (Kind::Date { .. }, Drawn::Date(date)) => {
                    assert!(!date.is_empty(), "a date is one")
                }
                (kind, value) => panic!("{value:?} for {kind:?}"),
            }
        }
    }
    assert!(
        report::of_file::report(&file, Path::new("density.json"), None)
            .to_html()
            .ends_with("</html>\n"),
        "the page is whole"
    );
    assert!(
        terminal::density(&file, &[]).starts_with(&file.privacy.statement),
        "what is promised comes first"
    );
    Verdict::Accepted
}
