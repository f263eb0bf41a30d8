//! What is said about the model of a number on a terminal: the same public numbers as in its file.

use super::AlignedColumns;
use super::model::{decimal, probability};
use crate::numbers::plain::{count, short, significant};
use crate::words;
use discretion_formats::{Coefficient, CoefficientInterval, LambdaFrom, ModelQuality, NumberModel};
use discretion_table::NumberLoss;
use std::fmt::Write;

/// More coefficients than this are left to the file.
const MOST_SHOWN: usize = 100;

/// The summary of a model. `about` comes first: where its files are, who paid.
pub fn summary(model: &NumberModel, about: &[(&str, String)]) -> String {
    let training = &model.training;
    // Written for a private model or a warning alike: the first line is the one that matters most.
    let mut text = format!("{}\n\n", model.privacy.statement);
    let mut fact = |name: &str, value: String| {
        writeln!(text, "{name:<14}{value}").expect("writing to a String cannot fail");
    };
    for (name, value) in about {
        fact(name, value.clone());
    }
    fact(model.privacy.unit.plural(), count(training.rows));
    fact(
        "coefficients",
        match model.others.len() {
            0 => count(training.dimension),
            more => format!("{} for each of {} outcomes", count(training.dimension), more + 1),
        },
    );
    fact("loss", words::number_loss(training.loss).to_owned());
    match training.loss {
        NumberLoss::Squares if training.released > 0 => {
            fact(
                "released",
                format!("{} sums; their noise is {}", count(training.released), training.noise),
            );
        }
        NumberLoss::Squares => {}
        NumberLoss::Huber => fact("noise", training.noise.clone()),
    }
    let parts: Vec<String> = model.each().iter().map(of_outcome).collect();
    text.push_str(&parts.join("\n"));
    if let Some(quality) = &model.quality {
        text.push('\n');
        text.push_str(&super::quality::tables(&ModelQuality::Number(quality.clone())));
    }
    text
}

/// What is said of one outcome.
fn of_outcome(model: &NumberModel) -> String {
    let (training, fit) = (&model.training, &model.fit);
    let mut text = String::new();
    let mut fact = |name: &str, value: String| {
        writeln!(text, "{name:<14}{value}").expect("writing to a String cannot fail");
    };
    let chosen = match training.lambda_from {
        LambdaFrom::Auto if training.loss == NumberLoss::Huber => {
            " (\"auto\": from public numbers alone)"
        }
        LambdaFrom::Auto => " (\"auto\": from the released sums alone)",
        LambdaFrom::Study | LambdaFrom::Chosen => " (from the study file)",
        LambdaFrom::None => " (no penalty)",
    };
    fact("predicts", fit.of.clone());
    fact("lambda", significant(training.lambda, 4) + chosen);
    if training.lambda_from == LambdaFrom::None {
        fact("why", training.noise.clone());
    }
    if let Some(fit) = &fit.squares {
        fact("mean", format!("{} ± {}", significant(fit.mean, 4), significant(fit.deviation, 3)));
        fact("left", format!("± {} around a prediction", significant(fit.residual_deviation, 3)));
        fact("explained", format!("{:.1} % of the variance (R²)", 100.0 * fit.explained));
        fact("intervals", format!("{} %, for {}", short(100.0 * fit.level), fit.covers));
    }
    text.push('\n');
    text.push_str(&table(model).render());
    if let Some(more) = model.coefficients.len().checked_sub(MOST_SHOWN + 1) {
        text.push_str(&format!("… and {} more in the model file\n", count(more + 1)));
    }
    text
}

/// What a coefficient does to the outcome, and its interval: a category beside the first of its
/// column, a number for one more of it. Nothing for what others are compared with.
pub(crate) fn own(
    i: usize,
    coefficient: &Coefficient,
) -> Option<(f64, Option<CoefficientInterval>)> {
    let compared = coefficient.effect.as_ref().filter(|effect| effect.against.is_some());
    let found = match compared {
        Some(effect) => (effect.value, effect.interval),
        None if i > 0 && coefficient.effect.is_none() => return None,
        None => (coefficient.per_unit?, coefficient.per_unit_interval),
    };
    Some((CoefficientInterval::estimate(found.1, found.0), found.1))
}

fn table(model: &NumberModel) -> AlignedColumns {
    let heading = ["coefficient of", "encoded", "per unit", "interval", "p"];
    let columns = if model.moments.is_some() { heading.len() } else { 3 };
    let mut table = AlignedColumns::new(&heading[..columns]);
    for (i, coefficient) in model.coefficients.iter().enumerate().take(MOST_SHOWN) {
        let name = coefficient.of.as_ref().unwrap_or(&coefficient.name).clone();
        let mut cells = vec![name, decimal(coefficient.encoded, 3)];
        match own(i, coefficient) {
            None => cells.extend(["compared with".to_owned(), String::new(), String::new()]),
            Some((value, None)) => cells.push(decimal(value, 4)),
            Some((value, Some(ends))) => {
                cells.push(decimal(value, 4));
                cells.push(format!("{} to {}", decimal(ends.lower, 4), decimal(ends.upper, 4)));
                cells.push(probability(ends.p_value));
            }
        }
        cells.truncate(columns);
        table.row(cells);
    }
    table
}
