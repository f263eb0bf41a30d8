//! What a fit of classes cannot have yet, in one place for every command, page and estimator.

use super::{FitJob, refuse_unsettled};
use discretion::Refusal;
use discretion_table::{Lambda, Problem, Schema};

impl FitJob {
    /// Refuses for public reasons, before a row is read.
    pub fn check(&self) -> Result<(), Refusal> {
        let several = self.schema.target().labels.several().is_some();
        let refused = |problem: Problem| Refusal::bad_input(problem.to_string());
        if several {
            self.schema.only_everybody("a model of several classes").map_err(refused)?;
            if self.intervals.is_some() {
                return Err(refused(Problem::NotForClasses { what: "[intervals]" }));
            }
        }
        self.check_weights()
    }

    /// The same, of a schema that has all its curves.
    pub(super) fn check_settled(&self) -> Result<(), Refusal> {
        refuse_unsettled(&self.schema)?;
        self.check()
    }

    /// A score of rows with weights has another range than the proof of a private choice says.
    fn check_weights(&self) -> Result<(), Refusal> {
        match (&self.schema.cohort().weight, &self.model.lambda) {
            (Some(_), Lambda::Grid(_)) => Err(Refusal::bad_input(format!(
                "{}: lambda cannot be chosen from a list where rows have weights; write one number, or \"auto\"",
                self.lambda_at
            ))),
            _ => Ok(()),
        }
    }
}

/// Refuses private knots with what they do not know.
pub(super) fn check_knots(job: &FitJob) -> Result<(), Refusal> {
    let unknown = [
        (!job.unit.is_row(), "persons"),
        (!job.schema.cohort().is_everybody(), "cohorts and weights"),
        (job.schema.target().labels.several().is_some(), "several classes"),
    ];
    match unknown.into_iter().find(|(is_there, _)| *is_there) {
        Some((_, what)) => Err(Refusal::bad_input(format!(
            "knots = \"private\" does not know {what} yet; list knots, or give a number of them"
        ))),
        None => Ok(()),
    }
}

/// Refuses rows that are held out where not all count, or where persons have more than two classes, or a number.
pub(crate) fn check_held_out(schema: &Schema, is_of_persons: bool) -> Result<(), Refusal> {
    // Rows that are held out all count, and each as one.
    schema.only_everybody("[evaluate]").map_err(|problem| Refusal::bad_input(problem.to_string()))?;
    let is_of_two = schema.target().labels.several().is_none() && schema.outcome_scale().is_none();
    match is_of_persons && !is_of_two {
        true => Err(Refusal::bad_input(
            "[evaluate] does not know persons yet where the outcome has several classes or is a number; leave one of the two out"
                .to_owned(),
        )),
        false => Ok(()),
    }
}
