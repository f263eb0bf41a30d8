//! Rows that a holder holds out, and what all of them say together.

use crate::evaluate::{Groups, Scorer, counted_facts, expected_range};
use discretion::Refusal;
use discretion::erm::AskOracle;
use discretion::erm::matrix::Rows;
use discretion::joint::{CountsPlan, Plan};
use discretion::loss::LossKind;
use discretion::noise::Released;
use discretion::quality::{AnyTally, Counting, Tally};
use discretion_formats::ModelQuality;
use discretion_table::{EvaluateSettings, Schema};

/// The rows that one holder holds out. They are the custodian's.
pub struct HeldOutCounts {
    about: JointEvaluation,
    rows: Rows<'static>,
}

/// What everybody knows of an evaluation by several holders.
#[derive(Clone, Debug)]
pub struct JointEvaluation {
    schema: Schema,
    loss: LossKind,
    groups: Groups,
}

impl JointEvaluation {
    /// Checks what `[evaluate]` says.
    pub fn new(
        schema: &Schema,
        loss: LossKind,
        settings: &EvaluateSettings,
    ) -> Result<JointEvaluation, Refusal> {
        let groups = Groups::by(schema, settings.by.as_deref())?;
        Ok(JointEvaluation { schema: schema.clone(), loss, groups })
    }

    /// How many groups are counted apart.
    pub fn groups(&self) -> usize {
        self.groups.len()
    }

    /// What counts that were released say of a model.
    pub(super) fn facts(
        &self,
        plan: &Plan,
        theta: &[f64],
        sum: &Released<Vec<f64>>,
    ) -> Option<ModelQuality> {
        let scorer = Scorer::of_classes(&self.schema, theta, self.loss);
        let counts = plan.counts()?.counts(expected_range(&scorer), sum);
        Some(counted_facts(&counts, &scorer, &self.schema, &self.groups, plan.holders().unit()))
    }
}

impl HeldOutCounts {
    /// Of these rows, of which each unit has one.
    pub fn new(about: JointEvaluation, rows: impl Into<Rows<'static>>) -> HeldOutCounts {
        HeldOutCounts { about, rows: rows.into() }
    }

    /// The rows, by what a released model says of them.
    pub fn tally(&self, plan: &CountsPlan, theta: &[f64]) -> Tally {
        let JointEvaluation { schema, loss, groups } = &self.about;
        let scorer = Scorer::of_classes(schema, theta, *loss);
        let grid = plan.tally(expected_range(&scorer)).grid().clone();
        match self.rows.scores(&scorer.scoring(Counting::Two(grid), groups)) {
            Ok(AnyTally::Two(tally)) => tally,
            _ => unreachable!("rows in memory are of the two classes that were agreed on"),
        }
    }
}
