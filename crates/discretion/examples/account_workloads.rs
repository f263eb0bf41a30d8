//! How many runs fit into an account, by the filter that holds however they are chosen, and by the
//! smallest price of a list that was fixed beforehand, which accounts used before they were
//! filters. Prints the table of docs/accounts.md.
//!
//!     cargo run --release -p discretion --example account_workloads
#![allow(clippy::print_stdout)]

use discretion::erm::Facts;
use discretion::loss::LossKind;
use discretion::privacy::Budget;
use discretion::privacy::account::{Cap, Event, Filter, Spend, Totals};
use discretion::train::{Method, Training};

/// A fit on 30,000 rows and 105 coefficients, as on Adult.
fn fit(budget: Budget, method: Method) -> Event {
    let training = Training { loss: LossKind::Logistic, lambda: Some(1e-3), method, budget };
    training.plan(Facts::of_matrix(30_000, 105, 15)).expect("a sensible fit").event()
}

fn approximate(epsilon: f64, delta: f64) -> Budget {
    Budget::Approximate { epsilon, delta }
}

/// The largest number of runs for which `fits` holds.
fn most(fits: impl Fn(u64) -> bool) -> u64 {
    let mut high = 1;
    while fits(high) {
        high *= 2;
    }
    let mut low = high / 2;
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if fits(middle) { low = middle } else { high = middle }
    }
    low
}

fn main() {
    let pure = |epsilon: f64| fit(Budget::Pure { epsilon }, Method::Auto);
    let objective = |epsilon, delta| fit(approximate(epsilon, delta), Method::Objective);
    let output = |epsilon, delta| fit(approximate(epsilon, delta), Method::Output);
    let votes = |epsilon_each, delta| Event::SparseVector { runs: 20, epsilon_each, delta };
    let workloads: [(&str, Budget, Event); 13] = [
        ("a pure fit, ε = 1", approximate(3.0, 1e-5), pure(1.0)),
        ("a pure fit, ε = 0.3", approximate(3.0, 1e-5), pure(0.3)),
        ("a pure fit, ε = 0.1", approximate(3.0, 1e-5), pure(0.1)),
        ("a pure fit, ε = 0.01", approximate(3.0, 1e-5), pure(0.01)),
        ("a fit with Gaussian noise, (3, 1e-5)", approximate(3.0, 1e-5), objective(3.0, 1e-5)),
        ("a fit with Gaussian noise, (1, 1e-5)", approximate(3.0, 1e-5), objective(1.0, 1e-5)),
        ("a fit with Gaussian noise, (1, 1e-6)", approximate(3.0, 1e-5), objective(1.0, 1e-6)),
        ("a fit with Gaussian noise, (0.3, 1e-6)", approximate(3.0, 1e-5), objective(0.3, 1e-6)),
        ("output perturbation, (0.5, 1e-6)", approximate(3.0, 1e-5), output(0.5, 1e-6)),
        ("a voting session, 20 × 0.05 and δ = 1e-6", approximate(3.0, 1e-5), votes(0.05, 1e-6)),
        ("a pure fit, ε = 0.3", Budget::Zcdp { rho: 0.5 }, pure(0.3)),
        ("a pure fit, ε = 2", Budget::Zcdp { rho: 10.0 }, pure(2.0)),
        (
            "a fit with Gaussian noise, ρ = 0.02",
            Budget::Zcdp { rho: 0.5 },
            fit(Budget::Zcdp { rho: 0.02 }, Method::Objective),
        ),
    ];
    println!(
        "| cap | run | fixed list | filter | share of the cap | which |\n|---|---|---|---|---|---|"
    );
    for (what, cap, event) in workloads {
        let before = most(|runs| {
            let mut spend = Spend::new();
            spend.add(&event, runs).expect("a sensible event");
            spend.is_within(cap)
        });
        let filter = Filter::opened_by(Cap::from(cap), None, &event);
        let cost = filter.cost(&event).expect("it has a price");
        let now = filter.more(&Totals::default(), &cost);
        let share = 100.0 * filter.amount(&cost) / Cap::from(cap).amount();
        println!("| {cap} | {what} | {before} | {now} | {share:.2} % | {} |", filter.describe());
    }
}
