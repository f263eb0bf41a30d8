//! What may be spent, as a person writes it down: ε, ε with δ, or ρ.

use super::{Approximate, Pure, Zcdp};
use serde::{Deserialize, Serialize};
use std::fmt;

/// The largest ε that is computed with.
const MOST_EPSILON: f64 = 1000.0;

/// A privacy budget, checked: every number in it is positive and in a range that can be computed
/// with, far wider than the range that makes sense.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", try_from = "Written")]
pub enum Budget {
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
    /// zero-concentrated, ρ.
    Zcdp {
        /// ρ.
        rho: f64,
    },
}

/// A budget as a file has it, before it is checked.
#[derive(Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
enum Written {
    Pure { epsilon: f64 },
    Approximate { epsilon: f64, delta: f64 },
    Zcdp { rho: f64 },
}

impl TryFrom<Written> for Budget {
    type Error = BudgetError;

    fn try_from(written: Written) -> Result<Budget, BudgetError> {
        match written {
            Written::Pure { epsilon } => Budget::Pure { epsilon },
            Written::Approximate { epsilon, delta } => Budget::Approximate { epsilon, delta },
            Written::Zcdp { rho } => Budget::Zcdp { rho },
        }
        .checked()
    }
}

/// Why a budget was refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BudgetError {
    /// ε is not in [1e-9, 1000].
    #[error(
        "epsilon must be a finite number above 0 (from 1e-9 to 1000), not {0:?}; 1 is a common choice, 0.1 is strict"
    )]
    Epsilon(f64),
    /// δ is neither 0 nor in [1e-100, 1).
    #[error(
        "delta must be at least 0 and below 1 (0, or from 1e-100 on), not {0:?}; take it well below 1 over the number of rows, such as 1e-6"
    )]
    Delta(f64),
    /// ρ is not in [1e-15, 1e5].
    #[error(
        "rho must be a finite number above 0 (from 1e-15 to 1e5), not {0:?}; 0.1 is a common choice"
    )]
    Rho(f64),
    /// Neither or both kinds were named.
    #[error("a budget is either epsilon, epsilon with delta, or rho alone")]
    Kind,
}

impl Budget {
    /// A budget from the keys of a study file or of a command line.
    pub fn new(
        epsilon: Option<f64>,
        delta: Option<f64>,
        rho: Option<f64>,
    ) -> Result<Budget, BudgetError> {
        match (epsilon, delta, rho) {
            (None, None, Some(rho)) if (1e-15..=1e5).contains(&rho) => Ok(Budget::Zcdp { rho }),
            (None, None, Some(rho)) => Err(BudgetError::Rho(rho)),
            (Some(epsilon), delta, None) => {
                let delta = delta.unwrap_or(0.0);
                if !(1e-9..=MOST_EPSILON).contains(&epsilon) {
                    Err(BudgetError::Epsilon(epsilon))
                } else if delta != 0.0 && !(1e-100..1.0).contains(&delta) {
                    Err(BudgetError::Delta(delta))
                } else if delta > 0.0 {
                    Ok(Budget::Approximate { epsilon, delta })
                } else {
                    Ok(Budget::Pure { epsilon })
                }
            }
            _ => Err(BudgetError::Kind),
        }
    }

    /// The budget, if its numbers are in range: its variants can be written down without
    /// [`Budget::new`].
    pub fn checked(self) -> Result<Budget, BudgetError> {
        match self {
            Budget::Pure { epsilon } => Budget::new(Some(epsilon), None, None),
            Budget::Approximate { epsilon, delta } => Budget::new(Some(epsilon), Some(delta), None),
            Budget::Zcdp { rho } => Budget::new(None, None, Some(rho)),
        }
    }

    /// Replaces ε, or ρ. Nothing if that is no budget.
    pub fn with_amount(self, amount: f64) -> Option<Budget> {
        match self {
            Budget::Pure { .. } => Budget::Pure { epsilon: amount },
            Budget::Approximate { delta, .. } => Budget::Approximate { epsilon: amount, delta },
            Budget::Zcdp { .. } => Budget::Zcdp { rho: amount },
        }
        .checked()
        .ok()
    }

    /// Whether spending `spend` stays within this budget.
    pub fn covers(self, spend: Budget) -> bool {
        match (self, spend) {
            (Budget::Pure { epsilon: cap }, Budget::Pure { epsilon }) => epsilon <= cap,
            (Budget::Pure { .. }, _) => false,
            (Budget::Approximate { epsilon: cap, .. }, Budget::Pure { epsilon }) => epsilon <= cap,
            (
                Budget::Approximate { epsilon: cap, delta: most },
                Budget::Approximate { epsilon, delta },
            ) => epsilon <= cap && delta <= most,
            (Budget::Approximate { epsilon: cap, delta }, Budget::Zcdp { rho }) => {
                Zcdp { rho }.at_delta(delta).epsilon <= cap
            }
            (Budget::Zcdp { rho: cap }, Budget::Zcdp { rho }) => rho <= cap,
            (Budget::Zcdp { rho: cap }, Budget::Pure { epsilon }) => {
                Zcdp::from(Pure { epsilon }).rho <= cap
            }
            (Budget::Zcdp { .. }, Budget::Approximate { .. }) => false,
        }
    }

    /// The pure ε of this budget or, for ρ, of the largest pure mechanism that fits into it.
    pub fn as_pure(self) -> Pure {
        match self {
            Budget::Pure { epsilon } | Budget::Approximate { epsilon, .. } => Pure { epsilon },
            Budget::Zcdp { rho } => {
                Pure { epsilon: Pure::from(Zcdp { rho }).epsilon.min(MOST_EPSILON) }
            }
        }
    }
}

impl From<Pure> for Budget {
    fn from(Pure { epsilon }: Pure) -> Budget {
        Budget::Pure { epsilon }
    }
}

impl From<Zcdp> for Budget {
    fn from(Zcdp { rho }: Zcdp) -> Budget {
        Budget::Zcdp { rho }
    }
}

impl From<Approximate> for Budget {
    fn from(Approximate { epsilon, delta }: Approximate) -> Budget {
        Budget::Approximate { epsilon, delta }
    }
}

impl fmt::Display for Budget {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Budget::Pure { epsilon } => write!(out, "ε = {epsilon}"),
            Budget::Approximate { epsilon, delta } => write!(out, "ε = {epsilon}, δ = {delta:e}"),
            Budget::Zcdp { rho } => write!(out, "ρ = {rho}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_what_is_not_a_budget() {
        for epsilon in [0.0, -1.0, f64::NAN, f64::INFINITY, 5e-324, 1e9] {
            assert!(matches!(Budget::new(Some(epsilon), None, None), Err(BudgetError::Epsilon(_))));
        }
        for delta in [-1e-9, 1.0, 2.0, f64::NAN] {
            assert!(matches!(
                Budget::new(Some(1.0), Some(delta), None),
                Err(BudgetError::Delta(_))
            ));
        }
        assert_eq!(Budget::new(None, None, None), Err(BudgetError::Kind));
        assert_eq!(Budget::new(Some(1.0), None, Some(1.0)), Err(BudgetError::Kind));
        assert_eq!(Budget::new(Some(1.0), Some(0.0), None), Ok(Budget::Pure { epsilon: 1.0 }));
    }

    #[test]
    fn numbers_that_slipped_past_new_are_found() {
        assert_eq!(Budget::Pure { epsilon: -5.0 }.checked(), Err(BudgetError::Epsilon(-5.0)));
        assert!(Budget::try_from(Written::Pure { epsilon: f64::INFINITY }).is_err());
        assert!(Budget::try_from(Written::Approximate { epsilon: 1.0, delta: 1.0 }).is_err());
        assert!(Budget::try_from(Written::Zcdp { rho: 0.1 }).is_ok());
    }

    #[test]
    fn a_budget_covers_only_what_it_implies() {
        let pure = |epsilon| Budget::Pure { epsilon };
        let rho = |rho| Budget::Zcdp { rho };
        let approximate = Budget::Approximate { epsilon: 3.0, delta: 1e-6 };
        assert!(pure(1.0).covers(pure(1.0)) && !pure(1.0).covers(pure(1.01)));
        assert!(!pure(9.0).covers(approximate), "δ > 0 is never pure");
        assert!(approximate.covers(pure(3.0)));
        assert!(approximate.covers(rho(0.1)) && !approximate.covers(rho(1.0)));
        assert!(
            rho(0.4622).covers(pure(1.0)) && !rho(0.4621).covers(pure(1.0)),
            "tanh(1/2) = 0.46212"
        );
        assert!(!rho(100.0).covers(approximate), "no ρ follows from an (ε, δ)");
    }
}
