//! Noise that several aggregators add, none of whom knows it: any A − t shares are enough.

use super::lattice::Lattice;
use super::{JointError, Sharing};
use crate::train::{Shares, output_laws};
use dashu_int::IBig;
use dashu_ratio::RBig;
use discretion_privacy::account::Event;
use discretion_privacy::noise::gate::Mask;
use discretion_privacy::noise::{
    Law, NoiseError, Provenance, ReadAhead, Source, discrete_gaussian, discrete_laplace,
};
use discretion_privacy::{Budget, Pure, ROUNDING_SLACK, Zcdp};

/// The noise that a budget buys for a sum of L₂ sensitivity 1. How large the sum's sensitivity is
/// may only be known when an earlier round is over; the price does not contain it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UnitNoise {
    law: Law,
    mask: Mask,
}

impl UnitNoise {
    /// The noise that a budget buys for d numbers: of those that it allows, the smallest.
    pub(super) fn within(budget: Budget, sharing: Sharing, dimension: usize) -> UnitNoise {
        let variance = |law: Law| law.part_variance(sharing.honest(), dimension);
        let laws = output_laws(1.0, &Shares::new(budget));
        let smallest =
            laws.into_iter().min_by(|(a, _), (b, _)| variance(*a).total_cmp(&variance(*b)));
        let (law, mask) = smallest.expect("every budget buys spherical noise");
        UnitNoise { law, mask }
    }

    /// The noise that a sum over other rows may have without making rounds with these dearer
    /// (`PROOF.md`, "Counts").
    pub(super) fn beside(rounds: &[UnitNoise], sharing: Sharing, dimension: usize) -> UnitNoise {
        let gaussian = |unit: &UnitNoise| match unit {
            UnitNoise { law: Law::Gaussian { sigma }, mask: Mask::Gaussian(mask) } => {
                Some((1.0 / (sigma * sigma), mask.rho))
            }
            _ => None,
        };
        match rounds.iter().map(gaussian).collect::<Option<Vec<_>>>() {
            Some(all) if all.len() > 1 => {
                let square: f64 = all.iter().map(|(square, _)| square).sum();
                let sigma = (1.0 + 4.0 * ROUNDING_SLACK) / square.sqrt();
                let rho = all.iter().map(|&(_, rho)| rho).fold(0.0, f64::max);
                UnitNoise { law: Law::Gaussian { sigma }, mask: Mask::Gaussian(Zcdp { rho }) }
            }
            _ => {
                let variance =
                    |unit: &UnitNoise| unit.law.part_variance(sharing.honest(), dimension);
                let smallest = rounds.iter().min_by(|a, b| variance(a).total_cmp(&variance(b)));
                *smallest.expect("there is a round")
            }
        }
    }

    /// The law of what any A − t exact shares add up to, at least, for sensitivity 1.
    pub fn law(&self) -> Law {
        self.law
    }

    /// The law of the mask.
    pub(super) fn mask(&self) -> Mask {
        self.mask
    }

    /// What one round with this noise does to a holder's rows.
    pub(super) fn event(&self, what: &str) -> Event {
        let ideal = match self.law {
            Law::Spherical { scale } => {
                Event::Pure { epsilon: (1.0 / scale).next_up(), what: what.to_owned() }
            }
            Law::Gaussian { sigma } => Event::Gaussian { sensitivity: 1.0, sigma },
        };
        Event::Composition { of: vec![ideal, self.mask.into()] }
    }

    fn times(self, sensitivity: f64) -> Law {
        let larger = |x: f64| x * sensitivity * (1.0 + ROUNDING_SLACK);
        match self.law {
            Law::Spherical { scale } => Law::Spherical { scale: larger(scale) },
            Law::Gaussian { sigma } => Law::Gaussian { sigma: larger(sigma) },
        }
    }
}

/// How finely noise is drawn, in lattice steps.
const RESOLUTION: f64 = 0.25;

/// The lattice step, as a share of sensitivity/(h^{3/2}·√d): masks that hide the rounding of shares
/// then stay some hundred times below the noise.
const FINENESS: f64 = 1.0 / (1u64 << 15) as f64;

/// The noise of one round.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SharedNoise {
    sharing: Sharing,
    lattice: Lattice,
    sensitivity: f64,
    law: Law,
    mask: Mask,
}

/// One aggregator's noise, in lattice steps. It is as secret as the rows, so it cannot be printed.
pub struct NoiseShare {
    steps: Vec<IBig>,
    provenance: Provenance,
}

impl NoiseShare {
    /// The numbers modulo p, for adding them to a share in a field of p elements.
    pub fn modulo(&self, p: u128) -> Vec<u128> {
        let p = IBig::from(p);
        let residue = |x: &IBig| {
            let rest = x % &p;
            let rest = if rest < IBig::ZERO { rest + &p } else { rest };
            u128::try_from(rest).expect("a residue is below p")
        };
        self.steps.iter().map(residue).collect()
    }

    /// Where it was drawn from.
    pub fn provenance(&self) -> Provenance {
        self.provenance
    }
}

impl SharedNoise {
    /// Noise and lattice for vectors whose exact or computed values are at most `moved` apart on
    /// neighbouring tables, before they are rounded, and at most `bound` large.
    pub(super) fn new(
        unit: UnitNoise,
        sharing: Sharing,
        dimension: usize,
        moved: f64,
        bound: f64,
    ) -> Result<SharedNoise, JointError> {
        let honest = sharing.honest() as f64;
        let widest = moved * FINENESS / (honest.powf(1.5) * (dimension as f64).sqrt());
        let lattice = Lattice::new(dimension, widest.log2().floor() as i32, bound)?;
        // One holder's rounding differs between neighbours, by twice as much as it can move a
        // vector.
        let sensitivity = (moved + 2.0 * lattice.rounding()) * (1.0 + ROUNDING_SLACK);
        Ok(SharedNoise {
            sharing,
            lattice,
            sensitivity,
            law: unit.times(sensitivity),
            mask: unit.mask,
        })
    }

    /// The lattice.
    pub fn lattice(&self) -> Lattice {
        self.lattice
    }

    /// How far apart the sums of neighbouring tables can be, rounding included.
    pub fn sensitivity(&self) -> f64 {
        self.sensitivity
    }

    /// The law of what any A − t exact shares add up to, at least.
    pub fn law(&self) -> Law {
        self.law
    }

    /// The law of each mask.
    pub(super) fn mask(&self) -> Mask {
        self.mask
    }

    /// Who adds it.
    pub fn sharing(&self) -> Sharing {
        self.sharing
    }

    /// How far the honest shares are from exact ones together, in steps.
    fn tolerance_in_steps(&self) -> f64 {
        let each = 0.5 * (self.lattice.dimension() as f64).sqrt() + RESOLUTION;
        self.sharing.honest() as f64 * each * (1.0 + ROUNDING_SLACK)
    }

    /// The scale of a mask in steps, a whole number, rounded up.
    pub(super) fn mask_scale(&self) -> f64 {
        let sensitivity = 2.0 * self.tolerance_in_steps();
        let scale = match self.mask {
            Mask::Laplace(Pure { epsilon }) => {
                (self.lattice.dimension() as f64).sqrt() * sensitivity / epsilon
            }
            Mask::Gaussian(Zcdp { rho }) => sensitivity / (2.0 * rho).sqrt(),
        };
        (scale * (1.0 + ROUNDING_SLACK)).ceil()
    }

    /// Draws one aggregator's share.
    ///
    /// Postcondition: a sum over holders, to which any A − t shares are added, satisfies what
    /// [`UnitNoise::event`] records for replace-one neighbours, if they came from the operating
    /// system.
    pub fn share(&self, source: &mut dyn Source) -> Result<NoiseShare, NoiseError> {
        let source = &mut ReadAhead::of(source);
        let (parts, dimension) = (self.sharing.honest(), self.lattice.dimension());
        let resolution = RESOLUTION * self.lattice.step();
        let part = self.law.draw_part(parts, dimension, resolution, source)?;
        let scale = RBig::try_from(self.mask_scale()).expect("a scale is finite");
        let mut steps = self.lattice.nearest(part.coordinates());
        for x in &mut steps {
            *x += match self.mask {
                Mask::Laplace(_) => discrete_laplace(&scale, source)?,
                Mask::Gaussian(_) => discrete_gaussian(&scale, source)?,
            };
        }
        Ok(NoiseShare { steps, provenance: source.provenance() })
    }

    /// The variance of all masks together, per coordinate.
    fn mask_variance(&self) -> f64 {
        let scale = self.mask_scale() * self.lattice.step();
        let one = match self.mask {
            Mask::Laplace(_) => 2.0 * scale * scale,
            Mask::Gaussian(_) => scale * scale,
        };
        self.sharing.aggregators() as f64 * one
    }

    /// The standard deviation of everything that is added to one coordinate.
    pub fn deviation(&self) -> f64 {
        let part = self.law.part_variance(self.sharing.honest(), self.lattice.dimension());
        (self.sharing.aggregators() as f64 * part + self.mask_variance()).sqrt()
    }

    /// A length that all shares of noise together exceed with probability at most e^{−l}
    /// (`PROOF.md`, "How long the noise is").
    pub fn length_exceeded_by(&self, l: f64) -> f64 {
        // Two lengths and the largest mask, each with a third of that probability.
        let l = l + 3f64.ln();
        let (d, aggregators) = (self.lattice.dimension() as f64, self.sharing.aggregators() as f64);
        let normal = d.sqrt() + (2.0 * l).sqrt();
        let times = match (self.law, self.degrees()) {
            (Law::Spherical { scale }, Some(degrees)) => {
                scale * ((degrees as f64).sqrt() + (2.0 * l).sqrt())
            }
            (law, _) => (aggregators
                * law.part_variance(self.sharing.honest(), self.lattice.dimension()))
            .sqrt(),
        };
        let rare = l + (2.0 * d * aggregators).ln();
        let largest_mask = match self.mask {
            Mask::Laplace(_) => self.mask_scale() * rare,
            Mask::Gaussian(_) => self.mask_scale() * (2.0 * rare).sqrt(),
        };
        let rounding = 0.5 * d.sqrt() + RESOLUTION;
        times * normal + aggregators * self.lattice.step() * (d.sqrt() * largest_mask + rounding)
    }

    /// Degrees of freedom of all shares of spherical noise together.
    pub(super) fn degrees(&self) -> Option<usize> {
        let each = Law::degrees(self.sharing.honest(), self.lattice.dimension());
        matches!(self.law, Law::Spherical { .. }).then_some(self.sharing.aggregators() * each)
    }

    /// The law of all shares together, for intervals: spherical noise with
    /// [`degrees`](SharedNoise::degrees), or Gaussian noise.
    pub(super) fn whole(&self) -> Law {
        match self.law {
            Law::Spherical { scale } => Law::Spherical { scale },
            Law::Gaussian { .. } => {
                let part = self.law.part_variance(self.sharing.honest(), self.lattice.dimension());
                Law::Gaussian { sigma: (self.sharing.aggregators() as f64 * part).sqrt() }
            }
        }
    }

    /// The standard deviation of all masks together, per coordinate.
    pub fn mask_deviation(&self) -> f64 {
        self.mask_variance().sqrt()
    }
}
