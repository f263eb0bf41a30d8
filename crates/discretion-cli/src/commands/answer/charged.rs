//! The private answers: reserve, train, remember, release, in this order.

use super::job::{Job, Table};
use super::memory::Kept;
use super::queries::Queries;
use super::{Paid, Told, cache_folder, text};
use crate::args::Answer as AnswerArgs;
use crate::exit::Failure;
use crate::files::{self, Readers};
use crate::model::LedgerEntry;
use crate::{ledger, voters};
use discretion::noise::{OperatingSystem, Source};
use discretion::vote::State;
use discretion_learn::Cache;
use discretion_ledger::{Account, Fingerprint, checkpoint};
use discretion_table::Protect;
use std::collections::HashSet;
use std::path::Path;

/// Opens the session or goes on with it, answers, and writes the answers to `path`.
pub fn answer(args: &AnswerArgs, job: &Job<'_>, path: &Path) -> Result<(Told, Paid, Queries), Failure> {
    let study = job.study;
    let ledger = ledger::open(args.ledger.as_deref())?;
    let account = ledger.account(&study.data.account, study.budget)?;
    let (fingerprint, table) = ledger::fingerprint_while(&account, &study.data.path, || job.read(args))?;
    let chunks = voters::chunks(job.vote, &job.demand, &job.planned, table.rows.count() as u64)?;
    job.rehearse(table.rows.count() / chunks)?;
    let models = job.models(&fingerprint, chunks);
    let cache =
        Cache::open(&cache_folder(args)?, &models).map_err(|error| Failure::Refused(error.to_string()))?;

    let (mut kept, paid) = session(args, job, &account, &fingerprint, chunks, &table)?;
    checkpoint("answer: charged");
    let stays = |failure: Failure| {
        failure.and("what the session was charged, and what it answered, stays in the ledger")
    };
    let told = job.tell(chunks, &table, Some(&cache), &mut kept, &mut OperatingSystem).map_err(stays)?;
    checkpoint("answer: answered");
    let csv = text(job, &told);
    files::write(path, Readers::Anyone, &csv).map_err(stays)?;
    checkpoint("answer: written");
    ledger::note_session_release(kept.session(), path, &csv);
    Ok((told, paid, table.queries))
}

/// The session of these settings, or a new one that is charged now.
fn session<'l>(
    args: &AnswerArgs,
    job: &Job<'_>,
    account: &Account<'l>,
    fingerprint: &Fingerprint,
    chunks: usize,
    table: &Table,
) -> Result<(Kept<'l>, Paid), Failure> {
    let key = job.key(chunks);
    if let Some(session) = account.session(&key)?.filter(|_| !args.new) {
        if session.table_changed(fingerprint) {
            return Err(Failure::Refused(format!(
                "the table is not the one that the session of charge {} was opened on; its answers would no longer be one \
                 session of one table. Put the old table back, or open another session at its full price with --new",
                session.charge()
            )));
        }
        let mut fresh = HashSet::new();
        for name in &table.queries.names {
            if session.answer(name)?.is_none() {
                fresh.insert(name);
            }
        }
        let kept = Kept::found(session, account)?;
        job.check_number(fresh.len(), kept.state()?.queries_left())?;
        let charge = kept.session().charge();
        let about = format!("this goes on with the session of charge {charge}; nothing new was charged");
        let account = account.name().to_owned();
        let entry = LedgerEntry { account, charge, cap: None, cost: None, spent: None };
        return Ok((kept, Paid { entry, about }));
    }
    job.check_number(table.queries.distinct(), job.vote.queries as u64)?;
    let design = job.planned.design;
    let labels_only = if job.vote.protect == Protect::Labels { ", protecting labels only" } else { "" };
    let what = format!("answers of {}{labels_only}", job.study.path.display());
    let first = State::begin(design, job.vote.queries as u64, OperatingSystem.provenance());
    let (charge, session) =
        account.open_session(&design.event(), Some(fingerprint), &what, &key, &first.to_secret_text())?;
    ledger::say_if_table_changed(account, &charge);
    let about = ledger::about(account, &charge.quote);
    Ok((Kept::new(session), Paid { entry: LedgerEntry::of(account, &charge), about }))
}

/// What a session would cost.
pub fn dry_run(args: &AnswerArgs, job: &Job<'_>) -> Result<String, Failure> {
    let ledger = ledger::look(args.ledger.as_deref())?;
    let account = ledger.account(&job.study.data.account, job.study.budget)?;
    ledger::quote(&account, &job.planned.design.event(), args.json)
}
