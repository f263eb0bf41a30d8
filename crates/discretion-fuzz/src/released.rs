//! Files that are published: one that is read, and written again, reads the same; and whatever
//! `report`, `export`, `predict`, `sample` and `dossier` make of it can be made.

use crate::{Verdict, one_line, with_file};
use discretion::Refusal;
use discretion::interval::DRAWS_ALLOWED;
use discretion_formats::{
    AnyModel, Artefact, DensityFile, Drawn, EvaluationFile, Model, NumberModel,
};
use discretion_jobs::predict::Prediction;
use discretion_jobs::{fit, number};
use discretion_report::dossier::{Dossier, Subject};
use discretion_report::report::normal_quantile;
use discretion_report::{coefficients, report, terminal};
use discretion_table::{About, Kind, Schema};
use std::path::Path;

/// Reads a file of this kind; a refusal is one line.
fn read<A: Artefact>(bytes: &[u8]) -> Option<A> {
    let text = str::from_utf8(bytes).ok()?;
    A::from_json(text).map_err(|sentence| one_line(Refusal::bad_input(sentence))).ok()
}

/// Checks that a file that is written reads back as itself.
fn is_the_same_again<A: Artefact + PartialEq + std::fmt::Debug>(file: &A) {
    let again = A::from_json(&file.to_json()).expect("a file that was written is read");
    assert!(again == *file, "a file that was written is the same");
    assert_eq!(
        file.warning().is_some(),
        file.to_json().lines().next().unwrap_or_default().contains("NOT PRIVATE"),
        "what is not private says so in its first line"
    );
}

/// A model file.
pub fn model(bytes: &[u8]) -> Verdict {
    let is_number = str::from_utf8(bytes).is_ok_and(NumberModel::is_in);
    let model = match is_number {
        false => read::<Model>(bytes).map(of_classes),
        true => read::<NumberModel>(bytes).map(of_a_number),
    };
    let Some(model) = model else { return Verdict::Refused };
    dossier(&model);
    predictions(&model);
    Verdict::Accepted
}

fn of_classes(model: Model) -> AnyModel {
    is_the_same_again(&model);
    assert_eq!(
        model.theta().len(),
        model.schema.encoder().layout().dimension()
            * model.schema.target().labels.several().unwrap_or(1),
        "one coefficient for each"
    );
    shown_classes(&model);
    // Whoever asks for another level makes as many draws as the file says.
    let draws = model.intervals.as_ref().map(|intervals| intervals.draws);
    if draws.is_some_and(|draws| draws <= 2 * DRAWS_ALLOWED.start()) {
        match fit::at_level(model.clone(), 0.8) {
            Ok(other) => shown_classes(&other),
            Err(error) => one_line(Refusal::bad_input(error)),
        }
    }
    model.into()
}

/// The page, the summary and what other programs get.
fn shown_classes(model: &Model) {
    let path = Path::new("model.json");
    assert!(report::html(model, path, None).ends_with("</html>\n"), "the page is whole");
    assert!(
        terminal::model(model, &[]).starts_with(&model.privacy.statement),
        "the summary says first what is promised"
    );
    exported(
        coefficients::csv(model),
        coefficients::latex(model, path),
        model.to_onnx(),
        model.warning.is_some(),
    );
}

fn of_a_number(model: NumberModel) -> AnyModel {
    is_the_same_again(&model);
    match model.solution() {
        Ok(Some(solution)) => assert_eq!(solution.coefficients().len(), model.coefficients.len()),
        Ok(None) => assert!(model.moments.is_none()),
        Err(sentence) => one_line(Refusal::bad_input(sentence)),
    }
    shown_number(&model);
    match number::at_level(model.clone(), 0.8) {
        Ok(other) => shown_number(&other),
        Err(error) => one_line(Refusal::bad_input(error)),
    }
    model.into()
}

fn shown_number(model: &NumberModel) {
    let path = Path::new("model.json");
    assert!(report::number_html(model, path, None).ends_with("</html>\n"), "the page is whole");
    assert!(
        terminal::number(model, &[]).starts_with(&model.privacy.statement),
        "the summary says first what is promised"
    );
    exported(
        coefficients::number_csv(model),
        coefficients::number_latex(model, path),
        model.to_onnx(normal_quantile),
        model.warning.is_some(),
    );
}

/// A table of coefficients has a line for each, and everything says what it is.
fn exported(csv: String, latex: String, onnx: Result<Vec<u8>, Refusal>, not_private: bool) {
    let says = |bytes: &[u8]| bytes.windows(11).any(|piece| piece == b"NOT PRIVATE");
    let heading = csv.lines().next().unwrap_or_default();
    assert!(!not_private || says(heading.as_bytes()), "the heading says what the table is");
    assert!(!not_private || latex.starts_with("% NOT PRIVATE"), "the first line says what it is");
    match onnx {
        Ok(bytes) => assert!(!not_private || says(&bytes), "the file says what it is"),
        Err(refusal) => one_line(refusal),
    }
}

fn dossier(model: &AnyModel) {
    let dossier = Dossier {
        model: Subject::of(model),
        sha256: "0".repeat(64),
        about: &About::default(),
        today: "2026-01-31".to_owned(),
        head: None,
    };
    let files = dossier.files();
    let has_record = files.iter().any(|(name, _)| *name == "registry.yaml");
    assert_eq!(has_record, model.is_private(), "a record is of what is private");
    for (name, text) in &files {
        assert!(model.is_private() || text.contains("NOT PRIVATE"), "{name} says what it is");
    }
}

/// Predictions for a table that has the model's columns.
fn predictions(model: &AnyModel) {
    let Some(table) = table_of(model.schema()) else { return };
    with_file("rows.csv", table.as_bytes(), |path| {
        for json in [false, true] {
            let prediction = Prediction {
                model,
                model_file: Path::new("model.json"),
                table: path,
                keep: &[],
                json,
                threshold: None,
            };
            let mut text = String::new();
            let written = prediction.check().and_then(|()| {
                prediction.write(&|_| (), |line| {
                    text.push_str(line);
                    Ok(())
                })
            });
            match written {
                // A name in quotes may go over several lines.
                Ok(_) if !json && text.contains('"') => {}
                Ok(rows) => {
                    let heading = usize::from(!json);
                    assert_eq!(
                        text.lines().count(),
                        rows as usize + heading,
                        "a line for each row"
                    );
                    let first = text.lines().next().unwrap_or_default();
                    assert!(model.is_private() || first.contains("NOT PRIVATE"), "{first}");
                }
                Err(refusal) => one_line(refusal),
            }
        }
    });
}

/// A few rows with the columns of a schema whose names need no quotes: the ends of ranges, values,
/// and fields that are empty or of no use.
fn table_of(schema: &Schema) -> Option<String> {
    let plain = |text: &str| {
        !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || "_-. :".contains(c))
    };
    let used = schema.columns().iter().filter(|column| column.kind != Kind::Dropped);
    let columns: Vec<(&str, [String; 3])> = used
        .map(|column| {
            let values = match &column.kind {
                Kind::Number { min, max, .. } => [min.to_string(), max.to_string(), "0".to_owned()],
                Kind::Date { min, max, .. } => [min.to_string(), max.to_string(), String::new()],
                Kind::Category { values, .. } => {
                    [values[0].clone(), "no such value".to_owned(), String::new()]
                }
                Kind::Dropped => [const { String::new() }; 3],
            };
            (column.name.as_str(), values)
        })
        .collect();
    let texts = columns.iter().flat_map(|(_, values)| values).filter(|text| !text.is_empty());
    if !columns.iter().all(|(name, _)| plain(name)) || !texts.clone().all(|text| plain(text)) {
        return None;
    }
    let names: Vec<&str> = columns.iter().map(|(name, _)| *name).collect();
    let row = |at: usize| -> String {
        let fields: Vec<&str> = columns.iter().map(|(_, values)| values[at].as_str()).collect();
        fields.join(",") + "\n"
    };
    Some(names.join(",") + "\n" + &(0..3).map(row).collect::<String>())
}

/// An evaluation file.
pub fn evaluation(bytes: &[u8]) -> Verdict {
    let Some(file) = read::<EvaluationFile>(bytes) else { return Verdict::Refused };
    is_the_same_again(&file);
    assert!(
        terminal::evaluation(&file, &[]).starts_with(&file.privacy.statement),
        "the summary says first what is promised"
    );
    Verdict::Accepted
}

/// A density file.
pub fn density(bytes: &[u8]) -> Verdict {
    let Some(file) = read::<DensityFile>(bytes) else { return Verdict::Refused };
    is_the_same_again(&file);
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
    let page = report::of_file::report(&file, Path::new("density.json"), None);
    assert!(page.to_html().ends_with("</html>\n"), "the page is whole");
    if let Some(picture) = page.picture() {
        let svg = picture.standalone();
        assert_eq!(
            svg.contains("NOT PRIVATE"),
            file.warning.is_some(),
            "a picture says what it is"
        );
    }
    assert!(
        terminal::density(&file, &[]).starts_with(&file.privacy.statement),
        "what is promised comes first"
    );
    Verdict::Accepted
}
