//! Holders that try to send what is not in range.

use super::*;
use crate::sums::scheme::{encoded, nonce};
use prio::flp::gadgets::{Mul, ParallelSum};
use prio::flp::types::SumVec;
use prio::flp::{Flp, FlpError, Gadget, Type};
use prio::vdaf::Client;
use prio::vdaf::prio3::{Prio3, optimal_chunk_length};
use prio::vdaf::xof::XofTurboShake128;

type Honest = SumVec<Field128, ParallelSum<Field128, Mul>>;

/// The honest circuit and proof, and an encoding in which the first "bit" is whatever the holder
/// likes.
#[derive(Clone, Debug, PartialEq, Eq)]
struct FirstBitIs(Honest, u128);

impl Flp for FirstBitIs {
    type Field = Field128;

    fn gadget(&self) -> Vec<Box<dyn Gadget<Field128>>> {
        self.0.gadget()
    }

    fn num_gadgets(&self) -> usize {
        self.0.num_gadgets()
    }

    fn valid(
        &self,
        gadgets: &mut Vec<Box<dyn Gadget<Field128>>>,
        input: &[Field128],
        joint_rand: &[Field128],
        num_shares: usize,
    ) -> Result<Vec<Field128>, FlpError> {
        self.0.valid(gadgets, input, joint_rand, num_shares)
    }

    fn input_len(&self) -> usize {
        self.0.input_len()
    }

    fn proof_len(&self) -> usize {
        self.0.proof_len()
    }

    fn verifier_len(&self) -> usize {
        self.0.verifier_len()
    }

    fn joint_rand_len(&self) -> usize {
        self.0.joint_rand_len()
    }

    fn eval_output_len(&self) -> usize {
        self.0.eval_output_len()
    }

    fn prove_rand_len(&self) -> usize {
        self.0.prove_rand_len()
    }
}

impl Type for FirstBitIs {
    type Measurement = Vec<u128>;
    type AggregateResult = Vec<u128>;

    fn encode_measurement(&self, measurement: &Vec<u128>) -> Result<Vec<Field128>, FlpError> {
        let mut bits = self.0.encode_measurement(measurement)?;
        bits[0] = Field128::from(self.1);
        Ok(bits)
    }

    fn truncate(&self, input: Vec<Field128>) -> Result<Vec<Field128>, FlpError> {
        self.0.truncate(input)
    }

    fn decode_result(&self, data: &[Field128], count: usize) -> Result<Vec<u128>, FlpError> {
        self.0.decode_result(data, count)
    }

    fn output_len(&self) -> usize {
        self.0.output_len()
    }
}

/// A holder's report in which the first "bit" of these numbers is another number.
pub(crate) fn with_first_bit(
    scheme: &Scheme,
    holder: usize,
    numbers: &[u128],
    first: u128,
) -> Vec<Vec<u8>> {
    let lattice = scheme.round().lattice();
    let bits = (u128::BITS - lattice.largest().leading_zeros()) as usize;
    let chunk = optimal_chunk_length(bits * lattice.dimension());
    let honest = Honest::new(lattice.largest(), lattice.dimension(), chunk).unwrap();
    let aggregators = u8::try_from(scheme.aggregators()).unwrap();
    let typ = FirstBitIs(honest, first);
    let vdaf = Prio3::<_, XofTurboShake128, 32>::new(aggregators, 1, 3, typ).unwrap();
    let nonce = nonce().unwrap();
    let (public, shares) = vdaf.shard(&scheme.context, &numbers.to_vec(), &nonce).unwrap();
    scheme.messages(holder, nonce, &encoded(&public), &shares)
}

/// A well-formed report whose first number has been moved far out of its range is rejected, by
/// every aggregator and by name; with a bit in that place the same report is accepted, so it is the
/// range that was checked.
#[test]
fn numbers_out_of_range_are_rejected_and_named() {
    let tables = [one_class(10, true), one_class(12, false)];
    let plan = plan(joint(3, 1), &tables);
    let scheme = Scheme::new(plan.average(), b"study", &ATTEMPT).unwrap();
    let numbers = contributions(&plan, &tables)[1].share(&Reveal);
    for (first, is_accepted) in
        [(0, true), (1, true), (2, false), (1 << 90, false), (Field128::modulus() - 1, false)]
    {
        let messages = with_first_bit(&scheme, 1, &numbers, first);
        let mut all = aggregators(&scheme);
        let received = all.iter_mut().zip(&messages).map(|(one, message)| one.receive(message));
        let checks = received.collect::<Result<Vec<_>, _>>().unwrap();
        for aggregator in &mut all {
            let verdict = aggregator.verify(&checks);
            let expected =
                if is_accepted { Ok(()) } else { Err(RoundError::Rejected { holder: 1 }) };
            assert_eq!(verdict, expected, "first bit {first}");
        }
    }
}

/// Shares that do not fit together, because one was changed on its way, are rejected.
#[test]
fn a_changed_share_is_rejected() {
    let tables = [one_class(10, true), one_class(12, false)];
    let plan = plan(joint(2, 1), &tables);
    let scheme = Scheme::new(plan.average(), b"study", &ATTEMPT).unwrap();
    let contribution = &contributions(&plan, &tables)[0];
    let honest = scheme.report(0, contribution).unwrap();
    for (aggregator, from_the_end) in [(0, 40), (0, honest[0].len() / 2), (1, 40), (1, 5)] {
        let mut messages = scheme.report(0, contribution).unwrap();
        let place = messages[aggregator].len() - from_the_end;
        messages[aggregator][place] ^= 1;
        let mut all = aggregators(&scheme);
        let refused = submit(&mut all, &messages);
        assert_eq!(refused, Err(RoundError::Rejected { holder: 0 }), "{aggregator} {from_the_end}");
    }
}
