//! Where the bins of a column begin and end.

use super::{Axis, Scale, Spacing};

/// How positions in [0, 1) fall into cells.
pub(super) enum Cuts {
    /// So many of equal width.
    Equal(usize),
    /// Whole numbers, counted from the smallest: so many, and the first of each cell.
    Integers { count: u64, firsts: Vec<u64> },
}

impl Cuts {
    /// So many cells. Panics on categories, which are not cut; for whole numbers the candidate was
    /// checked.
    pub fn of(axis: &Axis, bins: usize) -> Cuts {
        match axis.scale {
            Scale::Interval { .. } => Cuts::Equal(bins),
            Scale::Integers { low, high, spacing } => {
                let count = (high - low) as u64 + 1;
                Cuts::Integers { count, firsts: firsts(count, bins as u64, spacing) }
            }
            Scale::Categories { .. } => panic!("{} has categories", axis.name),
        }
    }

    /// The cell of a position.
    pub fn cell(&self, position: f32) -> usize {
        match self {
            // In double precision the product of a float and a small whole number is exact, so it
            // is below `bins`.
            Cuts::Equal(bins) => (f64::from(position) * *bins as f64) as usize,
            Cuts::Integers { count, firsts } => {
                let place = ((f64::from(position) * *count as f64) as u64).min(count - 1);
                firsts.partition_point(|&first| first <= place) - 1
            }
        }
    }

    /// The first whole number of each cell, and the one behind the last. Panics on cells of equal
    /// width.
    pub fn ends(&self) -> impl Iterator<Item = u64> {
        let Cuts::Integers { count, firsts } = self else { panic!("these are no whole numbers") };
        firsts.iter().copied().chain([*count])
    }

    /// How many whole numbers a cell holds.
    pub fn size(&self, cell: usize) -> u64 {
        let Cuts::Integers { count, firsts } = self else { panic!("these are no whole numbers") };
        firsts.get(cell + 1).unwrap_or(count) - firsts[cell]
    }

    /// The first whole number of a cell.
    pub fn first(&self, cell: usize) -> u64 {
        let Cuts::Integers { firsts, .. } = self else { panic!("these are no whole numbers") };
        firsts[cell]
    }
}

/// Every cell has a whole number at least, so that none is empty for all tables.
fn firsts(count: u64, bins: u64, spacing: Spacing) -> Vec<u64> {
    let even = |i: u64| (u128::from(i) * u128::from(count)).div_ceil(u128::from(bins)) as u64;
    // A little less than the power: where it is whole, rounding must not make it the next one.
    let log = |i: u64| {
        ((count as f64 + 1.0).powf(i as f64 / bins as f64) - 1.0 - 1e-9).ceil().max(0.0) as u64
    };
    let mut firsts: Vec<u64> = Vec::with_capacity(bins as usize);
    for i in 0..bins {
        let wanted = if spacing == Spacing::Even { even(i) } else { log(i) };
        let least = firsts.last().map_or(0, |before| before + 1);
        firsts.push(wanted.max(least).min(count - (bins - i)));
    }
    firsts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes(count: u64, bins: u64, spacing: Spacing) -> Vec<u64> {
        let cuts = Cuts::Integers { count, firsts: firsts(count, bins, spacing) };
        (0..bins as usize).map(|cell| cuts.size(cell)).collect()
    }

    #[test]
    fn even_bins_hold_as_many_as_others_or_one_more() {
        assert_eq!(sizes(31, 4, Spacing::Even), [8, 8, 8, 7]);
        assert_eq!(sizes(5, 5, Spacing::Even), [1; 5]);
        for (count, bins) in [(83, 64), (100, 7), (1 << 52, 3), (2, 1)] {
            let sizes = sizes(count, bins, Spacing::Even);
            assert_eq!(sizes.iter().sum::<u64>(), count);
            assert!(sizes.iter().max().unwrap() - sizes.iter().min().unwrap() <= 1, "{sizes:?}");
        }
    }

    #[test]
    fn log_bins_begin_with_single_numbers_and_none_is_empty() {
        let many = sizes(100_000, 64, Spacing::Log);
        assert_eq!(&many[..8], [1; 8]);
        assert!(many[63] > 10_000 && many.iter().sum::<u64>() == 100_000, "{many:?}");
        assert_eq!(sizes(5, 5, Spacing::Log), [1; 5]);
        assert_eq!(sizes(7, 3, Spacing::Log), [1, 2, 4]);
    }

    #[test]
    fn every_whole_number_falls_into_its_own_cell() {
        for (high, bins, spacing) in [
            (30.0, 7, Spacing::Even),
            (99_999.0, 64, Spacing::Log),
            (4_000_000.0, 256, Spacing::Even),
        ] {
            let axis =
                Axis { name: "n".to_owned(), scale: Scale::Integers { low: -3.0, high, spacing } };
            let cuts = Cuts::of(&axis, bins);
            for cell in 0..bins {
                let (first, size) = (cuts.first(cell), cuts.size(cell));
                for place in [first, first + size - 1] {
                    assert_eq!(
                        cuts.cell(axis.position(place as f64 - 3.0)),
                        cell,
                        "{place} of {high}"
                    );
                }
            }
        }
    }
}
