//! The rows of a fit: in memory, in a file that is read anew at every pass, or held by others.

use super::check_rows;
use crate::stoppable::Stoppable;
use discretion::choose::split;
use discretion::erm::Oracle;
use discretion::erm::matrix::Rows;
use discretion::erm::remote::Cluster;
use discretion::fit::{FitError, Fitted, Plan, Request, Table};
use discretion::interval::parts;
use discretion::noise::Source;
use discretion::train::TrainError;
use discretion::tune::SplitTable;
use discretion_table::RowStorage;
use std::sync::atomic::AtomicBool;

/// Rows as a request needs them.
pub struct FitRows(RowSource);

enum RowSource {
    /// Those that validate, if any do, behind those that train.
    Here { rows: Rows<'static>, training: Option<usize> },
    /// Of several classes, in the order of their parts (`discretion::interval::parts`).
    Parts(Rows<'static>),
    /// The tables of a [`Partition`](super::remote::Partition).
    Cluster(Vec<Cluster>),
}

impl FitRows {
    /// Brings rows into the order that a request needs. Rows whose validating ones were put behind
    /// the others while they were read must have been read for this request's share of them.
    pub fn new(storage: impl Into<RowStorage>, request: &Request) -> Result<FitRows, FitError> {
        let storage = storage.into();
        let units = storage.rows.units();
        check_rows(units, request)?;
        if request.needs_parts(storage.rows.layout().classes().is_some()) {
            return Ok(FitRows(RowSource::Parts(permuted(storage, &parts::shuffled(units))?)));
        }
        let Some(share) = request.validation() else {
            return Ok(FitRows(RowSource::Here { rows: storage.rows, training: None }));
        };
        let training = units - split::validation_rows(units, share);
        let rows = match storage.training {
            Some(read) => {
                assert_eq!(read, training, "the rows were read for another share");
                storage.rows
            }
            None => permuted(storage, &split::training_first(units, share).0)?,
        };
        Ok(FitRows(RowSource::Here { rows, training: Some(training) }))
    }

    /// Rows that others hold, dealt as a request needs them: the tables of
    /// [`Partition::tables`](super::remote::Partition::tables).
    pub fn remote(tables: Vec<Cluster>, request: &Request) -> FitRows {
        let expected = if request.validation().is_some() { 3 } else { 1 };
        assert_eq!(tables.len(), expected, "rows are dealt as the request needs them");
        FitRows(RowSource::Cluster(tables))
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

    /// Returns all rows.
    pub fn all(&self) -> &dyn Oracle {
        match &self.0 {
            RowSource::Here { rows, .. } | RowSource::Parts(rows) => rows,
            RowSource::Cluster(tables) => &tables[0],
        }
    }

    /// Calls `work` with the rows as a table.
    fn with<T>(&self, work: impl FnOnce(Table<'_>) -> T) -> T {
        match &self.0 {
            RowSource::Here { training: None, .. } => work(Table::Whole(self.all())),
            RowSource::Here { rows, training: Some(training) } => {
                let [training, validation] =
                    [0..*training, *training..rows.units()].map(|range| rows.view(range));
                let (training, validation) = (&training, &validation);
                work(Table::Split(SplitTable { training, validation, all: rows }))
            }
            RowSource::Parts(rows) => {
                let parts: Vec<Rows<'_>> =
                    parts::ranges(rows.units()).map(|range| rows.view(range)).collect();
                let parts: Vec<&dyn Oracle> =
                    parts.iter().map(|part| part as &dyn Oracle).collect();
                work(Table::Parts { all: rows, parts: &parts })
            }
            RowSource::Cluster(tables) => match &tables[..] {
                [all, training, validation] => {
                    work(Table::Split(SplitTable { training, validation, all }))
                }
                [all, ..] => work(Table::Whole(all)),
                [] => unreachable!("there is a table of all rows"),
            },
        }
    }
}

fn permuted(storage: RowStorage, order: &[usize]) -> Result<Rows<'static>, FitError> {
    Ok(storage.rows.permuted(order).map_err(TrainError::Oracle)?)
}
