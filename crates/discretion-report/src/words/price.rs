//! Why an account pays another number than a run promises.

use crate::numbers::plain::short;
use discretion::privacy::Budget;

/// Says what a run is by itself, if its account pays another number for it: `cost`, counted in
/// `symbol`. `written` is the run's budget as the reader has it elsewhere.
pub fn price(symbol: &str, cost: f64, run: Budget, written: &str) -> Option<String> {
    let by_itself = match run {
        Budget::Pure { epsilon } | Budget::Approximate { epsilon, .. } => ("ε", epsilon),
        Budget::Zcdp { rho } => ("ρ", rho),
    };
    let why = match by_itself {
        (own, amount) if own == symbol && short(amount) == short(cost) => return None,
        (own, amount) if own == symbol && cost < amount => {
            "an account with a δ adds up its runs at that δ, where they cost less than each by itself"
        }
        (own, _) if own == symbol => "an account with a δ adds up its runs at that δ",
        ("ρ", _) => "the account counts it as an ε, at the δ that the account has",
        _ => "the account counts it as a ρ",
    };
    Some(format!("the run itself has {written}: {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_price_is_explained_where_it_is_not_what_the_run_promises() {
        let pure = Budget::Pure { epsilon: 1.0 };
        assert_eq!(price("ε", 1.0, pure, "ε = 1"), None);
        assert_eq!(price("ε", 1.000_000_1, pure, "ε = 1"), None);
        let less = price("ε", 0.894, pure, "ε = 1").unwrap();
        assert!(
            less.starts_with("the run itself has ε = 1: an account with a δ adds up"),
            "{less}"
        );
        let rho = Budget::Zcdp { rho: 0.1 };
        assert!(price("ε", 0.9, rho, "ρ = 0.1").unwrap().contains("counts it as an ε"));
        assert!(price("ρ", 0.5, pure, "ε = 1").unwrap().contains("counts it as a ρ"));
        assert_eq!(price("ρ", 0.1, rho, "ρ = 0.1"), None);
    }
}
