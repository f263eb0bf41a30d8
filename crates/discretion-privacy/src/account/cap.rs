//! What an account may spend in its life.

use crate::{Budget, BudgetError};
use serde::{Deserialize, Serialize};
use std::fmt;

/// The lifetime cap of an account. As a [`Budget`], except that ρ may have a δ beside it: for runs
/// that keep to their ρ up to outcomes of that probability.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", try_from = "Written")]
pub enum Cap {
    /// Pure ε.
    Pure {
        /// ε.
        epsilon: f64,
    },
    /// ε with δ.
    Approximate {
        /// ε.
        epsilon: f64,
        /// δ.
        delta: f64,
    },
    /// ρ-zCDP; with a δ, up to outcomes of that probability on each table: hence (ε, δ′ + δ) for
    /// every (ε, δ′) that follows from ρ.
    Zcdp {
        /// ρ.
        rho: f64,
        /// δ.
        #[serde(skip_serializing_if = "is_zero")]
        delta: f64,
    },
}

/// A cap as a file has it, before it is checked.
#[derive(Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
enum Written {
    Pure {
        epsilon: f64,
    },
    Approximate {
        epsilon: f64,
        delta: f64,
    },
    Zcdp {
        rho: f64,
        #[serde(default)]
        delta: f64,
    },
}

impl TryFrom<Written> for Cap {
    type Error = BudgetError;

    fn try_from(written: Written) -> Result<Cap, BudgetError> {
        match written {
            Written::Pure { epsilon } => Cap::new(Some(epsilon), None, None),
            Written::Approximate { epsilon, delta } => Cap::new(Some(epsilon), Some(delta), None),
            Written::Zcdp { rho, delta } => Cap::new(None, Some(delta), Some(rho)),
        }
    }
}

fn is_zero(delta: &f64) -> bool {
    *delta == 0.0
}

impl Cap {
    /// A cap from the keys of a study file or of a command line.
    pub fn new(
        epsilon: Option<f64>,
        delta: Option<f64>,
        rho: Option<f64>,
    ) -> Result<Cap, BudgetError> {
        match (epsilon, delta, rho) {
            (None, Some(delta), Some(rho)) if delta != 0.0 => {
                Budget::new(None, None, Some(rho))?;
                // Whatever ε: only δ is looked at.
                Budget::new(Some(1.0), Some(delta), None)?;
                Ok(Cap::Zcdp { rho, delta })
            }
            (None, Some(_), Some(rho)) => Budget::new(None, None, Some(rho)).map(Cap::from),
            (epsilon, delta, rho) => Budget::new(epsilon, delta, rho).map(Cap::from),
        }
    }

    /// The cap, if its numbers are in range: its variants can be written down without [`Cap::new`].
    pub fn checked(self) -> Result<Cap, BudgetError> {
        match self {
            Cap::Pure { epsilon } => Cap::new(Some(epsilon), None, None),
            Cap::Approximate { epsilon, delta } => Cap::new(Some(epsilon), Some(delta), None),
            Cap::Zcdp { rho, delta } => Cap::new(None, Some(delta), Some(rho)),
        }
    }

    /// ε, or ρ for an account that is capped in ρ.
    pub fn amount(self) -> f64 {
        match self {
            Cap::Pure { epsilon } | Cap::Approximate { epsilon, .. } => epsilon,
            Cap::Zcdp { rho, .. } => rho,
        }
    }

    /// δ; 0 if there is none.
    pub fn delta(self) -> f64 {
        match self {
            Cap::Pure { .. } => 0.0,
            Cap::Approximate { delta, .. } | Cap::Zcdp { delta, .. } => delta,
        }
    }

    /// The budget without the δ beside a ρ.
    pub fn budget(self) -> Budget {
        match self {
            Cap::Pure { epsilon } => Budget::Pure { epsilon },
            Cap::Approximate { epsilon, delta } => Budget::Approximate { epsilon, delta },
            Cap::Zcdp { rho, .. } => Budget::Zcdp { rho },
        }
    }

    /// Whether one run that spends `spend` can be within this cap at all. What a run costs an
    /// account is for the account's [`Filter`](super::Filter) to say.
    pub fn covers(self, spend: Budget) -> bool {
        match (self, spend) {
            // What is (ε, δ) may have a ρ and a chance of failing: voting sessions do. The account
            // will see.
            (Cap::Zcdp { delta: most, .. }, Budget::Approximate { delta, .. }) => delta <= most,
            _ => self.budget().covers(spend),
        }
    }
}

impl From<Budget> for Cap {
    fn from(budget: Budget) -> Cap {
        match budget {
            Budget::Pure { epsilon } => Cap::Pure { epsilon },
            Budget::Approximate { epsilon, delta } => Cap::Approximate { epsilon, delta },
            Budget::Zcdp { rho } => Cap::Zcdp { rho, delta: 0.0 },
        }
    }
}

impl fmt::Display for Cap {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Cap::Zcdp { rho, delta } if delta > 0.0 => write!(out, "ρ = {rho}, δ = {delta:e}"),
            _ => self.budget().fmt(out),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cap_is_written_as_ledgers_have_it() {
        for (cap, written) in [
            (Cap::Pure { epsilon: 1.5 }, r#"{"kind":"pure","epsilon":1.5}"#),
            (
                Cap::Approximate { epsilon: 1.0, delta: 1e-6 },
                r#"{"kind":"approximate","epsilon":1.0,"delta":1e-6}"#,
            ),
            (Cap::Zcdp { rho: 0.1, delta: 0.0 }, r#"{"kind":"zcdp","rho":0.1}"#),
            (Cap::Zcdp { rho: 0.1, delta: 1e-6 }, r#"{"kind":"zcdp","rho":0.1,"delta":1e-6}"#),
        ] {
            assert_eq!(serde_json::to_string(&cap).unwrap(), written);
            assert_eq!(serde_json::from_str::<Cap>(written).unwrap(), cap);
        }
        for bad in [r#"{"kind":"zcdp","rho":0.1,"delta":2}"#, r#"{"kind":"pure","epsilon":-1}"#] {
            assert!(serde_json::from_str::<Cap>(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn only_rho_may_have_a_delta_beside_it() {
        assert_eq!(Cap::new(None, Some(1e-6), Some(0.1)), Ok(Cap::Zcdp { rho: 0.1, delta: 1e-6 }));
        assert_eq!(Cap::new(None, Some(0.0), Some(0.1)), Ok(Cap::Zcdp { rho: 0.1, delta: 0.0 }));
        assert_eq!(Cap::new(None, Some(1.5), Some(0.1)), Err(BudgetError::Delta(1.5)));
        assert_eq!(Cap::new(Some(1.0), Some(1e-6), Some(0.1)), Err(BudgetError::Kind));
        assert!(Budget::new(None, Some(1e-6), Some(0.1)).is_err(), "a run has no such budget");
    }
}
