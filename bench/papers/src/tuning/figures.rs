//! The paper's figures 1 and 2.

use super::experiment::{ExperimentResults, Summary};
use super::measures::Estimate;
use super::methods::Method;
use discretion_report::Lines;
use discretion_report::chart::lines::{Point, Series, Spread};
use discretion_report::svg::{Axis, Layout};

/// As many as a reader can tell apart. Our two families are in the tables; here our default stands
/// for them.
const SHOWN: [Method; Lines::MOST_SERIES] = [
    Method::Default,
    Method::AutoLambda,
    Method::Stability,
    Method::AlphaSplit,
    Method::DataSplit,
    Method::Random,
    Method::Control,
];

/// Neighbouring series stand this factor apart, so that their bars do not cover each other.
const JITTER: f64 = 1.02;

/// Names and contents of the figures of one experiment.
pub fn draw(results: &ExperimentResults) -> Vec<(String, String)> {
    let (table, grid) = (results.experiment.table, results.experiment.grid);
    let file =
        |figure: &str| format!("{figure}-{}-{grid}.svg", table.to_lowercase().replace(' ', "-"));
    vec![
        (file("fig1-auc"), chart(results, "AUC on test folds", |s| Some(s.auc))),
        (file("fig1-mse"), chart(results, "MSE on test folds", |s| Some(s.mse))),
        (
            file("fig2-index"),
            chart(results, "position of the chosen λ in the list, from 1", |s| s.index),
        ),
    ]
}

fn chart(
    results: &ExperimentResults,
    what: &str,
    number: fn(&Summary) -> Option<Estimate>,
) -> String {
    let (table, grid) = (results.experiment.table, results.experiment.grid);
    let series = |(i, method): (usize, Method)| {
        let of_method = results.summaries.iter().filter(|s| s.method == method && s.delta == 0.0);
        let points = of_method.filter_map(|s| {
            let Estimate { mean, lower, upper } = number(s)?;
            let x = s.epsilon * JITTER.powi(i as i32 - 3);
            Some(Point { x, y: mean, range: Some([lower, upper]) })
        });
        Series { name: method.name().to_owned(), points: points.collect(), spread: Spread::Bars }
    };
    let lines = Lines {
        title: format!("{what}: {table}, {grid} list of λ"),
        description: format!(
            "Means of {} rounds of cross-validation with 95 % bootstrap intervals, for {} privacy levels.",
            results.experiment.tasks(),
            results.experiment.budgets.len()
        ),
        size: [640.0, 420.0],
        x: Axis { label: "α (ε, pure)".to_owned(), layout: Layout::Log },
        y: Axis { label: format!("{what}, {table}"), layout: Layout::Linear },
        series: SHOWN
            .into_iter()
            .enumerate()
            .map(series)
            .filter(|s| !s.points.is_empty())
            .collect(),
        reference: None,
    };
    lines.draw().standalone()
}
