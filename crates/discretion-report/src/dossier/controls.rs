//! Disclosure controls for machines.

use super::answers::{Answer, answers};
use super::{Attacker, Dossier};
use discretion_formats::{LedgerEntry, Privacy};
use serde::Serialize;

#[derive(Serialize)]
struct Controls<'c> {
    format: &'static str,
    model_sha256: &'c str,
    program: &'c str,
    privacy: &'c Privacy,
    ledger: Option<&'c LedgerEntry>,
    ledger_head: Option<&'c str>,
    /// What is in the file that comes from rows, and how it left.
    releases: Vec<Release>,
    bounds: Bounds<'c>,
    attacker: Option<Attacker>,
    answers: Vec<Answer>,
    checks: Vec<String>,
    legal_basis: Option<&'c str>,
    contact: Option<&'c str>,
    to_be_said: Vec<&'static str>,
}

#[derive(Serialize)]
struct Release {
    what: &'static str,
    control: &'static str,
    rows: usize,
}

#[derive(Serialize)]
struct Bounds<'c> {
    declared: Vec<&'c str>,
    looked_up_in_the_rows: &'c [String],
}

pub fn json(dossier: &Dossier<'_>) -> String {
    let model = dossier.model;
    let looked_up = model.schema.from_rows();
    let declared = model.schema.columns().iter().map(|column| column.name.as_str());
    let mut releases = vec![Release {
        what: "coefficients",
        control: "differential privacy, through the gate",
        rows: model.training.rows,
    }];
    if model.intervals.is_some() {
        releases.push(Release {
            what: "matrices behind intervals",
            control: "differential privacy, within the same budget",
            rows: model.training.rows,
        });
    }
    if let Some(quality) = &model.quality {
        releases.push(Release {
            what: "counts of scores on held-out rows",
            control: "differential privacy, exact discrete noise on other rows than those that trained",
            rows: quality.rows(),
        });
    }
    let controls = Controls {
        format: "discretion-controls/1",
        model_sha256: &dossier.sha256,
        program: model.program(),
        privacy: &model.privacy,
        ledger: model.ledger.as_ref(),
        ledger_head: dossier.head.as_deref(),
        releases,
        bounds: Bounds {
            declared: declared.filter(|name| !looked_up.iter().any(|other| other == name)).collect(),
            looked_up_in_the_rows: looked_up,
        },
        attacker: model.privacy.guarantee.map(Attacker::under),
        answers: answers(dossier),
        checks: dossier.commands(),
        legal_basis: dossier.about.legal_basis.as_deref(),
        contact: dossier.about.contact.as_deref(),
        to_be_said: dossier.missing().into_iter().map(|question| question.key()).collect(),
    };
    serde_json::to_string_pretty(&controls).expect("controls are plain data") + "\n"
}
