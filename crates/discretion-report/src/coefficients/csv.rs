//! Coefficients as CSV: one line each, every digit, and an empty field where there is nothing.

use discretion::loss::LossKind;
use discretion_formats::{Coefficient, CoefficientInterval, Model};

/// The table. `estimate` is what the report shows: a number's coefficient in its own unit, and how a category differs from the
/// one that it is compared with; beside an interval, with what λ takes from it given back. `per_unit` and `encoded` are the
/// coefficients that predictions are made of.
pub fn csv(model: &Model) -> String {
    let level = model.intervals.as_ref().map(|intervals| intervals.level);
    let estimate = if model.warning.is_none() { "estimate" } else { "estimate NOT PRIVATE" };
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
        "of",
        "per_unit",
        "encoded",
    ];
    let classes = model.classes().is_some();
    let reference = model.intervals.as_ref().and_then(|intervals| intervals.reference.as_deref());
    let mut text = if classes { "class,".to_owned() } else { String::new() };
    text += reference.map_or("", |_| "class_compared_with,");
    text += &(heading.join(",") + "\n");
    for (index, coefficient) in model.coefficients.iter().enumerate() {
        // Every class has an intercept of its own.
        let first = model.coefficients.iter().position(|other| other.class == coefficient.class);
        let position = index - first.unwrap_or(index);
        if classes {
            text += &(coefficient.class.as_deref().map(field).unwrap_or_default() + ",");
        }
        if let Some(reference) = reference {
            let compared = coefficient.class.as_deref() != Some(reference);
            text += &(if compared { field(reference) } else { String::new() } + ",");
        }
        text += &(fields(model, coefficient, position, level).join(",") + "\n");
    }
    text
}

fn fields(model: &Model, coefficient: &Coefficient, position: usize, level: Option<f64>) -> Vec<String> {
    let Coefficient { name, encoded, of, per_unit, .. } = coefficient;
    let (estimate, interval) = estimate(coefficient, position);
    // Others are differences to this class, which has none.
    let reference = model.intervals.as_ref().and_then(|intervals| intervals.reference.as_ref());
    let estimate = estimate.filter(|_| reference.is_none() || coefficient.class.as_ref() != reference);
    let against = coefficient.effect.as_ref().and_then(|effect| effect.against.as_deref());
    let number = |x: Option<f64>| x.map(|x| x.to_string()).unwrap_or_default();
    let of_interval = |get: fn(&CoefficientInterval) -> f64| interval.as_ref().map(get);
    let spread = |get: fn(&CoefficientInterval) -> Option<f64>| number(interval.as_ref().and_then(get));
    // e^intercept is the odds of a row that may not exist; on the encoded scale nothing has a unit to change by.
    let has_odds = model.training.loss == LossKind::Logistic
        && model.classes().is_none()
        && position > 0
        && per_unit.is_some();
    let odds = |x: Option<f64>| number(x.filter(|_| has_odds).map(f64::exp));
    vec![
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
        of.as_deref().map(field).unwrap_or_default(),
        number(*per_unit),
        number(Some(*encoded)),
    ]
}

/// What a person asks of a coefficient; nothing of a category that others are compared with.
fn estimate(coefficient: &Coefficient, position: usize) -> (Option<f64>, Option<CoefficientInterval>) {
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
        for (text, expected) in
            [("yes", "yes"), ("a, b", "\"a, b\""), ("say \"no\"", "\"say \"\"no\"\"\""), ("", "\"\"")]
        {
            assert_eq!(field(text), expected);
        }
    }
}
