//! The private answers: reserve, train, remember, release, in this order.

use super::job::{Job, Table};
use super::{Paid, Told, cache_folder, text};
use crate::args::Answer as AnswerArgs;
use crate::files::{self, Readers};
use crate::ledger;
use crate::model::LedgerEntry;
use crate::vote::{Kept, Opened, Opening, Queries, session};
use discretion::Refusal;
use discretion::noise::Receipt;
use discretion_learn::Cache;
use discretion_ledger::{Account, Fingerprint, checkpoint};
use discretion_table::Protect;
use std::path::Path;

/// Opens the session or goes on with it, answers, and writes the answers to `path`.
pub fn answer(args: &AnswerArgs, job: &Job<'_>, path: &Path) -> Result<(Told, Paid, Queries), Refusal> {
    let study = job.study;
    let ledger = ledger::open(args.ledger.named())?;
    let account = ledger.account(&study.data.account, study.budget)?;
    let (fingerprint, table) = ledger::fingerprint_while(&account, &study.data.path, || job.read(args))?;
    let chunks = job.chunks(table.rows.count())?;
    let models = job.models(&fingerprint, chunks);
    let cache =
        Cache::open(&cache_folder(args)?, &models).map_err(|error| Refusal::refused(error.to_string()))?;

    let (mut kept, paid) = paid_for(args, job, &account, &fingerprint, chunks, &table)?;
    checkpoint("answer: charged");
    let stays = |failure: Refusal| {
        failure.and("what the session was charged, and what it answered, stays in the ledger")
    };
    let told = job
        .tell(chunks, &table, Some(&cache), &mut kept, Receipt::nobody_remembers().noise())
        .map_err(stays)?;
    checkpoint("answer: answered");
    let csv = text(job, &told);
    files::write(path, Readers::Anyone, &csv).map_err(stays)?;
    checkpoint("answer: written");
    ledger::note_session_release(kept.session(), path, &csv);
    Ok((told, paid, table.queries))
}

/// The session of these settings, or a new one that is charged now.
fn paid_for<'l>(
    args: &AnswerArgs,
    job: &Job<'_>,
    account: &Account<'l>,
    fingerprint: &Fingerprint,
    chunks: usize,
    table: &Table,
) -> Result<(Kept<'l>, Paid), Refusal> {
    let labels_only = if job.vote.protect == Protect::Labels { ", protecting labels only" } else { "" };
    let opening = Opening {
        key: &job.key(chunks),
        table: fingerprint,
        what: &format!("answers of {}{labels_only}", job.study.path.display()),
        names: &table.queries.names,
        new: args.new,
        how_new: "--new",
    };
    let Opened { kept, charge } = session(account, &job.voting, &opening)?;
    let paid = match charge {
        None => {
            let charge = kept.session().charge();
            let about = format!("this goes on with the session of charge {charge}; nothing new was charged");
            let account = account.name().to_owned();
            Paid { entry: LedgerEntry { account, charge, cap: None, cost: None, spent: None }, about }
        }
        Some(charge) => {
            ledger::say_if_table_changed(account, &charge);
            let about = ledger::about(account, &charge.quote);
            Paid { entry: LedgerEntry::of(account, &charge), about }
        }
    };
    Ok((kept, paid))
}

/// What a session would cost.
pub fn dry_run(args: &AnswerArgs, job: &Job<'_>) -> Result<String, Refusal> {
    let ledger = ledger::look(args.ledger.named())?;
    let account = ledger.account(&job.study.data.account, job.study.budget)?;
    eprintln!("note: this is the price of a new session; one that is open goes on for nothing");
    ledger::quote(&account, &job.voting.planned.design.event(), args.json)
}
