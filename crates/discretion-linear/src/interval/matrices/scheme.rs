//! One matrix with its noise: which numbers leave, in which coordinates, and how exact each is.

use super::design::{loss, radius_moment, shares, stretches};
use super::numbers::{Numbers, Part};
use super::symmetric::{Symmetric, stretch};
use super::{
    MatrixNoise, NO_OUTCOME, computed_movement, computed_sensitivity, scaled_columns, sensitivity,
    sum_error,
};
use crate::erm::Facts;
use discretion_privacy::ROUNDING_SLACK;
use discretion_privacy::noise::{Column, Columns, ShapedLaw};
use std::ops::Range;

/// How one matrix of a table is released. A function of public numbers.
pub(crate) struct Scheme {
    noise: MatrixNoise,
    numbers: Numbers,
    way: Way,
}

enum Way {
    /// Numbers are multiplied by these, and all coordinates have the same noise.
    Stretched(Vec<f64>),
    /// Numbers are as they are; parts of them have these shares of ε.
    Cells(Vec<f64>),
}

impl Scheme {
    pub(crate) fn new(noise: MatrixNoise, facts: &Facts) -> Scheme {
        Scheme::with_outcomes(noise, facts, &NO_OUTCOME)
    }

    /// A matrix of weights up to 1 in stretched coordinates, to each of which noise of this deviation
    /// is added. Their number does not depend on it.
    pub(crate) fn with_deviation(deviation: f64, facts: &Facts) -> Scheme {
        let rho = 0.5 * (computed_sensitivity(1.0, facts) / deviation).powi(2);
        Scheme::new(MatrixNoise::Gaussian { rho }, facts)
    }

    /// The same for rows that all weigh 1, if some of their columns are outcomes.
    pub(crate) fn with_outcomes(
        noise: MatrixNoise,
        facts: &Facts,
        outcomes: &Range<usize>,
    ) -> Scheme {
        let Some(columns) = scaled_columns(facts) else {
            let numbers = Numbers::all(facts.dimension);
            let stretches =
                numbers.entries().iter().map(|entry| stretch(entry.row, entry.column)).collect();
            return Scheme { noise, numbers, way: Way::Stretched(stretches) };
        };
        let numbers = Numbers::of(columns, &facts.entries, outcomes);
        let way = match noise {
            MatrixNoise::Shaped { epsilon, .. } => {
                Way::Cells(shares(&numbers, 2.0 / facts.rows as f64 / epsilon))
            }
            _ => {
                let unit = noise.round_deviation(sensitivity(1.0, facts.rows), numbers.count());
                let sizes: Vec<_> =
                    columns.iter().map(|column| (column.size, column.coefficients == 1)).collect();
                Way::Stretched(stretches(&numbers, &sizes, unit, outcomes))
            }
        };
        Scheme { noise, numbers, way }
    }

    pub(crate) fn noise(&self) -> MatrixNoise {
        self.noise
    }

    pub(crate) fn numbers(&self) -> &Numbers {
        &self.numbers
    }

    /// The coordinates of a row-major matrix, to which noise is added.
    pub(crate) fn coordinates(&self, square: &[f64]) -> Vec<f64> {
        let mut numbers = self.numbers.of_matrix(square);
        if let Way::Stretched(stretches) = &self.way {
            numbers.iter_mut().zip(stretches).for_each(|(x, stretch)| *x *= stretch);
        }
        numbers
    }

    /// The matrix with these coordinates.
    pub(crate) fn matrix(&self, coordinates: &[f64]) -> Symmetric {
        match &self.way {
            Way::Cells(_) => self.numbers.matrix(coordinates),
            Way::Stretched(stretches) => {
                let numbers: Vec<f64> =
                    coordinates.iter().zip(stretches).map(|(x, stretch)| x / stretch).collect();
                self.numbers.matrix(&numbers)
            }
        }
    }

    /// The noise of cells, if a replaced row moves a number of size 1 by `moved` at most: density
    /// ∝ exp(−ε Σ_parts share·Σ_cells max|b|/(moved·size)).
    pub(crate) fn law(&self, moved: f64) -> ShapedLaw {
        let (MatrixNoise::Shaped { epsilon, .. }, Way::Cells(shares)) = (self.noise, &self.way)
        else {
            panic!("this noise has no cells");
        };
        let (mut columns, mut group_of, mut epsilons) = (Vec::new(), Vec::new(), Vec::new());
        for (part, share) in self.numbers.parts().iter().zip(shares) {
            let column =
                |coefficients: usize, size: f64| Column { coefficients, size: 0.5 * moved * size };
            let mut group = |of: &mut dyn Iterator<Item = Column>| {
                columns.extend(of);
                group_of.resize(columns.len(), epsilons.len());
                epsilons.push(epsilon * share);
            };
            match part.numbers[..] {
                // Cells of one number each are an ℓ₁ ball together.
                [number] => group(&mut std::iter::once(column(part.cells, number.size))),
                _ => (0..part.cells).for_each(|_| {
                    group(&mut part.numbers.iter().map(|number| column(1, number.size)));
                }),
            }
        }
        let columns = Columns::new(columns).expect("sizes are positive");
        ShapedLaw::Groups { columns, group_of, epsilons }
    }

    /// How far a replaced row can move a computed number of size 1. The squares of plain rows have
    /// half their size, and all of their rounding.
    pub(crate) fn movement(&self, most: f64, facts: &Facts) -> f64 {
        let more = if self.numbers.are_plain() { 2.0 * sum_error(most, facts) } else { 0.0 };
        computed_movement(most, facts) + more * (1.0 + 4.0 * ROUNDING_SLACK)
    }

    /// The standard deviation of each number, for weights up to `most`. The mask is left out.
    pub(crate) fn deviations(&self, most: f64, facts: &Facts) -> Vec<f64> {
        match (&self.way, self.noise) {
            (Way::Cells(shares), MatrixNoise::Shaped { epsilon, .. }) => {
                let unit = self.movement(most, facts) / epsilon;
                let of = |part: &Part, share: f64| {
                    radius_moment(part.numbers.len()).sqrt() * unit / share
                };
                let parts: Vec<f64> = self
                    .numbers
                    .parts()
                    .iter()
                    .zip(shares)
                    .map(|(part, &share)| of(part, share))
                    .collect();
                let entries = self.numbers.entries().iter();
                entries.map(|entry| parts[entry.part] * self.numbers.number(entry).size).collect()
            }
            (Way::Stretched(stretches), noise) => {
                let unit =
                    noise.round_deviation(computed_sensitivity(most, facts), self.numbers.count());
                stretches.iter().map(|stretch| unit / stretch).collect()
            }
            (Way::Cells(_), _) => panic!("only noise with a shape has cells"),
        }
    }

    /// The standard deviation of every entry that belongs to a pair of columns, for each pair: 0
    /// between values of one category. And those of two coefficients of one column, where not all
    /// of them are 0. Nothing where no columns are known.
    pub(crate) fn block_deviations(
        &self,
        most: f64,
        facts: &Facts,
    ) -> Option<(Columns, Symmetric, Vec<f64>)> {
        let columns = scaled_columns(facts)?;
        let all = self.numbers.matrix(&self.deviations(most, facts));
        let first: Vec<usize> = columns.ranges().map(|range| range.start).collect();
        let mut blocks = Symmetric::zero(columns.count());
        for (i, &row) in first.iter().enumerate() {
            for (j, &column) in first[..=i].iter().enumerate() {
                *blocks.entry_mut(i, j) = all.entry(row, column);
            }
        }
        let within = columns.ranges().map(|range| match range.len() {
            1 => 0.0,
            _ => all.entry(range.start + 1, range.start),
        });
        Some((columns.clone(), blocks, within.collect()))
    }

    /// What the noise costs, to be compared with that of another scheme for the same table.
    pub(crate) fn loss(&self, facts: &Facts) -> f64 {
        let deviations = self.deviations(1.0, facts).into_iter();
        match self.numbers.parts() {
            [] => deviations.map(|x| x * x).sum(),
            _ => loss(&self.numbers, deviations),
        }
    }
}
