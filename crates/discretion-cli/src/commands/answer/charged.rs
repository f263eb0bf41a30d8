//! The private answers: reserve, train, remember, release, in this order.

use super::job::{Job, Table};
use super::{Answers, Paid, cache_folder, text};
use crate::args::Answer as AnswerArgs;
use crate::files::{self, Readers};
use crate::ledger;
use crate::watch::Terminal;
use discretion::Refusal;
use discretion_formats::LedgerEntry;
use discretion_jobs::vote::{LedgerMemory, Queries, SessionRequest, VotingSession, session};
use discretion_jobs::{ledger_entry, note_release};
use discretion_learn::Cache;
use discretion_ledger::{Account, Fingerprint, checkpoint};
use discretion_table::Protect;
use std::path::Path;

/// Opens the session or goes on with it, answers, and writes the answers to `path`.
pub fn answer(args: &AnswerArgs, job: &Job<'_>, path: &Path) -> Result<(Answers, Paid, Queries), Refusal> {
    let study = job.study;
    let ledger = ledger::open(args.ledger.named())?;
    let account = ledger.account(&study.data.account, study.budget)?;
    let (fingerprint, table) = ledger::fingerprint_while(&account, &study.data.path, || job.read(args))?;
    let chunks = job.chunks(table.rows.count())?;
    let models = job.models(&fingerprint, chunks);
    let cache = Cache::open(&cache_folder(args)?, &models).map_err(Refusal::refused)?;

    let watch = Terminal::of_session(path);
    let (mut memory, paid) = paid_for(args, job, &account, &fingerprint, chunks, &table, &watch)?;
    checkpoint("answer: charged");
    let stays = |failure: Refusal| {
        failure.after_charge("what the session was charged, and what it answered, stays in the ledger")
    };
    let mut receipt = memory.receipt();
    let answers = job.tell(chunks, &table, Some(&cache), &mut memory, receipt.noise()).map_err(stays)?;
    checkpoint("answer: answered");
    let csv = text(job, &answers);
    files::write(path, Readers::Anyone, &csv).map_err(stays)?;
    checkpoint("answer: written");
    note_release(&ledger, memory.session().charge(), path, &csv, &watch);
    Ok((answers, paid, table.queries))
}

/// The session of these settings, or a new one that is charged now.
fn paid_for<'l>(
    args: &AnswerArgs,
    job: &Job<'_>,
    account: &Account<'l>,
    fingerprint: &Fingerprint,
    chunks: usize,
    table: &Table,
    watch: &Terminal,
) -> Result<(LedgerMemory<'l>, Paid), Refusal> {
    let labels_only = if job.vote.protect == Protect::Labels { ", protecting labels only" } else { "" };
    let request = SessionRequest {
        key: &job.key(chunks),
        table: fingerprint,
        rows: table.rows.count(),
        what: &format!("answers of {}{labels_only}", job.study.path.display()),
        names: &table.queries.names,
        new: args.new,
        how_new: "--new",
    };
    let VotingSession { memory, charge } = session(account, &job.voting, &request, watch)?;
    let paid = match charge {
        None => {
            let charge = memory.session().charge();
            let about = format!("this goes on with the session of charge {charge}; nothing new was charged");
            let account = account.name().to_owned();
            Paid { entry: LedgerEntry { account, charge, cap: None, cost: None, spent: None }, about }
        }
        Some(charge) => {
            let about = ledger::about(account, &charge.quote);
            let entry = ledger_entry(account, &charge.receipt, &charge.quote);
            let entry = entry.expect("a ledger in a file remembers its charges");
            Paid { entry, about }
        }
    };
    Ok((memory, paid))
}

/// What a session would cost.
pub fn dry_run(args: &AnswerArgs, job: &Job<'_>) -> Result<String, Refusal> {
    let ledger = ledger::look(args.ledger.named())?;
    let account = ledger.account(&job.study.data.account, job.study.budget)?;
    eprintln!("note: this is the price of a new session; one that is open goes on for nothing");
    ledger::quote(&account, &job.voting.planned.design.event(), args.json)
}
