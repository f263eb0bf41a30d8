//! The model of a number, as a file. It touches no row.

use super::{NumberError, NumberJob, huber, loss, plain};
use crate::fit::AnyRows;
use crate::promise::{promise_of_run, warning};
use discretion::interval::Interval;
use discretion::noise::Released;
use discretion::privacy::Unit;
use discretion::squares::{self, Moments, Plan, Solution, SquaresError};
use discretion::train;
use discretion_formats::{
    Coefficient, CoefficientEffect, CoefficientInterval, Knot, LambdaFrom, LedgerEntry, Neighbours,
    NumberFit, NumberModel, NumberTraining, OtherNumber, Privacy, SquaresFit, column_size,
};
use discretion_report::words;
use discretion_table::{Effect, NumberLoss, OutcomeScale, Schema};

/// A model that left through the gate. It claims a guarantee only if the noise was real.
pub(super) fn model(
    job: &NumberJob,
    plan: &Plan,
    moments: Released<Moments>,
    paid: Option<LedgerEntry>,
) -> Result<NumberModel, SquaresError> {
    let privacy = promise_of_run(moments.provenance(), (plan.budget(), job.unit), paid.as_ref());
    let warning = warning(&privacy);
    let about_noise = (plan.numbers(), words::matrix_noise(plan.noise()));
    let mut model = made(job, (warning, privacy), about_noise, (*moments).clone())?;
    model.ledger = paid;
    Ok(model)
}

/// A model without noise that keeps λ, for the custodian.
pub fn not_private(job: &NumberJob, rows: &AnyRows) -> Result<NumberModel, NumberError> {
    if loss::settled(job, rows.count()) == NumberLoss::Huber {
        return huber::not_private(job, rows.all());
    }
    let moments = squares::not_private(rows.all(), job.schema.outcome_columns())?.into_inner();
    let unit = rows.all().facts().unit;
    let (warning, privacy, none) = without_noise(unit);
    Ok(made(job, (warning, privacy), none, moments)?)
}

/// What a file says where no noise was asked for: the warning, the promise, and how many numbers
/// were released with which noise.
pub(super) fn without_noise(unit: Unit) -> (Option<String>, Privacy, (usize, String)) {
    let privacy = Privacy {
        private: false,
        guarantee: None,
        neighbours: Neighbours::ReplaceOne,
        unit,
        statement: format!("NOT PRIVATE: {}", words::WITHOUT_NOISE),
        randomness: None,
    };
    let none = (0, "no noise was asked for (--not-private), and lambda is kept".to_owned());
    (Some(words::WITHOUT_NOISE.to_owned()), privacy, none)
}

/// How many numbers a training releases, and its noise.
pub(super) fn about_noise(plan: &train::Plan) -> (usize, String) {
    (plan.facts().dimension, words::candidate(plan.chosen()))
}

pub(super) fn made(
    job: &NumberJob,
    (warning, privacy): (Option<String>, Privacy),
    (released, noise): (usize, String),
    moments: Moments,
) -> Result<NumberModel, SquaresError> {
    let mut each = (0..moments.outcomes()).map(|which| of_outcome(job, &moments, which));
    let OtherNumber { lambda, fit, coefficients } = each.next().expect("there is an outcome")?;
    let training = NumberTraining {
        rows: moments.rows(),
        dimension: coefficients.len(),
        loss: NumberLoss::Squares,
        lambda,
        lambda_from: if job.lambda.is_some() { LambdaFrom::Study } else { LambdaFrom::Auto },
        released,
        noise,
    };
    let others = each.collect::<Result<_, _>>()?;
    let model = NumberModel::new(
        warning,
        privacy,
        training,
        (fit, coefficients),
        &job.schema,
        Some(moments),
    );
    Ok(model.with_others(others))
}

/// What follows for one of the outcomes.
fn of_outcome(
    job: &NumberJob,
    moments: &Moments,
    which: usize,
) -> Result<OtherNumber, SquaresError> {
    let (schema, size) = (job.schema.of_outcome(which), column_size(&job.schema));
    let solution = moments.of_outcome(which).solve(job.penalty())?;
    let scale = schema.outcome_scale().expect("the outcome is a number");
    let (mean, deviation) = solution.outcome();
    let squares = SquaresFit {
        explained: solution.explained(),
        residual_deviation: scale.unit() * solution.residual_deviation(),
        mean: scale.offset() + scale.unit() * mean,
        deviation: scale.unit() * deviation,
        level: job.level,
        covers: words::covered_by_squares(job.unit),
    };
    Ok(OtherNumber {
        lambda: solution.penalty() * size * size,
        fit: NumberFit { of: scale.name(&schema.target().column), squares: Some(squares) },
        coefficients: with_intervals(&schema, job.level, &solution, scale)?,
    })
}

/// The same model with intervals at another level, from what it was released with.
pub fn at_level(mut model: NumberModel, level: f64) -> Result<NumberModel, SquaresError> {
    for (which, part) in model.each().into_iter().enumerate() {
        // Without moments there are no intervals.
        let Some(moments) = &part.moments else { continue };
        let (fit, coefficients) = model.part_mut(which);
        *coefficients = match part.evidence.first() {
            Some(evidence) => plain::with_intervals(&part.schema, level, evidence, &part.theta())?,
            None => {
                let solution = moments.solve(part.penalty())?;
                with_intervals(&part.schema, level, &solution, part.scale())?
            }
        };
        fit.squares.iter_mut().for_each(|fit| fit.level = level);
    }
    Ok(model)
}

/// The coefficients of a solution, with their intervals.
fn with_intervals(
    schema: &Schema,
    level: f64,
    solution: &Solution,
    scale: OutcomeScale,
) -> Result<Vec<Coefficient>, SquaresError> {
    let size = column_size(schema);
    let theta: Vec<f64> = solution.coefficients().iter().map(|beta| beta / size).collect();
    let interval = |weights: &[(usize, f64)], null: f64| -> Result<Interval, SquaresError> {
        let mut all = vec![0.0; theta.len()];
        weights.iter().for_each(|&(j, weight)| all[j] += weight / size);
        Ok(solution.combination(&all, level, null)?)
    };
    coefficients(schema, &theta, scale, Some(&interval))
}

/// The interval of a combination of coefficients, with the p-value of "it is this number".
pub(super) type IntervalOf<'i> = &'i dyn Fn(&[(usize, f64)], f64) -> Result<Interval, SquaresError>;

/// Coefficients on the encoded scale of the columns; effects and units are the outcome's, or its
/// logarithm's.
pub(super) fn coefficients(
    schema: &Schema,
    theta: &[f64],
    scale: OutcomeScale,
    interval: Option<IntervalOf<'_>>,
) -> Result<Vec<Coefficient>, SquaresError> {
    let (encoder, unit) = (schema.encoder(), scale.unit());
    let interval = |weights: &[(usize, f64)], unit: f64, offset: f64| {
        // What is 0 in the other unit.
        let null = -offset / unit;
        let found = interval.map(|interval| interval(weights, null)).transpose()?;
        Ok::<_, SquaresError>(found.map(|interval| stretched(&interval, unit, offset)))
    };
    // Column units are a linear map of the coefficients; its columns are the images of the unit
    // vectors.
    let images: Vec<Vec<f64>> = (0..theta.len())
        .map(|j| {
            let one: Vec<f64> = (0..theta.len()).map(|i| if i == j { 1.0 } else { 0.0 }).collect();
            let units = encoder.in_column_units(&one).expect("columns are scaled by constants");
            units.into_iter().map(|unit| unit.value).collect()
        })
        .collect();
    let units = encoder.in_column_units(theta).expect("columns are scaled by constants");
    let named = encoder.names().into_iter().zip(units).zip(encoder.effects()).zip(encoder.knots());
    named
        .enumerate()
        .map(|(i, (((name, own), effect), knot))| {
            let weights: Vec<(usize, f64)> =
                images.iter().enumerate().map(|(j, image)| (j, image[i])).collect();
            let middle = if i == 0 { scale.offset() } else { 0.0 };
            let effect = effect.map(|Effect { against, weights }| {
                let value = weights.iter().map(|&(j, weight)| weight * theta[j]).sum::<f64>();
                Ok::<_, SquaresError>(CoefficientEffect {
                    against,
                    value: unit * value,
                    interval: interval(&weights, unit, 0.0)?,
                    band: None,
                })
            });
            Ok(Coefficient {
                name,
                class: None,
                encoded: theta[i],
                interval: interval(&[(i, 1.0)], 1.0, 0.0)?,
                of: Some(own.of),
                per_unit: Some(unit * own.value + middle),
                per_unit_interval: interval(&weights, unit, middle)?,
                effect: effect.transpose()?,
                knot: knot.map(|(column, at)| Knot { column, at }),
            })
        })
        .collect()
}

/// An interval in another unit. Its p-value is about what is 0 there.
fn stretched(interval: &Interval, unit: f64, offset: f64) -> CoefficientInterval {
    let moved = |x: f64| unit * x + offset;
    CoefficientInterval::from(&Interval {
        estimate: moved(interval.estimate),
        lower: moved(interval.lower),
        upper: moved(interval.upper),
        sampling_deviation: unit * interval.sampling_deviation,
        privacy_deviation: unit * interval.privacy_deviation,
        matrices_deviation: unit * interval.matrices_deviation,
        shrinkage: unit * interval.shrinkage,
        ..*interval
    })
}
