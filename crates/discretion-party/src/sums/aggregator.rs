//! An aggregator in one round: receives, checks, adds up, adds its noise, lets go once.

use super::message::{SumMessage, SumMessageKind};
use super::scheme::{Scheme, VerifyKey, encoded};
use crate::RoundError;
use discretion::noise::{Provenance, Source};
use prio::codec::ParameterizedDecode;
use prio::field::{Field128, FieldElementWithInteger};
use prio::vdaf::prio3::{Prio3InputShare, Prio3PublicShare, Prio3VerifierShare, Prio3VerifyState};
use prio::vdaf::{Aggregatable, AggregateShare, Aggregator as _, OutputShare, VerifyTransition};

/// What an aggregator knows of one holder's contribution.
enum HolderState {
    Waiting,
    Checking(Box<Prio3VerifyState<Field128, 32>>),
    Accepted(OutputShare<Field128>),
    Rejected,
}

/// One of the aggregators of a round.
///
/// It lets go of a share of the sum once, in [`finish`](Aggregator::finish), which takes it by
/// value: two shares with the same rows in them would be two releases for the price of one. Whoever
/// restarts a round must not restore an aggregator that has finished.
pub struct Aggregator<'s> {
    scheme: &'s Scheme,
    number: usize,
    key: VerifyKey,
    holders: Vec<HolderState>,
}

impl<'s> Aggregator<'s> {
    /// Aggregator number `number`, from 0.
    pub fn new(scheme: &'s Scheme, number: usize, key: VerifyKey) -> Aggregator<'s> {
        assert!(number < scheme.aggregators(), "aggregators are numbered from 0");
        let holders = (0..scheme.round().holders()).map(|_| HolderState::Waiting).collect();
        Aggregator { scheme, number, key, holders }
    }

    /// Takes a holder's message, which must be its own. What is returned goes to all aggregators,
    /// this one included.
    pub fn receive_from(&mut self, sender: usize, message: &[u8]) -> Result<Vec<u8>, RoundError> {
        let SumMessage { holder, .. } = SumMessage::read(SumMessageKind::Report, 3, message)?;
        if holder != sender {
            let why = "it is in the name of another";
            return Err(RoundError::Damaged { from: format!("of holder {sender}"), why });
        }
        self.receive(message)
    }

    /// Takes a message of whichever holder. What is returned goes to all aggregators, this one
    /// included.
    pub fn receive(&mut self, message: &[u8]) -> Result<Vec<u8>, RoundError> {
        let SumMessage { holder, aggregator, parts, .. } =
            SumMessage::read(SumMessageKind::Report, 3, message)?;
        let damaged = |why| RoundError::Damaged { from: format!("of holder {holder}"), why };
        let state = self.holders.get(holder).ok_or_else(|| damaged("there is no such holder"))?;
        if !matches!(state, HolderState::Waiting) {
            return Err(RoundError::OutOfTurn { holder, why: "its contribution is here already" });
        }
        if aggregator != self.number {
            return Err(RoundError::Misdirected { holder, meant: aggregator, here: self.number });
        }
        let Scheme { vdaf, context, .. } = self.scheme;
        let nonce: [u8; 16] =
            parts[0].as_slice().try_into().map_err(|_| damaged("its nonce is no nonce"))?;
        let public = Prio3PublicShare::get_decoded_with_param(vdaf, &parts[1]);
        let public = public.map_err(|_| damaged("its public part is not of this round"))?;
        let share = Prio3InputShare::get_decoded_with_param(&(vdaf, self.number), &parts[2]);
        let share = share.map_err(|_| damaged("its share is not of this round"))?;
        let checking =
            vdaf.verify_init(&self.key, context, self.number, &(), &nonce, &public, &share);
        let (state, check) = checking.map_err(|_| self.reject(holder))?;
        self.holders[holder] = HolderState::Checking(Box::new(state));
        let parts = vec![encoded(&check)];
        Ok(SumMessage { kind: SumMessageKind::Check, holder, aggregator: self.number, parts }
            .to_bytes())
    }

    /// Checks a holder's proof, from what all aggregators returned when they received its
    /// contribution.
    pub fn verify(&mut self, checks: &[Vec<u8>]) -> Result<(), RoundError> {
        let messages = checks.iter().map(|check| SumMessage::read(SumMessageKind::Check, 1, check));
        let mut messages = messages.collect::<Result<Vec<_>, _>>()?;
        messages.sort_by_key(|message| message.aggregator);
        let expected = self.scheme.aggregators();
        let is_whole = messages.iter().map(|message| message.aggregator).eq(0..expected);
        let holder = messages.first().map_or(usize::MAX, |message| message.holder);
        let damaged = |why| RoundError::Damaged { from: format!("about holder {holder}"), why };
        if !is_whole || messages.iter().any(|message| message.holder != holder) {
            return Err(damaged(
                "a check needs one part from every aggregator, all about one holder",
            ));
        }
        let state = match self.holders.get_mut(holder) {
            None => return Err(damaged("there is no such holder")),
            Some(state) => std::mem::replace(state, HolderState::Rejected),
        };
        let HolderState::Checking(state) = state else {
            self.holders[holder] = state;
            return Err(RoundError::OutOfTurn { holder, why: "there is nothing to check" });
        };
        let output = self.checked(*state, messages);
        self.holders[holder] =
            HolderState::Accepted(output.ok_or(RoundError::Rejected { holder })?);
        Ok(())
    }

    /// The share that this aggregator may add up, if the proof holds.
    fn checked(
        &self,
        state: Prio3VerifyState<Field128, 32>,
        messages: Vec<SumMessage>,
    ) -> Option<OutputShare<Field128>> {
        let Scheme { vdaf, context, .. } = self.scheme;
        let decode = |message: &SumMessage| {
            Prio3VerifierShare::get_decoded_with_param(&state, &message.parts[0]).ok()
        };
        let checks = messages.iter().map(decode).collect::<Option<Vec<_>>>()?;
        let verdict = vdaf.verifier_shares_to_message(context, &(), checks).ok()?;
        match vdaf.verify_next(context, state, verdict).ok()? {
            VerifyTransition::Finish(output) => Some(output),
            VerifyTransition::Continue(..) => None,
        }
    }

    fn reject(&mut self, holder: usize) -> RoundError {
        self.holders[holder] = HolderState::Rejected;
        RoundError::Rejected { holder }
    }

    /// This aggregator's share of the sum, with its noise, for the coordinator. Refused unless
    /// every holder's contribution was accepted.
    pub fn finish(self, source: &mut dyn Source) -> Result<Vec<u8>, RoundError> {
        let Aggregator { scheme, number, holders, .. } = self;
        let mut sum = scheme.vdaf.aggregate_init(&());
        for (holder, state) in holders.into_iter().enumerate() {
            match state {
                HolderState::Accepted(output) => {
                    sum.accumulate(&output).expect("shares of one round have one length")
                }
                HolderState::Rejected => return Err(RoundError::Rejected { holder }),
                HolderState::Waiting | HolderState::Checking(_) => {
                    return Err(RoundError::Missing { holder });
                }
            }
        }
        let noise = scheme.round().noise_share(source)?;
        let noisy = sum.as_ref().iter().zip(noise.modulo(Field128::modulus()));
        let noisy: AggregateShare<Field128> =
            noisy.map(|(x, b)| *x + Field128::from(b)).collect::<Vec<_>>().into();
        let provenance = match noise.provenance() {
            Provenance::OperatingSystem => 0,
            Provenance::TestSeed => 1,
        };
        let parts = vec![vec![provenance], encoded(&noisy)];
        Ok(SumMessage { kind: SumMessageKind::Sum, holder: 0, aggregator: number, parts }
            .to_bytes())
    }
}
