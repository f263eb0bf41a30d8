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
    if job.schema.cohort().is_everybody() {
        return Ok(());
    }
    let sentence =
        "knots = \"private\" does not know cohorts and weights yet; list knots, or give a number of them";
    Err(Refusal::bad_input(sentence.to_owned()))
}

/// Refuses rows that are held out where not all count: those all count, and each as one.
pub(crate) fn check_held_out(schema: &Schema) -> Result<(), Refusal> {
    schema.only_everybody("[evaluate]").map_err(|problem| Refusal::bad_input(problem.to_string()))
}
