//! The data in words: every declared column, its bounds, and how what does not fit is treated.

use super::facts::visible;
use super::question::one_of;
use super::{Column, Kind, Norm, Report};
use crate::markup::Element;
use crate::numbers::{count, significant};

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
    let heads = ["column", "declared", "missing counts as"];
    let head = Element::new("thead").child(
        Element::new("tr").children(heads.map(|name| Element::new("th").set("scope", "col").text(name))),
    );
    let table = Element::new("table")
        .class("columns")
        .child(head)
        .child(Element::new("tbody").children(used.map(row)));
    let mut content =
        vec![Element::new("p").text(introduction(report)), super::page::scrolling(table, "Declared columns")];
    if !dropped.is_empty() {
        content.push(Element::new("p").text(format!("In the file and not used: {}.", dropped.join(", "))));
    }
    content
}

fn introduction(report: &Report) -> String {
    let target = &report.target;
    let negative = match &target.negative {
        Some(values) => format!("{} counts as negative", one_of(&quoted(values))),
        None => "every other value counts as negative".to_owned(),
    };
    let norm = match report.norm {
        Norm::Scale => "",
        Norm::Row => " Each row was divided by its own length, so no coefficient has a unit.",
    };
    format!(
        "{} rows, a public number; no row was left out. In {}, {} counts as positive and {negative}. Bounds and categories were \
         declared beforehand and not taken from the rows. A number outside its bounds is clipped to them; a category \
         that is not declared counts as “other” and has no coefficient.{norm}",
        count(report.rows),
        format_args!("“{}”", target.column),
        one_of(&quoted(&target.positive)),
    )
}

/// Each in quotation marks: a value can be any text, even a word of the sentence it stands in.
fn quoted(values: &[String]) -> Vec<String> {
    values.iter().map(|value| format!("“{value}”")).collect()
}

fn row(column: &Column) -> Element {
    let (declared, missing) = match &column.kind {
        Kind::Number { min, max, log, missing } => {
            let scale = if *log { ", on a logarithmic scale" } else { "" };
            let range = format!("number, {} to {}{scale}", significant(*min, 6), significant(*max, 6));
            (range, significant(*missing, 3))
        }
        Kind::Category { values } => (listed(values), "other".to_owned()),
        Kind::Dropped => ("not used".to_owned(), String::new()),
    };
    Element::new("tr")
        .child(Element::new("th").set("scope", "row").text(visible(&column.name)))
        .child(Element::new("td").text(declared))
        .child(Element::new("td").text(missing))
}

fn listed(values: &[String]) -> String {
    if values.len() <= MOST_LISTED {
        return values.iter().map(|value| visible(value)).collect::<Vec<_>>().join(", ");
    }
    let first: Vec<&str> = values[..MOST_LISTED / 2].iter().map(|value| visible(value)).collect();
    format!("{} values: {}, … (all in the table above)", count(values.len()), first.join(", "))
}
