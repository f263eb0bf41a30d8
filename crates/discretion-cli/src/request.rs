//! What a study asks for, checked as far as it can be without reading a row.

use crate::exit::Failure;
use discretion::privacy::Budget;
use discretion::train::TrainError;
use discretion_table::{Lambda, Location, Place, Study};
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

/// Refuses what study files may say and this version cannot do yet.
pub fn check_supported(study: &Study) -> Result<(), Failure> {
    if study.intervals.is_some() {
        let at = Location { path: study.path.clone(), place: Place::File };
        let sentence =
            "[intervals] is not available in this version; remove that section to fit the model alone";
        return Err(Failure::refused_at(&at, sentence));
    }
    Ok(())
}

/// λ as a number, or `None` for "auto".
pub fn lambda(study: &Study) -> Result<Option<f64>, Failure> {
    match study.model.lambda {
        Lambda::Auto => Ok(None),
        Lambda::Fixed(lambda) => Ok(Some(lambda)),
        Lambda::Grid(_) => Err(Failure::refused_at(
            &study.places.lambda,
            "choosing lambda from a list is not available in this version; write one number, or \"auto\"",
        )),
    }
}

/// A refusal to train, as the user's or the machine's fault. `at` is where λ was asked for.
pub fn explain(error: &TrainError, at: &dyn Display) -> Failure {
    match error {
        TrainError::Noise(_) | TrainError::Oracle(_) => {
            Failure::Refused(format!("{error}; nothing was released"))
        }
        _ => Failure::BadInput(format!("{at}: {error}")),
    }
}
