//! Gradient boosting of shallow trees, for few rows.
//!
//! Of our own, because it is short: of the crates, `gbdt` rests, `forust` is for two classes, and
//! `perpetual` sets number and depth of its trees by itself and brings much with it. What votes
//! must be the same function of a chunk's rows on every machine. Here sums are in the order of the
//! rows, and nothing is drawn.

use crate::features::Features;
use crate::learner::{ChunkFailure, Learner, PreparedQueries};
use discretion_table::{Classes, PlainRows, Schema};
use serde::{Deserialize, Serialize};
use std::io;

/// Logistic loss, one against the rest where there are more than two classes. Its seed is not used:
/// nothing is drawn.
pub struct Boosting {
    features: Features,
    classes: usize,
    trees: u16,
}

/// How much of a tree is added. Less of it needs more trees, and more of it makes models of few
/// rows differ.
const RATE: f64 = 0.2;

/// Splits below each other. Two let columns work together, and more of them would leave few rows at
/// each end.
const DEPTH: u32 = 2;

/// Added to the curvature of a leaf, which shrinks those of few rows.
const SHRINK: f64 = 1.0;

/// The least curvature of a leaf: of rows that are as good as decided there must be more.
const LEAST: f64 = 0.5;

/// What is learned of one class: the log-odds are `start` and the sum of all trees.
#[derive(Serialize, Deserialize)]
struct Boosted {
    start: f64,
    trees: Vec<Node>,
}

#[derive(Serialize, Deserialize)]
enum Node {
    Leaf(f64),
    Split { split: Split, yes: Box<Node>, no: Box<Node> },
}

/// A question about one column.
#[derive(Clone, Copy, Serialize, Deserialize)]
enum Split {
    /// Of a number: whether it is at most this.
    AtMost(usize, f32),
    /// Of a category: whether it is this one.
    Is(usize, f32),
}

impl Split {
    fn says_yes(self, row: &[f32]) -> bool {
        match self {
            Split::AtMost(column, most) => row[column] <= most,
            Split::Is(column, place) => row[column] == place,
        }
    }
}

impl Node {
    fn value(&self, row: &[f32]) -> f64 {
        match self {
            Node::Leaf(value) => *value,
            Node::Split { split, yes, no } => {
                let next = if split.says_yes(row) { yes } else { no };
                next.value(row)
            }
        }
    }
}

/// Sums of slopes and curvatures over some rows.
#[derive(Clone, Copy, Default)]
struct Sums {
    slope: f64,
    curvature: f64,
}

impl Sums {
    fn add(&mut self, other: Sums) {
        self.slope += other.slope;
        self.curvature += other.curvature;
    }

    fn without(self, other: Sums) -> Sums {
        Sums { slope: self.slope - other.slope, curvature: self.curvature - other.curvature }
    }

    /// By how much a leaf of these rows lowers the loss, twice.
    fn gain(self) -> f64 {
        self.slope * self.slope / (self.curvature + SHRINK)
    }
}

/// The rows of a chunk while it is learned from.
struct Chunk<'a> {
    values: &'a [f32],
    width: usize,
    /// Columns of numbers come first.
    numbers: usize,
    sums: Vec<Sums>,
}

impl Chunk<'_> {
    fn row(&self, row: usize) -> &[f32] {
        &self.values[row * self.width..][..self.width]
    }

    fn total(&self, rows: &[usize]) -> Sums {
        rows.iter().fold(Sums::default(), |mut total, &row| {
            total.add(self.sums[row]);
            total
        })
    }

    fn tree(&self, rows: &[usize], depth: u32) -> Node {
        let total = self.total(rows);
        let split = if depth == 0 { None } else { self.best(rows, total) };
        let Some(split) = split else {
            return Node::Leaf(-RATE * total.slope / (total.curvature + SHRINK));
        };
        let (yes, no): (Vec<usize>, Vec<usize>) =
            rows.iter().partition(|&&row| split.says_yes(self.row(row)));
        let [yes, no] = [yes, no].map(|rows| Box::new(self.tree(&rows, depth - 1)));
        Node::Split { split, yes, no }
    }

    /// The split that lowers the loss most, the first of equal ones; nothing if none lowers it.
    fn best(&self, rows: &[usize], total: Sums) -> Option<Split> {
        let (mut best, mut most) = (None, total.gain() * (1.0 + 1e-9) + 1e-9);
        let mut try_split = |split: Split, yes: Sums| {
            let no = total.without(yes);
            let gain = yes.gain() + no.gain();
            if yes.curvature >= LEAST && no.curvature >= LEAST && gain > most {
                (best, most) = (Some(split), gain);
            }
        };
        for column in 0..self.width {
            let mut order = rows.to_vec();
            let value = |row: usize| self.row(row)[column];
            order.sort_by(|&a, &b| value(a).total_cmp(&value(b)));
            let mut below = Sums::default();
            for same in order.chunk_by(|&a, &b| value(a) == value(b)) {
                let here = self.total(same);
                let place = value(same[0]);
                if column < self.numbers {
                    below.add(here);
                    try_split(Split::AtMost(column, place), below);
                } else {
                    try_split(Split::Is(column, place), here);
                }
            }
        }
        best
    }
}

fn chance(margin: f64) -> f64 {
    1.0 / (1.0 + (-margin).exp())
}

impl Boosting {
    /// How many trees there are for a class where nothing else is said.
    pub const TREES: u16 = 40;

    /// A learner for tables of this schema.
    pub fn new(schema: &Schema, classes: &Classes, trees: u16) -> Self {
        Self { features: Features::of(schema), classes: classes.count(), trees }
    }

    /// The classes that get trees of their own: of two, only the second.
    fn modelled(&self) -> std::ops::Range<u16> {
        let count = u16::try_from(self.classes).expect("a target has at most 65,534 values");
        if count == 2 { 1..2 } else { 0..count }
    }

    fn boost(&self, values: &[f32], classes: &[u16], class: u16) -> Boosted {
        let rows: Vec<usize> = (0..classes.len()).collect();
        let hits = classes.iter().filter(|&&other| other == class).count() as f64;
        // As if there were one row more of either kind.
        let start = ((hits + 1.0) / (rows.len() as f64 - hits + 1.0)).ln();
        let mut margins = vec![start; rows.len()];
        let (width, numbers) = (values.len() / rows.len(), self.features.numbers());
        let mut chunk = Chunk { values, width, numbers, sums: vec![Sums::default(); rows.len()] };
        let mut trees = Vec::with_capacity(usize::from(self.trees));
        for _ in 0..self.trees {
            for (row, sums) in chunk.sums.iter_mut().enumerate() {
                let p = chance(margins[row]);
                *sums = Sums {
                    slope: p - f64::from(u8::from(classes[row] == class)),
                    curvature: p * (1.0 - p),
                };
            }
            let tree = chunk.tree(&rows, DEPTH);
            rows.iter().for_each(|&row| margins[row] += tree.value(chunk.row(row)));
            trees.push(tree);
        }
        Boosted { start, trees }
    }
}

impl Learner for Boosting {
    fn train(&self, rows: &PlainRows, _seed: u64) -> Result<Vec<u8>, ChunkFailure> {
        let values = self.features.values(rows);
        let all: Vec<Boosted> =
            self.modelled().map(|class| self.boost(&values, rows.classes(), class)).collect();
        postcard::to_stdvec(&all).map_err(|error| ChunkFailure::because(error.to_string()))
    }

    fn prepare<'a>(&'a self, queries: &'a PlainRows) -> io::Result<Box<dyn PreparedQueries + 'a>> {
        let values = self.features.values(queries);
        let width = values.len() / queries.count();
        Ok(Box::new(QueryValues { modelled: self.modelled().len(), values, width }))
    }
}

/// Queries as numbers.
struct QueryValues {
    modelled: usize,
    values: Vec<f32>,
    width: usize,
}

impl QueryValues {
    /// The margin of each query, for each class that is modelled.
    fn margins(&self, model: &[u8]) -> Result<Vec<Vec<f64>>, ChunkFailure> {
        let all: Vec<Boosted> = postcard::from_bytes(model)
            .map_err(|error| ChunkFailure::because(error.to_string()))?;
        if all.len() != self.modelled {
            return Err(ChunkFailure::because("these are trees of other classes"));
        }
        let margin = |boosted: &Boosted, row: &[f32]| {
            boosted.trees.iter().fold(boosted.start, |sum, tree| sum + tree.value(row))
        };
        let of_class = |boosted| {
            self.values.chunks_exact(self.width).map(|row| margin(boosted, row)).collect()
        };
        Ok(all.iter().map(of_class).collect())
    }
}

impl PreparedQueries for QueryValues {
    fn classes(&self, model: &[u8]) -> Result<Vec<u16>, ChunkFailure> {
        Ok(largest(&self.margins(model)?))
    }

    fn scores(&self, model: &[u8]) -> Result<Vec<f32>, ChunkFailure> {
        match &self.margins(model)?[..] {
            [second] => Ok(second.iter().map(|&margin| chance(margin) as f32).collect()),
            _ => Err(ChunkFailure::because("scores are for two classes")),
        }
    }
}

/// The class of each query by the margins of the classes, of two by that of the second; the first
/// of equal ones.
pub(crate) fn largest(margins: &[Vec<f64>]) -> Vec<u16> {
    if let [second] = margins {
        return second.iter().map(|&margin| u16::from(margin > 0.0)).collect();
    }
    let largest = |query: usize| {
        let better = |best: usize, class: usize| {
            if margins[class][query] > margins[best][query] { class } else { best }
        };
        (1..margins.len()).fold(0, better) as u16
    };
    (0..margins[0].len()).map(largest).collect()
}

#[cfg(test)]
#[path = "boosting_tests.rs"]
mod tests;
