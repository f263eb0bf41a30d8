//! `discretion dossier`: what a board asks about a model, as one folder. It opens a ledger to look, and charges nothing.

use crate::args::Dossier as Arguments;
use crate::files::{self, Existing, OutputFolder, Readers};
use crate::out;
use discretion::Refusal;
use discretion_formats::{Model, content_hash};
use discretion_ledger::{Error, FileError, Ledger, default_path};
use discretion_report::dossier::Dossier;
use discretion_table::{About, Study, unreadable};
use serde_json::json;

/// Writes the folder.
pub fn run(args: &Arguments) -> Result<(), Refusal> {
    let model = Model::read(&args.model)?;
    let text = std::fs::read(&args.model).map_err(|error| unreadable(&args.model, &error))?;
    let about = match &args.study {
        // What it may spend does not matter here.
        Some(study) => Study::read(study)?.about,
        None => About::default(),
    };
    let extract = extract(args, &model)?;
    let head = extract.as_ref().map(|(head, _)| head.clone());
    let dossier = Dossier { model: &model, sha256: content_hash(&text), about: &about, today: today(), head };
    let folder = OutputFolder::prepare(&args.out)?.alone()?;
    let mut made = dossier.files();
    made.extend(extract.map(|(_, text)| ("ledger.json", text)));
    let existing = Existing::new(args.force);
    for (name, _) in &made {
        existing
            .check(&folder.join(name), "choose another folder with --out, or overwrite it with --force")?;
    }
    let readers = if model.warning.is_none() { Readers::Anyone } else { Readers::Owner };
    for (name, text) in &made {
        files::write(&folder.join(name), readers, text)?;
    }
    if let Some(reason) = &model.warning {
        eprintln!("warning: {}: NOT PRIVATE: {reason}", args.model.display());
    }
    let mut said: String =
        made.iter().map(|(name, _)| format!("{}\n", folder.join(name).display())).collect();
    for question in dossier.missing() {
        said.push_str(&format!(
            "to be said: {} (`{}` in [about] of the study file)\n",
            question.asks(),
            question.key()
        ));
    }
    out::print(&said)
}

/// The ledger's head and what it has about the model's account; nothing if there is no ledger or the model has no charge.
fn extract(args: &Arguments, model: &Model) -> Result<Option<(String, String)>, Refusal> {
    let Some(entry) = &model.ledger else { return Ok(None) };
    let ledger = match Ledger::peek(&default_path(args.ledger.named())?) {
        Err(Error::File(FileError::Missing { .. })) => {
            eprintln!(
                "note: there is no ledger here, so the dossier has no extract of one; name it with --ledger"
            );
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
        "history": account.history()?,
    });
    let text = serde_json::to_string_pretty(&history).expect("a history is plain data") + "\n";
    Ok(Some((verified.head, text)))
}

/// The day in UTC, from the seconds since 1970 (Howard Hinnant's days-to-civil).
fn today() -> String {
    let seconds =
        std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |time| time.as_secs());
    let days = i64::try_from(seconds / 86_400).unwrap_or(0) + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let (day, month) =
        (day_of_year - (153 * shifted + 2) / 5 + 1, if shifted < 10 { shifted + 3 } else { shifted - 9 });
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}
