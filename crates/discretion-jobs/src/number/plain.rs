//! Ordinary least squares with robust errors, for the custodian's comparison.

use super::model::{coefficients, made, without_noise};
use super::{NumberError, NumberJob, huber};
use crate::fit::AnyRows;
use crate::plain::{reference_names, refused};
use discretion::Refusal;
use discretion::erm::Residuals;
use discretion::interval::{Evidence, Interval, Intervals};
use discretion::plain::{self, PlainFit, PlainLoss};
use discretion::squares::{self, SquaresError};
use discretion_formats::{Coefficient, LambdaFrom, NumberModel};
use discretion_report::words;
use discretion_table::{NumberLoss, Schema};

/// A model without noise and without penalty; nothing for Huber's loss, whose residuals have no
/// ordinary fit.
pub fn plain(job: &NumberJob, rows: &AnyRows) -> Result<Option<NumberModel>, Refusal> {
    if job.loss == Some(NumberLoss::Huber) {
        return Ok(None);
    }
    let schema = &job.schema;
    let outcomes = schema.outcome_columns();
    let explained = |error: SquaresError| job.explain(NumberError::from(error));
    let moments = squares::not_private(rows.all(), outcomes.clone());
    let moments = moments.map_err(explained)?.into_inner();
    let fits: Vec<PlainFit> = outcomes
        .clone()
        .map(|outcome| {
            let parts = schema.encoder().parts(outcomes.len() - 1);
            let size = huber::shrinkage(schema);
            let residuals = Residuals::new(rows.all(), outcome);
            let fit = plain::fit(&residuals, PlainLoss::Squares, &parts, size);
            Ok(fit.map_err(|error| refused(error, schema))?.into_inner())
        })
        .collect::<Result<_, Refusal>>()?;
    let (warning, privacy, _) = without_noise(job.unit);
    let noise = words::without_penalty(&reference_names(schema, &fits[0].references));
    let mut model = made(job, (warning, privacy), (0, noise), moments).map_err(explained)?;
    (model.training.lambda, model.training.lambda_from) = (0.0, LambdaFrom::None);
    model.others.iter_mut().for_each(|other| other.lambda = 0.0);
    for (which, fit) in fits.iter().enumerate() {
        let of_outcome = schema.of_outcome(which);
        let own = with_intervals(&of_outcome, job.level, &fit.evidence, &fit.theta);
        let (of, coefficients) = model.part_mut(which);
        *coefficients = own.map_err(explained)?;
        of.squares.iter_mut().for_each(|fit| fit.covers = words::covered_by_plain(job.unit));
    }
    model.evidence = fits.into_iter().map(|fit| fit.evidence).collect();
    Ok(Some(model))
}

/// The coefficients with their intervals.
pub(super) fn with_intervals(
    schema: &Schema,
    level: f64,
    evidence: &Evidence,
    theta: &[f64],
) -> Result<Vec<Coefficient>, SquaresError> {
    let intervals = Intervals::new(evidence, theta)?;
    let interval = |weights: &[(usize, f64)], null: f64| -> Result<Interval, SquaresError> {
        let mut all = vec![0.0; theta.len()];
        weights.iter().for_each(|&(j, weight)| all[j] += weight);
        Ok(intervals.combination_beside(&all, level, null)?)
    };
    let scale = schema.outcome_scale().expect("the outcome is a number");
    coefficients(schema, theta, scale, Some(&interval))
}
