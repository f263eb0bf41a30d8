//! Noise for the coefficients of several classes, on the subspace where classes add up to 0.
//! `PROOF.md`, "Noise for several classes".

use super::shaped::{Refine, reals};
use super::vector::{
    BigFloat, LN_CHANCE_OF_A_LONGER_ONE, NoiseVector, cut, exact, precision_for, step_of, zero,
};
use super::{NoiseError, ReadAhead, Real, Source, below};
use crate::account::{Column, Columns, Law, ShapedLaw, TrainingLaw};

#[cfg(test)]
mod tests;

/// A law of noise for K classes with d coefficients each: in all directions, or by the columns of
/// one class.
#[derive(Clone, Debug, PartialEq)]
pub struct ClassNoise<'l> {
    law: &'l TrainingLaw,
    classes: usize,
    dimension: usize,
}

impl<'l> ClassNoise<'l> {
    /// Noise of this law for so many classes, of so many coefficients each.
    pub fn new(law: &'l TrainingLaw, classes: usize, dimension: usize) -> ClassNoise<'l> {
        assert!(classes >= 2, "there are at least two classes");
        ClassNoise { law, classes, dimension }
    }

    /// (K − 1)d.
    fn free(&self) -> usize {
        (self.classes - 1) * self.dimension
    }

    /// Draws a vector whose distance to an exact draw is at most `resolution`: K times d
    /// coordinates, class after class. Those of one coefficient add up to 0, up to the resolution.
    pub fn draw(
        &self,
        resolution: f64,
        source: &mut dyn Source,
    ) -> Result<NoiseVector, NoiseError> {
        match self.law {
            TrainingLaw::Round(law) => {
                let drawn = law.draw(self.free(), 0.5 * resolution, source)?;
                Ok(self.embedded(drawn.coordinates()))
            }
            TrainingLaw::Shaped(ShapedLaw::ColumnGaussian { columns, deviations }) => {
                let contrasts = self.classes - 1;
                let each = 0.5 * resolution / (contrasts as f64).sqrt();
                let law = ShapedLaw::ColumnGaussian {
                    columns: columns.clone(),
                    deviations: deviations.clone(),
                };
                let mut drawn = Vec::with_capacity(self.free());
                for _ in 0..contrasts {
                    drawn.extend_from_slice(law.draw(each, source)?.coordinates());
                }
                Ok(self.embedded(&drawn))
            }
            TrainingLaw::Shaped(ShapedLaw::Groups { columns, group_of, epsilons }) => {
                let source = &mut ReadAhead::of(source);
                ClassGroups::draw(self.classes, columns, group_of, epsilons, source)?
                    .refined(resolution, source)
            }
            TrainingLaw::Shaped(ShapedLaw::RowNorm { .. }) => {
                unreachable!("noise of several classes has no row norm")
            }
        }
    }

    /// Q·φ for an orthonormal basis Q of the subspace (Helmert's): contrast c has c equal entries,
    /// then −c of them in one. The precision is that of φ and as many bits more as its largest
    /// number has.
    fn embedded(&self, free: &[BigFloat]) -> NoiseVector {
        let d = self.dimension;
        let size = free
            .iter()
            .map(|x| x.repr().digits() as isize + x.repr().exponent())
            .max()
            .unwrap_or(0);
        let known = free.iter().map(BigFloat::precision).max().unwrap_or(0);
        let precision = known + size.max(0) as usize + 64;
        let zero = BigFloat::ZERO.with_precision(precision).value();
        let mut all = vec![zero; self.classes * d];
        for (contrast, part) in (1..self.classes).zip(free.chunks_exact(d)) {
            let whole = BigFloat::from(contrast * (contrast + 1)).with_precision(precision).value();
            let share = exact(1.0).with_precision(precision).value() / whole.sqrt();
            let (last, times) = (contrast * d, exact(contrast as f64));
            for (i, x) in part.iter().enumerate() {
                let x = x.clone().with_precision(precision).value() * &share;
                for class in 0..contrast {
                    all[class * d + i] += &x;
                }
                all[last + i] -= x * &times;
            }
        }
        NoiseVector::new(all)
    }

    /// The variance of a coordinate in each column; of a law in all directions, one number.
    pub fn variances(&self) -> Vec<f64> {
        let k = self.classes as f64;
        let share = (k - 1.0) / k;
        match self.law {
            TrainingLaw::Round(law) => {
                vec![share * law.typical_length(self.free()).powi(2) / self.free() as f64]
            }
            TrainingLaw::Shaped(ShapedLaw::Groups { columns, group_of, epsilons }) => {
                let dimensions = ShapedLaw::group_dimensions(columns, group_of, epsilons.len());
                let variance = |(column, &group): (Column, &usize)| {
                    let d = (k - 1.0) * dimensions[group] as f64;
                    (d + 1.0) * (d + 2.0) * unit_variance(self.classes, column)
                        / epsilons[group].powi(2)
                };
                columns.iter().zip(group_of).map(variance).collect()
            }
            TrainingLaw::Shaped(law) => law.variances().into_iter().map(|v| share * v).collect(),
        }
    }

    /// √E‖b‖².
    pub fn typical_length(&self) -> f64 {
        let k = self.classes as f64;
        match self.law {
            TrainingLaw::Round(law) => law.typical_length(self.free()),
            TrainingLaw::Shaped(law) => {
                let columns = law.columns().iter().zip(self.variances());
                columns.map(|(column, v)| k * column.coefficients as f64 * v).sum::<f64>().sqrt()
            }
        }
    }

    /// A length that is exceeded with probability at most 2⁻⁶⁴. No guarantee rests on that
    /// probability.
    pub fn ordinary_length(&self) -> f64 {
        self.length_exceeded_by(LN_CHANCE_OF_A_LONGER_ONE)
    }

    /// A length that is exceeded with probability at most e^{−l}.
    pub fn length_exceeded_by(&self, l: f64) -> f64 {
        let free = self.free();
        match self.law {
            TrainingLaw::Round(law) => law.length_exceeded_by(l, free),
            TrainingLaw::Shaped(ShapedLaw::ColumnGaussian { deviations, .. }) => {
                let sigma = deviations.iter().copied().fold(0.0, f64::max);
                Law::Gaussian { sigma }.length_exceeded_by(l, free)
            }
            TrainingLaw::Shaped(ShapedLaw::Groups { columns, group_of, epsilons }) => {
                let each = l + (epsilons.len() as f64).ln();
                let dimensions = ShapedLaw::group_dimensions(columns, group_of, epsilons.len());
                let mut squares = vec![0.0; epsilons.len()];
                columns
                    .iter()
                    .zip(group_of)
                    .for_each(|(c, &group)| squares[group] += c.size.powi(2));
                let length = |((d, square), epsilon): ((usize, f64), &f64)| {
                    let scale = 4.0 * f64::sqrt(square) / epsilon;
                    Law::Spherical { scale }.length_exceeded_by(each, (self.classes - 1) * d + 1)
                };
                let lengths = dimensions.into_iter().zip(squares).zip(epsilons).map(length);
                lengths.map(|length| length * length).sum::<f64>().sqrt()
            }
            TrainingLaw::Shaped(ShapedLaw::RowNorm { .. }) => {
                unreachable!("noise of several classes has no row norm")
            }
        }
    }
}

/// (4c)²·E of the square of an entry of a uniform point of {B: columns of B add up to 0, Σ|B| ≤ 1},
/// K by k: what a group with (D + 1)(D + 2)/ε² = 1 would have in this column (`PROOF.md`, "Noise
/// for several classes").
pub fn unit_variance(classes: usize, column: Column) -> f64 {
    let (k, n) = (classes as f64, ((classes - 1) * column.coefficients) as f64 + 1.0);
    let share = (k - 1.0) * k / (n * (n + 1.0));
    16.0 * column.size.powi(2) * share * (2.0 * k - 1.0) / (k * k * (k + 1.0))
}

/// A uniform point of {v: Σv = 0, Σ|v| = 1} in K dimensions.
struct Balanced {
    /// Whose entries are positive: the classes among K − 1 of 2K − 2 things, K of which are
    /// classes.
    is_positive: Vec<bool>,
    /// Each entry is an exponential, divided by twice the sum of those of its sign.
    exponentials: Vec<Real>,
}

impl Balanced {
    fn draw(classes: usize, source: &mut dyn Source) -> Result<Balanced, NoiseError> {
        let mut things: Vec<usize> = (0..2 * classes - 2).collect();
        let mut is_positive = vec![false; classes];
        for place in 0..classes - 1 {
            let other = place + below((things.len() - place) as u64, source)? as usize;
            things.swap(place, other);
            if let Some(positive) = is_positive.get_mut(things[place]) {
                *positive = true;
            }
        }
        Ok(Balanced { is_positive, exponentials: reals(classes, Real::exponential, source)? })
    }

    /// The point and a bound on its error in L₁; nothing if these bits are too few.
    fn cut(
        &mut self,
        bits: usize,
        source: &mut dyn Source,
    ) -> Result<Option<(Vec<BigFloat>, BigFloat)>, NoiseError> {
        let cut = cut(&mut self.exponentials, bits, source)?;
        let sum = |sign: bool| {
            let of = cut.iter().zip(&self.is_positive).filter(|(_, positive)| **positive == sign);
            of.fold(zero(bits), |sum, (x, _)| sum + x) * BigFloat::from(2)
        };
        let (up, down) = (sum(true), sum(false));
        if up == BigFloat::ZERO || down == BigFloat::ZERO {
            return Ok(None);
        }
        let smaller = if up < down { &up } else { &down };
        let error = exact(4.0 * cut.len() as f64) * step_of(bits) / smaller;
        let entry =
            |(x, &positive): (BigFloat, &bool)| if positive { x / &up } else { -(x / &down) };
        Ok(Some((cut.into_iter().zip(&self.is_positive).map(entry).collect(), error)))
    }
}

/// A draw of [`ShapedLaw::Groups`] for several classes.
struct ClassGroups {
    classes: usize,
    dimension: usize,
    /// Exponentials whose sum is each group's radius.
    radii: Vec<Vec<Real>>,
    columns: Vec<ClassColumn>,
}

struct ClassColumn {
    group: usize,
    /// What radii are multiplied by is 4c/ε.
    epsilon: f64,
    size: f64,
    /// K − 1 exponentials for each coefficient's share of the radius, and one that is for none.
    shares: Vec<Real>,
    /// How each coefficient's share is divided among classes.
    points: Vec<Balanced>,
}

impl ClassColumn {
    /// The shares, and a bound on their error in L₁; nothing if these bits are too few.
    fn cut_shares(
        &mut self,
        bits: usize,
        source: &mut dyn Source,
    ) -> Result<Option<(Vec<BigFloat>, BigFloat)>, NoiseError> {
        let cut = cut(&mut self.shares, bits, source)?;
        let sum = cut.iter().fold(zero(bits), |sum, x| sum + x);
        if sum == BigFloat::ZERO {
            return Ok(None);
        }
        let error = exact(2.0 * cut.len() as f64) * step_of(bits) / &sum;
        Ok(Some((cut.into_iter().map(|x| x / &sum).collect(), error)))
    }
}

impl ClassGroups {
    fn draw(
        classes: usize,
        columns: &Columns,
        group_of: &[usize],
        epsilons: &[f64],
        source: &mut dyn Source,
    ) -> Result<ClassGroups, NoiseError> {
        // Gamma(D + 1): points are uniform in balls of D dimensions, not on spheres.
        let radii = ShapedLaw::group_dimensions(columns, group_of, epsilons.len())
            .into_iter()
            .map(|dimension| reals((classes - 1) * dimension + 1, Real::exponential, source))
            .collect::<Result<_, _>>()?;
        let of_column = |(column, &group): (Column, &usize)| {
            let k = column.coefficients;
            Ok(ClassColumn {
                group,
                epsilon: epsilons[group],
                size: column.size,
                shares: reals((classes - 1) * k + 1, Real::exponential, source)?,
                points: (0..k)
                    .map(|_| Balanced::draw(classes, source))
                    .collect::<Result<_, _>>()?,
            })
        };
        let drawn =
            columns.iter().zip(group_of).map(of_column).collect::<Result<_, NoiseError>>()?;
        Ok(ClassGroups { classes, dimension: columns.dimension(), radii, columns: drawn })
    }
}

impl Refine for ClassGroups {
    fn at(
        &mut self,
        bits: usize,
        source: &mut dyn Source,
    ) -> Result<Option<(Vec<BigFloat>, BigFloat)>, NoiseError> {
        let precision = precision_for(bits);
        let mut radii = Vec::with_capacity(self.radii.len());
        for radius in &mut self.radii {
            let error = exact(radius.len() as f64) * step_of(bits);
            radii.push((
                cut(radius, bits, source)?.into_iter().fold(zero(bits), |sum, x| sum + x),
                error,
            ));
        }
        let mut coordinates = vec![zero(bits); self.classes * self.dimension];
        let (mut total, mut first) = (zero(bits), 0);
        for column in &mut self.columns {
            let (radius, radius_error) = &radii[column.group];
            let Some((shares, share_error)) = column.cut_shares(bits, source)? else {
                return Ok(None);
            };
            let scale =
                exact(4.0 * column.size).with_precision(precision).value() / exact(column.epsilon);
            let factor = &scale * radius;
            let mut point_error = zero(bits);
            for (i, point) in column.points.iter_mut().enumerate() {
                let own = &shares[i * (self.classes - 1)..][..self.classes - 1];
                let own = own.iter().fold(zero(bits), |sum, x| sum + x) * &factor;
                let Some((entries, error)) = point.cut(bits, source)? else { return Ok(None) };
                if error > point_error {
                    point_error = error;
                }
                for (class, entry) in entries.into_iter().enumerate() {
                    coordinates[class * self.dimension + first + i] = entry * &own;
                }
            }
            first += column.points.len();
            total += scale * ((radius + radius_error) * (share_error + point_error) + radius_error);
        }
        Ok(Some((coordinates, total)))
    }

    fn ratio(&self) -> f64 {
        let scale = self
            .columns
            .iter()
            .map(|column| 4.0 * column.size / column.epsilon)
            .fold(0.0, f64::max);
        let dimension = self.radii.iter().map(Vec::len).sum::<usize>() as f64;
        scale * dimension * self.columns.len() as f64
    }
}
