//! Several classes: each against all others, by its own scores, and how rows of each class are
//! called.

mod figures;

#[cfg(test)]
mod tests;

pub use figures::{ClassFigures, GroupFigures, OneClass};

use super::plan::{OF_COUNTS, checked, if_it_says_something, noises};
use super::{EDGES_SHARE, Grid, QualityError, QualityPlan, ScoreCounts, Tally};
use discretion_privacy::Budget;
use discretion_privacy::account::Event;
use discretion_privacy::noise::{IntegerNoise, Released, Sensitive, Source};
use serde::{Deserialize, Serialize};

/// What evaluation of a model of several classes is wanted. Everything in it is public.
#[derive(Clone, Debug, PartialEq)]
pub struct ClassQuality {
    /// What this run may spend.
    pub budget: Budget,
    /// How many groups of rows are counted apart.
    pub groups: usize,
    /// Where the scores of each class are expected.
    pub ranges: Vec<(f64, f64)>,
}

/// Everything public about a run.
#[derive(Clone, Debug, PartialEq)]
pub struct ClassPlan {
    rows: usize,
    budget: Budget,
    groups: usize,
    /// For counts of what rows of each class are called.
    pub(super) calls: IntegerNoise,
    /// Each class against all others.
    pub(super) each: Vec<QualityPlan>,
}

/// How many rows are where. It depends on rows, and nothing here prints it.
#[derive(Clone)]
pub struct ClassTally {
    each: Vec<Tally>,
    /// Group by group and class by class, how many rows are called what.
    calls: Vec<i64>,
}

/// Noisy counts. All of it is public once it is released.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClassCounts {
    /// The public number of rows.
    pub rows: usize,
    /// For each group and class, how many rows are called what.
    pub calls: Vec<Vec<Vec<i64>>>,
    /// The standard deviation of the noise in each of them.
    pub deviation: f64,
    /// Whether all noise is discrete Laplace; Gaussian otherwise.
    pub laplace: bool,
    /// Scores of each class, its own rows being positive and all others negative.
    pub scores: Vec<ScoreCounts>,
}

impl ClassQuality {
    /// Checks the request and fixes every public number of a run.
    pub fn plan(&self, rows: usize) -> Result<ClassPlan, QualityError> {
        let plan = |rows: usize| self.plan_whatever_it_says(rows);
        if_it_says_something(plan, ClassPlan::says_something, rows, self.budget)
    }

    /// One part of the budget for each class, and one for what rows are called: all of them look at
    /// all rows.
    fn plan_whatever_it_says(&self, rows: usize) -> Result<ClassPlan, QualityError> {
        let ClassQuality { budget, groups, ranges } = self;
        checked(*budget, *groups)?;
        let classes = ranges.len();
        if classes < 2 {
            return Err(QualityError::Classes(classes));
        }
        let part = 1.0 / (classes + 1) as f64;
        let of_a_class = [part * EDGES_SHARE, part * (1.0 - EDGES_SHARE)];
        let shares: Vec<_> = [part]
            .into_iter()
            .chain((0..classes).flat_map(|_| of_a_class))
            .map(|share| (share, OF_COUNTS))
            .collect();
        let noises = noises(*budget, &shares);
        let each = noises[1..].as_chunks().0.iter().zip(ranges).map(|(&noise, &range)| {
            QualityPlan::with_noise((rows, *groups), range, *budget, noise)
        });
        let each = each.collect::<Result<_, _>>()?;
        Ok(ClassPlan { rows, budget: *budget, groups: *groups, calls: noises[0], each })
    }
}

impl ClassPlan {
    /// The public number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// What the run may spend.
    pub fn budget(&self) -> Budget {
        self.budget
    }

    /// How many groups are counted apart.
    pub fn groups(&self) -> usize {
        self.groups
    }

    /// How many classes there are.
    pub fn classes(&self) -> usize {
        self.each.len()
    }

    /// What running this plan does to the table, for an account.
    pub fn event(&self) -> Event {
        let each = self.each.iter().map(QualityPlan::event);
        Event::Composition { of: [self.calls.event()].into_iter().chain(each).collect() }
    }

    /// Half the width of a 95 % interval for the AUC of a class, 0.8, that has its share of the
    /// rows: from sampling alone and with noise.
    pub fn expected_half_width(&self) -> [Option<f64>; 2] {
        self.each[0].expected_at(1.0 / self.classes() as f64)
    }

    fn says_something(&self) -> bool {
        self.expected_half_width()[1].is_some_and(|half| half < 0.25)
    }

    /// Returns the fine cells of each class's scores.
    pub fn grids(&self) -> Vec<Grid> {
        self.each.iter().map(|plan| plan.grid().clone()).collect()
    }

    /// No row yet.
    pub fn tally(&self) -> ClassTally {
        ClassTally::new(&self.grids(), self.groups)
    }

    /// Releases what rows are called, and the counts of each class.
    ///
    /// Postcondition: what is released satisfies [`ClassPlan::budget`] for replace-one neighbours,
    /// if `source` is the operating system.
    pub fn run(
        &self,
        tally: &ClassTally,
        source: &mut dyn Source,
    ) -> Result<Released<ClassCounts>, QualityError> {
        let classes = self.classes();
        if tally.each.len() != classes || tally.calls.len() != self.groups * classes * classes {
            return Err(QualityError::OtherTable { planned: self.rows, found: 0 });
        }
        let calls = self.calls.release(Sensitive::new(tally.calls.clone()), source)?;
        let each =
            self.each.iter().zip(&tally.each).map(|(plan, tally)| plan.run(tally, &mut *source));
        let each = each.collect::<Result<Vec<_>, _>>()?;
        let of_class = |counts: &[i64]| counts.chunks_exact(classes).map(<[i64]>::to_vec).collect();
        Ok(calls.map(|calls| ClassCounts {
            rows: self.rows,
            calls: calls.chunks_exact(classes * classes).map(of_class).collect(),
            deviation: self.calls.deviation(),
            laplace: matches!(self.calls, IntegerNoise::Laplace { .. }),
            scores: each.iter().map(|counts| ScoreCounts::clone(counts)).collect(),
        }))
    }
}

impl ClassTally {
    pub(super) fn new(grids: &[Grid], groups: usize) -> ClassTally {
        let each = grids.iter().map(|grid| Tally::new(grid.clone(), groups)).collect();
        ClassTally { each, calls: vec![0; groups * grids.len().pow(2)] }
    }

    pub(super) fn counts_mut(&mut self) -> impl Iterator<Item = &mut i64> {
        self.each.iter_mut().flat_map(Tally::counts_mut).chain(&mut self.calls)
    }

    /// Counts a row: its score for each class, what it is called, its class, and its group if there
    /// are several.
    pub fn add(&mut self, scores: &[f64], called: usize, class: usize, group: usize) {
        let classes = self.each.len();
        assert!(
            scores.len() == classes && called < classes && class < classes,
            "a row of the plan"
        );
        self.calls[(group * classes + class) * classes + called] += 1;
        for (k, (tally, &score)) in self.each.iter_mut().zip(scores).enumerate() {
            tally.add(score, k == class, group);
        }
    }
}

impl ClassCounts {
    /// Whether its parts belong together; a sentence if not.
    pub fn checked(&self) -> Result<(), &'static str> {
        let classes = self.scores.len();
        let square = |group: &Vec<Vec<i64>>| {
            group.len() == classes && group.iter().all(|of| of.len() == classes)
        };
        if classes < 2 || self.calls.is_empty() || !self.calls.iter().all(square) {
            return Err("its counts do not fit its classes");
        }
        for scores in &self.scores {
            scores.checked()?;
            if scores.rows != self.rows || scores.groups.len() != self.calls.len() {
                return Err("its classes have other rows");
            }
        }
        match self.deviation.is_finite() && self.deviation >= 0.0 {
            true => Ok(()),
            false => Err("its noise has no deviation"),
        }
    }
}
