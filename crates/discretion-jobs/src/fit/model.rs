//! The model of a fit, as a file.

use super::{FitJob, contrasts};
use crate::plain::{reference_names, refused};
use crate::promise::{promise_of_run, warning};
use discretion::Refusal;
use discretion::erm::matrix::Norm;
use discretion::erm::{Facts, Oracle};
use discretion::fit::{Fitted, Plan, TrainingPlan};
use discretion::interval::{Evidence, Interval, IntervalError, Intervals, SecondMoments};
use discretion::loss::LossKind;
use discretion::noise::NotPrivate;
use discretion::plain::{self, PlainFit, PlainLoss};
use discretion::privacy::Budget;
use discretion::train;
use discretion::tune::Family;
use discretion_formats::{
    Findings, ForPrediction, IntervalFacts, LambdaFrom, LedgerEntry, Model, Neighbours, Privacy,
    TrainingFacts, TuningFacts,
};
use discretion_report::words;
use discretion_table::{Effect, IntervalSettings, Lambda, Schema};
use rayon::prelude::*;
use std::collections::BTreeMap;

/// A model that left through the gate. It claims a guarantee only if the noise was real.
pub fn model(
    fitted: &Fitted,
    job: &FitJob,
    plan: &Plan,
    ledger: Option<LedgerEntry>,
) -> Result<Model, IntervalError> {
    let theta = &fitted.coefficients;
    let privacy = promise_of_run(theta.provenance(), (plan.budget(), job.unit), ledger.as_ref());
    let warning = warning(&privacy);
    let training = match plan.training() {
        TrainingPlan::Parts(parts) => contrasts::training_facts(parts, job),
        TrainingPlan::Known(_) | TrainingPlan::Chosen(_) => training_facts(&fitted.training, job),
    };
    let mut model = Model::new(warning, privacy, training, theta, &job.schema);
    (model.ledger, model.tuning) = (ledger, tuning_facts(plan, job));
    if let (Some(parts), Some(settings)) = (&fitted.parts, &job.intervals) {
        return contrasts::with_contrasts(model, parts, settings);
    }
    match (&fitted.evidence, &job.intervals) {
        (Some(evidence), Some(settings)) => {
            let split = job.split().expect("intervals have one");
            let training = split.training();
            let split = match evidence.moments() {
                SecondMoments::OfRows(_) => [training, 1.0 - training, 0.0],
                SecondMoments::OfGradients { .. } => {
                    [training, split.hessian(), split.covariance()]
                }
            };
            with_intervals(model, evidence, settings, split)
        }
        _ => Ok(model),
    }
}

/// The same model with intervals at another level, from what it was released with.
pub fn at_level(model: Model, level: f64) -> Result<Model, IntervalError> {
    if let (Some(parts), Some(facts)) = (model.parts.clone(), model.intervals.clone()) {
        let IntervalFacts { draws, columns, reference, .. } = facts;
        let settings =
            IntervalSettings { level, draws, columns, reference, ..IntervalSettings::default() };
        return contrasts::with_contrasts(model, &parts, &settings);
    }
    match (model.evidence.clone(), model.intervals.as_ref()) {
        (Some(evidence), Some(IntervalFacts { draws, split, columns, largest_effect, .. })) => {
            let (split, columns, largest) = (*split, columns.clone(), *largest_effect);
            let settings =
                IntervalSettings { level, draws: *draws, columns, ..IntervalSettings::default() };
            covering(model, &evidence, &settings, split, largest)
        }
        _ => Ok(model),
    }
}

/// The same model with intervals of the ordinary coefficients, if they have a unit and the loss is
/// the logistic one; else of what the penalty leaves of them.
pub(crate) fn with_intervals(
    model: Model,
    evidence: &Evidence,
    settings: &IntervalSettings,
    split: [f64; 3],
) -> Result<Model, IntervalError> {
    let has_units = model.schema.norm() == Norm::Scale;
    let is_ordinary = model.training.loss == LossKind::Logistic && has_units;
    let largest = is_ordinary.then_some(settings.largest_effect);
    covering(model, evidence, settings, split, largest)
}

/// The same model with intervals; `split` is the budget's, between training and the moments behind
/// intervals. They cover the ordinary coefficients if none of those is larger than somebody
/// declared.
fn covering(
    mut model: Model,
    evidence: &Evidence,
    settings: &IntervalSettings,
    split: [f64; 3],
    largest_effect: Option<f64>,
) -> Result<Model, IntervalError> {
    let IntervalSettings { level, draws, columns, .. } = settings;
    let (level, draws) = (*level, *draws);
    let theta = model.theta();
    // Without a penalty nothing is taken from the estimates.
    let bound = largest_effect.filter(|_| evidence.lambda() > 0.0);
    let encoder = model.schema.encoder();
    let intervals = match largest_effect.and_then(|largest| encoder.encoded_effects(largest)) {
        Some(largest) => Intervals::of_ordinary(evidence, &theta, largest)?,
        None => Intervals::new(evidence, &theta)?,
    };
    let is_named = match columns {
        Some(columns) => encoder.coefficients_of(columns),
        None => vec![true; theta.len()],
    };
    // Column units are a linear map of the coefficients; its columns are the images of the unit
    // vectors.
    let images: Option<Vec<Vec<f64>>> = (0..theta.len())
        .map(|j| {
            let unit: Vec<f64> = (0..theta.len()).map(|i| if i == j { 1.0 } else { 0.0 }).collect();
            Some(encoder.in_column_units(&unit)?.into_iter().map(|unit| unit.value).collect())
        })
        .collect();
    let mut pull: f64 = 0.0;
    let effects = encoder.effects();
    // What says the same as another column has no interval.
    let is_alone = |i: usize| intervals.same_as(i).is_none();
    let places = (0..theta.len()).filter(|&i| is_named[i] && is_alone(i));
    let dense = |sparse: &[(usize, f64)]| {
        let mut weights = vec![0.0; theta.len()];
        sparse.iter().for_each(|&(j, weight)| weights[j] += weight);
        weights
    };
    let told = places.clone().filter_map(|i| Some((i, dense(&effects[i].as_ref()?.weights))));
    let told: Vec<(usize, Vec<f64>)> = told.collect();
    let told: BTreeMap<usize, Interval> = told
        .into_par_iter()
        .map(|(i, weights)| Ok((i, intervals.effect(&weights, level)?)))
        .collect::<Result<_, IntervalError>>()?;
    for (i, interval) in places.clone().zip(intervals.of_coefficients(places.clone(), level)?) {
        let coefficient = &mut model.coefficients[i];
        // A number's effect is its coefficient in another unit.
        let is_number = |effect: &&Effect| bound.is_some() && effect.weights.len() == 1;
        let own = effects[i].as_ref().filter(is_number).zip(told.get(&i));
        let own = own.map(|(effect, interval)| interval.times(1.0 / effect.weights[0].1));
        coefficient.interval = Some((&own.unwrap_or(interval)).into());
        if let Some(images) = &images {
            let weights: Vec<f64> = images.iter().map(|image| image[i]).collect();
            let in_unit = match own {
                Some(own) => own.times(weights[i]),
                None => intervals.combination(&weights, level)?,
            };
            coefficient.per_unit_interval = Some((&in_unit).into());
        }
        match (&mut coefficient.effect, told.get(&i)) {
            (Some(effect), Some(interval)) => {
                effect.interval = Some(interval.into());
                pull = pull.max(interval.shrinkage_share());
            }
            // Without effects, under rows of length 1, the coefficients stand for themselves.
            _ if images.is_none() && i > 0 => pull = pull.max(interval.shrinkage_share()),
            _ => {}
        }
    }
    bands(&mut model, &intervals, level, draws)?;
    let unit = model.privacy.unit;
    let covers = match largest_effect {
        Some(_) if bound.is_none() => words::covered_by_plain(unit),
        Some(largest) => words::covered_ordinary(unit, largest),
        None => words::covered(unit),
    };
    let covers = match (&model.joint, model.training.noise.is_some()) {
        (Some(_), _) => format!("{covers}, {}", words::joint::OF_ALL_HOLDERS),
        (None, false) if evidence.lambda() > 0.0 => words::without_noise(&covers),
        _ => covers,
    };
    let is_pure = matches!(model.privacy.guarantee, Some(Budget::Pure { .. }));
    let is_of_rows = matches!(evidence.moments(), SecondMoments::OfRows(_));
    let findings = bound.map(|largest| findings(&model, &intervals, largest));
    model.intervals = Some(IntervalFacts {
        level,
        split,
        draws,
        all_at_once: match (bound, columns) {
            (Some(_), _) => {
                let of = |i: usize| Some(effects[i].as_ref()?.weights.clone());
                intervals.all_at_once_of(
                    &places.filter_map(of).collect::<Vec<_>>(),
                    level,
                    draws,
                )?
            }
            (None, None) => intervals.all_at_once(level, draws)?,
            (None, Some(_)) => {
                let each: Vec<_> = places.map(|i| vec![(i, 1.0)]).collect();
                intervals.all_at_once_of(&each, level, draws)?
            }
        },
        steps: evidence.steps(),
        columns: columns.clone(),
        reference: None,
        largest_effect,
        findings,
        rough: (is_pure && is_of_rows).then(|| words::rough(evidence.rows())),
        covers,
        warning: (largest_effect.is_none() && pull > words::PULL_THAT_MATTERS)
            .then(|| words::pulled(model.training.lambda, pull)),
    });
    model.evidence = Some(evidence.clone());
    Ok(model)
}

/// The effects by what their intervals say of them.
fn findings(model: &Model, intervals: &Intervals, largest_effect: f64) -> Findings {
    let mut found = Findings::default();
    for coefficient in &model.coefficients {
        let Some(interval) = coefficient.effect.as_ref().and_then(|effect| effect.interval) else {
            continue;
        };
        let name = coefficient.name.clone();
        if interval.is_told_from_zero() {
            found.told_from_zero.push(name);
        } else if !interval.is_estimable(largest_effect) {
            found.not_estimable.push(name);
        }
    }
    let names = model.schema.encoder().column_names();
    let name = |column: usize| names.get(column).cloned().unwrap_or_default();
    let pairs = intervals.aliases().iter().filter(|alias| alias.is_same);
    found.same = pairs.map(|alias| [name(alias.columns.0), name(alias.columns.1)]).collect();
    found
}

/// A band for each curve as a whole.
fn bands(
    model: &mut Model,
    intervals: &Intervals,
    level: f64,
    draws: usize,
) -> Result<(), IntervalError> {
    let effects = model.schema.encoder().effects();
    let curves: Vec<String> = model
        .schema
        .columns()
        .iter()
        .filter(|c| c.curve.is_some())
        .map(|c| c.name.clone())
        .collect();
    for column in curves {
        let is_knot = |i: &usize| {
            let knot = &model.coefficients[*i].knot;
            let is_of_curve = knot.as_ref().is_some_and(|knot| knot.column == column);
            is_of_curve && effects[*i].is_some() && model.coefficients[*i].interval.is_some()
        };
        let places: Vec<usize> = (0..effects.len()).filter(is_knot).collect();
        let combinations: Vec<_> =
            places.iter().filter_map(|&i| effects[i].as_ref()).map(|e| e.weights.clone()).collect();
        if combinations.is_empty() {
            continue;
        }
        let factor = intervals.band_of(&combinations, level, draws)?;
        for i in places {
            if let Some(effect) = &mut model.coefficients[i].effect
                && let Some(interval) = effect.interval
            {
                let middle = interval.estimate.unwrap_or(effect.value);
                effect.band = Some(
                    [interval.lower, interval.upper].map(|end| middle + factor * (end - middle)),
                );
            }
        }
    }
    Ok(())
}

/// An ordinary model without noise and without penalty, with robust errors; for the custodian.
pub fn plain(
    rows: &dyn Oracle,
    schema: &Schema,
    settings: &IntervalSettings,
) -> Result<Model, Refusal> {
    let fit = plain::fit(rows, PlainLoss::Logistic, &schema.encoder().parts(0), 1.0);
    let PlainFit { theta, references, evidence } =
        fit.map_err(|error| refused(error, schema))?.into_inner();
    let why = words::without_penalty(&reference_names(schema, &references));
    let lambda = (0.0, LambdaFrom::None);
    let model = without_noise(rows.facts(), LossKind::Logistic, lambda, why, &theta, schema);
    with_intervals(model, &evidence, settings, WHOLE)
        .map_err(|error| Refusal::bad_input(error.to_string()).because(error))
}

/// A model trained without noise that keeps λ, for the custodian.
pub fn not_private(
    facts: Facts,
    loss: LossKind,
    lambda: f64,
    lambda_from: LambdaFrom,
    theta: NotPrivate<Vec<f64>>,
    schema: &Schema,
) -> Model {
    let why = "no noise was asked for (--not-private), and lambda is kept".to_owned();
    without_noise(facts, loss, (lambda, lambda_from), why, &theta.into_inner(), schema)
}

fn without_noise(
    facts: Facts,
    loss: LossKind,
    lambda: (f64, LambdaFrom),
    why: String,
    theta: &[f64],
    schema: &Schema,
) -> Model {
    let privacy = Privacy {
        private: false,
        guarantee: None,
        neighbours: Neighbours::ReplaceOne,
        unit: facts.unit,
        statement: format!("NOT PRIVATE: {}", words::WITHOUT_NOISE),
        randomness: None,
    };
    let training = TrainingFacts::without_noise(facts, loss, lambda, why);
    Model::new(Some(words::WITHOUT_NOISE.to_owned()), privacy, training, theta, schema)
}

/// All of a budget for the coefficients.
const WHOLE: [f64; 3] = [1.0, 0.0, 0.0];

/// Adds intervals from the exact matrices to a model without noise that keeps λ.
pub fn with_exact_intervals(
    model: Model,
    evidence: NotPrivate<Evidence>,
    settings: &IntervalSettings,
) -> Result<Model, IntervalError> {
    with_intervals(model, &evidence.into_inner(), settings, WHOLE)
}

/// What a plan did.
pub(super) fn training_facts(plan: &train::Plan, job: &FitJob) -> TrainingFacts {
    let chosen = plan.chosen();
    TrainingFacts {
        rows: plan.facts().rows,
        dimension: plan.facts().dimension,
        loss: plan.loss(),
        lambda: plan.lambda(),
        lambda_from: LambdaFrom::of(&job.model.lambda),
        mechanism: Some(chosen.mechanism()),
        noise: Some(chosen.law().clone()),
        mask_deviation: Some(chosen.gate().mask_deviation()),
        lattice_step: Some(chosen.gate().step()),
        expected_error: Some(chosen.expected_error()),
        worst_error: Some(chosen.worst_error()),
        why: words::why(plan, job.model.method),
        without_intervals: without_intervals(plan, job),
        // Whoever released one puts it here.
        base_rate: None,
    }
}

/// What "auto" would do if nobody had asked for intervals.
fn without_intervals(plan: &train::Plan, job: &FitJob) -> Option<ForPrediction> {
    if job.intervals.is_none() || job.model.lambda != Lambda::Auto {
        return None;
    }
    let (loss, method) = (job.model.loss, job.model.method);
    let alone = train::Training { loss, lambda: None, method, budget: job.spend };
    let alone = alone.plan(plan.facts().clone()).ok()?;
    Some(ForPrediction { lambda: alone.lambda(), expected_error: alone.chosen().expected_error() })
}

/// How a plan chooses λ, if it does.
fn tuning_facts(plan: &Plan, job: &FitJob) -> Option<TuningFacts> {
    let TrainingPlan::Chosen(plan) = plan.training() else { return None };
    let (shortfall, doubt) = match plan.family() {
        Family::Selection { rule, shortfall, .. } => (Some(shortfall.clone()), Some(rule.doubt())),
        Family::RandomStopping(_) => (None, None),
    };
    Some(TuningFacts {
        candidates: plan.lambdas(),
        dropped: plan.dropped().iter().map(|dropped| dropped.lambda).collect(),
        score: plan.score(),
        validation_rows: plan.facts().validation.rows,
        on_all_rows: matches!(plan.family(), Family::Selection { .. }),
        shortfall,
        doubt,
        rule: words::tuning_rule(plan, job.tune.validation),
        why: plan.why().to_owned(),
    })
}
