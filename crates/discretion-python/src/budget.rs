//! Budgets and caps as Python gives them.

use discretion::privacy::Budget;
use discretion::privacy::account::{Cap, FilterKind, Terms};
use discretion::{Refusal, RefusalKind};

/// ε, δ and ρ, as far as they are given.
pub type Numbers = (Option<f64>, Option<f64>, Option<f64>);

/// An account's cap, and the name of its filter if one is asked for.
pub type CapNumbers = (Option<f64>, Option<f64>, Option<f64>, Option<String>);

/// What an account is to be, checked.
pub fn terms((epsilon, delta, rho, filter): CapNumbers) -> Result<Terms, Refusal> {
    let cap = Cap::new(epsilon, delta, rho)
        .map_err(|error| Refusal::from_error(RefusalKind::BadInput, error))?;
    let filter = match filter.as_deref() {
        None | Some("auto") => None,
        Some(name) => {
            let found = FilterKind::ALL.into_iter().find(|(known, _)| *known == name);
            Some(found.map(|(_, kind)| kind).ok_or_else(|| {
                let known = FilterKind::ALL.map(|(known, _)| known).join(", ");
                Refusal::bad_input(format!("filter is auto, {known}, not {name:?}"))
            })?)
        }
    };
    Ok(Terms { filter, ..Terms::from(cap) })
}

/// A budget, checked.
pub fn budget((epsilon, delta, rho): Numbers) -> Result<Budget, Refusal> {
    Budget::new(epsilon, delta, rho)
        .map_err(|error| Refusal::from_error(RefusalKind::BadInput, error))
}
