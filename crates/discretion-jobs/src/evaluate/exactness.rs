//! How exactly rows that are held out will tell how good a model is: from public numbers, before
//! anything is read.

use super::kinds::{EvaluationPlan, Expected};
use super::{Groups, explain};
use crate::number::NumberJob;
use crate::support::{self, Features};
use discretion::Refusal;
use discretion::choose::split::validation_rows;
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
    /// Of a study that holds rows out. What a study's fit would refuse of `[evaluate]` is refused
    /// here.
    pub fn expected(
        study: &Study,
        settings: &EvaluateSettings,
        rows: usize,
    ) -> Result<Exactness, Refusal> {
        let schema = &study.schema;
        let features = Features::of_schema(schema, schema.unit()).held_out(Some(settings));
        support::check(&features)?;
        let groups = Groups::by(schema, settings.by.as_deref())?;
        let held_out = validation_rows(rows, settings.share);
        let predictions_alone = match NumberJob::of(study)? {
            Some(job) => job.predicts_alone(rows - held_out),
            None => false,
        };
        let plan = Expected::of_any_model(schema, predictions_alone).plan(
            held_out,
            study.spend,
            groups.len(),
        );
        Ok(Exactness::of(&plan.map_err(|error| explain(error, "[evaluate]"))?))
    }

    fn of(plan: &EvaluationPlan) -> Exactness {
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
