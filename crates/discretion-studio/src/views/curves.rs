//! What a curve costs: the same study with straight lines, with one curve and with curves
//! everywhere.

use discretion_table::{ColumnForm, ColumnKind, Form, Study};
use std::path::Path;

/// A study with other curves.
pub struct WithCurves {
    /// Which of them it is.
    pub which: &'static str,
    /// How many columns are curves.
    pub count: usize,
    pub study: Study,
}

/// Knots of a curve that nobody has described yet.
const KNOTS: &str = "6";

/// What makes a column a curve.
const OF_CURVES: [&str; 4] = ["curve", "knots", "monotone", "share"];

/// A form's study with straight lines alone, with one curve, as it is, and with every number as a
/// curve. What cannot be, because a column is crossed with another, is left out.
pub fn with_curves(path: &Path, form: &Form) -> Vec<WithCurves> {
    let numbers: Vec<usize> =
        (0..form.columns.len()).filter(|&i| can_bend(&form.columns[i])).collect();
    let straight = with(form, &numbers, |column| {
        OF_CURVES.iter().for_each(|key| drop(column.fields.remove(*key)));
    });
    let bent = |form: &Form, which: &[usize]| {
        with(form, which, |column| {
            if !is_curve(column) {
                column.fields.insert("curve".to_owned(), KNOTS.to_owned());
            }
        })
    };
    let made = |which: &'static str, form: Form| {
        let study = Study::parse(path, &form.text()).ok()?;
        let count = numbers.iter().filter(|&&i| is_curve(&form.columns[i])).count();
        Some(WithCurves { which, count, study })
    };
    let one = numbers.iter().find_map(|&i| made("one", bent(&straight, &[i])));
    let every = made("every", bent(form, &numbers)).filter(|_| numbers.len() > 1);
    let mut all: Vec<WithCurves> =
        [made("straight", straight.clone()), one, every].into_iter().flatten().collect();
    let Some(study) = made("study", form.clone()) else { return Vec::new() };
    // Of two with equally many curves the study is the one to show.
    all.retain(|other| other.count != study.count);
    all.push(study);
    all.sort_by_key(|known| known.count);
    // With a single bar there is nothing to compare.
    if all.len() > 1 { all } else { Vec::new() }
}

fn can_bend(column: &ColumnForm) -> bool {
    let in_parts = column.fields.get("parts").is_some_and(|parts| !parts.trim().is_empty());
    matches!(column.kind, ColumnKind::Number | ColumnKind::Date) && !in_parts
}

fn is_curve(column: &ColumnForm) -> bool {
    ["curve", "knots"]
        .iter()
        .any(|key| column.fields.get(*key).is_some_and(|typed| !typed.trim().is_empty()))
}

fn with(form: &Form, which: &[usize], change: impl Fn(&mut ColumnForm)) -> Form {
    let mut form = form.clone();
    which.iter().for_each(|&i| change(&mut form.columns[i]));
    form
}
