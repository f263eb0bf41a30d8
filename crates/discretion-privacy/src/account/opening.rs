//! Which filter an account gets when it is opened, and what raising its cap makes of it. From
//! public numbers alone: the cap, and what the first run is.

use super::cap::Cap;
use super::event::Event;
use super::filter::{Filter, PlainLimits};
use super::gaussian::largest_mu;
use super::part::curve;
use super::spend::Spend;
use super::totals::Totals;
use crate::{Budget, Curve, best_order, renyi_limit};
use serde::{Deserialize, Serialize};

/// A filter of (ε, δ) accounts, as a study asks for it. Without one the account takes what fits the
/// first run best.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FilterKind {
    /// [`Filter::PlainSum`].
    PlainSum,
    /// [`Filter::Renyi`].
    Renyi,
    /// [`Filter::Gaussian`].
    Gaussian,
}

/// Shares of δ for failing and for what runs that are not pure share in the plain sum. The first is
/// for accounts of every kind; the others are taken if clearly more runs like the first fit.
const SHARES: [(f64, f64); 4] = [(0.1, 0.4), (0.1, 0.0), (0.5, 0.0), (0.9, 0.0)];

/// How many runs that are not pure have a share of δ in the plain sum.
const SHARING: f64 = 4.0;

/// How many times as many runs like the first must fit for another candidate to be taken.
const CLEARLY_MORE: f64 = 1.1;

/// A Gaussian filter's shares of ε and δ for what is neither Gaussian nor pure: the gate's mask,
/// which is discrete.
const REST: (f64, f64) = (0.02, 0.01);

/// Runs for which a plain sum sets δ aside, if the first run does not say.
const RUNS: f64 = 10.0;

impl FilterKind {
    /// Every kind, by its name in a study file.
    pub const ALL: [(&'static str, FilterKind); 3] = [
        ("plain-sum", FilterKind::PlainSum),
        ("renyi", FilterKind::Renyi),
        ("gaussian", FilterKind::Gaussian),
    ];

    /// The name in a study file.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, kind)| *kind == self).expect("every kind has a name").0
    }
}

impl Filter {
    /// The filter of an account that `first` opens: of all that fit its cap and kind the first,
    /// unless clearly more runs like this one fit under another.
    ///
    /// Nothing was released yet, so this choice cannot depend on a release.
    pub fn opened_by(cap: Cap, kind: Option<FilterKind>, first: &Event) -> Filter {
        // One that cannot have happened is refused when it is priced.
        let first = Spend::of(first).unwrap_or_default();
        let mut chosen: Option<(Filter, u64)> = None;
        for filter in Filter::candidates(cap, kind, Some(&first)) {
            let cost = filter.cost_of(&first);
            let runs = cost.map_or(0, |cost| filter.more(&Totals::default(), &cost));
            if chosen.is_none_or(|(_, most)| runs as f64 > CLEARLY_MORE * most as f64) {
                chosen = Some((filter, runs));
            }
        }
        chosen.expect("every cap has a filter").0
    }

    /// What a filter of this cap looks like before there is a first run.
    pub fn unopened(cap: Cap, kind: Option<FilterKind>) -> Filter {
        Filter::candidates(cap, kind, None)[0]
    }

    fn candidates(cap: Cap, kind: Option<FilterKind>, first: Option<&Spend>) -> Vec<Filter> {
        let (epsilon, delta) = match cap {
            Cap::Pure { epsilon } => return vec![Filter::Pure { epsilon }],
            Cap::Zcdp { rho, delta } => return vec![Filter::Concentrated { rho, delta }],
            Cap::Approximate { epsilon, delta } => (epsilon, delta),
        };
        let wanted = |one: FilterKind| kind.is_none_or(|kind| kind == one);
        let mut found = Vec::new();
        if wanted(FilterKind::Renyi) {
            // The order that is best for Gaussian noise, and for most that comes later; then the
            // best for the first run.
            let general = Curve::zcdp(1.0);
            found.extend(SHARES.map(|shares| Filter::renyi(epsilon, delta, shares, &general)));
            if let Some(first) = first {
                let curve = curve(first.parts());
                found.extend(SHARES.map(|shares| Filter::renyi(epsilon, delta, shares, &curve)));
            }
        }
        if wanted(FilterKind::Gaussian) {
            let order = best_order(REST.0 * epsilon, REST.1 * delta, &Curve::zcdp(1.0));
            found.extend(
                SHARES.map(|shares| Filter::gaussian(plain(epsilon, delta, shares), delta, order)),
            );
        }
        if wanted(FilterKind::PlainSum) {
            found.push(Filter::PlainSum {
                epsilon,
                delta,
                each: delta_of_each(epsilon, delta, first),
            });
        }
        found
    }

    /// With the order at which most runs of this curve fit.
    fn renyi(epsilon: f64, delta: f64, shares: (f64, f64), run: &Curve) -> Filter {
        let plain = plain(epsilon, delta, shares);
        Filter::renyi_at(plain, delta, best_order(epsilon, left_by(&plain, delta), run))
    }

    fn renyi_at(plain: PlainLimits, delta: f64, order: f64) -> Filter {
        Filter::Renyi {
            plain,
            order,
            limit: renyi_limit(plain.epsilon, left_by(&plain, delta), order),
        }
    }

    fn gaussian(plain: PlainLimits, delta: f64, order: f64) -> Filter {
        let rest = (REST.0 * plain.epsilon, REST.1 * delta);
        let mu = largest_mu(plain.epsilon - rest.0, left_by(&plain, delta) - rest.1);
        let limit = renyi_limit(rest.0, rest.1, order);
        Filter::Gaussian { plain, mu_squared: mu * mu, order, limit }
    }

    /// The filter after the cap was raised from `old` to `new`; nothing unless it lets everything
    /// pass that this one does.
    ///
    /// Its order and its division of δ stay: only so is every account that was within the old
    /// filter within the new one, and what holds is the new cap, whatever made somebody raise it.
    pub fn raised(&self, old: Cap, new: Cap) -> Option<Filter> {
        let grown = |plain: &PlainLimits, epsilon: f64, delta: f64| PlainLimits {
            epsilon,
            failures: delta * (plain.failures / old.delta()),
            shared: delta * (plain.shared / old.delta()),
            // What a run costs stays.
            each: plain.each,
        };
        let raised = match (*self, new) {
            (Filter::Pure { .. }, Cap::Pure { epsilon }) => Filter::Pure { epsilon },
            // Whoever raises may have looked, and an order or a division of δ must not be chosen
            // after looking. Plain sums need none.
            (Filter::Pure { .. }, Cap::Approximate { epsilon, delta }) => {
                Filter::PlainSum { epsilon, delta, each: delta / RUNS }
            }
            (Filter::Concentrated { .. }, Cap::Zcdp { rho, delta }) => {
                Filter::Concentrated { rho, delta }
            }
            (Filter::PlainSum { each, .. }, Cap::Approximate { epsilon, delta }) => {
                Filter::PlainSum { epsilon, delta, each }
            }
            (Filter::Renyi { plain, order, .. }, Cap::Approximate { epsilon, delta }) => {
                Filter::renyi_at(grown(&plain, epsilon, delta), delta, order)
            }
            (Filter::Gaussian { plain, order, .. }, Cap::Approximate { epsilon, delta }) => {
                Filter::gaussian(grown(&plain, epsilon, delta), delta, order)
            }
            _ => return None,
        };
        (new.amount() >= old.amount() && new.delta() >= old.delta() && raised.contains(self))
            .then_some(raised)
    }

    /// Whether each of this filter's limits is at least that of `other`, a filter of the same kind
    /// and order.
    fn contains(&self, other: &Filter) -> bool {
        let limits = |filter: &Filter| -> Vec<f64> {
            match *filter {
                Filter::Pure { epsilon } => vec![epsilon],
                Filter::Concentrated { rho, delta } => vec![rho, delta],
                Filter::PlainSum { epsilon, delta, .. } => vec![epsilon, delta],
                Filter::Renyi { plain, limit, .. } => {
                    vec![plain.epsilon, plain.failures, plain.shared, limit]
                }
                Filter::Gaussian { plain, mu_squared, limit, .. } => {
                    vec![plain.epsilon, plain.failures, plain.shared, mu_squared, limit]
                }
            }
        };
        limits(self).iter().zip(limits(other)).all(|(new, old)| *new >= old)
    }
}

fn plain(epsilon: f64, delta: f64, (failing, sharing): (f64, f64)) -> PlainLimits {
    let shared = delta * sharing;
    PlainLimits { epsilon, failures: delta * failing, shared, each: shared / SHARING }
}

/// The δ that failing and the plain sum leave.
fn left_by(plain: &PlainLimits, delta: f64) -> f64 {
    delta - plain.failures - plain.shared
}

/// The δ that a plain sum gives to each run, beside its own for failing: an equal share of δ for as
/// many runs like the first as then fit.
fn delta_of_each(epsilon: f64, delta: f64, first: Option<&Spend>) -> f64 {
    let needs_delta = |run: &&Spend| run.pure_sum().is_none() || run.failure() > 0.0;
    let Some(run) = first.filter(needs_delta) else {
        return delta / RUNS;
    };
    let fits = |runs: f64| {
        run.is_within(Budget::Approximate { epsilon: epsilon / runs, delta: delta / runs })
    };
    let runs =
        (1..=RUNS as u32).map(f64::from).take_while(|&runs| fits(runs)).last().unwrap_or(1.0);
    (delta / runs - run.failure()).max(0.0)
}
