//! From a sensitive table and a study file to bounded, encoded rows.
//!
//! - [`Study`] is the study file, read and checked.
//! - [`Schema`] is what is public about a table; [`Encoder`] turns fields into numbers by it,
//!   such that every encoded row has length at most 1 whatever the fields hold.
//! - [`read_matrix`], [`read_batches`] and [`read_columns`] stream `.csv`, `.csv.gz` and `.parquet`
//!   files; [`encode_batches`], [`encode_columns`] and [`encode_numbers`] take what another program
//!   holds in memory.
//! - [`read_rows`] and [`read_queries`] read the same files in the columns' own units
//!   ([`PlainRows`]), for learners that are not linear and for more than two [`Classes`], and
//!   [`read_units`] whole persons where a study names them ([`UnitRows`]); [`QueryReader`] takes
//!   queries one by one.
//! - [`KeptColumns`] are texts of a table as they are, beside what is made of its rows.
//! - [`draft`] writes a study file for a person to complete; [`check_table`] looks at a table for
//!   whoever holds it.
//!
//! A table, and what is public about it:
//!
//! ```
//! use discretion_table::{Study, read_matrix};
//!
//! # let folder = tempfile::tempdir()?;
//! # let folder = folder.path();
//! std::fs::write(folder.join("patients.csv"), "age,ward,readmitted\n71,surgery,yes\n34,cardiology,no\n")?;
//! let study = r#"
//!     [data]
//!     path     = "patients.csv"
//!     account  = "patients"
//!     target   = "readmitted"
//!     positive = "yes"
//!     negative = "no"
//!     [budget]
//!     epsilon = 3.0
//!     [spend]
//!     epsilon = 1.0
//!     [columns]
//!     age  = { min = 18, max = 100 }
//!     ward = { values = ["surgery", "cardiology"] }
//! "#;
//! let study = Study::parse(&folder.join("study.toml"), study)?;
//! let (rows, counts) = read_matrix(&study.data.path, &study.schema, &|_progress| {})?;
//! assert_eq!((rows.rows(), counts.rows), (2, 2));
//! assert_eq!(rows.layout().dimension(), 4); // intercept, age, two wards
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Every [`Error`] says what is wrong, where, and what to do; bugs panic.

mod category;
mod check;
mod choose;
mod cohort;
mod cohort_code;
mod column;
mod counts;
mod curve;
mod date;
mod draft;
mod encode;
mod error;
mod form;
mod groups;
mod identifier;
mod missing_file;
mod na;
mod one_of;
mod outcome;
mod plain;
mod problem;
mod read;
mod reading;
mod reading_problem;
mod schema;
mod settle;
mod study;
mod table_source;
mod text_format;
mod text_index;
mod values;
mod without_values;

/// What this build can read beside text files, by the names of its features.
pub const FEATURES: &[&str] = &[
    #[cfg(feature = "arrow")]
    "arrow",
    #[cfg(feature = "parquet")]
    "parquet",
    #[cfg(feature = "sqlite")]
    "sqlite",
];

pub use check::{CheckedColumn, Found, Frequent, Refused, Spread, TableCheck, check_table};
pub use choose::choose;
pub use cohort::{Accepted, Cohort, CohortProblem, Condition, RowWeight};
pub use column::NumberRange;
pub use counts::{ColumnCounts, Counts, Lost, OutcomeCounts};
pub use curve::{Chosen, Curve, CurveProblem, Knots, MOST_KNOTS, Monotone};
pub use date::{DateFormat, DatePart, Moment};
pub use draft::{DraftRequest, draft, suggested_account};
pub use encode::{CurveRecipe, Effect, Encoder, NumberRecipe, Recipe, UnitCoefficient};
pub use error::{Error, Excerpt, Hint, Location, Names, Place, Problem};
pub use form::{ColumnForm, ColumnKind, Field, FieldPlace, FieldProblem, Form, FormCheck, fields};
pub use groups::Group;
pub use identifier::names_an_identifier;
pub use missing_file::unreadable;
pub use outcome::{OutcomeScale, add_outcomes};
pub use plain::{Classes, PlainRows, UnitRows, rows_by_person};
pub use read::{
    KeptColumns, Limits, OneEach, PersonKey, PersonsWithin, Progress, Purpose, QueryReader,
    RowStorage, RowsWithin, count_persons, person, read_batches, read_batches_of_persons,
    read_columns, read_columns_of_persons, read_columns_once, read_counts, read_labelled,
    read_labelled_of_persons, read_labelled_once, read_matrix, read_persons, read_persons_within,
    read_queries, read_rows, read_stored, read_units, read_within,
};
#[cfg(feature = "arrow")]
pub use read::{
    RowMarks, encode_batches, encode_columns, encode_labelled, encode_marked, encode_numbers,
    is_decoding,
};
pub use reading::Reading;
pub use reading_problem::ReadingProblem;

pub use schema::{Column, Kind, Labels, MOST_CATEGORIES, Scale, Schema, Target};
pub use settle::auto_knots;
pub use study::{
    About, AnswerChoice, ClassWeights, Data, DensitySettings, EvaluateSettings, HolderSettings,
    IntervalSettings, Lambda, LearnerChoice, ModelSettings, NumberLoss, PartySettings, Places,
    Processes, Protect, Release, ReleaseKind, StepChoice, Study, TuneSettings, VoteSettings,
    settings, usual_colluders,
};
pub use table_source::{Table, TableSource};
pub use text_format::{Decimal, Encoding, TextFormat};
