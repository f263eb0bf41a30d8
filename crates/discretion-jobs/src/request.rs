//! What a study asks for, checked as far as it can be without reading a row.

use discretion::Refusal;
use discretion::fit::FitError;
use discretion::privacy::Budget;
use discretion::privacy::account::Cap;
use discretion_table::{AnswerChoice, Study};
use std::fmt::Display;

/// Refuses a spend that the account's cap does not cover.
pub fn check_budget(study: &Study) -> Result<(), Refusal> {
    let (cap, spend) = (study.budget.cap, study.spend);
    if cap.covers(spend) {
        return Ok(());
    }
    let advice = match (cap, spend) {
        (Cap::Pure { .. }, Budget::Approximate { .. }) => {
            "a cap without delta pays for no delta: remove it"
        }
        (Cap::Pure { .. }, Budget::Zcdp { .. }) => {
            "a cap without delta pays for no rho: spend epsilon"
        }
        (Cap::Zcdp { .. }, Budget::Approximate { .. }) => {
            "a cap in rho pays for a delta only up to the one beside it: write delta into [budget], or spend rho or a plain \
             epsilon"
        }
        _ => "spend less",
    };
    let asked = match &study.places.spend {
        Some(place) => format!("{place}: [spend] is {spend}"),
        None => format!("{}: the command spends {spend}", study.path.display()),
    };
    Err(Refusal::refused(format!(
        "{asked}, more than the {cap} of [budget]; {advice}; nothing was read"
    )))
}

/// Where it was said what a run may spend, for messages.
pub fn spend_at(study: &Study) -> String {
    study
        .places
        .spend
        .as_ref()
        .map_or_else(|| "what the command spends".to_owned(), ToString::to_string)
}

/// Refuses a spend that does not pay for voting.
pub fn check_voting_budget(spend: Budget, answer: AnswerChoice) -> Result<(), Refusal> {
    let needs = match (answer, spend) {
        (AnswerChoice::Sure, Budget::Approximate { .. })
        | (AnswerChoice::All { .. }, Budget::Approximate { .. } | Budget::Zcdp { .. }) => {
            return Ok(());
        }
        (AnswerChoice::Sure, _) => {
            "voting needs an epsilon and a delta, because an unstable answer slips through with some small probability"
        }
        (AnswerChoice::All { .. }, Budget::Pure { .. }) => {
            "answers to every query need an epsilon and a delta, or a rho, because each of many has Gaussian noise"
        }
    };
    Err(Refusal::bad_input(format!(
        "{needs}; the budget is {spend}; write for example epsilon = 1 and delta = 1e-6"
    )))
}

/// A refusal to fit, as the user's or the machine's fault. `at` is where λ was asked for.
pub fn explain(error: FitError, at: &dyn Display) -> Refusal {
    let refusal = match error.is_of_the_machine() {
        true => Refusal::refused(format!("{error}; nothing was released")),
        false => Refusal::bad_input(format!("{at}: {error}")),
    };
    refusal.because(error)
}
