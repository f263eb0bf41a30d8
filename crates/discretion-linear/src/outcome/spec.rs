//! A loss as something that another process can make it of.

use super::{
    Bounded, Huber, HuberisedHinge, Logistic, Loss, LossKind, MomentsLoss, Score, Weight, Weighted,
};
use serde::{Deserialize, Serialize};

/// A loss of this crate, by its name and its numbers. Numbers are written as their bits, so that
/// none is rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LossSpec(Named);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Named {
    Plain(LossKind),
    Weighted {
        loss: LossKind,
        weight: Weight,
        most: u64,
    },
    Score {
        score: Score,
        bound: u64,
    },
    /// The name that workers and files of earlier builds know.
    #[serde(rename = "one")]
    Moments,
}

impl LossSpec {
    pub(crate) fn plain(loss: LossKind) -> LossSpec {
        LossSpec(Named::Plain(loss))
    }

    pub(crate) fn weighted(loss: LossKind, weight: Weight, most: f64) -> LossSpec {
        LossSpec(Named::Weighted { loss, weight, most: most.to_bits() })
    }

    pub(crate) fn score(score: Score, bound: f64) -> LossSpec {
        LossSpec(Named::Score { score, bound: bound.to_bits() })
    }

    pub(crate) fn one() -> LossSpec {
        LossSpec(Named::Moments)
    }

    /// The score and its bound on margins, if this is one.
    pub(crate) fn as_score(self) -> Option<(Score, f64)> {
        match self.0 {
            Named::Score { score, bound } => Some((score, f64::from_bits(bound))),
            Named::Plain(_) | Named::Weighted { .. } | Named::Moments => None,
        }
    }

    /// The loss.
    pub fn loss(self) -> Box<dyn Loss> {
        match self.0 {
            Named::Plain(LossKind::Logistic) => Box::new(Logistic),
            Named::Plain(LossKind::Hinge) => Box::new(HuberisedHinge::default()),
            Named::Plain(LossKind::HingeOver(h)) => Box::new(h.hinge()),
            Named::Plain(LossKind::Huber) => Box::new(Huber::default()),
            #[cfg(test)]
            Named::Plain(LossKind::Rates) => unreachable!("no oracle knows it by name"),
            Named::Weighted { loss, weight, most } => {
                Box::new(Weighted::new(loss, weight, f64::from_bits(most)))
            }
            Named::Score { score, bound } => {
                Box::new(Bounded { score, bound: f64::from_bits(bound), classes: None })
            }
            Named::Moments => Box::new(MomentsLoss),
        }
    }
}
