//! A table looked at as its study declares it, for whoever holds the rows: what `discretion check`
//! tells. Nothing here is private.
//!
//! A run stops at the first value that it cannot read. This counts all of them, in one pass and in
//! as much memory for a long table as for a short one.

mod frequent;
mod one_of;
mod spread;
#[cfg(test)]
mod tests;
mod watch;

pub use frequent::Frequent;
pub use spread::Spread;

use crate::cohort_code::WeightCode;
use crate::counts::{Lost, OutcomeCounts};
use crate::error::Error;
use crate::problem::Problem;
use crate::read::sample::{self, StoredType};
use crate::read::{Labeller, Progress, Purpose, Request, header, read_counts};
use crate::schema::{Schema, trimmed};
use crate::table_source::Table;
use one_of::OneOfRows;
use spread::{Sample, hash};
use std::collections::{BTreeMap, VecDeque};
use watch::Watch;

/// What was found in a table. For whoever holds it, and for nobody else.
pub struct TableCheck {
    /// All rows.
    pub rows: u64,
    /// Those that count, if some do not; nothing if they could not all be read.
    pub cohort: Option<u64>,
    /// Every column of the file, in its order, and then the categories that several of them are.
    pub columns: Vec<CheckedColumn>,
    /// How whole rows repeat.
    pub whole_rows: Spread,
}

/// What was found in a column.
pub struct CheckedColumn {
    /// Its name.
    pub name: String,
    /// What it is declared as, and what is lost of it.
    pub found: Found,
    /// How its values repeat.
    pub spread: Spread,
    /// The most frequent values that are not declared, or clipped, or cannot be read.
    pub unusual: Vec<Frequent>,
    /// Values at which a run stops.
    pub refused: Option<Refused>,
}

/// What a column is declared as, with its counts.
pub enum Found {
    /// The outcome.
    Outcome(OutcomeCounts),
    /// A column that is learned from.
    Used(Lost),
    /// The column that says whose a row is.
    Person,
    /// The column that says how much a row counts.
    Weight(Lost),
    /// One of several columns that are this category.
    Indicator(String),
    /// A column that is not.
    Dropped,
}

/// Values at which a run stops.
pub struct Refused {
    /// How many.
    pub count: u64,
    /// The row of the first, counted from 1.
    pub row: u64,
    /// What is said about it.
    pub problem: Problem,
}

/// Rows that are kept track of to tell whether some are the same.
const ROWS_KEPT: usize = 1 << 17;

/// Looks at the whole table. `progress` is called from the calling thread.
pub fn check_table(
    table: &(impl Table + ?Sized),
    schema: &Schema,
    progress: &dyn Fn(Progress),
) -> Result<TableCheck, Error> {
    // A number that is an outcome is looked at like other numbers.
    let (encoder, purpose) = match schema.outcome_scale() {
        Some(_) => (schema.encoder_with_outcome(), Purpose::Describe),
        None => (schema.encoder(), Purpose::Train),
    };
    let encoder = encoder.of_persons(schema);
    let files = table.files()?;
    let request = Request::of(schema, &encoder, purpose, progress).asking(table);
    let request = request.at(&files[0]);
    let stored = sample::columns(request.file())?;
    let names: Vec<String> = stored.iter().map(|column| column.name.clone()).collect();
    let roles = header::roles(&names, &request).map_err(|problem| request.error(problem))?;
    let cohort = schema.cohort();
    let labeller = Labeller::of(schema.target()).leaving_out_missing(cohort.known_outcome);
    let weight = cohort.weight.as_ref().and_then(WeightCode::new);
    let watch = |(role, column): (&header::Role, &sample::SampleColumn)| {
        let watch = Watch::new(*role, &column.stored, &encoder, &labeller);
        match weight.as_ref().filter(|weight| weight.column == column.name) {
            Some(weight) => watch.of_weight(weight),
            None => watch,
        }
    };
    let mut watches: Vec<Watch<'_>> = roles.iter().zip(&stored).map(watch).collect();
    let mut one_of: BTreeMap<usize, OneOfRows<'_>> =
        encoder.one_of.iter().map(|&j| (j, OneOfRows::new(&encoder.categories[j]))).collect();
    let usable = |stored: &StoredType| !matches!(stored, StoredType::Unusable);
    let mut whole = WholeRows::new(stored.iter().map(|column| usable(&column.stored)).collect());
    request.each_file(&files, |request| {
        let decimal = request.file().decimal();
        sample::visit(request.file(), u64::MAX, request.progress, &mut |column, text| {
            let hash = hash(text);
            let row = whole.see(column, hash);
            if let header::Role::Indicator(category, place) = roles[column] {
                one_of.get_mut(&category).expect("made of all").see(row, place, trimmed(text));
            }
            watches[column].see(row, text, decimal, hash);
        })
    })?;
    let rows = whole.rows();
    if rows == 0 {
        return Err(request.error(Problem::NoRows));
    }
    let columns = names.into_iter().zip(watches);
    let columns = columns.map(|(name, watch)| watch.checked(name, schema.target()));
    // Another look: whether a row counts is told by several of its values together.
    let leaves_out = schema.cohort_in_words().is_some();
    let counting = leaves_out.then(|| read_counts(table, schema, progress));
    Ok(TableCheck {
        rows,
        cohort: counting.and_then(Result::ok).map(|counts| counts.rows - counts.left_out),
        columns: columns.chain(one_of.into_values().map(OneOfRows::checked)).collect(),
        whole_rows: whole.finished.spread(),
    })
}

/// Puts the hashes of whole rows together, whether their values come row by row (CSV) or a column
/// of some rows at a time (Parquet).
struct WholeRows {
    /// How many values of each column were seen; nothing of a column that is not shown.
    seen: Vec<Option<u64>>,
    /// Sums for the rows of which some columns are still to come.
    begun: VecDeque<u64>,
    /// The row that the first of them belongs to.
    first: u64,
    finished: Sample,
}

impl WholeRows {
    fn new(shown: Vec<bool>) -> WholeRows {
        WholeRows {
            seen: shown.into_iter().map(|shown| shown.then_some(0)).collect(),
            begun: VecDeque::new(),
            first: 0,
            finished: Sample::new(ROWS_KEPT),
        }
    }

    /// Takes the next value of a column. Returns its row, counted from 1.
    fn see(&mut self, column: usize, hash: u64) -> u64 {
        let seen = self.seen[column].as_mut().expect("only usable columns are shown");
        let place = (*seen - self.first) as usize;
        *seen += 1;
        let row = *seen;
        if place == self.begun.len() {
            self.begun.push_back(0);
        }
        // Another factor for each column, so that values in exchanged places make another row.
        self.begun[place] =
            self.begun[place].wrapping_add(hash.wrapping_mul(2 * column as u64 + 1));
        let complete = self.rows();
        while self.first < complete {
            let whole = self.begun.pop_front().expect("a row that is complete was begun");
            self.finished.see(spread::mixed(whole));
            self.first += 1;
        }
        row
    }

    /// How many rows are complete.
    fn rows(&self) -> u64 {
        self.seen.iter().flatten().copied().min().unwrap_or(0)
    }
}
