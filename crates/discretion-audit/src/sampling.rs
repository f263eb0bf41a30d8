//! Running both sides on all cores, and the audit itself.

use super::learn::learn;
use super::statistics::{delta_at_least, epsilon_at_least};
use super::{AuditError, Claim, Finding, Mechanism, Outputs, Side, Verdict};
use discretion_privacy::noise::Receipt;
use rayon::prelude::*;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Fewer runs of each side leave nothing to learn from.
pub(super) const LEAST_TRIALS: usize = 100;

/// How an audit is made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Runs of each side. Half of them choose the event, the others measure it.
    pub trials: usize,
    /// The probability with which the bounds hold.
    pub confidence: f64,
    /// For the same result each time; without it the randomness is the operating system's.
    pub seed: Option<u64>,
}

impl Settings {
    /// Checks the numbers.
    pub fn check(&self) -> Result<(), AuditError> {
        if self.trials < LEAST_TRIALS {
            return Err(AuditError::Trials(self.trials));
        }
        if !(self.confidence > 0.0 && self.confidence < 1.0) {
            return Err(AuditError::Confidence(self.confidence));
        }
        Ok(())
    }
}

/// Audits a claim. `progress` is told how many of how many runs are done; with a seed the finding
/// does not depend on the number of threads.
pub fn audit(
    mechanism: &dyn Mechanism,
    claim: Claim,
    settings: Settings,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Result<Finding, AuditError> {
    settings.check()?;
    claim.check()?;
    let Settings { trials, confidence, seed } = settings;
    let learning = trials / 2;
    let measured = trials - learning;
    let done = AtomicUsize::new(0);
    let tell = |runs: usize| progress(done.fetch_add(runs, Ordering::Relaxed) + runs, 2 * trials);

    let plan = Phase { mechanism, seed, phase: 0, tell: &tell };
    let [left, right] = plan.runs(learning, Ok)?;
    let join = |parts: Vec<Outputs>| {
        let mut all = Outputs::default();
        parts.iter().try_for_each(|part| all.append(part)).map(|()| all)
    };
    let (left, right) = (join(left)?, join(right)?);
    if left.width() != right.width() {
        return Err(AuditError::Width { expected: left.width(), found: right.width() });
    }
    let event = learn(&left, &right, claim.delta, confidence);

    let width = left.width();
    let count = |outputs: Outputs| {
        if outputs.width() == width {
            Ok(outputs.iter().filter(|output| event.holds(output)).count())
        } else {
            Err(AuditError::Width { expected: width, found: outputs.width() })
        }
    };
    let [left, right] =
        Phase { phase: 1, ..plan }.runs(measured, count)?.map(|counts| counts.iter().sum());
    let happened = if event.likelier_on == Side::Left { [left, right] } else { [right, left] };
    let epsilon = epsilon_at_least(happened, measured, claim.delta, confidence);
    Ok(Finding {
        claim,
        epsilon_at_least: epsilon,
        delta_at_least: delta_at_least(happened, measured, claim.epsilon, confidence),
        trials,
        confidence,
        event: event.words(),
        likelier_on: event.likelier_on,
        happened,
        measured,
        verdict: if epsilon > claim.epsilon { Verdict::Violated } else { Verdict::Consistent },
    })
}

/// The runs that learn, or the runs that measure.
#[derive(Clone, Copy)]
struct Phase<'a> {
    mechanism: &'a dyn Mechanism,
    seed: Option<u64>,
    phase: u64,
    tell: &'a (dyn Fn(usize) + Sync),
}

impl Phase<'_> {
    /// What `keep` makes of each batch, left and right.
    fn runs<T: Send>(
        &self,
        count: usize,
        keep: impl Fn(Outputs) -> Result<T, AuditError> + Sync,
    ) -> Result<[Vec<T>; 2], AuditError> {
        let size = self.mechanism.batch().max(1);
        let batches = count.div_ceil(size);
        let one = |side: Side, batch: usize| {
            let runs = size.min(count - batch * size);
            let number = 4 * batch as u64 + 2 * self.phase + u64::from(side == Side::Right);
            let mut receipt = Receipt::unpaid(self.seed.map(|seed| mixed(mixed(seed) ^ number)));
            let outputs = self.mechanism.runs(side, runs, receipt.noise())?;
            if outputs.len() != runs {
                let problem = format!("{runs} outputs were asked for and {} came", outputs.len());
                return Err(AuditError::Run(problem));
            }
            (self.tell)(runs);
            keep(outputs)
        };
        let both: Result<Vec<(T, T)>, AuditError> = (0..batches)
            .into_par_iter()
            .map(|batch| Ok((one(Side::Left, batch)?, one(Side::Right, batch)?)))
            .collect();
        let (left, right) = both?.into_iter().unzip();
        Ok([left, right])
    }
}

/// A seed that has nothing to do with its neighbours' (Steele, Lea & Flood 2014).
fn mixed(x: u64) -> u64 {
    let x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}
