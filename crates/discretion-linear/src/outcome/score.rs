//! Scores: how well a linear classifier does on rows it was not trained on.

use super::{Loss, LossSpec};
use crate::rounding::UNIT;
use discretion_privacy::account::CLASSES_SLOPE;
use discretion_privacy::noise::BigFloat;
use serde::{Deserialize, Serialize};

/// A score is −(1/m) Σ g(yᵢ θ·xᵢ) over the validation rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Score {
    /// g(m) = (1 − 1/(1 + e^{−m}))², the squared error of the predicted probability.
    Brier,
    /// g(m) = 1 − m, cut to [0, 1].
    Ramp,
    /// g(m) = ln(1 + e^{−m}), with the margin cut to ±B.
    Logistic,
    /// g(m) = max(0, 1 − m), with the margin cut to ±B.
    Hinge,
    /// g(m) = 1 for m ≤ 0, else 0: the share of wrong answers.
    Error,
}

impl Score {
    /// How fast g can change; nothing if it jumps.
    pub fn lipschitz(self) -> Option<f64> {
        match self {
            // The largest |g′| = 2p²(1 − p) is at p = 2/3.
            Score::Brier => Some(8.0 / 27.0),
            Score::Ramp | Score::Logistic | Score::Hinge => Some(1.0),
            Score::Error => None,
        }
    }

    /// The score's name, as study files write it.
    pub fn name(self) -> &'static str {
        match self {
            Score::Brier => "brier",
            Score::Ramp => "ramp",
            Score::Logistic => "logistic",
            Score::Hinge => "hinge",
            Score::Error => "error",
        }
    }
}

/// A score with the bound B on margins. Cutting margins at B makes the range of g hold for every
/// draw of the noise, where a bound on ‖θ‖ alone would hold with some probability.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Bounded {
    pub(crate) score: Score,
    pub(crate) bound: f64,
    /// K, where g is a function of the scores of several classes (`class_score.rs`).
    pub(crate) classes: Option<usize>,
}

impl Bounded {
    /// Of rows with one margin.
    #[cfg(test)]
    pub(crate) fn of_margins(score: Score, bound: f64) -> Bounded {
        Bounded { score, bound, classes: None }
    }

    /// How fast g can change, in the margin or in the vector of all classes' scores; nothing if it
    /// jumps.
    pub(crate) fn lipschitz(&self) -> Option<f64> {
        let one = self.score.lipschitz()?;
        Some(if self.classes.is_some() { one * CLASSES_SLOPE } else { one })
    }

    pub(super) fn g(&self, margin: f64) -> f64 {
        // Coefficients too large for a double could make a margin anything; then it is as bad as
        // can be, for this row alone.
        if margin.is_nan() {
            return self.g(f64::NEG_INFINITY);
        }
        let cut = margin.clamp(-self.bound, self.bound);
        match self.score {
            Score::Brier => (1.0 / (1.0 + margin.exp())).powi(2),
            Score::Ramp => (1.0 - margin).clamp(0.0, 1.0),
            Score::Logistic => (-cut).max(0.0) + (-cut.abs()).exp().ln_1p(),
            Score::Hinge => (1.0 - cut).max(0.0),
            Score::Error => f64::from(u8::from(margin <= 0.0)),
        }
    }

    /// The roundings between a row's terms and its margin beside those of the terms, and the
    /// operations between its margin and g. Of several classes a difference of two scores is
    /// rounded too, and g adds up over classes.
    pub(crate) fn roundings(&self) -> (usize, usize) {
        self.classes.map_or((3, 32), |classes| (4, 64 + 8 * classes))
    }

    /// The least and the largest g, rounded outwards.
    pub(crate) fn range(&self) -> (f64, f64) {
        match (self.score, self.classes) {
            (Score::Brier | Score::Ramp | Score::Error, _) => (0.0, 1.0),
            (Score::Logistic, Some(classes)) => self.logistic_ends(classes),
            (Score::Logistic | Score::Hinge, _) => {
                (self.g(self.bound) * (1.0 - 8.0 * UNIT), self.g(-self.bound) * (1.0 + 8.0 * UNIT))
            }
        }
    }

    /// Whether g is the same: some scores have no use for the bound.
    pub(crate) fn is_summed_like(&self, other: &Bounded) -> bool {
        let is_cut = matches!(self.score, Score::Logistic | Score::Hinge);
        self.score == other.score && (self.bound == other.bound || !is_cut)
    }
}

/// The oracle sums any function of the margin; only the value is used.
impl Loss for Bounded {
    fn value(&self, margin: f64) -> f64 {
        self.g(margin)
    }

    fn slope(&self, _: f64) -> f64 {
        0.0
    }

    fn curvature(&self, _: f64) -> f64 {
        0.0
    }

    fn big_slope(&self, margin: &BigFloat) -> BigFloat {
        BigFloat::ZERO.with_precision(margin.precision()).value()
    }

    fn spec(&self) -> Option<LossSpec> {
        Some(LossSpec::score(self.score, self.bound))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Score; 5] =
        [Score::Brier, Score::Ramp, Score::Logistic, Score::Hinge, Score::Error];

    #[test]
    fn scores_stay_in_their_range_and_change_no_faster_than_declared() {
        for score in ALL {
            for bound in [0.3, 1.0, 7.0] {
                let bounded = Bounded::of_margins(score, bound);
                let (low, high) = bounded.range();
                let mut fastest: f64 = 0.0;
                for i in -40_000..40_000 {
                    let m = f64::from(i) * 5e-4;
                    let g = bounded.g(m);
                    assert!((low..=high).contains(&g), "{score:?} {bound}: g({m}) = {g}");
                    fastest = fastest.max((bounded.g(m + 5e-4) - g).abs() / 5e-4);
                }
                match score.lipschitz() {
                    Some(lipschitz) => {
                        assert!(fastest <= lipschitz * (1.0 + 1e-9), "{score:?}: {fastest}");
                        assert!(
                            fastest > 0.55 * lipschitz,
                            "{score:?}: {fastest} is far below {lipschitz}"
                        );
                    }
                    None => assert!(fastest > 1000.0, "{score:?} has no bound for a reason"),
                }
            }
        }
    }

    #[test]
    fn scores_share_a_pass_only_if_they_are_the_same_function() {
        for score in ALL {
            let [one, other] = [0.3, 7.0].map(|bound| Bounded::of_margins(score, bound));
            let same = (-900..900).map(|i| f64::from(i) / 100.0).all(|m| one.g(m) == other.g(m));
            assert_eq!(one.is_summed_like(&other), same, "{score:?}");
        }
        assert!(
            !Bounded::of_margins(Score::Ramp, 1.0)
                .is_summed_like(&Bounded::of_margins(Score::Brier, 1.0))
        );
    }

    #[test]
    fn margins_far_out_have_finite_scores() {
        for score in ALL {
            for m in [f64::NAN, f64::NEG_INFINITY, -1e308, -800.0, 800.0, 1e308, f64::INFINITY] {
                assert!(Bounded::of_margins(score, 5.0).g(m).is_finite(), "{score:?} {m}");
            }
        }
    }
}
