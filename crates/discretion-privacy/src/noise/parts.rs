//! Noise in independent parts, drawn by people who do not know each other's, that add up to a known
//! law. `PROOF.md`, "Parts".
//!
//! Gaussian noise divides because variances add up. Spherical noise divides too, which is less well
//! known: its density exp(−‖b‖/scale) is that of scale·√V·g with V χ² of d + 1 degrees of freedom,
//! so its characteristic function is (1 + scale²‖u‖²)^{−(d+1)/2}, and any root of that is the
//! characteristic function of scale·√V·g with fewer degrees.

use super::vector::{
    BigFloat, NoiseVector, bits_for, cut, exact, gaussian, norm, precision_for, step_of,
};
use super::{Law, NoiseError, Real, Source};
use crate::ROUNDING_SLACK;

impl Law {
    /// Degrees of freedom of one of `parts` parts of spherical noise: (d + 1)/parts, rounded up to
    /// a whole number, so that squares of normals serve.
    pub fn degrees(parts: usize, dimension: usize) -> usize {
        (dimension + 1).div_ceil(parts)
    }

    /// σ of one of `parts` parts of Gaussian noise, rounded up.
    fn part_sigma(sigma: f64, parts: usize) -> f64 {
        sigma / (parts as f64).sqrt() * (1.0 + ROUNDING_SLACK)
    }

    /// The variance of one coordinate of one part.
    pub fn part_variance(self, parts: usize, dimension: usize) -> f64 {
        match self {
            Law::Spherical { scale } => scale * scale * Law::degrees(parts, dimension) as f64,
            Law::Gaussian { sigma } => Law::part_sigma(sigma, parts).powi(2),
        }
    }

    /// Draws one part.
    ///
    /// Postcondition: there are exact parts, each within `resolution` of what was drawn, of which
    /// any `parts` add up to a vector of this law plus an independent one.
    pub fn draw_part(
        self,
        parts: usize,
        dimension: usize,
        resolution: f64,
        source: &mut dyn Source,
    ) -> Result<NoiseVector, NoiseError> {
        let mut normals =
            |count: usize| (0..count).map(|_| Real::normal(source)).collect::<Result<Vec<_>, _>>();
        match self {
            Law::Gaussian { sigma } => {
                let mut direction = normals(dimension)?;
                gaussian(&mut direction, Law::part_sigma(sigma, parts), resolution, source)
            }
            Law::Spherical { scale } => {
                let mut direction = normals(dimension)?;
                let mut radius = normals(Law::degrees(parts, dimension))?;
                scaled(&mut direction, &mut radius, scale, resolution, source)
            }
        }
    }
}

/// scale·‖radius‖·direction: refines one and the same draw until its error bound fits.
fn scaled(
    direction: &mut [Real],
    radius: &mut [Real],
    scale: f64,
    resolution: f64,
    source: &mut dyn Source,
) -> Result<NoiseVector, NoiseError> {
    let (d, k) = (direction.len() as f64, radius.len() as f64);
    let mut bits = bits_for(16.0 * scale * (d * k).sqrt() / resolution);
    loop {
        let precision = precision_for(bits);
        let (g, n) = (cut(direction, bits, source)?, cut(radius, bits, source)?);
        let (length_g, length_n) = (norm(&g, precision), norm(&n, precision));
        // In big floats: a bound that underflowed to 0 would prove nothing.
        let step = step_of(bits);
        let (error_g, error_n) =
            (exact(d.sqrt().next_up()) * &step, exact(k.sqrt().next_up()) * &step);
        let error = exact(scale) * (&length_n * &error_g + &error_n * (length_g + error_g));
        if error * BigFloat::from(2) <= exact(resolution) {
            let factor = exact(scale).with_precision(precision).value() * length_n;
            return Ok(NoiseVector::new(g.into_iter().map(|x| x * &factor).collect()));
        }
        bits *= 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::{Receipt, Seeded};

    /// One draw, taken coarsely and then finely.
    #[test]
    fn a_part_is_as_near_to_the_exact_draw_as_promised() {
        let mut receipt = Receipt::nobody_remembers();
        let source = receipt.noise();
        for (d, k) in [(1, 1), (3, 1), (30, 8)] {
            let mut direction: Vec<Real> = (0..d).map(|_| Real::normal(source).unwrap()).collect();
            let mut radius: Vec<Real> = (0..k).map(|_| Real::normal(source).unwrap()).collect();
            for resolution in [1e-3, 1e-12, 1e-40] {
                let coarse = scaled(&mut direction, &mut radius, 3.0, resolution, source).unwrap();
                let fine =
                    scaled(&mut direction, &mut radius, 3.0, resolution * 1e-20, source).unwrap();
                let apart: Vec<BigFloat> = coarse
                    .coordinates()
                    .iter()
                    .zip(fine.coordinates())
                    .map(|(a, b)| a - b)
                    .collect();
                let apart = norm(&apart, 400).to_f64().value();
                assert!(0.0 < apart && apart <= resolution, "d={d}, k={k}: {apart} > {resolution}");
            }
        }
    }

    /// The length of spherical noise is Gamma(d, scale), whoever draws it: two, three or seven
    /// parts of noise in d = 6 (7 degrees: 4 + 4, 3 + 3 + 3, seven times 1; only the last divides
    /// without a remainder). Kolmogorov distance, false alarm 1e-6; with one part missing the same
    /// test fails.
    #[test]
    fn parts_add_up_to_spherical_noise() {
        let (d, scale, draws) = (6usize, 2.0, 4000usize);
        let source = &mut Seeded::new(5);
        let mut distance = |parts: usize, taken: usize| {
            let mut lengths: Vec<f64> = (0..draws)
                .map(|_| {
                    let law = Law::Spherical { scale };
                    let mut sum = vec![0.0; d];
                    for _ in 0..taken {
                        let part = law.draw_part(parts, d, 1e-9, source).unwrap();
                        sum.iter_mut()
                            .zip(part.coordinates())
                            .for_each(|(s, x)| *s += x.to_f64().value());
                    }
                    sum.iter().map(|x| x * x).sum::<f64>().sqrt() / scale
                })
                .collect();
            lengths.sort_by(f64::total_cmp);
            // P(Gamma(6) ≤ x) = 1 − e^{−x}Σ_{i<6} xⁱ/i!.
            let cdf = |x: f64| {
                let mut term = 1.0;
                let sum: f64 = (0..d)
                    .map(|i| {
                        let t = term;
                        term *= x / (i + 1) as f64;
                        t
                    })
                    .sum();
                1.0 - (-x).exp() * sum
            };
            let gap = |(i, &x): (usize, &f64)| (cdf(x) - (i as f64 + 0.5) / draws as f64).abs();
            lengths.iter().enumerate().map(gap).fold(0.0, f64::max)
        };
        let limit = ((2.0f64 / 1e-6).ln() / (2.0 * draws as f64)).sqrt() + 1e-3;
        assert!(distance(1, 1) < limit);
        assert!(distance(7, 7) < limit);
        assert!(distance(7, 6) > limit, "six of seven parts pass for all of them");
        // With a remainder the parts add up to more than the law: never to less.
        for (parts, degrees) in [(2usize, 8usize), (3, 9)] {
            assert_eq!(parts * Law::degrees(parts, d), degrees);
        }
    }

    #[test]
    fn parts_of_gaussian_noise_have_their_share_of_the_variance() {
        let law = Law::Gaussian { sigma: 3.0 };
        for parts in [1, 2, 7] {
            let whole = parts as f64 * law.part_variance(parts, 4);
            assert!((9.0..9.0 * (1.0 + 1e-11)).contains(&whole), "{parts}: {whole}");
        }
    }
}
