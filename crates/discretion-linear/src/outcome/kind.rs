//! The losses by name.

#[cfg(test)]
use super::Rates;
use super::{HalfWidth, Heads, Huber, HuberisedHinge, Logistic, Loss, Outcome, Softmax};
use serde::{Deserialize, Serialize};
use std::fmt;

/// The losses by name, as files write them: `logistic`, `hinge`, or `hinge(1)` if its corner is
/// rounded over another width.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum LossKind {
    /// [`Logistic`].
    Logistic,
    /// [`HuberisedHinge`] with h = 0.5.
    Hinge,
    /// The same with another h; [`LossKind::hinge`] makes it.
    HingeOver(HalfWidth),
    /// [`Huber`] with h = 0.25, of residuals.
    Huber,
    /// What tests alone know.
    #[cfg(test)]
    Rates,
}

impl LossKind {
    /// The hinge with its corner rounded over [1 − h, 1 + h].
    pub fn hinge(h: HalfWidth) -> LossKind {
        if h == HalfWidth::USUAL { LossKind::Hinge } else { LossKind::HingeOver(h) }
    }

    /// The outcome of models with these heads that this is the loss of, if there is one.
    pub fn outcome(self, heads: Heads) -> Option<Box<dyn Outcome>> {
        match (self, heads) {
            (LossKind::Logistic, Heads::One) => Some(Box::new(Logistic)),
            (LossKind::Logistic, Heads::Each(classes)) => Some(Box::new(Softmax::new(classes))),
            (LossKind::Hinge, Heads::One) => Some(Box::new(HuberisedHinge::USUAL)),
            (LossKind::HingeOver(h), Heads::One) => Some(Box::new(h.hinge())),
            (LossKind::Huber, Heads::One) => Some(Box::new(Huber::USUAL)),
            #[cfg(test)]
            (LossKind::Rates, Heads::One) => Some(Box::new(Rates::USUAL)),
            (_, Heads::Each(_)) => None,
        }
    }

    /// The outcome of models with one head that this is the loss of.
    pub fn of_margin(self) -> &'static dyn Outcome {
        match self {
            LossKind::Logistic => &Logistic,
            LossKind::Hinge => &HuberisedHinge::USUAL,
            LossKind::HingeOver(h) => h.outcome(),
            LossKind::Huber => &Huber::USUAL,
            #[cfg(test)]
            LossKind::Rates => &Rates::USUAL,
        }
    }

    /// The loss itself.
    pub fn loss(self) -> &'static dyn Loss {
        self.of_margin().loss()
    }

    /// h, if this is a hinge.
    pub fn half_width(self) -> Option<HalfWidth> {
        match self {
            LossKind::Hinge => Some(HalfWidth::USUAL),
            LossKind::HingeOver(h) => Some(h),
            _ => None,
        }
    }
}

impl fmt::Display for LossKind {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LossKind::Logistic => out.write_str("logistic"),
            LossKind::Hinge => out.write_str("hinge"),
            LossKind::HingeOver(h) => write!(out, "hinge({})", h.value()),
            LossKind::Huber => out.write_str("huber"),
            #[cfg(test)]
            LossKind::Rates => out.write_str("rates"),
        }
    }
}

impl From<LossKind> for String {
    fn from(loss: LossKind) -> String {
        loss.to_string()
    }
}

impl TryFrom<String> for LossKind {
    type Error = String;

    fn try_from(name: String) -> Result<LossKind, String> {
        let over = name.strip_prefix("hinge(").and_then(|rest| rest.strip_suffix(')'));
        match (name.as_str(), over) {
            ("logistic", _) => Ok(LossKind::Logistic),
            ("hinge", _) => Ok(LossKind::Hinge),
            ("huber", _) => Ok(LossKind::Huber),
            (_, Some(h)) => {
                h.parse().ok().and_then(HalfWidth::new).map(LossKind::hinge).ok_or_else(|| {
                    format!("the corner of a hinge is rounded over {}, not {h}", HalfWidth::ALLOWED)
                })
            }
            _ => Err(format!("{name:?} is no loss; there are \"logistic\" and \"hinge\"")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::check;

    #[test]
    fn every_width_is_a_loss_and_its_name_leads_back() {
        for h in HalfWidth::all() {
            let kind = LossKind::hinge(h);
            check(kind.of_margin()).unwrap();
            assert_eq!(kind.of_margin().bounds().curvature * 2.0 * h.value(), 1.0);
            let written = serde_json::to_string(&kind).unwrap();
            assert_eq!(serde_json::from_str::<LossKind>(&written).unwrap(), kind, "{written}");
            assert_eq!(kind.half_width(), Some(h));
        }
        assert_eq!(LossKind::hinge(HalfWidth::USUAL), LossKind::Hinge);
        assert_eq!(
            serde_json::to_string(&LossKind::hinge(HalfWidth::WIDE)).unwrap(),
            "\"hinge(1)\""
        );
        assert_eq!(serde_json::to_string(&LossKind::Hinge).unwrap(), "\"hinge\"");
        for wrong in [
            "\"hinge(0.3)\"",
            "\"hinge(0)\"",
            "\"hinge(NaN)\"",
            "\"hinge(\"",
            "\"Hinge\"",
            "\"square\"",
        ] {
            assert!(serde_json::from_str::<LossKind>(wrong).is_err(), "{wrong}");
        }
    }
}
