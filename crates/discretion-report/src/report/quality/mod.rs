//! The section about how good a model is: ROC curve, reliability diagram, thresholds, groups.

mod classes;
mod number;
mod picture;
mod tables;

#[cfg(test)]
mod tests;

use super::page::Section;
use crate::markup::Element;
use crate::numbers::{count, decimal, percent, short};
use crate::words;
use discretion::privacy::Unit;
use discretion::quality::{Estimate, Figures};
use discretion_formats::{ModelQuality, QualityFacts};

/// What rows that did not train say about a model.
pub fn section(quality: &ModelQuality, unit: Unit) -> Section {
    let mut content = match quality {
        ModelQuality::Two(facts) => two(facts, unit),
        ModelQuality::Several(facts) => classes::content(facts, unit),
        ModelQuality::Number(facts) => number::content(facts, unit),
    };
    content.extend(small_groups(&quality.small_groups()));
    content.push(Element::new("p").class("note").text(how_it_was_made(quality)));
    ("How good it is".to_owned(), content)
}

fn two(quality: &QualityFacts, unit: Unit) -> Vec<Element> {
    let mut content = vec![Element::new("p").text(in_words(quality, unit)), picture::roc(quality)];
    content.extend(picture::reliability(quality));
    content.push(tables::thresholds(&quality.figures));
    if let Some(by) = &quality.by {
        content.push(tables::groups(quality, by));
    }
    content
}

/// Which rows these figures are about.
fn which_rows(rows: usize, unit: Unit) -> String {
    let whose = match unit {
        Unit::Row => "",
        Unit::Person => ", one of each person who was held out",
    };
    format!("{} rows that did not train it{whose}", count(rows))
}

/// The main figures, in sentences.
fn in_words(quality: &QualityFacts, unit: Unit) -> String {
    let Figures { auc, auc_sampling, base_rate, brier, .. } = &quality.figures;
    let level = percent(quality.level);
    let mut text = format!("On {}, ", which_rows(quality.rows, unit));
    match auc {
        Some(auc) => {
            text.push_str(&format!(
                "a positive row gets a higher score than a negative one with probability {} (AUC; {level} interval {})",
                decimal(auc.value, 3),
                interval(auc)
            ));
            if let Some(sampling) = auc_sampling {
                text.push_str(&format!(
                    "; without noise for privacy the interval would be ±{}",
                    short(*sampling)
                ));
            }
        }
        None => {
            text.push_str(
                "a class has so few that noise outweighs them: nothing can be said about the AUC",
            );
        }
    }
    text.push_str(&format!(
        ". {} of these rows are positive ({})",
        percent(base_rate.value),
        in_percent(base_rate)
    ));
    if let Some(brier) = brier {
        text.push_str(&format!(
            "; the Brier score is {} ({})",
            decimal(brier.value, 3),
            interval(brier)
        ));
    }
    text + "."
}

fn small_groups(small: &[&str]) -> Option<Element> {
    (!small.is_empty()).then(|| {
        let names = small.join(", ");
        Element::new("p").text(format!(
            "Next to nothing is known about {names}: by the released counts, there are too few rows. Two groups can be said to differ \
             only where their intervals do not overlap."
        ))
    })
}

fn how_it_was_made(quality: &ModelQuality) -> String {
    let group = if quality.by().is_some() { " and group" } else { "" };
    let what = match quality {
        ModelQuality::Two(QualityFacts { counts, .. }) => format!(
            "counts of each class{group} in {} bins of scores, each with {} noise of ±{} rows",
            counts.bins(),
            words::count_noise(counts.laplace),
            short(counts.deviation)
        ),
        ModelQuality::Several(facts) => format!(
            "counts of each class{group} by what its rows are called, with {} noise of ±{} rows, and in bins of each class's scores",
            words::count_noise(facts.counts.laplace),
            short(facts.counts.deviation)
        ),
        ModelQuality::Number(facts) => format!(
            "counts of rows{} by their distance from the prediction, with {} noise of ±{} rows, and four sums of residuals and \
             outcomes",
            if quality.by().is_some() { " of each group" } else { "" },
            words::count_noise(facts.sums.laplace),
            short(facts.sums.counts_deviation)
        ),
    };
    format!(
        "All of this comes from {what}. Intervals allow for sampling and for noise. Nothing else about these rows was released."
    )
}

fn interval(estimate: &Estimate) -> String {
    format!("{} to {}", decimal(estimate.lower, 3), decimal(estimate.upper, 3))
}

fn in_percent(estimate: &Estimate) -> String {
    format!("{} to {}", percent(estimate.lower), percent(estimate.upper))
}
