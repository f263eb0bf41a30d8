//! Continuous noise vectors with a stated bound on their rounding.

use super::{NoiseError, ReadAhead, Real, Source};
use crate::account::Law;
use dashu_float::FBig;
use dashu_float::round::mode::HalfEven;
use dashu_int::IBig;

/// A binary number with as many bits as the computation at hand needs.
pub type BigFloat = FBig<HalfEven, 2>;

/// −ln of the chance that a vector is longer than [`Law::ordinary_length`].
pub(super) const LN_CHANCE_OF_A_LONGER_ONE: f64 = 44.4;

impl Law {
    /// √E‖b‖².
    pub fn typical_length(self, dimension: usize) -> f64 {
        let d = dimension as f64;
        match self {
            Law::Spherical { scale } => scale * (d * (d + 1.0)).sqrt(),
            Law::Gaussian { sigma } => sigma * d.sqrt(),
        }
    }

    /// A length that is exceeded with probability at most 2⁻⁶⁴. No guarantee rests on that
    /// probability: a longer vector is solved for in wider arithmetic.
    pub fn ordinary_length(self, dimension: usize) -> f64 {
        self.length_exceeded_by(LN_CHANCE_OF_A_LONGER_ONE, dimension)
    }

    /// A length that is exceeded with probability at most e^{−l}, by the Chernoff bound.
    pub fn length_exceeded_by(self, l: f64, dimension: usize) -> f64 {
        let d = dimension as f64;
        match self {
            Law::Spherical { scale } => scale * (d + (2.0 * d * l).sqrt() + l),
            Law::Gaussian { sigma } => sigma * (d.sqrt() + (2.0 * l).sqrt()),
        }
    }

    /// Draws a vector whose distance to an exact draw from this law is at most `resolution`.
    pub fn draw(
        self,
        dimension: usize,
        resolution: f64,
        source: &mut dyn Source,
    ) -> Result<NoiseVector, NoiseError> {
        let source = &mut ReadAhead::of(source);
        let mut normals =
            (0..dimension).map(|_| Real::normal(source)).collect::<Result<Vec<_>, _>>()?;
        match self {
            Law::Gaussian { sigma } => gaussian(&mut normals, sigma, resolution, source),
            Law::Spherical { scale } => {
                let mut exponentials = (0..dimension)
                    .map(|_| Real::exponential(source))
                    .collect::<Result<Vec<_>, _>>()?;
                spherical(&mut normals, &mut exponentials, scale, resolution, source)
            }
        }
    }
}

/// A drawn noise vector. It is as secret as the rows, so it cannot be printed either.
pub struct NoiseVector {
    coordinates: Vec<BigFloat>,
}

impl NoiseVector {
    /// For mechanisms, which add it to what they compute.
    pub fn coordinates(&self) -> &[BigFloat] {
        &self.coordinates
    }

    pub(super) fn new(coordinates: Vec<BigFloat>) -> NoiseVector {
        NoiseVector { coordinates }
    }

    /// The same with a public number added to one coordinate, without rounding.
    #[must_use]
    pub fn moved(mut self, place: usize, by: f64) -> NoiseVector {
        let (x, by) = (&self.coordinates[place], exact(by));
        let ends =
            |x: &BigFloat| (x.repr().exponent(), x.repr().digits() as isize + x.repr().exponent());
        let ((low, high), (other_low, other_high)) = (ends(x), ends(&by));
        // From the lowest bit to the highest, and one that the sum may carry into.
        let bits = (high.max(other_high) - low.min(other_low)).max(0) as usize + 1;
        let wide = |x: BigFloat| x.with_precision(bits).value();
        self.coordinates[place] = wide(x.clone()) + wide(by);
        self
    }

    /// Noise that nobody drew, for tests of what is done with it.
    pub fn fixed(coordinates: Vec<BigFloat>) -> NoiseVector {
        NoiseVector { coordinates }
    }
}

/// `PROOF.md`, "Gaussian".
pub(super) fn gaussian(
    normals: &mut [Real],
    sigma: f64,
    resolution: f64,
    source: &mut dyn Source,
) -> Result<NoiseVector, NoiseError> {
    let bits = bits_for(2.0 * sigma * (normals.len() as f64).sqrt() / resolution);
    let scale = exact(sigma);
    let coordinates = cut(normals, bits, source)?.into_iter().map(|g| g * &scale).collect();
    Ok(NoiseVector { coordinates })
}

/// `PROOF.md`, "Spherical vectors": refines one and the same draw until its error bound fits.
fn spherical(
    normals: &mut [Real],
    exponentials: &mut [Real],
    scale: f64,
    resolution: f64,
    source: &mut dyn Source,
) -> Result<NoiseVector, NoiseError> {
    let d = exponentials.len() as f64;
    let mut bits = bits_for(16.0 * scale * d * d.sqrt() / resolution);
    loop {
        let direction = cut(normals, bits, source)?;
        let radius =
            cut(exponentials, bits, source)?.into_iter().fold(zero(bits), |sum, x| sum + x);
        let length = norm(&direction, precision_for(bits));
        // In big floats: a bound that underflowed to 0 would prove nothing.
        let step = step_of(bits);
        let radius_error = exact(d) * &step;
        let direction_error_times_length = exact(2.0 * d.sqrt()) * &step;
        let error_times_length = exact(scale)
            * ((&radius + &radius_error) * direction_error_times_length + radius_error * &length);
        if length > BigFloat::ZERO
            && error_times_length * BigFloat::from(2) <= exact(resolution) * &length
        {
            let factor = exact(scale).with_precision(precision_for(bits)).value() * radius / length;
            let coordinates = direction.into_iter().map(|g| g * &factor).collect();
            return Ok(NoiseVector { coordinates });
        }
        bits *= 2;
    }
}

/// Every number to within 2^−bits.
pub(super) fn cut(
    numbers: &mut [Real],
    bits: usize,
    source: &mut dyn Source,
) -> Result<Vec<BigFloat>, NoiseError> {
    let cut_one = |real: &mut Real| {
        let steps: IBig = real.cut(bits, source)?;
        Ok(BigFloat::from_parts(steps, -(bits as isize))
            .with_precision(precision_for(bits))
            .value())
    };
    numbers.iter_mut().map(cut_one).collect()
}

pub(super) fn zero(bits: usize) -> BigFloat {
    BigFloat::ZERO.with_precision(precision_for(bits)).value()
}

/// 2^−bits: by less than this a cut number is off.
pub(super) fn step_of(bits: usize) -> BigFloat {
    BigFloat::from_parts(IBig::ONE, -(bits as isize)).with_precision(precision_for(bits)).value()
}

/// Bits after the point that make 2^−bits · `ratio` at most 1, with a few to spare.
pub(super) fn bits_for(ratio: f64) -> usize {
    16 + ratio.log2().ceil().max(0.0) as usize
}

/// Working precision whose own rounding disappears beside 2^−bits.
pub(super) fn precision_for(bits: usize) -> usize {
    2 * bits + 128
}

/// A double as a big float, exactly.
pub fn exact(x: f64) -> BigFloat {
    BigFloat::try_from(x).expect("only finite numbers are made exact")
}

/// ‖v‖₂ with the given working precision.
pub fn norm(v: &[BigFloat], precision: usize) -> BigFloat {
    let zero = BigFloat::ZERO.with_precision(precision).value();
    v.iter().fold(zero, |sum, x| sum + x * x).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::Receipt;

    fn distance(a: &NoiseVector, b: &NoiseVector) -> f64 {
        let apart: Vec<BigFloat> =
            a.coordinates.iter().zip(&b.coordinates).map(|(a, b)| a - b).collect();
        norm(&apart, 400).to_f64().value()
    }

    /// One draw, taken coarsely and then finely: the promised resolution is kept, and no more than
    /// that.
    #[test]
    fn a_vector_is_as_near_to_the_exact_draw_as_promised() {
        let mut receipt = Receipt::nobody_remembers();
        let source = receipt.noise();
        for d in [1, 2, 30] {
            let mut normals: Vec<Real> = (0..d).map(|_| Real::normal(source).unwrap()).collect();
            let mut exponentials: Vec<Real> =
                (0..d).map(|_| Real::exponential(source).unwrap()).collect();
            for resolution in [1e-3, 1e-12, 1e-40] {
                let coarse = gaussian(&mut normals, 3.0, resolution, source).unwrap();
                let fine = gaussian(&mut normals, 3.0, resolution * 1e-20, source).unwrap();
                let apart = distance(&coarse, &fine);
                assert!(0.0 < apart && apart <= resolution, "d={d}: {apart} > {resolution}");
                let coarse =
                    spherical(&mut normals, &mut exponentials, 3.0, resolution, source).unwrap();
                let fine =
                    spherical(&mut normals, &mut exponentials, 3.0, resolution * 1e-20, source)
                        .unwrap();
                let apart = distance(&coarse, &fine);
                assert!(0.0 < apart && apart <= resolution, "d={d}: {apart} > {resolution}");
            }
        }
    }
}
