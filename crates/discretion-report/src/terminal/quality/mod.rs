//! What is said about a model's quality on a terminal.

mod classes;
mod number;

use super::AlignedColumns;
use crate::numbers::plain::{count, short};
use crate::words;
use discretion::quality::{Estimate, Figures};
use discretion_formats::{EvaluationFile, ModelQuality, QualityFacts};
use std::fmt::Write;

/// The summary of an evaluation. `about` comes first: where its file is, who paid.
pub fn evaluation(file: &EvaluationFile, about: &[(&str, String)]) -> String {
    let mut text = format!("{}\n\n", file.privacy.statement);
    let mut fact = |name: &str, value: String| {
        writeln!(text, "{name:<14}{value}").expect("writing to a String cannot fail");
    };
    about.iter().for_each(|(name, value)| fact(name, value.clone()));
    fact(file.privacy.unit.plural(), count(file.quality.rows()));
    fact("noise", noise(&file.quality));
    text.push('\n');
    text + &tables(&file.quality)
}

/// How much noise there is in what.
pub(crate) fn noise(quality: &ModelQuality) -> String {
    let groups = if quality.by().is_some() { " and each group" } else { "" };
    match quality {
        ModelQuality::Two(QualityFacts { counts, .. }) => format!(
            "{}, ±{} rows in each of the counts of two classes{groups} in {} bins of scores",
            words::count_noise(counts.laplace),
            short(counts.deviation),
            counts.bins()
        ),
        ModelQuality::Several(facts) => {
            let scores = &facts.counts.scores;
            format!(
                "{}, ±{} rows in each of the counts of {} classes{groups}, by what they are called and in bins of scores",
                words::count_noise(facts.counts.laplace),
                short(
                    scores
                        .iter()
                        .map(|counts| counts.deviation)
                        .fold(facts.counts.deviation, f64::max)
                ),
                scores.len(),
            )
        }
        ModelQuality::Number(facts) => format!(
            "{}, ±{} rows in each count of rows{} by their distance from the prediction, and ±{} rows' worth in each of four sums",
            words::count_noise(facts.sums.laplace),
            short(facts.sums.counts_deviation),
            if quality.by().is_some() { " of each group" } else { "" },
            short(facts.sums.sums_deviation_in_rows())
        ),
    }
}

/// What the rows that did not train say about a model.
pub fn tables(quality: &ModelQuality) -> String {
    let tables = match quality {
        ModelQuality::Two(facts) => two(facts),
        ModelQuality::Several(facts) => classes::tables(facts),
        ModelQuality::Number(facts) => number::tables(facts),
    };
    tables + small_note(!quality.small_groups().is_empty())
}

/// The figure that says most, in a line.
pub(super) fn line(quality: &ModelQuality) -> String {
    let with_interval = |name: &str, estimate: &Estimate| {
        format!("{name} {} ({})", decimal(estimate.value), interval(estimate))
    };
    match quality {
        ModelQuality::Two(QualityFacts { figures: Figures { auc, brier, .. }, .. }) => {
            let auc = auc.as_ref().map_or_else(
                || "AUC unknown (a class has so few rows that noise outweighs them)".to_owned(),
                |auc| with_interval("AUC", auc),
            );
            let brier = brier.as_ref().map(|brier| with_interval(", Brier score", brier));
            auc + &brier.unwrap_or_default()
        }
        ModelQuality::Several(facts) => with_interval("accuracy", &facts.figures.accuracy),
        ModelQuality::Number(facts) => number::line(facts),
    }
}

/// How groups differ, if they were counted apart.
pub(super) fn groups_of(quality: &ModelQuality) -> String {
    let table = match quality {
        ModelQuality::Two(facts) => facts.by.as_ref().map(|by| groups(facts, by)),
        ModelQuality::Several(facts) => facts.by.as_ref().map(|by| classes::groups(facts, by)),
        ModelQuality::Number(facts) => facts.by.as_ref().map(|by| number::groups(facts, by)),
    };
    let note = small_note(!quality.small_groups().is_empty());
    table.map(|table| format!("\n{table}{note}")).unwrap_or_default()
}

fn two(quality: &QualityFacts) -> String {
    let mut text = figures(quality);
    text.push('\n');
    text.push_str(&thresholds(&quality.figures));
    if let Some(by) = &quality.by {
        text.push('\n');
        text.push_str(&groups(quality, by));
    }
    text
}

fn figures(quality: &QualityFacts) -> String {
    let Figures { auc, auc_sampling, base_rate, brier, .. } = &quality.figures;
    let level = format!("{} % interval", short(100.0 * quality.level));
    let mut table = AlignedColumns::new(&["on rows that did not train", "value", &level]);
    let mut line = |name: &str, estimate: &Estimate| {
        table.row(vec![name.to_owned(), decimal(estimate.value), interval(estimate)]);
    };
    if let Some(auc) = auc {
        line("AUC", auc);
    }
    if let Some(brier) = brier {
        line("Brier score", brier);
    }
    line("positive rows", base_rate);
    let text = table.render();
    match (auc, auc_sampling) {
        (Some(_), Some(sampling)) => {
            text + &format!(
                "without noise the interval of the AUC would be ±{}\n",
                short(*sampling)
            )
        }
        _ => {
            text + "a class has so few rows that noise outweighs them: nothing can be said about the AUC\n"
        }
    }
}

/// The most lines of thresholds on a terminal.
const MOST_SHOWN: usize = 12;

fn thresholds(figures: &Figures) -> String {
    let thresholds = &figures.thresholds;
    let each = thresholds.len().div_ceil(MOST_SHOWN).max(1);
    // 0, above which a model says yes, is always there.
    let zero = thresholds.iter().position(|threshold| threshold.score == 0.0).unwrap_or(0);
    let shown = thresholds.iter().enumerate().filter(|(place, _)| place % each == zero % each);
    let mut table = AlignedColumns::new(&[
        "positive above",
        "flagged",
        "recall",
        "false positives",
        "precision",
        "accuracy",
    ]);
    for (_, threshold) in shown {
        let above = match threshold.probability {
            Some(probability) => format!("{:.1} %", 100.0 * probability),
            None => format!("score {}", short(threshold.score)),
        };
        let shares = [
            threshold.flagged,
            threshold.recall,
            threshold.false_positives,
            threshold.precision,
            threshold.accuracy,
        ];
        table.row([above].into_iter().chain(shares.iter().map(percent)).collect());
    }
    let all = if each > 1 {
        format!("all {} thresholds are in the file\n", thresholds.len())
    } else {
        String::new()
    };
    table.render() + &all
}

fn groups(quality: &QualityFacts, by: &str) -> String {
    let mut table =
        AlignedColumns::new(&[by, "AUC", "interval", "positive rows", "recall", "false positives"]);
    for group in &quality.groups {
        let at = group.figures.nearest(0.0);
        let (auc, within) = match &group.figures.auc {
            Some(auc) => (decimal(auc.value), interval(auc)),
            None => ("–".to_owned(), "–".to_owned()),
        };
        let mark = if group.warning.is_some() { " *" } else { "" };
        table.row(vec![
            format!("{}{mark}", group.value),
            auc,
            within,
            percent(&group.figures.base_rate),
            at.map_or("–".to_owned(), |at| percent(&at.recall)),
            at.map_or("–".to_owned(), |at| percent(&at.false_positives)),
        ]);
    }
    table.render()
}

/// What the mark at a group means.
fn small_note(any: bool) -> &'static str {
    match any {
        true => "* so few rows, by the released counts, that these figures say next to nothing\n",
        false => "",
    }
}

fn decimal(value: f64) -> String {
    format!("{value:.3}")
}

fn interval(estimate: &Estimate) -> String {
    format!("{:.3} to {:.3}", estimate.lower, estimate.upper)
}

/// A share and how far it may be off.
fn percent(estimate: &Estimate) -> String {
    let half = 50.0 * (estimate.upper - estimate.lower);
    format!("{:.1} ± {half:.1} %", 100.0 * estimate.value)
}
