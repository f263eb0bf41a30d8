//! Everything that can be wrong with a study file or a table, as whole sentences that say
//! what to do. The place is added by [`Error`](crate::Error).

use crate::error::{Excerpt, Hint, Names};
use crate::reading_problem::ReadingProblem;
use crate::study::settings::Range;
use discretion::loss::HalfWidth;
use discretion::privacy::BudgetError;
use discretion::vote::NoBins;

/// What is wrong. Every variant is something a person can repair; bugs panic.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs)] // each variant's sentence is its documentation
pub enum Problem {
    // Files.
    #[error("there is no such file in {folder}{hint}")]
    NoSuchFile { folder: String, hint: Hint },
    #[error("there is no such file: nor is there a folder {0}")]
    NoSuchFolder(String),
    #[error("this is a directory; a file is needed here")]
    IsDirectory,
    #[error("the file cannot be read: {0}")]
    Unreadable(String),
    #[error("rows that do not fit into the memory allowed cannot be kept in this folder: {0}")]
    NoRoom(String),
    #[error(
        "tables are read from files whose name ends in .csv, .tsv (also with .gz behind it), .parquet, .arrow, .feather or .sqlite; rename \
         or convert this one"
    )]
    UnknownFormat,

    // The study file.
    #[error(
        "this is a table, and a study file is needed here; draft one with `discretion schema {table}`"
    )]
    TableForStudy { table: String },
    #[error("this is not UTF-8 text; save the study file as UTF-8")]
    NotText,
    #[error(
        "this file has more than {most} MB, and no study file has; name the study file, which is TOML"
    )]
    LongStudy { most: usize },
    #[error("a setting is given as table.key=value, such as intervals.level=0.9")]
    NoAssignment,
    #[error("this is not valid TOML: {0}")]
    Toml(String),
    #[error("unknown table [{table}]{hint}", table = Excerpt::of(.table))]
    UnknownTable { table: String, hint: Hint },
    #[error("unknown key `{key}` in {section}{hint}", key = Excerpt::of(.key))]
    UnknownKey { key: String, section: String, hint: Hint },
    #[error("the table [{0}] is missing; add it")]
    MissingTable(&'static str),
    #[error("nothing says what this run may spend; add [spend] with `epsilon = 1.0`")]
    NoSpend,
    #[error(
        "this study has several releases; `discretion release` makes them, and `discretion plan` says what to expect"
    )]
    SeveralReleases,
    #[error("two releases are called `{name}`; give one of them another `name`")]
    ReleaseTwice { name: String },
    #[error(
        "`{name}` cannot be a file's name; a release is called by 1 to 40 small letters, digits, - and _, and not index or report",
        name = Excerpt::of(.name)
    )]
    ReleaseName { name: String },
    #[error(
        "the shares of all releases add up to {given}, which leaves nothing for the others, or is more than 1; make them smaller"
    )]
    ReleaseShares { given: f64 },
    #[error("the key `{key}` is missing in {section}; add `{key} = {example}`")]
    MissingKey { key: &'static str, section: String, example: &'static str },
    #[error("`{key}` in {section} must be {expected}, not {found}", key = Excerpt::of(.key))]
    WrongType { key: String, section: String, expected: &'static str, found: &'static str },
    #[error(
        "`{key}` in {section} cannot be \"{found}\"; it is one of {allowed}{hint}",
        found = Excerpt::of(.found)
    )]
    UnknownChoice { key: &'static str, section: String, found: String, allowed: String, hint: Hint },
    #[error("`{key}` in {section} must not be empty")]
    EmptyText { key: &'static str, section: String },
    #[error("{0}")]
    Budget(BudgetError),
    #[error("`lambda` is an empty list; give at least one number, or \"auto\"")]
    NoLambda,
    #[error("`lambda` lists {0} twice; list every candidate once")]
    RepeatedLambda(f64),
    #[error("`smoothing` rounds the corner of a hinge, and the outcome is a number; remove it")]
    NumberIsNotSmoothed,
    #[error("`smoothing` rounds the corner of a hinge; remove it, or write loss = \"hinge\"")]
    NothingToSmooth,
    #[error("`smoothing` is {allowed}, not {0}", allowed = HalfWidth::ALLOWED)]
    BadSmoothing(f64),
    #[error(
        "`columns` in [intervals] is an empty list; name the columns that need intervals, or remove it"
    )]
    NoIntervalColumns,
    #[error("{0}")]
    Split(Box<discretion::interval::IntervalError>),
    #[error("[party.holders] has {0} holders; 2 to 254 can train together")]
    HolderCount(usize),
    #[error("the name of a holder has 1 to 60 characters and no line breaks")]
    HolderName,
    #[error("there is no holder \"{name}\" in [party.holders]{hint}", name = Excerpt::of(.name))]
    NoSuchHolder { name: String, hint: Hint },
    #[error("`aggregators` lists \"{text}\" twice; list every one once", text = Excerpt::of(.0))]
    RepeatedAggregator(String),
    #[error(
        "`aggregators` lists {0} holders; it takes two at least, because one alone would see every contribution"
    )]
    FewAggregators(usize),
    #[error(
        "`colluders` is {colluders} of {aggregators} aggregators; one at least must keep its noise to itself"
    )]
    Colluders { colluders: usize, aggregators: usize },
    #[error(
        "[tune] says how `lambda` is chosen from a list, and `lambda` is no list; write one in [model], or remove [tune]"
    )]
    NothingToTune,
    #[error("`{key}` must {range}, not {value}")]
    OutOfRange { key: &'static str, range: Range, value: f64 },
    #[error(
        "`gamma` is the width of the bins of scores, and classes are asked for; write `scores = true`, or remove it"
    )]
    GammaWithoutScores,
    #[error(
        "`threshold` is the score from which on the second class is named, and classes are asked for; write \
         `scores = true`, or remove it"
    )]
    ThresholdWithoutScores,
    #[error(
        "`unstable` is for `answer = \"sure\"`; with `answer = \"all\"` every query is answered and none is unstable: \
         remove it"
    )]
    UnstableOfAll,
    #[error(
        "`confidence` tells clear winners apart where every query is answered with a label: it goes with \
         `answer = \"all\"` and not with `scores`"
    )]
    ConfidenceOfWhat,
    #[error("`lambda` in [vote] is for `learner = \"logistic\"`; remove it")]
    LambdaOfWhat,
    #[error("scores are for two classes; list two in `classes`, or remove `scores`")]
    ScoresOfManyClasses,
    #[error(transparent)]
    BadGamma(NoBins),
    #[error(
        "[data] needs either `positive` (the target values that count as positive) or `classes`"
    )]
    NoLabels,
    #[error(
        "[data] says which values are positive and not which are negative; write `negative = \"…\"`, a value or a list of \
         values, or `negative = \"any other\"` if every value counts as negative that is not positive and not empty"
    )]
    NoNegative,
    #[error("[data] has both `positive` and `classes`; keep one of them")]
    TwoKindsOfLabels,
    #[error(
        "`label` in [data] names the positive of two classes, and `classes` is given; remove `label`"
    )]
    LabelWithClasses,
    #[error(
        "both classes of the target are called \"{label}\"; give the positive one another `label` in [data]",
        label = Excerpt::of(.label)
    )]
    LabelOfTheOther { label: String },
    #[error("`negative` in [data] is for two classes, and `classes` is given; remove `negative`")]
    NegativeWithClasses,
    #[error(
        "this draft is not finished: {0}; put the facts from the data dictionary in place of every \"?\""
    )]
    Unfinished(String),

    // The schema, from a study file or a model file.
    #[error(
        "column `{column}` must be one of {{ min, max }}, {{ values }} or {{ drop = true }}, and this mixes them",
        column = Excerpt::of(.column)
    )]
    MixedColumn { column: String },
    #[error(
        "column `{column}` says nothing about its values; write {{ min = …, max = … }}, {{ values = […] }} or {{ drop = true }}",
        column = Excerpt::of(.column)
    )]
    EmptyColumn { column: String },
    #[error(
        "column `{column}` has `drop = false`; remove `drop` and declare min and max, or values",
        column = Excerpt::of(.column)
    )]
    DropFalse { column: String },
    #[error(
        "column `{column}` has a bound that is not a finite number; give finite `min` and `max`",
        column = Excerpt::of(.column)
    )]
    InfiniteBound { column: String },
    #[error(
        "column `{column}` has min = {min}, which is not below max = {max}; give the range that the data dictionary states",
        column = Excerpt::of(.column)
    )]
    EmptyRange { column: String, min: f64, max: f64 },
    #[error(
        "the range of column `{column}`, {min} to {max}, is too narrow or too wide for double precision; change its unit",
        column = Excerpt::of(.column)
    )]
    ExtremeRange { column: String, min: f64, max: f64 },
    #[error(
        "column `{column}` has missing = {missing}, which is outside its range {min} to {max}",
        column = Excerpt::of(.column)
    )]
    MissingOutsideRange { column: String, missing: f64, min: f64, max: f64 },
    #[error(
        "column `{column}` declares no categories; list the values it can take, or use {{ drop = true }}",
        column = Excerpt::of(.column)
    )]
    NoCategories { column: String },
    #[error(
        "column `{column}` declares the value \"{value}\" twice; list every value once (spaces around it do not count, and \
         1.0 is the same as 1: docs/values.md)",
        column = Excerpt::of(.column)
    )]
    RepeatedCategory { column: String, value: Excerpt },
    #[error(
        "column `{column}` declares {count} categories; at most {most} are possible",
        column = Excerpt::of(.column)
    )]
    TooManyCategories { column: String, count: usize, most: usize },
    #[error("column `{column}` is declared twice", column = Excerpt::of(.column))]
    RepeatedColumn { column: String },
    #[error(
        "column `{column}` is the target and cannot be among [columns] too; remove it there",
        column = Excerpt::of(.column)
    )]
    TargetAmongColumns { column: String },
    #[error(
        "no column is left to learn from; declare at least one with {{ min, max }} or {{ values }}"
    )]
    NoFeatures,
    #[error("the target needs at least one `{list}` value; an empty list says nothing")]
    NoTargetValues { list: &'static str },
    #[error(
        "the target value \"{value}\" is listed twice; list every value once, as positive or as negative (1.0 is the same as 1: \
         docs/values.md)"
    )]
    RepeatedTargetValue { value: Excerpt },
    #[error("the target lists {count} values; at most {most} are possible")]
    TooManyTargetValues { count: usize, most: usize },
    #[error(
        "the class \"{name}\" has a line break or another control character in its name; rename it in the table"
    )]
    ClassName { name: Excerpt },
    #[error("`classes` needs at least two classes, not {0}")]
    FewClasses(usize),
    #[error(
        "the outcome is a number, and this needs classes; write `positive = {{ above = … }}` in [data] to make two classes of it"
    )]
    NumberAsClasses,
    #[error("[data] has both `outcome` and `{key}`; a number has no classes: keep one of them")]
    NumberWithClasses { key: &'static str },
    #[error(
        "`outcome` names no column; write a table such as {{ column = \"days\", min = 0, max = 60 }}, or a list of them"
    )]
    NoOutcome,
    #[error(
        "the outcome `{column}` is named twice; name every outcome once",
        column = Excerpt::of(.column)
    )]
    RepeatedOutcome { column: String },
    #[error("several outcomes are numbers, each with its min and max; classes are one outcome")]
    OutcomesOfClasses,
    #[error(
        "`negative` in [data] is for values, and `positive` is a threshold: all others are negative; remove `negative`"
    )]
    NegativeWithThreshold,
    #[error(
        "`reference` is one of several classes, and {found} is none of them; the classes are {classes}"
    )]
    NoSuchReference { found: Excerpt, classes: Names },
    #[error("`reference` is for several classes; two are compared with each other: remove it")]
    NothingToRefer,
    #[error("this needs a target with two classes; give `positive` in [data] instead of `classes`")]
    NotTwoClasses,

    // Columns chosen by name.
    #[error("no column `{column}` is declared{hint}")]
    NoSuchColumn { column: Excerpt, hint: Hint },
    #[error("the table has no column `{column}`{hint}")]
    NotInTable { column: Excerpt, hint: Hint },
    #[error(
        "column `{column}` is named twice; name every column once",
        column = Excerpt::of(.column)
    )]
    ChosenTwice { column: String },
    #[error(
        "column `{column}` is dropped in [columns]; declare its {{ min, max }} or {{ values }} there to use it",
        column = Excerpt::of(.column)
    )]
    ChosenDropped { column: String },

    // The table as a whole.
    #[error("the file is empty; it needs a header line and rows")]
    EmptyFile,
    #[error("the table has no rows below its header; nothing can be learned from it")]
    NoRows,
    #[error("this is gzip data; name the file .csv.gz")]
    Compressed,
    #[error("{0}")]
    Reading(Box<ReadingProblem>),
    #[error(transparent)]
    Curve(#[from] crate::curve::CurveProblem),
    #[error(transparent)]
    Cohort(#[from] crate::cohort::CohortProblem),
    #[error("lines end in carriage returns alone; save the table with ordinary line ends")]
    LoneReturns,
    #[error(
        "half of the names in the first line are numbers or nothing: it looks like a row and not like a header; put the names of the \
         columns before it"
    )]
    NoHeader,
    #[error("the header line is blank; the first line must name the columns")]
    BlankHeader,
    #[error(
        "a name in the header is longer than {kilobytes} kB (it begins with \"{text}\"); put the names of the columns, separated by \
         commas, in the first line"
    )]
    LongName { kilobytes: usize, text: Excerpt },
    #[error("the table changed while it was read; leave it alone and run this again")]
    Changed,
    #[error(
        "[data] person names \"{column}\", which is used for something else; a person's identifier is no feature, so drop the column",
        column = Excerpt::of(.column)
    )]
    PersonIsUsed { column: String },
    #[error(
        "there is no {column}: every row must say whose it is ([data] person)",
        column = Excerpt::of(.column)
    )]
    NoPerson { column: String },
    #[error("the header names column `{column}` more than once; rename or remove the repeated one")]
    RepeatedHeader { column: Excerpt },
    #[error("the table has {columns} not declared; declare each with its range or values, or drop it{hint}", columns = columns_are(.columns))]
    Undeclared { columns: Names, hint: Hint },
    #[error("the table lacks the declared {columns}{hint}", columns = columns_named(.columns))]
    Absent { columns: Names, hint: Hint },
    #[error("these are not the declared columns: {}", other_columns(.absent, .extra))]
    QueryColumns { extra: Names, absent: Names },
    #[error("the table lacks the target column `{column}`{hint}", column = Excerpt::of(.column))]
    NoTarget { column: String, hint: Hint },
    #[error("the gzip data end early or are damaged ({0}); copy or compress the file again")]
    Gzip(String),
    #[error(
        "this program was built without Parquet; build it with `--features parquet` (`make build` has it), or convert the file to .csv"
    )]
    NoParquet,
    #[error("the Parquet file is truncated, damaged or not Parquet ({0}); write it again")]
    Parquet(String),
    #[error(
        "the footer of the Parquet file is longer than {megabytes} MB, the most that is read; write it again with larger row groups or \
         fewer columns"
    )]
    ParquetFooter { megabytes: u64 },
    #[error(
        "the Parquet file needs more than {megabytes} MB at a time, too much for a file of its size; write it again with smaller row \
         groups and pages, and without long texts"
    )]
    ParquetMemory { megabytes: u64 },
    #[error("the columns cannot be read ({0}); convert them to plain numbers and texts")]
    Arrow(String),
    #[error("column `{column}` cannot be read ({reason}); convert it to plain numbers or texts")]
    Unconverted { column: String, reason: String },
    #[error(
        "column `{column}` has the type {found}, whose numbers stand for something else; convert it to dates, numbers or texts, or \
         declare it as {{ drop = true }}"
    )]
    ExtensionType { column: String, found: Excerpt },
    #[error(
        "column `{column}` has the type {found}, which cannot be read as {wanted}; convert it, or declare it as {{ drop = true }}",
        column = Excerpt::of(.column),
        found = Excerpt::of(.found)
    )]
    ParquetType { column: String, found: String, wanted: &'static str },

    // One row of it.
    #[error(
        "this row has {found} fields and the header has {expected}; quote fields that contain the delimiter"
    )]
    FieldCount { expected: usize, found: usize },
    #[error("this line is blank and rows follow it; remove it")]
    BlankLine,
    #[error(
        "column `{column}` has no value, and nothing says what a missing number counts as; fill it in, or declare that for the \
         column: {{ min = …, max = …, missing = … }}",
        column = Excerpt::of(.column)
    )]
    MissingNumber { column: String },
    #[error(
        "column `{column}` has no value, and a number is needed there: fill it in",
        column = Excerpt::of(.column)
    )]
    MissingInQuery { column: String },
    #[error(
        "column `{column}` is compared with codes, and this row has a floating-point number of {least} or more: so large, several \
         whole numbers are the same one. Store the codes as texts or as whole numbers (in pandas as \"string\" or \"Int64\")"
    )]
    InexactCode { column: String, least: u64 },
    #[error(
        "column `{column}` is \"{text}\", which is not UTF-8 text; declare how the table is encoded in [data], as \
         `format = {{ encoding = \"latin1\" }}`, or save it as UTF-8",
        column = Excerpt::of(.column)
    )]
    NotUtf8 { column: String, text: Excerpt },
    #[error(
        "column `{column}` must be a number, not \"{text}\"; leave the field empty if the value is missing",
        column = Excerpt::of(.column)
    )]
    NotANumber { column: String, text: Excerpt },
    #[error(
        "column `{column}` must be a finite number, not \"{text}\"; leave the field empty if the value is missing",
        column = Excerpt::of(.column)
    )]
    NotFinite { column: String, text: Excerpt },
    #[error(
        "the target `{column}` is \"{text}\", which is neither positive nor negative; list it in [data], or write `negative = \"any other\"` \
         there if every value counts as negative that is not positive",
        column = Excerpt::of(.column)
    )]
    UnknownTarget { column: String, text: Excerpt },
    #[error(
        "the target `{column}` is \"{text}\", which is none of the declared classes; add it to `classes`",
        column = Excerpt::of(.column)
    )]
    UnknownClass { column: String, text: Excerpt },
    #[error(
        "the target `{column}` is missing; fill it in or leave the row out, or list \"\" in [data] among the values of the class \
         that an empty field means",
        column = Excerpt::of(.column)
    )]
    MissingTarget { column: String },
    #[error(
        "a quote stands inside or after a field (\"{text}\"); put the whole field in quotes and double the quotes inside it"
    )]
    StrayQuote { text: Excerpt },
    #[error("a quoted field that opens in this row is never closed")]
    OpenQuote,
    #[error(
        "this row is longer than {megabytes} MB, the most that is read; close a quote that is left open, or take long texts out of the table"
    )]
    EndlessRow { megabytes: usize },
    #[error(
        "there are more than {most} columns here, the most that a table can have; leave out those that the study does not need"
    )]
    TooManyColumns { most: usize },
}

fn other_columns(absent: &Names, extra: &Names) -> String {
    let lacks = || format!("the table lacks the declared {}", columns_named(absent));
    match (absent.0.is_empty(), extra.0.is_empty()) {
        (false, true) => lacks(),
        (true, _) => format!("remove {} not declared", columns_are(extra)),
        (false, false) => format!("{}, and has {} not declared", lacks(), columns_are(extra)),
    }
}

fn columns_are(names: &Names) -> String {
    let verb = if names.0.len() == 1 { "is" } else { "are" };
    format!("{}, which {verb}", columns_named(names))
}

fn columns_named(names: &Names) -> String {
    let noun = if names.0.len() == 1 { "column" } else { "columns" };
    format!("{noun} {names}")
}

impl From<ReadingProblem> for Problem {
    fn from(problem: ReadingProblem) -> Problem {
        Problem::Reading(Box::new(problem))
    }
}
