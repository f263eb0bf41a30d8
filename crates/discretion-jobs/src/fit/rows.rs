//! The rows of a fit: in memory, in a file that is read anew at every pass, or held by others.

use super::check_rows;
use crate::stoppable::Stoppable;
use discretion::choose::split;
use discretion::erm::Oracle;
use discretion::erm::matrix::Matrix;
use discretion::erm::remote::Remote;
use discretion::fit::{FitError, Fitted, Plan, Request, Table};
use discretion::interval::parts;
use discretion::noise::Source;
use discretion::train::TrainError;
use discretion::tune::SplitTable;
use discretion_table::RowStorage;
use std::sync::atomic::AtomicBool;

/// Rows as a request needs them.
pub struct FitRows(RowSource);

// One value in a run: what is not used of it costs nothing.
#[allow(clippy::large_enum_variant)]
enum RowSource {
    /// Those that validate, if any do, behind those that train.
    Here { storage: RowStorage, training: Option<usize> },
    /// Of several classes, in the order of their parts (`discretion::interval::parts`).
    Parts(RowStorage),
    /// The tables of a [`Partition`](super::remote::Deal).
    Remote(Vec<Remote>),
}

impl FitRows {
    /// Brings rows into the order that a request needs.
    pub fn new(matrix: Matrix, request: &Request) -> Result<FitRows, FitError> {
        FitRows::of(RowStorage::Memory(matrix), request)
    }

    /// The same for rows that are in memory or in a file, which must have been written for this
    /// request's share of validation.
    pub fn of(storage: RowStorage, request: &Request) -> Result<FitRows, FitError> {
        let rows = storage.count();
        check_rows(rows, request)?;
        if request.needs_parts(storage.has_classes()) {
            return Ok(FitRows(RowSource::Parts(permuted(storage, &parts::shuffled(rows))?)));
        }
        let Some(share) = request.validation() else {
            return Ok(FitRows(RowSource::Here { storage, training: None }));
        };
        let training = rows - split::validation_rows(rows, share);
        let storage = match storage {
            RowStorage::File(file) => {
                assert_eq!(
                    file.training_rows(),
                    training,
                    "the file was written for another share"
                );
                RowStorage::File(file)
            }
            storage => permuted(storage, &split::training_first(rows, share).0)?,
        };
        Ok(FitRows(RowSource::Here { storage, training: Some(training) }))
    }

    /// Rows that others hold, dealt as a request needs them: the tables of
    /// [`Partition::tables`](super::remote::Deal::tables).
    pub fn remote(tables: Vec<Remote>, request: &Request) -> FitRows {
        let expected = if request.validation().is_some() { 3 } else { 1 };
        assert_eq!(tables.len(), expected, "rows are dealt as the request needs them");
        FitRows(RowSource::Remote(tables))
    }

    /// Fixes every public number of the run. Only the number of rows is looked at.
    pub fn plan(&self, request: &Request) -> Result<Plan, FitError> {
        self.with(|table| request.plan(table.facts()))
    }

    /// Runs a plan, which must be paid for if `source` is the operating system.
    pub fn run(&self, plan: &Plan, source: &mut dyn Source) -> Result<Fitted, FitError> {
        self.with(|table| plan.run(table, source))
    }

    /// The same, until somebody stops it.
    pub fn run_until(
        &self,
        stop: &AtomicBool,
        plan: &Plan,
        source: &mut dyn Source,
    ) -> Result<Fitted, FitError> {
        self.with(|table| match table {
            Table::Whole(rows) => plan.run(Table::Whole(&Stoppable { rows, stop }), source),
            Table::Split(SplitTable { training, validation, all }) => {
                let [training, validation, all] =
                    [training, validation, all].map(|rows| Stoppable { rows, stop });
                let table = SplitTable { training: &training, validation: &validation, all: &all };
                plan.run(Table::Split(table), source)
            }
            Table::Parts { all, parts } => {
                let stoppable: Vec<_> =
                    parts.iter().map(|&rows| Stoppable { rows, stop }).collect();
                let parts: Vec<&dyn Oracle> =
                    stoppable.iter().map(|part| part as &dyn Oracle).collect();
                plan.run(Table::Parts { all, parts: &parts }, source)
            }
        })
    }

    /// Calls `work` with all rows.
    pub fn with_all<T>(&self, work: impl FnOnce(&dyn Oracle) -> T) -> T {
        match &self.0 {
            RowSource::Here { storage, .. } | RowSource::Parts(storage) => storage.with_all(work),
            RowSource::Remote(tables) => work(&tables[0]),
        }
    }

    /// Calls `work` with the rows as a table.
    fn with<T>(&self, work: impl FnOnce(Table<'_>) -> T) -> T {
        match &self.0 {
            RowSource::Here { training: None, .. } => self.with_all(|all| work(Table::Whole(all))),
            RowSource::Here { storage, training: Some(training) } => {
                let rows = storage.count();
                storage.with_ranges([0..*training, *training..rows, 0..rows], |parts| {
                    let &[training, validation, all] = parts else {
                        unreachable!("three were asked for")
                    };
                    work(Table::Split(SplitTable { training, validation, all }))
                })
            }
            RowSource::Parts(storage) => storage.with_all(|all| {
                let ranges = parts::ranges(storage.count());
                storage.with_ranges(ranges, |parts| work(Table::Parts { all, parts }))
            }),
            RowSource::Remote(tables) => match &tables[..] {
                [all, training, validation] => {
                    work(Table::Split(SplitTable { training, validation, all }))
                }
                [all, ..] => work(Table::Whole(all)),
                [] => unreachable!("there is a table of all rows"),
            },
        }
    }
}

/// The same rows in this order. Persons have their own, which says nothing about their rows.
fn permuted(storage: RowStorage, order: &[usize]) -> Result<RowStorage, FitError> {
    Ok(match storage {
        RowStorage::Memory(matrix) => RowStorage::Memory(matrix.gather(order)),
        RowStorage::Persons(persons) => RowStorage::Persons(persons),
        RowStorage::Classes(classed) => RowStorage::Classes(classed.gather(order)),
        RowStorage::File(file) => {
            RowStorage::File(file.permuted(order).map_err(TrainError::Oracle)?)
        }
    })
}
