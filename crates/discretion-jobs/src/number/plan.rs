//! What a fit of a number would release, before anything is read.

use super::huber::shrinkage;
use super::{NumberJob, NumberKnots, Planned, loss};
use crate::evaluate::{Evaluable, HeldOut, HeldOutNumber};
use crate::fit::{about_auto_curves, settled_number};
use crate::job::Job;
use discretion::Refusal;
use discretion::privacy::Unit;
use discretion_report::numbers::plain::{count, significant};
use discretion_report::words;
use discretion_table::NumberLoss;
use serde::Serialize;

/// The plan of a fit on so many rows: it refuses what the fit would refuse for public reasons.
#[derive(Clone, Debug, Serialize)]
pub struct NumberPlan {
    /// What is spent.
    pub budget: String,
    /// n, of rows or of persons.
    pub rows: usize,
    /// Which of the two.
    #[serde(skip_serializing_if = "Unit::is_row")]
    pub unit: Unit,
    /// d, of each outcome.
    pub coefficients: usize,
    /// How many outcomes there are, if there are several.
    #[serde(skip_serializing_if = "is_one")]
    pub outcomes: usize,
    /// What is made small.
    pub loss: NumberLoss,
    /// Why, if nobody chose; or why the other would predict better.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// How many sums are released with noise.
    pub released: usize,
    /// The law of their noise.
    pub noise: String,
    /// The standard deviation of the noise in the mean product of the constant with the outcome: in
    /// the mean of the outcome, in its unit or in that of its logarithm. Of least squares; of the
    /// first outcome.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean_deviation: Option<f64>,
    /// The same of further outcomes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub other_deviations: Vec<f64>,
    /// How far the noise moves a prediction, root mean square, in the same unit; and λ. Of Huber's
    /// loss.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected_error: Option<f64>,
    /// λ, where it is fixed beforehand.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lambda: Option<f64>,
    /// How many knots "auto" takes, and what private ones cost, if some curve says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub curves: Option<String>,
    /// How exactly rows that are held out will tell how good it is, a sentence each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub evaluation: Vec<String>,
}

fn is_one(outcomes: &usize) -> bool {
    *outcomes == 1
}

/// What is settled of its curves.
fn curves(job: &NumberJob, rows: usize) -> Option<String> {
    job.schema
        .has_auto_curves()
        .then(|| about_auto_curves(job.schema.with_auto_curves(rows, job.spend).1))
}

/// How many rows are held out, and what is said of it.
fn about_held_out<J: Evaluable>(
    job: &HeldOut<J>,
    rows: usize,
) -> Result<(usize, Vec<String>), Refusal>
where
    J::Rows: Sized,
{
    let plan = job.plan(rows)?;
    Ok((plan.held_out(), job.about_evaluation(&plan)))
}

impl NumberPlan {
    /// Of a job. Every `curve = "auto"` is settled first.
    pub fn of(job: &NumberJob, rows: usize) -> Result<NumberPlan, Refusal> {
        let curves = curves(job, rows);
        let job = &settled_number(job, rows);
        if let Some(knots) = NumberKnots::of(job.clone()) {
            let (fit, said) = knots.stand_in()?;
            let curves = Some(curves.into_iter().chain([said]).collect::<Vec<_>>().join("; "));
            return Ok(NumberPlan {
                budget: job.spend.to_string(),
                curves,
                ..NumberPlan::of(&fit, rows)?
            });
        }
        let plan = job.plan(rows)?;
        let why = loss::about(job, &plan);
        let scales = job.schema.outcome_scales();
        let scale = scales.first().expect("the outcome is a number");
        let budget = job.spend.to_string();
        Ok(match plan {
            Planned::Squares(plan) => NumberPlan {
                budget,
                rows,
                unit: job.unit,
                coefficients: plan.facts().dimension - scales.len(),
                outcomes: scales.len(),
                loss: NumberLoss::Squares,
                why,
                released: plan.numbers(),
                noise: words::matrix_noise(plan.noise()),
                mean_deviation: Some(plan.mean_deviation() * scale.unit()),
                other_deviations: scales[1..]
                    .iter()
                    .map(|s| plan.mean_deviation() * s.unit())
                    .collect(),
                expected_error: None,
                lambda: None,
                curves,
                evaluation: Vec::new(),
            },
            Planned::Huber(plan) => NumberPlan {
                budget,
                rows,
                unit: job.unit,
                coefficients: plan.facts().dimension,
                outcomes: 1,
                loss: NumberLoss::Huber,
                why,
                released: plan.facts().dimension,
                noise: words::candidate(plan.chosen()),
                mean_deviation: None,
                other_deviations: Vec::new(),
                expected_error: Some(plan.chosen().expected_error() * scale.unit()),
                lambda: Some(plan.lambda() / shrinkage(&job.schema).powi(2)),
                curves,
                evaluation: Vec::new(),
            },
        })
    }

    /// Of a job that holds rows out.
    pub fn holding_out(job: &HeldOutNumber, rows: usize) -> Result<NumberPlan, Refusal> {
        let curves = curves(job.fit(), rows);
        let job = &job.with_fit(settled_number(job.fit(), rows));
        let (held_out, evaluation) = match NumberKnots::of(job.fit().clone()) {
            Some(knots) => about_held_out(&job.with_fit(knots), rows)?,
            None => about_held_out(job, rows)?,
        };
        let of_fit = NumberPlan::of(job.fit(), rows - held_out)?;
        // Curves that are settled by all rows are said here, knots by the fit.
        let curves = [curves, of_fit.curves.clone()].into_iter().flatten().collect::<Vec<_>>();
        let curves = (!curves.is_empty()).then(|| curves.join("; "));
        Ok(NumberPlan { rows, curves, evaluation, ..of_fit })
    }

    /// For people.
    pub fn text(&self) -> String {
        let mut lines = vec![
            ("budget", self.budget.clone()),
            (self.unit.plural(), count(self.rows)),
            (
                "coefficients",
                match self.outcomes {
                    1 => count(self.coefficients),
                    several => {
                        format!("{} for each of {several} outcomes", count(self.coefficients))
                    }
                },
            ),
        ];
        lines.push(("loss", words::number_loss(self.loss).to_owned()));
        lines.extend(self.why.iter().map(|why| ("", why.clone())));
        if let Some(deviation) = self.mean_deviation {
            let released = format!("{} sums; their noise is {}", count(self.released), self.noise);
            lines.push(("released", released));
            let each = std::iter::once(&deviation).chain(&self.other_deviations);
            let each: Vec<String> =
                each.map(|deviation| format!("± {}", significant(*deviation, 3))).collect();
            let of = if each.len() == 1 { "the outcome" } else { "each outcome" };
            lines.push(("exactness", format!("{} in the mean of {of}", each.join(", "))));
            lines.push(("lambda", "any afterwards, for nothing".to_owned()));
        }
        if let Some(error) = self.expected_error {
            lines.push(("released", format!("the coefficients, by {}", self.noise)));
            lines.push((
                "exactness",
                format!("± {} in a prediction, expected", significant(error, 3)),
            ));
        }
        lines.extend(self.lambda.map(|lambda| ("lambda", significant(lambda, 4))));
        lines.extend(self.curves.iter().map(|said| ("curves", said.clone())));
        lines.extend(self.evaluation.iter().map(|sentence| ("evaluation", sentence.clone())));
        lines.into_iter().map(|(name, value)| format!("{name:<14}{value}\n")).collect()
    }

    /// For machines.
    pub fn json(&self) -> String {
        serde_json::to_string_pretty(self).expect("a plan is plain data") + "\n"
    }
}
