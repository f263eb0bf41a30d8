//! Results as people read them.

use super::experiment::{ExperimentResults, Summary};
use super::methods::Method;
use super::picks::Picks;
use discretion_report::numbers::significant;

/// How a cell of a table is written.
type Cell = fn(&Summary) -> String;

/// The tables of one experiment: area, squared error and chosen position, a row for each method.
pub fn tables(results: &ExperimentResults) -> String {
    let wanted = &results.experiment;
    let lambdas: Vec<String> =
        wanted.lambdas.iter().map(|&lambda| significant(lambda, 3)).collect();
    let mut text = format!(
        "{}, {} list of lambda ({}), {} rounds of {}-fold cross-validation\n",
        wanted.table,
        wanted.grid,
        lambdas.join(", "),
        wanted.tasks(),
        wanted.folds
    );
    let shown: [(&str, Cell); 3] = [
        ("AUC", |s| plus_minus(s.auc.mean, s.auc.half_width(), 4)),
        ("MSE", |s| plus_minus(s.mse.mean, s.mse.half_width(), 4)),
        ("position of the chosen lambda, from 1", |s| {
            s.index.map_or("-".to_owned(), |index| plus_minus(index.mean, index.half_width(), 1))
        }),
    ];
    for (title, cell) in shown {
        text.push_str(&format!("\n  {title}\n"));
        text.push_str(&table(results, cell));
    }
    text
}

/// Means are over all rounds, except where a column says over how many.
fn table(results: &ExperimentResults, cell: Cell) -> String {
    let mut columns: Vec<(f64, f64)> = Vec::new();
    for s in &results.summaries {
        if !columns.contains(&(s.epsilon, s.delta)) {
            columns.push((s.epsilon, s.delta));
        }
    }
    let mut rows = vec![vec!["alpha".to_owned()]];
    rows[0].extend(columns.iter().map(|&(epsilon, delta)| match delta > 0.0 {
        true => format!("({epsilon}, {delta:e})"),
        false => epsilon.to_string(),
    }));
    for method in Method::ALL {
        let found: Vec<Option<&Summary>> =
            columns.iter().map(|&(epsilon, delta)| results.find(method, epsilon, delta)).collect();
        if found.iter().all(Option::is_none) {
            continue;
        }
        let all = results.experiment.tasks();
        let one = |s: &Summary| match s.models == all {
            true => cell(s),
            false => format!("{} ({})", cell(s), s.models),
        };
        let mut row = vec![method.name().to_owned()];
        row.extend(found.iter().map(|s| s.map_or("-".to_owned(), one)));
        rows.push(row);
    }
    aligned(&rows)
}

/// The first column to the left, the others to the right.
fn aligned(rows: &[Vec<String>]) -> String {
    let width = |j: usize| rows.iter().map(|row| row[j].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..rows[0].len()).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let mut line = format!("  {:<1$}", row[0], widths[0]);
        for (cell, width) in row.iter().zip(&widths).skip(1) {
            line.push_str(&format!("  {cell:>width$}"));
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

fn plus_minus(mean: f64, half: f64, digits: usize) -> String {
    format!("{mean:.digits$} ±{half:.digits$}")
}

/// How often each rule chose well.
pub fn picks(all: &[Picks]) -> String {
    let heading =
        ["table", "list", "epsilon2", "best lambda", "good ones", "generalised", "uniform"];
    let mut rows = vec![heading.map(str::to_owned).to_vec()];
    for one in all {
        rows.push(vec![
            one.table.clone(),
            one.grid.clone(),
            significant(one.epsilon, 3),
            significant(one.best, 3),
            format!("{} of {}", one.good, one.candidates),
            format!("{} of {}", one.generalised, one.choices),
            format!("{} of {}", one.uniform, one.choices),
        ]);
    }
    format!(
        "How often a rule takes a lambda whose mean score is within a tenth of the best one's\n{}",
        aligned(&rows)
    )
}

/// Whether our default rule does at least as well as the printed one.
pub fn against_printed(all: &[ExperimentResults], epsilon: f64) -> String {
    let mut text = format!("Our default rule against the printed one at alpha = {epsilon}, AUC:\n");
    for results in all {
        let of = |method: Method| results.find(method, epsilon, 0.0).map(|s| s.auc.mean);
        if let (Some(ours), Some(printed)) = (of(Method::Default), of(Method::Stability)) {
            let verdict = if ours >= printed {
                "ours is at least as good"
            } else {
                "the printed rule is better"
            };
            let (table, grid) = (results.experiment.table, results.experiment.grid);
            text.push_str(&format!(
                "  {table}, {grid} list: {ours:.4} against {printed:.4}: {verdict}\n"
            ));
        }
    }
    text
}
