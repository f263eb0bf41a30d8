//! A number by Huber's loss: one training, as for classes.

use super::model::{about_noise, coefficients, without_noise};
use super::{NumberError, NumberJob};
use crate::promise::{promise_of_run, warning};
use discretion::erm::{Facts, Oracle};
use discretion::loss::LossKind;
use discretion::noise::Released;
use discretion::train::{Plan, TrainError, Training, huber};
use discretion_formats::{
    LambdaFrom, LedgerEntry, NumberFit, NumberModel, NumberTraining, Privacy, column_size,
};
use discretion_table::{NumberLoss, Schema};

/// How much smaller entries are in rows that have the outcome among their columns. λ and
/// coefficients are told for rows without.
pub(crate) fn shrinkage(schema: &Schema) -> f64 {
    let whole = schema.layout_with_outcome().0.columns();
    whole.iter().next().expect("a constant").size / column_size(schema)
}

pub(super) fn plan(job: &NumberJob, facts: Facts, outcome: usize) -> Result<Plan, TrainError> {
    let scale = shrinkage(&job.schema).powi(2);
    let lambda = job.lambda.map(|lambda| lambda * scale);
    let training =
        Training { loss: LossKind::Huber, lambda, method: job.method, budget: job.spend };
    training
        .plan(huber::facts(facts, outcome)?)
        .map_err(|error| on_the_users_scale(error, job.lambda, scale))
}

/// A refusal of λ names the λ that was written, and what it is compared with on the same scale.
fn on_the_users_scale(error: TrainError, written: Option<f64>, scale: f64) -> TrainError {
    let written = |lambda: f64| written.unwrap_or(lambda / scale);
    match error {
        TrainError::LambdaTooSmall { lambda, smallest, rows, budget } => {
            TrainError::LambdaTooSmall {
                lambda: written(lambda),
                smallest: smallest / scale,
                rows,
                budget,
            }
        }
        TrainError::Lambda(lambda) => TrainError::Lambda(written(lambda)),
        TrainError::LambdaPrecision(lambda) => TrainError::LambdaPrecision(written(lambda)),
        other => other,
    }
}

/// A model that left through the gate.
pub(super) fn model(
    job: &NumberJob,
    plan: &Plan,
    theta: &Released<Vec<f64>>,
    paid: Option<LedgerEntry>,
) -> Result<NumberModel, NumberError> {
    let privacy = promise_of_run(theta.provenance(), (plan.budget(), job.unit), paid.as_ref());
    let fitted = (plan.facts().rows, plan.lambda());
    let mut model = made(job, (warning(&privacy), privacy), about_noise(plan), fitted, theta)?;
    model.ledger = paid;
    Ok(model)
}

/// One without noise, for the custodian.
pub(super) fn not_private(job: &NumberJob, rows: &dyn Oracle) -> Result<NumberModel, NumberError> {
    let (_, outcome) = job.schema.layout_with_outcome();
    // A λ that is too small for noise is none without it.
    let lambda = match job.lambda {
        Some(lambda) => lambda * shrinkage(&job.schema).powi(2),
        None => plan(job, rows.facts(), outcome)?.lambda(),
    };
    let theta = huber::not_private(rows, outcome, lambda)?.into_inner();
    let (warning, privacy, noise) = without_noise(job.unit);
    made(job, (warning, privacy), noise, (rows.facts().rows, lambda), &theta)
}

/// Coefficients as a model file has them: for rows without their outcome.
pub(crate) fn told(schema: &Schema, theta: &[f64]) -> Vec<f64> {
    let shrinkage = shrinkage(schema);
    let theta: Vec<f64> = theta.iter().map(|coefficient| coefficient * shrinkage).collect();
    schema.encoder().monotone(&theta).to_vec()
}

fn made(
    job: &NumberJob,
    (warning, privacy): (Option<String>, Privacy),
    (released, noise): (usize, String),
    (rows, lambda): (usize, f64),
    theta: &[f64],
) -> Result<NumberModel, NumberError> {
    let (schema, shrinkage) = (&job.schema, shrinkage(&job.schema));
    let theta = told(schema, theta);
    let scale = schema.outcome_scale().expect("the outcome is a number");
    let training = NumberTraining {
        rows,
        dimension: theta.len(),
        loss: NumberLoss::Huber,
        lambda: lambda / shrinkage.powi(2),
        lambda_from: if job.lambda.is_some() { LambdaFrom::Study } else { LambdaFrom::Auto },
        released,
        noise,
    };
    let fit = NumberFit { of: scale.name(&schema.target().column), squares: None };
    let coefficients = coefficients(schema, &theta, scale, None)?;
    Ok(NumberModel::new(warning, privacy, training, (fit, coefficients), schema, None))
}
