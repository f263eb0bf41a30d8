//! Ways to one model from several holders' rows, and from one holder that has them all.

use super::clear::{self, ClearStudy, Release};
use crate::Failure;
use discretion::erm::Oracle;
use discretion::erm::matrix::Matrix;
use discretion::fit::{Lambda, Request, Table, TableFacts};
use discretion::joint::{Holders, Joint, Sharing, Stepping, Wanted, Weighting};
use discretion::loss::LossKind;
use discretion::noise::Seeded;
use discretion::privacy::Budget;
use discretion::train;
use serde::Serialize;

/// A way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// Equal weights and the noise of the smallest holder, with the norm corrected.
    Printed,
    /// Weights by rows.
    Average,
    /// The same, with a Newton step if public numbers are for it.
    Auto,
    /// The same, with a Newton step whatever they say.
    Always,
    /// One holder with all rows, output perturbation.
    AloneOutput,
    /// One holder with all rows, as `discretion fit` does it.
    Alone,
}

impl Method {
    /// Those of several holders.
    pub const JOINT: [Method; 4] = [Method::Printed, Method::Average, Method::Auto, Method::Always];
    /// Those of one.
    pub const ALONE: [Method; 2] = [Method::AloneOutput, Method::Alone];

    /// For tables.
    pub fn name(self) -> &'static str {
        match self {
            Method::Printed => "printed",
            Method::Average => "average",
            Method::Auto => "step, if it helps (auto)",
            Method::Always => "step, always",
            Method::AloneOutput => "one holder, output",
            Method::Alone => "one holder, default",
        }
    }
}

/// Models of one method, each with noise of its own, and what was decided for them.
pub struct Models {
    /// Encoded coefficients.
    pub models: Vec<Vec<f64>>,
    /// λ of the average, or of training.
    pub lambda: f64,
    /// λ of the step, if one was taken.
    pub step: Option<f64>,
}

/// What printed noise and ours are both set to by λ, so that they are compared at their best: see
/// `Wanted`.
fn printed(holders: &Holders, sharing: Sharing, budget: Budget) -> Result<Joint, Failure> {
    let loss = LossKind::Logistic;
    let joint =
        |lambda| Joint { loss, lambda, weighting: Weighting::Printed, sharing, budget, step: None };
    let deviation = joint(0.1).plan(holders).map_err(failed)?.average().noise().deviation();
    Ok(joint((0.1 * deviation / 0.4).min(1.0)))
}

/// Trains by a method of several holders.
pub fn joint(
    method: Method,
    tables: &[Matrix],
    (sharing, budget): (Sharing, Budget),
    (draws, seed): (usize, u64),
) -> Result<Models, Failure> {
    let holders = clear::holders(tables).map_err(failed)?;
    let wanted = |step| {
        let wanted = Wanted { loss: LossKind::Logistic, lambda: None, sharing, budget, step };
        wanted.joint(&holders).map_err(failed)
    };
    let joint = match method {
        Method::Printed => printed(&holders, sharing, budget)?,
        Method::Average | Method::AloneOutput => wanted(Stepping::Never)?,
        Method::Auto => wanted(Stepping::Auto)?,
        Method::Always => wanted(Stepping::Always)?,
        Method::Alone => unreachable!("it is not of several holders"),
    };
    let study = ClearStudy::new(&joint, tables).map_err(failed)?;
    let mut source = Seeded::new(seed);
    let releases: Vec<Release> =
        (0..draws).map(|_| study.run(&mut source)).collect::<Result<_, _>>().map_err(failed)?;
    let step = joint.step.map(|_| study.plan.lambda());
    Ok(Models {
        models: releases.iter().map(|release| release.model().to_vec()).collect(),
        lambda: joint.lambda,
        step,
    })
}

/// Trains by a method of one holder.
pub fn alone(
    method: Method,
    table: &Matrix,
    budget: Budget,
    (draws, seed): (usize, u64),
) -> Result<Models, Failure> {
    if method == Method::AloneOutput {
        // One holder and one aggregator that nobody joins: output perturbation.
        let sharing = Sharing::new(1, 0).map_err(failed)?;
        let tables = std::slice::from_ref(table);
        return joint(method, tables, (sharing, budget), (draws, seed));
    }
    let request = Request {
        loss: LossKind::Logistic,
        lambda: Lambda::Auto,
        method: train::Method::Auto,
        budget,
        intervals: None,
    };
    let plan = request.plan(TableFacts::Whole(table.all().facts())).map_err(failed)?;
    let mut source = Seeded::new(seed);
    let mut models = Vec::new();
    let mut lambda = f64::NAN;
    for _ in 0..draws {
        let fitted = plan.run(Table::Whole(&table.all()), &mut source).map_err(failed)?;
        lambda = fitted.training.lambda();
        models.push(fitted.coefficients.to_vec());
    }
    Ok(Models { models, lambda, step: None })
}

/// An error of the library, which under these settings is one of the machine.
pub fn failed(error: impl std::fmt::Display) -> Failure {
    Failure(error.to_string())
}
