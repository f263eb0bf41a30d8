//! Plans of studies whose curves may follow from public numbers.

use super::{Report, TrainingPlanRequest};
use crate::fit::settled_study;
use discretion::Refusal;

impl TrainingPlanRequest<'_> {
    /// The plan. No data is read. Every `curve = "auto"` is settled first.
    pub fn plan(&self) -> Result<Report, Refusal> {
        let settled = self
            .study
            .and_then(|study| settled_study(study, self.rows, self.budget.unwrap_or(study.spend)));
        let Some((study, said)) = settled else { return self.plan_settled() };
        let mut report = TrainingPlanRequest { study: Some(&study), ..*self }.plan_settled()?;
        report.more.push(("curves".to_owned(), said));
        Ok(report)
    }
}
