//! Tables, figures and JSON.

use super::methods::Method;
use super::split::{Deal, Sizes, Split};
use super::{Measurements, TableAccuracy, accuracy, coverage};
use crate::{Failure, Results};
use discretion_report::Lines;
use discretion_report::chart::lines::{Point, Series, Spread};
use discretion_report::svg::{Axis, Layout};
use serde_json::json;

/// Everything that was measured.
pub fn results(measured: &Measurements) -> Result<Results, Failure> {
    let sharing = measured.sharing;
    let mut text = format!(
        "One model from several holders: area under the curve on held-out rows, mean ± standard deviation over folds and \
         draws of noise.\nLogistic loss, {} aggregators of which {} may collude. λ and the step by the program's rules, the \
         printed method's λ by the same rule for its noise.\nAn experiment on public tables under fixed seeds; nothing here \
         is private.\n",
        sharing.aggregators(),
        sharing.colluders()
    );
    for table in &measured.tables {
        text.push_str(&accuracies(table));
    }
    text.push_str(&coverages(&measured.coverage, measured.rows_covered));
    let tables: Vec<serde_json::Value> = measured
        .tables
        .iter()
        .map(|table| json!({ "table": table.name, "training_rows": table.rows, "lines": table.lines }))
        .collect();
    let json = json!({
        "aggregators": sharing.aggregators(),
        "colluders": sharing.colluders(),
        "tables": tables,
        "intervals": measured.coverage,
    });
    let json = serde_json::to_string_pretty(&json).map_err(|error| Failure(error.to_string()))?;
    Ok(Results { text, json: json + "\n", figures: measured.tables.iter().map(figure).collect() })
}

fn budget(epsilon: f64, delta: f64) -> String {
    if delta > 0.0 { format!("({epsilon}, {delta:e})") } else { format!("ε = {epsilon}") }
}

fn accuracies(table: &TableAccuracy) -> String {
    let mut text = format!("\n{}, {} training rows\n", table.name, table.rows);
    let mut budgets: Vec<(f64, f64)> = Vec::new();
    for line in &table.lines {
        if !budgets.contains(&(line.epsilon, line.delta)) {
            budgets.push((line.epsilon, line.delta));
        }
    }
    for (epsilon, delta) in budgets {
        let of = |split: Option<Split>| {
            let is_it = move |line: &&accuracy::Line| {
                (line.epsilon, line.delta, line.split) == (epsilon, delta, split)
            };
            table.lines.iter().filter(is_it)
        };
        text.push_str(&format!(
            "\n{}\n{:<38} {:<26} {:>17} {:>9} {:>9} {:>17}\n",
            budget(epsilon, delta),
            "rows",
            "method",
            "AUC",
            "λ",
            "λ of step",
            "to one holder's"
        ));
        let best =
            of(None).find(|line| line.method == Method::Alone).map_or(f64::NAN, |line| line.auc);
        for split in table.splits.iter().copied().map(Some).chain([None]) {
            let name = split.map_or("one holder".to_owned(), |split| split.name(table.rows));
            for line in of(split) {
                text.push_str(&format!(
                    "{name:<38} {:<26} {:>17} {:>9.1e} {:>9} {:>+17.4}\n",
                    line.method.name(),
                    format!("{:.4} ± {:.4}", line.auc, line.deviation),
                    line.lambda,
                    line.step.map_or("-".to_owned(), |lambda| format!("{lambda:.1e}")),
                    line.auc - best
                ));
            }
        }
    }
    text
}

fn coverages(lines: &[coverage::Line], rows: usize) -> String {
    let mut text = format!(
        "\nIntervals at 95 % after a Newton step, samples of as many rows as the population has ({rows} of the table)\n\
         {:<12} {:<34} {:<10} {:<26} {:>9} {:>8} {:>7} {:>8} {:>8}\n",
        "population",
        "holders",
        "budget",
        "average:gradient:H:Σ",
        "λ",
        "covered",
        "lowest",
        "length",
        "samples"
    );
    for line in lines {
        let shares: Vec<String> = line.shares.iter().map(|share| format!("{share:.2}")).collect();
        let holders = match (line.split.sizes, line.split.dealt) {
            (Sizes::Even, Deal::AtRandom) => "even",
            (Sizes::Even, Deal::Sorted) => "even, sorted",
            (Sizes::Doubling, Deal::AtRandom) => "1:2:4…",
            (Sizes::Doubling, Deal::Sorted) => "1:2:4…, sorted",
        };
        text.push_str(&format!(
            "{:<12} {:<34} {:<10} {:<26} {:>9.1e} {:>7.1}% {:>6.0}% {:>8.3} {:>8}\n",
            line.table,
            format!("{} holders, {holders}", line.split.holders),
            budget(line.epsilon, line.delta),
            format!("{}{}", shares.join(":"), if line.rule { " (rule)" } else { "" }),
            line.lambda,
            100.0 * line.covered,
            100.0 * line.lowest,
            line.length,
            line.samples
        ));
    }
    text
}

/// AUC by split, a line for each method, under the last budget.
fn figure(table: &TableAccuracy) -> (String, String) {
    let last = table.lines.last().map_or((0.0, 0.0), |line| (line.epsilon, line.delta));
    let mean = |split: Option<Split>, method: Method| {
        let is_it = |line: &&accuracy::Line| {
            (line.epsilon, line.delta) == last && line.split == split && line.method == method
        };
        table.lines.iter().find(is_it)
    };
    let at_random: Vec<Split> = table
        .splits
        .iter()
        .copied()
        .filter(|split| split.dealt == Deal::AtRandom && split.sizes == Sizes::Doubling)
        .collect();
    let joint = Method::JOINT.map(|method| {
        let points = at_random.iter().filter_map(|&split| {
            let line = mean(Some(split), method)?;
            let range = Some([line.auc - line.deviation, line.auc + line.deviation]);
            Some(Point { x: split.holders as f64, y: line.auc, range })
        });
        Series { name: method.name().to_owned(), points: points.collect(), spread: Spread::Bars }
    });
    let alone = Method::ALONE.map(|method| {
        let flat = mean(None, method).map(|line| line.auc);
        let points = at_random
            .iter()
            .filter_map(|split| Some(Point { x: split.holders as f64, y: flat?, range: None }));
        Series { name: method.name().to_owned(), points: points.collect(), spread: Spread::Bars }
    });
    let lines = Lines {
        title: format!("Several holders, one model: {}", table.name),
        description: "Area under the curve on held-out rows against the number of holders, whose rows are as 1 : 2 : 4 …".to_owned(),
        size: [640.0, 420.0],
        x: Axis { label: "holders, with rows as 1 : 2 : 4 …".to_owned(), layout: Layout::Linear },
        y: Axis { label: format!("AUC, {}", budget(last.0, last.1)), layout: Layout::Linear },
        series: joint.into_iter().chain(alone).collect(),
        reference: None,
    };
    let name = table.name.to_lowercase().replace(' ', "-");
    (format!("parties-{name}.svg"), lines.draw().standalone())
}
