//! The pictures of a density.

use super::{Cells, Described};
use crate::chart::heatmap::Side;
use crate::chart::{Bars, Heatmap, Steps};
use crate::markup::Element;
use crate::numbers::{count, percent, significant};
use crate::report::facts::visible;
use crate::svg::{Axis, Drawing, Layout};
use discretion_table::{Column, Kind, Scale};

/// For a screen or paper.
pub const WIDE: f64 = 704.0;

/// For a phone.
const NARROW: f64 = 336.0;

/// More bars than this are too many to take in. The table has them all.
const MOST_BARS: usize = 40;

/// No picture is higher, however many names there are.
const HIGHEST: f64 = 1600.0;

/// A picture in both widths, with its caption.
pub fn figure(draw: impl Fn(f64) -> Drawing, caption: &str) -> Element {
    [("wide", WIDE), ("narrow", NARROW)]
        .into_iter()
        .fold(Element::new("figure"), |figure, (class, width)| {
            figure.child(Element::new("div").class(class).child(draw(width).inline()))
        })
        .child(Element::new("figcaption").text(caption))
}

/// What is to be said below the picture of one column.
pub fn caption(described: &Described) -> String {
    let cell = match described.cells {
        Cells::Bins(_) => "bin",
        Cells::Names(_) => "value",
    };
    let noise = about_noise(cell, described.noise, described.empty);
    match &described.cells {
        Cells::Bins(_) => {
            let log = match described.column.kind {
                Kind::Number { scale: Scale::Log, integer: true, .. } => {
                    " The axis is logarithmic. Every bin holds whole numbers, one at least."
                }
                Kind::Number { scale: Scale::Log, .. } => {
                    " The axis is logarithmic, and bins are of equal width on it."
                }
                Kind::Number { integer: true, .. } => {
                    " Every bin holds whole numbers, one at least."
                }
                _ => "",
            };
            format!(
                "The area over each of {} bins is its share of the rows.{log} {noise}",
                count(described.shares.len())
            )
        }
        Cells::Names(names) if names.len() > MOST_BARS => {
            format!(
                "The {MOST_BARS} largest of {} shares; the table has all. {noise}",
                count(names.len())
            )
        }
        Cells::Names(_) => format!("Shares of the rows. {noise}"),
    }
}

/// What noise does to a share.
pub fn about_noise(cell: &str, deviation: f64, empty: f64) -> String {
    format!(
        "The noise for privacy moves the share of a {cell} by about ±{} of all rows (one standard deviation). A {cell} that \
         no row is in gets about {}, because counts below 0 are set to 0.",
        percent(deviation),
        percent(empty)
    )
}

/// The picture of one column.
pub fn alone(described: &Described, width: f64) -> Drawing {
    let name = visible(&described.column.name);
    let title = format!("Density of {name}");
    let description = "The same numbers are in the table that follows.".to_owned();
    match &described.cells {
        Cells::Bins(edges) => {
            let axis = axis(&described.column);
            let places: Vec<f64> = edges.iter().map(|&edge| on_axis(axis.layout, edge)).collect();
            let widths = places.windows(2).map(|pair| pair[1] - pair[0]);
            let heights =
                described.shares.iter().zip(widths).map(|(share, width)| share / width).collect();
            let y_label = format!("share of rows per unit of {}", unit(&described.column));
            let size = [width, if width < WIDE { 260.0 } else { 320.0 }];
            Steps { title, description, size, x: axis, y_label, edges: edges.clone(), heights }
                .draw()
        }
        Cells::Names(names) => {
            let mut order: Vec<usize> = (0..names.len()).collect();
            order.sort_by(|&a, &b| described.shares[b].total_cmp(&described.shares[a]));
            order.truncate(MOST_BARS);
            order.sort_unstable();
            let bars =
                order.into_iter().map(|i| (visible(&names[i]).to_owned(), described.shares[i]));
            Bars {
                title,
                description,
                width,
                label: format!("share of rows by {name}"),
                bars: bars.collect(),
            }
            .draw()
        }
    }
}

/// The picture of two columns. Names can be read at the left, so a column that has them stands
/// there if the other has none.
pub fn together([first, second]: [&Described; 2], shares: &[Vec<f64>], width: f64) -> Drawing {
    let title =
        format!("Density of {} and {}", visible(&first.column.name), visible(&second.column.name));
    let swapped = matches!((&first.cells, &second.cells), (Cells::Names(_), Cells::Bins(_)));
    let by_second =
        || (0..second.shares.len()).map(|j| shares.iter().map(|row| row[j]).collect()).collect();
    let (x, y, mut values): (_, _, Vec<Vec<f64>>) =
        if swapped { (second, first, shares.to_vec()) } else { (first, second, by_second()) };
    let mut up = side(y);
    let mut height = if width < WIDE { 340.0 } else { 440.0 };
    if let Side::Names { names, .. } = &mut up {
        // Names are read from the top down.
        names.reverse();
        values.reverse();
        height = (names.len() as f64 * 22.0 + 150.0).clamp(300.0, HIGHEST);
    }
    Heatmap {
        title,
        description: "The shares of all cells are in the density file.".to_owned(),
        size: [width, height],
        x: side(x),
        y: up,
        values,
        value_label: "share of rows in a cell".to_owned(),
    }
    .draw()
}

fn side(described: &Described) -> Side {
    match &described.cells {
        Cells::Bins(edges) => Side::Numbers { axis: axis(&described.column), edges: edges.clone() },
        Cells::Names(names) => Side::Names {
            label: visible(&described.column.name).to_owned(),
            names: names.iter().map(|name| visible(name).to_owned()).collect(),
        },
    }
}

fn axis(column: &Column) -> Axis {
    let layout = match column.kind {
        Kind::Number { min, scale: Scale::Log, .. } => Layout::LogFrom { min },
        _ => Layout::Linear,
    };
    let label = match &column.kind {
        Kind::Date { min, .. } => format!("{}, in days since {min}", visible(&column.name)),
        _ => visible(&column.name).to_owned(),
    };
    Axis { label, layout }
}

/// Where a value is on an axis whose bins are of equal width.
fn on_axis(layout: Layout, value: f64) -> f64 {
    match layout {
        Layout::LogFrom { min } => (value - min).ln_1p(),
        Layout::Linear | Layout::Log => value,
    }
}

/// What a height is measured by.
fn unit(column: &Column) -> String {
    let name = visible(&column.name);
    match column.kind {
        Kind::Number { min, scale: Scale::Log, .. } if min > 0.0 => {
            format!("ln(1 + {name} − {})", significant(min, 6))
        }
        Kind::Number { min, scale: Scale::Log, .. } if min < 0.0 => {
            format!("ln(1 + {name} + {})", significant(-min, 6))
        }
        Kind::Number { scale: Scale::Log, .. } => format!("ln(1 + {name})"),
        Kind::Date { .. } => "a day".to_owned(),
        _ => name.to_owned(),
    }
}
