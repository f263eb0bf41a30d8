//! A public table: rows to learn from, queries, and rows to judge students by.

use crate::Failure;
use crate::tables::PublicTable;
use discretion::erm::matrix::Matrix;
use discretion::noise::Seeded;
use discretion_learn::{Balanced, Logistic, train_all};
use discretion_table::{Classes, PlainRows, Schema, Study, read_rows};
use std::path::Path;

/// A table, split.
pub struct Poll {
    pub name: String,
    pub schema: Schema,
    pub classes: Classes,
    learn: PlainRows,
    pub queries: PlainRows,
    /// The true class of each query.
    pub truth: Vec<u16>,
    judge: PlainRows,
}

impl Poll {
    /// Reads a table. Queries and judges are drawn at random, the other rows stay in the order of
    /// the file.
    pub fn read(
        table: &PublicTable,
        folder: &Path,
        queries: usize,
        judges: usize,
        seed: u64,
    ) -> Result<Poll, Failure> {
        let (path, schema) = table.find(folder)?;
        let failed = |error: &dyn std::fmt::Display| Failure(error.to_string());
        let classes = Classes::of(&schema.target().labels).map_err(|error| failed(&error))?;
        let (rows, _) =
            read_rows(&path, &schema, &classes, &|_| {}).map_err(|error| failed(&error))?;
        Ok(Poll::split(table.name.to_owned(), schema, classes, &rows, (queries, judges), seed))
    }

    /// Rows of three numbers, with a label that a line tells but for one in fifty.
    pub fn made_up(rows: usize, seed: u64) -> Poll {
        const STUDY: &str = "[data]\npath = 'x.csv'\naccount = 'x'\ntarget = 'y'\npositive = '1'\nnegative = '0'\n[budget]\nepsilon = 1\n\
            [spend]\nepsilon = 1\n[columns]\na = { min = -1, max = 1 }\nb = { min = -1, max = 1 }\nc = { min = -1, max = 1 }\n";
        let schema =
            Study::parse(Path::new("made-up.toml"), STUDY).expect("it was written here").schema;
        let classes = Classes::of(&schema.target().labels).expect("there are two");
        let mut source = Seeded::new(seed);
        let mut all = PlainRows::new(&schema);
        for _ in 0..rows {
            let x = [(); 3].map(|()| 2.0 * source.unit() - 1.0);
            let side = x[0] + 0.5 * x[1] > 0.0;
            let class = side != (source.unit() < 0.02);
            all.append(x.map(|x| x as f32).into(), Vec::new(), vec![u16::from(class)]);
        }
        Poll::split("made-up rows".to_owned(), schema, classes, &all, (100, 1_000), seed)
    }

    /// A census of four numbers and a rare outcome: about one row in sixteen has it.
    pub fn made_up_rare(rows: usize, seed: u64) -> Poll {
        const STUDY: &str = "[data]\npath = 'x.csv'\naccount = 'x'\ntarget = 'y'\npositive = '1'\nnegative = '0'\n[budget]\nepsilon = 1\n\
            [spend]\nepsilon = 1\n[columns]\na = { min = -1, max = 1 }\nb = { min = -1, max = 1 }\nc = { min = -1, max = 1 }\n\
            d = { min = -1, max = 1 }\n";
        let schema =
            Study::parse(Path::new("made-up.toml"), STUDY).expect("it was written here").schema;
        let classes = Classes::of(&schema.target().labels).expect("there are two");
        let mut source = Seeded::new(seed);
        let mut all = PlainRows::new(&schema);
        for _ in 0..rows {
            let x = [(); 4].map(|()| 2.0 * source.unit() - 1.0);
            let margin = 2.4 * x[0] + 1.6 * x[1] - 1.2 * x[2] - 4.0;
            let class = source.unit() < 1.0 / (1.0 + (-margin).exp());
            all.append(x.map(|x| x as f32).into(), Vec::new(), vec![u16::from(class)]);
        }
        let held = (1_000.min(rows / 10), 0);
        Poll::split("made-up census".to_owned(), schema, classes, &all, held, seed)
    }

    /// The score that each of `chunks` models gives to each query, trained with classes that count
    /// the same.
    pub fn balanced_scores(&self, chunks: usize) -> Result<Vec<Vec<f32>>, Failure> {
        let learner =
            Balanced(Box::new(Logistic::new(&self.schema, &self.classes, Logistic::LAMBDA)));
        let trained = train_all(&learner, &self.learn.clone().into(), chunks, None, &|_| {});
        let scores = trained.scores(&learner, &self.queries, &|_| {}).map_err(failed)?;
        Ok((0..self.queries.count())
            .map(|query| scores.scores(query).not_private().into_inner())
            .collect())
    }

    fn split(
        name: String,
        schema: Schema,
        classes: Classes,
        rows: &PlainRows,
        (queries, judges): (usize, usize),
        seed: u64,
    ) -> Poll {
        let mut source = Seeded::new(seed);
        let mut held = vec![0u8; rows.count()];
        for (count, mark) in [(queries, 1), (judges, 2)] {
            let mut left = count;
            while left > 0 {
                let place = (source.unit() * rows.count() as f64) as usize;
                if held[place] == 0 {
                    held[place] = mark;
                    left -= 1;
                }
            }
        }
        let part = |mark: u8| rows.gather((0..rows.count()).filter(|&row| held[row] == mark));
        let asked = part(1);
        let truth = asked.classes().to_vec();
        Poll {
            name,
            schema,
            classes,
            learn: part(0),
            queries: asked.without_classes(),
            truth,
            judge: part(2),
        }
    }

    /// How many rows there are to learn from.
    pub fn rows(&self) -> usize {
        self.learn.count()
    }

    /// How many of `chunks` models name each class, for each query.
    pub fn labels(&self, chunks: usize) -> Result<Vec<Vec<u32>>, Failure> {
        let (learner, trained) = self.train(chunks);
        let votes =
            trained.votes(&learner, &self.classes, &self.queries, &|_| {}).map_err(failed)?;
        Ok((0..self.queries.count())
            .map(|query| votes.counts(query).not_private().into_inner())
            .collect())
    }

    /// The score that each of `chunks` models gives to each query.
    pub fn scores(&self, chunks: usize) -> Result<Vec<Vec<f32>>, Failure> {
        let (learner, trained) = self.train(chunks);
        let scores = trained.scores(&learner, &self.queries, &|_| {}).map_err(failed)?;
        Ok((0..self.queries.count())
            .map(|query| scores.scores(query).not_private().into_inner())
            .collect())
    }

    fn train(&self, chunks: usize) -> (Logistic, discretion_learn::Ensemble) {
        let learner = Logistic::new(&self.schema, &self.classes, Logistic::LAMBDA);
        let trained = train_all(&learner, &self.learn.clone().into(), chunks, None, &|_| {});
        (learner, trained)
    }

    /// The rows to learn from, encoded.
    pub fn matrix(&self) -> Matrix {
        self.encoded(&self.learn)
    }

    /// Rows of the schema, encoded.
    pub fn encoded(&self, rows: &PlainRows) -> Matrix {
        let encoder = self.schema.encoder();
        let mut matrix = Matrix::new(encoder.layout());
        matrix.push(encoder.batch(rows, 1));
        matrix
    }

    /// The share of judges that coefficients tell right.
    pub fn judged(&self, theta: &[f64]) -> f64 {
        let margins = self.encoded(&self.judge).margins(theta).into_inner();
        let right =
            margins.iter().filter(|&&(margin, positive)| (margin > 0.0) == positive).count();
        right as f64 / margins.len() as f64
    }
}

fn failed(error: impl std::fmt::Display) -> Failure {
    Failure(error.to_string())
}
