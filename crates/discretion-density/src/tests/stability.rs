//! Lemma 1 and the declared stability, by search.

use super::*;
use dashu_ratio::RBig;
use discretion_choose::checker::{Effort, Neighbours, Side, check};
use discretion_choose::{Procedure, Stability};
use discretion_privacy::noise::{NoiseError, Source};

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).sum()
}

/// Every small table of noisy counts, every row that moves, every guard: below, across and above S
/// = M.
#[test]
fn one_row_moves_probabilities_by_at_most_two_over_the_guard() {
    let mut largest: f64 = 0.0;
    for code in 0..6i64.pow(3) {
        let noisy = [code % 6 - 1, code / 6 % 6 - 1, code / 36 - 1];
        for (from, to) in [(0, 1), (1, 2), (2, 0), (1, 0)] {
            let mut moved = noisy;
            moved[from] -= 1;
            moved[to] += 1;
            for guard in 1..12 {
                let p = Fitted::new(noisy.into_iter(), guard).probabilities();
                let q = Fitted::new(moved.into_iter(), guard).probabilities();
                assert!((p.iter().sum::<f64>() - 1.0).abs() < 1e-14);
                let share = distance(&p, &q) * guard as f64 / 2.0;
                assert!(share <= 1.0 + 1e-12, "{noisy:?} → {moved:?}, guard {guard}: {share}");
                largest = largest.max(share);
            }
        }
    }
    assert!(largest > 1.0 - 1e-12, "a smaller constant would pass too: only {largest} was reached");
}

#[test]
fn no_counts_at_all_are_uniform_and_huge_ones_do_not_overflow() {
    assert_eq!(Fitted::new([-5, 0, -1, 0].into_iter(), 10).probabilities(), [0.25; 4]);
    let huge = vec![i64::MAX; fitted::MOST_CELLS];
    let fitted = Fitted::new(huge.into_iter(), 1);
    assert_eq!(fitted.score(&vec![1; fitted::MOST_CELLS], u32::MAX), 1.0, "uniform: −1 + 2");
    let cells = fitted::MOST_CELLS as f64;
    let all_in = |cell: usize, count: i64| {
        let mut counts = vec![0; fitted::MOST_CELLS];
        counts[cell] = count;
        counts
    };
    let one = Fitted::new(all_in(7, i64::MAX).into_iter(), 1);
    assert_eq!(one.score(&all_in(7, 1 << 40), u32::MAX), cells, "the highest score");
    assert_eq!(one.score(&all_in(8, 1 << 40), u32::MAX), -cells, "the lowest score");
    assert_eq!(one.score(&all_in(7, 3), 32), 32.0 * 32.0 / cells, "one cell of height 32");
}

#[test]
fn the_score_is_the_textbook_s() {
    let mut source = Seeded::new(5);
    for guard in [1, 40, 200] {
        let mut draw = |most: f64| -> Vec<i64> {
            (0..16).map(|_| (most * source.unit()) as i64 - 3).collect()
        };
        let fitted = Fitted::new(draw(20.0).into_iter(), guard);
        let validation: Vec<i64> = draw(9.0).into_iter().map(|count| count.max(0)).collect();
        let p = fitted.probabilities();
        let m = validation.iter().sum::<i64>() as f64;
        let square = p.iter().map(|p| (16.0 * p).powi(2) / 16.0).sum::<f64>();
        let hits =
            p.iter().zip(&validation).map(|(p, &count)| 16.0 * p * count as f64).sum::<f64>();
        let textbook = -square + 2.0 / m * hits;
        assert!((fitted.score(&validation, u32::MAX) - textbook).abs() < 1e-12);
        assert_eq!(
            fitted.score(&validation, 16),
            fitted.score(&validation, u32::MAX),
            "no density is above K"
        );
        let cut = |density: f64| density.min(2.0);
        let one = |(p, &count): (&f64, &i64)| {
            let (g, v) = (cut(16.0 * p), cut(16.0 * count as f64 / m));
            (2.0 * v * g - g * g) / 16.0
        };
        let below_two: f64 = p.iter().zip(&validation).map(one).sum();
        assert!((fitted.score(&validation, 2) - below_two).abs() < 1e-12);
    }
}

/// Stability is 4H/M and 2H/m, and the rounding of two scores, H·2⁻⁵²: with 2⁵² rows a fifth of the
/// first.
#[test]
fn declared_stability_is_the_formula_s() {
    let rows: usize = 1 << 52;
    let unit = 0.5f64.powi(52);
    for (cells, ceiling, highest) in [(5, u32::MAX, 5.0), (16, 3, 3.0)] {
        let histograms =
            Histograms::new(numbers(), bins(&[cells]), laplace(1.0), 0.05, ceiling).unwrap();
        let guard = histograms.guard(cells, rows) as f64;
        let found = histograms.stability(&Bins(vec![cells]), rows, rows / 2);
        for (found, moved) in [
            (found.training, 4.0 * highest / guard),
            (found.validation, 2.0 * highest / (rows / 2) as f64),
        ] {
            let share = found / (moved + highest * unit);
            assert!((1.0..1.0 + 1e-11).contains(&share), "{cells} {ceiling}: {share}");
        }
    }
}

/// A score is within H·2⁻⁵³ of the exact one, and two of them are apart by more than a little of
/// twice that: less than the rounding of both would not do.
#[test]
fn two_scores_are_rounded_by_what_stability_counts() {
    let (cells, highest) = (5, 5.0);
    let (mut lowest, mut largest) = (0f64, 0f64);
    for i in 1..400i64 {
        let (counts, validation) = ([10_007 + 13 * i, i % 7, 1, 0, 2], [5003 + 3 * i, 1, 0, 1, 0]);
        let fitted = Fitted::new(counts.into_iter(), 1);
        let share = |of: [i64; 5]| of.map(|x| RBig::from(x) / RBig::from(of.iter().sum::<i64>()));
        let [p, w] = [share(counts), share(validation)];
        // K Σ (2wp − p²): every density is K times a share, and a cell is 1/K wide.
        let each = p.iter().zip(&w).map(|(p, w)| (w + w - p) * p);
        let exact = each.fold(RBig::ZERO, |sum, x| sum + x) * RBig::from(cells);
        let found = fitted.score(&validation, u32::MAX);
        assert!((4.0..highest).contains(&found), "{found}");
        let off = (RBig::try_from(found).unwrap() - exact).to_f64().value();
        (lowest, largest) = (lowest.min(off), largest.max(off));
    }
    let bound = highest * 0.5f64.powi(53);
    assert!(-lowest <= bound && largest <= bound, "{lowest} {largest} {bound}");
    assert!(largest - lowest > 1.5 * bound, "{lowest} {largest} {bound}");
}

/// Positions of one column.
struct Positions;

/// `Histograms` that declare a share of their β₁.
struct Declaring {
    histograms: Histograms,
    share: f64,
}

impl Procedure for Declaring {
    type Candidate = Bins;
    type Table = Points;
    type Randomness = Vec<i64>;
    type Model = (Bins, Fitted);
    type Error = NoiseError;

    fn candidates(&self) -> &[Bins] {
        self.histograms.candidates()
    }

    fn rows(&self, table: &Points) -> usize {
        table.rows()
    }

    fn draw(&self, bins: &Bins, source: &mut dyn Source) -> Result<Vec<i64>, NoiseError> {
        self.histograms.draw(bins, source)
    }

    fn train(
        &self,
        table: &Points,
        bins: &Bins,
        noise: &Vec<i64>,
    ) -> Result<(Bins, Fitted), NoiseError> {
        self.histograms.train(table, bins, noise)
    }

    fn score(&self, model: &(Bins, Fitted), table: &Points) -> Result<f64, NoiseError> {
        self.histograms.score(model, table)
    }

    fn score_range(&self, bins: &Bins) -> (f64, f64) {
        self.histograms.score_range(bins)
    }

    fn stability(&self, bins: &Bins, training_rows: usize, validation_rows: usize) -> Stability {
        let stability = self.histograms.stability(bins, training_rows, validation_rows);
        Stability { training: self.share * stability.training, ..stability }
    }
}

impl Neighbours<Declaring> for Positions {
    type Row = f64;
    type Table = Points;

    fn row(&self, source: &mut Seeded) -> f64 {
        source.unit()
    }

    fn table(&self, rows: &[f64]) -> Points {
        let mut points = Points::new(numbers()).unwrap();
        rows.iter().for_each(|&x| points.push(&[Value::Number(x)]));
        points
    }
}

const EFFORT: Effort = Effort { training_rows: 60, validation_rows: 40, draws: 12, steps: 150 };

/// Noise of every size, from hardly any (the guard is then just below n, and the bound is nearly
/// reached) to more than the rows (the guard is then at work).
#[test]
fn the_checker_finds_no_violation_of_the_declared_stability() {
    let mut nearest: [f64; 2] = [0.0; 2];
    for (epsilon, ceiling) in
        [(0.05, u32::MAX), (1.0, 3), (40.0, u32::MAX), (200.0, u32::MAX), (200.0, 4)]
    {
        let histograms =
            Histograms::new(numbers(), bins(&[2, 5, 16]), laplace(epsilon), 0.05, ceiling).unwrap();
        let declaring = Declaring { histograms, share: 1.0 };
        let report = check(&declaring, &Positions, EFFORT, 3).unwrap();
        assert_eq!(report.violations().count(), 0, "ε = {epsilon}: {:?}", report.worst());
        for finding in report.findings() {
            let side = usize::from(finding.side == Side::Validation);
            nearest[side] = nearest[side].max(finding.ratio());
        }
    }
    assert!(nearest[0] > 0.95 && nearest[1] > 0.999, "only {nearest:?} of β₁ and β₂ was reached");
}

#[test]
fn half_of_the_declared_training_stability_is_flagged() {
    let histograms = Histograms::new(numbers(), bins(&[5, 16]), laplace(40.0), 0.05, 16).unwrap();
    let report = check(&Declaring { histograms, share: 0.5 }, &Positions, EFFORT, 3).unwrap();
    assert!(report.violations().all(|finding| finding.side == Side::Training));
    assert_eq!(report.violations().count(), 2, "{:?}", report.worst());
}
