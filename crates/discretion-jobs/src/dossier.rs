//! What a board asks about a model, as one folder. It opens a ledger to look, and charges nothing.

use crate::watch::{News, Watch};
use discretion::{Refusal, Remedy};
use discretion_disk::existing::Existing;
use discretion_disk::files::{self, Readers};
use discretion_disk::folder::OutputFolder;
use discretion_formats::{AnyModel, LedgerEntry};
use discretion_ledger::{Error, FileError, HistoryEntry, Ledger, default_path, utc_now};
use discretion_report::dossier::{Dossier, RECORD, Subject};
use discretion_table::{About, Study};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// What a dossier is made from.
pub struct DossierRequest<'r> {
    /// The model file.
    pub model: &'r Path,
    /// The study file, for its `[about]`.
    pub study: Option<&'r Path>,
    /// The folder to write to.
    pub folder: &'r Path,
    /// The ledger's file, if somebody named it.
    pub ledger: Option<&'r Path>,
    /// Whether files that are there may be replaced.
    pub existing: Existing,
}

/// What was written.
pub struct DossierFiles {
    /// The files.
    pub files: Vec<PathBuf>,
    /// What only a person can say and nobody said: a question each, and the key in `[about]` that
    /// answers it.
    pub missing: Vec<(&'static str, &'static str)>,
}

impl DossierRequest<'_> {
    /// Writes the folder.
    pub fn write(&self, watch: &dyn Watch) -> Result<DossierFiles, Refusal> {
        let (file, sha256) = AnyModel::read_with_hash(self.model)?;
        let model = Subject::of(&file);
        let about = match self.study {
            // What it may spend does not matter here.
            Some(study) => Study::read(study)?.about,
            None => About::default(),
        };
        let extract = self.extract(model.ledger(), watch)?;
        let head = extract.as_ref().map(|(head, _)| head.clone());
        // The day in UTC.
        let today = utc_now().chars().take("2026-01-31".len()).collect();
        let warning = model.warning();
        let dossier = Dossier { model, sha256, about: &about, today, head };
        let folder = OutputFolder::prepare(self.folder)?.alone()?;
        let mut made = dossier.files();
        made.extend(extract.map(|(_, text)| ("ledger.json", text)));
        let made_names = made.iter().map(|(name, _)| *name);
        for name in made_names.chain([RECORD]) {
            let remedies = [Remedy::AnotherFolder, Remedy::Overwrite];
            self.existing.check(&folder.join(name), &remedies)?;
        }
        let readers = if warning.is_none() { Readers::Anyone } else { Readers::Owner };
        if warning.is_some() {
            // One of an earlier dossier, which --force replaces, would vouch for this model. It may
            // not be there.
            let _ = std::fs::remove_file(folder.join(RECORD));
        }
        for (name, text) in &made {
            files::write(&folder.join(name), readers, text)?;
        }
        if let Some(reason) = warning {
            watch.tell(News::Warning(&format!(
                "{}: NOT PRIVATE: {reason}; there is no {RECORD}, because the registry is for what is private",
                self.model.display()
            )));
        }
        Ok(DossierFiles {
            files: made.iter().map(|(name, _)| folder.join(name)).collect(),
            missing: dossier
                .missing()
                .iter()
                .map(|question| (question.asks(), question.key()))
                .collect(),
        })
    }

    /// The ledger's head and what it has about the model's account; nothing if there is no ledger
    /// or the model has no charge.
    fn extract(
        &self,
        entry: Option<&LedgerEntry>,
        watch: &dyn Watch,
    ) -> Result<Option<(String, String)>, Refusal> {
        let Some(entry) = entry else { return Ok(None) };
        let ledger = match Ledger::peek(&default_path(self.ledger)?) {
            Err(Error::File(FileError::Missing { .. })) => {
                watch.tell(News::Note(
                    "there is no ledger here, so the dossier has no extract of one; name the one that was charged",
                ));
                return Ok(None);
            }
            other => other?,
        };
        let verified = ledger.verify(None)?;
        if let Some(problem) = &verified.problem {
            return Err(Refusal::refused(format!(
                "the ledger is damaged: {}; nothing was written",
                problem.detail
            )));
        }
        let account = ledger.existing_account(&entry.account)?;
        let history = json!({
            "head": verified.head,
            "entries_in_the_ledger": verified.entries,
            "charge_of_this_model": entry.charge,
            "account": account.standing()?,
            "history": without_notes(&account.history()?),
        });
        let text = serde_json::to_string_pretty(&history).expect("a history is plain data") + "\n";
        Ok(Some((verified.head, text)))
    }
}

/// The account's history without what people and programs wrote beside it, in which the paths of
/// their machines may stand: the purpose of a charge, the reason of a raise.
fn without_notes(history: &[HistoryEntry]) -> Vec<Value> {
    let without = |entry: &HistoryEntry| {
        let mut entry = json!(entry);
        for note in ["what", "reason"] {
            entry.as_object_mut().expect("an entry has fields").remove(note);
        }
        entry
    };
    history.iter().map(without).collect()
}
