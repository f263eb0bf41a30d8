//! The points of NIST SP 800-226, one by one: what holds here, and where that is proved or
//! measured.

use super::Dossier;
use crate::words::Promise;
use discretion::noise::Provenance;
use discretion::privacy::Unit;
use discretion::quality::Estimate;
use discretion_formats::ModelQuality;
use serde::Serialize;

/// One point.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Answer {
    /// What is asked.
    pub point: &'static str,
    /// What holds.
    pub answer: String,
    /// Where it is proved or measured.
    pub shown: &'static str,
}

/// Every point.
pub fn answers(dossier: &Dossier<'_>) -> Vec<Answer> {
    let model = &dossier.model;
    let guarantee = match model.privacy.guarantee {
        Some(guarantee) => {
            format!(
                "{} with {}. {}",
                guarantee.name(),
                guarantee.symbols(),
                model.privacy.statement
            )
        }
        None => format!("None. {}", model.privacy.statement),
    };
    let randomness = match model.privacy.randomness {
        Some(Provenance::OperatingSystem) => "from the operating system",
        _ => "not from the operating system, so nothing is promised",
    };
    let utility = match &model.quality {
        Some(quality) => match main_figure(quality) {
            Some((name, figure)) => format!(
                "Measured on {} that did not train it: {name} {:.3}, {} % interval {:.3} to {:.3}, noise included.",
                dossier.of(quality.rows()),
                figure.value,
                100.0 * quality.level(),
                figure.lower,
                figure.upper
            ),
            None => "Rows were held out, and are too few to say anything.".to_owned(),
        },
        None => "Not measured on rows of its own: the study has no [evaluate].".to_owned(),
    };
    let groups = match model.quality.as_ref().and_then(ModelQuality::by) {
        Some(by) => {
            format!(
                "Measured for each value of {by}, with intervals; the report has them side by side."
            )
        }
        None => {
            "Not measured: [evaluate] has no `by`. Noise weighs more on small groups.".to_owned()
        }
    };
    let point = |point, answer: String, shown| Answer { point, answer, shown };
    vec![
        point("Privacy definition and parameters", guarantee, "crates/discretion-privacy/src/PROOF.md"),
        point(
            "Unit of privacy",
            match model.privacy.unit {
                Unit::Row => "One row: tables of the same public size that differ in the value of one row. A person with several rows is protected less.",
                Unit::Person => "One person: tables of the same persons that differ in the rows of one of them, however many.",
            }
            .to_owned(),
            "docs/threat-model.md",
        ),
        point("Bounded contributions", dossier.preprocessing(), "docs/values.md; docs/architecture.md, Encoding"),
        point("Composition", dossier.composition(), "crates/discretion-privacy/src/account/PROOF.md; the ledger's extract"),
        point(
            "Post-processing",
            "Intervals, figures of quality, pages and predictions are functions of released numbers and public facts.".to_owned(),
            "docs/architecture.md, From a row to a released coefficient",
        ),
        point("Mechanism", dossier.mechanisms(), model.proof),
        point(
            "Floating point, rounding and sampling",
            "Released numbers are on a public lattice behind an exact discrete mask, whole numbers have exact discrete noise, and the error of \
             the solver is part of the guarantee."
                .to_owned(),
            "crates/discretion-privacy/src/noise/PROOF.md and gate/PROOF.md",
        ),
        point("Randomness", format!("Fair bits {randomness}."), "crates/discretion-privacy/src/noise/receipt.rs"),
        point(
            "Side channels",
            "What is printed, how files are named and how long noise is drawn depend on public numbers; the time that training takes is the \
             custodian's to keep."
                .to_owned(),
            "docs/threat-model.md",
        ),
        point("Utility", utility, "docs/evaluation.md; docs/benchmarks.md"),
        point("Bias", groups, "docs/evaluation.md, Groups"),
        point(
            "Query model",
            "One release of fixed size; nobody can ask for more under the same charge.".to_owned(),
            "docs/files.md",
        ),
        point(
            "Trust model",
            match model.is_joint {
                true => "Several holders: nobody sees the rows or sums of another.".to_owned(),
                false => "Central: the custodian has the rows and is trusted with them.".to_owned(),
            },
            "docs/threat-model.md; docs/parties.md",
        ),
        point(
            "Data security and access control",
            "Outside the program: the custodian keeps rows, ledger and machine.".to_owned(),
            "docs/threat-model.md",
        ),
        point("What the guarantee does not cover", dossier.unprotected(), "docs/threat-model.md"),
        point(
            "Testing of the claims",
            "Every mechanism is audited by running it on the neighbours that move it most; broken ones are caught.".to_owned(),
            "docs/audit.md; the commands below",
        ),
    ]
}

/// The one figure by which a model is known.
fn main_figure(quality: &ModelQuality) -> Option<(&'static str, Estimate)> {
    match quality {
        ModelQuality::Two(facts) => facts.figures.auc.map(|auc| ("AUC", auc)),
        ModelQuality::Several(facts) => Some(("accuracy", facts.figures.accuracy)),
        ModelQuality::Number(facts) => Some(match facts.figures.explained {
            Some(explained) => ("R²", explained),
            None => ("root mean square of residuals", facts.figures.root_mean_square),
        }),
    }
}
