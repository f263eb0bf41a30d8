//! The page a custodian shows to a review board, from released values and public facts alone.

mod certainty;
pub(crate) mod check;
mod columns;
mod crosses;
mod curves;
mod density;
mod facts;
mod noise;
mod number;
mod of_model;
pub(crate) mod page;
mod picture;
mod quality;
mod question;
mod reading;
pub mod releases;
mod search;
mod table;

pub use crosses::{DrawnCell, DrawnCross};
pub use curves::{DrawnCurve, DrawnKnot};
pub use density::{Cells, DensityReport, Described, of_file};
pub use facts::{
    Account, Bound, Charge, Coefficient, Effect, Estimate, Interval, Lambda, Ordinary, Origin,
    OwnUnit, Place, Target,
};
pub use noise::normal_quantile;
pub(crate) use number::coefficients_of as number_coefficients;
pub use number::html as number_html;
pub use of_model::{html, report};
pub(crate) use table::{as_ratio, exponential, in_own_unit};

use discretion::erm::matrix::Norm;
use discretion::loss::LossKind;
use discretion::privacy::{Budget, Unit};
use discretion_formats::{AnyModel, ModelQuality};
use discretion_table::Column;
use std::path::Path;

/// The page about the model at `path`, whatever its outcome is. `ledger` is named if it is not where
/// the program looks by itself.
pub fn model_page(model: &AnyModel, path: &Path, ledger: Option<&Path>) -> String {
    match model {
        AnyModel::Classes(model) => html(model, path, ledger),
        AnyModel::Number(model) => number_html(model, path, ledger),
    }
}

/// Everything the page says. Plain data: whoever fills it in vouches that each value is released or
/// public.
#[derive(Clone, Debug)]
pub struct Report {
    /// Why nothing is promised; then the page says so first.
    pub not_private: Option<String>,
    /// What was asked.
    pub target: Target,
    /// The number of rows, which is public.
    pub rows: usize,
    /// Every declared column but the target.
    pub columns: Vec<Column>,
    /// How rows were brought to length at most 1.
    pub norm: Norm,
    /// Columns whose bounds or values were looked up in the rows.
    pub from_rows: Vec<String>,
    /// Which rows counted, in words, if not all did.
    pub cohort: Option<String>,
    /// How much rows counted, in words, if not all counted the same.
    pub weights: Option<String>,
    /// The loss that was minimised.
    pub loss: LossKind,
    /// Whether each of several classes has coefficients of its own: a score beside the others', and
    /// no odds.
    pub several_classes: bool,
    /// The strength of the regularisation, and where it came from.
    pub lambda: Lambda,
    /// The level of the intervals, between 0 and 1, if there are any.
    pub level: Option<f64>,
    /// How many steps estimates were taken away from the penalty.
    pub steps: usize,
    /// What intervals say, if they cover ordinary coefficients.
    pub ordinary: Option<Ordinary>,
    /// The coefficients in the order of the model file.
    pub coefficients: Vec<Coefficient>,
    /// Curves, each as a picture of its own.
    pub curves: Vec<DrawnCurve>,
    /// Crossed categories, each pair of columns as a picture.
    pub crosses: Vec<DrawnCross>,
    /// How good it is on rows that did not train it, if some were held out.
    pub quality: Option<ModelQuality>,
    /// What is promised to the person in a row.
    pub guarantee: Option<Budget>,
    /// Whom the promise is about.
    pub unit: Unit,
    /// Whose rows the promise is for and against whom it holds, where that is not plain: several
    /// holders, one model.
    pub whom: Option<String>,
    /// What was paid, and what is left.
    pub account: Option<Account>,
    /// Further public facts of the run, name and value: mechanism, noise, randomness.
    pub run: Vec<(String, String)>,
    /// Where the page comes from and how to check it.
    pub origin: Origin,
}

impl Report {
    /// The page as one file that asks for nothing else.
    pub fn to_html(&self) -> String {
        page::html(self)
    }

    /// The same with a panel for each class, where several have coefficients of their own.
    pub fn to_html_with(&self, classes: &[Report]) -> String {
        page::html_of_classes(self, classes)
    }

    /// Whether the coefficient at `position` is what others are compared with.
    pub(crate) fn is_compared_with(&self, position: usize) -> bool {
        let coefficient = &self.coefficients[position];
        coefficient.effect.is_none() && coefficient.place != Place::Intercept && self.has_effects()
    }

    /// Whether coefficients have effects: not where rows were divided by their own length.
    fn has_effects(&self) -> bool {
        self.coefficients.iter().any(|coefficient| coefficient.effect.is_some())
    }

    /// The coefficients that say something about an outcome: not the intercept, nor what others are
    /// compared with. Where intervals were asked for of some columns, those of these columns.
    fn effects(&self) -> impl Iterator<Item = &Coefficient> {
        let (has_effects, has_intervals) = (self.has_effects(), self.has_intervals());
        let is_asked_for = move |c: &Coefficient| !has_intervals || c.estimate().interval.is_some();
        self.coefficients.iter().filter(move |c| {
            c.place != Place::Intercept && (c.effect.is_some() || !has_effects) && is_asked_for(c)
        })
    }

    /// Whether any coefficient has an interval.
    pub(crate) fn has_intervals(&self) -> bool {
        self.level.is_some() && self.coefficients.iter().any(|c| c.encoded.interval.is_some())
    }
}

/// Which coefficients are shown: not what others are compared with.
pub(crate) fn are_effects(coefficients: &[Coefficient]) -> Vec<bool> {
    let has_effects = coefficients.iter().any(|coefficient| coefficient.effect.is_some());
    let is_shown =
        |c: &Coefficient| c.effect.is_some() || c.place == Place::Intercept || !has_effects;
    coefficients.iter().map(is_shown).collect()
}

#[cfg(test)]
mod tests;
