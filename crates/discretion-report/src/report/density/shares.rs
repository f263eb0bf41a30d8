//! The shares of each column, as a table.

use super::{Cells, Described};
use crate::markup::Element;
use crate::numbers::{count, decimal, significant};
use crate::report::facts::visible;
use crate::report::page::scrolling;
use discretion_formats::whole_bins;

/// A table with more rows than this is folded, so that what stands below it is found.
const MOST_OPEN: usize = 40;

/// One row for each cell of each column.
pub fn table(columns: &[Described]) -> Element {
    let head =
        ["", "share of rows, %"].map(|name| Element::new("th").set("scope", "col").text(name));
    let head = Element::new("thead").child(Element::new("tr").children(head));
    let table = Element::new("table").class("coefficients few").child(head);
    let table = scrolling(table.children(columns.iter().map(body)), "Shares");
    match columns.iter().map(|described| described.shares.len()).sum() {
        shares if shares > MOST_OPEN => {
            let summary = Element::new("summary").text(format!("All {} shares", count(shares)));
            Element::new("details").child(summary).child(table)
        }
        _ => table,
    }
}

fn body(described: &Described) -> Element {
    let name = visible(&described.column.name);
    let group = Element::new("th").set("scope", "rowgroup").set("colspan", 2).text(name);
    let rows = labels_of(described).into_iter().zip(&described.shares).map(|(label, share)| {
        Element::new("tr")
            .child(Element::new("th").set("scope", "row").text(label))
            .child(Element::new("td").set("data-share", share).text(decimal(100.0 * share, 2)))
    });
    Element::new("tbody").child(Element::new("tr").class("group").child(group)).children(rows)
}

/// What each cell is called: the whole numbers or days that it holds, or as [`labels`].
fn labels_of(described: &Described) -> Vec<String> {
    let whole = match &described.cells {
        Cells::Bins(edges) => whole_bins(&described.column.kind, edges),
        Cells::Names(_) => None,
    };
    whole.unwrap_or_else(|| labels(&described.cells))
}

/// What each cell is called: its ends, to as many digits as tell them apart, or its name.
pub(super) fn labels(cells: &Cells) -> Vec<String> {
    match cells {
        Cells::Names(names) => names.iter().map(|name| visible(name).to_owned()).collect(),
        Cells::Bins(edges) => {
            let written = |digits| -> Vec<String> {
                edges.iter().map(|&edge| significant(edge, digits)).collect()
            };
            let tells_apart = |texts: &Vec<String>| texts.windows(2).all(|pair| pair[0] != pair[1]);
            let texts = (4..17).map(written).find(tells_apart).unwrap_or_else(|| written(17));
            texts.windows(2).map(|pair| format!("{} to {}", pair[0], pair[1])).collect()
        }
    }
}
