//! Coefficients as CSV: one line each, every digit, and an empty field where there is nothing.

use discretion::loss::LossKind;
use discretion_formats::{Coefficient, CoefficientInterval, Model, NumberModel};

/// The table. `estimate` is what the report shows: a number's coefficient in its own unit, and how
/// a category differs from the one that it is compared with; beside an interval, with what λ takes
/// from it given back. `per_unit` and `encoded` are the coefficients that predictions are made of.
pub fn csv(model: &Model) -> String {
    let level = model.intervals.as_ref().map(|intervals| intervals.level);
    let classes = model.classes().is_some();
    let reference = model.intervals.as_ref().and_then(|intervals| intervals.reference.as_deref());
    let has_odds = model.training.loss == LossKind::Logistic && !classes;
    let mut text = if classes { "class,".to_owned() } else { String::new() };
    text += reference.map_or("", |_| "class_compared_with,");
    text += &heading(model.warning.is_some());
    for (index, coefficient) in model.coefficients.iter().enumerate() {
        // Every class has an intercept of its own.
        let first = model.coefficients.iter().position(|other| other.class == coefficient.class);
        let position = index - first.unwrap_or(index);
        if classes {
            text += &(coefficient.class.as_deref().map(field).unwrap_or_default() + ",");
        }
        // Others are differences to this class, which has none.
        let is_reference = reference.is_some() && coefficient.class.as_deref() == reference;
        if let Some(reference) = reference {
            text += &(if is_reference { String::new() } else { field(reference) } + ",");
        }
        let (estimate, interval) = estimate(coefficient, position);
        let is_told = !is_reference && model.is_estimable(coefficient);
        let told = (estimate.filter(|_| is_told), interval);
        text += &line(coefficient, told, level, has_odds && position > 0);
    }
    text
}

/// The same of the model of a number, in the outcome's unit or in that of its logarithm; of
/// several, with the outcome of each.
pub fn number_csv(model: &NumberModel) -> String {
    let each = model.each();
    let mut text = if each.len() > 1 { "outcome,".to_owned() } else { String::new() };
    text += &heading(model.warning.is_some());
    for part in &each {
        let level = part.fit.squares.as_ref().map(|fit| fit.level);
        for (position, coefficient) in part.coefficients.iter().enumerate() {
            if each.len() > 1 {
                text += &(field(&part.schema.target().column) + ",");
            }
            text += &line(coefficient, estimate(coefficient, position), level, false);
        }
    }
    text
}

fn heading(is_not_private: bool) -> String {
    let estimate = if is_not_private { "estimate NOT PRIVATE" } else { "estimate" };
    let heading = [
        "name",
        "compared_with",
        estimate,
        "level",
        "lower",
        "upper",
        "p_value",
        "odds_ratio",
        "odds_ratio_lower",
        "odds_ratio_upper",
        "deviation",
        "sampling_deviation",
        "privacy_deviation",
        "matrices_deviation",
        "largest_bias",
        "of",
        "per_unit",
        "encoded",
    ];
    heading.join(",") + "\n"
}

/// A coefficient, and what is asked of it.
fn line(
    coefficient: &Coefficient,
    (estimate, interval): (Option<f64>, Option<CoefficientInterval>),
    level: Option<f64>,
    has_odds: bool,
) -> String {
    let Coefficient { name, encoded, of, per_unit, .. } = coefficient;
    let against = coefficient.effect.as_ref().and_then(|effect| effect.against.as_deref());
    let number = |x: Option<f64>| x.map(|x| x.to_string()).unwrap_or_default();
    let of_interval = |get: fn(&CoefficientInterval) -> f64| interval.as_ref().map(get);
    let spread =
        |get: fn(&CoefficientInterval) -> Option<f64>| number(interval.as_ref().and_then(get));
    // e^intercept is the odds of a row that may not exist; on the encoded scale nothing has a unit
    // to change by.
    let odds = |x: Option<f64>| number(x.filter(|_| has_odds && per_unit.is_some()).map(f64::exp));
    let fields = [
        field(name),
        against.map(field).unwrap_or_default(),
        number(estimate),
        number(level.filter(|_| interval.is_some())),
        number(of_interval(|interval| interval.lower)),
        number(of_interval(|interval| interval.upper)),
        number(of_interval(|interval| interval.p_value)),
        odds(estimate),
        odds(of_interval(|interval| interval.lower)),
        odds(of_interval(|interval| interval.upper)),
        spread(CoefficientInterval::deviation),
        spread(|interval| interval.sampling_deviation),
        spread(|interval| interval.privacy_deviation),
        spread(|interval| interval.matrices_deviation),
        spread(|interval| interval.largest_bias),
        of.as_deref().map(field).unwrap_or_default(),
        number(*per_unit),
        number(Some(*encoded)),
    ];
    fields.join(",") + "\n"
}

/// What a person asks of a coefficient; nothing of a category that others are compared with.
fn estimate(
    coefficient: &Coefficient,
    position: usize,
) -> (Option<f64>, Option<CoefficientInterval>) {
    let (value, interval) = match (&coefficient.effect, coefficient.per_unit) {
        (Some(effect), _) if effect.against.is_some() => (effect.value, effect.interval),
        (None, Some(_)) if position > 0 => return (None, None),
        (_, Some(per_unit)) => (per_unit, coefficient.per_unit_interval),
        (_, None) => (coefficient.encoded, coefficient.interval),
    };
    (Some(CoefficientInterval::estimate(interval, value)), interval)
}

/// A CSV field, in quotes where it needs them.
pub fn field(text: &str) -> String {
    let edges = text.starts_with([' ', '\t']) || text.ends_with([' ', '\t']);
    if edges || text.is_empty() || text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_quoted_where_csv_needs_it() {
        for (text, expected) in [
            ("yes", "yes"),
            ("a, b", "\"a, b\""),
            ("say \"no\"", "\"say \"\"no\"\"\""),
            ("", "\"\""),
        ] {
            assert_eq!(field(text), expected);
        }
    }
}
