//! Noise with the shape of the rows, drawn exactly with a stated bound on its rounding.
//! `../PROOF.md`, "Noise with the shape of the rows".

mod lengths;

use super::vector::{
    BigFloat, NoiseVector, bits_for, cut, exact, norm, precision_for, step_of, zero,
};
use super::{NoiseError, ReadAhead, Real, Source};
use crate::account::{Columns, ShapedLaw, TrainingLaw};

#[cfg(test)]
mod tests;

impl TrainingLaw {
    /// Draws a vector whose distance to an exact draw from this law is at most `resolution`.
    pub fn draw(
        &self,
        dimension: usize,
        resolution: f64,
        source: &mut dyn Source,
    ) -> Result<NoiseVector, NoiseError> {
        match self {
            TrainingLaw::Round(law) => law.draw(dimension, resolution, source),
            TrainingLaw::Shaped(law) => law.draw(resolution, source),
        }
    }
}

impl ShapedLaw {
    /// Draws a vector whose distance to an exact draw from this law is at most `resolution`.
    pub fn draw(
        &self,
        resolution: f64,
        source: &mut dyn Source,
    ) -> Result<NoiseVector, NoiseError> {
        self.check().expect("a law that exists");
        let source = &mut ReadAhead::of(source);
        match self {
            ShapedLaw::Groups { columns, group_of, epsilons } => {
                Groups::draw(columns, group_of, epsilons, source)?.refined(resolution, source)
            }
            ShapedLaw::RowNorm { columns, epsilon } => {
                RowNorm::draw(columns, *epsilon, source)?.refined(resolution, source)
            }
            ShapedLaw::ColumnGaussian { columns, deviations } => {
                let mut normals = reals(columns.dimension(), Real::normal, source)?;
                column_gaussian(&mut normals, columns, deviations, resolution, source)
            }
        }
    }
}

pub(super) fn reals(
    count: usize,
    draw: fn(&mut dyn Source) -> Result<Real, NoiseError>,
    source: &mut dyn Source,
) -> Result<Vec<Real>, NoiseError> {
    (0..count).map(|_| draw(source)).collect()
}

/// A point with signs: of the ℓ₁ sphere if there are as many exponentials as signs, of the ℓ₁ ball
/// if there is one more.
struct Simplex {
    exponentials: Vec<Real>,
    is_negative: Vec<bool>,
}

/// A simplex cut to some bits.
struct CutSimplex {
    coordinates: Vec<BigFloat>,
    /// A bound on ‖coordinates − exact‖₁; nothing if it is not known yet.
    error: Option<BigFloat>,
}

impl Simplex {
    fn draw(signs: usize, more: usize, source: &mut dyn Source) -> Result<Simplex, NoiseError> {
        let exponentials = reals(signs + more, Real::exponential, source)?;
        let is_negative = (0..signs)
            .map(|_| source.word().map(|word| word & 1 == 1))
            .collect::<Result<_, _>>()?;
        Ok(Simplex { exponentials, is_negative })
    }

    fn cut(&mut self, bits: usize, source: &mut dyn Source) -> Result<CutSimplex, NoiseError> {
        let cut = cut(&mut self.exponentials, bits, source)?;
        let sum = cut.iter().fold(zero(bits), |sum, x| sum + x);
        if sum == BigFloat::ZERO {
            return Ok(CutSimplex { coordinates: Vec::new(), error: None });
        }
        let error = exact(2.0 * cut.len() as f64) * step_of(bits) / &sum;
        let signed =
            |(x, &is_negative): (BigFloat, &bool)| if is_negative { -x / &sum } else { x / &sum };
        Ok(CutSimplex {
            coordinates: cut.into_iter().zip(&self.is_negative).map(signed).collect(),
            error: Some(error),
        })
    }
}

/// An exact draw of which as many bits are known as were asked for so far.
pub(super) trait Refine {
    /// The vector with a bound on its distance to the exact draw; nothing if these bits are too few
    /// to tell.
    fn at(
        &mut self,
        bits: usize,
        source: &mut dyn Source,
    ) -> Result<Option<(Vec<BigFloat>, BigFloat)>, NoiseError>;

    /// How much an error of one cut number is multiplied by, roughly: where to begin.
    fn ratio(&self) -> f64;

    /// Refines one and the same draw until its error bound fits.
    fn refined(
        &mut self,
        resolution: f64,
        source: &mut dyn Source,
    ) -> Result<NoiseVector, NoiseError> {
        let mut bits = bits_for(16.0 * self.ratio() / resolution);
        loop {
            if let Some((coordinates, error)) = self.at(bits, source)?
                && error * BigFloat::from(2) <= exact(resolution)
            {
                return Ok(NoiseVector::new(coordinates));
            }
            bits *= 2;
        }
    }
}

/// A draw of [`ShapedLaw::Groups`].
struct Groups {
    /// Exponentials whose sum is each group's radius.
    radii: Vec<Vec<Real>>,
    /// Group, ε, size and a point of the ℓ₁ ball of each column.
    columns: Vec<(usize, f64, f64, Simplex)>,
}

impl Groups {
    fn draw(
        columns: &Columns,
        group_of: &[usize],
        epsilons: &[f64],
        source: &mut dyn Source,
    ) -> Result<Groups, NoiseError> {
        // Gamma(D + 1), not Gamma(D): the points are uniform in balls, not on spheres.
        let radii = ShapedLaw::group_dimensions(columns, group_of, epsilons.len())
            .into_iter()
            .map(|dimension| reals(dimension + 1, Real::exponential, source))
            .collect::<Result<_, _>>()?;
        let columns = columns
            .iter()
            .zip(group_of)
            .map(|(column, &group)| {
                Ok((
                    group,
                    epsilons[group],
                    column.size,
                    Simplex::draw(column.coefficients, 1, source)?,
                ))
            })
            .collect::<Result<_, NoiseError>>()?;
        Ok(Groups { radii, columns })
    }
}

impl Refine for Groups {
    fn at(
        &mut self,
        bits: usize,
        source: &mut dyn Source,
    ) -> Result<Option<(Vec<BigFloat>, BigFloat)>, NoiseError> {
        let precision = precision_for(bits);
        // The radius of each group, and a bound on its error.
        let mut radii = Vec::with_capacity(self.radii.len());
        for radius in &mut self.radii {
            let error = exact(radius.len() as f64) * step_of(bits);
            radii.push((
                cut(radius, bits, source)?.into_iter().fold(zero(bits), |sum, x| sum + x),
                error,
            ));
        }
        let (mut coordinates, mut total) = (Vec::new(), zero(bits));
        for (group, epsilon, size, simplex) in &mut self.columns {
            let (radius, radius_error) = &radii[*group];
            let CutSimplex { coordinates: point, error: Some(error) } =
                simplex.cut(bits, source)?
            else {
                return Ok(None);
            };
            let scale = exact(2.0 * *size).with_precision(precision).value() / exact(*epsilon);
            total += &scale * ((radius + radius_error) * error + radius_error);
            let factor = scale * radius;
            coordinates.extend(point.into_iter().map(|x| x * &factor));
        }
        Ok(Some((coordinates, total)))
    }

    fn ratio(&self) -> f64 {
        let scale = self
            .columns
            .iter()
            .map(|(_, epsilon, size, _)| 2.0 * size / epsilon)
            .fold(0.0, f64::max);
        let dimension = self.radii.iter().map(Vec::len).sum::<usize>() as f64;
        scale * dimension * self.columns.len() as f64
    }
}

/// A draw of [`ShapedLaw::RowNorm`].
struct RowNorm {
    epsilon: f64,
    /// Exponentials whose sum is the length.
    radius: Vec<Real>,
    /// Normals, whose length in each column is the column's, and a point of the ℓ₁ sphere of each
    /// column.
    columns: Vec<(Vec<Real>, Simplex)>,
}

impl RowNorm {
    fn draw(
        columns: &Columns,
        epsilon: f64,
        source: &mut dyn Source,
    ) -> Result<RowNorm, NoiseError> {
        let radius = reals(columns.dimension(), Real::exponential, source)?;
        let columns = columns
            .iter()
            .map(|column| {
                let k = column.coefficients;
                Ok((reals(k, Real::normal, source)?, Simplex::draw(k, 0, source)?))
            })
            .collect::<Result<_, NoiseError>>()?;
        Ok(RowNorm { epsilon, radius, columns })
    }
}

impl Refine for RowNorm {
    fn at(
        &mut self,
        bits: usize,
        source: &mut dyn Source,
    ) -> Result<Option<(Vec<BigFloat>, BigFloat)>, NoiseError> {
        let precision = precision_for(bits);
        let step = step_of(bits);
        let d = self.radius.len() as f64;
        let radius =
            cut(&mut self.radius, bits, source)?.into_iter().fold(zero(bits), |sum, x| sum + x);
        let (mut lengths, mut coordinates) = (Vec::new(), Vec::new());
        // Of the columns' parts, and of the length of all normals.
        let mut error = exact(d.sqrt().next_up()) * &step;
        for (normals, simplex) in &mut self.columns {
            let k = normals.len() as f64;
            let length = norm(&cut(normals, bits, source)?, precision);
            let CutSimplex { coordinates: point, error: Some(point_error) } =
                simplex.cut(bits, source)?
            else {
                return Ok(None);
            };
            error += &length * point_error + exact(k.sqrt().next_up()) * &step;
            coordinates.extend(point.into_iter().map(|x| x * &length));
            lengths.push(length);
        }
        let length = norm(&lengths, precision);
        if length == BigFloat::ZERO {
            return Ok(None);
        }
        let scale = exact(2.0).with_precision(precision).value() / exact(self.epsilon);
        let factor = &scale * &radius / &length;
        let error = scale * (exact(d) * step) + &factor * error;
        Ok(Some((coordinates.into_iter().map(|x| x * &factor).collect(), error)))
    }

    fn ratio(&self) -> f64 {
        2.0 / self.epsilon * (self.radius.len() as f64).powi(2)
    }
}

fn column_gaussian(
    normals: &mut [Real],
    columns: &Columns,
    deviations: &[f64],
    resolution: f64,
    source: &mut dyn Source,
) -> Result<NoiseVector, NoiseError> {
    let largest = deviations.iter().copied().fold(0.0, f64::max);
    let bits = bits_for(2.0 * largest * (normals.len() as f64).sqrt() / resolution);
    let mut coordinates = cut(normals, bits, source)?;
    for (range, &deviation) in columns.ranges().zip(deviations) {
        let deviation = exact(deviation);
        coordinates[range].iter_mut().for_each(|x| *x *= &deviation);
    }
    Ok(NoiseVector::new(coordinates))
}
