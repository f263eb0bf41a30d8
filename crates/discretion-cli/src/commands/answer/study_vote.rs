//! What is to be done: from the study alone, and then with its rows.

use super::queries::queries;
use super::{Answers, say_what_failed};
use crate::args::Answer as AnswerArgs;
use crate::commands::rehearse::beside;
use crate::progress::{Counting, Reading};
use crate::run::stop_at_mistakes;
use discretion::noise::{Noise, Receipt, Source};
use discretion::vote::{Memory, Recent, State, answer};
use discretion::{Refusal, RefusalKind, Remedy};
use discretion_formats::PROGRAM;
use discretion_jobs::vote::{self, Queries, Voting};
use discretion_jobs::{News, Watch};
use discretion_learn::{Cache, Learner, cache_key, learner, rehearse_program, train_all};
use discretion_ledger::{Fingerprint, SettingsName};
use discretion_table::{
    PersonKey, PlainRows, Protect, Study, UnitRows, VoteSettings, read_queries, read_units,
};
use std::path::Path;

/// A study's vote.
pub struct StudyVote<'s> {
    pub study: &'s Study,
    pub vote: &'s VoteSettings,
    pub voting: Voting,
    learner: Box<dyn Learner>,
}

/// The rows to learn from, and those to ask about.
pub struct VoteData {
    pub rows: UnitRows,
    pub queries: Queries,
}

impl<'s> StudyVote<'s> {
    /// Checks everything that can be checked without a table.
    pub fn new(study: &'s Study) -> Result<StudyVote<'s>, Refusal> {
        let (vote, voting) = vote::of(study)?;
        let learner =
            learner(study, vote).map_err(|error| Refusal::bad_file(&study.path, error))?;
        Ok(StudyVote { study, vote, voting, learner })
    }

    /// Queries come from a file, unless only labels are protected.
    pub fn check_queries_flag(&self, queries: Option<&Path>) -> Result<(), Refusal> {
        match (self.vote.protect, queries) {
            (Protect::Rows, None) => {
                Err(Refusal::bad_input("there are no queries").or(Remedy::NameQueries))
            }
            (Protect::Labels, Some(path)) => Err(Refusal::bad_file(
                path,
                "with `protect = \"labels\"` every second row of the table is a query",
            )
            .or(Remedy::NoQueries)),
            _ => Ok(()),
        }
    }

    /// Reads the queries of a file. How many there are is public.
    fn read_queries(&self, path: &Path) -> Result<PlainRows, Refusal> {
        let reading = Reading::of(path);
        Ok(read_queries(path, &self.study.schema, &|progress| reading.update(progress))?)
    }

    /// Reads rows and queries, the public ones first.
    pub fn read(&self, args: &AnswerArgs, key: PersonKey) -> Result<VoteData, Refusal> {
        let given = args.queries.as_deref().map(|path| self.read_queries(path)).transpose()?;
        let rows = {
            let path = &self.study.data.path;
            let reading = Reading::of(path);
            let progress = |progress| reading.update(progress);
            let (rows, counts) =
                read_units(path, &self.study.schema, &self.vote.classes, key, &progress)?;
            stop_at_mistakes(&counts, path, args.check)?;
            rows
        };
        let (rows, queries) = match given {
            Some(queries) => (rows, queries),
            None => {
                let asked = vote::to_ask_about(&rows, self.vote.queries);
                (vote::to_learn_from(rows, self.vote.protect), asked)
            }
        };
        let queries = self::queries(queries, self.vote, args.gammas.as_deref())?;
        Ok(VoteData { rows, queries })
    }

    /// How many models there are, with a note about it. Tries a program out first: nothing is
    /// charged for one that cannot work.
    pub fn chunks(&self, rows: usize, watch: &dyn Watch) -> Result<usize, Refusal> {
        let chosen = self.voting.chunks(rows as u64)?;
        if let Some(advice) = chosen.advice {
            watch.tell(News::Note(&advice));
        }
        if let Some(rare) = vote::rare(
            &self.vote.into(),
            chosen.chunks as u64,
            (self.voting.numbers.unit, rows as u64),
        ) {
            watch.tell(News::Warning(&rare));
        }
        rehearse_program(&*self.learner, self.study, self.vote, rows / chosen.chunks).map_err(
            |error| Refusal::bad_file(&self.study.path, format!("{error}; nothing was charged")),
        )?;
        Ok(chosen.chunks)
    }

    /// A name for the session that these settings make.
    pub fn key(&self, chunks: usize) -> SettingsName {
        vote::key(self.study, self.vote, chunks)
    }

    /// A name for the models that this vote trains on a table.
    pub fn models_key(&self, fingerprint: &Fingerprint, chunks: usize) -> String {
        cache_key(self.study, self.vote, PROGRAM, fingerprint, self.key(chunks).name())
    }

    /// Trains the models, asks them and tells what may be answers.
    pub fn answer_queries<M: Memory>(
        &self,
        chunks: usize,
        data: &VoteData,
        cache: Option<&Cache>,
        memory: &mut M,
        noise: &mut Noise,
    ) -> Result<Answers, Refusal>
    where
        M::Error: Into<Refusal>,
    {
        let trained = {
            let bar = Counting::new("training");
            train_all(&*self.learner, &data.rows, chunks, cache, &|done| bar.update(done, chunks))
        };
        if let Some(problem) = cache.and_then(|cache| cache.problem().into_inner()) {
            eprintln!(
                "note, NOT PRIVATE, for you alone: not all models could be kept for a later run ({problem})"
            );
        }
        discretion_ledger::checkpoint("answer: trained");
        let Queries { rows, bins, names } = &data.queries;
        let bar = Counting::new("voting");
        let progress = |done| bar.update(done, chunks);
        let bins = self.vote.score_bins.is_some().then_some(&bins[..]);
        let (ballots, failed) = trained
            .ballots(&*self.learner, &self.vote.classes, rows, bins, &progress)
            .map_err(|error| Refusal::from_error(RefusalKind::Refused, error))?;
        drop(bar);
        say_what_failed(failed.into_inner(), chunks, &trained.failed().into_inner());
        let answered =
            answer(names.iter().cloned().zip(ballots), memory, noise).map_err(vote::explain)?;
        Ok(Answers {
            given: answered
                .answers
                .iter()
                .map(|answer| answer.as_ref().map(|answer| **answer))
                .collect(),
            stopped: answered.stopped,
            provenance: noise.provenance(),
            chunks,
            state: State::from_secret_text(&memory.state())
                .expect("the session's own state can be read"),
        })
    }

    /// How a student of these answers does beside a model fitted directly: on invented rows, as
    /// many as there are.
    pub fn beside(&self, chunks: usize, rows: usize) -> Option<String> {
        beside((self.study, self.vote), &self.voting, &*self.learner, (chunks, rows as u64))
    }

    /// Under a seed: the ledger does not pay for it, because it must not be published. No models
    /// are kept: this is for comparing tables, also such as differ in one row.
    pub fn seeded(
        &self,
        args: &AnswerArgs,
        seed: u64,
        watch: &dyn Watch,
    ) -> Result<(Answers, VoteData), Refusal> {
        let data = self.read(args, PersonKey::of_seed(seed))?;
        self.voting.check_number(data.queries.distinct(), self.voting.numbers.queries)?;
        let chunks = self.chunks(data.rows.count(), watch)?;
        let mut receipt = Receipt::seeded(seed);
        let mut memory =
            Recent::new(self.voting.design(), self.voting.numbers.queries, receipt.provenance());
        let answers = self.answer_queries(chunks, &data, None, &mut memory, receipt.noise())?;
        Ok((answers, data))
    }
}
