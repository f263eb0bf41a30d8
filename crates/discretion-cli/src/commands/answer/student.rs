//! A model of the answers (Algorithm 5 of the paper). What is made of released answers is released: it costs nothing.

use super::study_vote::StudyVote;
use super::{Answers, SessionCharge};
use crate::args::Answer as AnswerArgs;
use crate::files::{self, Existing, OutputFolder, Readers};
use discretion::Refusal;
use discretion::erm::Oracle;
use discretion::erm::matrix::Matrix;
use discretion::noise::Provenance;
use discretion::train::not_private;
use discretion::vote::Answer;
use discretion_formats::{LambdaFrom, Model};
use discretion_jobs::request;
use discretion_jobs::vote::{self, Queries};
use discretion_learn::Logistic;
use discretion_report::report;
use discretion_table::{Lambda, PlainRows};
use std::path::{Path, PathBuf};

/// Where a student is written.
pub struct StudentFolder {
    model: PathBuf,
    page: PathBuf,
    /// Removes the folder again if nothing gets written.
    _folder: OutputFolder,
}

impl StudentFolder {
    /// Checks that it can be.
    pub fn prepare(folder: &Path, args: &AnswerArgs) -> Result<StudentFolder, Refusal> {
        let prepared = OutputFolder::prepare(folder)?;
        let seeded = if args.seed.is_some() { "seeded-" } else { "" };
        let [model, page] =
            ["model.json", "report.html"].map(|name| prepared.join(&format!("{seeded}{name}")));
        let advice = "choose another folder with --student, or overwrite it with --force";
        for path in [&model, &page] {
            Existing::new(args.force).check(path, advice)?;
        }
        Ok(StudentFolder { model, page, _folder: prepared })
    }

    /// Trains on the answers and writes model and page.
    pub fn write(
        self,
        study_vote: &StudyVote<'_>,
        answers: &Answers,
        charge: Option<&SessionCharge>,
        queries: &Queries,
        ledger: Option<&Path>,
    ) -> Result<PathBuf, Refusal> {
        let model = train(study_vote, answers, charge, queries)?;
        let private = answers.provenance == Provenance::OperatingSystem;
        let readers = if private { Readers::Anyone } else { Readers::Owner };
        files::write(&self.model, readers, &model.to_json())?;
        files::write(&self.page, readers, &report::html(&model, &self.model, ledger))?;
        Ok(self.model)
    }
}

/// A score as so many rows of each class: a logistic loss on them is that of a label which is 1 with this probability.
fn soft(score: f64) -> Vec<u16> {
    let ones = (score * f64::from(SOFT)).round() as u32;
    (0..SOFT).map(|row| u16::from(row < ones)).collect()
}

/// The rows that a score becomes.
const SOFT: u32 = 20;

fn train(
    study_vote: &StudyVote<'_>,
    answers: &Answers,
    charge: Option<&SessionCharge>,
    queries: &Queries,
) -> Result<Model, Refusal> {
    let schema = &study_vote.study.schema;
    let mut rows = PlainRows::new(schema);
    for (query, answer) in answers.given.iter().enumerate() {
        let classes: Vec<u16> = match answer {
            Some(Answer::Label(label) | Answer::Unsure(label)) => vec![*label as u16],
            Some(Answer::Score(score)) => soft(*score),
            Some(Answer::Unstable) | None => continue,
        };
        for class in classes {
            rows.append(
                queries.rows.numbers(query).to_vec(),
                queries.rows.codes(query).to_vec(),
                vec![class],
            );
        }
    }
    if rows.count() == 0 {
        return Err(Refusal::refused(
            "no query was answered, so there is nothing to train a student on; the answers were written"
                .to_owned(),
        ));
    }
    let encoder = schema.encoder();
    let mut matrix = Matrix::new(encoder.layout());
    matrix.push(encoder.batch(&rows, 1));
    let lambda = match study_vote.study.model.lambda {
        Lambda::Fixed(lambda) => (lambda, LambdaFrom::Study),
        Lambda::Auto | Lambda::Grid(_) => (Logistic::LAMBDA, LambdaFrom::Auto),
    };
    let theta = not_private(&matrix, study_vote.study.model.loss, lambda.0)
        .map_err(|error| request::explain(error.into(), &study_vote.study.places.lambda))?;
    let (protect, entry) = (study_vote.vote.protect, charge.map(|charge| charge.entry.clone()));
    let theta = theta.into_inner();
    Ok(vote::student(study_vote.study, protect, matrix.facts(), lambda, &theta, answers.provenance, entry))
}
