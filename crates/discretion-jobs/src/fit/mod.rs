//! The fit of a table: λ, coefficients and intervals of a linear model within one budget.
//!
//! [`FitJob`] (what is wanted) and [`FitRows`] (the table, as the job needs it) →
//! [`spend`](crate::spend) → a [`Model`].

#[cfg(test)]
mod cluster_tests;
mod contrasts;
mod files;
mod knots;
mod model;
mod reading;
pub mod remote;
pub mod remote_persons;
pub mod remote_piece;
mod row_split;
mod rows;
mod settle;
mod two_steps;
mod whole;

pub use files::{FitFiles, page_of};
pub use knots::knots_without_noise;
pub(crate) use knots::{about_knots, planned_knots, released_ends};
pub(crate) use model::with_intervals;
pub use model::{at_level, not_private, plain, with_exact_intervals};
pub use row_split::{RowPlaces, RowSplit};
pub use rows::{AnyRows, FitRows};
pub(crate) use settle::about as about_auto_curves;
pub(crate) use settle::refuse_unsettled;
pub use settle::{settled_job, settled_number, settled_study};
pub use two_steps::TwoStepFit;
pub use whole::{Chosen, StudyFit};

use crate::identity::{self, Settings, earlier};
use crate::job::Job;
use crate::request;
use crate::stoppable::unless_stopped;
use crate::support::{self, Features};
use discretion::Refusal;
use discretion::choose::split;
use discretion::erm::matrix::Norm;
use discretion::fit::{self, Choosing, FitError, Fitted, Plan, Request, TableFacts, TrainingPlan};
use discretion::interval::{Split, WIDEST};
use discretion::noise::Noise;
use discretion::privacy::account::Event;
use discretion::privacy::{Budget, Unit};
use discretion::tune::{RejectedLambda, TuningError};
use discretion_formats::{LedgerEntry, Model};
use discretion_table::{
    Column, IntervalSettings, Kind, Lambda, ModelSettings, Schema, Study, TuneSettings,
    names_an_identifier,
};
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// What is to be fitted. Everything in it is public.
#[derive(Clone, Debug)]
pub struct FitJob {
    /// What is declared about the table.
    pub schema: Schema,
    /// Whom the guarantee is about, and what the rows come grouped by.
    pub unit: Unit,
    /// What the run may use.
    pub spend: Budget,
    /// Loss, λ and method.
    pub model: ModelSettings,
    /// Whether the base rate is released first, and the penalty is around it.
    pub base_rate: bool,
    /// How λ is chosen, if it is a list.
    pub tune: TuneSettings,
    /// Intervals, if asked for.
    pub intervals: Option<IntervalSettings>,
    /// Where λ was written, for messages.
    pub lambda_at: String,
    /// Ends the run at its next pass over the rows, once it is set.
    pub stop: Option<Arc<AtomicBool>>,
}

/// More intervals than this nobody reads.
const MOST_INTERVALS: usize = 1000;

impl FitJob {
    /// What a study asks for.
    pub fn of(study: &Study) -> FitJob {
        FitJob {
            schema: study.schema.clone(),
            unit: study.schema.unit(),
            spend: study.spend,
            model: study.model.clone(),
            base_rate: study.base_rate,
            tune: study.tune,
            intervals: study.intervals.clone(),
            lambda_at: study.places.lambda.to_string(),
            stop: None,
        }
    }

    /// The same, as the mathematics knows it.
    pub fn request(&self) -> Request {
        Request {
            loss: self.model.loss,
            lambda: match &self.model.lambda {
                Lambda::Auto => fit::Lambda::Auto,
                &Lambda::Fixed(lambda) => fit::Lambda::Fixed(lambda),
                Lambda::Grid(lambdas) => {
                    let TuneSettings { share, validation, score, rule } = self.tune;
                    fit::Lambda::Chosen(Choosing {
                        lambdas: lambdas.clone(),
                        share,
                        validation,
                        score,
                        rule,
                    })
                }
            },
            method: self.model.method,
            budget: self.spend,
            intervals: self.split(),
        }
    }

    /// The public facts of so many rows, as a request needs them.
    pub(crate) fn facts(&self, rows: usize, request: &Request) -> TableFacts {
        let layout = self.schema.encoder().layout();
        let several = self.schema.target().labels.several();
        let facts = match request.needs_parts(several.is_some()) {
            true => TableFacts::in_parts(self.unit, rows, &layout),
            false => TableFacts::of_units(self.unit, rows, &layout, request.validation()),
        };
        match several {
            None => facts,
            Some(classes) => facts.of_classes(classes),
        }
    }

    /// How the budget is split, if intervals are asked for.
    pub fn split(&self) -> Option<Split> {
        let shape_is_known = self.schema.norm() == Norm::Scale;
        self.intervals.as_ref().map(|settings| {
            settings
                .split
                .unwrap_or_else(|| Split::usual(self.model.loss, shape_is_known, self.spend))
        })
    }
}

impl FitJob {
    /// Asks whether a dropped column says whose a row is, if its name suggests it.
    fn whose(&self) -> Option<String> {
        let is_suspect =
            |column: &&Column| column.kind == Kind::Dropped && names_an_identifier(&column.name);
        let column =
            self.schema.columns().iter().find(is_suspect).filter(|_| self.unit.is_row())?;
        Some(format!(
            "the guarantee is about a row. If a person may have several rows, let the dropped column {name:?} say whose each is: \
             person = {name:?} in [data]",
            name = column.name
        ))
    }

    /// Intervals of very many coefficients are computed for columns that somebody named.
    fn check_width(&self, dimension: usize) -> Result<(), Refusal> {
        let has_matrices = self.schema.target().labels.several().is_none();
        let are_all = has_matrices
            && self.intervals.as_ref().is_some_and(|settings| settings.columns.is_none());
        if !are_all || dimension <= MOST_INTERVALS {
            return Ok(());
        }
        Err(Refusal::bad_input(format!(
            "intervals of all columns are available for up to {MOST_INTERVALS} coefficients, and this model has {dimension}; name the \
             columns that need them, with columns = [\"…\"] in [intervals] (up to {WIDEST} coefficients), or merge categories"
        )))
    }

    /// Refuses for public reasons, before a row is read.
    pub(crate) fn check(&self) -> Result<(), Refusal> {
        support::check(&Features::of_fit(self))?;
        let settings = self.intervals.as_ref();
        match settings.and_then(|settings| settings.reference.as_ref()) {
            Some(reference) => self
                .schema
                .check_reference(reference)
                .map_err(|problem| Refusal::bad_input(problem.to_string())),
            None => Ok(()),
        }
    }

    /// A refusal to fit, as the user's or the machine's fault.
    pub fn explain(&self, error: FitError) -> Refusal {
        request::explain(error, &self.lambda_at)
    }
}

impl Job for FitJob {
    const NAME: &'static str = "fit";
    const DOING: &'static str = "training";
    type Rows = FitRows;
    type Plan = Plan;
    type Released = Fitted;
    type Artefact = Model;

    fn budget(&self) -> Budget {
        self.spend
    }

    fn with_budget(&self, spend: Budget) -> Option<FitJob> {
        Some(FitJob { spend, ..self.clone() })
    }

    fn unit(&self) -> Unit {
        self.unit
    }

    fn settings(&self) -> Option<Settings> {
        // `unit` is named beside the settings, and where something is written or stopped decides
        // nothing.
        let Self {
            schema,
            spend,
            model,
            base_rate,
            tune,
            intervals,
            unit: _,
            lambda_at: _,
            stop: _,
        } = self;
        let ModelSettings { loss, lambda, method } = model;
        let TuneSettings { share, validation, score, rule } = tune;
        let value = json!({
            "schema": schema,
            "budget": spend,
            "loss": loss,
            "lambda": lambda,
            "method": method,
            "base rate": base_rate,
            "tune": { "share": share, "validation": validation, "score": score, "rule": rule },
            "intervals": intervals.as_ref().map(identity::intervals),
        });
        let schema = serde_json::to_string(schema).expect("a schema is plain data");
        let first = if *base_rate { " around a base rate" } else { "" };
        let earlier = format!(
            "{schema} {} {} {} {}{first}",
            earlier::budget(*spend),
            earlier::model(model),
            earlier::tune(tune),
            earlier::intervals(intervals.as_ref())
        );
        Some(Settings { value, earlier })
    }

    fn count(rows: &FitRows) -> usize {
        rows.all().facts().rows
    }

    fn plan(&self, rows: usize) -> Result<Plan, Refusal> {
        refuse_unsettled(&self.schema)?;
        if self.base_rate {
            return Err(Refusal::bad_input(
                "base_rate = \"private\" is not known here; leave it out".to_owned(),
            ));
        }
        self.check()?;
        let request = self.request();
        let facts = self.facts(rows, &request);
        self.check_width(facts.all().dimension)?;
        check_rows(rows, &request)
            .and_then(|()| request.plan(facts))
            .map_err(|error| self.explain(error))
    }

    fn event(&self, plan: &Plan) -> Event {
        plan.event()
    }

    fn notes(&self, plan: &Plan) -> Vec<String> {
        let looked_up = self.schema.from_rows();
        let from_rows = (!looked_up.is_empty()).then(|| {
            format!(
                "bounds or values of {} were looked up in the rows; the guarantee does not cover them, and the model file says so",
                looked_up.join(", ")
            )
        });
        choosing(plan)
            .into_iter()
            .chain(left_out(plan))
            .chain(from_rows)
            .chain(self.whose())
            .collect()
    }

    fn run(&self, plan: &Plan, rows: &FitRows, noise: &mut Noise) -> Result<Fitted, Refusal> {
        let fitted = match &self.stop {
            Some(stop) => rows.run_until(stop, plan, noise),
            None => rows.run(plan, noise),
        };
        unless_stopped(self.stop.as_ref())?;
        fitted.map_err(|error| self.explain(error))
    }

    fn artefact(
        &self,
        plan: &Plan,
        fitted: Fitted,
        paid: Option<LedgerEntry>,
    ) -> Result<Model, Refusal> {
        model::model(&fitted, self, plan, paid).map_err(|error| self.explain(error.into()))
    }
}

/// What a choice from a list is expected to be worth. A plan says it, and a fit before it is paid
/// for.
pub(crate) const AUTO_IS_BETTER: &str = "lambda = \"auto\" is expected to do better than a private choice from a \
                                         list, and is faster; choose if you know that it does badly on tables like yours";

fn choosing(plan: &Plan) -> Option<String> {
    let TrainingPlan::Chosen(_) = plan.training() else { return None };
    Some(AUTO_IS_BETTER.to_owned())
}

/// Values of λ that the budget cannot pay for, which public numbers tell: a sentence for each.
fn left_out(plan: &Plan) -> Vec<String> {
    match plan.training() {
        TrainingPlan::Chosen(tuning) => {
            let sentence =
                |dropped: &RejectedLambda| format!("left out of the list: {}", dropped.reason);
            tuning.dropped().iter().map(sentence).collect()
        }
        TrainingPlan::Known(_) | TrainingPlan::Parts(_) => Vec::new(),
    }
}

/// Refuses a table of which no row would be left to train or to validate.
pub fn check_rows(rows: usize, request: &Request) -> Result<(), FitError> {
    let Some(share) = request.validation() else { return Ok(()) };
    let validation = split::validation_rows(rows, share);
    let training = rows - validation;
    match training == 0 || validation == 0 {
        true => Err(TuningError::TooFewRows { share, training, validation }.into()),
        false => Ok(()),
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use discretion::erm::matrix::{Batch, Matrix};
    use discretion::noise::Seeded;
    use std::path::Path;
    use std::sync::atomic::AtomicBool;

    pub(crate) fn job(lambda: &str, more: &str) -> FitJob {
        let text = format!(
            "[data]\npath = \"t.csv\"\naccount = \"a\"\ntarget = \"y\"\npositive = \"1\"\nnegative = \"0\"\n[budget]\nepsilon = 9\n[spend]\nepsilon = 9\n\
             [columns]\nx = {{ min = -1, max = 1 }}\n[model]\nlambda = {lambda}\n{more}"
        );
        FitJob::of(&Study::parse(Path::new("study.toml"), &text).unwrap())
    }

    fn matrix(job: &FitJob) -> Matrix {
        let mut matrix = Matrix::new(job.schema.encoder().layout());
        let numeric: Vec<f32> = (0..4000).map(|row| (row % 17) as f32 / 30.0 - 0.3).collect();
        let positive = numeric.iter().map(|&x| x > 0.0).collect();
        matrix.push(Batch { numeric, codes: Vec::new(), positive });
        matrix
    }

    #[test]
    fn a_run_that_may_be_stopped_is_the_same_run_until_it_is() {
        for lambda in ["0.01", "[0.01, 0.1]"] {
            let job = job(lambda, "");
            let request = job.request();
            let rows = FitRows::new(matrix(&job), &request).unwrap();
            let plan = rows.plan(&request).unwrap();
            let run =
                |stop: bool| rows.run_until(&AtomicBool::new(stop), &plan, &mut Seeded::new(1));
            let plain = rows.run(&plan, &mut Seeded::new(1)).unwrap();
            assert_eq!(*run(false).unwrap().coefficients, *plain.coefficients, "lambda = {lambda}");
            let Err(stopped) = run(true) else { panic!("it was stopped before its first pass") };
            assert!(stopped.to_string().contains("the run was stopped"), "{stopped}");
        }
    }
}
