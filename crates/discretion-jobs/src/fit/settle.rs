//! Curves whose number of knots follows from public numbers, settled before a fit.

use super::{FitJob, StudyFit};
use crate::number::NumberJob;
use crate::watch::News;
use discretion::Refusal;
use discretion::privacy::Budget;
use discretion_table::{Schema, Study};

/// The study with every `curve = "auto"` settled for so many rows, or persons, and what was
/// settled; nothing if there is none.
pub fn settled_study(study: &Study, rows: usize, budget: Budget) -> Option<(Study, String)> {
    study.schema.has_auto_curves().then(|| {
        let (schema, knots) = study.schema.with_auto_curves(rows, budget);
        (Study { schema, ..study.clone() }, about(knots))
    })
}

/// The job with every such curve settled.
pub fn settled_job(job: &FitJob, rows: usize) -> FitJob {
    FitJob { schema: job.schema.with_auto_curves(rows, job.spend).0, ..job.clone() }
}

/// The same of a number.
pub fn settled_number(job: &NumberJob, rows: usize) -> NumberJob {
    NumberJob { schema: job.schema.with_auto_curves(rows, job.spend).0, ..job.clone() }
}

pub(crate) fn about(knots: Option<usize>) -> String {
    match knots {
        Some(knots) => {
            format!(
                "curve = \"auto\": {knots} knots, by the number of rows, of columns and the budget"
            )
        }
        None => {
            "curve = \"auto\": lines, because rows and budget are too small for curves".to_owned()
        }
    }
}

/// Refuses a schema of which it is not settled where curves bend.
pub(crate) fn refuse_unsettled(schema: &Schema) -> Result<(), Refusal> {
    match schema.unsettled() {
        None => Ok(()),
        Some((column, said)) => Err(Refusal::bad_input(format!(
            "column `{column}` has {said}, which is not known here; give a number of knots (curve = 8) or a list of them"
        ))),
    }
}

impl StudyFit<'_> {
    /// The study with such curves settled, after one pass that counts rows; nothing if there is
    /// none.
    pub fn settled(&self) -> Result<Option<Study>, Refusal> {
        if !self.study.schema.has_auto_curves() {
            return Ok(None);
        }
        Ok(self.settled_for(self.count()?))
    }

    /// The same for so many rows.
    pub(crate) fn settled_for(&self, rows: usize) -> Option<Study> {
        settled_study(self.study, rows, self.study.spend).map(|(study, said)| {
            self.watch.tell(News::Note(&said));
            study
        })
    }

    /// The same fit of another study.
    pub fn of_study<'s>(&'s self, study: &'s Study) -> StudyFit<'s> {
        StudyFit {
            study,
            folder: self.folder,
            ledger: self.ledger,
            seed: self.seed,
            consent: self.consent,
            existing: self.existing,
            reuse: self.reuse,
            memory: self.memory,
            accepted: self.accepted,
            stop: self.stop.clone(),
            watch: self.watch,
        }
    }
}
