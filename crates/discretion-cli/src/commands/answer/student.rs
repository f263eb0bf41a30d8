//! A model of the answers (Algorithm 5 of the paper). What is made of released answers is released:
//! it costs nothing.

use super::study_vote::StudyVote;
use super::{Answers, SessionCharge};
use crate::args::Answer as AnswerArgs;
use crate::files::{self, Existing, OutputFolder, Readers};
use discretion::erm::Oracle;
use discretion::erm::matrix::Matrix;
use discretion::loss::LossKind;
use discretion::noise::Provenance;
use discretion::train::{TrainError, not_private};
use discretion::{Refusal, Remedy};
use discretion_formats::{LambdaFrom, Model};
use discretion_jobs::request;
use discretion_jobs::vote::{self, Queries, Student};
use discretion_learn::{Logistic, student_rows};
use discretion_report::report;
use discretion_table::Lambda;
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
        let remedies = [Remedy::AnotherStudentFolder, Remedy::Overwrite];
        for path in [&model, &page] {
            Existing::new(args.force).check(path, &remedies)?;
        }
        Ok(StudentFolder { model, page, _folder: prepared })
    }

    /// Trains on the answers and writes model and page, whose paths are returned.
    pub fn write(
        self,
        study_vote: &StudyVote<'_>,
        answers: &Answers,
        charge: Option<&SessionCharge>,
        (queries, rows): (&Queries, usize),
        ledger: Option<&Path>,
    ) -> Result<[PathBuf; 2], Refusal> {
        let model = train(study_vote, answers, charge, (queries, rows))?;
        let private = answers.provenance == Provenance::OperatingSystem;
        let readers = if private { Readers::Anyone } else { Readers::Owner };
        files::write(&self.model, readers, &model.to_json())?;
        files::write(&self.page, readers, &report::html(&model, &self.model, ledger))?;
        Ok([self.model, self.page])
    }
}

fn train(
    study_vote: &StudyVote<'_>,
    answers: &Answers,
    charge: Option<&SessionCharge>,
    (queries, rows): (&Queries, usize),
) -> Result<Model, Refusal> {
    let schema = &study_vote.study.schema;
    let learned = student_rows(schema, &queries.rows, &answers.given);
    if learned.count() == 0 {
        return Err(Refusal::refused(
            "no query was answered, so there is nothing to train a student on; the answers were written"
                .to_owned(),
        ));
    }
    let lambda = match study_vote.study.model.lambda {
        Lambda::Fixed(lambda) => (lambda, LambdaFrom::Study),
        Lambda::Auto | Lambda::Grid(_) => (Logistic::LAMBDA, LambdaFrom::Auto),
    };
    let (encoder, classes) = (schema.encoder(), study_vote.vote.classes.count());
    let explained =
        |error: TrainError| request::explain(error.into(), &study_vote.study.places.lambda);
    let (facts, loss, theta) = if classes == 2 {
        let mut matrix = Matrix::new(encoder.layout());
        matrix.push(encoder.batch(&learned, 1));
        let loss = study_vote.study.model.loss;
        let rows = matrix.all();
        (rows.facts(), loss, not_private(&rows, loss, lambda.0).map_err(explained)?)
    } else {
        // Several classes have one loss.
        let mut matrix = Matrix::new(encoder.layout().of_classes(classes));
        matrix.push_labelled(encoder.batch(&learned, 0), learned.classes());
        let loss = LossKind::Logistic;
        let rows = matrix.all();
        (rows.facts(), loss, not_private(&rows, loss, lambda.0).map_err(explained)?)
    };
    let beside = study_vote.beside(answers.chunks, rows);
    let student = Student { facts, loss, lambda, theta: theta.into_inner(), beside };
    let entry = charge.map(|charge| charge.entry.clone());
    Ok(vote::student(study_vote.study, study_vote.vote, &student, answers.provenance, entry))
}
