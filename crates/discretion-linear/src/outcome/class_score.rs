//! Scores of rows of several classes: functions of all classes' scores s = Θx and of the row's own
//! class y.
//!
//! Of two classes each is the score of one margin, s_y less the other. `tune/PROOF.md` bounds how
//! fast they change.

use super::{Bounded, Score};

impl Bounded {
    /// g of a row with these scores. It depends on them alone, and is inside [`Bounded::range`]
    /// whatever they are.
    pub(crate) fn of_row(&self, scores: &[f64], class: usize) -> f64 {
        let (_, worst) = self.range();
        // Coefficients too large for a double; then the row is as bad as can be, and no other.
        if !scores.iter().all(|score| score.is_finite()) {
            return worst;
        }
        let own = scores[class];
        let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let power = |score: &f64| (score - most).exp();
        match self.score {
            // Half the squared distance between probabilities and what was true.
            Score::Brier => {
                let sum: f64 = scores.iter().map(power).sum();
                let off = |(k, score)| power(score) / sum - f64::from(u8::from(k == class));
                (0.5 * scores.iter().enumerate().map(off).map(|x: f64| x * x).sum::<f64>()).min(1.0)
            }
            // Minus the logarithm of the probability of what was true.
            Score::Logistic => {
                let sum: f64 = scores.iter().map(power).sum();
                let (low, high) = self.logistic_ends(scores.len());
                ((most - own) + sum.ln()).clamp(low, high)
            }
            // By how much the class leads the best of the others.
            Score::Ramp | Score::Hinge | Score::Error => {
                let others = scores.iter().enumerate().filter(|(k, _)| *k != class);
                let best = others.map(|(_, &score)| score).fold(f64::NEG_INFINITY, f64::max);
                self.g(own - best)
            }
        }
    }

    /// What the logistic score is cut to: its values where all other classes are B below the row's
    /// own, and B above it.
    pub(super) fn logistic_ends(&self, classes: usize) -> (f64, f64) {
        let (others, small) = (classes as f64 - 1.0, (-self.bound).exp());
        ((others * small).ln_1p(), self.bound + (others + small).ln())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use discretion_privacy::noise::{Seeded, Source};

    const ALL: [Score; 5] =
        [Score::Brier, Score::Ramp, Score::Logistic, Score::Hinge, Score::Error];

    fn number(source: &mut Seeded, most: f64) -> f64 {
        ((source.word().unwrap() >> 11) as f64 / (1u64 << 52) as f64 - 1.0) * most
    }

    /// Along small steps anywhere, towards where each score changes most: no faster than declared,
    /// and that fast somewhere.
    #[test]
    fn scores_of_classes_change_no_faster_than_declared_and_that_fast() {
        let source = &mut Seeded::new(3);
        for score in ALL {
            for count in [2, 3, 7] {
                let bounded = Bounded { score, bound: 6.0, classes: Some(count) };
                let (low, high) = bounded.range();
                let mut fastest: f64 = 0.0;
                for _ in 0..20_000 {
                    let scores: Vec<f64> = (0..count).map(|_| number(source, 4.0)).collect();
                    let class = (source.word().unwrap() % count as u64) as usize;
                    // From the row's own class to another: where two classes have all the
                    // probability.
                    let other =
                        (class + 1 + (source.word().unwrap() % (count as u64 - 1)) as usize)
                            % count;
                    let step = 1e-5;
                    let mut moved = scores.clone();
                    if source.word().unwrap() & 1 == 0 {
                        moved[class] += step;
                        moved[other] -= step;
                    } else {
                        moved.iter_mut().for_each(|s| *s += number(source, step));
                    }
                    let apart = scores
                        .iter()
                        .zip(&moved)
                        .map(|(a, b)| (a - b) * (a - b))
                        .sum::<f64>()
                        .sqrt();
                    let [before, after] = [&scores, &moved].map(|s| bounded.of_row(s, class));
                    assert!((low..=high).contains(&before), "{score:?} {before}");
                    fastest = fastest.max((after - before).abs() / apart);
                }
                match bounded.lipschitz() {
                    Some(most) => {
                        assert!(
                            fastest <= most * (1.0 + 1e-5),
                            "{score:?} {count}: {fastest} > {most}"
                        );
                        assert!(
                            fastest > 0.9 * most,
                            "{score:?} {count}: {fastest} is far below {most}"
                        );
                    }
                    None => {
                        let [behind, ahead] = [-1e-9, 1e-9].map(|lead| {
                            let scores: Vec<f64> =
                                (0..count).map(|k| if k == 0 { lead } else { 0.0 }).collect();
                            bounded.of_row(&scores, 0)
                        });
                        assert_eq!((behind, ahead), (1.0, 0.0), "{score:?} jumps");
                    }
                }
            }
        }
    }

    #[test]
    fn two_classes_are_one_margin() {
        for score in ALL {
            let (two, one) =
                (Bounded { score, bound: 3.0, classes: Some(2) }, Bounded::of_margins(score, 3.0));
            for margin in (-100..=100).map(|i| f64::from(i) / 10.0) {
                let found = two.of_row(&[0.5 * margin + 0.3, 0.3 - 0.5 * margin], 0);
                // A margin of 0 is an error, and is lost to rounding.
                let is_even = score == Score::Error && margin == 0.0;
                assert!(
                    is_even || (found - one.g(margin)).abs() < 1e-15 * 40.0,
                    "{score:?} {margin}: {found}"
                );
            }
            let ([a, b], [c, d]) = (<[f64; 2]>::from(two.range()), <[f64; 2]>::from(one.range()));
            assert!((a - c).abs() + (b - d).abs() < 1e-12, "{score:?}");
        }
    }

    #[test]
    fn scores_that_are_no_numbers_are_the_worst() {
        for score in ALL {
            let bounded = Bounded { score, bound: 5.0, classes: Some(3) };
            for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
                assert_eq!(
                    bounded.of_row(&[0.0, bad, 1.0], 0),
                    bounded.range().1,
                    "{score:?} {bad}"
                );
            }
            for far in [1e308, -1e308] {
                let g = bounded.of_row(&[0.0, far, -far], 1);
                assert!(
                    (bounded.range().0..=bounded.range().1).contains(&g),
                    "{score:?} {far}: {g}"
                );
            }
        }
    }
}
