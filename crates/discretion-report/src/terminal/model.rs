//! What is said about a model on a terminal: the same public numbers as in its file.

use super::AlignedColumns;
use crate::numbers::NO_ESTIMATE;
use crate::numbers::plain::{count, short, significant};
use crate::words::{self, joint};
use discretion::loss::LossKind;
use discretion_formats::{Coefficient, CoefficientInterval, LambdaFrom, Model};
use std::fmt::Write;

/// More coefficients than this are left to the file, and then the most certain are shown.
const MOST_SHOWN: usize = 100;

/// The summary of a model. `about` comes first: where its files are, who paid.
pub fn summary(model: &Model, about: &[(&str, String)]) -> String {
    let training = &model.training;
    // Written for a private model or a warning alike: the first line is the one that matters most.
    let mut text = format!("{}\n\n", model.privacy.statement);
    let chosen = match training.lambda_from {
        LambdaFrom::Auto if model.privacy.unit.is_row() => {
            " (\"auto\": from rows, coefficients and budget alone)"
        }
        LambdaFrom::Auto => " (\"auto\": from persons, coefficients and budget alone)",
        LambdaFrom::Study => " (from the study file)",
        LambdaFrom::Chosen => " (chosen privately)",
        LambdaFrom::None => " (no penalty)",
    };
    let mut fact = |name: &str, value: String| {
        writeln!(text, "{name:<14}{value}").expect("writing to a String cannot fail");
    };
    for (name, value) in about {
        fact(name, value.clone());
    }
    fact(
        model.privacy.unit.plural(),
        match model.rows() {
            all if all == training.rows => count(all),
            all => format!("{}, of which {} trained", count(all), count(training.rows)),
        },
    );
    if let Some(cohort) = model.schema.cohort_in_words() {
        fact("where", cohort);
    }
    if let Some(weights) = model.schema.weights_in_words() {
        fact("weighed", weights);
    }
    fact("coefficients", count(training.dimension));
    fact("loss", words::loss(training.loss, model.classes().is_some()));
    fact("lambda", significant(training.lambda, 4) + chosen);
    if let Some(told) = words::without_intervals(training) {
        fact("otherwise", told);
    }
    if let Some(rate) = &training.base_rate {
        fact("base rate", words::base_rate(rate));
    }
    if let Some(tuning) = &model.tuning {
        let list: Vec<String> = tuning.candidates.iter().map(|&lambda| short(lambda)).collect();
        fact("chosen from", list.join(", "));
        fact("chosen", tuning.rule.clone());
        fact("because", tuning.why.clone());
    }
    if let Some(mechanism) = training.mechanism {
        fact("mechanism", words::mechanism(mechanism).to_owned());
    }
    fact("why", training.why.clone());
    if let Some(noise) = &training.noise {
        fact("noise", words::noise(noise, training.dimension));
    }
    if let Some(facts) = &model.joint {
        joint::facts(facts).into_iter().for_each(|(name, value)| fact(name, value));
    } else if let (Some(expected), Some(worst)) = (training.expected_error, training.worst_error) {
        let (expected, worst) = (short(expected), short(worst));
        fact(
            "error",
            format!(
                "±{expected} expected on the margin of a row, ±{worst} if the rows said nothing"
            ),
        );
    }
    if let Some(intervals) = &model.intervals {
        let of = intervals
            .columns
            .as_ref()
            .map_or(String::new(), |columns| format!(" of {}", columns.join(", ")));
        fact(
            "intervals",
            format!("{} %{of}, for {}", short(100.0 * intervals.level), intervals.covers),
        );
        for (name, names) in intervals.findings.iter().flat_map(words::findings) {
            fact(name, names);
        }
        if let Some(rough) = &intervals.rough {
            fact("rough", rough.clone());
        }
    }
    text.push('\n');
    match model.classes() {
        None => text.push_str(&table(model).render()),
        Some(classes) => {
            for class in classes {
                let reference =
                    model.intervals.as_ref().and_then(|intervals| intervals.reference.as_ref());
                let beside = match reference {
                    Some(reference) if *reference != class => format!(", beside {reference}"),
                    Some(_) => ", which others are compared with".to_owned(),
                    None => String::new(),
                };
                text.push_str(&format!("{} = {class}{beside}\n", model.schema.target().column));
                text.push_str(&table(&model.of_class(&class)).render());
                text.push('\n');
            }
        }
    }
    let listed = model.classes().is_none();
    if let Some(more) = model.coefficients.len().checked_sub(MOST_SHOWN + 1).filter(|_| listed) {
        text.push_str(&format!(
            "… and {} more, less certain ones, in the model file; `discretion export` lists all\n",
            count(more + 1)
        ));
    }
    if let Some(quality) = &model.quality {
        if listed {
            text.push('\n');
        }
        text.push_str(&super::quality::tables(quality));
    }
    text
}

/// The coefficients that are shown, by their positions: all, or those that are largest in relation
/// to their interval, if they have one. What others are compared with comes last.
pub(super) fn shown(coefficients: &[Coefficient], most: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..coefficients.len()).collect();
    if order.len() > most {
        let certainty = |&i: &usize| match &coefficients[i] {
            _ if i == 0 => f64::INFINITY,
            Coefficient { effect: Some(effect), .. } => size(effect.value, effect.interval),
            Coefficient { per_unit: Some(_), .. } => -1.0,
            coefficient => size(coefficient.encoded, coefficient.interval),
        };
        order.sort_by(|a, b| certainty(b).total_cmp(&certainty(a)));
        order.truncate(most);
    }
    order
}

/// How far from 0, in units of half the interval.
fn size(value: f64, interval: Option<CoefficientInterval>) -> f64 {
    let half = interval.map(|interval| (interval.upper - interval.lower) / 2.0);
    CoefficientInterval::estimate(interval, value).abs()
        / half.filter(|half| *half > 0.0).unwrap_or(1.0)
}

fn table(model: &Model) -> AlignedColumns {
    let units = model.coefficients.iter().any(|coefficient| coefficient.per_unit.is_some());
    // Of several classes e^coefficient is no ratio of odds against the rest.
    let odds = units && model.training.loss == LossKind::Logistic && model.classes().is_none();
    let intervals = model.intervals.is_some();
    let mut heading = vec!["coefficient of", "encoded"];
    heading.extend(units.then_some("per unit"));
    heading.extend(intervals.then_some("interval"));
    heading.extend(odds.then_some("odds ratio"));
    heading.extend((odds && intervals).then_some("interval"));
    heading.extend(intervals.then_some("p"));
    let mut table = AlignedColumns::new(&heading);
    for i in shown(&model.coefficients, MOST_SHOWN) {
        let coefficient = &model.coefficients[i];
        let Coefficient { name, encoded, of, .. } = coefficient;
        let is_estimable = model.is_estimable(coefficient);
        // Without an interval beside it: as it was trained, and as predictions take it.
        let mut cells = vec![of.as_ref().unwrap_or(name).clone(), decimal(*encoded, 3)];
        // A category beside the first of its column; a number in its own unit.
        let compared = coefficient.effect.as_ref().filter(|effect| effect.against.is_some());
        let is_first = i > 0 && units && coefficient.effect.is_none();
        let own = match compared {
            Some(effect) => Some(effect.value),
            None => coefficient.per_unit.filter(|_| units && !is_first),
        };
        let interval = match compared {
            Some(effect) => effect.interval,
            None if units => coefficient.per_unit_interval,
            None => coefficient.interval,
        };
        let interval = interval.filter(|_| !is_first);
        let own = own.map(|value| CoefficientInterval::estimate(interval, value));
        let written = |value: f64, write: &dyn Fn(f64) -> String| match is_estimable {
            true => write(value),
            false => NO_ESTIMATE.to_owned(),
        };
        let blank = || if is_first { "compared with".to_owned() } else { String::new() };
        if units {
            cells.push(own.map_or_else(blank, |value| written(value, &|x| decimal(x, 4))));
        }
        if intervals {
            let ends = |ends: CoefficientInterval| {
                format!("{} to {}", decimal(ends.lower, 4), decimal(ends.upper, 4))
            };
            cells.push(interval.map(ends).unwrap_or_default());
        }
        if odds {
            // e^intercept is the odds of a row that may not exist, and no ratio.
            let odds = own.filter(|_| i > 0).map(|value| written(value, &|x| ratio(x.exp())));
            cells.push(odds.unwrap_or_default());
        }
        if odds && intervals {
            let ends = |ends: CoefficientInterval| {
                format!("{} to {}", ratio(ends.lower.exp()), ratio(ends.upper.exp()))
            };
            cells.push(interval.filter(|_| i > 0).map(ends).unwrap_or_default());
        }
        if intervals {
            cells.push(interval.map(|ends| probability(ends.p_value)).unwrap_or_default());
        }
        table.row(cells);
    }
    table
}

/// A p-value.
pub(super) fn probability(p: f64) -> String {
    if p < 0.001 { "<0.001".to_owned() } else { format!("{p:.3}") }
}

/// With fixed decimals, so that a column lines up, unless they would hide the number.
pub(super) fn decimal(x: f64, decimals: usize) -> String {
    if x == 0.0 || (0.001..1e6).contains(&x.abs()) { format!("{x:.decimals$}") } else { short(x) }
}

/// With as many decimals as it takes to see how it differs from 1: one gram more changes odds very
/// little.
pub(super) fn ratio(x: f64) -> String {
    let digits = -(x - 1.0).abs().log10();
    if digits > 2.0 && digits < 12.0 {
        format!("{x:.*}", 2 + digits as usize)
    } else {
        decimal(x, 3)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_near_1_show_their_difference() {
        let cases =
            [(1.0, "1.000"), (1.194, "1.194"), (0.999_703, "0.99970"), (1.000_000_2, "1.00000020")];
        for (x, expected) in cases {
            assert_eq!(ratio(x), expected);
        }
        assert_eq!([ratio(1e9), ratio(0.0), ratio(f64::INFINITY)], ["1e9", "0.000", "inf"]);
    }
}
