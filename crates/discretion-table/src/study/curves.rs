//! Curves and crossed columns: `curve`, `knots`, `monotone` and `missing = "own"` of a column, and
//! `[cross]`.

use super::document::{Entry, Section, number_of};
use crate::curve::{Chosen, Curve, CurveProblem, Knots, Monotone};
use crate::error::Error;
use crate::problem::Problem;
use toml::de::DeValue;

/// Whether what is missing has a level of its own.
pub(super) fn is_own(missing: &Entry<'_>) -> bool {
    missing.value.as_str() == Some("own")
}

/// The curve that a column is, if it is one. A line with a level for what is missing is a curve of
/// two knots.
pub(super) fn curve(entry: &Entry<'_>, section: &Section<'_>) -> Result<Option<Curve>, Error> {
    let bad = |problem: CurveProblem| entry.error(Problem::from(problem));
    let column = || entry.key.to_owned();
    let own_missing = section.get("missing").is_some_and(|missing| is_own(&missing));
    let monotone = section.word("monotone")?.map(|word| match word {
        "up" => Monotone::Up,
        _ => Monotone::Down,
    });
    let is_private =
        section.get("knots").is_some_and(|knots| knots.value.as_str() == Some("private"));
    if section.get("share").is_some() && !is_private {
        return Err(bad(CurveProblem::ShareOfNothing { column: column() }));
    }
    let knots = match (section.get("curve"), section.get("knots")) {
        (curve, Some(_)) if is_private => {
            let knots = curve.map(|curve| count(&curve)).transpose()?.unwrap_or(USUAL_KNOTS);
            let share = section.number("share")?.expect("it has a default");
            Knots::Chosen(Chosen::Private { knots, share })
        }
        (Some(curve), None) if curve.value.as_str() == Some("auto") => Knots::Chosen(Chosen::Auto),
        (Some(_), Some(_)) => return Err(bad(CurveProblem::Both { column: column() })),
        (Some(curve), None) => Knots::Even(count(&curve)?),
        (None, Some(knots)) => {
            if section.get("min").is_some_and(|min| number_of(min.value).is_none()) {
                return Err(bad(CurveProblem::DateKnots { column: column() }));
            }
            Knots::At(
                knots.list("a list of numbers, such as [30, 50, 70], or \"private\"", number_of)?,
            )
        }
        (None, None) if own_missing => {
            return Ok(Some(Curve { monotone, ..Curve::line_with_missing() }));
        }
        (None, None) => {
            return match monotone {
                None => Ok(None),
                Some(_) => Err(bad(CurveProblem::NotACurve { column: column() })),
            };
        }
    };
    Ok(Some(Curve { knots, own_missing, monotone, released_for: None, from_rows: false }))
}

/// How many private knots a curve has if nothing else is said.
const USUAL_KNOTS: usize = 12;

/// A number of knots.
fn count(curve: &Entry<'_>) -> Result<usize, Error> {
    let count = number_of(curve.value).filter(|count| *count >= 0.0 && count.fract() == 0.0);
    let count =
        count.ok_or_else(|| curve.wrong_type("a whole number of knots, such as 12, or \"auto\""));
    count.map(|count| count as usize)
}

/// `[cross]`: pairs of columns.
pub(super) fn crosses(section: &Section<'_>) -> Result<Vec<[String; 2]>, Error> {
    section.refuse_unknown()?;
    let pair = |value: &DeValue<'_>| {
        let names = value.as_array()?.iter().map(|name| name.get_ref().as_str().map(str::to_owned));
        names.collect::<Option<Vec<String>>>()?.try_into().ok()
    };
    section.required("pairs")?.list("pairs of columns, such as [[\"ward\", \"age\"]]", pair)
}
