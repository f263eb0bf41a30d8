//! Curves that are not settled when a study is written: `curve = "auto"` follows from public
//! numbers, and `knots = "private"` from a release.

use crate::curve::{Chosen, Curve, Knots};
use crate::schema::{Column, Kind, Schema};
use discretion::knots::{CELLS, WantedKnots};
use discretion::privacy::{Budget, Zcdp};

/// The most knots of `curve = "auto"`: more gained nothing on the tables it was measured on
/// (docs/curves.md).
const MOST_AUTO_KNOTS: usize = 12;

/// Below this a line is kept, under Gaussian and under pure noise; from there on a curve has three
/// knots, and more of them once there is one for every so much (docs/curves.md, measured).
const STRENGTH_OF_A_CURVE: f64 = 350.0;
const STRENGTH_OF_A_PURE_CURVE: f64 = 1000.0;
const STRENGTH_OF_A_KNOT: f64 = 330.0;

/// δ at which a budget of ρ is compared with one of ε and δ.
const USUAL_DELTA: f64 = 1e-6;

/// How many knots `curve = "auto"` has, from the number of rows (or persons), of columns with the
/// intercept, and the budget; nothing if it stays a line.
///
/// The noise on a coefficient is about 1/(nε), an entry of a row is 1/√m, and a knot has the rows
/// of its neighbourhood, so what noise does to a knot's value is about K√m/(nε): K may grow as
/// nε/√m does.
pub fn auto_knots(rows: usize, columns: usize, budget: Budget) -> Option<usize> {
    let (epsilon, least) = match budget {
        Budget::Pure { epsilon } => (epsilon, STRENGTH_OF_A_PURE_CURVE),
        Budget::Approximate { epsilon, .. } => (epsilon, STRENGTH_OF_A_CURVE),
        Budget::Zcdp { rho } => (Zcdp { rho }.at_delta(USUAL_DELTA).epsilon, STRENGTH_OF_A_CURVE),
    };
    let strength = rows as f64 * epsilon / (columns as f64).sqrt();
    (strength >= least)
        .then(|| ((strength / STRENGTH_OF_A_KNOT) as usize).clamp(3, MOST_AUTO_KNOTS))
}

/// Where knots come from that were to be private.
#[derive(Clone, Copy, PartialEq)]
enum Whence {
    /// From public numbers.
    Public,
    /// From a release.
    Released,
    /// From the rows, without noise.
    Rows,
}

impl Schema {
    /// The first column whose knots are not settled, and what it says.
    pub fn unsettled(&self) -> Option<(&str, &'static str)> {
        self.columns().iter().find_map(|column| match column.curve.as_ref()?.knots {
            Knots::Chosen(Chosen::Auto) => Some((column.name.as_str(), "curve = \"auto\"")),
            Knots::Chosen(Chosen::Private { .. }) => {
                Some((column.name.as_str(), "knots = \"private\""))
            }
            Knots::Even(_) | Knots::At(_) => None,
        })
    }

    /// Whether some curve has as many knots as public numbers say.
    pub fn has_auto_curves(&self) -> bool {
        self.columns().iter().any(|column| is_auto(&column.curve))
    }

    /// The same with all of these settled, and how many knots they have; nothing if they are lines.
    pub fn with_auto_curves(&self, rows: usize, budget: Budget) -> (Schema, Option<usize>) {
        let used = self.columns().iter().filter(|column| column.kind != Kind::Dropped).count();
        let knots = auto_knots(rows, used + self.crosses().len() + 1, budget);
        let settled = self.with_curves(|column| match (&column.curve, knots) {
            (Some(curve), Some(knots)) if is_auto(&column.curve) => {
                Some(Curve { knots: Knots::Even(knots), ..curve.clone() })
            }
            // A line, as a curve if it has more to say.
            (Some(curve), None) if is_auto(&column.curve) => {
                let more = curve.own_missing || curve.monotone.is_some();
                more.then(|| Curve { knots: Knots::Even(2), ..curve.clone() })
            }
            (curve, _) => curve.clone(),
        });
        (settled, knots)
    }

    /// The columns whose knots are to be released, by their places among encoded numbers.
    pub fn private_knots(&self) -> Vec<WantedKnots> {
        let numbers = self.columns().iter().filter(|column| column.kind.is_numeric());
        let wanted =
            numbers.enumerate().filter_map(|(place, column)| match column.curve.as_ref()?.knots {
                Knots::Chosen(Chosen::Private { knots, share }) => {
                    Some(WantedKnots { place, knots, share })
                }
                _ => None,
            });
        wanted.collect()
    }

    /// The same with such columns on the grid that their knots are found on.
    pub fn on_grid(&self) -> Schema {
        self.with_private(|_, _| Knots::Even(CELLS + 1), Whence::Public)
    }

    /// The same with as many knots anywhere: a stand-in for what public numbers say.
    pub fn with_any_knots(&self) -> Schema {
        self.with_private(|_, knots| Knots::Even(knots), Whence::Public)
    }

    /// The same with released knots, one list of cells' ends for each such column.
    pub fn with_released_knots(&self, released: &[Vec<usize>]) -> Schema {
        self.with_knots_at(released, Whence::Released)
    }

    /// The same with knots that were looked up in the rows: no guarantee covers them.
    pub fn with_knots_from_rows(&self, found: &[Vec<usize>]) -> Schema {
        self.with_knots_at(found, Whence::Rows)
    }

    fn with_knots_at(&self, ends: &[Vec<usize>], whence: Whence) -> Schema {
        let mut lists = ends.iter();
        let at = |column: &Column, _| {
            let range = column.kind.range().expect("curves are numbers");
            let grid = Curve::even(CELLS + 1).values(&range);
            let ends = lists.next().expect("a list for each column");
            Knots::At(ends[1..ends.len() - 1].iter().map(|&end| grid[end]).collect())
        };
        self.with_private(at, whence)
    }

    fn with_private(
        &self,
        mut knots_of: impl FnMut(&Column, usize) -> Knots,
        whence: Whence,
    ) -> Schema {
        self.with_curves(|column| {
            let curve = column.curve.as_ref()?;
            let Knots::Chosen(Chosen::Private { knots, share }) = curve.knots else {
                return Some(curve.clone());
            };
            let knots = knots_of(column, knots);
            let released_for = (whence == Whence::Released).then_some(share);
            Some(Curve { knots, released_for, from_rows: whence == Whence::Rows, ..curve.clone() })
        })
    }
}

fn is_auto(curve: &Option<Curve>) -> bool {
    curve.as_ref().is_some_and(|curve| curve.knots == Knots::Chosen(Chosen::Auto))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knots_grow_with_rows_and_budget_and_a_line_is_a_line() {
        let pure = |epsilon| Budget::Pure { epsilon };
        let with_delta = |epsilon| Budget::Approximate { epsilon, delta: 1e-6 };
        assert_eq!(auto_knots(13_314, 11, pure(0.1)), None);
        assert_eq!(auto_knots(13_314, 11, with_delta(0.1)), Some(3));
        assert_eq!(auto_knots(13_314, 11, with_delta(0.05)), None);
        assert_eq!(auto_knots(31_647, 17, with_delta(0.1)), Some(3));
        assert_eq!(auto_knots(13_314, 11, pure(0.3)), Some(3));
        assert_eq!(auto_knots(13_314, 11, pure(1.0)), Some(12));
        assert_eq!(auto_knots(usize::MAX, 1, pure(1.0)), Some(12));
        assert_eq!(auto_knots(0, 1, pure(1.0)), None);
        assert!(auto_knots(13_314, 11, Budget::Zcdp { rho: 1e-4 }).is_none());
        assert_eq!(auto_knots(13_314, 11, Budget::Zcdp { rho: 0.05 }), Some(12));
    }
}
