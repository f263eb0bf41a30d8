//! `discretion answer`: private labels or scores for public points, by a vote of models that
//! anything may have learned.
//!
//! The order matters. Everything that can be refused for public reasons is refused first, the
//! session is charged before anything is trained, and what was answered is in the ledger before it
//! is in a file.

mod charged;
mod queries;
mod student;
mod study_vote;
mod summary;

use crate::args::Answer as AnswerArgs;
use crate::csv;
use crate::files::{self, Existing, OutputFolder, Readers};
use crate::out;
use crate::watch::Terminal;
use discretion::noise::Provenance;
use discretion::vote::{Answer, State, Stop};
use discretion::{Refusal, Remedy};
use discretion_formats::LedgerEntry;
use discretion_jobs::Watch;
use discretion_learn::Cache;
use discretion_ledger::default_path;
use discretion_table::{Study, Table};
use std::path::PathBuf;
use study_vote::StudyVote;
use summary::Summary;

/// What came of the queries.
struct Answers {
    /// One for each query; nothing for those that were not asked any more.
    given: Vec<Option<Answer>>,
    stopped: Option<Stop>,
    provenance: Provenance,
    chunks: usize,
    /// The session afterwards.
    state: State,
}

/// The charge that pays for it.
struct SessionCharge {
    entry: LedgerEntry,
    /// A line about the account.
    about: String,
}

/// Answers queries, or says what that would cost.
pub fn run(args: &AnswerArgs) -> Result<(), Refusal> {
    let watch = Terminal::of_session(&output(args));
    out::print(&answered(args, &watch)?.1)
}

/// The same for whoever listens: the files that were made, and what is to be said of them.
pub fn answered(args: &AnswerArgs, watch: &dyn Watch) -> Result<(Vec<PathBuf>, String), Refusal> {
    let study = Study::read_to_spend(&args.study, args.spend.given()?)?;
    let study_vote = StudyVote::new(&study)?;
    discretion_jobs::request::check_budget(&study)?;
    crate::threads::use_threads(args.threads)?;
    if args.dry_run {
        return Ok((Vec::new(), charged::dry_run(args, &study_vote)?));
    }
    study_vote.check_queries_flag(args.queries.as_deref())?;
    let path = output(args);
    let _folder = OutputFolder::prepare(files::parent(&path))?;
    Existing::new(args.force).check(&path, &[Remedy::AnotherFile, Remedy::Overwrite])?;
    for input in study.data.path.files()?.iter().chain(&args.queries) {
        files::keep_input(&path, input)?;
    }
    let student = args
        .student
        .as_deref()
        .map(|folder| student::StudentFolder::prepare(folder, args))
        .transpose()?;

    let (answers, session_charge, data) = match args.seed {
        None => {
            let (answers, session_charge, data) = charged::answer(args, &study_vote, &path, watch)?;
            (answers, Some(session_charge), data)
        }
        Some(seed) => {
            let (answers, data) = study_vote.seeded(args, seed, watch)?;
            files::write(&path, Readers::Owner, &text(&study_vote, &answers))?;
            eprintln!(
                "warning: {}: NOT PRIVATE: {}",
                path.display(),
                discretion_report::words::UNDER_A_SEED
            );
            (answers, None, data)
        }
    };
    let student = student
        .map(|folder| {
            let data = (&data.queries, data.rows.count());
            folder.write(&study_vote, &answers, session_charge.as_ref(), data, args.ledger.named())
        })
        .transpose()?;
    let [model, page] = student.map_or([None, None], |files| files.map(Some));
    let summary =
        Summary::new(&study_vote, &answers, session_charge.as_ref(), &path, model.as_deref());
    let said = if args.json { summary.json() } else { summary.text() };
    Ok(([Some(path), model, page].into_iter().flatten().collect(), said))
}

fn output(args: &AnswerArgs) -> PathBuf {
    let name = if args.seed.is_some() { "seeded-answers.csv" } else { "answers.csv" };
    args.out.clone().unwrap_or_else(|| args.study.with_extension("").join(name))
}

/// The file of answers: one line for each query, and what became of it.
fn text(study_vote: &StudyVote<'_>, answers: &Answers) -> String {
    let heading = if study_vote.vote.score_bins.is_some() { "score" } else { "label" };
    let warning = if answers.provenance == Provenance::TestSeed { " NOT PRIVATE" } else { "" };
    let vote = study_vote.vote;
    // With a threshold a score has its label beside it.
    let beside = if vote.threshold.is_some() { ",label" } else { "" };
    let mut text = format!("row,{heading}{warning}{beside},status\n");
    let names = study_vote.vote.classes.names();
    let answered = if study_vote.vote.tells_apart() { "sure" } else { "answered" };
    let none = if vote.threshold.is_some() { "," } else { "" }.to_owned();
    for (row, answer) in (1..).zip(&answers.given) {
        let (answer, status) = match answer {
            Some(Answer::Label(label)) => (csv::field(&names[*label]), answered),
            Some(Answer::Unsure(label)) => (csv::field(&names[*label]), "unsure"),
            Some(Answer::Score(score)) => {
                let label = vote
                    .called(*score)
                    .map_or(String::new(), |label| format!(",{}", csv::field(&names[label])));
                (score.to_string() + &label, "answered")
            }
            Some(Answer::Unstable) => (none.clone(), "unstable"),
            None => (none.clone(), "not asked"),
        };
        text += &format!("{row},{answer},{status}\n");
    }
    text
}

/// Where models are kept for later runs.
fn cache_folder(args: &AnswerArgs) -> Result<PathBuf, Refusal> {
    match &args.cache {
        Some(folder) => Ok(folder.clone()),
        None => Ok(Cache::beside(&default_path(args.ledger.named())?)),
    }
}

/// What failed learners tell the custodian. How many fail depends on rows: this is not for
/// publication.
fn say_what_failed(failed: usize, chunks: usize, reasons: &[(usize, String)]) {
    if failed == 0 {
        return;
    }
    let why = match reasons.first() {
        Some((chunk, reason)) => format!("; chunk {chunk}: {}", reason.trim()),
        None => String::new(),
    };
    eprintln!(
        "note, NOT PRIVATE, for you alone: {failed} of {chunks} learners failed and vote the first class{why}"
    );
}
