//! A voting session whose votes Python brings: models of its own learners.

use crate::budget::{Numbers, budget};
use crate::errors::{Raise, input};
use crate::payer::{Notes, Payer, fingerprint};
use discretion::Refusal;
use discretion::noise::{Receipt, Sensitive};
use discretion::privacy::Unit;
use discretion::vote::{Answer, Answered, Ballot, Bins, Memory, Recent, State, answer};
use discretion_jobs::vote::{self, Expected, SessionRequest, Voting, VotingSession, rare};
use discretion_ledger::SettingsName;
use discretion_table::{ClassWeights, person, rows_by_person};
use numpy::PyReadonlyArray2;
use numpy::ndarray::{ArrayView1, ArrayView2};
use pyo3::prelude::*;
use std::sync::{Mutex, PoisonError};

/// A session: planned, then [opened](Session::open), then asked.
#[pyclass(frozen)]
pub struct Session {
    payer: Payer,
    voting: Voting,
    /// By which the ledger finds the session again.
    key: SettingsName,
    /// Of the rows.
    digest: Vec<u8>,
    /// How many there are, or persons, and which of these.
    units: (Unit, usize),
    /// The number of models.
    #[pyo3(get)]
    chunks: usize,
    /// What the user should know about it.
    #[pyo3(get)]
    advice: Option<String>,
    classes: usize,
    bins: Option<Bins>,
    /// Under a seed, the session's memory: no ledger has it.
    seeded: Option<Mutex<(Recent, Receipt)>>,
}

/// The models' votes: the class of each, or its score.
#[derive(FromPyObject)]
pub enum Votes<'py> {
    /// One row for each model, one column for each query.
    Classes(PyReadonlyArray2<'py, u16>),
    /// The same with scores in [0, 1].
    Scores(PyReadonlyArray2<'py, f32>),
}

#[pymethods]
impl Session {
    /// Plans a session, from public numbers alone.
    #[new]
    #[pyo3(signature = (*, payer, spend, queries, answer, confidence, unstable, chunks, agreement, miss, score_bins, balanced, expected_share, classes, rows, of_persons, key, digest))]
    #[allow(clippy::too_many_arguments)] // They are the keywords of one Python call.
    fn new(
        py: Python<'_>,
        payer: Payer,
        spend: Numbers,
        queries: u64,
        answer: &str,
        confidence: Option<f64>,
        unstable: u64,
        chunks: Option<u64>,
        agreement: Option<f64>,
        miss: f64,
        score_bins: Option<u32>,
        balanced: bool,
        expected_share: Option<f64>,
        classes: usize,
        rows: u64,
        of_persons: bool,
        key: String,
        digest: Vec<u8>,
    ) -> PyResult<Session> {
        let raised = |refusal: Refusal| refusal.raise(py);
        let answer = vote::aim((Some(answer), confidence), None).map_err(raised)?;
        let unit = if of_persons { Unit::Person } else { Unit::Row };
        let numbers = vote::Numbers {
            queries,
            answer,
            unstable,
            chunks,
            agreement: agreement.unwrap_or(answer.usual_agreement()),
            miss,
            labels: classes,
            score_bins,
            unit,
        };
        let spend = budget(spend).map_err(|failure| failure.raise(py))?;
        let voting = Voting::plan(spend, numbers).map_err(raised)?;
        let chosen = voting.chunks(rows).map_err(raised)?;
        let bins = score_bins.map(|bins| Bins::of_width(1.0 / f64::from(bins))).transpose();
        let bins = bins.map_err(|error| input(py, error.to_string()))?;
        let seeded = payer.seed().map(|seed| {
            let receipt = Receipt::seeded(seed);
            Mutex::new((Recent::new(voting.design(), queries, receipt.provenance()), receipt))
        });
        let weights = if balanced { ClassWeights::Balanced } else { ClassWeights::Equal };
        let expected =
            Expected { share: expected_share, answer, scores: score_bins.is_some(), weights };
        let rare = rare(&expected, chosen.chunks as u64, (unit, rows));
        let advice: Vec<String> = chosen.advice.into_iter().chain(rare).collect();
        let (chunks, advice) = (chosen.chunks, (!advice.is_empty()).then(|| advice.join("\n")));
        let units = (unit, rows as usize);
        let key = SettingsName::from(key.as_str());
        Ok(Session { payer, voting, key, digest, units, chunks, advice, classes, bins, seeded })
    }

    /// Finds the session in the ledger, or charges a new one, before anything is trained. Returns
    /// what to tell the user.
    fn open(&self, py: Python<'_>, new: bool) -> PyResult<String> {
        let notes = Notes::default();
        let opened = py.detach(|| match self.seeded {
            Some(_) => Ok("nothing is charged under a seed".to_owned()),
            None => self.with_session(&[], new, &notes, |session| {
                Ok(match session.charge {
                    Some(charge) => format!("charge {} pays for this session", charge.number),
                    None => {
                        format!(
                            "this goes on with the session of charge {}",
                            session.memory.session().charge()
                        )
                    }
                })
            }),
        });
        let said = opened.map_err(|failure| failure.raise(py))?;
        Ok([notes.all(), vec![said]].concat().join("; "))
    }

    /// Counts the votes, tests, draws, commits and answers: a class, a score, or nothing, whether
    /// it was asked at all, and whether it is sure. The last two numbers are the queries and the
    /// unstable answers that are left.
    #[allow(clippy::type_complexity)] // A tuple is what Python unpacks.
    fn answer(
        &self,
        py: Python<'_>,
        names: Vec<String>,
        votes: Votes<'_>,
    ) -> PyResult<(Vec<Option<f64>>, Vec<bool>, Vec<bool>, u64, u64)> {
        let ballots = match (&votes, self.bins) {
            (Votes::Classes(votes), None) => self.labels(votes.as_array()),
            (Votes::Scores(votes), Some(bins)) => self.scores(votes.as_array(), bins),
            _ => Err(Refusal::bad_input(
                "labels are asked for and scores given, or the other way round".to_owned(),
            )),
        };
        let ballots = ballots.map_err(|failure| failure.raise(py))?;
        if ballots.len() != names.len() {
            return Err(input(
                py,
                format!("there are {} votes for {} queries", ballots.len(), names.len()),
            ));
        }
        let told = py.detach(|| self.tell(&names, ballots)).map_err(|failure| failure.raise(py))?;
        let (answered, state) = told;
        let value = |answer: &Answer| match *answer {
            Answer::Label(label) | Answer::Unsure(label) => Some(label as f64),
            Answer::Score(score) => Some(score),
            Answer::Unstable => None,
        };
        let answers =
            answered.answers.iter().map(|answer| answer.as_ref().and_then(|answer| value(answer)));
        let asked = answered.answers.iter().map(Option::is_some);
        let is_sure = |answer: &Answer| matches!(answer, Answer::Label(_) | Answer::Score(_));
        let sure = answered
            .answers
            .iter()
            .map(|answer| answer.as_ref().is_some_and(|answer| is_sure(answer)));
        let (left, unstable_left) = (state.queries_left(), state.unstable_left());
        Ok((answers.collect(), asked.collect(), sure.collect(), left, unstable_left))
    }
}

impl Session {
    fn tell(&self, names: &[String], ballots: Vec<Ballot>) -> Result<(Answered, State), Refusal> {
        let ballots = names.iter().cloned().zip(ballots);
        if let Some(seeded) = &self.seeded {
            let (recent, receipt) = &mut *seeded.lock().unwrap_or_else(PoisonError::into_inner);
            let answered = answer(ballots, recent, receipt.noise()).map_err(vote::explain)?;
            return Ok((answered, state(recent)?));
        }
        self.with_session(names, false, &Notes::default(), |session| {
            let mut memory = session.memory;
            let mut receipt = memory.receipt();
            let answered = answer(ballots, &mut memory, receipt.noise()).map_err(vote::explain)?;
            Ok((answered, memory.state()?))
        })
    }

    fn with_session<T>(
        &self,
        names: &[String],
        new: bool,
        notes: &Notes,
        work: impl FnOnce(VotingSession<'_>) -> Result<T, Refusal>,
    ) -> Result<T, Refusal> {
        self.payer.with_account_about(self.units.0, |account| {
            let request = SessionRequest {
                key: &self.key,
                table: &fingerprint(account, &self.digest),
                units: self.units,
                what: "answers from Python",
                names,
                new,
                // Frames change from one cell to the next, and nobody can be asked: what was
                // noticed is told.
                consent: None,
            };
            work(vote::session(account, &self.voting, &request, notes)?)
        })
    }

    fn labels(&self, votes: ArrayView2<'_, u16>) -> Result<Vec<Ballot>, Refusal> {
        self.check(votes.nrows())?;
        let count = |query: ArrayView1<'_, u16>| {
            let mut counts = vec![0_u32; self.classes];
            for &class in query {
                // What is no class is the failed model's vote, as everywhere.
                let class = usize::from(class);
                counts[if class < self.classes { class } else { 0 }] += 1;
            }
            Ballot::Labels(Sensitive::new(counts))
        };
        Ok(votes.columns().into_iter().map(count).collect())
    }

    fn scores(&self, votes: ArrayView2<'_, f32>, bins: Bins) -> Result<Vec<Ballot>, Refusal> {
        self.check(votes.nrows())?;
        // What is no number between 0 and 1 is the failed model's 0, as everywhere.
        let score = |&score: &f32| if (0.0..=1.0).contains(&score) { score } else { 0.0 };
        let ballot = |query: ArrayView1<'_, f32>| {
            Ballot::Scores(Sensitive::new(query.iter().map(score).collect()), bins)
        };
        Ok(votes.columns().into_iter().map(ballot).collect())
    }

    /// The guarantee is about one vote in so many.
    fn check(&self, models: usize) -> Result<(), Refusal> {
        match models == self.chunks {
            true => Ok(()),
            false => Err(Refusal::bad_input(format!(
                "{models} models vote, and {} are planned for",
                self.chunks
            ))),
        }
    }
}

/// The rows of each person, one person after the other in the order that the account has for them:
/// the rows, where each person's begin and the last one's end, and a digest of whose rows they are.
#[pyfunction]
#[pyo3(signature = (*, payer, persons))]
#[allow(clippy::type_complexity)] // A tuple is what Python unpacks.
pub fn persons_in_order(
    py: Python<'_>,
    payer: Payer,
    persons: Vec<String>,
) -> PyResult<(Vec<usize>, Vec<usize>, Vec<u8>)> {
    let persons: Vec<u128> = persons.iter().map(|name| person(name.as_bytes())).collect();
    let (_, places) = py.detach(|| payer.places(&persons)).map_err(|failure| failure.raise(py))?;
    let (rows, starts) = rows_by_person(&places);
    let all = persons.iter().fold(0u128, |sum, person| sum.rotate_left(5).wrapping_add(*person));
    Ok((rows, starts, all.to_le_bytes().to_vec()))
}

fn state(recent: &Recent) -> Result<State, Refusal> {
    State::from_secret_text(&recent.state())
        .ok_or_else(|| Refusal::refused("the session is damaged".to_owned()))
}
