//! Random forests.

use crate::features::Features;
use crate::learner::{ChunkFailure, Learner, PreparedQueries};
use discretion_table::{Classes, PlainRows, Schema};
use smartcore::ensemble::random_forest_classifier::{
    RandomForestClassifier, RandomForestClassifierParameters,
};
use smartcore::linalg::basic::matrix::DenseMatrix;
use std::io;

/// Each is a forest of one tree: a forest counts its trees' votes and does not give the counts
/// away, and a score is the share of trees.
type Tree = RandomForestClassifier<f32, u32, DenseMatrix<f32>, Vec<u32>>;

/// A random forest. Numbers are split in their own units, a missing one lying below all others; a
/// category counts as its place in the declared list, so that a list in a natural order serves
/// best.
pub struct Trees {
    features: Features,
    classes: usize,
    trees: u16,
}

impl Trees {
    /// How many trees a forest has where nothing else is said.
    pub const TREES: u16 = 25;

    /// A learner for tables of this schema.
    pub fn new(schema: &Schema, classes: &Classes, trees: u16) -> Self {
        Self { features: Features::of(schema), classes: classes.count(), trees }
    }

    fn matrix(&self, rows: &PlainRows) -> Result<DenseMatrix<f32>, ChunkFailure> {
        let values = self.features.values(rows);
        let width = values.len() / rows.count();
        DenseMatrix::new(rows.count(), width, values, false).map_err(|error| failed(&error))
    }
}

fn failed(error: &dyn std::fmt::Display) -> ChunkFailure {
    ChunkFailure::because(error.to_string())
}

/// The first byte of a model.
const CONSTANT: u8 = 0;
const FOREST: u8 = 1;

impl Learner for Trees {
    fn train(&self, rows: &PlainRows, seed: u64) -> Result<Vec<u8>, ChunkFailure> {
        let classes = rows.classes();
        // A tree needs two classes to tell apart.
        if classes.iter().all(|class| *class == classes[0]) {
            let [low, high] = classes[0].to_le_bytes();
            return Ok(vec![CONSTANT, low, high]);
        }
        // Of so many columns, drawn for each split, the best one splits. Rounded up: a column that
        // is constant in the chunk splits nothing, and with one column drawn a small table would
        // hardly be split at all.
        let width = rows.numbers(0).len() + rows.codes(0).len();
        let tried = (width as f64).sqrt().ceil() as usize;
        let (x, y) = (self.matrix(rows)?, classes.iter().map(|&class| u32::from(class)).collect());
        let tree = |number: u16| {
            // Seeds of chunks do not overlap.
            let seed = seed.wrapping_mul(u64::from(u16::MAX) + 1).wrapping_add(u64::from(number));
            let parameters = RandomForestClassifierParameters::default()
                .with_n_trees(1)
                .with_m(tried)
                .with_seed(seed);
            Tree::fit(&x, &y, parameters).map_err(|error| failed(&error))
        };
        let forest: Vec<Tree> = (0..self.trees).map(tree).collect::<Result<_, _>>()?;
        let mut bytes = vec![FOREST];
        bytes.extend(postcard::to_stdvec(&forest).map_err(|error| failed(&error))?);
        Ok(bytes)
    }

    fn prepare<'a>(&'a self, queries: &'a PlainRows) -> io::Result<Box<dyn PreparedQueries + 'a>> {
        let matrix = self
            .matrix(queries)
            .map_err(|failure| io::Error::other(failure.reason().into_inner()))?;
        Ok(Box::new(QueryMatrix { learner: self, matrix, queries: queries.count() }))
    }
}

/// Queries as a matrix.
struct QueryMatrix<'a> {
    learner: &'a Trees,
    matrix: DenseMatrix<f32>,
    queries: usize,
}

impl QueryMatrix<'_> {
    /// For each query, how many trees are for each class, and how many trees there are.
    fn counts(&self, model: &[u8]) -> Result<(Vec<Vec<u16>>, u16), ChunkFailure> {
        let mut counts = vec![vec![0; self.learner.classes]; self.queries];
        match model {
            [CONSTANT, low, high] => {
                let class = usize::from(u16::from_le_bytes([*low, *high]));
                counts.iter_mut().try_for_each(|count| vote(count, class))?;
                Ok((counts, 1))
            }
            [FOREST, forest @ ..] => {
                let forest: Vec<Tree> =
                    postcard::from_bytes(forest).map_err(|error| failed(&error))?;
                for tree in &forest {
                    let votes = tree.predict(&self.matrix).map_err(|error| failed(&error))?;
                    counts
                        .iter_mut()
                        .zip(votes)
                        .try_for_each(|(count, class)| vote(count, class as usize))?;
                }
                Ok((counts, forest.len() as u16))
            }
            _ => Err(ChunkFailure::because("this is no forest")),
        }
    }
}

fn vote(count: &mut [u16], class: usize) -> Result<(), ChunkFailure> {
    *count
        .get_mut(class)
        .ok_or_else(|| ChunkFailure::because("a tree knows a class that the study does not"))? += 1;
    Ok(())
}

impl PreparedQueries for QueryMatrix<'_> {
    fn classes(&self, model: &[u8]) -> Result<Vec<u16>, ChunkFailure> {
        let largest = |count: Vec<u16>| {
            (1..count.len())
                .fold(0, |best, class| if count[class] > count[best] { class } else { best })
                as u16
        };
        Ok(self.counts(model)?.0.into_iter().map(largest).collect())
    }

    fn scores(&self, model: &[u8]) -> Result<Vec<f32>, ChunkFailure> {
        let (counts, trees) = self.counts(model)?;
        Ok(counts.iter().map(|count| f32::from(count[1]) / f32::from(trees)).collect())
    }
}
