//! What the rules of `discretion::joint::Wanted` were chosen by: tables that docs/parties.md does
//! not report on, dealt to five holders at random.

use super::clear::{self, ClearStudy};
use super::methods::failed;
use super::split::{Deal, Sizes, Split};
use super::{BUDGETS, DELTA};
use crate::Failure;
use crate::tables::{BANK, KDD, MAGIC, PublicTable};
use crate::tuning::folds::shuffled;
use crate::tuning::measures::{auc, margins};
use discretion::erm::matrix::Matrix;
use discretion::joint::{Joint, Sharing, Step, Weighting};
use discretion::loss::LossKind;
use discretion::noise::Seeded;
use discretion::privacy::Budget;
use std::path::Path;

/// Standard deviations of the noise on each coefficient of an average.
const NOISE: [f64; 6] = [1.0, 0.67, 0.5, 0.4, 0.33, 0.25];

/// Steps: shares of gradient and Hessian, noise of the average before it, λ over that of the
/// average, damping.
const STEPS: [[f64; 5]; 6] = [
    [0.25, 0.35, 0.5, 0.1, 1.0],
    [0.3, 0.4, 0.5, 0.1, 1.0],
    [0.25, 0.35, 0.5, 0.3, 1.0],
    [0.25, 0.35, 1.0, 0.3, 1.0],
    [0.2, 0.3, 1.0, 0.3, 0.5],
    [0.1, 0.2, 1.0, 1.0, 1.0],
];

/// Further budgets that steps are tried under.
const MORE: [Budget; 3] = [
    Budget::Pure { epsilon: 10.0 },
    Budget::Approximate { epsilon: 0.3, delta: DELTA },
    Budget::Approximate { epsilon: 3.0, delta: DELTA },
];

/// The most training rows.
const ROWS: usize = 30_000;

/// Rows that train and rows that test.
struct Case {
    name: &'static str,
    tables: Vec<Matrix>,
    test: Matrix,
}

impl Case {
    fn read(table: &PublicTable, folder: &Path, rows: usize) -> Result<Case, Failure> {
        let all = table.read(folder)?;
        let order = shuffled(all.rows(), 1);
        let train = rows.min(2 * all.rows() / 3);
        let test = &order[train..all.rows().min(train + 10_000)];
        let split = Split { holders: 5, sizes: Sizes::Even, dealt: Deal::AtRandom };
        let tables = split.deal(&all.gather(&order[..train]), 1);
        Ok(Case { name: table.name, tables, test: all.gather(test) })
    }

    /// A study whose average has noise of this deviation, with λ of the step as a share of that of
    /// the average.
    fn joint(
        &self,
        budget: Budget,
        step: Option<(Step, f64)>,
        noise: f64,
    ) -> Result<Joint, Failure> {
        let joint = Joint {
            loss: LossKind::Logistic,
            lambda: 0.1,
            weighting: Weighting::BySize,
            sharing: Sharing::new(2, 1).map_err(failed)?,
            budget,
            step: step.map(|(step, _)| step),
        };
        let plan = joint.plan(&clear::holders(&self.tables).map_err(failed)?).map_err(failed)?;
        let lambda = (0.1 * plan.average().noise().deviation() / noise).min(1.0);
        let step = step.map(|(step, share)| Step { lambda: Some(share * lambda), ..step });
        Ok(Joint { lambda, step, ..joint })
    }

    /// Mean AUC over draws of noise that are the same for all studies, and how long the Hessian's
    /// noise is.
    fn measured(&self, joint: &Joint, draws: usize) -> Result<(f64, Option<f64>), Failure> {
        let study = ClearStudy::new(joint, &self.tables).map_err(failed)?;
        let source = &mut Seeded::new(3);
        let mut sum = 0.0;
        for _ in 0..draws {
            sum += auc(margins(&self.test, study.run(source).map_err(failed)?.model()));
        }
        Ok((sum / draws as f64, study.plan.hessian_noise().map_err(failed)?))
    }
}

/// The tables behind the rules.
pub fn text(folder: &Path) -> Result<String, Failure> {
    let cases = [(&BANK, ROWS), (&BANK, ROWS / 3), (&MAGIC, ROWS), (&KDD, ROWS)]
        .into_iter()
        .map(|(table, rows)| Case::read(table, folder, rows))
        .collect::<Result<Vec<_>, _>>()?;
    let head = |case: &Case, budget: Budget| {
        let rows: usize = case.tables.iter().map(Matrix::rows).sum();
        format!("{:<8} {rows:>6} rows {:<18}", case.name, budget.to_string())
    };
    let mut text = format!("AUC of an average, by the noise on each coefficient\n{:<39}", "");
    NOISE.iter().for_each(|noise| text.push_str(&format!("{noise:>8}")));
    for case in &cases {
        for budget in BUDGETS {
            text.push_str(&format!("\n{}", head(case, budget)));
            for noise in NOISE {
                let (auc, _) = case.measured(&case.joint(budget, None, noise)?, 30)?;
                text.push_str(&format!("{auc:>8.4}"));
            }
        }
    }
    text.push_str(
        "\n\nAUC of a step over that of an average with noise 0.4; columns: gradient/Hessian share, noise before, λ, damping\n",
    );
    text.push_str(&format!("{:<39}{:>8}", "", "H noise"));
    STEPS.iter().for_each(|[g, h, noise, share, damping]| {
        text.push_str(&format!("{:>22}", format!("{g}/{h} {noise} {share} {damping}")));
    });
    for case in &cases {
        for budget in BUDGETS.into_iter().chain(MORE) {
            let (average, _) = case.measured(&case.joint(budget, None, 0.4)?, 30)?;
            let mut gains = String::new();
            let mut seen = f64::NAN;
            for (i, &[gradient, hessian, noise, share, damping]) in STEPS.iter().enumerate() {
                let step = Step { lambda: None, gradient, hessian, covariance: 0.0, damping };
                let joint = case.joint(budget, Some((step, share)), noise)?;
                let (auc, hessian_noise) = case.measured(&joint, 6)?;
                gains.push_str(&format!("{:>+22.4}", auc - average));
                // That of the step which the rule takes under such a budget.
                let taken = if matches!(budget, Budget::Pure { .. }) { STEPS.len() - 1 } else { 0 };
                seen = hessian_noise.filter(|_| i == taken).unwrap_or(seen);
            }
            text.push_str(&format!("\n{}{seen:>8.2}{gains}", head(case, budget)));
        }
    }
    text.push('\n');
    Ok(text)
}
