//! The model that several holders trained together, as a file like any other model's.
//!
//! [`model`] is called by whoever runs a joint study once its rounds are over: every side that has
//! the released sums makes the same model from them. Nothing here looks at a row.

mod held_out;
#[cfg(test)]
mod tests;

pub use held_out::{HeldOutCounts, JointEvaluation};

use crate::fit::with_intervals;
use crate::promise::{promise, warning};
use discretion::interval::IntervalError;
use discretion::joint::{Plan, Stepped};
use discretion::noise::Released;
use discretion::train::Mechanism;
use discretion_formats::{JointFacts, LambdaFrom, LedgerEntry, Model, TrainingFacts};
use discretion_report::words::joint as words;
use discretion_table::{IntervalSettings, Schema};

/// What a joint study makes public besides its [`Plan`].
#[derive(Clone, Debug)]
pub struct Public<'s> {
    /// What is declared about the tables of all holders.
    pub schema: &'s Schema,
    /// The holders' names, in the order of the plan; as many as it has.
    pub names: Vec<String>,
    /// Who chose λ.
    pub lambda_from: LambdaFrom,
    /// What the study says of intervals, if the plan has any.
    pub intervals: IntervalSettings,
    /// What is evaluated, if the plan has counts.
    pub evaluation: Option<JointEvaluation>,
}

/// The file of a joint model.
///
/// `stepped` must be there if the plan has a Newton step, `counts` if rows were held out, `average`
/// is what its first round released. It claims a guarantee only if every share of noise came from
/// the operating system. `ledger` is the charge to the account of whoever writes the file; other
/// holders have their own.
pub fn model(
    public: &Public<'_>,
    plan: &Plan,
    average: &Released<Vec<f64>>,
    stepped: Option<&Stepped>,
    counts: Option<&Released<Vec<f64>>>,
    ledger: Option<LedgerEntry>,
) -> Result<Model, IntervalError> {
    assert_eq!(public.names.len(), plan.holders().count(), "one name per holder");
    assert_eq!(stepped.is_some(), plan.joint().step.is_some(), "a step as planned");
    let theta = stepped.map_or(average, |stepped| &stepped.coefficients);
    let centred = public.schema.target().labels.several().map(|classes| centred(theta, classes));
    let theta = centred.as_ref().unwrap_or(theta);
    let mut privacy = promise(theta.provenance(), plan.budget(), plan.holders().unit());
    if privacy.private {
        privacy.statement = words::guarantee(plan);
    }
    let facts = JointFacts::of(plan, &public.names);
    let warning = warning(&privacy);
    let training = training(plan, public.lambda_from);
    let mut model = Model::new(warning, privacy, training, theta, public.schema);
    model.ledger = ledger;
    model.joint = Some(facts);
    model.quality = public
        .evaluation
        .as_ref()
        .zip(counts)
        .and_then(|(evaluation, counts)| evaluation.facts(plan, theta, counts));
    match (stepped.and_then(|stepped| stepped.evidence.as_ref()), plan.joint().step) {
        (Some(evidence), Some(step)) => {
            let training = 1.0 - step.hessian - step.covariance;
            let split = match plan.sums_moments() {
                true => [training, step.hessian + step.covariance, 0.0],
                false => [training, step.hessian, step.covariance],
            };
            with_intervals(model, evidence, &public.intervals, split)
        }
        _ => Ok(model),
    }
}

/// Coefficients whose classes add up to 0: what all classes have in common is noise alone, and
/// changes no probability.
fn centred(theta: &Released<Vec<f64>>, classes: usize) -> Released<Vec<f64>> {
    theta.clone().map(|mut theta| {
        let width = theta.len() / classes;
        for i in 0..width {
            let mean =
                (0..classes).map(|class| theta[class * width + i]).sum::<f64>() / classes as f64;
            (0..classes).for_each(|class| theta[class * width + i] -= mean);
        }
        theta
    })
}

/// How the coefficients came about. An average alone is output perturbation; a step is neither of
/// the two mechanisms.
fn training(plan: &Plan, lambda_from: LambdaFrom) -> TrainingFacts {
    let noise = plan.average().noise();
    let is_average = plan.joint().step.is_none();
    let of_average = |number: f64| is_average.then_some(number);
    TrainingFacts {
        rows: plan.holders().rows(),
        dimension: plan.holders().dimension(),
        loss: plan.loss(),
        lambda: plan.lambda(),
        lambda_from,
        mechanism: is_average.then_some(Mechanism::Output),
        noise: is_average.then_some(noise.law().into()),
        mask_deviation: of_average(noise.mask_deviation()),
        lattice_step: of_average(noise.lattice().step()),
        expected_error: of_average(noise.deviation()),
        worst_error: of_average(noise.deviation()),
        why: words::why(plan),
        without_intervals: None,
        base_rate: None,
    }
}
