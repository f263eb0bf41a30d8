//! The whole job: λ if it is a list, coefficients, and the matrices behind their intervals, within
//! one budget.
//!
//! [`Request`] (what is wanted) → [`Request::plan`] (checked, and every public number fixed) →
//! [`Plan::event`] (what it costs) → [`Plan::run`] → [`Fitted`]. Each part has its own proof; this
//! only puts them one after the other.

mod error;
mod table;

#[cfg(test)]
mod tests;

pub use error::FitError;
pub use table::{Table, TableFacts};

use crate::interval::parts::{PartModels, PartsPlan};
use crate::interval::{self, Evidence, Matrices, Split};
use crate::loss::LossKind;
use crate::loss::Score;
use crate::train::{self, Method, Pricing, Training};
use crate::tune::{SplitFacts, Tuning, TuningPlan, TuningRule};
use discretion_privacy::Budget;
use discretion_privacy::account::{Event, Spend, amount};
use discretion_privacy::noise::{Released, Source};

/// What is to be fitted, and what all of it may cost.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// The loss.
    pub loss: LossKind,
    /// The regularisation.
    pub lambda: Lambda,
    /// The mechanism.
    pub method: Method,
    /// What the whole run may spend.
    pub budget: Budget,
    /// How the budget is split, if intervals are wanted.
    pub intervals: Option<Split>,
}

const TWO_PARTS: &str = "a table for a chosen λ comes in two parts";
const MANY_PARTS: &str = "a table for intervals of several classes comes in parts";

/// How often the shares of a budget are enlarged to use what composition saves. Each takes a plan
/// of the whole job.
const STRETCHES: usize = 4;

/// Where λ comes from.
#[derive(Clone, Debug, PartialEq)]
pub enum Lambda {
    /// From the number of rows, the dimension and the budget alone.
    Auto,
    /// This one.
    Fixed(f64),
    /// Chosen privately.
    Chosen(Choosing),
}

/// How λ is chosen; see [`Tuning`].
#[derive(Clone, Debug, PartialEq)]
pub struct Choosing {
    /// The candidates.
    pub lambdas: Vec<f64>,
    /// The share of the budget that goes to the choice.
    pub share: f64,
    /// The share of rows that only validate.
    pub validation: f64,
    /// What models are measured by.
    pub score: Score,
    /// How one is chosen.
    pub rule: TuningRule,
}

/// Everything public about a fit.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    budget: Budget,
    training: TrainingPlan,
    matrices: Option<Matrices>,
}

/// How the coefficients come about.
#[derive(Clone, Debug, PartialEq)]
pub enum TrainingPlan {
    /// With a λ that is known.
    Known(Box<train::Plan>),
    /// With a λ that is chosen.
    Chosen(Box<TuningPlan>),
    /// In parts, whose models' spread gives intervals: those of several classes.
    Parts(Box<PartsPlan>),
}

/// A fitted model.
#[derive(Clone, Debug, PartialEq)]
pub struct Fitted {
    /// λ and the mechanism that released the coefficients.
    pub training: train::Plan,
    /// The coefficients.
    pub coefficients: Released<Vec<f64>>,
    /// What intervals are computed from.
    pub evidence: Option<Released<Evidence>>,
    /// The models of the parts, if there were any: the coefficients are their mean, and `training`
    /// is how one part was trained.
    pub parts: Option<Released<PartModels>>,
}

impl Request {
    /// The share of rows that only validate, if λ is to be chosen: the table must come in two parts
    /// then.
    pub fn validation(&self) -> Option<f64> {
        match &self.lambda {
            Lambda::Chosen(choosing) => Some(choosing.validation),
            Lambda::Auto | Lambda::Fixed(_) => None,
        }
    }

    /// Checks the request and fixes every public number.
    pub fn plan(&self, facts: TableFacts) -> Result<Plan, FitError> {
        train::only_margins(self.loss)?;
        if self.needs_parts(facts.all().heads().count() > 1) {
            return self.plan_parts(facts);
        }
        let lambda = match &self.lambda {
            Lambda::Auto => None,
            Lambda::Fixed(lambda) => Some(*lambda),
            Lambda::Chosen(choosing) => {
                let TableFacts::Split(facts) = facts else { panic!("{TWO_PARTS}") };
                return self.plan_chosen(choosing, &facts);
            }
        };
        let facts = match facts {
            TableFacts::Whole(all)
            | TableFacts::Split(SplitFacts { all, .. })
            | TableFacts::Parts { all, .. } => all,
        };
        let training =
            Training { loss: self.loss, lambda, method: self.method, budget: self.budget };
        let (training, matrices) = match self.intervals {
            None => (training.plan(facts)?, None),
            Some(split) => {
                let plan = interval::Plan::new(&training, split, facts)?;
                (plan.training().clone(), Some(plan.matrices()))
            }
        };
        Ok(Plan {
            budget: self.budget,
            training: TrainingPlan::Known(Box::new(training)),
            matrices,
        })
    }

    /// Whether the table must come in parts: intervals of several classes have no matrices.
    pub fn needs_parts(&self, several_heads: bool) -> bool {
        several_heads && self.intervals.is_some()
    }

    fn plan_parts(&self, facts: TableFacts) -> Result<Plan, FitError> {
        let lambda = match &self.lambda {
            Lambda::Auto => None,
            Lambda::Fixed(lambda) => Some(*lambda),
            Lambda::Chosen(_) => {
                return Err(FitError::Classes("a list of lambda beside [intervals]"));
            }
        };
        let TableFacts::Parts { all, parts } = facts else { panic!("{MANY_PARTS}") };
        let training =
            Training { loss: self.loss, lambda, method: self.method, budget: self.budget };
        let plan = PartsPlan::new(&training, all.rows, parts)?;
        let training = TrainingPlan::Parts(Box::new(plan));
        Ok(Plan { budget: self.budget, training, matrices: None })
    }

    fn plan_chosen(&self, choosing: &Choosing, facts: &SplitFacts) -> Result<Plan, FitError> {
        let mut plan = self.plan_stretched(choosing, facts, 1.0)?;
        if self.intervals.is_none() {
            return Ok(plan);
        }
        // Several (ε, δ) or ρ guarantees together cost less than their sum. What that leaves goes
        // to all of them alike.
        let price =
            |plan: &Plan| Spend::of(&plan.event()).ok()?.price(self.budget).ok().map(|p| p.amount);
        let mut stretch = 1.0;
        for _ in 0..STRETCHES {
            let Some(cost) = price(&plan).filter(|&cost| cost < 0.99 * amount(self.budget)) else {
                break;
            };
            let further = stretch * (amount(self.budget) / cost).min(4.0) * 0.998;
            match self.plan_stretched(choosing, facts, further) {
                Ok(wider) if price(&wider).is_some_and(|cost| cost <= amount(self.budget)) => {
                    (plan, stretch) = (wider, further);
                }
                _ => break,
            }
        }
        Ok(plan)
    }

    fn plan_stretched(
        &self,
        choosing: &Choosing,
        facts: &SplitFacts,
        stretch: f64,
    ) -> Result<Plan, FitError> {
        let Choosing { lambdas, share, validation, score, rule } = choosing.clone();
        let (budget, matrices) = match self.intervals {
            None => (self.budget, None),
            Some(split) => {
                // The middle λ decides whether matrices would say anything; whichever is chosen
                // pays the same.
                let mut sorted = lambdas.clone();
                sorted.sort_by(f64::total_cmp);
                let middle = sorted.get(sorted.len() / 2).copied().unwrap_or(0.0);
                let (rest, matrices) = Matrices::beside_training(
                    self.budget,
                    split,
                    stretch,
                    &facts.all,
                    self.loss,
                    middle,
                )?;
                (rest, Some(matrices))
            }
        };
        let (loss, method) = (self.loss, self.method);
        let pricing = if matrices.is_some() { Pricing::Joint } else { Pricing::Separate };
        let tuning =
            Tuning { loss, lambdas, method, pricing, budget, share, validation, score, rule };
        let plan = tuning.plan(facts.clone())?;
        Ok(Plan { budget: self.budget, training: TrainingPlan::Chosen(Box::new(plan)), matrices })
    }
}

impl Plan {
    /// What the whole run costs.
    pub fn budget(&self) -> Budget {
        self.budget
    }

    /// How the coefficients come about.
    pub fn training(&self) -> &TrainingPlan {
        &self.training
    }

    /// The same plan for a penalty around any intercept that is at most so far from 0
    /// ([`train::Plan::around_at_most`]).
    pub fn around_at_most(&self, most: f64) -> Result<Plan, FitError> {
        self.with_known(|training| Ok(training.around_at_most(most)?))
    }

    /// The same plan with the penalty around this intercept.
    pub fn around(&self, centre: f64) -> Plan {
        self.with_known(|training| Ok(training.around(centre))).expect("a plan for such centres")
    }

    fn with_known(
        &self,
        make: impl FnOnce(&train::Plan) -> Result<train::Plan, FitError>,
    ) -> Result<Plan, FitError> {
        let (TrainingPlan::Known(training), None) = (&self.training, self.matrices) else {
            panic!("one training, without intervals")
        };
        Ok(Plan { training: TrainingPlan::Known(Box::new(make(training)?)), ..self.clone() })
    }

    /// The matrices behind intervals, if there are to be any.
    pub fn matrices(&self) -> Option<Matrices> {
        self.matrices
    }

    /// What running this plan does to the table, for an account.
    pub fn event(&self) -> Event {
        let training = match &self.training {
            TrainingPlan::Known(plan) => plan.event(),
            TrainingPlan::Chosen(plan) => plan.event(),
            TrainingPlan::Parts(plan) => plan.event(),
        };
        match self.matrices {
            None => training,
            Some(matrices) => Event::Composition { of: vec![training, matrices.event()] },
        }
    }

    /// Runs it.
    ///
    /// Postcondition: everything in the result together satisfies [`Plan::budget`] for replace-one
    /// neighbours, if `source` is the operating system.
    pub fn run(&self, table: Table<'_>, source: &mut dyn Source) -> Result<Fitted, FitError> {
        // The rows that trained: the law of the coefficients is about them.
        let (training, coefficients, rows) = match (&self.training, table) {
            (TrainingPlan::Known(plan), table) => {
                ((**plan).clone(), plan.fit(table.all(), source)?, table.all())
            }
            (TrainingPlan::Chosen(plan), Table::Split(table)) => {
                let tuned = plan.run(table, source)?;
                let rows = if tuned.on_all_rows { table.all } else { table.training };
                (tuned.plan, tuned.coefficients, rows)
            }
            (TrainingPlan::Chosen(_), Table::Whole(_) | Table::Parts { .. }) => {
                panic!("{TWO_PARTS}")
            }
            (TrainingPlan::Parts(plan), Table::Parts { parts, .. }) => {
                let models = plan.run(parts, source)?;
                let (training, coefficients) =
                    (plan.of_a_part().clone(), models.clone().map(|models| models.mean()));
                return Ok(Fitted { training, coefficients, evidence: None, parts: Some(models) });
            }
            (TrainingPlan::Parts(_), Table::Whole(_) | Table::Split(_)) => panic!("{MANY_PARTS}"),
        };
        let evidence = match self.matrices {
            None => None,
            Some(matrices) => Some(matrices.run(rows, &training, &coefficients, source)?),
        };
        Ok(Fitted { training, coefficients, evidence, parts: None })
    }
}
