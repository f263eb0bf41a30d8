//! One chart of each kind, as files of their own.

use discretion_report::chart::forest::{Row, Span};
use discretion_report::chart::heatmap::Side;
use discretion_report::chart::lines::{Point, Series, Spread};
use discretion_report::chart::{Bars, Forest, Heatmap, Lines, Steps};
use discretion_report::svg::{Axis, Drawing, Layout};

/// The charts and their names.
pub fn charts() -> Vec<(&'static str, Drawing)> {
    vec![
        ("forest", forest().draw()),
        ("lines", lines().draw()),
        ("steps", steps().draw()),
        ("heatmap", heatmap().draw()),
        ("bars", bars().draw()),
        ("heatmap-names", heatmap_of_names().draw()),
    ]
}

fn axis(label: &str, layout: Layout) -> Axis {
    Axis { label: label.to_owned(), layout }
}

/// Odds ratios on a log scale, of facts with long names.
fn forest() -> Forest {
    let names = [
        "Married-civ-spouse",
        "Married-spouse-absent",
        "Never-married",
        "a value whose name runs on and on and on",
    ];
    let rows = names.iter().enumerate().map(|(i, name)| {
        let centre = 0.5 * i as f64 - 0.6;
        let ends = |half: f64| [(centre - half).exp(), (centre + half).exp()];
        let [lower, upper] = ends(0.45);
        Row {
            heading: Some("marital-status".to_owned()),
            label: (*name).to_owned(),
            name: format!("marital-status={name}"),
            estimate: centre.exp(),
            span: Some(Span { lower, upper, sampling: Some(ends(0.2)), without_bound: None }),
            noise: None,
        }
    });
    Forest {
        title: "Odds ratios of four marital states".to_owned(),
        description: "Invented numbers.".to_owned(),
        width: 640.0,
        axis: axis("odds ratio", Layout::Log),
        reference: 1.0,
        towards: Some(["lower odds".to_owned(), "higher odds".to_owned()]),
        rows: rows.collect(),
    }
}

/// Accuracy over ε, as the papers draw it.
fn lines() -> Lines {
    let names = ["generalised exponential", "uniform rule", "random stopping", "random"];
    let budgets = [0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0];
    let series = names.iter().enumerate().map(|(i, name)| {
        let points = budgets.map(|x: f64| {
            let y = 0.9 - (0.03 + 0.02 * i as f64) / (0.15 + x).sqrt();
            Point { x, y, range: Some([y - 0.008 / x.powf(0.3), y + 0.008 / x.powf(0.3)]) }
        });
        let spread = if i % 2 == 0 { Spread::Band } else { Spread::Bars };
        Series { name: (*name).to_owned(), points: points.to_vec(), spread }
    });
    Lines {
        title: "Accuracy of four rules over ε".to_owned(),
        description: "Invented numbers.".to_owned(),
        size: [640.0, 400.0],
        x: axis("privacy budget ε", Layout::Log),
        y: axis("area under the ROC curve", Layout::Linear),
        series: series.collect(),
        reference: Some((0.9, "without privacy".to_owned())),
    }
}

fn steps() -> Steps {
    let edges: Vec<f64> = (0..=20).map(|i| 17.0 + 73.0 * f64::from(i) / 20.0).collect();
    let heights =
        edges.windows(2).map(|pair| (-((pair[0] - 35.0) / 16.0).powi(2)).exp() / 30.0).collect();
    Steps {
        title: "Density of age".to_owned(),
        description: "Invented numbers.".to_owned(),
        size: [640.0, 320.0],
        x: axis("age", Layout::Linear),
        y_label: "share of rows per year".to_owned(),
        edges,
        heights,
    }
}

fn heatmap() -> Heatmap {
    let x_edges: Vec<f64> = (0..=16).map(|i| 17.0 + 73.0 * f64::from(i) / 16.0).collect();
    let y_edges: Vec<f64> = (0..=12).map(|i| 1.0 + 98.0 * f64::from(i) / 12.0).collect();
    let value =
        |x: f64, y: f64| (-((x - 38.0) / 15.0).powi(2) - ((y - 40.0) / 14.0).powi(2)).exp() / 900.0;
    let values =
        y_edges.windows(2).map(|y| x_edges.windows(2).map(|x| value(x[0], y[0])).collect());
    Heatmap {
        title: "Density of age and hours per week".to_owned(),
        description: "Invented numbers.".to_owned(),
        size: [640.0, 420.0],
        values: values.collect(),
        x: Side::Numbers { axis: axis("age", Layout::Linear), edges: x_edges },
        y: Side::Numbers { axis: axis("hours per week", Layout::Linear), edges: y_edges },
        value_label: "share of rows per year and hour".to_owned(),
    }
}

/// Shares of names, one of them long.
fn bars() -> Bars {
    let names =
        ["surgery", "cardiology", "a ward whose name runs on and on and on and on", "other"];
    Bars {
        title: "Density of ward".to_owned(),
        description: "Invented numbers.".to_owned(),
        width: 640.0,
        label: "share of rows by ward".to_owned(),
        bars: names
            .iter()
            .zip([0.5, 0.3, 0.199, 0.001])
            .map(|(name, share)| ((*name).to_owned(), share))
            .collect(),
    }
}

/// Two columns of names, those at the foot too long to lie flat.
fn heatmap_of_names() -> Heatmap {
    let side = |label: &str, names: &[&str]| Side::Names {
        label: label.to_owned(),
        names: names.iter().map(|&name| name.to_owned()).collect(),
    };
    let wards = ["internal medicine", "surgery", "cardiology", "oncology", "geriatrics", "other"];
    let stays = [
        "less than one day and night",
        "two or three days",
        "a week",
        "two weeks",
        "a month",
        "longer than that, however long it is",
    ];
    let value = |i: usize, j: usize| 0.1 / (1 + i + j) as f64;
    Heatmap {
        title: "Density of stay and ward".to_owned(),
        description: "Invented numbers.".to_owned(),
        size: [640.0, 420.0],
        x: side("stay", &stays),
        y: side("ward", &wards),
        values: (0..wards.len()).map(|i| (0..stays.len()).map(|j| value(i, j)).collect()).collect(),
        value_label: "share of rows in a cell".to_owned(),
    }
}
