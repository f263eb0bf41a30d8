//! How many held-back queries enough models agree on, and how often they are right: `agreement
//! STUDY HELD_BACK CHUNKS [LEARNER]`, all learners or the one of this name. For public tables; what
//! it says is not private.

use discretion_learn::{Boosting, Learner, Logistic, Trees, train_all};
use discretion_table::{Classes, Study, read_rows};
use std::io::{self, Write};
use std::path::Path;
use std::time::Instant;

const QUERIES: usize = 1000;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [study, held_back, chunks, only @ ..] = &arguments[..] else {
        return Err("agreement STUDY HELD_BACK CHUNKS [LEARNER]".into());
    };
    let (study, chunks) = (Study::read(study)?, chunks.parse()?);
    let (schema, classes) = (&study.schema, Classes::of(&study.schema.target().labels)?);
    let (rows, _) = read_rows(&study.data.path, schema, &classes, &|_| {})?;
    let (held_back, _) = read_rows(Path::new(held_back), schema, &classes, &|_| {})?;
    let queries = held_back.gather((0..QUERIES).map(|i| i * (held_back.count() / QUERIES).max(1)));
    let mut learners: Vec<(String, Box<dyn Learner>)> = Vec::new();
    for lambda in [1e-2, 1e-3, 1e-4, 1e-5] {
        learners
            .push((format!("λ = {lambda:.0e}"), Box::new(Logistic::new(schema, &classes, lambda))));
    }
    learners.push((
        format!("{} trees", Trees::TREES),
        Box::new(Trees::new(schema, &classes, Trees::TREES)),
    ));
    let boosting = Boosting::new(schema, &classes, Boosting::TREES);
    learners.push(("boosting".to_owned(), Box::new(boosting)));
    let mut out = io::stdout().lock();
    writeln!(out, "{} rows in {chunks} chunks; of {QUERIES} queries:", rows.count())?;
    for (name, learner) in
        learners.into_iter().filter(|(name, _)| only.is_empty() || only.contains(name))
    {
        let started = Instant::now();
        let trained = train_all(&*learner, &rows.clone().into(), chunks, None, &|_| {});
        let seconds = started.elapsed().as_secs_f64();
        let votes =
            trained.votes(&*learner, &classes, &queries.clone().without_classes(), &|_| {})?;
        let (mut agreed, mut right, mut both) = (0, 0, 0);
        for (query, &class) in queries.classes().iter().enumerate() {
            let counts = votes.counts(query).not_private().into_inner();
            let most = *counts.iter().max().expect("there are classes");
            let is_right = counts[usize::from(class)] == most;
            let is_agreed = 6 * u64::from(most) >= 5 * chunks as u64;
            agreed += u32::from(is_agreed);
            right += u32::from(is_right);
            both += u32::from(is_right && is_agreed);
        }
        writeln!(
            out,
            "{name}: 5/6 agree on {agreed}, right on {both} of them; majority right on {right}; trained in {seconds:.1} s"
        )?;
    }
    Ok(())
}
