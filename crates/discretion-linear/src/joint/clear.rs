//! Sums in one place, for tests and audits: what secret sharing computes without showing it.

use super::{Contribution, NoiseShare, Round, SecretSharing};
use discretion_privacy::noise::{Provenance, Released};

/// No secret at all.
struct InTheClear;

impl SecretSharing for InTheClear {
    type Shares = Vec<u128>;

    fn split(&self, numbers: &[u128]) -> Vec<u128> {
        numbers.to_vec()
    }
}

/// Larger than any sum in a test, and small enough for signed numbers.
const MODULUS: u128 = 1 << 126;

/// What a round releases if these shares of noise are added; fewer than all are what colluders see
/// after they took theirs out.
pub fn open(
    round: &Round,
    contributions: &[Contribution],
    noise: &[NoiseShare],
) -> Released<Vec<f64>> {
    let mut sum = vec![0u128; round.lattice().dimension()];
    let residues = contributions.iter().map(|one| one.share(&InTheClear));
    for numbers in residues.chain(noise.iter().map(|share| share.modulo(MODULUS))) {
        sum.iter_mut().zip(numbers).for_each(|(s, x)| *s = (*s + x) % MODULUS);
    }
    let signed = |x: u128| {
        let x = x as i128;
        if x >= MODULUS as i128 / 2 { x - MODULUS as i128 } else { x }
    };
    let provenance = noise.first().map_or(Provenance::TestSeed, NoiseShare::provenance);
    round.open(&sum.into_iter().map(signed).collect::<Vec<_>>(), provenance)
}
