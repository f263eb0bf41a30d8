//! Continuous noise vectors with a stated bound on their rounding.

use super::{NoiseError, Real, Source};
use dashu::float::FBig;
use dashu::float::round::mode::HalfEven;
use dashu::integer::IBig;

/// A binary number with as many bits as the computation at hand needs.
pub type Wide = FBig<HalfEven, 2>;

/// The law of a noise vector in d dimensions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Law {
    /// Density ∝ exp(−‖b‖₂/scale): uniform direction, norm Gamma(d, scale).
    Spherical {
        /// The scale of the norm.
        scale: f64,
    },
    /// Independent normal coordinates.
    Gaussian {
        /// The standard deviation of each.
        sigma: f64,
    },
}

/// −ln of the chance that a vector is longer than [`Law::ordinary_length`].
const LN_CHANCE_OF_A_LONGER_ONE: f64 = 44.4;

impl Law {
    /// √E‖b‖².
    pub fn typical_length(self, dimension: usize) -> f64 {
        let d = dimension as f64;
        match self {
            Law::Spherical { scale } => scale * (d * (d + 1.0)).sqrt(),
            Law::Gaussian { sigma } => sigma * d.sqrt(),
        }
    }

    /// A length that is exceeded with probability at most 2⁻⁶⁴. No guarantee rests on that probability:
    /// a longer vector is solved for in wider arithmetic.
    pub fn ordinary_length(self, dimension: usize) -> f64 {
        let (d, l) = (dimension as f64, LN_CHANCE_OF_A_LONGER_ONE);
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
        source: &mut impl Source,
    ) -> Result<NoiseVector, NoiseError> {
        let mut normals = (0..dimension).map(|_| Real::normal(source)).collect::<Result<Vec<_>, _>>()?;
        match self {
            Law::Gaussian { sigma } => {
                let bits = bits_for(2.0 * sigma * (dimension as f64).sqrt() / resolution);
                let scale = exact(sigma);
                let coordinates = cut(&mut normals, bits, source)?.into_iter().map(|g| g * &scale).collect();
                Ok(NoiseVector { coordinates })
            }
            Law::Spherical { scale } => {
                let mut exponentials =
                    (0..dimension).map(|_| Real::exponential(source)).collect::<Result<Vec<_>, _>>()?;
                spherical(&mut normals, &mut exponentials, scale, resolution, source)
            }
        }
    }
}

/// A drawn noise vector. It is as secret as the rows, so it cannot be printed either.
pub struct NoiseVector {
    coordinates: Vec<Wide>,
}

impl NoiseVector {
    pub(crate) fn coordinates(&self) -> &[Wide] {
        &self.coordinates
    }

    #[cfg(test)]
    pub(crate) fn fixed(coordinates: Vec<Wide>) -> NoiseVector {
        NoiseVector { coordinates }
    }
}

/// `PROOF.md`, "Spherical vectors": refines one and the same draw until its error bound fits.
fn spherical(
    normals: &mut [Real],
    exponentials: &mut [Real],
    scale: f64,
    resolution: f64,
    source: &mut impl Source,
) -> Result<NoiseVector, NoiseError> {
    let d = exponentials.len() as f64;
    let mut bits = bits_for(16.0 * scale * d * d.sqrt() / resolution);
    loop {
        let step = (-(bits as f64)).exp2();
        let direction = cut(normals, bits, source)?;
        let radius = cut(exponentials, bits, source)?.into_iter().fold(zero(bits), |sum, x| sum + x);
        let length = norm(&direction, precision_for(bits));
        let (radius_f64, length_f64) = (radius.to_f64().value(), length.to_f64().value());
        let direction_error = 2.0 * d.sqrt() * step / length_f64;
        let error = scale * ((radius_f64 + d * step) * direction_error + d * step);
        if length_f64 > 0.0 && 2.0 * error <= resolution {
            let factor = exact(scale).with_precision(precision_for(bits)).value() * radius / length;
            let coordinates = direction.into_iter().map(|g| g * &factor).collect();
            return Ok(NoiseVector { coordinates });
        }
        bits *= 2;
    }
}

/// Every number to within 2^−bits.
fn cut(numbers: &mut [Real], bits: usize, source: &mut impl Source) -> Result<Vec<Wide>, NoiseError> {
    let cut_one = |real: &mut Real| {
        let steps: IBig = real.cut(bits, source)?;
        Ok(Wide::from_parts(steps, -(bits as isize)).with_precision(precision_for(bits)).value())
    };
    numbers.iter_mut().map(cut_one).collect()
}

fn zero(bits: usize) -> Wide {
    Wide::ZERO.with_precision(precision_for(bits)).value()
}

/// Bits after the point that make 2^−bits · `ratio` at most 1, and at least a hundred.
fn bits_for(ratio: f64) -> usize {
    100 + ratio.log2().ceil().max(0.0) as usize
}

/// Working precision whose own rounding disappears beside 2^−bits.
fn precision_for(bits: usize) -> usize {
    2 * bits + 128
}

/// A double as a wide number, exactly.
pub(crate) fn exact(x: f64) -> Wide {
    Wide::try_from(x).expect("only finite numbers are made exact")
}

/// ‖v‖₂ with the given working precision.
pub(crate) fn norm(v: &[Wide], precision: usize) -> Wide {
    let zero = Wide::ZERO.with_precision(precision).value();
    v.iter().fold(zero, |sum, x| sum + x * x).sqrt()
}
