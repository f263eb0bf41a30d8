//! What a guarantee means, in one sentence: for files and terminals.
//! [`Promise`](super::promise::Promise) says it in paragraphs, for a page.

use super::DELTA;
use super::promise::implied;
use crate::numbers::plain::short;
use discretion::privacy::{Budget, Unit};
use discretion_table::Protect;

/// What a budget promises to the person in a row.
pub fn guarantee(budget: Budget) -> String {
    const PROMISE: &str =
        "replacing any one row changes the probability of any outcome by at most a factor";
    match budget {
        Budget::Pure { epsilon } => format!("{budget}: {PROMISE} {}", factor(epsilon)),
        Budget::Approximate { epsilon, delta } => {
            format!("{budget}: {PROMISE} {}, plus {delta:e}", factor(epsilon))
        }
        Budget::Zcdp { rho } => {
            format!(
                "{budget}: replacing any one row moves the distribution of outcomes by at most {rho}·α in Rényi \
                 divergence of every order α > 1; at δ = {DELTA:e} this implies about ε = {}",
                short(implied(rho))
            )
        }
    }
}

/// The same about a row, or about a person.
pub fn guarantee_about(unit: Unit, budget: Budget) -> String {
    match unit {
        Unit::Row => guarantee(budget),
        Unit::Person => guarantee(budget)
            .replace("replacing any one row", "replacing all rows of any one person"),
    }
}

/// What a vote promises.
pub fn voting_guarantee(budget: Budget, unit: Unit, protect: Protect) -> String {
    let promise = guarantee_about(unit, budget);
    match protect {
        Protect::Rows => promise,
        Protect::Labels => format!(
            "{}; only labels are protected: nothing is promised about the other columns",
            promise.replace("replacing any one row", "changing any one row's label")
        ),
    }
}

fn factor(epsilon: f64) -> String {
    let value = epsilon.exp();
    if value.is_finite() {
        format!("e^{epsilon} = {}", short(value))
    } else {
        format!("e^{epsilon}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn guarantees_are_sentences() {
        assert_eq!(
            guarantee(Budget::Pure { epsilon: 1.0 }),
            "ε = 1: replacing any one row changes the probability of any outcome by at most a factor e^1 = 2.72"
        );
        let approximate = guarantee(Budget::Approximate { epsilon: 0.5, delta: 1e-6 });
        assert!(approximate.starts_with("ε = 0.5, δ = 1e-6: "), "{approximate}");
        assert!(approximate.ends_with("a factor e^0.5 = 1.65, plus 1e-6"), "{approximate}");
        let rho = guarantee(Budget::Zcdp { rho: 0.1 });
        assert!(
            rho.contains("at most 0.1·α") && rho.contains("at δ = 1e-6 this implies about ε = "),
            "{rho}"
        );
        assert!(guarantee(Budget::Pure { epsilon: 1e4 }).ends_with("a factor e^10000"));
    }
}
