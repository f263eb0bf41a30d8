//! What a fit of classes cannot have yet, in one place for every command, page and estimator.

use super::{FitJob, refuse_unsettled};
use discretion::Refusal;
use discretion::erm::matrix::Norm;
use discretion::loss::LossKind;
use discretion::train::Method;
use discretion_table::{Lambda, Problem, Schema};

impl FitJob {
    /// Refuses for public reasons, before a row is read.
    pub fn check(&self) -> Result<(), Refusal> {
        let several = self.schema.target().labels.several().is_some();
        let refused = |problem: Problem| Refusal::bad_input(problem.to_string());
        if several && self.intervals.as_ref().is_some_and(|settings| settings.split.is_some()) {
            return Err(refused(Problem::NotForClasses { what: "split in [intervals]" }));
        }
        if let Some(reference) =
            self.intervals.as_ref().and_then(|settings| settings.reference.as_ref())
        {
            self.schema.check_reference(reference).map_err(refused)?;
        }
        self.check_base_rate()?;
        self.check_weights()
    }

    /// The same, of a schema that has all its curves.
    pub(super) fn check_settled(&self) -> Result<(), Refusal> {
        refuse_unsettled(&self.schema)?;
        if self.base_rate {
            return Err(Refusal::bad_input(
                "base_rate = \"private\" is not known here; leave it out".to_owned(),
            ));
        }
        self.check()
    }

    /// What a penalty around a base rate does not know.
    fn check_base_rate(&self) -> Result<(), Refusal> {
        let reasons = [
            ("several classes", self.schema.target().labels.several().is_some()),
            ("a loss that is not logistic", self.model.loss != LossKind::Logistic),
            ("method = \"output\"", self.model.method == Method::Output),
            ("a list of lambda", matches!(self.model.lambda, Lambda::Grid(_))),
            ("[intervals]", self.intervals.is_some()),
            ("norm = \"row\"", self.schema.norm() == Norm::Row),
            ("a cohort or weights in [data]", !self.schema.cohort().is_everybody()),
        ];
        match reasons.into_iter().find(|(_, is_so)| self.base_rate && *is_so) {
            None => Ok(()),
            Some((what, _)) => Err(Refusal::bad_input(Problem::NoBaseRate { what }.to_string())),
        }
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

/// Refuses rows that are held out where not all count: those all count, and each as one.
pub(crate) fn check_held_out(schema: &Schema) -> Result<(), Refusal> {
    schema.only_everybody("[evaluate]").map_err(|problem| Refusal::bad_input(problem.to_string()))
}
