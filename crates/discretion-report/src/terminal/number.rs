//! What is said about the model of a number on a terminal: the same public numbers as in its file.

use super::AlignedColumns;
use super::model::{decimal, probability};
use crate::numbers::plain::{count, short, significant};
use discretion_formats::{Coefficient, CoefficientInterval, LambdaFrom, NumberModel};
use std::fmt::Write;

/// More coefficients than this are left to the file.
const MOST_SHOWN: usize = 100;

/// The summary of a model. `about` comes first: where its files are, who paid.
pub fn summary(model: &NumberModel, about: &[(&str, String)]) -> String {
    let (training, fit) = (&model.training, &model.fit);
    // Written for a private model or a warning alike: the first line is the one that matters most.
    let mut text = format!("{}\n\n", model.privacy.statement);
    let mut fact = |name: &str, value: String| {
        writeln!(text, "{name:<14}{value}").expect("writing to a String cannot fail");
    };
    for (name, value) in about {
        fact(name, value.clone());
    }
    let chosen = match training.lambda_from {
        LambdaFrom::Auto => " (\"auto\": from the released sums alone)",
        LambdaFrom::Study | LambdaFrom::Chosen => " (from the study file)",
    };
    fact("rows", count(training.rows));
    fact("coefficients", count(training.dimension));
    fact("loss", "least squares, from sums with noise".to_owned());
    fact("lambda", significant(training.lambda, 4) + chosen);
    if training.released > 0 {
        fact("released", format!("{} sums; their noise is {}", count(training.released), training.noise));
    }
    fact("predicts", fit.of.clone());
    fact("mean", format!("{} ± {}", significant(fit.mean, 4), significant(fit.deviation, 3)));
    fact("left", format!("± {} around a prediction", significant(fit.residual_deviation, 3)));
    fact("explained", format!("{:.1} % of the variance (R²)", 100.0 * fit.explained));
    fact("intervals", format!("{} %, for {}", short(100.0 * fit.level), fit.covers));
    text.push('\n');
    text.push_str(&table(model).render());
    if let Some(more) = model.coefficients.len().checked_sub(MOST_SHOWN + 1) {
        text.push_str(&format!("… and {} more in the model file\n", count(more + 1)));
    }
    if let Some(quality) = &model.quality {
        text.push('\n');
        text.push_str(&super::quality::number::tables(quality));
    }
    text
}

/// What a coefficient does to the outcome, and its interval: a category beside the first of its column, a number for one more of
/// it. Nothing for what others are compared with.
pub(crate) fn own(i: usize, coefficient: &Coefficient) -> Option<(f64, CoefficientInterval)> {
    let compared = coefficient.effect.as_ref().filter(|effect| effect.against.is_some());
    let found = match compared {
        Some(effect) => (effect.value, effect.interval),
        None if i > 0 && coefficient.effect.is_none() => return None,
        None => (coefficient.per_unit?, coefficient.per_unit_interval),
    };
    found.1.map(|interval| (CoefficientInterval::estimate(Some(interval), found.0), interval))
}

fn table(model: &NumberModel) -> AlignedColumns {
    let mut table = AlignedColumns::new(&["coefficient of", "encoded", "per unit", "interval", "p"]);
    for (i, coefficient) in model.coefficients.iter().enumerate().take(MOST_SHOWN) {
        let name = coefficient.of.as_ref().unwrap_or(&coefficient.name).clone();
        let mut cells = vec![name, decimal(coefficient.encoded, 3)];
        match own(i, coefficient) {
            None => cells.extend(["compared with".to_owned(), String::new(), String::new()]),
            Some((value, ends)) => {
                cells.push(decimal(value, 4));
                cells.push(format!("{} to {}", decimal(ends.lower, 4), decimal(ends.upper, 4)));
                cells.push(probability(ends.p_value));
            }
        }
        table.row(cells);
    }
    table
}
