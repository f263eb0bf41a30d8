//! The secret sharing of one round: Prio3SumVec with the round's public numbers.

use super::message::{SumMessage, SumMessageKind};
use crate::RoundError;
use crate::wire::put_bytes;
use discretion::joint::{Contribution, Round, SecretSharing};
use discretion::noise::{NoiseError, Provenance, Released, random_word};
use discretion_jobs::identity::canonical;
use prio::codec::{Encode, ParameterizedDecode};
use prio::field::{Field128, FieldElement, FieldElementWithInteger};
use prio::vdaf::prio3::{Prio3InputShare, Prio3PublicShare, Prio3SumVec, optimal_chunk_length};
use prio::vdaf::{AggregateShare, Client};

/// A secret of all aggregators, which no holder may know: proofs are checked at points that it
/// picks.
pub type VerifyKey = [u8; 32];

/// A name for one attempt at a round, made anew for each. What belongs to one attempt is refused in
/// every other.
pub type Attempt = [u8; 16];

/// How one round's contributions are shared, checked and added up. A function of public numbers:
/// everyone who computes it from the same study and for the same attempt gets the same, and with
/// another one no proof holds.
pub struct Scheme {
    round: Round,
    aggregators: usize,
    pub(crate) vdaf: Prio3SumVec,
    pub(crate) context: Vec<u8>,
}

/// Binds a holder's shares to the attempt's context.
struct Prio3Sharing<'a> {
    scheme: &'a Scheme,
    nonce: [u8; 16],
}

type Prio3Shares = (Prio3PublicShare<32>, Vec<Prio3InputShare<Field128, 32>>);

impl SecretSharing for Prio3Sharing<'_> {
    type Shares = Result<Prio3Shares, RoundError>;

    fn split(&self, numbers: &[u128]) -> Result<Prio3Shares, RoundError> {
        let Scheme { vdaf, context, .. } = self.scheme;
        vdaf.shard(context, &numbers.to_vec(), &self.nonce).map_err(|error| RoundError::Scheme {
            dimension: numbers.len(),
            why: error.to_string(),
        })
    }
}

impl Scheme {
    /// The scheme of a round. `study` is a fingerprint of the public study, `attempt` the name of
    /// this attempt at the round.
    pub fn new(round: &Round, study: &[u8], attempt: &Attempt) -> Result<Scheme, RoundError> {
        let aggregators = round.noise().sharing().aggregators();
        let shared_among = u8::try_from(aggregators).ok().filter(|count| (2..=254).contains(count));
        let shared_among = shared_among.ok_or(RoundError::Aggregators(aggregators))?;
        let (largest, dimension) = (round.lattice().largest(), round.lattice().dimension());
        let bits = (u128::BITS - largest.leading_zeros()) as usize;
        let chunk = optimal_chunk_length(bits * dimension);
        let vdaf = Prio3SumVec::new_sum_vec(shared_among, largest, dimension, chunk)
            .map_err(|error| RoundError::Scheme { dimension, why: error.to_string() })?;
        // Lengths first, so that no two pairs of study and round give the same bytes.
        let numbers = canonical(&round.public_numbers());
        let mut context = b"discretion party 2".to_vec();
        for part in [attempt.as_slice(), study, numbers.as_bytes()] {
            put_bytes(&mut context, part);
        }
        Ok(Scheme { round: *round, aggregators, vdaf, context })
    }

    /// The round.
    pub fn round(&self) -> &Round {
        &self.round
    }

    /// A.
    pub fn aggregators(&self) -> usize {
        self.aggregators
    }

    /// A holder's messages, one for each aggregator in their order. Each is for that aggregator's
    /// eyes only: whoever has all of them has the contribution.
    pub fn report(
        &self,
        holder: usize,
        contribution: &Contribution,
    ) -> Result<Vec<Vec<u8>>, RoundError> {
        let nonce = nonce()?;
        let (public, shares) = contribution.share(&Prio3Sharing { scheme: self, nonce })?;
        Ok(self.messages(holder, nonce, &encoded(&public), &shares))
    }

    pub(crate) fn messages<T: Encode>(
        &self,
        holder: usize,
        nonce: [u8; 16],
        public: &[u8],
        shares: &[T],
    ) -> Vec<Vec<u8>> {
        let message = |(aggregator, share): (usize, &T)| {
            let parts = vec![nonce.to_vec(), public.to_vec(), encoded(share)];
            SumMessage { kind: SumMessageKind::Report, holder, aggregator, parts }.to_bytes()
        };
        shares.iter().enumerate().map(message).collect()
    }

    /// The released sum, from the share of each aggregator by its number, which must be its own.
    pub fn open_from(&self, sums: &[(usize, Vec<u8>)]) -> Result<Released<Vec<f64>>, RoundError> {
        for (number, sum) in sums {
            let SumMessage { aggregator, .. } = SumMessage::read(SumMessageKind::Sum, 2, sum)?;
            if aggregator != *number {
                let why = "it is in the name of another";
                return Err(RoundError::Damaged { from: format!("of aggregator {number}"), why });
            }
        }
        let sums: Vec<Vec<u8>> = sums.iter().map(|(_, sum)| sum.clone()).collect();
        self.open(&sums)
    }

    /// The released sum, from the shares that all aggregators finished with, in any order.
    pub fn open(&self, sums: &[Vec<u8>]) -> Result<Released<Vec<f64>>, RoundError> {
        let mut total = vec![Field128::zero(); self.round.lattice().dimension()];
        let mut provenance = Provenance::OperatingSystem;
        let mut seen = vec![false; self.aggregators];
        for sum in sums {
            let SumMessage { aggregator, parts, .. } =
                SumMessage::read(SumMessageKind::Sum, 2, sum)?;
            let damaged =
                |why| RoundError::Damaged { from: format!("of aggregator {aggregator}"), why };
            match seen.get_mut(aggregator) {
                Some(seen) if !*seen => *seen = true,
                _ => {
                    return Err(damaged(
                        "there is no such aggregator, or its share is there already",
                    ));
                }
            }
            match parts[0].as_slice() {
                [0] => {}
                [1] => provenance = Provenance::TestSeed,
                _ => return Err(damaged("it does not say where its noise came from")),
            }
            let share =
                AggregateShare::<Field128>::get_decoded_with_param(&(&self.vdaf, &()), &parts[1]);
            let share = share.map_err(|_| damaged("it is not a share of this sum"))?;
            total.iter_mut().zip(share.as_ref()).for_each(|(total, x)| *total += *x);
        }
        let found = seen.iter().filter(|&&seen| seen).count();
        if found < self.aggregators {
            return Err(RoundError::Incomplete { found, expected: self.aggregators });
        }
        let sum: Vec<i128> = total.into_iter().map(signed).collect();
        Ok(self.round.open(&sum, provenance))
    }
}

/// The whole number nearest to 0 that a field element stands for.
fn signed(x: Field128) -> i128 {
    let (x, p) = (u128::from(x), Field128::modulus());
    // p is odd, so neither half reaches 2¹²⁷.
    if x <= p / 2 { x as i128 } else { -((p - x) as i128) }
}

/// 16 bytes that no other report has.
pub(crate) fn nonce() -> Result<[u8; 16], NoiseError> {
    let words = [random_word()?, random_word()?];
    let mut nonce = [0; 16];
    nonce[..8].copy_from_slice(&words[0].to_be_bytes());
    nonce[8..].copy_from_slice(&words[1].to_be_bytes());
    Ok(nonce)
}

pub(crate) fn encoded(value: &impl Encode) -> Vec<u8> {
    value.get_encoded().expect("what was made here can be written")
}
