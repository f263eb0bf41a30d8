//! The plan of a fit, by the rules that the fit goes by.

use super::training::{LAMBDA_CHOSEN, Lines, Report};
use crate::evaluate::{Evaluable, HeldOut, HeldOutFit};
use crate::fit::{AUTO_IS_BETTER, FitJob, TwoStepFit, settled_job};
use crate::job::Job;
use discretion::Refusal;
use discretion::erm::Facts;
use discretion::fit::{self, Request, TrainingPlan};
use discretion::interval::Matrices;
use discretion::privacy::Budget;
use discretion::privacy::account::Event;
use discretion::train::{self, Training};
use discretion_formats::LambdaFrom;
use discretion_report::numbers::plain::short;
use discretion_report::words;
use discretion_table::Lambda;

/// The plan of a fit on so many rows: it refuses what the fit would refuse for public reasons.
pub fn plan_of(job: &FitJob, rows: usize) -> Result<Report, Refusal> {
    let job = &settled_job(job, rows);
    let whole = WholeFit::of(job, rows)?;
    Ok(Report::new(&whole, (job.spend, job.model.method), &job.schema.encoder().column_names()))
}

/// The same of a fit that holds rows out.
pub fn plan_holding_out(job: &HeldOutFit, rows: usize) -> Result<Report, Refusal> {
    let job = &job.with_fit(settled_job(job.fit(), rows));
    let (whole, fit) = (WholeFit::holding_out(job, rows)?, job.fit());
    Ok(Report::new(&whole, (fit.spend, fit.model.method), &fit.schema.encoder().column_names()))
}

/// A fit with all that it does beside training.
pub(super) struct WholeFit {
    /// The training with its part of the budget: what it will be or, where λ is chosen while the
    /// job runs, what it would be with "auto".
    pub shown: train::Plan,
    /// How many rows there are in all, where what is shown is one part of them.
    pub in_parts: Option<usize>,
    pub lambda_from: LambdaFrom,
    /// What "auto" would take.
    pub auto_lambda: f64,
    /// How λ would be chosen, and what intervals would cost.
    pub more: Lines,
    /// What the ledger would be told.
    pub event: Event,
}

impl WholeFit {
    /// What a job would do with so many rows.
    pub fn of(job: &FitJob, rows: usize) -> Result<WholeFit, Refusal> {
        if let Some(knots) = TwoStepFit::of(job.clone()) {
            return WholeFit::in_two_steps(&knots, rows);
        }
        let plan = job.plan(rows)?;
        let auto = with_auto(job, rows)?;
        let auto_lambda = auto.lambda();
        let shown = match plan.training() {
            TrainingPlan::Known(training) => (**training).clone(),
            TrainingPlan::Chosen(_) => auto,
            TrainingPlan::Parts(parts) => parts.of_a_part().clone(),
        };
        let lambda_from = match job.model.lambda {
            Lambda::Auto => LambdaFrom::Auto,
            Lambda::Fixed(_) => LambdaFrom::Study,
            Lambda::Grid(_) => LambdaFrom::Chosen,
        };
        let more = beside_training(job, &plan);
        let in_parts = match plan.training() {
            TrainingPlan::Parts(parts) => Some(parts.rows()),
            TrainingPlan::Known(_) | TrainingPlan::Chosen(_) => None,
        };
        Ok(WholeFit { shown, in_parts, lambda_from, auto_lambda, more, event: plan.event() })
    }

    /// The same, with rows held out that tell how good the model is.
    pub fn holding_out(job: &HeldOutFit, rows: usize) -> Result<WholeFit, Refusal> {
        match TwoStepFit::of(job.fit().clone()) {
            Some(knots) => WholeFit::beside(&job.with_fit(knots), rows, WholeFit::in_two_steps),
            None => WholeFit::beside(job, rows, WholeFit::of),
        }
    }

    fn beside<J: Evaluable>(
        job: &HeldOut<J>,
        rows: usize,
        of_fit: impl FnOnce(&J, usize) -> Result<WholeFit, Refusal>,
    ) -> Result<WholeFit, Refusal>
    where
        J::Rows: Sized,
    {
        let plan = job.plan(rows)?;
        let mut whole = of_fit(job.fit(), rows - plan.held_out())?;
        let said = job.about_evaluation(&plan);
        whole.more.extend(said.into_iter().map(|sentence| ("evaluation".to_owned(), sentence)));
        whole.event = job.event(&plan);
        Ok(whole)
    }

    /// The same, with what is released before the training.
    fn in_two_steps(job: &TwoStepFit, rows: usize) -> Result<WholeFit, Refusal> {
        let plan = job.plan(rows)?;
        let mut whole = WholeFit::of(&job.stand_in(rows)?, rows)?;
        if let TrainingPlan::Known(training) = plan.fit().training() {
            whole.shown = (**training).clone();
        }
        whole
            .more
            .extend(job.about_first(&plan).into_iter().map(|(name, said)| (name.to_owned(), said)));
        whole.lambda_from = job.lambda_from();
        whole.event = job.event(&plan);
        Ok(whole)
    }

    /// Training alone.
    pub fn of_training(training: &Training, facts: Facts) -> Result<WholeFit, train::TrainError> {
        let shown = training.plan(facts)?;
        let lambda_from =
            if training.lambda.is_some() { LambdaFrom::Study } else { LambdaFrom::Auto };
        let auto_lambda = train::auto_lambda(shown.facts(), shown.loss(), shown.budget())?;
        let more = Vec::new();
        Ok(WholeFit { in_parts: None, lambda_from, auto_lambda, more, event: shown.event(), shown })
    }
}

/// What "auto" would do in place of a list. Where it leaves too little for intervals, it is shown
/// without them.
fn with_auto(job: &FitJob, rows: usize) -> Result<train::Plan, Refusal> {
    let auto = Request { lambda: fit::Lambda::Auto, ..job.request() };
    let facts = job.facts(rows, &auto);
    match auto.plan(facts.clone()).as_ref().map(fit::Plan::training) {
        Ok(TrainingPlan::Known(training)) => return Ok((**training).clone()),
        Ok(TrainingPlan::Parts(parts)) => return Ok(parts.of_a_part().clone()),
        Ok(TrainingPlan::Chosen(_)) | Err(_) => {}
    }
    let Request { loss, method, budget, .. } = auto;
    let training = Training { loss, lambda: None, method, budget };
    training.plan(facts.all().clone()).map_err(|error| job.explain(error.into()))
}

fn beside_training(job: &FitJob, plan: &fit::Plan) -> Lines {
    let mut lines = Vec::new();
    let mut say = |name: &str, value: String| lines.push((name.to_owned(), value));
    match plan.training() {
        TrainingPlan::Known(training) if plan.matrices().is_some() => {
            say("training", training.budget().to_string());
        }
        TrainingPlan::Known(_) => {}
        TrainingPlan::Parts(parts) => say("intervals", words::in_parts(parts.rows(), job.unit)),
        TrainingPlan::Chosen(tuning) => {
            say(LAMBDA_CHOSEN, words::tuning_rule(tuning, job.tune.validation));
            say("why", tuning.why().to_owned());
            say("advice", AUTO_IS_BETTER.to_owned());
            for dropped in tuning.dropped() {
                say("left out", dropped.reason.to_string());
            }
        }
    }
    if let (Some(split), Some(matrices)) = (job.split(), plan.matrices()) {
        let percent = |share: f64| format!("{} %", short(100.0 * share));
        let training = percent(split.training());
        let others = match matrices {
            Matrices::OfRows(_) => {
                format!("{} for the second moments of the rows", percent(1.0 - split.training()))
            }
            Matrices::OfGradients { .. } => {
                let [hessian, covariance] = [split.hessian(), split.covariance()].map(percent);
                format!("{hessian} and {covariance} for two matrices")
            }
        };
        say("intervals", format!("{training} of the budget for training, {others}"));
        if let (Matrices::OfRows(_), Budget::Pure { .. }) = (matrices, plan.budget()) {
            let rows = match plan.training() {
                TrainingPlan::Known(training) => training.facts().rows,
                TrainingPlan::Chosen(tuning) => tuning.facts().all.rows,
                TrainingPlan::Parts(parts) => parts.rows(),
            };
            say("rough", words::rough(rows));
        }
    }
    lines
}
