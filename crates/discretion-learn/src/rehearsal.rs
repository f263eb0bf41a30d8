//! A learner tried out on made-up rows, before anything is charged: a program with a wrong path or
//! a missing library would fail on every chunk, and the answers would be worth nothing.

use crate::learner::Learner;
use discretion_table::{
    Classes, Kind, LearnerChoice, NumberRange, PlainRows, Schema, Study, VoteSettings,
};

/// Why a learner could not do its work on made-up rows. Nothing in it comes from a table.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the learner fails on {rows} made-up rows, so it would fail on every chunk: {reason}")]
pub struct RehearsalError {
    rows: usize,
    reason: String,
}

/// Trains on `rows` made-up rows of the schema and asks about some of them.
pub fn rehearse(
    learner: &dyn Learner,
    schema: &Schema,
    classes: &Classes,
    rows: usize,
    scores: bool,
) -> Result<(), RehearsalError> {
    let refuse = |reason: String| RehearsalError { rows, reason: reason.trim().replace('\n', " ") };
    let learned = made_up(schema, classes, rows);
    let queries = learned.gather(0..rows.min(3)).without_classes();
    let model =
        learner.train(&learned, 0).map_err(|failure| refuse(failure.reason().into_inner()))?;
    let prepared = learner.prepare(&queries).map_err(|error| refuse(error.to_string()))?;
    let answers = if scores {
        prepared.scores(&model).map(|scores| scores.len())
    } else {
        prepared.classes(&model).map(|classes| classes.len())
    };
    match answers {
        Err(failure) => Err(refuse(failure.reason().into_inner())),
        Ok(count) if count != queries.count() => {
            Err(refuse(format!("{count} answers to {} queries", queries.count())))
        }
        Ok(_) => Ok(()),
    }
}

/// Tries a study's learner out if it is a program, on as many rows as a chunk has. What is built in
/// needs no trial.
pub fn rehearse_program(
    learner: &dyn Learner,
    study: &Study,
    vote: &VoteSettings,
    rows_of_a_chunk: usize,
) -> Result<(), RehearsalError> {
    let LearnerChoice::Command { .. } = vote.learner else { return Ok(()) };
    // With fewer rows than this a class may be missing, which a program may refuse.
    let rows = rows_of_a_chunk.clamp(10 * vote.classes.count(), 1_000);
    rehearse(learner, &study.schema, &vote.classes, rows, vote.score_bins.is_some())
}

/// Rows that fill the declared ranges, with every class in turn.
pub fn made_up(schema: &Schema, classes: &Classes, rows: usize) -> PlainRows {
    let mut made = PlainRows::new(schema);
    for i in 0..rows {
        let (mut numbers, mut codes) = (Vec::new(), Vec::new());
        for (j, column) in schema.columns().iter().enumerate() {
            match &column.kind {
                Kind::Category { values, .. } => codes.push(((i + j) % values.len()) as u16),
                Kind::Dropped => {}
                kind => {
                    let NumberRange { min, max, .. } =
                        kind.range().expect("all others are numbers");
                    // Multiples of the golden ratio, from which no two columns look alike.
                    let place = ((i + 1) * (j + 1)) as f64 * 0.618_033_988_749_894_9 % 1.0;
                    numbers.push((min + (max - min) * place) as f32);
                }
            }
        }
        made.append(numbers, codes, vec![(i % classes.count()) as u16]);
    }
    made
}
