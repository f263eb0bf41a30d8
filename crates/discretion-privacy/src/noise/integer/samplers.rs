//! The discrete laws, and a rounded normal one, exactly, from fair bits and whole numbers alone. `PROOF.md`, "How they
//! are drawn".
//!
//! Everything comes from one draw: ⌊s·E⌋ for a standard exponential E is a geometric number of
//! scale s. With a sign it is Laplace noise, and Laplace noise of which some is rejected is
//! Gaussian (Canonne, Kamath & Steinke 2020).

use crate::noise::{NoiseError, Real, Source};
use dashu_base::UnsignedAbs;
use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;

/// A whole number z ≥ 0 with probability ∝ exp(−z/scale).
pub fn geometric(scale: &RBig, source: &mut dyn Source) -> Result<UBig, NoiseError> {
    let (numerator, denominator) = parts(scale);
    Real::exponential(source)?.whole_part_of_product(&numerator, denominator, source)
}

/// A whole number z with probability ∝ exp(−|z|/scale).
pub fn discrete_laplace(scale: &RBig, source: &mut dyn Source) -> Result<IBig, NoiseError> {
    loop {
        let size = IBig::from(geometric(scale, source)?);
        let is_negative = source.word()? & 1 == 1;
        // There is one zero, not one of each sign.
        if !is_negative {
            return Ok(size);
        } else if !size.is_zero() {
            return Ok(-size);
        }
    }
}

/// A whole number z with probability ∝ exp(−z²/(2·scale²)).
pub fn discrete_gaussian(scale: &RBig, source: &mut dyn Source) -> Result<IBig, NoiseError> {
    if scale.is_zero() {
        return Ok(IBig::ZERO);
    }
    let proposal = Proposal::new(scale);
    loop {
        let z = discrete_laplace(&proposal.scale, source)?;
        if with_chance_of_exp(&proposal.excess(&z), &proposal.unit, source)? {
            return Ok(z);
        }
    }
}

/// The whole number nearest to a normal number of mean 0 and this standard deviation.
pub(super) fn rounded_gaussian(
    deviation: &RBig,
    source: &mut dyn Source,
) -> Result<IBig, NoiseError> {
    let (numerator, denominator) = parts(deviation);
    Real::normal(source)?.nearest_to_product(&numerator, denominator, source)
}

/// True with probability exp(−numerator/denominator): a geometric number of scale
/// denominator/numerator is not 0.
fn with_chance_of_exp(
    numerator: &UBig,
    denominator: &UBig,
    source: &mut dyn Source,
) -> Result<bool, NoiseError> {
    if numerator.is_zero() {
        return Ok(true);
    }
    let count = Real::exponential(source)?.whole_part_of_product(denominator, numerator, source)?;
    Ok(!count.is_zero())
}

/// Discrete Laplace noise of scale t = ⌊σ⌋ + 1, from which discrete Gaussian noise of scale σ is
/// chosen: z is kept with probability exp(−(|z| − σ²/t)²/(2σ²)). With σ = n/d the exponent is
/// (|z|·d²t − n²)²/(2(dnt)²), a ratio of whole numbers.
struct Proposal {
    /// t.
    scale: RBig,
    /// d²t.
    steepness: UBig,
    /// n².
    peak: UBig,
    /// 2(dnt)².
    unit: UBig,
}

impl Proposal {
    fn new(sigma: &RBig) -> Proposal {
        let (n, d) = parts(sigma);
        let t = &n / d + UBig::ONE;
        let dnt = d * &n * &t;
        Proposal {
            steepness: d * d * &t,
            peak: &n * &n,
            unit: &dnt * &dnt * UBig::from(2u8),
            scale: RBig::from(t),
        }
    }

    /// The exponent for z, in units of 1/`unit`.
    fn excess(&self, z: &IBig) -> UBig {
        let off = IBig::from(z.unsigned_abs() * &self.steepness) - IBig::from(self.peak.clone());
        off.sqr()
    }
}

/// Numerator and denominator of a scale.
fn parts(scale: &RBig) -> (UBig, &UBig) {
    assert!(scale.numerator() >= &IBig::ZERO, "a scale is not negative");
    (scale.numerator().unsigned_abs(), scale.denominator())
}

#[cfg(test)]
#[path = "samplers_tests.rs"]
mod tests;
