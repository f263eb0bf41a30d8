//! The model of a fit, as a file.

use super::{FitJob, contrasts};
use crate::plain::{reference_names, refused};
use crate::promise::{promise_of_run, warning};
use discretion::Refusal;
use discretion::erm::{Facts, Oracle};
use discretion::fit::{Fitted, Plan, TrainingPlan};
use discretion::interval::{Evidence, IntervalError, Intervals};
use discretion::loss::LossKind;
use discretion::noise::NotPrivate;
use discretion::plain::{self, PlainFit, PlainLoss};
use discretion::train;
use discretion::tune::Family;
use discretion_formats::{
    ForPrediction, IntervalFacts, LambdaFrom, LedgerEntry, Model, Neighbours, Privacy,
    TrainingFacts, TuningFacts,
};
use discretion_report::words;
use discretion_table::{Effect, IntervalSettings, Lambda, Schema};

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
            let split = [split.training(), split.hessian(), split.covariance()];
            with_intervals(model, evidence, settings, split)
        }
        _ => Ok(model),
    }
}

/// The same model with intervals at another level, from what it was released with.
pub fn at_level(model: Model, level: f64) -> Result<Model, IntervalError> {
    if let (Some(parts), Some(facts)) = (model.parts.clone(), model.intervals.clone()) {
        let IntervalFacts { draws, columns, reference, .. } = facts;
        let settings = IntervalSettings { level, draws, columns, split: None, reference };
        return contrasts::with_contrasts(model, &parts, &settings);
    }
    match (model.evidence.clone(), model.intervals.as_ref()) {
        (Some(evidence), Some(IntervalFacts { draws, split, columns, .. })) => {
            let (split, columns) = (*split, columns.clone());
            let settings =
                IntervalSettings { level, draws: *draws, columns, split: None, reference: None };
            with_intervals(model, &evidence, &settings, split)
        }
        _ => Ok(model),
    }
}

/// The same model with intervals; `split` is the budget's, between training, Hessian and
/// covariance.
pub(crate) fn with_intervals(
    mut model: Model,
    evidence: &Evidence,
    settings: &IntervalSettings,
    split: [f64; 3],
) -> Result<Model, IntervalError> {
    let IntervalSettings { level, draws, columns, .. } = settings;
    let (level, draws) = (*level, *draws);
    let theta = model.theta();
    let intervals = Intervals::new(evidence, &theta)?;
    let encoder = model.schema.encoder();
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
    let places = (0..theta.len()).filter(|&i| is_named[i]);
    for (i, interval) in places.clone().zip(intervals.of_coefficients(places.clone(), level)?) {
        let coefficient = &mut model.coefficients[i];
        coefficient.interval = Some((&interval).into());
        if let Some(images) = &images {
            let weights: Vec<f64> = images.iter().map(|image| image[i]).collect();
            let own = intervals.combination(&weights, level)?;
            coefficient.per_unit_interval = Some((&own).into());
        }
        match (&mut coefficient.effect, &effects[i]) {
            (Some(effect), Some(Effect { weights: sparse, .. })) => {
                let mut weights = vec![0.0; theta.len()];
                sparse.iter().for_each(|&(j, weight)| weights[j] += weight);
                let interval = intervals.combination(&weights, level)?;
                effect.interval = Some((&interval).into());
                pull = pull.max(interval.shrinkage_share());
            }
            // Without effects, under rows of length 1, the coefficients stand for themselves.
            _ if images.is_none() && i > 0 => pull = pull.max(interval.shrinkage_share()),
            _ => {}
        }
    }
    bands(&mut model, &intervals, level, draws)?;
    let steps = evidence.steps();
    let covers = match (&model.joint, steps) {
        (Some(_), _) => words::joint::COVERED.to_owned(),
        (None, 0) => words::covered(model.privacy.unit),
        (None, _) => words::covered_without_penalty(model.privacy.unit),
    };
    let covers = if model.training.noise.is_some() || model.joint.is_some() {
        covers
    } else if evidence.lambda() == 0.0 {
        words::covered_by_plain(model.privacy.unit)
    } else {
        words::without_noise(&covers)
    };
    model.intervals = Some(IntervalFacts {
        level,
        split,
        draws,
        all_at_once: match columns {
            None => intervals.all_at_once(level, draws)?,
            Some(_) => {
                let each: Vec<_> = places.map(|i| vec![(i, 1.0)]).collect();
                intervals.all_at_once_of(&each, level, draws)?
            }
        },
        steps,
        columns: columns.clone(),
        reference: None,
        covers,
        warning: (pull > words::PULL_THAT_MATTERS)
            .then(|| words::pulled(model.training.lambda, steps, pull)),
    });
    model.evidence = Some(evidence.clone());
    Ok(model)
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
