//! How exactly rows that are held out will tell how good a model is: from public numbers, before
//! anything is read.

use super::kinds::EvaluationPlan;
use super::{Evaluable, HeldOut};
use crate::fit::{FitJob, TwoStepFit, settled_job, settled_number};
use crate::job::Job;
use crate::number::{NumberJob, NumberKnots};
use discretion::Refusal;
use discretion_table::{EvaluateSettings, Study};
use serde::Serialize;

/// What an evaluation of a usual model would come out to.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Exactness {
    /// How many rows, or persons, are held out.
    pub rows: usize,
    /// What is measured.
    pub figure: MainFigure,
    /// The value that is assumed.
    pub value: f64,
    /// Of all rows.
    pub all: HalfWidths,
    /// Of a group of average size, where rows are counted apart and that can be told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub in_a_group: Option<HalfWidths>,
}

/// The figure that people look at first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum MainFigure {
    /// The area under the ROC curve.
    Auc,
    /// The same for one class against the others.
    AucOfAClass,
    /// The share of the variance that is explained.
    RSquared,
}

/// Half the width of an interval at 95 %. Nothing where noise would outweigh a class: then it is
/// more than one half.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct HalfWidths {
    /// From sampling alone.
    pub sampling: Option<f64>,
    /// With the noise.
    pub all: Option<f64>,
}

impl From<[Option<f64>; 2]> for HalfWidths {
    fn from([sampling, all]: [Option<f64>; 2]) -> HalfWidths {
        HalfWidths { sampling, all }
    }
}

impl Exactness {
    /// Returns the exactness of what a fit of the study would evaluate, with the budget that the
    /// fit leaves it. What the fit would refuse is refused here.
    pub fn expected(
        study: &Study,
        settings: &EvaluateSettings,
        rows: usize,
    ) -> Result<Exactness, Refusal> {
        match NumberJob::of(study)?.map(|job| settled_number(&job, rows)) {
            Some(job) => match NumberKnots::of(job.clone()) {
                Some(knots) => Exactness::beside(knots, settings, rows),
                None => Exactness::beside(job, settings, rows),
            },
            None => {
                let job = settled_job(&FitJob::of(study), rows);
                match TwoStepFit::of(job.clone()) {
                    Some(first) => Exactness::beside(first, settings, rows),
                    None => Exactness::beside(job, settings, rows),
                }
            }
        }
    }

    fn beside<J: Evaluable>(
        fit: J,
        settings: &EvaluateSettings,
        rows: usize,
    ) -> Result<Exactness, Refusal>
    where
        J::Rows: Sized,
    {
        Ok(Exactness::of(&HeldOut::new(fit, settings)?.plan(rows)?.quality))
    }

    pub(super) fn of(plan: &EvaluationPlan) -> Exactness {
        let (figure, value, all) = match plan {
            EvaluationPlan::Two(plan) => (MainFigure::Auc, 0.8, plan.expected_half_width()),
            EvaluationPlan::Several(plan) => {
                (MainFigure::AucOfAClass, 0.8, plan.expected_half_width())
            }
            EvaluationPlan::Number(plan) => {
                (MainFigure::RSquared, 0.5, plan.expected_half_width().map(Some))
            }
        };
        let in_a_group = match plan {
            EvaluationPlan::Two(plan) if plan.groups() > 1 => {
                Some(plan.expected_in_a_group().into())
            }
            _ => None,
        };
        Exactness { rows: plan.rows(), figure, value, all: all.into(), in_a_group }
    }
}
