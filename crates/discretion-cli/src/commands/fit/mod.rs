//! `discretion fit`: from a study file to model.json.
//!
//! The order matters. Everything that can be refused is refused before the first row is read, the charge is
//! durable before anything is computed, and the file is written before anything is said about it.

mod charged;
mod summary;

use crate::args::Fit;
use crate::exit::Failure;
use crate::files::{self, Existing, OutputFolder, Readers};
use crate::model::{LambdaFrom, Model};
use crate::progress::{Busy, Reading};
use crate::{out, request};
use discretion::erm::Oracle;
use discretion::erm::matrix::Matrix;
use discretion::noise::Seeded;
use discretion::train::{Training, auto_lambda, not_private};
use discretion_table::{Study, read_matrix};
use std::path::PathBuf;

/// What is made.
#[derive(Clone, Copy)]
enum Kind {
    Private,
    Seeded(u64),
    NotPrivate,
}

/// Fits the model of a study.
pub fn run(args: &Fit) -> Result<(), Failure> {
    let kind = Kind::asked(args);
    let study = Study::read(&args.study)?;
    request::check_budget(&study)?;
    request::check_supported(&study)?;
    let training = Training {
        loss: study.model.loss,
        lambda: request::lambda(&study)?,
        method: study.model.method,
        budget: study.spend,
    };
    use_threads(args.threads)?;
    if args.dry_run {
        return out::print(&charged::dry_run(args, &study, &training)?);
    }
    let folder = OutputFolder::prepare(&output_folder(args))?;
    let path = folder.join(kind.file_name());
    Existing::new(args.force).check(&path, kind.advice())?;

    let (model, account) = match kind {
        Kind::Private => charged::fit(args, &study, &training, &path)?,
        Kind::Seeded(_) | Kind::NotPrivate => {
            let model = train_uncharged(kind, &study, &training, &read(&study)?)?;
            files::write(&path, Readers::Owner, &model.to_json())?;
            (model, String::new())
        }
    };
    if let Some(reason) = &model.warning {
        eprintln!("warning: {}: NOT PRIVATE: {reason}", path.display());
    }
    out::print(&if args.json { model.to_json() } else { summary::of(&model, &path, &account) })
}

impl Kind {
    fn asked(args: &Fit) -> Kind {
        match args.seed {
            _ if args.not_private => Kind::NotPrivate,
            Some(seed) => Kind::Seeded(seed),
            None => Kind::Private,
        }
    }

    /// Three names, so that no file takes another's place.
    fn file_name(self) -> &'static str {
        match self {
            Kind::Private => "model.json",
            Kind::Seeded(_) => "seeded-model.json",
            Kind::NotPrivate => "not-private-model.json",
        }
    }

    fn advice(self) -> &'static str {
        match self {
            Kind::Private => {
                "fitting again would spend the budget again; choose another folder with --out, or say --force if \
                 that is what you want"
            }
            Kind::Seeded(_) | Kind::NotPrivate => {
                "choose another folder with --out, or overwrite it with --force"
            }
        }
    }
}

fn output_folder(args: &Fit) -> PathBuf {
    args.out.clone().unwrap_or_else(|| args.study.with_extension(""))
}

fn use_threads(threads: Option<u16>) -> Result<(), Failure> {
    let Some(threads) = threads else { return Ok(()) };
    rayon::ThreadPoolBuilder::new()
        .num_threads(usize::from(threads))
        .build_global()
        .map_err(|error| Failure::Refused(format!("--threads {threads}: {error}; ask for fewer")))
}

fn read(study: &Study) -> Result<Matrix, Failure> {
    let reading = Reading::of(&study.data.path);
    Ok(read_matrix(&study.data.path, &study.schema, &|progress| reading.update(progress))?)
}

/// What the ledger does not pay for, because it must not be published.
fn train_uncharged(
    kind: Kind,
    study: &Study,
    training: &Training,
    matrix: &Matrix,
) -> Result<Model, Failure> {
    let facts = matrix.facts();
    let lambda_from = LambdaFrom::asked(training.lambda);
    let explain = |error| request::explain(&error, &study.places.lambda);
    let _busy = Busy::new("training");
    let Kind::Seeded(seed) = kind else {
        let lambda = training.lambda.unwrap_or_else(|| auto_lambda(facts, training.loss, training.budget));
        let theta = not_private(matrix, training.loss, lambda).map_err(explain)?;
        return Ok(Model::not_private(facts, training.loss, lambda, lambda_from, theta, &study.schema));
    };
    let plan = training.plan(facts).map_err(explain)?;
    let theta = plan.fit(matrix, &mut Seeded::new(seed)).map_err(explain)?;
    Ok(Model::released(&plan, training.method, lambda_from, &theta, &study.schema, None))
}
