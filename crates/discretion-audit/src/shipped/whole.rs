//! Several mechanisms one after the other: tuning, random stopping, matrices, the whole fit.

use super::{AUDITED_DELTA, Case, balanced, labels, refused};
use crate::{AuditError, Claim, Mechanism, Side};
use discretion_linear::erm::Oracle;
use discretion_linear::erm::matrix::{Batch, Layout, Matrix, Norm};
use discretion_linear::fit::{Lambda, Plan as FitPlan, Request, Table};
use discretion_linear::interval::{Evidence, Matrices, SecondMoments, Split, Symmetric};
use discretion_linear::loss::LossKind;
use discretion_linear::train::{Method, Plan, Training};
use discretion_linear::tune::{SplitTable, Tuning, TuningPlan, TuningRule};
use discretion_privacy::noise::{Noise, Source};
use discretion_privacy::trusted::released;
use discretion_privacy::{Budget, Stopping};

/// The share of rows that validate.
const VALIDATION: f64 = 1.0 / 3.0;

/// The most runs of random stopping.
const MOST_RUNS: u32 = 8;

struct Tuned {
    plan: TuningPlan,
    /// Training rows and validation rows, by side.
    tables: [[Matrix; 3]; 2],
}

impl Mechanism for Tuned {
    fn run(&self, side: Side, source: &mut Noise) -> Result<Vec<f64>, AuditError> {
        let [training, validation, all] = &self.tables[side as usize];
        let tuned = self
            .plan
            .run(
                SplitTable {
                    training: &training.all(),
                    validation: &validation.all(),
                    all: &all.all(),
                },
                source,
            )
            .map_err(refused)?;
        Ok(std::iter::once(tuned.plan.lambda()).chain(tuned.coefficients.iter().copied()).collect())
    }
}

fn tuned(rule: TuningRule, budget: Budget, rows: usize) -> Result<Tuned, AuditError> {
    let validating = discretion_choose::split::validation_rows(rows, VALIDATION);
    let training = rows - validating;
    let positive = training.div_ceil(2);
    // The replaced row trains; what validates is the same on both sides.
    let table = |ones: usize| {
        let trains = (0..training).map(move |i| i < ones);
        let validates = || (0..validating).map(|i| i % 2 == 0);
        [labels(trains.clone()), labels(validates()), labels(trains.chain(validates()))]
    };
    let tables = [table(positive), table(positive - 1)];
    let lambdas = vec![4.0 / training as f64, 40.0 / training as f64];
    let [training, validation, all] = &tables[0];
    let facts =
        SplitTable { training: &training.all(), validation: &validation.all(), all: &all.all() }
            .facts();
    let tuning = Tuning {
        rule,
        validation: VALIDATION,
        ..Tuning::new(LossKind::Hinge, lambdas, Method::Output, budget)
    };
    let plan = match rule {
        // The shipped laws make up to 300 runs; their price depends on the shape alone, so a
        // shorter one shows the same.
        TuningRule::RandomStopping => {
            let law = Stopping::new(0.5, MOST_RUNS).map_err(refused)?;
            tuning.plan_stopping(facts, law)
        }
        _ => tuning.plan(facts),
    };
    Ok(Tuned { plan: plan.map_err(refused)?, tables })
}

const TUNED: &str =
    "balanced labels but for one training row, and that one turned over; x = 1, hinge loss, two λ";

pub(super) fn tuning(budget: Budget, rows: usize) -> Result<Case, AuditError> {
    Ok(Case {
        mechanism: Box::new(tuned(TuningRule::Generalised, budget, rows)?),
        claim: Claim::of(budget, AUDITED_DELTA),
        neighbours: TUNED,
        ceiling: Some(
            "30 % of the budget pays for the choice of λ, which one row of these tables hardly moves",
        ),
        exact: None,
    })
}

pub(super) fn random_stopping(budget: Budget, rows: usize) -> Result<Case, AuditError> {
    Ok(Case {
        mechanism: Box::new(tuned(TuningRule::RandomStopping, budget, rows)?),
        claim: Claim::of(budget, AUDITED_DELTA),
        neighbours: TUNED,
        ceiling: Some(
            "one run has 1/(2 + η) of ε, and the price of stopping is reached only where the score favours what the row moves",
        ),
        exact: None,
    })
}

struct Squares {
    matrices: Matrices,
    training: Plan,
    theta: Vec<f64>,
    tables: [Matrix; 2],
}

impl Mechanism for Squares {
    fn run(&self, side: Side, source: &mut Noise) -> Result<Vec<f64>, AuditError> {
        let theta = released(self.theta.clone(), source.provenance());
        let evidence = self
            .matrices
            .run(&self.tables[side as usize].all(), &self.training, &theta, source)
            .map_err(refused)?;
        Ok(matrices_of(&evidence)
            .into_iter()
            .flat_map(|matrix| [matrix.entry(0, 0), matrix.entry(1, 0), matrix.entry(1, 1)])
            .collect())
    }
}

/// Hessian and covariance, or the rows' moments, which logistic regression does with.
fn matrices_of(evidence: &Evidence) -> Vec<&Symmetric> {
    match evidence.moments() {
        SecondMoments::OfGradients { hessian, covariance, .. } => vec![hessian, covariance],
        SecondMoments::OfRows(moments) => vec![moments.matrix()],
    }
}

/// Nearly all for the Hessian: no coefficients give both matrices their largest weights at once.
const SPLIT: [f64; 3] = [0.5, 0.45, 0.05];

/// 1/√2, which the nearest f32 is just below: rows (c, c) and (c, −c) have length 1 and are at
/// right angles.
const ROOT: f32 = std::f32::consts::FRAC_1_SQRT_2;

/// Rows at right angles, both where the loss is most curved: the Hessian moves by √2·t/n exactly.
pub(super) fn matrices(budget: Budget, rows: usize) -> Result<Case, AuditError> {
    Ok(Case {
        mechanism: Box::new(squares(LossKind::Hinge, budget, rows)?),
        claim: Claim::of(budget, AUDITED_DELTA),
        neighbours: "one row (c, c) or (c, −c), c = 1/√2, at coefficients where margins are 1; hinge loss",
        ceiling: Some("noise in six dimensions points along the change only now and then"),
        exact: None,
    })
}

/// The rows' own moments, which do not depend on coefficients: they move by √2/n, and in cells by
/// all that their noise allows for.
pub(super) fn moments(budget: Budget, rows: usize) -> Result<Case, AuditError> {
    Ok(Case {
        mechanism: Box::new(squares(LossKind::Logistic, budget, rows)?),
        claim: Claim::of(budget, AUDITED_DELTA),
        neighbours: "one row (c, c) or (c, −c), c = 1/√2; logistic loss",
        ceiling: Some("noise in three dimensions points along the change only now and then"),
        exact: None,
    })
}

fn squares(loss: LossKind, budget: Budget, rows: usize) -> Result<Squares, AuditError> {
    let layout = Layout::new(Norm::Scale, ROOT, vec![ROOT], vec![]).map_err(refused)?;
    let table = |first: f32| {
        let numeric = std::iter::once(first).chain((1..rows).map(|_| 0.0)).collect();
        let mut matrix = Matrix::new(layout.clone());
        matrix.push(Batch { numeric, codes: vec![], positive: vec![true; rows] });
        matrix
    };
    let tables = [table(ROOT), table(-ROOT)];
    let split = Split::new(SPLIT[0], SPLIT[1], SPLIT[2]).map_err(refused)?;
    // The other half pays for a training that is not part of this audit.
    let both = match budget {
        Budget::Pure { epsilon } => Budget::Pure { epsilon: 2.0 * epsilon },
        Budget::Zcdp { rho } => Budget::Zcdp { rho: 2.0 * rho },
        Budget::Approximate { epsilon, delta } => {
            Budget::Approximate { epsilon: 2.0 * epsilon, delta: 2.0 * delta }
        }
    };
    let (facts, lambda) = (tables[0].all().facts(), 1.0);
    let (training, matrices) =
        Matrices::beside_training(both, split, 1.0, &facts, loss, lambda).map_err(refused)?;
    let training =
        Training { loss, lambda: Some(lambda), method: Method::Output, budget: training };
    let training = training.plan(facts).map_err(refused)?;
    Ok(Squares { matrices, training, theta: vec![1.0 / f64::from(ROOT), 0.0], tables })
}

struct Fitted {
    plan: FitPlan,
    tables: [Matrix; 2],
}

impl Mechanism for Fitted {
    fn run(&self, side: Side, source: &mut Noise) -> Result<Vec<f64>, AuditError> {
        let fitted = self
            .plan
            .run(Table::Whole(&self.tables[side as usize].all()), source)
            .map_err(refused)?;
        let mut output = fitted.coefficients.to_vec();
        if let Some(evidence) = fitted.evidence {
            output.extend(matrices_of(&evidence).into_iter().map(|matrix| matrix.entry(0, 0)));
        }
        Ok(output)
    }
}

pub(super) fn fit(budget: Budget, rows: usize) -> Result<Case, AuditError> {
    let tables = balanced(rows);
    let request = Request {
        loss: LossKind::Hinge,
        lambda: Lambda::Fixed(4.0 / rows as f64),
        method: Method::Output,
        budget,
        intervals: Some(Split::DEFAULT),
    };
    let plan = request
        .plan(discretion_linear::fit::TableFacts::Whole(tables[0].all().facts()))
        .map_err(refused)?;
    Ok(Case {
        mechanism: Box::new(Fitted { plan, tables }),
        claim: Claim::of(budget, AUDITED_DELTA),
        neighbours: "balanced labels but for one, and that one turned over; x = 1, hinge loss",
        ceiling: Some(
            "30 % of the budget pays for matrices, which a label turned over here hardly moves",
        ),
        exact: None,
    })
}
