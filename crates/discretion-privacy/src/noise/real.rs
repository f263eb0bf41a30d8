//! Real numbers drawn exactly: a whole part, and a fraction whose bits are drawn when someone asks.
//!
//! Only comparisons of uniform fractions are made, so there is no logarithm to round and no finite
//! uniform that would cut a tail off (von Neumann 1951 for the exponential, Karney 2016 for the
//! normal law).

use super::{NoiseError, Source};
use dashu_base::DivRem;
use dashu_int::{IBig, UBig};

/// A uniform number in [0, 1), known to as many bits as were asked for so far.
#[derive(Default)]
struct Fraction {
    /// The most significant word, which nearly always decides.
    first: Option<u64>,
    /// Those behind it.
    others: Vec<u64>,
}

impl Fraction {
    fn word(&mut self, index: usize, source: &mut dyn Source) -> Result<u64, NoiseError> {
        let first = match self.first {
            Some(word) => word,
            None => *self.first.insert(source.word()?),
        };
        while self.others.len() < index {
            self.others.push(source.word()?);
        }
        Ok(if index == 0 { first } else { self.others[index - 1] })
    }

    fn is_below(
        &mut self,
        other: &mut Fraction,
        source: &mut dyn Source,
    ) -> Result<bool, NoiseError> {
        for index in 0.. {
            let (ours, theirs) = (self.word(index, source)?, other.word(index, source)?);
            if ours != theirs {
                return Ok(ours < theirs);
            }
        }
        unreachable!("two infinite fractions differ somewhere")
    }
}

/// A real number drawn from a continuous law. Asking for more bits refines it; it never changes.
pub struct Real {
    negative: bool,
    whole: u64,
    fraction: Fraction,
}

impl Real {
    /// A number that nobody drew, by its whole part and the first words of its fraction.
    #[cfg(test)]
    pub(super) fn fixed(whole: u64, words: &[u64]) -> Real {
        let fraction = Fraction { first: words.first().copied(), others: words[1..].to_vec() };
        Real { negative: false, whole, fraction }
    }

    /// A standard exponential.
    ///
    /// A uniform u starts a falling run u > u₂ > u₃ …; the run's length is odd with probability
    /// e^{−u}. Then u is the fraction; otherwise the whole part grows by one and the trial is
    /// repeated.
    pub fn exponential(source: &mut dyn Source) -> Result<Real, NoiseError> {
        let mut whole = 0u64;
        loop {
            let mut first = Fraction::default();
            if falling_run_is_odd(&mut first, source)? {
                return Ok(Real { negative: false, whole, fraction: first });
            }
            whole += 1;
        }
    }

    /// A standard normal (Karney's Algorithm N).
    pub fn normal(source: &mut dyn Source) -> Result<Real, NoiseError> {
        'again: loop {
            // k with probability ∝ e^{−k/2}, kept with probability e^{−k(k−1)/2}: ∝ e^{−k²/2}.
            let mut whole = 0u64;
            while with_chance_of_root_e(source)? {
                whole += 1;
            }
            for _ in 0..whole * whole.saturating_sub(1) {
                if !with_chance_of_root_e(source)? {
                    continue 'again;
                }
            }
            // x kept with probability e^{−x(2k+x)/2}: k + x then has density ∝ e^{−(k+x)²/2}.
            let mut fraction = Fraction::default();
            for _ in 0..=whole {
                if !with_chance_of_step(whole, &mut fraction, source)? {
                    continue 'again;
                }
            }
            let negative = source.word()? & 1 == 1;
            return Ok(Real { negative, whole, fraction });
        }
    }

    /// The number times 2^bits, cut to a whole number: off by less than 1.
    pub fn cut(&mut self, bits: usize, source: &mut dyn Source) -> Result<IBig, NoiseError> {
        let mut steps = IBig::from(self.whole);
        for index in 0..bits.div_ceil(64) {
            steps = (steps << 64) + IBig::from(self.fraction.word(index, source)?);
        }
        let cut: IBig = steps >> (bits.div_ceil(64) * 64 - bits);
        Ok(if self.negative { -cut } else { cut })
    }

    /// ⌊number·numerator/denominator⌋ of a number that is not negative, with as many bits as that
    /// takes.
    pub(super) fn whole_part_of_product(
        &mut self,
        numerator: &UBig,
        denominator: &UBig,
        source: &mut dyn Source,
    ) -> Result<UBig, NoiseError> {
        assert!(!self.negative, "the number is not negative");
        self.whole_part_of_size(numerator, denominator, source)
    }

    /// The whole number nearest to number·numerator/denominator, with as many bits as that takes.
    pub(super) fn nearest_to_product(
        &mut self,
        numerator: &UBig,
        denominator: &UBig,
        source: &mut dyn Source,
    ) -> Result<IBig, NoiseError> {
        // ⌊x + ½⌋ = ⌊(⌊2x⌋ + 1)/2⌋. No number that is drawn is halfway between two whole ones.
        let twice = self.whole_part_of_size(&(numerator << 1), denominator, source)?;
        let size = IBig::from((twice + UBig::ONE) >> 1);
        Ok(if self.negative { -size } else { size })
    }

    /// ⌊|number|·numerator/denominator⌋.
    fn whole_part_of_size(
        &mut self,
        numerator: &UBig,
        denominator: &UBig,
        source: &mut dyn Source,
    ) -> Result<UBig, NoiseError> {
        let mut steps = UBig::from(self.whole);
        let mut unit = denominator.clone();
        for index in 0.. {
            // The number lies in [steps, steps + 1), in units of 2^−64 for each word.
            steps = (steps << 64) + UBig::from(self.fraction.word(index, source)?);
            unit <<= 64;
            let (whole, rest) = (&steps * numerator).div_rem(&unit);
            if rest + numerator <= unit {
                return Ok(whole);
            }
        }
        unreachable!("a number is not both sides of a whole one for ever")
    }
}

/// Whether the longest falling run first > u₂ > u₃ … has odd length: probability e^{−first}.
fn falling_run_is_odd(first: &mut Fraction, source: &mut dyn Source) -> Result<bool, NoiseError> {
    let mut last = Fraction::default();
    if last.is_below(first, source)? { run_goes_on(last, source) } else { Ok(true) }
}

/// True with probability e^{−1/2}: a falling run that starts at one half.
fn with_chance_of_root_e(source: &mut dyn Source) -> Result<bool, NoiseError> {
    let mut last = Fraction::default();
    let is_below_half = last.word(0, source)? >> 63 == 0;
    if is_below_half { run_goes_on(last, source) } else { Ok(true) }
}

/// Whether a falling run whose second element is `last` ends with odd length.
fn run_goes_on(mut last: Fraction, source: &mut dyn Source) -> Result<bool, NoiseError> {
    let mut length_is_odd = false;
    loop {
        let mut next = Fraction::default();
        if !next.is_below(&mut last, source)? {
            return Ok(length_is_odd);
        }
        last = next;
        length_is_odd = !length_is_odd;
    }
}

/// True with probability e^{−x(2k+x)/(2k+2)} (Karney's Algorithm B).
fn with_chance_of_step(
    k: u64,
    x: &mut Fraction,
    source: &mut dyn Source,
) -> Result<bool, NoiseError> {
    let mut survivors_are_even = true;
    let mut last: Option<Fraction> = None;
    loop {
        let mut next = Fraction::default();
        let falls = next.is_below(last.as_mut().unwrap_or(x), source)?;
        if !(falls && survives(k, x, source)?) {
            return Ok(survivors_are_even);
        }
        last = Some(next);
        survivors_are_even = !survivors_are_even;
    }
}

/// True with probability (2k + x)/(2k + 2): a die with 2k sure sides, one that compares with x, one
/// that fails.
fn survives(k: u64, x: &mut Fraction, source: &mut dyn Source) -> Result<bool, NoiseError> {
    let side = below(2 * k + 2, source)?;
    Ok(side < 2 * k || (side == 2 * k && Fraction::default().is_below(x, source)?))
}

/// A uniform whole number below `sides`, by rejection.
pub fn below(sides: u64, source: &mut dyn Source) -> Result<u64, NoiseError> {
    let limit = u64::MAX - u64::MAX % sides;
    loop {
        let word = source.word()?;
        if word < limit {
            return Ok(word % sides);
        }
    }
}
