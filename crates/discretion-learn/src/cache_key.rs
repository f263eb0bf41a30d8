//! What a cache of models is found by.

use crate::{Boosting, Logistic, Trees};
use discretion_table::{LearnerChoice, PersonKey, Study, VoteSettings};
use sha2::{Digest, Sha256};
use std::fmt::Display;
use std::path::Path;

/// A name for the models that a study trains on a table. Whatever changes them changes it:
/// `program` (its version), the table, and `session`, which names the study's settings and the
/// number of chunks; also the order of persons, and the files that a learner's command names.
pub fn cache_key(
    study: &Study,
    vote: &VoteSettings,
    program: &str,
    table: &dyn Display,
    session: &str,
) -> String {
    let mut name = format!(
        "{program} {table} {session} {} {} {} {}",
        Logistic::LAMBDA,
        Trees::TREES,
        Boosting::TREES,
        PersonKey::RULE
    );
    if let LearnerChoice::Command { command, .. } = &vote.learner {
        let folder = study.path.parent().unwrap_or(Path::new(""));
        for content in command.iter().filter_map(|word| std::fs::read(folder.join(word)).ok()) {
            let hash: String =
                Sha256::digest(&content).iter().map(|byte| format!("{byte:02x}")).collect();
            name = format!("{name} {hash}");
        }
    }
    name
}
