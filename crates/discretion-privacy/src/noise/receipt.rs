//! The only door to real noise: a receipt says who paid for it.

use super::source::{NoiseError, Provenance, Source, sealed::Sealed};
use super::{OperatingSystem, Seeded};

/// What a release was paid with. Whoever has it may draw the operating system's noise, and nobody
/// else can: a release without a receipt does not compile.
///
/// ```
/// use discretion_privacy::Pure;
/// use discretion_privacy::noise::{IntegerNoise, Receipt, Sensitive};
/// let law = IntegerNoise::Laplace { sensitivity: 1, budget: Pure { epsilon: 1.0 } };
/// let mut receipt = Receipt::nobody_remembers();
/// let count = law.release(Sensitive::new(vec![42]), receipt.noise())?;
/// # Ok::<(), discretion_privacy::noise::NoiseError>(())
/// ```
///
/// The source behind it has no name outside this crate:
///
/// ```compile_fail
/// use discretion_privacy::Pure;
/// use discretion_privacy::noise::{IntegerNoise, OperatingSystem, Sensitive};
/// let law = IntegerNoise::Laplace { sensitivity: 1, budget: Pure { epsilon: 1.0 } };
/// let count = law.release(Sensitive::new(vec![42]), &mut OperatingSystem);
/// ```
///
/// Nor can noise be made without a receipt:
///
/// ```compile_fail
/// use discretion_privacy::Pure;
/// use discretion_privacy::noise::{IntegerNoise, Noise, Sensitive};
/// let law = IntegerNoise::Laplace { sensitivity: 1, budget: Pure { epsilon: 1.0 } };
/// let count = law.release(Sensitive::new(vec![42]), &mut Noise::default());
/// ```
///
/// Only a ledger makes a receipt for a charge:
///
/// ```compile_fail
/// use discretion_privacy::noise::{Payment, Receipt};
/// let receipt = Receipt { payment: Payment::Charge { account: "a".to_owned(), number: 1 } };
/// ```
#[derive(Debug)]
pub struct Receipt {
    payment: Payment,
    noise: Noise,
}

/// Who paid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Payment {
    /// An account of a ledger, durably, before anything was computed.
    Charge {
        /// The account.
        account: String,
        /// The charge's number in the ledger.
        number: u64,
    },
    /// Nobody remembers it: the guarantee holds for this release alone, and no file adds it to
    /// others.
    NobodyRemembers,
    /// Nobody had to: the noise comes from a seed, and the result is **not private**.
    Seed,
}

impl Receipt {
    /// A receipt for a release that no ledger will remember. What is made with it says so.
    pub fn nobody_remembers() -> Receipt {
        Receipt { payment: Payment::NobodyRemembers, noise: Noise(Inner::OperatingSystem) }
    }

    /// Noise under a seed: reproducible, and **not private**, which everything made with it says.
    pub fn seeded(seed: u64) -> Receipt {
        Receipt { payment: Payment::Seed, noise: Noise(Inner::Seeded(Box::new(Seeded::new(seed)))) }
    }

    /// The same, or without a seed [`nobody_remembers`](Receipt::nobody_remembers).
    pub fn unpaid(seed: Option<u64>) -> Receipt {
        seed.map_or_else(Receipt::nobody_remembers, Receipt::seeded)
    }

    /// For a ledger, once the charge is on the disk.
    pub(crate) fn for_charge(account: String, number: u64) -> Receipt {
        Receipt {
            payment: Payment::Charge { account, number },
            noise: Noise(Inner::OperatingSystem),
        }
    }

    /// Who paid.
    pub fn payment(&self) -> &Payment {
        &self.payment
    }

    /// What everything made with it must say.
    pub fn provenance(&self) -> Provenance {
        self.noise.provenance()
    }

    /// The noise that was paid for.
    pub fn noise(&mut self) -> &mut Noise {
        &mut self.noise
    }
}

/// The randomness of a release. A [`Receipt`] lends it.
#[derive(Debug)]
pub struct Noise(Inner);

#[derive(Debug)]
enum Inner {
    OperatingSystem,
    Seeded(Box<Seeded>),
}

impl Sealed for Noise {}

impl Source for Noise {
    fn provenance(&self) -> Provenance {
        match &self.0 {
            Inner::OperatingSystem => OperatingSystem.provenance(),
            Inner::Seeded(source) => source.provenance(),
        }
    }

    fn fill(&mut self, words: &mut [u64]) -> Result<usize, NoiseError> {
        match &mut self.0 {
            Inner::OperatingSystem => OperatingSystem.fill(words),
            Inner::Seeded(source) => source.fill(words),
        }
    }
}

/// 64 random bits that hide no row: for keys, tokens and names, and for rows drawn from a density
/// that is public already.
pub fn random_word() -> Result<u64, NoiseError> {
    OperatingSystem.word()
}
