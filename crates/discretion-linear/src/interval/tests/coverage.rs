//! Coverage, on a population whose coefficients are known.

use super::unit;
use crate::erm::Oracle;
use crate::erm::matrix::{Batch, Layout, Matrix, Norm};
use crate::interval::{Intervals, Plan, Split};
use crate::loss::LossKind;
use crate::train::{Method, Training, not_private};
use discretion_privacy::Budget;
use discretion_privacy::noise::Seeded;

/// Two categories of two and three levels: a population of 2·3·2 kinds of rows with whole-number
/// frequencies, so that the table with each kind as often as its frequency *is* the population.
struct Population {
    kinds: Vec<(u16, u16, bool)>,
}

impl Population {
    fn new() -> Population {
        let frequencies =
            [(0, 0, 9, 5), (0, 1, 4, 8), (0, 2, 6, 6), (1, 0, 3, 7), (1, 1, 2, 11), (1, 2, 8, 9)];
        let kinds = frequencies
            .iter()
            .flat_map(|&(a, b, positive, negative)| {
                let of = |label, count| std::iter::repeat_n((a, b, label), count);
                of(true, positive).chain(of(false, negative))
            })
            .collect();
        Population { kinds }
    }

    fn table(&self, which: impl Iterator<Item = usize>) -> Matrix {
        let layout = Layout::new(Norm::Scale, 0.577, vec![], vec![(1, 0.577), (2, 0.577)]).unwrap();
        let mut batch = Batch::default();
        for (a, b, label) in which.map(|i| self.kinds[i]) {
            batch.codes.extend([a, b]);
            batch.positive.push(label);
        }
        let mut matrix = Matrix::new(layout);
        matrix.push(batch);
        matrix
    }

    /// What is covered.
    fn covered(&self, kind: LossKind, lambda: f64) -> Vec<f64> {
        let whole = self.table(0..self.kinds.len());
        not_private(&whole.all(), kind, lambda).unwrap().into_inner()
    }

    fn sample(&self, n: usize, source: &mut Seeded) -> Matrix {
        let chosen: Vec<usize> =
            (0..n).map(|_| (unit(source) * self.kinds.len() as f64) as usize).collect();
        self.table(chosen.into_iter())
    }
}

/// 300 samples for each case and four coefficients. If each were covered with probability 0.95, 160
/// misses in all would need 40 of one coefficient, which has probability 9e-8 for any of the four
/// (binomial); none at all has probability 2e-7, however the four depend on each other.
#[test]
fn intervals_cover_what_they_say_they_cover() {
    let population = Population::new();
    let lambda = 0.01;
    let n = 4000;
    for (kind, method, budget) in [
        (LossKind::Logistic, Method::Objective, Budget::Pure { epsilon: 1.0 }),
        (LossKind::Logistic, Method::Objective, Budget::Zcdp { rho: 0.1 }),
        (LossKind::Logistic, Method::Output, Budget::Approximate { epsilon: 1.0, delta: 1e-6 }),
        (LossKind::Hinge, Method::Objective, Budget::Pure { epsilon: 1.0 }),
    ] {
        let training = Training { loss: kind, lambda: Some(lambda), method, budget };
        let facts = population.sample(n, &mut Seeded::new(0)).all().facts();
        let plan = Plan::new(&training, Split::DEFAULT, facts).unwrap();
        let mut source = Seeded::new(77);
        let truth = population.covered(kind, lambda);
        let mut misses = 0;
        for _ in 0..300 {
            let table = population.sample(n, &mut source);
            let theta = plan.training().fit(&table.all(), &mut source).unwrap();
            let evidence = plan.run(&table.all(), &theta, &mut source).unwrap();
            let intervals = Intervals::new(&evidence, &theta).unwrap().coefficients(0.95).unwrap();
            misses += intervals
                .iter()
                .zip(&truth)
                .filter(|(i, t)| !(i.lower..=i.upper).contains(t))
                .count();
        }
        assert!(misses < 4 * 40, "{kind:?} {method:?} {budget}: {misses} of 1200 missed");
        assert!(
            misses > 0,
            "{kind:?} {method:?} {budget}: nothing missed, so intervals are too long"
        );
    }
}
