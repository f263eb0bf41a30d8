//! Validation of a procedure whose scores are written down beforehand.

use super::*;
use discretion_privacy::account::{Event, Spend};
use discretion_privacy::noise::{NoiseError, Receipt, Released, Seeded, Source};
use discretion_privacy::trusted::released;
use discretion_privacy::{Budget, Pure};
use std::convert::Infallible;

/// Candidate i scores `scores[i]`, whatever the rows are.
struct Fixed {
    candidates: Vec<u32>,
    scores: Vec<f64>,
    range: (f64, f64),
    stability: Stability,
}

impl Fixed {
    fn of(scores: &[f64]) -> Fixed {
        Fixed {
            candidates: (0..scores.len() as u32).collect(),
            scores: scores.to_vec(),
            range: (-10.0, 10.0),
            stability: Stability { training: 1e-3, validation: 2e-3, failure: 0.0 },
        }
    }
}

impl Procedure for Fixed {
    type Candidate = u32;
    type Table = [f64];
    type Randomness = u64;
    type Model = f64;
    type Error = Infallible;

    fn candidates(&self) -> &[u32] {
        &self.candidates
    }

    fn rows(&self, table: &[f64]) -> usize {
        table.len()
    }

    fn draw(&self, _: &u32, source: &mut dyn Source) -> Result<u64, NoiseError> {
        source.word()
    }

    fn train(&self, _: &[f64], &candidate: &u32, _: &u64) -> Result<f64, Infallible> {
        Ok(self.scores[candidate as usize])
    }

    fn score(&self, &model: &f64, _: &[f64]) -> Result<f64, Infallible> {
        Ok(model)
    }

    fn score_range(&self, _: &u32) -> (f64, f64) {
        self.range
    }

    fn stability(&self, _: &u32, _: usize, _: usize) -> Stability {
        self.stability
    }
}

impl Trainer for Fixed {
    type Output = u32;

    fn price(&self, rows: usize) -> Event {
        Event::Pure { epsilon: 0.25, what: format!("training on {rows} rows") }
    }

    fn release(
        &self,
        _: &[f64],
        candidate: &u32,
        source: &mut dyn Source,
    ) -> Result<Released<u32>, Infallible> {
        Ok(released(*candidate, source.provenance()))
    }
}

const RULE: Rule = Rule::Generalised { doubt: 0.05 };
const ROWS: Rows = Rows { training: 3, validation: 2 };

#[test]
fn the_best_score_wins_when_it_stands_out_and_scores_are_clamped() {
    // 1e9 and 5 are both clamped to 4, so the two are alike; NaN counts as −4.
    let procedure = Fixed { range: (-4.0, 4.0), ..Fixed::of(&[f64::NAN, 1e9, 0.0, 5.0]) };
    let validation = Validation::plan(&procedure, ROWS, RULE, 1.0).unwrap();
    let mut wins = [0; 4];
    let mut source = Seeded::new(1);
    for _ in 0..200 {
        wins[validation.validate(&[0.0; 3], &[0.0; 2], &mut source).unwrap().index] += 1;
    }
    // Fair coins between two: fewer than 50 of 200 has probability below 1e-12.
    assert!(wins[0] == 0 && wins[2] == 0 && wins[1] > 50 && wins[3] > 50, "{wins:?}");
}

#[test]
fn a_choice_and_the_winner_s_training_cost_their_sum() {
    let procedure = Fixed::of(&[0.0, 1.0]);
    let validation = Validation::plan(&procedure, ROWS, RULE, 0.5).unwrap();
    assert_eq!(validation.event(), Event::Selection { candidates: 2, epsilon: 0.5 });
    let cap = Budget::from(Pure { epsilon: 1.0 });
    let spend = Spend::of(&validation.event_with_training()).unwrap();
    assert!((spend.price(cap).unwrap().amount - 0.75).abs() < 1e-12);
    let tuned = validation
        .validate_then_train(&[0.0; 3], &[0.0; 2], &[0.0; 5], Receipt::nobody_remembers().noise())
        .unwrap();
    assert_eq!(tuned.choice.index as u32, *tuned.output);
}

#[test]
fn probabilities_of_failure_add_up() {
    let stability = Stability { failure: 1e-7, ..Fixed::of(&[]).stability };
    let procedure = Fixed { stability, ..Fixed::of(&[0.0, 1.0, 2.0]) };
    let event = Validation::plan(&procedure, ROWS, RULE, 0.5).unwrap().event();
    let Event::Approximate { epsilon, delta, .. } = event else {
        panic!("{event:?} is called pure")
    };
    assert!(epsilon == 0.5 && (3e-7..3.0001e-7).contains(&delta), "{delta}");
}

#[test]
fn no_score_moves_by_more_than_its_range_is_wide() {
    let stability = Stability { training: 50.0, ..Fixed::of(&[]).stability };
    let procedure = Fixed { stability, range: (0.0, 1.0), ..Fixed::of(&[0.0, 1.0]) };
    let capped = Validation::plan(&procedure, ROWS, RULE, 1.0).unwrap();
    let expected = Selector::new(RULE, 1.0, vec![1f64.next_up(); 2]).unwrap();
    assert_eq!(*capped.selector(), expected);
}

#[test]
fn bad_requests_are_refused() {
    let refused = |procedure: &Fixed, rows| Validation::plan(procedure, rows, RULE, 1.0).err();
    assert_eq!(refused(&Fixed::of(&[]), ROWS), Some(Refused::NoCandidates));
    let repeated = Fixed { candidates: vec![4, 7, 4], ..Fixed::of(&[0.0; 3]) };
    assert_eq!(refused(&repeated, ROWS), Some(Refused::Repeated { first: 0, second: 2 }));
    let rows = Rows { training: 3, validation: 0 };
    assert_eq!(
        refused(&Fixed::of(&[0.0]), rows),
        Some(Refused::NoRows { training: 3, validation: 0 })
    );
    for range in [(0.0, f64::INFINITY), (f64::NAN, 1.0), (1.0, 0.0)] {
        let refused = refused(&Fixed { range, ..Fixed::of(&[0.0]) }, ROWS);
        assert!(matches!(refused, Some(Refused::Range { candidate: 0, .. })), "{range:?}");
    }
    for training in [f64::NAN, -1.0] {
        let stability = Stability { training, validation: 0.0, failure: 0.0 };
        let refused = refused(&Fixed { stability, ..Fixed::of(&[0.0]) }, ROWS);
        assert!(matches!(refused, Some(Refused::Sensitivity { candidate: 0, .. })), "{training}");
    }
    for failure in [f64::NAN, -1e-9, 0.5] {
        let stability = Stability { failure, ..Fixed::of(&[]).stability };
        let refused = refused(&Fixed { stability, ..Fixed::of(&[0.0, 1.0]) }, ROWS);
        assert!(matches!(refused, Some(Refused::Failure(_))), "{failure}");
    }
}

#[test]
fn tables_of_other_sizes_are_refused() {
    let procedure = Fixed::of(&[0.0, 1.0]);
    let validation = Validation::plan(&procedure, ROWS, RULE, 1.0).unwrap();
    let refused =
        validation.validate(&[0.0; 4], &[0.0; 2], Receipt::nobody_remembers().noise()).unwrap_err();
    assert_eq!(refused, TuneError::Rows { planned: (3, 2), found: (4, 2) });
    let refused = validation.validate_then_train(
        &[0.0; 3],
        &[0.0; 2],
        &[0.0; 4],
        Receipt::nobody_remembers().noise(),
    );
    assert_eq!(refused.unwrap_err(), TuneError::Union { planned: 5, found: 4 });
}
