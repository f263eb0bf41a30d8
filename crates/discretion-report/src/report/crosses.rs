//! Crossed categories, each pair of columns as a small heat map.

use super::Report;
use super::curves::unit;
use super::facts::visible;
use crate::chart::Contrast;
use crate::chart::contrast::Cell;
use crate::markup::Element;
use discretion_formats::Model;
use discretion_table::{Column, Kind};

/// The most values of a column that a small picture has room for.
const MOST_VALUES: usize = 12;

/// Two columns of categories that are crossed, as they were released.
#[derive(Clone, Debug, PartialEq)]
pub struct DrawnCross {
    /// The columns, with their values.
    pub columns: [(String, Vec<String>); 2],
    /// For each value of the first column, those of the second: beside the first pair.
    pub cells: Vec<Vec<DrawnCell>>,
}

/// The effect of a pair beside the first one, and its interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DrawnCell {
    /// The difference.
    pub value: f64,
    /// Its interval.
    pub interval: Option<[f64; 2]>,
}

/// The crosses of a model file that have a place in a picture.
pub fn crosses(model: &Model) -> Vec<DrawnCross> {
    let column = |name: &String| model.schema.columns().iter().find(|column| column.name == *name);
    let is_category = |column: &Column| matches!(column.kind, Kind::Category { .. });
    let drawn = |pair: &[String; 2]| {
        let [one, other] = [column(&pair[0])?, column(&pair[1])?];
        if !is_category(one) || !is_category(other) {
            return None;
        }
        let values = [one, other].map(|column| column.kind.shown_values());
        let cell = |a: &String, b: &String| {
            let name = format!("{} × {}={a} × {b}", pair[0], pair[1]);
            let coefficient =
                model.coefficients.iter().find(|coefficient| coefficient.name == name)?;
            let effect = coefficient.effect.as_ref();
            let interval = effect.and_then(|effect| effect.interval);
            let estimate = interval.and_then(|interval| interval.estimate);
            Some(DrawnCell {
                // The first pair is what the others are compared with.
                value: estimate.or(effect.map(|effect| effect.value)).unwrap_or(0.0),
                interval: interval.map(|interval| [interval.lower, interval.upper]),
            })
        };
        let row = |a: &String| values[1].iter().map(|b| cell(a, b)).collect::<Option<Vec<_>>>();
        let cells = values[0].iter().map(row).collect::<Option<Vec<_>>>()?;
        let [a, b] = values;
        (a.len() <= MOST_VALUES && b.len() <= MOST_VALUES)
            .then(|| DrawnCross { columns: [(pair[0].clone(), a), (pair[1].clone(), b)], cells })
    };
    model.schema.crosses().iter().filter_map(drawn).collect()
}

/// All pictures with one caption; nothing where no categories are crossed, or where there are no
/// effects to compare.
pub fn figure(report: &Report) -> Option<Element> {
    if report.crosses.is_empty() || !report.has_effects() {
        return None;
    }
    let pictures = report.crosses.iter().map(|cross| {
        let picture = picture(cross).draw().inline();
        Element::new("div").class("curve").child(picture)
    });
    let pictures = Element::new("div").class("curves").children(pictures);
    Some(
        Element::new("figure")
            .child(pictures)
            .child(Element::new("figcaption").text(caption(report))),
    )
}

fn picture(cross: &DrawnCross) -> Contrast {
    let [(first, a), (second, b)] = &cross.columns;
    let shown =
        |names: &[String]| names.iter().map(|name| visible(name).to_owned()).collect::<Vec<_>>();
    let cell = |cell: &DrawnCell| {
        let is_uncertain = cell.interval.is_some_and(|[lower, upper]| lower <= 0.0 && 0.0 <= upper);
        Cell { value: cell.value, is_uncertain }
    };
    Contrast {
        title: format!("{} and {} together", visible(first), visible(second)),
        description: "The same numbers are in the table that follows.".to_owned(),
        size: [344.0, (110.0 + 30.0 * a.len() as f64).max(200.0)],
        x: (visible(second).to_owned(), shown(b)),
        y: (visible(first).to_owned(), shown(a)),
        cells: cross.cells.iter().map(|row| row.iter().map(cell).collect()).collect(),
    }
}

fn caption(report: &Report) -> String {
    let compared = format!(
        "What two columns do together, beyond what each does alone: the {} beside their first pair of values.",
        unit(report)
    );
    match report.has_intervals() {
        false => compared,
        true => format!("{compared} Where the interval has 0 in it, a cell is faded."),
    }
}
