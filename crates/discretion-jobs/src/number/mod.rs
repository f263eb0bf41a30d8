//! The fit of a number: the moments of a table within one budget, and everything that follows from
//! them; or, by Huber's loss, coefficients alone.
//!
//! [`NumberJob`] and the rows with their outcome ([`discretion_table::read_stored`]) →
//! [`spend`](crate::spend) → a [`NumberModel`].

mod error;
pub(crate) mod huber;
mod knots;
pub(crate) mod loss;
mod model;
mod plain;
mod plan;

pub use error::NumberError;
pub use knots::NumberKnots;
pub use model::{at_level, not_private};
pub use plain::plain;
pub use plan::NumberPlan;

use crate::fit::AnyRows;
use crate::identity::{Settings, earlier};
use crate::job::Job;
use crate::stoppable::{Stoppable, unless_stopped};
use crate::support::{self, Features, features_of};
use discretion::Refusal;
use discretion::erm::Oracle;
use discretion::noise::{Noise, Released};
use discretion::privacy::account::Event;
use discretion::privacy::{Budget, Unit};
use discretion::squares::{self, Moments, Penalty, SquaresError};
use discretion::train::{self, Method};
use discretion_formats::{LedgerEntry, NumberModel, column_size};
use discretion_table::{Lambda, NumberLoss, Schema, Study};
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The level of intervals if the study says nothing.
const USUAL_LEVEL: f64 = 0.95;

/// What is to be fitted. Everything in it is public.
#[derive(Clone, Debug)]
pub struct NumberJob {
    /// What is declared about the table.
    pub schema: Schema,
    /// Whom the guarantee is about, and what the rows come grouped by.
    pub unit: Unit,
    /// What the run may use.
    pub spend: Budget,
    /// What is made small; nothing for what suits rows and budget.
    pub loss: Option<NumberLoss>,
    /// The mechanism, for Huber's loss.
    pub method: Method,
    /// λ: "auto", or a number.
    pub lambda: Option<f64>,
    /// The level of intervals.
    pub level: f64,
    /// Where λ was written, for messages.
    pub lambda_at: String,
    /// Ends the run at its next pass over the rows, once it is set.
    pub stop: Option<Arc<AtomicBool>>,
}

/// Every public number of a run.
#[derive(Clone, Debug, PartialEq)]
// One value in a run.
#[allow(clippy::large_enum_variant)]
pub enum Planned {
    /// Of least squares.
    Squares(squares::Plan),
    /// Of Huber's loss.
    Huber(train::Plan),
}

/// What leaves the rows.
pub enum NumberReleased {
    /// For least squares.
    Moments(Released<Moments>),
    /// Of Huber's loss.
    Coefficients(Released<Vec<f64>>),
}

impl NumberJob {
    /// What a study asks for, if its outcome is a number; or why it cannot be had.
    pub fn of(study: &Study) -> Result<Option<NumberJob>, Refusal> {
        if study.schema.outcome_scale().is_none() {
            return Ok(None);
        }
        support::check(&features_of(study, &[]))?;
        let lambda = match study.model.lambda {
            Lambda::Auto => None,
            Lambda::Fixed(lambda) => Some(lambda),
            Lambda::Grid(_) => unreachable!("a list was refused"),
        };
        Ok(Some(NumberJob {
            schema: study.schema.clone(),
            unit: study.schema.unit(),
            spend: study.spend,
            loss: loss::asked(study),
            method: study.model.method,
            lambda,
            level: study.intervals.as_ref().map_or(USUAL_LEVEL, |intervals| intervals.level),
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
    pub fn explain(&self, error: impl Into<NumberError>) -> Refusal {
        error.into().explained(&self.lambda_at)
    }
}

impl Job for NumberJob {
    const NAME: &'static str = "fit";
    const DOING: &'static str = "summing";
    type Rows = AnyRows;
    type Plan = Planned;
    type Released = NumberReleased;
    type Artefact = NumberModel;

    fn budget(&self) -> Budget {
        self.spend
    }

    fn with_budget(&self, spend: Budget) -> Option<NumberJob> {
        Some(NumberJob { spend, ..self.clone() })
    }

    fn unit(&self) -> Unit {
        self.unit
    }

    fn settings(&self) -> Option<Settings> {
        let Self { schema, spend, lambda, level, method, loss, .. } = self;
        // A loss looks at the method, or at the level, or it is not known yet which.
        let value = json!({
            "schema": schema,
            "budget": spend,
            "loss": loss.map_or(json!("auto"), |loss| json!(loss)),
            "lambda": lambda,
            "method": (*loss != Some(NumberLoss::Squares)).then_some(method),
            "level": (*loss != Some(NumberLoss::Huber)).then_some(level),
        });
        let schema = serde_json::to_string(schema).expect("a schema is plain data");
        let (spend, method) = (earlier::budget(*spend), earlier::method(*method));
        let earlier = match loss {
            Some(NumberLoss::Squares) => format!("{schema} {spend} {lambda:?} {level} squares"),
            Some(NumberLoss::Huber) => format!("{schema} {spend} {lambda:?} {method} huber"),
            None => format!("{schema} {spend} {lambda:?} {level} {method} auto"),
        };
        Some(Settings { value, earlier })
    }

    fn count(rows: &AnyRows) -> usize {
        rows.count()
    }

    fn plan(&self, rows: usize) -> Result<Planned, Refusal> {
        crate::fit::refuse_unsettled(&self.schema)?;
        support::check(&Features::of_number(self))?;
        if let Some(lambda) = self.lambda.filter(|lambda| !(*lambda > 0.0 && lambda.is_finite())) {
            return Err(self.explain(SquaresError::Lambda(lambda)));
        }
        loss::planned(self, rows).map_err(|error| self.explain(error))
    }

    fn event(&self, plan: &Planned) -> Event {
        match plan {
            Planned::Squares(plan) => plan.event(),
            Planned::Huber(plan) => plan.event(),
        }
    }

    fn notes(&self, plan: &Planned) -> Vec<String> {
        let looked_up = self.schema.from_rows();
        let from_rows = (!looked_up.is_empty()).then(|| {
            format!(
                "bounds or values of {} were looked up in the rows; the guarantee does not cover them, and the model file says so",
                looked_up.join(", ")
            )
        });
        from_rows.into_iter().chain(loss::about(self, plan)).collect()
    }

    fn run(
        &self,
        plan: &Planned,
        rows: &AnyRows,
        noise: &mut Noise,
    ) -> Result<NumberReleased, Refusal> {
        let rows = rows.all();
        let stoppable = self.stop.as_ref().map(|stop| Stoppable { rows, stop });
        let rows: &dyn Oracle = stoppable.as_ref().map_or(rows, |rows| rows);
        let released = match plan {
            Planned::Squares(plan) => {
                plan.run(rows, noise).map(NumberReleased::Moments).map_err(NumberError::from)
            }
            Planned::Huber(plan) => plan
                .fit_outcome(rows, self.schema.layout_with_outcome().1, noise)
                .map(NumberReleased::Coefficients)
                .map_err(NumberError::from),
        };
        unless_stopped(self.stop.as_ref())?;
        released.map_err(|error| self.explain(error))
    }

    fn artefact(
        &self,
        plan: &Planned,
        released: NumberReleased,
        paid: Option<LedgerEntry>,
    ) -> Result<NumberModel, Refusal> {
        let model = match (plan, released) {
            (Planned::Squares(plan), NumberReleased::Moments(moments)) => {
                model::model(self, plan, moments, paid).map_err(NumberError::from)
            }
            (Planned::Huber(plan), NumberReleased::Coefficients(theta)) => {
                huber::model(self, plan, &theta, paid)
            }
            _ => unreachable!("what is released is what was planned"),
        };
        model.map_err(|error| self.explain(error))
    }
}

#[cfg(test)]
mod remote_tests;
