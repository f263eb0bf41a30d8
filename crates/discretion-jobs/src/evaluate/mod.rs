//! How good a model is, in numbers that may be published.
//!
//! [`EvaluateJob`] is for rows that never trained it: a table of its own, charged by itself.
//! [`EvaluateJob::new`] (model, groups, budget) and rows → [`spend`](crate::spend) → an
//! [`EvaluationFile`]. [`HeldOutFit`] is a fit that leaves some rows out and evaluates on them: its
//! [`Model`] has the figures.

#[cfg(test)]
mod cost_tests;
mod exactness;
mod groups;
mod held_out;
mod held_out_rows;
mod held_out_storage;
mod kinds;
mod scorer;
#[cfg(test)]
mod tests;
mod whole;

pub use exactness::{Exactness, HalfWidths, MainFigure};
pub use groups::Groups;
pub use held_out::{Evaluable, HeldOut, HeldOutFit, HeldOutNumber, HeldOutPlan, HeldOutTwoSteps};
pub use held_out_rows::{HeldOutPersonsReader, HeldOutReader, HeldOutRows};
pub use held_out_storage::{HeldOutPersonsStorage, HeldOutStorage};
pub use kinds::{Counted, EvaluationPlan};
pub(crate) use kinds::{counted_facts, expected_range};
pub use scorer::Scorer;
pub use whole::StudyEvaluation;

use crate::identity::{Settings, earlier};
use crate::job::Job;
use crate::promise::{promise_of_figures, promise_of_run};
use discretion::erm::matrix::Rows;
use discretion::noise::{Noise, Released};
use discretion::privacy::account::Event;
use discretion::privacy::{Budget, Unit};
use discretion::quality::QualityError;
use discretion::{Excerpt, Refusal};
use discretion_formats::{AnyModel, EvaluationFile, LedgerEntry};
use discretion_table::{Column, Kind, Schema};
use serde_json::json;

/// The level of every interval.
pub const LEVEL: f64 = 0.95;

/// An evaluation of a model on rows that never trained it.
#[derive(Clone)]
pub struct EvaluateJob {
    model: AnyModel,
    scorer: Scorer,
    /// The model file's SHA-256.
    hash: String,
    groups: Groups,
    budget: Budget,
    /// Whom the guarantee is about. Of a person one row is asked.
    unit: Unit,
    /// Where the budget was written, for messages.
    spend: String,
}

impl EvaluateJob {
    /// Checks what is asked for: a model whose columns are those of `schema`, and the column by
    /// whose values rows are counted apart.
    pub fn new(
        (model, hash): (AnyModel, String),
        schema: &Schema,
        by: Option<&str>,
        budget: Budget,
        spend: String,
    ) -> Result<EvaluateJob, Refusal> {
        same_columns(model.schema(), schema)?;
        let groups = Groups::by(model.schema(), by)?;
        let scorer = match &model {
            AnyModel::Classes(model) => Scorer::of_model(model),
            AnyModel::Number(model) => Scorer::of_number_model(model)?,
        };
        let job = EvaluateJob { model, scorer, hash, groups, budget, unit: schema.unit(), spend };
        // More rows than any table has: what is refused even so, no row has to be read for.
        job.plan(1 << 40)?;
        Ok(job)
    }

    /// The model.
    pub fn model(&self) -> &AnyModel {
        &self.model
    }
}

/// Refuses a study whose rows would be read otherwise than the model's were.
fn same_columns(model: &Schema, study: &Schema) -> Result<(), Refusal> {
    // A column that is dropped says nothing about a row: whose it is can be known of these rows
    // alone.
    let used = |of: &Schema| -> Vec<Column> {
        of.columns()
            .iter()
            .filter(|column| !matches!(column.kind, Kind::Dropped))
            .cloned()
            .collect()
    };
    let [model_s, study_s] = [model, study].map(used);
    let differs = model_s.iter().find(|column| !study_s.contains(column));
    let more = study_s.iter().find(|column| !model_s.contains(column));
    if let Some(column) = differs.or(more) {
        return Err(Refusal::bad_input(format!(
            "column '{}' is not declared alike in the model and in the study; a model can be evaluated on tables with its own columns, \
             values and bounds",
            Excerpt::of(&column.name)
        )));
    }
    match model.outcomes().eq(study.outcomes()) && model.norm() == study.norm() {
        true => Ok(()),
        false => Err(Refusal::bad_input(
            "the study has another target, other classes or another norm than the model".to_owned(),
        )),
    }
}

impl Job for EvaluateJob {
    const NAME: &'static str = "evaluate";
    const DOING: &'static str = "counting";
    type Rows = Rows<'static>;
    type Plan = EvaluationPlan;
    type Released = Released<Counted>;
    type Artefact = EvaluationFile;

    fn budget(&self) -> Budget {
        self.budget
    }

    fn with_budget(&self, budget: Budget) -> Option<EvaluateJob> {
        Some(EvaluateJob { budget, ..self.clone() })
    }

    fn unit(&self) -> Unit {
        self.unit
    }

    fn settings(&self) -> Option<Settings> {
        let (hash, by) = (&self.hash, self.groups.column());
        let value = json!({ "model": hash, "budget": self.budget, "by": by });
        let earlier = format!("{hash} {} {by:?}", earlier::budget(self.budget));
        Some(Settings { value, earlier })
    }

    fn count(rows: &Rows<'static>) -> usize {
        rows.units()
    }

    fn plan(&self, rows: usize) -> Result<EvaluationPlan, Refusal> {
        let planned = self.scorer.expected().plan(rows, self.budget, self.groups.len());
        planned.map_err(|error| explain(error, &self.spend))
    }

    fn event(&self, plan: &EvaluationPlan) -> Event {
        plan.event()
    }

    fn notes(&self, plan: &EvaluationPlan) -> Vec<String> {
        plan.notes(self.unit)
    }

    fn run(
        &self,
        plan: &EvaluationPlan,
        rows: &Rows<'static>,
        noise: &mut Noise,
    ) -> Result<Released<Counted>, Refusal> {
        plan.run((&self.scorer, &self.groups), rows, noise, &self.spend)
    }

    fn artefact(
        &self,
        plan: &EvaluationPlan,
        counts: Released<Counted>,
        paid: Option<LedgerEntry>,
    ) -> Result<EvaluationFile, Refusal> {
        let privacy =
            promise_of_run(counts.provenance(), (plan.budget(), self.unit), paid.as_ref());
        let (warning, privacy) = promise_of_figures(&self.model, privacy);
        let quality = kinds::facts(
            &counts,
            self.model.schema(),
            self.scorer.meaning(),
            &self.groups,
            self.unit,
        );
        Ok(EvaluationFile::new(warning, privacy, paid, self.hash.clone(), quality))
    }
}

/// A refusal as the user's or the machine's fault. `spend` is where the budget was written.
pub(crate) fn explain(error: QualityError, spend: &str) -> Refusal {
    let refusal = match &error {
        QualityError::Noise(_) => Refusal::refused(format!("{error}; nothing was released")),
        QualityError::TooFewRows { .. } => {
            Refusal::refused(format!("{spend}: {error}; nothing was charged"))
        }
        _ => Refusal::bad_input(format!("{spend}: {error}")),
    };
    refusal.because(error)
}
