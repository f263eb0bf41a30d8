//! Disclosure controls for machines.

use super::answers::{Answer, answers};
use super::subject::Release;
use super::{Attacker, Dossier};
use discretion_formats::{Format, LedgerEntry, Origins, Privacy};
use serde::Serialize;

#[derive(Serialize)]
struct Controls<'c> {
    #[serde(rename = "NOT PRIVATE", skip_serializing_if = "Option::is_none")]
    warning: Option<&'c str>,
    format: &'static str,
    model_sha256: &'c str,
    program: &'c str,
    privacy: &'c Privacy,
    ledger: Option<&'c LedgerEntry>,
    ledger_head: Option<&'c str>,
    /// What is in the file that comes from rows, and how it left.
    releases: Vec<Release>,
    bounds: Bounds<'c>,
    /// Where each column's bounds, categories and knots come from, and the build of the program.
    origins: Option<&'c Origins>,
    attacker: Option<Attacker>,
    answers: Vec<Answer>,
    checks: Vec<String>,
    legal_basis: Option<&'c str>,
    contact: Option<&'c str>,
    to_be_said: Vec<&'static str>,
}

#[derive(Serialize)]
struct Bounds<'c> {
    declared: Vec<&'c str>,
    looked_up_in_the_rows: &'c [String],
}

pub fn json(dossier: &Dossier<'_>) -> String {
    let model = &dossier.model;
    let looked_up = model.schema.from_rows();
    let declared = model.schema.columns().iter().map(|column| column.name.as_str());
    let controls = Controls {
        warning: model.warning,
        format: "discretion-controls/1",
        model_sha256: &dossier.sha256,
        program: model.program,
        privacy: model.privacy,
        ledger: model.ledger,
        ledger_head: dossier.head.as_deref(),
        releases: match model.privacy.private {
            true => model.releases.clone(),
            false => model.releases.iter().map(Release::without_control).collect(),
        },
        bounds: Bounds {
            declared: declared
                .filter(|name| !looked_up.iter().any(|other| other == name))
                .collect(),
            looked_up_in_the_rows: looked_up,
        },
        origins: model.origins,
        attacker: model.privacy.guarantee.map(Attacker::under),
        answers: answers(dossier),
        checks: dossier.commands(),
        legal_basis: dossier.about.legal_basis.as_deref(),
        contact: dossier.about.contact.as_deref(),
        to_be_said: dossier.missing().into_iter().map(|question| question.key()).collect(),
    };
    let json = serde_json::to_string_pretty(&controls).expect("controls are plain data");
    Format::text(json, model.warning.is_some())
}
