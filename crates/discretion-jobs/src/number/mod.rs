//! The fit of a number: the moments of a table within one budget, and everything that follows from them.
//!
//! [`NumberJob`] and the rows with their outcome ([`discretion_table::read_outcome`]) → [`spend`](crate::spend) → a
//! [`NumberModel`].

mod model;
mod plan;

pub use model::{at_level, not_private};
pub use plan::NumberPlan;

use crate::job::Job;
use crate::stoppable::{Stoppable, unless_stopped};
use discretion::Refusal;
use discretion::erm::Facts;
use discretion::erm::matrix::Matrix;
use discretion::noise::{Noise, Released};
use discretion::privacy::account::Event;
use discretion::privacy::{Budget, Unit};
use discretion::squares::{Moments, Penalty, Plan, SquaresError};
use discretion_formats::{LedgerEntry, NumberModel, column_size};
use discretion_table::{Lambda, Schema, Study};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The level of intervals if the study says nothing.
const USUAL_LEVEL: f64 = 0.95;

/// What is to be fitted. Everything in it is public.
#[derive(Clone, Debug)]
pub struct NumberJob {
    /// What is declared about the table.
    pub schema: Schema,
    /// What the run may use.
    pub spend: Budget,
    /// λ: "auto", or a number.
    pub lambda: Option<f64>,
    /// The level of intervals.
    pub level: f64,
    /// Where λ was written, for messages.
    pub lambda_at: String,
    /// Ends the run at its next pass over the rows, once it is set.
    pub stop: Option<Arc<AtomicBool>>,
}

impl NumberJob {
    /// What a study asks for, if its outcome is a number; or why it cannot be had yet.
    pub fn of(study: &Study) -> Result<Option<NumberJob>, Refusal> {
        if study.schema.outcome_scale().is_none() {
            return Ok(None);
        }
        let refuse = |what: &str| {
            let at = study.path.display();
            Err(Refusal::bad_input(format!("{at}: the outcome is a number, and {what}")))
        };
        if study.schema.unit() == Unit::Person {
            return refuse(
                "a number cannot be fitted yet where the guarantee is about a person; leave out person in [data]",
            );
        }
        for (is_there, table, why) in [
            (study.vote.is_some(), "vote", "votes are for classes"),
            (study.party.is_some(), "party", "holders cannot fit a number together yet"),
        ] {
            if is_there {
                return refuse(&format!("[{table}] is not for numbers: {why}; leave it out"));
            }
        }
        let lambda = match study.model.lambda {
            Lambda::Auto => None,
            Lambda::Fixed(lambda) => Some(lambda),
            Lambda::Grid(_) => {
                return refuse(
                    "no lambda has to be chosen from a list: one release serves every lambda; write one number, or \
                     \"auto\"",
                );
            }
        };
        Ok(Some(NumberJob {
            schema: study.schema.clone(),
            spend: study.spend,
            lambda,
            level: study.intervals.map_or(USUAL_LEVEL, |intervals| intervals.level),
            lambda_at: study.places.lambda.to_string(),
            stop: None,
        }))
    }

    /// The penalty, for columns of size 1.
    pub(crate) fn penalty(&self) -> Penalty {
        let size = column_size(&self.schema);
        self.lambda.map_or(Penalty::Auto, |lambda| Penalty::Fixed(lambda / (size * size)))
    }

    /// A refusal, as the user's or the machine's fault.
    pub fn explain(&self, error: SquaresError) -> Refusal {
        let refusal = match error {
            SquaresError::Noise(_) | SquaresError::Oracle(_) => {
                Refusal::refused(format!("{error}; nothing was released"))
            }
            _ => Refusal::bad_input(format!("{}: {error}", self.lambda_at)),
        };
        refusal.because(error)
    }
}

impl Job for NumberJob {
    const NAME: &'static str = "fit";
    const DOING: &'static str = "summing";
    type Rows = Matrix;
    type Plan = Plan;
    type Released = Released<Moments>;
    type Artefact = NumberModel;

    fn budget(&self) -> Budget {
        self.spend
    }

    fn settings(&self) -> Option<String> {
        let schema = serde_json::to_string(&self.schema).expect("a schema is plain data");
        let Self { spend, lambda, level, .. } = self;
        Some(format!("{schema} {spend:?} {lambda:?} {level} squares"))
    }

    fn count(rows: &Matrix) -> usize {
        rows.rows()
    }

    fn plan(&self, rows: usize) -> Result<Plan, Refusal> {
        if let Some(lambda) = self.lambda.filter(|lambda| !(*lambda > 0.0 && lambda.is_finite())) {
            return Err(self.explain(SquaresError::Lambda(lambda)));
        }
        let (layout, outcome) = self.schema.layout_with_outcome();
        Plan::new(self.spend, Facts::of_layout(rows, &layout), outcome).map_err(|error| self.explain(error))
    }

    fn event(&self, plan: &Plan) -> Event {
        plan.event()
    }

    fn notes(&self, _: &Plan) -> Vec<String> {
        let looked_up = self.schema.from_rows();
        let from_rows = (!looked_up.is_empty()).then(|| {
            format!(
                "bounds or values of {} were looked up in the rows; the guarantee does not cover them, and the model file says so",
                looked_up.join(", ")
            )
        });
        from_rows.into_iter().collect()
    }

    fn run(&self, plan: &Plan, rows: &Matrix, noise: &mut Noise) -> Result<Released<Moments>, Refusal> {
        let moments = match &self.stop {
            Some(stop) => plan.run(&Stoppable { rows, stop }, noise),
            None => plan.run(rows, noise),
        };
        unless_stopped(self.stop.as_ref())?;
        moments.map_err(|error| self.explain(error))
    }

    fn artefact(
        &self,
        plan: &Plan,
        moments: Released<Moments>,
        paid: Option<LedgerEntry>,
    ) -> Result<NumberModel, Refusal> {
        model::model(self, plan, moments, paid).map_err(|error| self.explain(error))
    }
}
