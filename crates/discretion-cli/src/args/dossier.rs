//! `dossier`.

use super::LedgerFile;
use clap::Args as ClapArgs;
use std::path::PathBuf;

/// Write what a review board asks about a model into one folder.
///
/// A record for the public registry of deployments, answers to the points of NIST SP 800-226,
/// disclosure controls for machines, what the guarantee means for an attacker, the ledger's extract
/// with its head, the commands that check all of it, and a page for everybody. What only a person
/// knows comes from [about] in the study file, and is asked for by name where it is missing.
#[derive(Debug, ClapArgs)]
#[command(
    after_help = "Example:\n  discretion dossier results/model.json --study study.toml --out dossier"
)]
pub struct Dossier {
    /// A model file written by `discretion fit`
    #[arg(value_name = "MODEL")]
    pub model: PathBuf,
    /// The study file, for its [about]
    #[arg(long, value_name = "STUDY")]
    pub study: Option<PathBuf>,
    /// The folder to write to
    #[arg(long, value_name = "DIR", default_value = "dossier")]
    pub out: PathBuf,
    #[command(flatten)]
    pub ledger: LedgerFile,
    /// Overwrite an existing dossier
    #[arg(long)]
    pub force: bool,
}
