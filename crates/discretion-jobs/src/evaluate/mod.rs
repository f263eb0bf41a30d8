//! How good a model is, in numbers that may be published.
//!
//! [`EvaluateJob`] is for rows that never trained it: a table of its own, charged by itself. [`EvaluateJob::new`] (model, groups,
//! budget) and [`ScoredRows`] → [`spend`](crate::spend) → an [`EvaluationFile`]. [`HeldOutFit`] is a fit that leaves some rows out
//! and evaluates on them: its [`Model`] has the figures.

mod groups;
mod held_out;
mod range;
mod rows;
#[cfg(test)]
mod tests;
mod whole;

pub use groups::Groups;
pub use held_out::{HeldOutFit, HeldOutPersonsReader, HeldOutPlan, HeldOutReader, HeldOutRows};
pub use range::score_range;
pub use rows::ScoredRows;
pub use whole::StudyEvaluation;

use crate::job::Job;
use crate::promise::{promise_of_run, warning};
use discretion::Refusal;
use discretion::loss::LossKind;
use discretion::noise::{Noise, Released};
use discretion::privacy::account::Event;
use discretion::privacy::{Budget, Unit};
use discretion::quality::{Figures, Meaning, Quality, QualityError, QualityPlan, ScoreCounts};
use discretion_formats::{EvaluationFile, GroupQuality, LedgerEntry, Model, QualityFacts};
use discretion_report::numbers::plain::{count, short};
use discretion_table::Schema;

/// The level of every interval.
pub const LEVEL: f64 = 0.95;

/// An evaluation of a model on rows that never trained it.
pub struct EvaluateJob {
    model: Model,
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
    /// Checks what is asked for: a model of two classes whose columns are those of `schema`, and the column by whose values rows
    /// are counted apart.
    pub fn new(
        (model, hash): (Model, String),
        schema: &Schema,
        by: Option<&str>,
        budget: Budget,
        spend: String,
    ) -> Result<EvaluateJob, Refusal> {
        if model.schema.target().labels.two_names().is_none() {
            return Err(Refusal::bad_input("only models with two classes can be evaluated".to_owned()));
        }
        same_columns(&model.schema, schema)?;
        let groups = Groups::by(&model.schema, by)?;
        let job = EvaluateJob { model, hash, groups, budget, unit: schema.unit(), spend };
        // More rows than any table has: what is refused even so, no row has to be read for.
        job.plan(1 << 40)?;
        Ok(job)
    }

    /// The model.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// No row yet.
    pub fn rows(&self) -> ScoredRows {
        ScoredRows::new(&self.model.schema, self.model.theta(), &self.groups)
    }
}

/// Refuses a study whose rows would be read otherwise than the model's were.
fn same_columns(model: &Schema, study: &Schema) -> Result<(), Refusal> {
    let differs = model.columns().iter().find(|column| !study.columns().contains(column));
    let more = study.columns().iter().find(|column| !model.columns().contains(column));
    if let Some(column) = differs.or(more) {
        return Err(Refusal::bad_input(format!(
            "column '{}' is not declared alike in the model and in the study; a model can be evaluated on tables with its own columns, \
             values and bounds",
            column.name
        )));
    }
    match model.target() == study.target() && model.norm() == study.norm() {
        true => Ok(()),
        false => Err(Refusal::bad_input(
            "the study has another target, other classes or another norm than the model".to_owned(),
        )),
    }
}

impl Job for EvaluateJob {
    const NAME: &'static str = "evaluate";
    const DOING: &'static str = "counting";
    type Rows = ScoredRows;
    type Plan = QualityPlan;
    type Released = Released<ScoreCounts>;
    type Artefact = EvaluationFile;

    fn budget(&self) -> Budget {
        self.budget
    }

    fn unit(&self) -> Unit {
        self.unit
    }

    fn settings(&self) -> Option<String> {
        Some(format!("{} {:?} {:?}", self.hash, self.budget, self.groups.column()))
    }

    fn count(rows: &ScoredRows) -> usize {
        rows.len()
    }

    fn plan(&self, rows: usize) -> Result<QualityPlan, Refusal> {
        let (low, high) = score_range(&self.model.schema, &self.model.theta());
        let quality = Quality { budget: self.budget, groups: self.groups.len(), low, high };
        quality.plan(rows).map_err(|error| explain(error, &self.spend))
    }

    fn event(&self, plan: &QualityPlan) -> Event {
        plan.event()
    }

    fn notes(&self, plan: &QualityPlan) -> Vec<String> {
        let mut notes = vec![how_exact(plan, self.unit)];
        notes.extend(small_groups(plan));
        notes
    }

    fn run(
        &self,
        plan: &QualityPlan,
        rows: &ScoredRows,
        noise: &mut Noise,
    ) -> Result<Released<ScoreCounts>, Refusal> {
        plan.run(&rows.tally(plan), noise).map_err(|error| explain(error, &self.spend))
    }

    fn artefact(
        &self,
        plan: &QualityPlan,
        counts: Released<ScoreCounts>,
        paid: Option<LedgerEntry>,
    ) -> Result<EvaluationFile, Refusal> {
        let privacy = promise_of_run(counts.provenance(), (plan.budget(), self.unit), paid.as_ref());
        let warning = warning(&privacy);
        let quality = facts(&counts, self.model.training.loss, &self.groups, self.unit);
        Ok(EvaluationFile::new(warning, privacy, paid, self.hash.clone(), quality))
    }
}

/// What released counts say, for a file.
pub(crate) fn facts(
    counts: &Released<ScoreCounts>,
    loss: LossKind,
    groups: &Groups,
    unit: Unit,
) -> QualityFacts {
    let meaning = if loss == LossKind::Logistic { Meaning::LogOdds } else { Meaning::Order };
    let group = |(index, value): (usize, &String)| {
        let figures = Figures::of_group(counts, index, meaning, LEVEL);
        let warning = (!figures.say_something()).then(|| {
            format!(
                "so few {}, by the released counts, that these figures say next to nothing",
                unit.plural()
            )
        });
        GroupQuality { value: value.clone(), warning, figures }
    };
    QualityFacts {
        rows: counts.rows,
        level: LEVEL,
        meaning,
        figures: Figures::of_all(counts, meaning, LEVEL),
        by: groups.column().map(str::to_owned),
        groups: groups.names().iter().enumerate().map(group).collect(),
        counts: ScoreCounts::clone(counts),
    }
}

/// How exact an evaluation will be, from public numbers.
pub(crate) fn how_exact(plan: &QualityPlan, unit: Unit) -> String {
    let [sampling, all] =
        plan.expected_half_width().map(|half| half.map_or("more than 0.5".to_owned(), short));
    format!(
        "{} {} for evaluation: an AUC of 0.8 would come out to ±{all} (±{sampling} from sampling alone), if a quarter of them is \
         positive",
        count(plan.rows()),
        unit.plural()
    )
}

/// A sentence where groups of average size will say little.
pub(crate) fn small_groups(plan: &QualityPlan) -> Option<String> {
    if plan.groups() == 1 {
        return None;
    }
    match plan.expected_in_a_group()[1] {
        Some(half) if half <= 0.1 => {
            Some(format!("a group of average size would have its AUC to ±{}", short(half)))
        }
        _ => Some("groups of average size are too small to say much about each".to_owned()),
    }
}

/// A refusal as the user's or the machine's fault. `spend` is where the budget was written.
pub(crate) fn explain(error: QualityError, spend: &str) -> Refusal {
    let refusal = match &error {
        QualityError::Noise(_) => Refusal::refused(format!("{error}; nothing was released")),
        QualityError::TooFewRows { .. } => Refusal::refused(format!("{spend}: {error}; nothing was charged")),
        _ => Refusal::bad_input(format!("{spend}: {error}")),
    };
    refusal.because(error)
}
