//! Running plans: draw the noise, solve, release.

use super::{Mechanism, Plan, TrainError, objective, output};
use crate::erm::solver::{Job, Start, minimise_all};
use crate::erm::{Oracle, OracleError};
use discretion_privacy::noise::gate::Certified;
use discretion_privacy::noise::{BigFloat, NoiseError, NoiseVector, Released, Sensitive, Source};
use discretion_privacy::trusted::{Open, certified};

/// A plan and its noise: from here on its output is a function of the rows.
pub(crate) struct Draw<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) noise: &'a NoiseVector,
    /// Where the solver starts. For runs that must be independent it may depend on the rows, not on
    /// other runs.
    pub(crate) start: Start<'a>,
}

impl Draw<'_> {
    fn job(&self) -> Job<'_> {
        let (lambda, start) = (self.plan.lambda(), self.start);
        let ordinary_noise = self.plan.chosen().accuracy().ordinary_noise;
        let noise = match self.plan.chosen().mechanism() {
            Mechanism::Objective => Some(self.noise),
            Mechanism::Output => None,
        };
        Job { lambda, ordinary_noise, noise, start }
    }

    /// The ideal mechanism's output, up to the public tolerance, from the minimiser of this draw's
    /// job.
    fn finish(&self, minimiser: Vec<BigFloat>) -> Certified {
        let accuracy = self.plan.chosen().accuracy();
        match self.plan.chosen().mechanism() {
            Mechanism::Objective => {
                certified(minimiser, objective::tolerance(&accuracy, self.plan.lambda()))
            }
            Mechanism::Output => {
                let moved = minimiser.into_iter().zip(self.noise.coordinates()).map(|(x, b)| x + b);
                certified(moved.collect(), output::tolerance(&accuracy))
            }
        }
    }
}

/// What each draw's ideal mechanism returns, to within its plan's tolerance. One pass over the rows
/// serves all.
pub(crate) fn solve_all(
    oracle: &dyn Oracle,
    draws: &[Draw<'_>],
) -> Result<Vec<Sensitive<Certified>>, OracleError> {
    let Some(first) = draws.first() else { return Ok(Vec::new()) };
    for Draw { plan, .. } in draws {
        assert_eq!(&oracle.facts(), plan.facts(), "a plan is made for one table's facts");
        assert_eq!(plan.loss(), first.plan.loss(), "draws that are solved together share a loss");
    }
    let jobs: Vec<Job<'_>> = draws.iter().map(Draw::job).collect();
    let minimisers = minimise_all(oracle, &*first.plan.outcome(), &jobs)?;
    let finish = |(draw, minimiser): (&Draw<'_>, Sensitive<Vec<BigFloat>>)| {
        Sensitive::new(draw.finish(minimiser.into_inner()))
    };
    Ok(draws.iter().zip(minimisers).map(finish).collect())
}

impl Plan {
    /// Draws this plan's noise, as finely as its tolerance asks for.
    pub(crate) fn draw(&self, source: &mut dyn Source) -> Result<NoiseVector, NoiseError> {
        let candidate = self.chosen();
        let accuracy = candidate.accuracy();
        let resolution = match candidate.mechanism() {
            Mechanism::Objective => objective::resolution(&accuracy, self.facts().rows),
            Mechanism::Output => output::resolution(&accuracy),
        };
        let facts = self.facts();
        let noise = facts.heads().noise(candidate.law(), facts.row_dimension());
        Ok(self.with_centre(noise.draw(resolution, source)?))
    }

    /// Runs the mechanism.
    ///
    /// Postcondition: the released coefficients satisfy [`Plan::budget`] for replace-one
    /// neighbours, if `source` is the operating system.
    pub fn fit(
        &self,
        oracle: &dyn Oracle,
        source: &mut dyn Source,
    ) -> Result<Released<Vec<f64>>, TrainError> {
        let noise = self.draw(source)?;
        let certified =
            solve_all(oracle, &[Draw { plan: self, noise: &noise, start: Start::Unknown }])?
                .remove(0);
        Ok(self.chosen().gate().release(certified, source)?)
    }
}
