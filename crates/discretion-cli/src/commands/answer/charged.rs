//! The private answers: reserve, train, remember, release, in this order.

use super::job::{Job, Table};
use super::memory::{self, Kept};
use super::queries::Queries;
use super::{Told, cache_folder, text};
use crate::args::Answer as AnswerArgs;
use crate::exit::Failure;
use crate::files::{self, Readers};
use crate::model::LedgerEntry;
use crate::{ledger, voters};
use discretion::noise::{OperatingSystem, Source};
use discretion_ledger::{Account, Fingerprint, checkpoint};
use std::collections::HashSet;
use std::path::Path;

/// Opens the session or goes on with it, answers, and writes the answers to `path`.
pub fn answer(args: &AnswerArgs, job: &Job<'_>, path: &Path) -> Result<(Told, Queries), Failure> {
    let study = job.study;
    let ledger = ledger::open(args.ledger.as_deref())?;
    let account = ledger.account(&job.account(), study.budget)?;
    let (fingerprint, table) = ledger::fingerprint_while(&account, &study.data.path, || job.read(args))?;
    let chunks = voters::chunks(job.vote, &job.demand, &job.planned, table.rows.count() as u64)?;

    let (mut kept, about, entry) = session(args, job, &account, &fingerprint, chunks, &table)?;
    checkpoint("answer: charged");
    let stays = |failure: Failure| {
        failure.and("what the session was charged, and what it answered, stays in the ledger")
    };
    let design = kept.design()?;
    let mut source = OperatingSystem;
    let cache = cache_folder(args);
    let key = format!("{} {}", fingerprint, job.key(chunks));
    let answered = job.tell(design, chunks, &table, (&cache, &key), &mut kept, &mut source).map_err(stays)?;
    checkpoint("answer: answered");
    let state = kept.counts()?;
    let told = Told {
        answers: answered.answers.iter().map(|answer| answer.as_ref().map(|answer| **answer)).collect(),
        stopped: answered.stopped,
        provenance: source.provenance(),
        chunks,
        asked: state.asked(),
        paid: state.paid(),
        ledger: entry,
        account: about,
    };
    let csv = text(job, &told);
    files::write(path, Readers::Anyone, &csv).map_err(stays)?;
    checkpoint("answer: written");
    ledger::note_session_release(kept.session(), path, &csv);
    Ok((told, table.queries))
}

/// The session of these settings, or a new one that is charged now.
fn session<'l>(
    args: &AnswerArgs,
    job: &Job<'_>,
    account: &Account<'l>,
    fingerprint: &Fingerprint,
    chunks: usize,
    table: &Table,
) -> Result<(Kept<'l>, String, Option<LedgerEntry>), Failure> {
    let key = job.key(chunks);
    let names = table.queries.names();
    if let Some(session) = account.session(&key)?.filter(|_| !args.new) {
        if session.table_changed(fingerprint) {
            return Err(Failure::Refused(format!(
                "the table is not the one that the session of charge {} was opened on; its answers would no longer be one \
                 session of one table. Put the old table back, or open another session at its full price with --new",
                session.charge()
            )));
        }
        let mut fresh = HashSet::new();
        for name in &names {
            if session.answer(name)?.is_none() {
                fresh.insert(name);
            }
        }
        let kept = Kept::new(session);
        job.check_number(fresh.len(), kept.counts()?.asked())?;
        let about = format!(
            "this goes on with the session of charge {}; nothing new was charged",
            kept.session().charge()
        );
        let entry = LedgerEntry {
            account: account.name().to_owned(),
            charge: kept.session().charge(),
            cap: None,
            cost: None,
            spent: None,
        };
        return Ok((kept, about, Some(entry)));
    }
    job.check_number(names.iter().collect::<HashSet<_>>().len(), 0)?;
    let design = job.planned.design;
    let what = format!("answers of {}", job.study.path.display());
    let first = memory::first_state(&design);
    let (charge, session) = account.open_session(&design.event(), Some(fingerprint), &what, &key, &first)?;
    ledger::say_if_table_changed(account, &charge);
    let about = ledger::about(account, &charge.quote);
    Ok((Kept::new(session), about, Some(LedgerEntry::of(account, &charge))))
}

/// What a session would cost.
pub fn dry_run(args: &AnswerArgs, job: &Job<'_>) -> Result<String, Failure> {
    let ledger = ledger::look(args.ledger.as_deref())?;
    let account = ledger.account(&job.account(), job.study.budget)?;
    ledger::quote(&account, &job.planned.design.event(), args.json)
}
