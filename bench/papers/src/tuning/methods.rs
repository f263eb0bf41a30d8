//! What is compared, and one round of it.

use super::folds::Fold;
use super::measures::{auc, margins, squared_error};
use super::printed::PaperMethods;
use super::{failed, seed_of};
use crate::Failure;
use discretion::erm::Oracle;
use discretion::loss::LossKind;
use discretion::noise::Seeded;
use discretion::privacy::Budget;
use discretion::train::{self, Training};
use discretion::tune::{Family, SplitTable, Tuning, TuningPlan, TuningRule};
use serde::Serialize;

/// A way to come by λ and a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// Ours, as it chooses its own rule.
    Default,
    /// Ours: by noisy score, each λ by its own stability.
    Generalised,
    /// Ours: the best of a random number of private runs.
    RandomStopping,
    /// Ours: no tuning, λ from public numbers.
    AutoLambda,
    /// The paper's "Stability".
    Stability,
    /// The paper's.
    AlphaSplit,
    /// The paper's.
    DataSplit,
    /// The paper's.
    Random,
    /// The paper's; not private.
    Control,
}

impl Method {
    /// All of them, in the order of tables.
    pub const ALL: [Method; 9] = [
        Method::Default,
        Method::Generalised,
        Method::RandomStopping,
        Method::AutoLambda,
        Method::Stability,
        Method::AlphaSplit,
        Method::DataSplit,
        Method::Random,
        Method::Control,
    ];

    /// Its name in tables and figures.
    pub fn name(self) -> &'static str {
        match self {
            Method::Default => "ours, default rule",
            Method::Generalised => "ours, generalised",
            Method::RandomStopping => "ours, random stopping",
            Method::AutoLambda => "ours, lambda = auto",
            Method::Stability => "Stability, as printed",
            Method::AlphaSplit => "alphaSplit",
            Method::DataSplit => "dataSplit",
            Method::Random => "Random",
            Method::Control => "Control (not private)",
        }
    }
}

/// One model on the rows of its test fold.
#[derive(Clone, Copy, Debug)]
pub struct Outcome {
    /// The method.
    pub method: Method,
    /// The position of its budget in the list.
    pub budget: usize,
    /// Area under the curve.
    pub auc: f64,
    /// The paper's MSE.
    pub mse: f64,
    /// The chosen λ's position, counted from 1 as in the paper; nothing if it was not chosen from
    /// the list.
    pub index: Option<f64>,
}

/// What one round gave.
#[derive(Clone, Debug, Default)]
pub struct Round {
    /// Each model.
    pub outcomes: Vec<Outcome>,
    /// Private classifiers that were trained for them.
    pub trained: usize,
}

/// What a round runs.
pub struct Setting<'a> {
    /// The candidates for λ.
    pub lambdas: &'a [f64],
    /// The budgets. Those with a δ are for our methods alone: the paper's are pure.
    pub budgets: &'a [Budget],
    /// Whether the family of rules that our default does not take is run as well.
    pub both_families: bool,
    /// The seed of this round.
    pub seed: u64,
}

/// Runs every method under every budget.
pub fn run(fold: &Fold, setting: &Setting<'_>) -> Result<Round, Failure> {
    let mut round = Round::default();
    let printed = PaperMethods::new(&fold.training, &fold.validation, setting.lambdas)?;
    for (position, &budget) in setting.budgets.iter().enumerate() {
        let source =
            |method: Method| Seeded::new(seed_of(&[setting.seed, position as u64, method as u64]));
        let mut keep = |method: Method, theta: &[f64], index: Option<usize>| {
            let margins = margins(&fold.test, theta);
            round.outcomes.push(Outcome {
                method,
                budget: position,
                mse: squared_error(&margins),
                auc: auc(margins),
                index: index.map(|i| (i + 1) as f64),
            });
        };
        round.trained += ours(fold, setting, budget, &source, &mut keep)?;
        let Budget::Pure { epsilon: alpha } = budget else { continue };
        for method in [Method::Stability, Method::AlphaSplit, Method::DataSplit] {
            let source = &mut source(method);
            let (pick, theta) = match method {
                Method::Stability => printed.stability(alpha, source)?,
                Method::AlphaSplit => printed.alpha_split(alpha, source)?,
                _ => printed.data_split(alpha, source)?,
            };
            keep(method, &theta, Some(pick));
        }
        let both = printed.random_and_control(alpha, &mut source(Method::Random))?;
        for (method, (pick, theta)) in [Method::Random, Method::Control].into_iter().zip(both) {
            keep(method, &theta, Some(pick));
        }
        round.trained += 4 * setting.lambdas.len() + 1;
    }
    Ok(round)
}

/// Our rules and λ = "auto"; returns how many classifiers that took.
fn ours(
    fold: &Fold,
    setting: &Setting<'_>,
    budget: Budget,
    source: &impl Fn(Method) -> Seeded,
    keep: &mut impl FnMut(Method, &[f64], Option<usize>),
) -> Result<usize, Failure> {
    let training =
        Training { loss: LossKind::Logistic, lambda: None, method: train::Method::Auto, budget };
    let auto = training.plan(fold.both.facts()).map_err(failed)?;
    let theta = auto.fit(&fold.both, &mut source(Method::AutoLambda)).map_err(failed)?;
    keep(Method::AutoLambda, &theta, None);
    let mut trained = 1;

    let validation = fold.validation.all();
    let table =
        SplitTable { training: &fold.training, validation: &validation, all: &fold.both };
    let tuning =
        Tuning::new(LossKind::Logistic, setting.lambdas.to_vec(), train::Method::Auto, budget);
    let default = tuning.plan(table.facts()).map_err(failed)?;
    let (own, other, other_rule) = match default.family() {
        Family::Selection { .. } => {
            (Method::Generalised, Method::RandomStopping, TuningRule::RandomStopping)
        }
        Family::RandomStopping(_) => {
            (Method::RandomStopping, Method::Generalised, TuningRule::Generalised)
        }
    };
    let mut run = |plan: &TuningPlan, method: Method| -> Result<(Vec<f64>, usize), Failure> {
        let mut source = source(method);
        trained += match plan.family() {
            Family::Selection { .. } => plan.lambdas().len() + 1,
            // The number of runs is the first thing that is drawn.
            Family::RandomStopping(stopping) => {
                stopping.law().draw(&mut source.clone()).map_err(failed)? as usize
            }
        };
        let tuned = plan.run(table, &mut source).map_err(failed)?;
        let lambda = tuned.plan.lambda();
        let pick = setting.lambdas.iter().position(|&candidate| candidate == lambda);
        Ok((tuned.coefficients.to_vec(), pick.expect("a candidate was chosen")))
    };
    let (theta, pick) = run(&default, own)?;
    keep(Method::Default, &theta, Some(pick));
    keep(own, &theta, Some(pick));
    if setting.both_families {
        let plan = Tuning { rule: other_rule, ..tuning }.plan(table.facts()).map_err(failed)?;
        let (theta, pick) = run(&plan, other)?;
        keep(other, &theta, Some(pick));
    }
    Ok(trained)
}
