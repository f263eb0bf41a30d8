//! How rows are dealt to holders.

use discretion::erm::matrix::Matrix;
use serde::Serialize;

/// How many rows each holder has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sizes {
    /// The same.
    Even,
    /// 1 : 2 : 4 : …, until the largest would leave the smallest fewer than [`FEWEST`] rows; then
    /// all as the largest.
    Doubling,
}

/// Which rows each holder has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Deal {
    /// As they come in shuffled rows.
    AtRandom,
    /// In the order of one column: every holder knows a stretch of it and nothing of the rest.
    Sorted,
}

/// A way to split a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Split {
    /// K.
    pub holders: usize,
    /// How many rows each has.
    pub sizes: Sizes,
    /// Which ones.
    pub dealt: Deal,
}

/// So many rows are worth taking part with.
const FEWEST: usize = 50;

impl Split {
    /// The number of rows of each holder.
    pub fn sizes(&self, rows: usize) -> Vec<usize> {
        let doubled = |most: u32| (0..self.holders as u32).map(move |j| 1usize << j.min(most));
        let most = match self.sizes {
            Sizes::Even => 0,
            Sizes::Doubling => {
                let fits = |most: &u32| rows / doubled(*most).sum::<usize>() >= FEWEST;
                (0..self.holders.min(30) as u32).rev().find(fits).unwrap_or(0)
            }
        };
        let whole: usize = doubled(most).sum();
        let mut left = rows;
        let mut sizes: Vec<usize> = doubled(most).map(|weight| rows * weight / whole).collect();
        sizes.iter().for_each(|size| left -= size);
        // What rounding left over goes to the largest, from the last one on.
        for at in (0..sizes.len()).rev().cycle().take(left) {
            sizes[at] += 1;
        }
        sizes
    }

    /// The tables of all holders. `column` is the coefficient that sorted rows are sorted by.
    pub fn deal(&self, table: &Matrix, column: usize) -> Vec<Matrix> {
        let mut order: Vec<usize> = (0..table.rows()).collect();
        if self.dealt == Deal::Sorted {
            let unit: Vec<f64> =
                (0..table.layout().dimension()).map(|j| f64::from(u8::from(j == column))).collect();
            let values = table.margins(&unit).into_inner();
            order.sort_by(|&a, &b| values[a].0.total_cmp(&values[b].0));
        }
        let mut start = 0;
        let hand = |size: usize| {
            start += size;
            table.gather(&order[start - size..start])
        };
        self.sizes(table.rows()).into_iter().map(hand).collect()
    }

    /// For tables.
    pub fn name(&self, rows: usize) -> String {
        let sizes = self.sizes(rows);
        let size = match self.sizes {
            Sizes::Even => format!("even, {} rows", sizes[0]),
            Sizes::Doubling => format!("1:2:4…, {} to {} rows", sizes[0], sizes[sizes.len() - 1]),
        };
        let dealt = match self.dealt {
            Deal::AtRandom => "",
            Deal::Sorted => ", sorted",
        };
        format!("{} holders, {size}{dealt}", self.holders)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tuning::made_up;

    #[test]
    fn every_row_is_dealt_and_sizes_double_as_far_as_they_can() {
        let split = |holders, sizes| Split { holders, sizes, dealt: Deal::AtRandom };
        assert_eq!(split(5, Sizes::Doubling).sizes(32_561), [1050, 2100, 4202, 8403, 16_806]);
        let many = split(20, Sizes::Doubling).sizes(32_561);
        assert_eq!(many[..7], [63, 127, 254, 509, 1019, 2039, 2039]);
        for split in [split(20, Sizes::Doubling), split(20, Sizes::Even), split(3, Sizes::Doubling)]
        {
            assert_eq!(split.sizes(1_013).iter().sum::<usize>(), 1_013);
        }
    }

    #[test]
    fn sorted_holders_have_stretches_of_the_column() {
        let table = made_up::census(500, 1);
        let split = Split { holders: 4, sizes: Sizes::Even, dealt: Deal::Sorted };
        let unit: Vec<f64> = (0..11).map(|j| f64::from(u8::from(j == 2))).collect();
        let hands = split.deal(&table, 2);
        let ends = hands.iter().map(|hand| {
            let values = hand.margins(&unit).into_inner().into_iter().map(|(value, _)| value);
            values.fold((f64::MAX, f64::MIN), |(low, high), x| (low.min(x), high.max(x)))
        });
        let ends: Vec<(f64, f64)> = ends.collect();
        assert!(ends.windows(2).all(|pair| pair[0].1 <= pair[1].0), "{ends:?}");
    }
}
