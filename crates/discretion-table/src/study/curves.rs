//! Curves and crossed columns: `curve`, `knots`, `monotone` and `missing = "own"` of a column, and `[cross]`.

use super::document::{Entry, Section, number_of};
use super::model::choice;
use crate::curve::{Curve, CurveProblem, Knots, Monotone};
use crate::error::Error;
use crate::problem::Problem;
use toml::de::DeValue;

/// Whether what is missing has a level of its own.
pub(super) fn is_own(missing: &Entry<'_>) -> bool {
    missing.value.as_str() == Some("own")
}

/// The curve that a column is, if it is one. A line with a level for what is missing is a curve of two knots.
pub(super) fn curve(entry: &Entry<'_>, section: &Section<'_>) -> Result<Option<Curve>, Error> {
    let bad = |problem: CurveProblem| entry.error(Problem::from(problem));
    let column = || entry.key.to_owned();
    let own_missing = section.get("missing").is_some_and(|missing| is_own(&missing));
    let monotone = choice(section, "monotone", &[("up", Monotone::Up), ("down", Monotone::Down)])?;
    let knots = match (section.get("curve"), section.get("knots")) {
        (Some(_), Some(_)) => return Err(bad(CurveProblem::Both { column: column() })),
        (Some(curve), None) => {
            let count = number_of(curve.value).filter(|count| *count >= 0.0 && count.fract() == 0.0);
            Knots::Even(count.ok_or_else(|| curve.wrong_type("a whole number of knots, such as 12"))? as usize)
        }
        (None, Some(knots)) => {
            if section.get("min").is_some_and(|min| number_of(min.value).is_none()) {
                return Err(bad(CurveProblem::DateKnots { column: column() }));
            }
            Knots::At(knots.list("a list of numbers, such as [30, 50, 70]", number_of)?)
        }
        (None, None) if own_missing => return Ok(Some(Curve { monotone, ..Curve::line_with_missing() })),
        (None, None) => {
            return match monotone {
                None => Ok(None),
                Some(_) => Err(bad(CurveProblem::NotACurve { column: column() })),
            };
        }
    };
    Ok(Some(Curve { knots, own_missing, monotone }))
}

/// `[cross]`: pairs of columns.
pub(super) fn crosses(section: &Section<'_>) -> Result<Vec<[String; 2]>, Error> {
    section.allow(&["pairs"])?;
    let pair = |value: &DeValue<'_>| {
        let names = value.as_array()?.iter().map(|name| name.get_ref().as_str().map(str::to_owned));
        names.collect::<Option<Vec<String>>>()?.try_into().ok()
    };
    let pairs = section.get("pairs").ok_or_else(|| section.missing("pairs", "[[\"ward\", \"age\"]]"))?;
    pairs.list("pairs of columns, such as [[\"ward\", \"age\"]]", pair)
}
