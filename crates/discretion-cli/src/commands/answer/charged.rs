//! The private answers: reserve, train, remember, release, in this order.

use super::study_vote::{StudyVote, VoteData};
use super::{Answers, SessionCharge, cache_folder, text};
use crate::args::Answer as AnswerArgs;
use crate::files::{self, Readers};
use crate::ledger;
use discretion::Refusal;
use discretion_formats::LedgerEntry;
use discretion_jobs::study_run::PlannedRun;
use discretion_jobs::vote::{LedgerMemory, SessionRequest, VotingSession, check_over, session};
use discretion_jobs::{Watch, ledger_entry, note_release};
use discretion_learn::Cache;
use discretion_ledger::{Account, Fingerprint, checkpoint};
use discretion_table::{PersonKey, Protect};
use std::path::Path;

/// Opens the session or goes on with it, answers, and writes the answers to `path`.
pub fn answer(
    args: &AnswerArgs,
    study_vote: &StudyVote<'_>,
    path: &Path,
    watch: &dyn Watch,
) -> Result<(Answers, SessionCharge, VoteData), Refusal> {
    let study = study_vote.study;
    let ledger = ledger::open(args.ledger.named())?;
    let account = ledger.account(&study.data.account, study.budget)?;
    let key = PersonKey::new(account.person_key());
    let (fingerprint, data) =
        ledger::fingerprint_while(&account, &study.data.path, || study_vote.read(args, key))?;
    let chunks = study_vote.chunks(data.rows.count(), watch)?;
    let models = study_vote.models_key(&fingerprint, chunks);
    let cache = Cache::open(&cache_folder(args)?, &models).map_err(Refusal::refused)?;

    let (mut memory, session_charge) =
        open_session(args, study_vote, &account, &fingerprint, chunks, &data, watch)?;
    checkpoint("answer: charged");
    let stays = |failure: Refusal| {
        failure
            .after_charge("what the session was charged, and what it answered, stays in the ledger")
    };
    let mut receipt = memory.receipt();
    let answers = study_vote
        .answer_queries(chunks, &data, Some(&cache), &mut memory, receipt.noise())
        .map_err(stays)?;
    checkpoint("answer: answered");
    let csv = text(study_vote, &answers);
    files::write(path, Readers::Anyone, &csv).map_err(stays)?;
    checkpoint("answer: written");
    note_release(&ledger, memory.session().charge(), path, &csv, watch);
    Ok((answers, session_charge, data))
}

/// The session of these settings, or a new one that is charged now.
fn open_session<'l>(
    args: &AnswerArgs,
    study_vote: &StudyVote<'_>,
    account: &Account<'l>,
    fingerprint: &Fingerprint,
    chunks: usize,
    data: &VoteData,
    watch: &dyn Watch,
) -> Result<(LedgerMemory<'l>, SessionCharge), Refusal> {
    let labels_only =
        if study_vote.vote.protect == Protect::Labels { ", protecting labels only" } else { "" };
    let request = SessionRequest {
        key: &study_vote.key(chunks),
        table: fingerprint,
        units: (data.rows.unit(), data.rows.count()),
        what: &format!("answers of {}{labels_only}", study_vote.study.path.display()),
        names: &data.queries.names,
        new: args.new,
        consent: Some(args.rows.consent()),
    };
    let VotingSession { memory, charge } = session(account, &study_vote.voting, &request, watch)?;
    let session_charge = match charge {
        None => {
            check_over(&memory, &data.queries.names)?;
            let charge = memory.session().charge();
            let about = format!(
                "this goes on with the session of charge {charge}; nothing new was charged"
            );
            let account = account.name().to_owned();
            SessionCharge {
                entry: LedgerEntry { account, charge, cap: None, cost: None, spent: None },
                about,
            }
        }
        Some(charge) => {
            let about = ledger::about(account, &charge.quote, study_vote.study.spend).to_string();
            let entry = ledger_entry(account, &charge.receipt, &charge.quote);
            let entry = entry.expect("a ledger in a file remembers its charges");
            SessionCharge { entry, about }
        }
    };
    Ok((memory, session_charge))
}

/// What a session would cost.
pub fn dry_run(args: &AnswerArgs, study_vote: &StudyVote<'_>) -> Result<String, Refusal> {
    let ledger = ledger::look(args.ledger.named())?;
    let account = ledger.account(&study_vote.study.data.account, study_vote.study.budget)?;
    eprintln!("note: this is the price of a new session; one that is open goes on for nothing");
    let run = PlannedRun::new(study_vote.voting.design().event(), study_vote.study.spend);
    ledger::quote(&account, &run, args.json)
}
