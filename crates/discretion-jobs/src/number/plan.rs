//! What a fit of a number would release, before anything is read.

use super::NumberJob;
use crate::evaluate::HeldOutNumber;
use crate::job::Job;
use discretion::Refusal;
use discretion_report::numbers::plain::{count, significant};
use discretion_report::words;
use serde::Serialize;

/// The plan of a fit on so many rows: it refuses what the fit would refuse for public reasons.
#[derive(Clone, Debug, Serialize)]
pub struct NumberPlan {
    /// What is spent.
    pub budget: String,
    /// n.
    pub rows: usize,
    /// d.
    pub coefficients: usize,
    /// How many sums are released with noise.
    pub released: usize,
    /// The law of their noise.
    pub noise: String,
    /// The standard deviation of the noise in the mean product of the constant with the outcome: in the mean of the outcome, in its
    /// unit or in that of its logarithm.
    pub mean_deviation: f64,
    /// How exactly rows that are held out will tell how good it is, a sentence each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub evaluation: Vec<String>,
}

impl NumberPlan {
    /// Of a job.
    pub fn of(job: &NumberJob, rows: usize) -> Result<NumberPlan, Refusal> {
        let plan = job.plan(rows)?;
        let scale = job.schema.outcome_scale().expect("the outcome is a number");
        Ok(NumberPlan {
            budget: job.spend.to_string(),
            rows,
            coefficients: plan.facts().dimension - 1,
            released: plan.numbers(),
            noise: words::matrix_noise(plan.noise()),
            mean_deviation: plan.mean_deviation() * scale.unit(),
            evaluation: Vec::new(),
        })
    }

    /// Of a job that holds rows out.
    pub fn holding_out(job: &HeldOutNumber, rows: usize) -> Result<NumberPlan, Refusal> {
        let plan = job.plan(rows)?;
        let of_fit = NumberPlan::of(job.fit(), rows - plan.held_out())?;
        Ok(NumberPlan { rows, evaluation: job.about_evaluation(&plan), ..of_fit })
    }

    /// For people.
    pub fn text(&self) -> String {
        let lines = [
            ("budget", self.budget.clone()),
            ("rows", count(self.rows)),
            ("coefficients", count(self.coefficients)),
            ("released", format!("{} sums; their noise is {}", count(self.released), self.noise)),
            ("exactness", format!("± {} in the mean of the outcome", significant(self.mean_deviation, 3))),
            ("lambda", "any afterwards, for nothing".to_owned()),
        ];
        let evaluation = self.evaluation.iter().map(|sentence| ("evaluation", sentence.clone()));
        let lines = lines.into_iter().chain(evaluation);
        lines.map(|(name, value)| format!("{name:<14}{value}\n")).collect()
    }

    /// For machines.
    pub fn json(&self) -> String {
        serde_json::to_string_pretty(self).expect("a plan is plain data") + "\n"
    }
}
