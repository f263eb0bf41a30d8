//! The rows of a fit: in memory, in a file that is read anew at every pass, or held by others.

use super::check_rows;
use super::row_split::RowSplit;
use crate::stoppable::Stoppable;
use discretion::erm::Oracle;
use discretion::erm::matrix::{KeptKnots, Matrix, Rows};
use discretion::erm::remote::Cluster;
use discretion::fit::{FitError, Fitted, Plan, Request, Table};
use discretion::noise::Source;
use discretion::train::TrainError;
use discretion::tune::SplitTable;
use discretion_table::RowStorage;
use std::ops::Range;
use std::sync::atomic::AtomicBool;

/// One table of rows, or of persons with all of theirs, here or elsewhere.
#[allow(clippy::large_enum_variant)] // A run has a few of them.
pub enum AnyRows {
    /// In memory or in a file.
    Here(Rows<'static>),
    /// With the workers of a cluster: sums come from there.
    Cluster(Box<Cluster>),
}

impl AnyRows {
    /// Returns all of them.
    pub fn all(&self) -> &dyn Oracle {
        match self {
            AnyRows::Here(rows) => rows,
            AnyRows::Cluster(rows) => &**rows,
        }
    }

    /// Returns these rows by fewer knots.
    pub fn keeping_knots(&self, kept: &KeptKnots) -> AnyRows {
        match self {
            AnyRows::Here(rows) => AnyRows::Here(rows.keeping_knots(kept)),
            AnyRows::Cluster(rows) => rows.keeping_knots(kept).into(),
        }
    }

    /// Returns the number of rows, or of persons.
    pub fn count(&self) -> usize {
        self.all().facts().rows
    }
}

impl From<Rows<'static>> for AnyRows {
    fn from(rows: Rows<'static>) -> AnyRows {
        AnyRows::Here(rows)
    }
}

impl From<Cluster> for AnyRows {
    fn from(rows: Cluster) -> AnyRows {
        AnyRows::Cluster(Box::new(rows))
    }
}

impl From<Matrix> for AnyRows {
    fn from(rows: Matrix) -> AnyRows {
        AnyRows::Here(rows.into())
    }
}

/// Rows as a request needs them: all of them, and the parts that it wants beside, if it wants any.
pub struct FitRows(RowSource);

#[allow(clippy::large_enum_variant)] // A run has one.
enum RowSource {
    /// The parts are ranges of the rows: those that train and those that validate, or those of
    /// intervals without matrices.
    Here {
        rows: Rows<'static>,
        parts: Vec<Range<usize>>,
    },
    Cluster {
        all: Box<Cluster>,
        parts: Vec<Cluster>,
    },
}

impl FitRows {
    /// Brings rows into the order that a request needs. Rows whose validating ones were put behind
    /// the others while they were read must have been read for this request's share of them.
    pub fn new(storage: impl Into<RowStorage>, request: &Request) -> Result<FitRows, FitError> {
        let RowStorage { mut rows, training } = storage.into();
        let units = rows.units();
        check_rows(units, request)?;
        let split = RowSplit::of(request, rows.layout().classes().is_some());
        let parts = split.parts(units);
        match (training, split.order(units)) {
            (Some(read), _) => {
                assert_eq!(read, parts[0].end, "the rows were read for another share");
            }
            (None, Some(order)) => rows = rows.permuted(&order).map_err(TrainError::Oracle)?,
            (None, None) => {}
        }
        Ok(FitRows(RowSource::Here { rows, parts }))
    }

    /// Rows that others hold: the tables of [`RowSplit::tables`] that are not held out.
    pub fn remote(mut tables: Vec<Cluster>) -> FitRows {
        let parts = tables.split_off(1);
        let all = tables.pop().expect("there is a table of all rows").into();
        FitRows(RowSource::Cluster { all, parts })
    }

    /// Returns these rows by fewer knots.
    pub fn keeping_knots(&self, kept: &KeptKnots) -> FitRows {
        FitRows(match &self.0 {
            RowSource::Here { rows, parts } => {
                RowSource::Here { rows: rows.keeping_knots(kept), parts: parts.clone() }
            }
            RowSource::Cluster { all, parts } => RowSource::Cluster {
                all: all.keeping_knots(kept).into(),
                parts: parts.iter().map(|part| part.keeping_knots(kept)).collect(),
            },
        })
    }

    /// Fixes every public number of the run. Only the number of rows is looked at.
    pub fn plan(&self, request: &Request) -> Result<Plan, FitError> {
        self.with(&GOES_ON, |table| request.plan(table.facts()))
    }

    /// Runs a plan, which must be paid for if `source` is the operating system.
    pub fn run(&self, plan: &Plan, source: &mut dyn Source) -> Result<Fitted, FitError> {
        self.run_until(&GOES_ON, plan, source)
    }

    /// Runs a plan until somebody stops it.
    pub fn run_until(
        &self,
        stop: &AtomicBool,
        plan: &Plan,
        source: &mut dyn Source,
    ) -> Result<Fitted, FitError> {
        self.with(stop, |table| plan.run(table, source))
    }

    /// Returns all rows.
    pub fn all(&self) -> &dyn Oracle {
        match &self.0 {
            RowSource::Here { rows, .. } => rows,
            RowSource::Cluster { all, .. } => &**all,
        }
    }

    /// Calls `work` with the rows as a table, which fails once `stop` is set.
    fn with<T>(&self, stop: &AtomicBool, work: impl FnOnce(Table<'_>) -> T) -> T {
        let views: Vec<Rows<'_>>;
        let parts: Vec<&dyn Oracle> = match &self.0 {
            RowSource::Here { rows, parts } => {
                views = parts.iter().map(|range| rows.view(range.clone())).collect();
                views.iter().map(|part| part as &dyn Oracle).collect()
            }
            RowSource::Cluster { parts, .. } => {
                parts.iter().map(|part| part as &dyn Oracle).collect()
            }
        };
        let all = &Stoppable { rows: self.all(), stop };
        let parts: Vec<Stoppable<'_>> =
            parts.into_iter().map(|rows| Stoppable { rows, stop }).collect();
        match &parts[..] {
            [] => work(Table::Whole(all)),
            [training, validation] => work(Table::Split(SplitTable { training, validation, all })),
            parts => {
                let parts: Vec<&dyn Oracle> =
                    parts.iter().map(|part| part as &dyn Oracle).collect();
                work(Table::Parts { all, parts: &parts })
            }
        }
    }
}

/// Nobody stops a run that has no way to be told.
static GOES_ON: AtomicBool = AtomicBool::new(false);
