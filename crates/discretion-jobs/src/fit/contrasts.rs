//! Intervals of several classes: each against a reference class, from models of parts of the rows.

use super::FitJob;
use super::model::training_facts as of_a_part;
use discretion::fit::Request;
use discretion::interval::parts::{PartModels, PartsPlan};
use discretion::interval::{Interval, IntervalError};
use discretion::train::Training;
use discretion_formats::{CoefficientInterval, ForPrediction, IntervalFacts, Model, TrainingFacts};
use discretion_report::words;
use discretion_table::{Effect, Encoder, IntervalSettings, Lambda};

/// What a plan in parts did: the model is the mean of the parts', so its noise is smaller than
/// theirs.
pub(super) fn training_facts(plan: &PartsPlan, job: &FitJob) -> TrainingFacts {
    let part = of_a_part(plan.of_a_part(), job);
    let count = discretion::interval::parts::PARTS as f64;
    let smaller = |deviation: Option<f64>| deviation.map(|deviation| deviation / count.sqrt());
    TrainingFacts {
        rows: plan.rows(),
        mask_deviation: smaller(part.mask_deviation),
        lattice_step: part.lattice_step.map(|step| step / count),
        expected_error: smaller(part.expected_error),
        worst_error: smaller(part.worst_error),
        why: format!("{}; {}", part.why, words::in_parts(plan.rows(), job.unit)),
        without_intervals: on_all_rows(plan, job),
        ..part
    }
}

/// What "auto" would do on all rows, if nobody had asked for intervals.
fn on_all_rows(plan: &PartsPlan, job: &FitJob) -> Option<ForPrediction> {
    if job.model.lambda != Lambda::Auto {
        return None;
    }
    let alone = Request { intervals: None, ..job.request() };
    let facts = job.facts(plan.rows(), &alone).all().clone();
    let Request { loss, method, budget, .. } = alone;
    let alone = Training { loss, lambda: None, method, budget }.plan(facts).ok()?;
    Some(ForPrediction { lambda: alone.lambda(), expected_error: alone.chosen().expected_error() })
}

/// The same model with an interval for the difference between each class and the reference class,
/// coefficient by coefficient.
pub(super) fn with_contrasts(
    mut model: Model,
    parts: &PartModels,
    settings: &IntervalSettings,
) -> Result<Model, IntervalError> {
    let IntervalSettings { level, draws, columns, .. } = settings;
    let classes = model.schema.target().labels.names();
    let reference = settings.reference.clone().unwrap_or_else(|| classes[0].clone());
    let Some(base) = classes.iter().position(|class| *class == reference) else {
        return Err(IntervalError::Evidence("they are compared with a class that is not declared"));
    };
    let encoder = model.schema.encoder();
    let width = encoder.names().len();
    if parts.dimension() != classes.len() * width || model.coefficients.len() != parts.dimension() {
        return Err(IntervalError::Evidence("they belong to another number of coefficients"));
    }
    let named = columns
        .as_ref()
        .map_or_else(|| vec![true; width], |columns| encoder.coefficients_of(columns));
    let combinations = Combinations::of(&encoder, width);
    let mut count = 0;
    for class in (0..classes.len()).filter(|&class| class != base) {
        // The difference between the class and the reference, of a weighted sum of coefficients.
        let interval = |weights: &[(usize, f64)]| -> Result<Interval, IntervalError> {
            let at = |model: &[f64], class: usize| -> f64 {
                weights.iter().map(|&(j, weight)| weight * model[class * width + j]).sum()
            };
            parts.interval(|model| at(model, class) - at(model, base), *level)
        };
        for j in (0..width).filter(|&j| named[j]) {
            let coefficient = &mut model.coefficients[class * width + j];
            coefficient.interval = Some(CoefficientInterval::of_parts(&interval(&[(j, 1.0)])?));
            if let Some(units) = &combinations.units {
                coefficient.per_unit_interval =
                    Some(CoefficientInterval::of_parts(&interval(&units[j])?));
            }
            if let (Some(effect), Some(Effect { weights, .. })) =
                (&mut coefficient.effect, &combinations.effects[j])
            {
                effect.interval = Some(CoefficientInterval::of_parts(&interval(weights)?));
            }
            count += 1;
        }
    }
    model.intervals = Some(IntervalFacts {
        level: *level,
        split: [1.0, 0.0, 0.0],
        draws: *draws,
        all_at_once: parts.all_at_once(count, *level),
        steps: 0,
        columns: columns.clone(),
        largest_effect: None,
        findings: None,
        rough: None,
        covers: words::contrasts(&reference, model.privacy.unit),
        reference: Some(reference),
        warning: None,
    });
    model.parts = Some(parts.clone());
    Ok(model)
}

/// What is told of each coefficient of a class: weighted sums of all of that class.
struct Combinations {
    /// In the unit of its column, where coefficients have one.
    units: Option<Vec<Vec<(usize, f64)>>>,
    effects: Vec<Option<Effect>>,
}

impl Combinations {
    fn of(encoder: &Encoder, width: usize) -> Combinations {
        // Column units are a linear map of the coefficients; its columns are the images of the unit
        // vectors. Few of its entries are not 0, and only those are kept.
        let mut units = Some(vec![Vec::new(); width]);
        for j in 0..width {
            let unit: Vec<f64> = (0..width).map(|i| if i == j { 1.0 } else { 0.0 }).collect();
            let image = encoder.in_column_units(&unit);
            units = units.zip(image).map(|(mut units, image)| {
                for (weights, unit) in units.iter_mut().zip(image) {
                    if unit.value != 0.0 {
                        weights.push((j, unit.value));
                    }
                }
                units
            });
        }
        Combinations { units, effects: encoder.effects() }
    }
}
