//! The data in words: every declared column, its bounds, and how what does not fit is treated.

use super::Report;
use super::facts::visible;
use super::question::one_of;
use crate::markup::Element;
use crate::numbers::{count, significant};
use discretion::erm::matrix::Norm;
use discretion::privacy::Unit;
use discretion_table::{Column, Kind, Scale};
use std::collections::BTreeMap;

/// More values than this are counted: the table of coefficients lists them anyway.
const MOST_LISTED: usize = 12;

/// The section's content.
pub fn columns(report: &Report) -> Vec<Element> {
    let used = report.columns.iter().filter(|column| column.kind != Kind::Dropped);
    let dropped: Vec<&str> = report
        .columns
        .iter()
        .filter(|column| column.kind == Kind::Dropped)
        .map(|column| column.name.as_str())
        .collect();
    let mut content = vec![Element::new("p").text(introduction(report)), declared(used)];
    if !dropped.is_empty() {
        content.push(
            Element::new("p").text(format!("In the file and not used: {}.", dropped.join(", "))),
        );
    }
    content
}

/// Each column and what was declared about it.
pub fn declared<'c>(columns: impl Iterator<Item = &'c Column>) -> Element {
    let heads = ["column", "declared", "missing counts as"];
    let head = Element::new("thead").child(
        Element::new("tr")
            .children(heads.map(|name| Element::new("th").set("scope", "col").text(name))),
    );
    let table = Element::new("table")
        .class("columns")
        .child(head)
        .child(Element::new("tbody").children(columns.map(row)));
    super::page::scrolling(table, "Declared columns")
}

fn introduction(report: &Report) -> String {
    let target = &report.target;
    let negative = match &target.negative {
        Some(values) => format!("{} counts as negative", one_of(&quoted(values))),
        None => "every other value counts as negative".to_owned(),
    };
    let called =
        target.label.as_ref().map_or_else(String::new, |label| format!(", called “{label}” here,"));
    let norm = match report.norm {
        Norm::Scale => "",
        Norm::Row => " Each row was divided by its own length, so no coefficient has a unit.",
    };
    let left_out = match (&report.cohort, report.unit) {
        (None, Unit::Row) => "no row was left out".to_owned(),
        (None, Unit::Person) => {
            "no person was left out. How many rows each has is not published; all rows of a person together \
                                 count as one"
                .to_owned()
        }
        (Some(cohort), unit) => format!(
            "all are in it, but only rows where {cohort} were learned from. How many {} that are is not published",
            unit.plural()
        ),
    };
    let weights = report.weights.as_ref().map_or_else(String::new, |weights| {
        format!(" Rows were weighed {weights}, the most that any of them counts.")
    });
    format!(
        "{} {}, a public number; {left_out}.{weights} In {}, {} counts as positive{called} and {negative}. {} A number outside its bounds is clipped to them; a category \
         that is not declared counts as “other” and has no coefficient.{norm}",
        count(report.rows),
        report.unit.plural(),
        format_args!("“{}”", target.column),
        one_of(&quoted(&target.positive)),
        provenance(&report.from_rows),
    )
}

/// Where bounds and categories came from.
pub(super) fn provenance(from_rows: &[String]) -> String {
    match from_rows {
        [] => {
            "Bounds and categories were declared beforehand and not taken from the rows.".to_owned()
        }
        columns => format!(
            "Bounds or categories of {} were looked up in the rows: they are published as they are, and no guarantee covers them. \
             The others were declared beforehand.",
            quoted(columns).join(", ")
        ),
    }
}

/// Each in quotation marks: a value can be any text, even a word of the sentence it stands in.
fn quoted(values: &[String]) -> Vec<String> {
    values.iter().map(|value| format!("“{value}”")).collect()
}

fn row(column: &Column) -> Element {
    let (declared, missing) = match &column.kind {
        &Kind::Number { min, max, scale, missing, integer } => {
            let on = if scale == Scale::Log { ", on a logarithmic scale" } else { "" };
            let whole = match (&column.curve, integer) {
                (Some(_), _) => "curve",
                (None, true) => "whole number",
                (None, false) => "number",
            };
            let range = format!("{whole}, {} to {}{on}", significant(min, 6), significant(max, 6));
            let none = match &column.curve {
                Some(curve) if curve.own_missing => "a level of its own",
                _ => "not declared",
            };
            (range, missing.map_or_else(|| none.to_owned(), |missing| significant(missing, 3)))
        }
        Kind::Date { min, max, missing } => {
            let missing =
                missing.map_or_else(|| "not declared".to_owned(), |date| date.to_string());
            (format!("date, {min} to {max}, in days"), missing)
        }
        // A missing category is the empty text, which may be declared like any other.
        Kind::Category { values, labels } => {
            let empty = values.iter().find(|value| value.trim().is_empty());
            let missing = empty.map(|empty| labels.get(empty).unwrap_or(empty));
            (
                listed(&with_labels(values, labels)),
                missing.map_or("other", |value| visible(value)).to_owned(),
            )
        }
        Kind::Dropped => ("not used".to_owned(), String::new()),
    };
    Element::new("tr")
        .child(Element::new("th").set("scope", "row").text(visible(&column.name)))
        .child(Element::new("td").text(declared))
        .child(Element::new("td").text(missing))
}

/// `1 (male)` where a value is called something else.
fn with_labels(values: &[String], labels: &BTreeMap<String, String>) -> Vec<String> {
    let shown = |value: &String| match labels.get(value) {
        Some(label) => format!("{} ({label})", visible(value)),
        None => value.clone(),
    };
    values.iter().map(shown).collect()
}

fn listed(values: &[String]) -> String {
    if values.len() <= MOST_LISTED {
        return values.iter().map(|value| visible(value)).collect::<Vec<_>>().join(", ");
    }
    let first: Vec<&str> = values[..MOST_LISTED / 2].iter().map(|value| visible(value)).collect();
    format!("{} values: {}, … (all in the table above)", count(values.len()), first.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(kind: Kind) -> String {
        row(&Column::new("c", kind)).to_string().replace("</td>", "").replace("</tr>", "")
    }

    #[test]
    fn what_is_missing_counts_as_declared() {
        let category = |values: &[&str]| {
            cells(Kind::category(values.iter().map(|value| (*value).to_owned()).collect()))
        };
        assert!(category(&["a", "b"]).ends_with("<td>a, b<td>other"));
        assert!(category(&["a", " "]).ends_with("<td>a, (empty)<td>(empty)"));
        let number = |missing| {
            cells(Kind::Number { min: 0.0, max: 90.0, scale: Scale::Log, missing, integer: false })
        };
        let [declared, not] = [Some(8.54), None].map(number);
        assert!(
            declared.ends_with("<td>number, 0 to 90, on a logarithmic scale<td>8.54"),
            "{declared}"
        );
        assert!(not.ends_with("<td>not declared"), "{not}");
    }

    #[test]
    fn dates_whole_numbers_and_labels_are_said() {
        let date =
            Kind::Date { min: moment("2020-01-01"), max: moment("2020-01-31"), missing: None };
        assert!(
            cells(date).ends_with("<td>date, 2020-01-01 to 2020-01-31, in days<td>not declared")
        );
        let count = Kind::Number {
            min: 0.0,
            max: 9.0,
            scale: Scale::Linear,
            missing: Some(1.0),
            integer: true,
        };
        assert!(cells(count).ends_with("<td>whole number, 0 to 9<td>1"));
        let values = ["1", "2"].map(str::to_owned).to_vec();
        let labels = [("1".to_owned(), "male".to_owned())].into();
        assert!(cells(Kind::Category { values, labels }).ends_with("<td>1 (male), 2<td>other"));
    }

    fn moment(text: &str) -> discretion_table::Moment {
        text.parse().unwrap()
    }

    #[test]
    fn many_values_are_counted() {
        let values: Vec<String> = (0..41).map(|i| format!("v{i}")).collect();
        assert_eq!(
            listed(&values),
            "41 values: v0, v1, v2, v3, v4, v5, … (all in the table above)"
        );
    }
}
