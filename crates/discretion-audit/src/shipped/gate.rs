//! The mask alone: the ideal output is known, and only the error of the program differs.

use super::{AUDITED_DELTA, Case, LOOSE_CONVERSION};
use crate::{AuditError, Claim, Mechanism, Side};
use discretion_privacy::noise::gate::{Gate, Mask};
use discretion_privacy::noise::{Noise, Sensitive, exact};
use discretion_privacy::trusted::certified;
use discretion_privacy::{Approximate, Budget, Pure, Zcdp};

/// An error of 4.5 lattice steps and a little, which rounds away from 0: the widest that the
/// lattice allows.
const STEP: f64 = 1.0 / (1u64 << 30) as f64;
const TOLERANCE: f64 = 4.5 * (1.0 + 1e-9) * STEP;

struct Masked(Gate);

impl Mechanism for Masked {
    fn run(&self, side: Side, source: &mut Noise) -> Result<Vec<f64>, AuditError> {
        let error = if side == Side::Left { TOLERANCE } else { -TOLERANCE };
        let certified = certified(vec![exact(error)], TOLERANCE);
        let released = self.0.release(Sensitive::new(certified), source)?;
        // In lattice steps, for people.
        Ok(vec![released[0] / STEP])
    }
}

pub(super) fn gate(budget: Budget) -> Result<Case, AuditError> {
    let mask = match budget {
        Budget::Pure { epsilon } => Mask::Laplace(Pure { epsilon }),
        Budget::Zcdp { rho } => Mask::Gaussian(Zcdp { rho }),
        Budget::Approximate { epsilon, delta } => {
            Mask::Gaussian(Zcdp::within(Approximate { epsilon, delta }))
        }
    };
    Ok(Case {
        mechanism: Box::new(Masked(Gate::new(1, TOLERANCE, mask))),
        claim: Claim::of(budget, AUDITED_DELTA),
        neighbours: "ideal output 0, computed with errors τ and −τ",
        ceiling: match budget {
            Budget::Pure { .. } => Some(
                "the scale is a whole number of lattice steps, rounded up; at ε = 1 from 10 to 11",
            ),
            _ => Some(LOOSE_CONVERSION),
        },
        exact: None,
    })
}
