//! The density that is published.

use super::cuts::Cuts;
use super::{Axis, Bins, DensityError, Scale, Value};
use discretion_privacy::noise::Seeded;
use serde::{Deserialize, Serialize};

/// A histogram density. Everything computed from it is post-processing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Written")]
pub struct Density {
    axes: Vec<Axis>,
    bins: Bins,
    /// One for each cell; the last column varies fastest.
    probabilities: Vec<f64>,
}

/// A density as a file has it, before it is checked.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    axes: Vec<Axis>,
    bins: Bins,
    probabilities: Vec<f64>,
}

/// One bar of a plot.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Bar {
    /// Its category, or `None` for "other" and for numbers.
    pub category: Option<String>,
    /// Its ends, for numbers.
    pub interval: Option<(f64, f64)>,
    /// Its probability.
    pub probability: f64,
}

/// How far probabilities in a file may be from adding up to 1.
const SUM_TOLERANCE: f64 = 1e-9;

impl TryFrom<Written> for Density {
    type Error = DensityError;

    fn try_from(written: Written) -> Result<Density, DensityError> {
        let Written { axes, bins, probabilities } = written;
        if axes.is_empty() {
            return Err(DensityError::NoAxes);
        }
        axes.iter().try_for_each(Axis::check)?;
        bins.check(&axes)?;
        if probabilities.len() != bins.cells() {
            return Err(DensityError::NotADensity("it needs one probability for each cell"));
        }
        if !probabilities.iter().all(|p| (0.0..=1.0).contains(p)) {
            return Err(DensityError::NotADensity("a probability lies between 0 and 1"));
        }
        if (probabilities.iter().sum::<f64>() - 1.0).abs() > SUM_TOLERANCE {
            return Err(DensityError::NotADensity("its probabilities must add up to 1"));
        }
        Ok(Density { axes, bins, probabilities })
    }
}

impl Density {
    pub(super) fn of(axes: Vec<Axis>, bins: Bins, probabilities: Vec<f64>) -> Density {
        Density { axes, bins, probabilities }
    }

    /// The columns.
    pub fn axes(&self) -> &[Axis] {
        &self.axes
    }

    /// The bins that were chosen.
    pub fn bins(&self) -> &Bins {
        &self.bins
    }

    /// Each cell's probability; the last column varies fastest.
    pub fn probabilities(&self) -> &[f64] {
        &self.probabilities
    }

    /// The density at a point: per unit of every numeric column, and per category. 0 outside the
    /// intervals.
    pub fn density_at(&self, point: &[Value]) -> f64 {
        assert_eq!(point.len(), self.axes.len(), "one value for each column");
        let (mut cell, mut size) = (0, 1.0);
        for ((axis, &bins), &value) in self.axes.iter().zip(&self.bins.0).zip(point) {
            let place = match (value, &axis.scale) {
                (Value::Number(x), &Scale::Interval { low, high }) => {
                    if !(low..=high).contains(&x) {
                        return 0.0;
                    }
                    Cuts::of(axis, bins).cell(axis.position(x))
                }
                (Value::Number(x), &Scale::Integers { low, high, .. }) => {
                    if !(low - 0.5..=high + 0.5).contains(&x) {
                        return 0.0;
                    }
                    Cuts::of(axis, bins).cell(axis.position(x))
                }
                (Value::Code(code), Scale::Categories { .. }) => usize::from(axis.code(code)),
                _ => panic!("column {} was given a value of the other kind", axis.name),
            };
            cell = cell * bins + place;
            size *= axis.cell_size(bins, place);
        }
        self.probabilities[cell] / size
    }

    /// One column alone, for a plot.
    pub fn marginal(&self, axis: usize) -> Vec<Bar> {
        let bins = self.bins.0[axis];
        let inner: usize = self.bins.0[axis + 1..].iter().product();
        let edges = self.axes[axis].has_bins().then(|| self.axes[axis].edges(bins));
        let mut sums = vec![0.0; bins];
        for (cell, p) in self.probabilities.iter().enumerate() {
            sums[cell / inner % bins] += p;
        }
        sums.into_iter()
            .enumerate()
            .map(|(place, probability)| match &self.axes[axis].scale {
                Scale::Categories { values } => {
                    Bar { category: values.get(place).cloned(), interval: None, probability }
                }
                Scale::Interval { .. } | Scale::Integers { .. } => {
                    let interval = edges.as_ref().map(|edges| (edges[place], edges[place + 1]));
                    Bar { category: None, interval, probability }
                }
            })
            .collect()
    }

    /// Synthetic rows without end: a cell by its probability, then a number uniformly inside it, of
    /// whole numbers a whole one. The same seed gives the same rows.
    pub fn rows(&self, seed: u64) -> impl Iterator<Item = Vec<Value>> {
        let mut stream = Seeded::new(seed);
        let mut running = 0.0;
        let sums: Vec<f64> = self
            .probabilities
            .iter()
            .map(|p| {
                running += p;
                running
            })
            .collect();
        let cut = |(axis, &bins): (&Axis, &usize)| axis.has_bins().then(|| Cuts::of(axis, bins));
        let cuts: Vec<Option<Cuts>> = self.axes.iter().zip(&self.bins.0).map(cut).collect();
        let last =
            self.probabilities.iter().rposition(|&p| p > 0.0).expect("some cell has a probability");
        std::iter::repeat_with(move || {
            let wanted = stream.unit() * running;
            // A cell without probability is never the first whose running sum exceeds a number.
            let mut cell = sums.partition_point(|&sum| sum <= wanted).min(last);
            let mut row = vec![Value::Code(0); self.axes.len()];
            let columns = self.axes.iter().zip(&cuts).zip(&self.bins.0);
            for (((axis, cuts), &bins), value) in columns.zip(&mut row).rev() {
                let place = cell % bins;
                cell /= bins;
                *value = match axis.scale {
                    Scale::Interval { low, high } => {
                        let position = (place as f64 + stream.unit()) / bins as f64;
                        Value::Number((low + (high - low) * position).clamp(low, high))
                    }
                    Scale::Integers { low, .. } => {
                        let cuts = cuts.as_ref().expect("whole numbers are cut into bins");
                        let (first, size) = (cuts.first(place), cuts.size(place));
                        // `unit` is below 1, but its product with a large number may be rounded up
                        // to it.
                        let drawn = ((stream.unit() * size as f64) as u64).min(size - 1);
                        Value::Number(low + (first + drawn) as f64)
                    }
                    Scale::Categories { .. } => Value::Code(place as u16),
                };
            }
            row
        })
    }

    /// The first `count` of [`rows`](Density::rows).
    pub fn sample(&self, count: usize, seed: u64) -> Vec<Vec<Value>> {
        self.rows(seed).take(count).collect()
    }
}
