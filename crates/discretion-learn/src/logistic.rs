//! Regularised logistic regression, the same that is fitted privately elsewhere, here without
//! noise.

use crate::boosting::largest;
use crate::learner::{ChunkFailure, Learner, PreparedQueries};
use discretion::erm::matrix::{Batch, Layout, Matrix, margins};
use discretion::loss::LossKind;
use discretion::train::not_private;
use discretion_table::{Classes, Encoder, PlainRows, Schema};
use std::io;

/// One against the rest where there are more than two classes. Its seed is not used: the optimum is
/// unique.
pub struct Logistic {
    encoder: Encoder,
    layout: Layout,
    classes: usize,
    lambda: f64,
}

impl Logistic {
    /// The regularisation that is used where nothing else is said, on rows of length at most 1.
    /// `docs/learners.md` has the measurements: on chunks of 100 to 160 rows, more of it costs
    /// accuracy and less of it costs agreement.
    pub const LAMBDA: f64 = 1e-4;

    /// A learner for tables of this schema. λ is public and the same for all chunks.
    pub fn new(schema: &Schema, classes: &Classes, lambda: f64) -> Self {
        let encoder = schema.encoder();
        Self { layout: encoder.layout(), encoder, classes: classes.count(), lambda }
    }

    /// The classes that get coefficients of their own: of two, only the second.
    fn modelled(&self) -> std::ops::Range<u16> {
        let count = u16::try_from(self.classes).expect("a target has at most 65,534 values");
        if count == 2 { 1..2 } else { 0..count }
    }
}

impl Learner for Logistic {
    fn train(&self, rows: &PlainRows, _seed: u64) -> Result<Vec<u8>, ChunkFailure> {
        let mut bytes = Vec::new();
        for class in self.modelled() {
            let mut matrix = Matrix::new(self.layout.clone());
            matrix.push(self.encoder.batch(rows, class));
            let theta = not_private(&matrix.all(), LossKind::Logistic, self.lambda)
                .map_err(|error| ChunkFailure::because(error.to_string()))?;
            bytes.extend(
                theta.into_inner().iter().flat_map(|coefficient| coefficient.to_le_bytes()),
            );
        }
        Ok(bytes)
    }

    fn prepare<'a>(&'a self, queries: &'a PlainRows) -> io::Result<Box<dyn PreparedQueries + 'a>> {
        Ok(Box::new(EncodedQueries { learner: self, batch: self.encoder.batch(queries, 0) }))
    }
}

/// Queries as encoded rows.
struct EncodedQueries<'a> {
    learner: &'a Logistic,
    batch: Batch,
}

impl EncodedQueries<'_> {
    /// The margin of each query, for each class that is modelled.
    fn margins(&self, model: &[u8]) -> Result<Vec<Vec<f64>>, ChunkFailure> {
        let dimension = self.learner.layout.dimension();
        let (numbers, []) = model.as_chunks::<8>() else { return Err(damaged()) };
        let theta: Vec<f64> = numbers.iter().map(|bytes| f64::from_le_bytes(*bytes)).collect();
        if theta.len() != dimension * self.learner.modelled().len() {
            return Err(damaged());
        }
        let all = theta.chunks_exact(dimension);
        Ok(all.map(|theta| margins(&self.learner.layout, self.batch.clone(), theta)).collect())
    }
}

fn damaged() -> ChunkFailure {
    ChunkFailure::because("this is no model of logistic regression for the study's columns")
}

impl PreparedQueries for EncodedQueries<'_> {
    fn classes(&self, model: &[u8]) -> Result<Vec<u16>, ChunkFailure> {
        Ok(largest(&self.margins(model)?))
    }

    fn scores(&self, model: &[u8]) -> Result<Vec<f32>, ChunkFailure> {
        match &self.margins(model)?[..] {
            [second] => {
                Ok(second.iter().map(|&margin| (1.0 / (1.0 + (-margin).exp())) as f32).collect())
            }
            _ => Err(ChunkFailure::because("scores are for two classes")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use discretion_table::Study;
    use std::path::Path;

    /// Who declares a curve gets one: the young and the old, which no line tells from the others.
    #[test]
    fn curves_of_the_study_are_learned() {
        let learned = |age: &str| {
            let text = format!(
                "[data]\npath = \"t.csv\"\naccount = \"t\"\ntarget = \"y\"\npositive = \"yes\"\nnegative = \"no\"\n\
                 [budget]\nepsilon = 1\n[spend]\nepsilon = 1\n[columns]\nage = {age}\n"
            );
            let schema = Study::parse(Path::new("study.toml"), &text).unwrap().schema;
            let classes = Classes::of(&schema.target().labels).unwrap();
            let mut rows = PlainRows::new(&schema);
            for age in (0..120_u16).map(|row| row * 37 % 100) {
                rows.append(
                    vec![f32::from(age)],
                    vec![],
                    vec![u16::from(!(30..70).contains(&age))],
                );
            }
            let learner = Logistic::new(&schema, &classes, Logistic::LAMBDA);
            let model = learner.train(&rows, 0).ok().unwrap();
            let mut queries = PlainRows::new(&schema);
            [5.0, 50.0, 95.0].iter().for_each(|&age| queries.append(vec![age], vec![], vec![]));
            learner.prepare(&queries).unwrap().classes(&model).ok().unwrap()
        };
        assert_eq!(learned("{ min = 0, max = 100, curve = 8 }"), [1, 0, 1]);
        assert_ne!(learned("{ min = 0, max = 100 }"), [1, 0, 1]);
    }
}
