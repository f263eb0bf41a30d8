//! Guarantees and mechanisms in plain words, from public numbers alone.

use crate::numbers::short;
use discretion::erm::LossKind;
use discretion::noise::Law;
use discretion::privacy::{Budget, Zcdp};
use discretion::train::{Candidate, Mechanism, Method, Plan};

/// Why a model without noise is not private.
pub const WITHOUT_NOISE: &str = "trained without noise for the custodian's own eyes; never publish this file";

/// Why a model under a seed is not private.
pub const UNDER_A_SEED: &str =
    "the noise was drawn under a fixed seed, so anyone can subtract it; never publish this file";

/// What a budget promises to the person in a row.
pub fn guarantee(budget: Budget) -> String {
    const PROMISE: &str = "replacing any one row changes the probability of any outcome by at most a factor";
    match budget {
        Budget::Pure { epsilon } => format!("{budget}: {PROMISE} {}", factor(epsilon)),
        Budget::Approximate { epsilon, delta } => {
            format!("{budget}: {PROMISE} {}, plus {delta:e}", factor(epsilon))
        }
        Budget::Zcdp { rho } => {
            const DELTA: f64 = 1e-6;
            let implied = Zcdp { rho }.at_delta(DELTA).epsilon;
            format!(
                "{budget} (zero-concentrated): replacing any one row changes the Rényi divergence of order α by \
                 at most {rho}·α; at δ = {DELTA:e} this implies ε = {}",
                short(implied)
            )
        }
    }
}

fn factor(epsilon: f64) -> String {
    let value = epsilon.exp();
    if value.is_finite() { format!("e^{epsilon} = {}", short(value)) } else { format!("e^{epsilon}") }
}

/// The mechanism's name.
pub fn mechanism(mechanism: Mechanism) -> &'static str {
    match mechanism {
        Mechanism::Objective => "objective perturbation",
        Mechanism::Output => "output perturbation",
    }
}

/// The noise law's name.
pub fn law(law: Law) -> &'static str {
    match law {
        Law::Spherical { .. } => "spherical",
        Law::Gaussian { .. } => "Gaussian",
    }
}

/// The noise law's one number.
pub fn scale(law: Law) -> f64 {
    match law {
        Law::Spherical { scale } => scale,
        Law::Gaussian { sigma } => sigma,
    }
}

/// The loss as study files write it.
pub fn loss(loss: LossKind) -> &'static str {
    match loss {
        LossKind::Logistic => "logistic",
        LossKind::Hinge => "hinge",
    }
}

fn candidate(candidate: &Candidate) -> String {
    format!("{} with {} noise", mechanism(candidate.mechanism), law(candidate.law))
}

/// Which mechanism was taken and why.
pub fn why(plan: &Plan, method: Method) -> String {
    let chosen = &plan.chosen;
    let asked = match method {
        Method::Auto => String::new(),
        Method::Objective | Method::Output => format!("the study asks for {}; ", mechanism(chosen.mechanism)),
    };
    let error = short(chosen.expected_error);
    if plan.rejected.is_empty() {
        return format!("{asked}{} has an expected error of {error} per coefficient", candidate(chosen));
    }
    let others: Vec<String> = plan
        .rejected
        .iter()
        .map(|other| format!("{} for {}", short(other.expected_error), candidate(other)))
        .collect();
    format!(
        "{asked}{} has the smallest expected error, {error} per coefficient (against {})",
        candidate(chosen),
        others.join(", ")
    )
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
        assert!(rho.contains("at most 0.1·α; at δ = 1e-6 this implies ε = "), "{rho}");
        assert!(guarantee(Budget::Pure { epsilon: 1e4 }).ends_with("a factor e^10000"));
    }
}
