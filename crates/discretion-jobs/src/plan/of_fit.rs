//! The plan of a fit, by the rules that the fit goes by.

use super::training::{LAMBDA_CHOSEN, Lines, Report};
use crate::fit::{AUTO_IS_BETTER, FitJob};
use crate::job::Job;
use discretion::Refusal;
use discretion::erm::Facts;
use discretion::fit::{FitError, TableFacts, TrainingPlan};
use discretion::privacy::account::Event;
use discretion::train::Training;
use discretion_report::numbers::plain::short;
use discretion_report::words;
use discretion_table::Lambda;

/// The plan of a fit on so many rows: it refuses what the fit would refuse for public reasons.
pub fn plan_of(job: &FitJob, rows: usize) -> Result<Report, Refusal> {
    let planned = job.plan(rows)?;
    let training = Training {
        loss: job.model.loss,
        lambda: match job.model.lambda {
            Lambda::Fixed(lambda) => Some(lambda),
            Lambda::Auto | Lambda::Grid(_) => None,
        },
        method: job.model.method,
        budget: job.spend,
    };
    let layout = job.schema.encoder().layout();
    let facts = Facts::of_layout(rows, &layout);
    let shown = training.plan(facts).map_err(|error| job.explain(error.into()))?;
    let more = beside_training(job, rows).map_err(|error| job.explain(error))?;
    let more = more.map_or_else(Vec::new, |(lines, _)| lines);
    Ok(Report::new(&shown, &training, planned.event(), &job.schema.encoder().column_names()).with(more))
}

/// What a job does beside training: how λ would be chosen, and what intervals would cost.
pub(super) fn beside_training(job: &FitJob, rows: usize) -> Result<Option<(Lines, Event)>, FitError> {
    let request = job.request();
    if request.validation().is_none() && request.intervals.is_none() {
        return Ok(None);
    }
    let layout = job.schema.encoder().layout();
    let validation = request.validation();
    let facts = TableFacts::of_layout(rows, &layout, validation);
    let plan = request.plan(facts)?;
    let mut lines = Vec::new();
    let mut say = |name: &str, value: String| lines.push((name.to_owned(), value));
    match plan.training() {
        TrainingPlan::Known(training) => say("training", training.budget().to_string()),
        TrainingPlan::Chosen(tuning) => {
            say(LAMBDA_CHOSEN, words::tuning_rule(tuning, job.tune.validation));
            say("why", tuning.why().to_owned());
            say("advice", AUTO_IS_BETTER.to_owned());
            for dropped in tuning.dropped() {
                say("left out", dropped.reason.to_string());
            }
        }
    }
    if let (Some(split), Some(_)) = (request.intervals, plan.matrices()) {
        let percent = |share: f64| format!("{} %", short(100.0 * share));
        let [training, hessian, covariance] =
            [split.training(), split.hessian(), split.covariance()].map(percent);
        say(
            "intervals",
            format!("{training} of the budget for training, {hessian} and {covariance} for two matrices"),
        );
    }
    Ok(Some((lines, plan.event())))
}
