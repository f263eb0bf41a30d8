//! What a study asks for, checked as far as it can be without reading a row.

use crate::exit::Failure;
use discretion::fit::{self, Choosing, FitError, Request};
use discretion::privacy::{Approximate, Budget};
use discretion_table::{Lambda, Study, TuneSettings};
use std::fmt::Display;

/// Refuses a spend that the account's cap does not cover.
pub fn check_budget(study: &Study) -> Result<(), Failure> {
    let (cap, spend) = (study.budget, study.spend);
    if cap.covers(spend) {
        return Ok(());
    }
    let advice = match (cap, spend) {
        (Budget::Pure { .. }, Budget::Approximate { .. }) => {
            "a cap without delta pays for no delta: remove it"
        }
        (Budget::Pure { .. }, Budget::Zcdp { .. }) => "a cap without delta pays for no rho: spend epsilon",
        (Budget::Zcdp { .. }, Budget::Approximate { .. }) => {
            "a cap in rho pays for rho or a plain epsilon, not for delta"
        }
        _ => "lower [spend]",
    };
    let sentence = format!("[spend] is {spend}, more than the {cap} of [budget]; {advice}; nothing was read");
    Err(Failure::refused_at(&study.places.spend, sentence))
}

/// A spend that pays for voting.
pub fn voting_budget(spend: Budget) -> Result<Approximate, Failure> {
    match spend {
        Budget::Approximate { epsilon, delta } => Ok(Approximate { epsilon, delta }),
        Budget::Pure { .. } | Budget::Zcdp { .. } => Err(Failure::BadInput(format!(
            "voting needs an epsilon and a delta, because an unstable answer slips through with some small probability; \
             the budget is {spend}; write for example epsilon = 1 and delta = 1e-6"
        ))),
    }
}

/// What a study asks to be fitted.
pub fn of(study: &Study) -> Request {
    Request {
        loss: study.model.loss,
        lambda: match &study.model.lambda {
            Lambda::Auto => fit::Lambda::Auto,
            &Lambda::Fixed(lambda) => fit::Lambda::Fixed(lambda),
            Lambda::Grid(lambdas) => {
                let TuneSettings { share, validation, score, rule } = study.tune;
                fit::Lambda::Chosen(Choosing { lambdas: lambdas.clone(), share, validation, score, rule })
            }
        },
        method: study.model.method,
        budget: study.spend,
        intervals: study.intervals.map(|settings| settings.split),
    }
}

/// A refusal to fit, as the user's or the machine's fault. `at` is where λ was asked for.
pub fn explain(error: &FitError, at: &dyn Display) -> Failure {
    if error.is_of_the_machine() {
        Failure::Refused(format!("{error}; nothing was released"))
    } else {
        Failure::BadInput(format!("{at}: {error}"))
    }
}
