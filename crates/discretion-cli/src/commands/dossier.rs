//! `discretion dossier`: what a board asks about a model, as one folder. It opens a ledger to look,
//! and charges nothing.

use crate::args::Dossier;
use crate::files::Existing;
use crate::out;
use crate::watch::Terminal;
use discretion::Refusal;
use discretion_jobs::dossier::DossierRequest;

/// Writes the folder.
pub fn run(args: &Dossier) -> Result<(), Refusal> {
    let request = DossierRequest {
        model: &args.model,
        study: args.study.as_deref(),
        folder: &args.out,
        ledger: args.ledger.named(),
        existing: Existing::new(args.force),
    };
    let written = request.write(&Terminal::new(&args.out))?;
    let mut said: String =
        written.files.iter().map(|file| format!("{}\n", file.display())).collect();
    for (question, key) in written.missing {
        said.push_str(&format!("to be said: {question} (`{key}` in [about] of the study file)\n"));
    }
    out::print(&said)
}
