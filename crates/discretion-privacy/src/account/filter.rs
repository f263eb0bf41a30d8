//! The rule by which an account adds up, fixed when it is opened.
//!
//! A person looks at one release and then decides on the next run, its size too. Most theorems
//! about composition are about lists that were fixed beforehand; those that hold here are few, and
//! "the smallest of several prices" is none of them. `PROOF.md` proves each rule below for runs
//! that are chosen after looking, and side by side.

use super::opening::FilterKind;
use super::price::CAP_TOLERANCE;
use super::totals::Totals;
use serde::{Deserialize, Serialize};

/// What an account lets pass. Its numbers are in the ledger from the account's first charge on.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "filter", rename_all = "kebab-case")]
pub enum Filter {
    /// Σε ≤ ε.
    Pure {
        /// ε.
        epsilon: f64,
    },
    /// Σρ ≤ ρ and Σδ ≤ δ.
    Concentrated {
        /// ρ.
        rho: f64,
        /// δ.
        delta: f64,
    },
    /// Σε ≤ ε and Σδ ≤ δ. A run that is not pure takes a δ beside its own, unless it is cheaper as
    /// pure up to failing.
    PlainSum {
        /// ε.
        epsilon: f64,
        /// δ.
        delta: f64,
        /// The δ that such a run takes.
        each: f64,
    },
    /// Σδ ≤ failures and (the plain sum, or Σ of Rényi divergences at one order ≤ limit).
    Renyi {
        /// The plain sum and what may fail.
        #[serde(flatten)]
        plain: PlainLimits,
        /// α.
        order: f64,
        /// What leaves ε, at what the plain sum and failing leave of δ, after conversion at this
        /// order.
        limit: f64,
    },
    /// Σδ ≤ failures and (the plain sum, or Σμ² ≤ μ² and the Rényi divergences of all that is not
    /// Gaussian ≤ limit).
    Gaussian {
        /// The plain sum and what may fail.
        #[serde(flatten)]
        plain: PlainLimits,
        /// μ².
        mu_squared: f64,
        /// α, for what is neither Gaussian nor pure.
        order: f64,
        /// The limit of that.
        limit: f64,
    },
}

/// Σε ≤ ε and Σ of the δ that runs which are not pure take beside their own ≤ shared. Whatever else
/// holds, Σδ ≤ failures.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlainLimits {
    /// ε.
    pub epsilon: f64,
    /// The part of δ that is for failing.
    pub failures: f64,
    /// The part of δ that runs which are not pure share.
    pub shared: f64,
    /// What each of them takes.
    pub each: f64,
}

impl PlainLimits {
    fn allows(&self, used: &Totals) -> bool {
        at_most(used.epsilon, self.epsilon) && at_most(used.plain_delta, self.shared)
    }

    /// ε of the plain sum, or the same share of it as of what runs share, if that is more.
    fn amount(&self, used: &Totals) -> f64 {
        let shared = if used.plain_delta == 0.0 { 0.0 } else { used.plain_delta / self.shared };
        used.epsilon.max(self.epsilon * shared)
    }
}

/// One of the sums that a filter looks at.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Reading {
    /// What is added up.
    pub what: String,
    /// The sum. Nothing if it says nothing any more, as a sum of ε does once a run was not pure.
    pub used: Option<f64>,
    /// What it must not pass.
    pub limit: f64,
}

impl Filter {
    /// Whether an account that has used so much is within its cap.
    ///
    /// Postcondition: an account whose runs are charged one by one, each only if what is then used
    /// is allowed, satisfies its cap (times 1 + [`CAP_TOLERANCE`]), however runs were chosen.
    pub fn allows(&self, used: &Totals) -> bool {
        let within = match *self {
            Filter::Pure { epsilon } | Filter::PlainSum { epsilon, .. } => {
                at_most(used.epsilon, epsilon)
            }
            Filter::Concentrated { rho, .. } => at_most(used.curve, rho),
            Filter::Renyi { plain, limit, .. } => plain.allows(used) || used.curve <= limit,
            Filter::Gaussian { plain, mu_squared, limit, .. } => {
                plain.allows(used) || (used.mu_squared <= mu_squared && used.curve <= limit)
            }
        };
        within && !self.fails_too_often(used)
    }

    /// What is used, in the ε or ρ of the cap: the share of its limit times the cap. Runs of one
    /// size cost one share each.
    ///
    /// This says how much of the account is gone. It is not a guarantee of that size for what was
    /// released so far: a filter promises its cap and nothing below it.
    pub fn amount(&self, used: &Totals) -> f64 {
        let share = |used: f64, limit: f64| if used == 0.0 { 0.0 } else { used / limit };
        match *self {
            Filter::Pure { .. } | Filter::PlainSum { .. } => used.epsilon,
            Filter::Concentrated { .. } => used.curve,
            Filter::Renyi { plain, limit, .. } => {
                plain.amount(used).min(plain.epsilon * share(used.curve, limit))
            }
            Filter::Gaussian { plain, mu_squared, limit, .. } => {
                let most = share(used.mu_squared, mu_squared).max(share(used.curve, limit));
                plain.amount(used).min(plain.epsilon * most)
            }
        }
    }

    /// Every sum that counts, beside its limit.
    pub fn readings(&self, used: &Totals) -> Vec<Reading> {
        let reading = |what: &str, used: f64, limit: f64| Reading {
            what: what.to_owned(),
            used: used.is_finite().then_some(used),
            limit,
        };
        let plain = |epsilon| reading("plain sum of ε", used.epsilon, epsilon);
        let beside =
            |delta| reading("and of the δ of runs that are not pure", used.plain_delta, delta);
        let failing = |delta| reading("sum of δ, the chance of failing", used.delta, delta);
        let at = |order: f64| format!("Rényi divergence at order {order}");
        match *self {
            Filter::Pure { epsilon } => vec![plain(epsilon)],
            Filter::Concentrated { rho, delta } => {
                let mut found = vec![reading("sum of ρ", used.curve, rho)];
                found.extend((delta > 0.0).then(|| failing(delta)));
                found
            }
            Filter::PlainSum { epsilon, delta, .. } => {
                vec![plain(epsilon), reading("sum of δ", used.delta, delta)]
            }
            Filter::Renyi { plain: sum, order, limit } => vec![
                plain(sum.epsilon),
                beside(sum.shared),
                reading(&at(order), used.curve, limit),
                failing(sum.failures),
            ],
            Filter::Gaussian { plain: sum, mu_squared, order, limit } => vec![
                plain(sum.epsilon),
                beside(sum.shared),
                reading("μ² of Gaussian noise", used.mu_squared, mu_squared),
                reading(&format!("{} of the rest", at(order)), used.curve, limit),
                failing(sum.failures),
            ],
        }
    }

    /// The rule in a few words.
    pub fn describe(&self) -> &'static str {
        match self {
            Filter::Pure { .. } => "plain sum",
            Filter::Concentrated { .. } => "sum of ρ",
            Filter::PlainSum { .. } => "plain sums of ε and δ",
            Filter::Renyi { .. } => "Rényi filter, or the plain sum",
            Filter::Gaussian { .. } => "Gaussian filter, or the plain sum",
        }
    }

    /// The kind, for an (ε, δ) account.
    pub fn kind(&self) -> Option<FilterKind> {
        match self {
            Filter::Pure { .. } | Filter::Concentrated { .. } => None,
            Filter::PlainSum { .. } => Some(FilterKind::PlainSum),
            Filter::Renyi { .. } => Some(FilterKind::Renyi),
            Filter::Gaussian { .. } => Some(FilterKind::Gaussian),
        }
    }

    /// The δ that is set aside for runs that may fail.
    pub fn for_failing(&self) -> f64 {
        match *self {
            Filter::Pure { .. } => 0.0,
            Filter::Concentrated { delta, .. } | Filter::PlainSum { delta, .. } => delta,
            Filter::Renyi { plain, .. } | Filter::Gaussian { plain, .. } => plain.failures,
        }
    }

    /// Whether the chance of failing alone is too much.
    pub fn fails_too_often(&self, used: &Totals) -> bool {
        !at_most(used.delta, self.for_failing())
    }
}

/// A cap is a decimal that a person wrote, and is often spent in equal decimal parts.
fn at_most(used: f64, cap: f64) -> bool {
    used <= cap * (1.0 + CAP_TOLERANCE)
}
