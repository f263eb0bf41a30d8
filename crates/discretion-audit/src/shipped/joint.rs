//! Several holders: what is seen by one aggregator of three that takes its own share of noise out
//! again.

use super::{AUDITED_DELTA, Case, conversion_ceiling, labels, refused};
use crate::exact::{Exact, output_density};
use crate::{AuditError, Claim, Mechanism, Side};
use discretion_linear::erm::Oracle;
use discretion_linear::erm::matrix::Matrix;
use discretion_linear::joint::{
    Contribution, Holders, Joint, Plan, Round, Sharing, Step, Weighting, clear,
};
use discretion_linear::loss::LossKind;
use discretion_linear::quality::Tally;
use discretion_privacy::Budget;
use discretion_privacy::noise::{Law, Noise, Released};

const NEIGHBOURS: &str =
    "two holders with balanced labels but for one, and that one turned over; x = 1, hinge loss";

struct Together {
    plan: Plan,
    tables: [[Matrix; 2]; 2],
}

impl Together {
    /// What a round releases, less the colluder's share of noise.
    fn seen(
        &self,
        round: &Round,
        sum: &[Contribution],
        source: &mut Noise,
    ) -> Result<Released<Vec<f64>>, AuditError> {
        let honest = self.plan.sharing().honest();
        let shares =
            (0..honest).map(|_| round.noise_share(source)).collect::<Result<Vec<_>, _>>()?;
        Ok(clear::open(round, sum, &shares))
    }
}

impl Mechanism for Together {
    fn run(&self, side: Side, source: &mut Noise) -> Result<Vec<f64>, AuditError> {
        let tables = &self.tables[side as usize];
        let contributed =
            |(j, table): (usize, &Matrix)| self.plan.contribute(j, &table.all()).map_err(refused);
        let sum = tables.iter().enumerate().map(contributed).collect::<Result<Vec<_>, _>>()?;
        let average = self.seen(self.plan.average(), &sum, source)?;
        let mut output = average.to_vec();
        if let Some(step) = self.plan.step(&average).map_err(refused)? {
            let mut sums: Vec<Vec<Contribution>> =
                step.rounds().iter().map(|_| Vec::new()).collect();
            for (j, table) in tables.iter().enumerate() {
                let contributed = step.contribute(j, &table.all()).map_err(refused)?;
                sums.iter_mut().zip(contributed).for_each(|(sum, one)| sum.push(one));
            }
            for (round, sum) in step.rounds().iter().zip(&sums) {
                output.extend(self.seen(round, sum, source)?.iter());
            }
        }
        Ok(output)
    }
}

/// A third of the rows with one holder, the others, of which one label is turned over, with the
/// other.
fn planned(budget: Budget, rows: usize, step: Option<Step>) -> Result<Together, AuditError> {
    let few = rows / 3;
    let many = rows - few;
    let table = |ones: usize| {
        [labels((0..few).map(|i| i % 2 == 0)), labels((0..many).map(move |i| i < ones))]
    };
    let tables = [table(many.div_ceil(2)), table(many.div_ceil(2) - 1)];
    let row_terms = tables[0][0].all().facts().row_terms;
    let joint = Joint {
        loss: LossKind::Hinge,
        // Both minimisers of both holders stay where every slope is −1, if there are a few rows.
        lambda: 6.0 / few as f64,
        weighting: Weighting::BySize,
        sharing: Sharing::new(3, 1).map_err(refused)?,
        budget,
        step,
    };
    let holders = Holders::new(&[few, many], 1, row_terms).map_err(refused)?;
    Ok(Together { plan: joint.plan(&holders).map_err(refused)?, tables })
}

pub(super) fn average(budget: Budget, rows: usize) -> Result<Case, AuditError> {
    let together = planned(budget, rows, None)?;
    let noise = together.plan.average().noise();
    let centre = |side: usize| {
        let tables = together.tables[side].iter().enumerate();
        let sum = tables
            .map(|(j, table)| together.plan.contribute(j, &table.all()))
            .collect::<Result<Vec<_>, _>>();
        Ok::<f64, AuditError>(clear::open(together.plan.average(), &sum.map_err(refused)?, &[])[0])
    };
    let (law, left, right) = (noise.law(), centre(0)?, centre(1)?);
    let reach = match law {
        Law::Spherical { scale } => 30.0 * scale,
        Law::Gaussian { sigma } => 8.0 * sigma,
    };
    let exact = Exact::line(output_density(left, law), output_density(right, law), 1.0 + reach);
    let claim = Claim::of(budget, AUDITED_DELTA);
    let ceiling = conversion_ceiling(budget, |budget| matches!(budget, Budget::Pure { .. }));
    Ok(Case {
        mechanism: Box::new(together),
        claim,
        neighbours: NEIGHBOURS,
        ceiling,
        exact: Some(exact),
    })
}

pub(super) fn step(budget: Budget, rows: usize) -> Result<Case, AuditError> {
    let step = Step { lambda: None, gradient: 0.45, hessian: 0.1, covariance: 0.0, damping: 0.0 };
    Ok(Case {
        mechanism: Box::new(planned(budget, rows, Some(step))?),
        claim: Claim::of(budget, AUDITED_DELTA),
        neighbours: NEIGHBOURS,
        ceiling: Some(
            "a tenth of the budget pays for the Hessian, which a label turned over hardly moves",
        ),
        exact: None,
    })
}

struct Evaluated {
    together: Together,
    /// What each holder counts.
    tables: [[Tally; 2]; 2],
}

/// A score in the lowest bin, and one in the highest.
const SCORES: [f64; 2] = [-10.0, 10.0];

impl Evaluated {
    fn sum(&self, side: usize) -> Result<Vec<Contribution>, AuditError> {
        let counts = self.together.plan.counts().expect("rows are held out");
        let each = self.tables[side].iter().enumerate();
        each.map(|(holder, tally)| counts.contribute(holder, tally).map_err(refused)).collect()
    }
}

impl Mechanism for Evaluated {
    fn run(&self, side: Side, source: &mut Noise) -> Result<Vec<f64>, AuditError> {
        let round = self.together.plan.counts().expect("rows are held out").round();
        let seen = self.together.seen(round, &self.sum(side as usize)?, source)?;
        let true_counts = clear::open(round, &self.sum(0)?, &[]);
        // Noise is spherical: the two counts that move, and how far the others are from theirs, are
        // all that tells.
        let last = seen.len() - 1;
        let apart = (1..last).map(|i| (seen[i] - true_counts[i]).powi(2)).sum::<f64>().sqrt();
        Ok(vec![seen[0], seen[last], apart])
    }
}

/// A row that one of two holders holds out goes from the lowest bin of the negative class to the
/// highest of the positive one.
pub(super) fn counts(budget: Budget, rows: usize) -> Result<Case, AuditError> {
    let together = planned(budget, rows, None)?;
    let held_out = [rows / 3, rows - rows / 3];
    let plan = together.plan.evaluated_on(&held_out, 1).map_err(refused)?;
    let counts = plan.counts().expect("rows are held out");
    let table = |held_out: usize, last: bool| {
        let mut tally = counts.tally((-1.0, 1.0));
        (1..held_out).for_each(|row| tally.add(SCORES[row % 2], row % 2 == 1, 0));
        tally.add(SCORES[usize::from(last)], last, 0);
        tally
    };
    let tables = [false, true].map(|last| [table(held_out[0], false), table(held_out[1], last)]);
    let together = Together { plan, ..together };
    Ok(Case {
        mechanism: Box::new(Evaluated { together, tables }),
        claim: Claim::of(budget, AUDITED_DELTA),
        neighbours: "two holders; a held-out row goes from the lowest bin of the negative class to the highest of the positive one",
        ceiling: Some(
            "spherical noise has the whole budget only in outcomes that are far out along one line",
        ),
        exact: None,
    })
}
