//! What can be wrong with how files and fields are to be read. Apart from
//! [`Problem`](crate::Problem) only because that is long.

use crate::date::Moment;
use crate::error::Excerpt;

/// What is wrong, and what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs)] // each variant's sentence is its documentation
pub enum ReadingProblem {
    // Several files that are one table.
    #[error("this file is named twice, and everybody in it would be counted twice; name it once")]
    FileTwice,
    #[error(
        "no file in this folder is a table (.csv, .tsv, also with .gz behind it, .parquet, .arrow or .feather); name another one"
    )]
    NoTables,
    #[error("no file has a name like this; `*` stands for any letters, and `?` for one")]
    NoMatch,
    #[error(
        "the header differs from that of {first}: {how}; files that are one table have the same columns in the same order"
    )]
    OtherHeader { first: String, how: String },

    // Columns.
    #[error(
        "column `{column}` is one of several indicators, and `{text}` is neither 0 nor 1; declare it as a column of its own",
        column = Excerpt::of(.column)
    )]
    NotAnIndicator { column: String, text: Excerpt },
    #[error(
        "column `{column}` is one of a single indicator; list all columns of which one is 1, such as one_of = [\"red\", \"blue\"]",
        column = Excerpt::of(.column)
    )]
    OneIndicator { column: String },
    #[error(
        "column `{column}` has `one_of`, and `values` or `groups`; its values are the indicators, so remove the others",
        column = Excerpt::of(.column)
    )]
    OneOfValues { column: String },
    #[error(
        "column `{column}` has `integer = true`, and a bound or `missing` that is not whole; give whole numbers, or remove it",
        column = Excerpt::of(.column)
    )]
    NotWholeBounds { column: String },
    #[error(
        "column `{column}` has min = {min}, which is not before max = {max}; give the range that the data dictionary states",
        column = Excerpt::of(.column)
    )]
    EmptyDates { column: String, min: Moment, max: Moment },
    #[error(
        "column `{column}` has missing = {missing}, which is outside its range {min} to {max}",
        column = Excerpt::of(.column)
    )]
    MissingOutsideDates { column: String, missing: Moment, min: Moment, max: Moment },
    #[error("column `{column}`: {reason}", column = Excerpt::of(.column))]
    BadDate { column: String, reason: String },
    #[error(
        "column `{column}` wants the years of its dates as categories, and has no `min` and `max` to say which; add them",
        column = Excerpt::of(.column)
    )]
    YearsWithoutRange { column: String },
    #[error(
        "column `{column}` has a label for \"{value}\", which is none of its values; list it in `values`, or remove the label",
        column = Excerpt::of(.column),
        value = Excerpt::of(.value)
    )]
    LabelOfNothing { column: String, value: String },
    #[error(
        "column `{column}` has two values that would be called \"{label}\"; give each its own label",
        column = Excerpt::of(.column)
    )]
    LabelTwice { column: String, label: Excerpt },
    #[error(
        "column `{column}` has a group \"{group}\", which is none of its values; a group's name is a value of the column",
        column = Excerpt::of(.column),
        group = Excerpt::of(.group)
    )]
    GroupOfNothing { column: String, group: String },
    #[error(
        "column `{column}` has a group \"{group}\" without codes; list the codes that belong to it, or remove it",
        column = Excerpt::of(.column),
        group = Excerpt::of(.group)
    )]
    EmptyGroup { column: String, group: String },
    #[error(
        "column `{column}` has {count} codes in its groups, with its values more than {most}; use ranges or beginnings",
        column = Excerpt::of(.column)
    )]
    TooManyCodes { column: String, count: usize, most: usize },
    #[error(
        "column `{column}` has the code \"{code}\" in two groups; list it once",
        column = Excerpt::of(.column),
        code = Excerpt::of(.code)
    )]
    CodeTwice { column: String, code: String },
    #[error(
        "\"{text}\" is no range of codes; write a code, a range such as \"390..459\" or \"A00..B99\", or a beginning such as \"250*\"",
        text = Excerpt::of(.text)
    )]
    BadRange { text: String },

    #[error(
        "column `{column}` is to be a part of a date, and is none; declare its categories, its date and its part",
        column = Excerpt::of(.column)
    )]
    NoPart { column: String },

    // Rows.
    #[error(
        "column `{column}` must be a date ({format}), not \"{text}\"; declare how dates are written, or leave the field empty",
        column = Excerpt::of(.column),
        format = Excerpt::of(.format)
    )]
    NotADate { column: String, format: String, text: Excerpt },

    // Data dictionaries.
    #[error(
        "no column of this data dictionary says which column it is about; call it `name`, and others `type`, `min`, `max`, `values`, `missing`, `label`, `drop`"
    )]
    NoDictionary,
    #[error("a data dictionary is a .csv or .tsv file; write it as one")]
    NoTextDictionary,
    #[error(
        "the data dictionary describes column `{column}` twice; remove one of the two",
        column = Excerpt::of(.column)
    )]
    DescribedTwice { column: String },
    #[error(
        "the data dictionary gives column `{column}` the bound \"{bound}\", which is none for its type; correct it there",
        column = Excerpt::of(.column),
        bound = Excerpt::of(.bound)
    )]
    BadBound { column: String, bound: String },

    // Files of other programs.
    #[error("the Arrow file is truncated, damaged or not Arrow ({0}); write it again")]
    ArrowFile(String),
    #[error(
        "the Arrow file needs more than {megabytes} MB at a time, too much for a file of its size; write it again in smaller batches"
    )]
    ArrowMemory { megabytes: u64 },
    #[error(
        "this is a Feather file of version 1, which few programs read; write it again, or as Parquet"
    )]
    OldFeather,
    #[error("this is an Arrow stream and no file; write it again as a file, or as Parquet")]
    ArrowStream,
    #[error("the database cannot be asked: {0}")]
    Sqlite(String),
    #[error(
        "the query gives more than {most} rows, and a table of this size does not have so many; add a condition, or a `limit`"
    )]
    EndlessQuery { most: u64 },
    #[error(
        "the query has worked for very long and is not done; ask for less, or export the table to .csv"
    )]
    LongQuery,
    #[error(
        "the query needs more than {megabytes} MB of memory; sort and group less in it, or export the table to .csv"
    )]
    LargeQuery { megabytes: usize },
    #[error(
        "a table in a database needs a `query` beside its `path` in [data], such as \"select age, ward from stays\""
    )]
    NoQuery,
    #[error("`query` must be one `select` that finds rows; nothing else is done to a database")]
    NotAQuery,
    #[error("`query` is for SQLite files (.sqlite, .sqlite3, .db), and this is none; remove it")]
    QueryOfAFile,
    #[error(
        "this program was built without SQLite; build it with `--features sqlite`, or export the query to .csv"
    )]
    NoSqlite,

    // How text files are written.
    #[error(
        "fields cannot be separated by {delimiter:?}; `delimiter` is one character such as \";\", \"|\" or \"\\t\" for a tab"
    )]
    BadDelimiter { delimiter: char },
    #[error(
        "`decimal` and the delimiter are both a comma; declare what separates the fields, such as `delimiter = \";\"`"
    )]
    CommaTwice,
    #[error(
        "the header is one field with {found} in it, and fields are to be separated by {delimiter}; declare \
         `format = {{ delimiter = {sign} }}` in [data]"
    )]
    OtherDelimiter {
        delimiter: &'static str,
        found: &'static str,
        sign: &'static str,
        flag: &'static str,
    },
    #[error(
        "this is UTF-16 text; declare `format = {{ encoding = \"utf-16\" }}` in [data], or save the table as UTF-8"
    )]
    Utf16,
    #[error(
        "this is not UTF-16 text, as `encoding` says it is; remove `encoding`, or declare the right one"
    )]
    NotUtf16,
    #[error("this is UTF-8 text, and `encoding` says that it is Latin-1; remove `encoding`")]
    NotLatin1,
}

impl ReadingProblem {
    /// The same sentence without anything that a row holds.
    pub(crate) fn without_values(&self) -> String {
        match self {
            ReadingProblem::NotADate { column, format, .. } => {
                let column = Excerpt::of(column);
                format!(
                    "column `{column}` must be a date ({format}), and some row has something else; declare how dates are written"
                )
            }
            ReadingProblem::NotAnIndicator { column, .. } => format!(
                "column `{column}` is one of several indicators, and some row has neither 0 nor 1; declare it as a column of its own"
            ),
            // What others say about data may quote them.
            ReadingProblem::ArrowFile(_) | ReadingProblem::Sqlite(_) => {
                "the table cannot be read; write it again".to_owned()
            }
            _ => self.to_string(),
        }
    }
}

/// A character in a message.
pub(crate) fn spelled(delimiter: u8) -> &'static str {
    match delimiter {
        b',' => "commas",
        b';' => "semicolons",
        b'\t' => "tabs",
        b'|' => "vertical bars",
        _ => "the declared delimiter",
    }
}
