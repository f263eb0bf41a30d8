use super::planner::demand;
use crate::design::{Gaussian, Sparse};
use crate::{Answer, AnswerError, Ballot, Bins, Design, Memory, Recent, State, Stop, answer};
use discretion_privacy::noise::{Provenance, Receipt, Seeded, Sensitive};
use std::cell::Cell;

fn labels(counts: &[u32]) -> Ballot {
    Ballot::Labels(Sensitive::new(counts.to_vec()))
}

fn named(ballots: impl IntoIterator<Item = Ballot>) -> Vec<(String, Ballot)> {
    ballots.into_iter().enumerate().map(|(i, ballot)| (format!("query {i}"), ballot)).collect()
}

fn told(
    queries: Vec<(String, Ballot)>,
    memory: &mut Recent,
) -> (Vec<Option<Answer>>, Option<Stop>) {
    let answered = answer(queries, memory, &mut Seeded::new(5)).unwrap();
    (
        answered.answers.into_iter().map(|answer| answer.map(|answer| *answer)).collect(),
        answered.stopped,
    )
}

fn session(queries: u64, unstable: u64) -> Recent {
    Recent::new(demand(1.0, 1e-6, queries, unstable).plan().design, queries, Provenance::TestSeed)
}

fn state(memory: &impl Memory) -> State {
    State::from_secret_text(&memory.state()).unwrap()
}

const CLEAR: [u32; 2] = [0, 100_000];
const TIED: [u32; 2] = [500, 500];

#[test]
fn agreement_is_answered_and_disagreement_is_not() {
    let queries = named([labels(&CLEAR), labels(&TIED), labels(&[100_000, 0, 3])]);
    let (answers, stopped) = told(queries, &mut session(10, 3));
    assert_eq!(answers, [Some(Answer::Label(1)), Some(Answer::Unstable), Some(Answer::Label(0))]);
    assert_eq!(stopped, None);
}

/// The printed loop goes on while c ≤ T, which pays T + 1 times.
#[test]
fn stops_at_the_last_paid_answer_and_not_after_it() {
    let mut memory = session(20, 3);
    let queries = named([&TIED, &TIED, &CLEAR, &TIED, &CLEAR, &TIED].map(|counts| labels(counts)));
    let (answers, stopped) = told(queries, &mut memory);
    assert_eq!(answers.iter().filter(|answer| **answer == Some(Answer::Unstable)).count(), 3);
    assert_eq!(answers[4..], [None, None]);
    assert_eq!(stopped, Some(Stop::Paid));
    // Later, even what would be clear is refused, and what was answered is still known.
    let later = vec![("new".to_owned(), labels(&CLEAR)), ("query 2".to_owned(), labels(&TIED))];
    assert_eq!(told(later, &mut memory), (vec![None, Some(Answer::Label(1))], Some(Stop::Paid)));
}

#[test]
fn no_more_than_the_agreed_number_of_queries_is_answered() {
    let (answers, stopped) = told(named([0; 3].map(|_| labels(&CLEAR))), &mut session(2, 1));
    assert_eq!(answers, [Some(Answer::Label(1)), Some(Answer::Label(1)), None]);
    assert_eq!(stopped, Some(Stop::Asked));
}

/// A tie would cost anew each time, if it were tested anew.
#[test]
fn a_query_asked_again_gets_its_old_answer_for_nothing() {
    let mut memory = session(10, 2);
    let again = || vec![("same".to_owned(), labels(&TIED)), ("same".to_owned(), labels(&TIED))];
    for _ in 0..3 {
        assert_eq!(told(again(), &mut memory).0, [Some(Answer::Unstable); 2]);
    }
    assert_eq!((state(&memory).queries_left(), state(&memory).unstable_left()), (9, 1));
}

#[test]
fn a_threshold_stays_until_it_is_used_up_and_then_is_drawn_anew() {
    let sparse = Sparse {
        thresholds: 2,
        paid_each: 2,
        threshold_scale: 1e6,
        query_scale: 2.0,
        cut: 30_000_000,
    };
    let mut memory = Recent::new(Design::Sparse(sparse), 10, Provenance::TestSeed);
    let mut seen = Vec::new();
    for i in 0..4 {
        let query = vec![(i.to_string(), labels(&TIED))];
        answer(query, &mut memory, &mut Seeded::new(i)).unwrap();
        seen.push(state(&memory).threshold.unwrap().noise);
    }
    assert_eq!(seen[0], seen[1]);
    assert_eq!(seen[2], seen[3]);
    assert_ne!(seen[0], seen[2]);
}

#[test]
fn scores_are_told_by_the_bin_that_holds_them() {
    let bins = Bins::of_width(0.1).unwrap();
    let scores = |score: f32| Ballot::Scores(Sensitive::new(vec![score; 100_000]), bins);
    // Half of them on each side of 0.3: only the shifted bins hold them together.
    let split: Vec<f32> = (0..100_000).map(|i| if i % 2 == 0 { 0.28 } else { 0.32 }).collect();
    let scattered: Vec<f32> = (0..100_000).map(|i| i as f32 / 100_000.0).collect();
    let queries = named([
        scores(0.97),
        Ballot::Scores(Sensitive::new(split), bins),
        Ballot::Scores(Sensitive::new(scattered), bins),
        scores(0.97),
    ]);
    let (answers, stopped) = told(queries, &mut session(10, 3));
    let score = |answer: Option<Answer>| match answer {
        Some(Answer::Score(score)) => score,
        other => panic!("{other:?}"),
    };
    assert!((score(answers[0]) - 0.95).abs() < 1e-12);
    assert!((score(answers[1]) - 0.3).abs() < 1e-12);
    assert_eq!(answers[2], Some(Answer::Unstable));
    // 1 + 2 failed tests are all that was agreed.
    assert_eq!((answers[3], stopped), (None, Some(Stop::Paid)));
}

/// One query of scores can cost 2; the count is checked before each of them.
#[test]
fn a_second_test_is_not_made_when_the_first_was_the_last() {
    let bins = Bins::of_width(0.5).unwrap();
    let half = |i: u32| if i.is_multiple_of(2) { 0.4 } else { 0.6 };
    let split: Vec<f32> = (0..100_000).map(half).collect();
    let mut memory = session(10, 1);
    let query = named([Ballot::Scores(Sensitive::new(split), bins)]);
    let (answers, _) = told(query, &mut memory);
    assert_eq!(answers, [Some(Answer::Unstable)]);
    assert_eq!(state(&memory).unstable_left(), 0);
}

/// A memory whose disk is full from some moment on.
struct Failing {
    inner: Recent,
    left: Cell<u32>,
}

impl Memory for Failing {
    type Error = &'static str;

    fn state(&self) -> String {
        self.inner.state()
    }

    fn recall(&self, query: &str) -> Result<Option<Answer>, &'static str> {
        Ok(self.inner.recall(query).expect("it cannot fail"))
    }

    fn remember(&mut self, state: &str, answers: &[(String, Answer)]) -> Result<(), &'static str> {
        if self.left.get() == 0 {
            return Err("the disk is full");
        }
        self.left.set(self.left.get() - 1);
        self.inner.remember(state, answers).map_err(|_| "never")
    }
}

#[test]
fn nothing_leaves_that_was_not_remembered() {
    let mut memory = Failing { inner: session(1000, 5), left: Cell::new(1) };
    let queries = || named((0..100).map(|_| labels(&CLEAR)));
    let error = answer(queries(), &mut memory, &mut Seeded::new(1)).unwrap_err();
    assert!(matches!(error, AnswerError::Memory("the disk is full")));
    assert_eq!(state(&memory).queries_left(), 1000 - 64);
    // With room again the session goes on where it was.
    memory.left.set(9);
    let answered = answer(queries(), &mut memory, &mut Seeded::new(2)).unwrap();
    assert!(answered.answers.iter().all(Option::is_some));
    assert_eq!(state(&memory).queries_left(), 900);
}

#[test]
fn a_damaged_state_answers_nothing() {
    let mut memory = session(10, 2);
    memory.remember("nonsense", &[]).unwrap();
    let error = answer(named([labels(&CLEAR)]), &mut memory, &mut Seeded::new(1)).unwrap_err();
    assert!(matches!(error, AnswerError::State));
}

/// The price of Gaussian tests is for so many of them, whatever a caller allows besides.
#[test]
fn no_more_gaussian_tests_are_made_than_were_charged_for() {
    let gaussian = Gaussian { tests: 3, paid: 100, sigma: 1.0, cut: 10 };
    let bins = Bins::of_width(0.5).unwrap();
    let split = || Ballot::Scores(Sensitive::new(vec![0.1, 0.9]), bins);
    let mut memory = Recent::new(Design::Gaussian(gaussian), 1000, Provenance::TestSeed);
    let (answers, stopped) = told(named([split(), split(), split()]), &mut memory);
    assert_eq!(answers, [Some(Answer::Unstable), Some(Answer::Unstable), None]);
    assert_eq!((stopped, state(&memory).tests), (Some(Stop::Asked), 3));
}

/// Otherwise answers drawn under a seed would come back as private ones.
#[test]
fn a_session_keeps_its_source_of_noise() {
    let mut memory = session(10, 2);
    let error = answer(named([labels(&CLEAR)]), &mut memory, Receipt::nobody_remembers().noise())
        .unwrap_err();
    assert!(matches!(error, AnswerError::Randomness));
}
