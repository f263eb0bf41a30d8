//! Which columns share a group, and how much of ε goes to each, from public numbers alone.

use super::objective::shaped;
use super::predict::TypicalRows;
use crate::outcome::Heads;
use discretion_privacy::noise::{Columns, ShapedLaw};

/// With more category columns than this, groups are not looked for by merging pairs.
const MOST_TO_MERGE: usize = 60;

/// The groups that are expected to do least harm to margins, within ε′.
pub(super) fn best_groups(
    columns: &Columns,
    rows: &TypicalRows,
    heads: Heads,
    left: f64,
) -> ShapedLaw {
    let harm = Harm::new(columns, rows, heads);
    let tried =
        [harm.all_in_one(), harm.numbers_and_categories(), harm.numbers_and_each_category()];
    let merged = harm.merged(harm.numbers_and_each_category());
    let groups = tried.into_iter().chain([merged]).min_by(|a, b| harm.of(a).total_cmp(&harm.of(b)));
    let groups = groups.expect("there is more than one way");
    let mut group_of = vec![0; columns.count()];
    for (group, members) in groups.iter().enumerate() {
        members.iter().for_each(|&column| group_of[column] = group);
    }
    let shares: Vec<f64> = groups.iter().map(|members| harm.root(members)).collect();
    shaped::groups(columns, group_of, &shares, left)
}

/// Deviations of Gaussian noise for each column, up to a common factor: Σ w_j σ_j² is least for a
/// given Σ c_j²/σ_j² if σ_j² ∝ c_j/√w_j.
pub(super) fn deviations(columns: &Columns, rows: &TypicalRows) -> Vec<f64> {
    columns
        .iter()
        .zip(rows.weights())
        .map(|(column, weight)| (column.size / weight.sqrt()).sqrt())
        .collect()
}

/// What groups do to the variance of a margin. A group of D coefficients with share α does
/// A/(αε′)², A = (D + 1)(D + 2)·Σ w_j·8c_j²/((k_j + 1)(k_j + 2)). Least for shares α ∝ A^{1/3}, and
/// then (ΣA^{1/3})³/ε′².
///
/// With several heads D has more dimensions for each coefficient, and entries vary as
/// [`Heads::group_variance`] says.
struct Harm {
    /// k and w·8c²/((k + 1)(k + 2)) of each column.
    columns: Vec<(f64, f64)>,
    /// Whether each has one coefficient.
    is_number: Vec<bool>,
}

type Groups = Vec<Vec<usize>>;

impl Harm {
    fn new(columns: &Columns, rows: &TypicalRows, heads: Heads) -> Harm {
        let weighted = columns.iter().zip(rows.weights());
        Harm {
            columns: weighted.map(|(c, weight)| heads.group_variance(c, weight)).collect(),
            is_number: columns.iter().map(|column| column.coefficients == 1).collect(),
        }
    }

    /// D and ΣA/((D + 1)(D + 2)) of a group.
    fn sums(&self, members: &[usize]) -> (f64, f64) {
        members.iter().fold((0.0, 0.0), |(d, sum), &column| {
            (d + self.columns[column].0, sum + self.columns[column].1)
        })
    }

    /// A^{1/3} of a group.
    fn root(&self, members: &[usize]) -> f64 {
        root(self.sums(members))
    }

    fn of(&self, groups: &Groups) -> f64 {
        groups.iter().map(|members| self.root(members)).sum()
    }

    fn numbers(&self) -> Vec<usize> {
        (0..self.columns.len()).filter(|&column| self.is_number[column]).collect()
    }

    fn categories(&self) -> Vec<usize> {
        (0..self.columns.len()).filter(|&column| !self.is_number[column]).collect()
    }

    fn all_in_one(&self) -> Groups {
        vec![(0..self.columns.len()).collect()]
    }

    fn numbers_and_categories(&self) -> Groups {
        [self.numbers(), self.categories()].into_iter().filter(|group| !group.is_empty()).collect()
    }

    fn numbers_and_each_category(&self) -> Groups {
        let each = self.categories().into_iter().map(|column| vec![column]);
        std::iter::once(self.numbers()).filter(|group| !group.is_empty()).chain(each).collect()
    }

    /// Merges the two groups that gain most, as long as two gain anything.
    fn merged(&self, mut groups: Groups) -> Groups {
        if groups.len() > MOST_TO_MERGE {
            return groups;
        }
        let mut sums: Vec<(f64, f64)> = groups.iter().map(|members| self.sums(members)).collect();
        let together = |(d, sum): (f64, f64), (e, more): (f64, f64)| (d + e, sum + more);
        loop {
            let mut best: Option<(f64, usize, usize)> = None;
            for second in 1..groups.len() {
                for first in 0..second {
                    let both = root(together(sums[first], sums[second]));
                    let gain = root(sums[first]) + root(sums[second]) - both;
                    if gain > best.map_or(0.0, |(most, ..)| most) {
                        best = Some((gain, first, second));
                    }
                }
            }
            let Some((_, first, second)) = best else { return groups };
            let members = groups.remove(second);
            groups[first].extend(members);
            sums[first] = together(sums[first], sums.remove(second));
        }
    }
}

/// A^{1/3} from a group's sums.
fn root((d, sum): (f64, f64)) -> f64 {
    ((d + 1.0) * (d + 2.0) * sum).cbrt()
}
