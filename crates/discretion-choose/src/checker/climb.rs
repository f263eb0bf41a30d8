//! Climbing: change rows, keep what moves the score further.

use super::super::Procedure;
use super::super::validation::clamp;
use super::{Effort, Neighbours, Side};
use discretion_privacy::noise::{Seeded, Source};
use std::borrow::Borrow;

/// A pair of neighbours and how far the score moves between them.
#[derive(Clone)]
pub(super) struct Climb<R> {
    pub(super) training: Vec<R>,
    pub(super) validation: Vec<R>,
    /// The row that is replaced, on the arena's side.
    pub(super) position: usize,
    pub(super) replacement: R,
    pub(super) moved: f64,
}

/// One candidate, one draw, one side.
pub(super) struct Arena<'a, P: Procedure, N> {
    pub(super) procedure: &'a P,
    pub(super) neighbours: &'a N,
    pub(super) candidate: &'a P::Candidate,
    pub(super) randomness: &'a P::Randomness,
    pub(super) side: Side,
}

impl<P: Procedure, N: Neighbours<P>> Arena<'_, P, N> {
    /// The highest point of one climb; `start` varies where it begins.
    pub(super) fn climb(
        &self,
        effort: Effort,
        start: usize,
        source: &mut Seeded,
    ) -> Result<Climb<N::Row>, P::Error> {
        let mut best = self.start(effort, start, source);
        best.moved = self.moved(&best)?;
        for _ in 0..effort.steps {
            let mut next = best.clone();
            self.change(&mut next, source);
            next.moved = self.moved(&next)?;
            // Level ground is walked too: bounds often have plateaus.
            if next.moved >= best.moved {
                best = next;
            }
        }
        Ok(best)
    }

    /// In turn: all rows alike, two kinds of rows, any rows.
    fn start(&self, effort: Effort, start: usize, source: &mut Seeded) -> Climb<N::Row> {
        let kinds: Vec<N::Row> = (0..2).map(|_| self.neighbours.row(source)).collect();
        let one = |source: &mut Seeded| match start % 3 {
            0 => kinds[0].clone(),
            1 => kinds[below(2, source)].clone(),
            _ => self.neighbours.row(source),
        };
        let training: Vec<N::Row> = (0..effort.training_rows).map(|_| one(source)).collect();
        let validation: Vec<N::Row> = (0..effort.validation_rows).map(|_| one(source)).collect();
        let rows = if self.side == Side::Training { &training } else { &validation };
        let position = below(rows.len(), source);
        let replacement = self.neighbours.row(source);
        Climb { training, validation, position, replacement, moved: 0.0 }
    }

    fn change(&self, climb: &mut Climb<N::Row>, source: &mut Seeded) {
        let own = match self.side {
            Side::Training => climb.training[climb.position].clone(),
            Side::Validation => climb.validation[climb.position].clone(),
        };
        match below(6, source) {
            0 => climb.replacement = self.neighbours.change(&climb.replacement, source),
            1 => {
                let rows = if self.side == Side::Training {
                    &mut climb.training
                } else {
                    &mut climb.validation
                };
                rows[climb.position] = self.neighbours.change(&own, source);
            }
            2 => self.change_some(&mut climb.training, source),
            3 => self.change_some(&mut climb.validation, source),
            many => {
                // All rows of one side become alike, like one of the pair or like a new one.
                let to = match below(3, source) {
                    0 => own.clone(),
                    1 => climb.replacement.clone(),
                    _ => self.neighbours.row(source),
                };
                let side = if many == 4 { Side::Training } else { Side::Validation };
                let rows = if side == Side::Training {
                    &mut climb.training
                } else {
                    &mut climb.validation
                };
                rows.fill(to);
                if side == self.side {
                    rows[climb.position] = own;
                }
            }
        }
    }

    /// One row, or a run of them.
    fn change_some(&self, rows: &mut [N::Row], source: &mut Seeded) {
        let from = below(rows.len(), source);
        let to = (from + 1 + if below(2, source) == 0 { 0 } else { below(rows.len(), source) })
            .min(rows.len());
        let new = self.neighbours.change(&rows[from], source);
        rows[from..to].fill(new);
    }

    fn moved(&self, climb: &Climb<N::Row>) -> Result<f64, P::Error> {
        let mut replaced =
            if self.side == Side::Training { &climb.training } else { &climb.validation }.clone();
        replaced[climb.position] = climb.replacement.clone();
        let training = self.neighbours.table(&climb.training);
        let validation = self.neighbours.table(&climb.validation);
        let other = self.neighbours.table(&replaced);
        let model = self.train(training.borrow())?;
        let here = self.score(&model, validation.borrow())?;
        let there = match self.side {
            Side::Training => self.score(&self.train(other.borrow())?, validation.borrow())?,
            Side::Validation => self.score(&model, other.borrow())?,
        };
        Ok((here - there).abs())
    }

    fn train(&self, table: &P::Table) -> Result<P::Model, P::Error> {
        self.procedure.train(table, self.candidate, self.randomness)
    }

    fn score(&self, model: &P::Model, table: &P::Table) -> Result<f64, P::Error> {
        Ok(clamp(self.procedure.score(model, table)?, self.procedure.score_range(self.candidate)))
    }
}

/// A whole number below `limit`; its bias of limit/2⁶⁴ does no harm here.
fn below(limit: usize, source: &mut Seeded) -> usize {
    let word = source.word().expect("a seeded stream does not end");
    (word % limit as u64) as usize
}
