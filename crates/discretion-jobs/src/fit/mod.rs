//! The fit of a table that is in memory, in a file that is read anew at every pass, or held by others.
//!
//! [`Job`] (what is wanted) → [`Rows`] (the table, as the job needs it) → [`Rows::plan`] → the caller charges
//! [`Plan::event`] to an account → [`Rows::run`] →
//! [`Model::released`](crate::model::Model::released).

use crate::stoppable::Stoppable;
use discretion::choose::split;
use discretion::erm::Oracle;
use discretion::erm::matrix::{Matrix, Store, Streamed};
use discretion::erm::remote::Remote;
use discretion::fit::{self, Choosing, FitError, Fitted, Plan, Request, Table, TrainingPlan};
use discretion::noise::Source;
use discretion::privacy::Budget;
use discretion::tune::{Dropped, SplitTable, TuningError};
use discretion_table::{Held, IntervalSettings, Lambda, ModelSettings, Schema, Study, TuneSettings};
use std::sync::atomic::AtomicBool;

/// What is to be fitted. Everything in it is public.
#[derive(Clone, Debug, PartialEq)]
pub struct Job {
    /// What is declared about the table.
    pub schema: Schema,
    /// What the run may use.
    pub spend: Budget,
    /// Loss, λ and method.
    pub model: ModelSettings,
    /// How λ is chosen, if it is a list.
    pub tune: TuneSettings,
    /// Intervals, if asked for.
    pub intervals: Option<IntervalSettings>,
}

impl Job {
    /// What a study asks for.
    pub fn of(study: &Study) -> Job {
        Job {
            schema: study.schema.clone(),
            spend: study.spend,
            model: study.model.clone(),
            tune: study.tune,
            intervals: study.intervals,
        }
    }

    /// The same, as the mathematics knows it.
    pub fn request(&self) -> Request {
        Request {
            loss: self.model.loss,
            lambda: match &self.model.lambda {
                Lambda::Auto => fit::Lambda::Auto,
                &Lambda::Fixed(lambda) => fit::Lambda::Fixed(lambda),
                Lambda::Grid(lambdas) => {
                    let TuneSettings { share, validation, score, rule } = self.tune;
                    fit::Lambda::Chosen(Choosing { lambdas: lambdas.clone(), share, validation, score, rule })
                }
            },
            method: self.model.method,
            budget: self.spend,
            intervals: self.intervals.map(|settings| settings.split),
        }
    }
}

/// Values of λ that the budget cannot pay for, which public numbers tell: a sentence for each.
pub fn left_out(plan: &Plan) -> Vec<String> {
    match plan.training() {
        TrainingPlan::Chosen(tuning) => {
            let sentence = |dropped: &Dropped| format!("left out of the list: {}", dropped.reason);
            tuning.dropped().iter().map(sentence).collect()
        }
        TrainingPlan::Known(_) => Vec::new(),
    }
}

/// Rows as a request needs them.
pub struct Rows(Place);

enum Place {
    /// Those that validate, if any do, behind those that train.
    Here { held: Held, training: Option<usize> },
    /// The tables of a [`Deal`](crate::elsewhere::Deal).
    Elsewhere(Vec<Remote>),
}

impl Rows {
    /// Brings rows into the order that a request needs.
    pub fn new(matrix: Matrix, request: &Request) -> Result<Rows, FitError> {
        Rows::of(Held::Memory(matrix), request)
    }

    /// The same for rows that are in memory or in a file, which must have been written for this request's share of validation.
    pub fn of(held: Held, request: &Request) -> Result<Rows, FitError> {
        let rows = match &held {
            Held::Memory(matrix) => matrix.rows(),
            Held::File(file) => file.rows(),
        };
        check_rows(rows, request)?;
        let Some(share) = request.validation() else {
            return Ok(Rows(Place::Here { held, training: None }));
        };
        let training = rows - split::validation_rows(rows, share);
        let held = match held {
            Held::Memory(matrix) => Held::Memory(matrix.gather(&split::training_first(rows, share).0)),
            Held::File(file) => {
                assert_eq!(file.training_rows(), training, "the file was written for another share");
                Held::File(file)
            }
        };
        Ok(Rows(Place::Here { held, training: Some(training) }))
    }

    /// Rows that others hold, dealt as a request needs them: the tables of [`Deal::tables`](crate::elsewhere::Deal::tables).
    pub fn elsewhere(tables: Vec<Remote>, request: &Request) -> Rows {
        let expected = if request.validation().is_some() { 3 } else { 1 };
        assert_eq!(tables.len(), expected, "rows are dealt as the request needs them");
        Rows(Place::Elsewhere(tables))
    }

    /// Fixes every public number of the run. Only the number of rows is looked at.
    pub fn plan(&self, request: &Request) -> Result<Plan, FitError> {
        self.with(|table| request.plan(table.facts()))
    }

    /// Runs a plan, which must be paid for if `source` is the operating system.
    pub fn run(&self, plan: &Plan, source: &mut impl Source) -> Result<Fitted, FitError> {
        self.with(|table| plan.run(table, source))
    }

    /// The same, until somebody stops it.
    pub fn run_until(
        &self,
        stop: &AtomicBool,
        plan: &Plan,
        source: &mut impl Source,
    ) -> Result<Fitted, FitError> {
        self.with(|table| match table {
            Table::Whole(rows) => plan.run(Table::Whole(&Stoppable { rows, stop }), source),
            Table::Split(SplitTable { training, validation, all }) => {
                let [training, validation, all] =
                    [training, validation, all].map(|rows| Stoppable { rows, stop });
                let table = SplitTable { training: &training, validation: &validation, all: &all };
                plan.run(Table::Split(table), source)
            }
        })
    }

    /// Calls `work` with all rows.
    pub fn with_all<T>(&self, work: impl FnOnce(&dyn Oracle) -> T) -> T {
        match &self.0 {
            Place::Here { held: Held::Memory(matrix), .. } => work(matrix),
            Place::Here { held: Held::File(file), .. } => work(&Streamed::new(file, 0..file.rows())),
            Place::Elsewhere(tables) => work(&tables[0]),
        }
    }

    /// Calls `work` with the rows as a table.
    fn with<T>(&self, work: impl FnOnce(Table<'_>) -> T) -> T {
        let (held, training) = match &self.0 {
            Place::Elsewhere(tables) => {
                return match &tables[..] {
                    [all, training, validation] => {
                        work(Table::Split(SplitTable { training, validation, all }))
                    }
                    [all, ..] => work(Table::Whole(all)),
                    [] => unreachable!("there is a table of all rows"),
                };
            }
            Place::Here { training: None, .. } => return self.with_all(|all| work(Table::Whole(all))),
            Place::Here { held, training: Some(training) } => (held, *training),
        };
        match held {
            Held::Memory(matrix) => {
                let (first, last) = (matrix.view(0..training), matrix.view(training..matrix.rows()));
                work(Table::Split(SplitTable { training: &first, validation: &last, all: matrix }))
            }
            Held::File(file) => {
                let part = |range| Streamed::new(file, range);
                let [first, last, all] = [0..training, training..file.rows(), 0..file.rows()].map(part);
                work(Table::Split(SplitTable { training: &first, validation: &last, all: &all }))
            }
        }
    }
}

/// Refuses a table of which no row would be left to train or to validate.
pub fn check_rows(rows: usize, request: &Request) -> Result<(), FitError> {
    let Some(share) = request.validation() else { return Ok(()) };
    let validation = split::validation_rows(rows, share);
    let training = rows - validation;
    match training == 0 || validation == 0 {
        true => Err(TuningError::TooFewRows { share, training, validation }.into()),
        false => Ok(()),
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use discretion::erm::matrix::Batch;
    use discretion::noise::Seeded;
    use std::path::Path;
    use std::sync::atomic::AtomicBool;

    pub(crate) fn job(lambda: &str, more: &str) -> Job {
        let text = format!(
            "[data]\npath = \"t.csv\"\naccount = \"a\"\ntarget = \"y\"\npositive = \"1\"\n[budget]\nepsilon = 9\n[spend]\nepsilon = 9\n\
             [columns]\nx = {{ min = -1, max = 1 }}\n[model]\nlambda = {lambda}\n{more}"
        );
        Job::of(&Study::parse(Path::new("study.toml"), &text).unwrap())
    }

    fn matrix(job: &Job) -> Matrix {
        let mut matrix = Matrix::new(job.schema.encoder().layout());
        let numeric: Vec<f32> = (0..4000).map(|row| (row % 17) as f32 / 30.0 - 0.3).collect();
        let positive = numeric.iter().map(|&x| x > 0.0).collect();
        matrix.push(Batch { numeric, codes: Vec::new(), positive });
        matrix
    }

    #[test]
    fn a_run_that_may_be_stopped_is_the_same_run_until_it_is() {
        for lambda in ["0.01", "[0.01, 0.1]"] {
            let job = job(lambda, "");
            let request = job.request();
            let rows = Rows::new(matrix(&job), &request).unwrap();
            let plan = rows.plan(&request).unwrap();
            let run = |stop: bool| rows.run_until(&AtomicBool::new(stop), &plan, &mut Seeded::new(1));
            let plain = rows.run(&plan, &mut Seeded::new(1)).unwrap();
            assert_eq!(*run(false).unwrap().coefficients, *plain.coefficients, "lambda = {lambda}");
            let Err(stopped) = run(true) else { panic!("it was stopped before its first pass") };
            assert!(stopped.to_string().contains("the run was stopped"), "{stopped}");
        }
    }
}
