//! Every setting of a study file, one row each.
//!
//! The reader takes known keys, words, ranges and defaults from here; the form takes what each
//! field holds and in which order fields are written; the tables of docs/study-file.md are made of
//! it. To add a key, add its row, and read it where the settings of its table are read. Tests
//! compare the rows with the page, with forms, and with the arguments of Python and R.

use super::vote::VoteSettings;
use crate::form::ColumnKind::{self, Category, Date, Number};
use discretion::interval::{DRAWS, DRAWS_ALLOWED};
use discretion::tune::Tuning;
use std::fmt;

/// A table of a study file, or an inline table such as `format = { … }` of `[data]`.
#[derive(Debug)]
pub struct SettingTable {
    /// Its path: `data`, `data.format`.
    pub name: &'static str,
    /// Its keys, in the order in which pages show them and forms write them.
    pub settings: &'static [Setting],
}

/// One key of a study file.
#[derive(Debug)]
pub struct Setting {
    /// The key.
    pub key: &'static str,
    /// What it holds.
    pub kind: Kind,
    /// What holds where it is left out.
    pub default: Default,
    /// One line for docs/study-file.md.
    pub help: &'static str,
    /// The argument of Python that says the same, if there is one.
    pub python: Option<&'static str>,
    /// The argument of R that says the same, if there is one.
    pub r: Option<&'static str>,
    /// Where a form has it.
    pub page: Page,
}

/// What a key holds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kind {
    /// A text.
    Text,
    /// A list of texts, or one of them.
    Texts,
    /// A number in a range. Some keys also take a word, or a list of such numbers.
    Number(Range),
    /// A list of numbers.
    Numbers,
    /// One of these words.
    Word(&'static [&'static str]),
    /// True or false.
    Flag,
    /// `code = label`.
    Labels,
    /// `name = code, code`.
    Groups,
    /// A table, or what has a form of its own.
    Toml,
}

/// What holds where a key is left out.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Default {
    /// Nothing, or what the help says.
    Nothing,
    /// It cannot be left out.
    Required {
        /// Unless what this names is there; empty if there is no such thing.
        or: &'static str,
        /// How to write it.
        example: &'static str,
    },
    /// A number.
    Number(f64),
    /// A word.
    Word(&'static str),
    /// `false`.
    Off,
    /// What follows from other settings, in words.
    Words(&'static str),
}

/// Where a form has a key.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Page {
    /// Under this name, in the section of its top-level table.
    Field(&'static str),
    /// As a field of columns of these kinds.
    InColumn(&'static [ColumnKind]),
    /// As what a column is.
    Column,
    /// In no field: what a file says is kept as it is.
    Kept,
}

/// The numbers that a key may be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Range {
    least: f64,
    most: f64,
    is_open: [bool; 2],
    is_whole: bool,
}

impl Range {
    /// From the least to the most, both included.
    pub(crate) const fn within(least: f64, most: f64) -> Range {
        Range { least, most, is_open: [false; 2], is_whole: false }
    }

    /// Between two numbers, both excluded.
    pub(crate) const fn between(least: f64, most: f64) -> Range {
        Range { least, most, is_open: [true; 2], is_whole: false }
    }

    /// Finite, and above a number.
    pub(crate) const fn above(least: f64) -> Range {
        Range::between(least, f64::INFINITY)
    }

    /// Ends with this number, included.
    pub(crate) const fn to(self, most: f64) -> Range {
        Range { most, is_open: [self.is_open[0], false], ..self }
    }

    /// Whole numbers, both ends included.
    pub(crate) const fn whole(least: f64, most: f64) -> Range {
        Range { is_whole: true, ..Range::within(least, most) }
    }

    /// Returns true if the number is one of these.
    pub fn contains(&self, value: f64) -> bool {
        let [above, below] = self.is_open;
        let is_above = if above { value > self.least } else { value >= self.least };
        let is_below = if below { value < self.most } else { value <= self.most };
        *self == ANY || (is_above && is_below && (!self.is_whole || value.fract() == 0.0))
    }
}

impl fmt::Display for Range {
    /// What comes behind "must".
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Range { least, most, .. } = self;
        match self.is_open {
            _ if *self == ANY => write!(f, "be a number"),
            _ if self.is_whole => write!(f, "be a whole number from {least} to {most}"),
            _ if *most == f64::INFINITY => write!(f, "be a finite number above {least}"),
            [true, true] if (*least, *most) == (0.0, 1.0) => {
                write!(f, "lie strictly between 0 and 1")
            }
            [true, true] => write!(f, "be above {least} and below {most}"),
            [true, false] => write!(f, "be above {least} and at most {most}"),
            _ => write!(f, "be a number from {least} to {most}"),
        }
    }
}

/// Any number; what may be said of it depends on other keys, or is the business of its type.
const ANY: Range = Range::within(f64::NEG_INFINITY, f64::INFINITY);
/// Shares and probabilities.
const SHARE: Range = Range::between(0.0, 1.0);
/// Numbers of things, from one on.
const COUNT: Range = Range::whole(1.0, 1e9);

const fn required(example: &'static str) -> Default {
    Default::Required { or: "", example }
}

const fn required_or(or: &'static str, example: &'static str) -> Default {
    Default::Required { or, example }
}

impl Setting {
    const fn new(key: &'static str, kind: Kind, default: Default, help: &'static str) -> Setting {
        Setting { key, kind, default, help, python: None, r: None, page: Page::Kept }
    }

    const fn python(self, name: &'static str) -> Setting {
        Setting { python: Some(name), ..self }
    }

    const fn r(self, name: &'static str) -> Setting {
        Setting { r: Some(name), ..self }
    }

    const fn page(self, page: Page) -> Setting {
        Setting { page, ..self }
    }
}

/// Returns a table's row for a key.
pub fn setting(table: &str, key: &str) -> Option<&'static Setting> {
    keys(table).find(|setting| setting.key == key)
}

/// Returns true if a number is in the range of a table's key.
pub fn allows(table: &str, key: &str, number: f64) -> bool {
    setting(table, key).is_some_and(
        |setting| matches!(setting.kind, Kind::Number(range) if range.contains(number)),
    )
}

/// Returns the row of a form's field: of the section itself, or of an inline table of it.
pub(crate) fn of_field(section: &str, field: &str) -> Option<&'static Setting> {
    let is_part = |table: &&SettingTable| {
        table.name.strip_prefix(section).is_some_and(|rest| rest.starts_with('.'))
    };
    let mut parts = SETTINGS.iter().filter(is_part).flat_map(|table| table.settings);
    let is_field = |setting: &&Setting| matches!(setting.page, Page::Field(name) if name == field);
    setting(section, field).or_else(|| parts.find(is_field))
}

/// Returns the rows of a table.
pub(crate) fn keys(table: &str) -> impl Iterator<Item = &'static Setting> + use<> {
    let table = SETTINGS.iter().find(|known| known.name == table);
    table.into_iter().flat_map(|table| table.settings)
}

/// Returns the number that holds where a key is left out.
pub(crate) fn default_number(table: &str, key: &str) -> f64 {
    match setting(table, key).map(|setting| setting.default) {
        Some(Default::Number(number)) => number,
        other => panic!("`{key}` of {table} has no default that is a number: {other:?}"),
    }
}

/// Returns the names of top-level tables.
pub(crate) fn tables() -> impl Iterator<Item = &'static str> {
    SETTINGS.iter().map(|table| table.name).filter(|name| !name.contains('.'))
}

/// Every setting, in the order of the page.
#[rustfmt::skip] // One row is one line.
pub static SETTINGS: &[SettingTable] = &[
    SettingTable { name: "data", settings: &[
        Setting::new("path", Kind::Texts, required("\"table.csv\""), "The table: a file, a folder, a pattern, or a list. [Which files](tables.md) can be read.").page(Page::Field("path")),
        Setting::new("query", Kind::Text, Default::Nothing, "What to ask, if the table is in an SQLite file.").page(Page::Field("query")),
        Setting::new("format", Kind::Toml, Default::Nothing, "How a text file is written: see below."),
        Setting::new("na", Kind::Texts, Default::Nothing, "Texts that mean that a value is missing, in all columns. An empty field always means that.").page(Page::Field("na")).python("na"),
        Setting::new("account", Kind::Text, required("\"my-table\""), "The account in the ledger that pays. One account for one set of people.").page(Page::Field("account")).python("account").r("account"),
        Setting::new("person", Kind::Text, Default::Nothing, "The column that says whose row a row is. The guarantee is then about a person: see below.").page(Page::Column).python("person"),
        Setting::new("target", Kind::Text, required_or(", or `outcome`", "\"the column to predict\""), "The column to predict. It must not be among `[columns]`.").page(Page::Column).r("formula"),
        Setting::new("positive", Kind::Texts, required_or(", or `classes`", "\"yes\""), "The value of the target that counts as positive, a list of such values, or a [threshold](#positive-a-class-of-a-number).").page(Page::Field("positive")).python("classes").r("positive"),
        Setting::new("negative", Kind::Texts, required_or(" with `positive`", "\"no\""), "The value, or values, that count as negative; or `\"any other\"`.").page(Page::Field("negative")).python("classes").r("negative"),
        Setting::new("label", Kind::Text, Default::Nothing, "What predictions and reports call the positive class. Left out: its values, joined by \"or\".").page(Page::Field("label")),
        Setting::new("from_rows", Kind::Texts, Default::Words("`[]`"), "Columns whose bounds or values were looked up in the rows, as `schema --from-data` notes them.").page(Page::Column),
        Setting::new("classes", Kind::Texts, Default::Nothing, "In place of `positive` and `negative`: all values of the target, two or more. Each is a [class](classes.md) with coefficients of its own.").page(Page::Field("classes")).python("classes"),
        Setting::new("outcome", Kind::Toml, Default::Nothing, "In place of `target` and `positive`: a [number to predict](#outcome-a-number), or a list of them.").page(Page::Field("outcome")),
        Setting::new("where", Kind::Toml, Default::Nothing, "Which rows count: a [cohort](#where-a-cohort), such as `{ sex = \"F\", age = { min = 40 } }`.").python("where"),
        Setting::new("weight", Kind::Toml, Default::Nothing, "A column of weights, and the largest there may be: see [below](#weight-rows-that-count-less).").python("sample_weight"),
        Setting::new("missing_outcome", Kind::Word(&["refused", "left out"]), Default::Word("refused"), "`\"left out\"`: rows without an outcome are in the table and do not count.").python("missing_outcome"),
    ] },
    SettingTable { name: "data.format", settings: &[
        Setting::new("delimiter", Kind::Text, Default::Nothing, "What stands between fields. Left out: a tab in `.tsv` and `.tab` files, a comma elsewhere."),
        Setting::new("decimal", Kind::Word(&[".", ","]), Default::Word("."), "What stands before decimals: `\".\"` or `\",\"`."),
        Setting::new("encoding", Kind::Word(&["utf-8", "latin1", "utf-16", "windows-1252", "cp1252", "iso-8859-1", "utf8"]), Default::Word("utf-8"), "`\"utf-8\"`, `\"latin1\"` or `\"utf-16\"`."),
    ] },
    SettingTable { name: "data.where", settings: &[
        Setting::new("min", Kind::Toml, Default::Nothing, "The smallest number, or the first day, that counts."),
        Setting::new("max", Kind::Toml, Default::Nothing, "The largest, or the last."),
    ] },
    SettingTable { name: "data.weight", settings: &[
        Setting::new("column", Kind::Text, required("\"w\""), "The column of weights. It is no feature, and need not stand under `[columns]`."),
        Setting::new("max", Kind::Number(ANY), required("5"), "The largest weight there may be: public knowledge, and not the largest in the rows.").python("max_weight"),
    ] },
    SettingTable { name: "data.positive", settings: &[
        Setting::new("above", Kind::Number(ANY), required("30"), "Numbers above this one are positive, all others negative.").page(Page::Field("above")),
    ] },
    SettingTable { name: "data.outcome", settings: &[
        Setting::new("column", Kind::Text, required("\"days\""), "The column to predict. It must not be among `[columns]`.").page(Page::Column),
        Setting::new("min", Kind::Number(ANY), required("0"), "The least value that counts; what is below counts as this.").page(Page::Field("outcome_min")).python("y_bounds"),
        Setting::new("max", Kind::Number(ANY), required("60"), "The largest value that counts; what is above counts as this.").page(Page::Field("outcome_max")).python("y_bounds"),
        Setting::new("scale", Kind::Word(&["linear", "log"]), Default::Word("linear"), "`\"log\"` for a number whose ratios matter more than its differences.").page(Page::Field("outcome_scale")).python("y_scale"),
    ] },
    SettingTable { name: "budget", settings: &[
        Setting::new("epsilon", Kind::Number(ANY), required_or(", or `rho`", "3.0"), "ε, from 1e-9 to 1000.").page(Page::Field("epsilon")).python("epsilon").r("epsilon"),
        Setting::new("delta", Kind::Number(ANY), Default::Nothing, "δ, below 1. It should be well below 1 over the number of rows. Left out: 0.").page(Page::Field("delta")).python("delta").r("delta"),
        Setting::new("rho", Kind::Number(ANY), Default::Nothing, "ρ of zero-concentrated privacy, in place of ε. A `delta` beside it is for votes.").page(Page::Field("rho")).python("rho").r("rho"),
        Setting::new("filter", Kind::Word(&["auto", "plain-sum", "renyi", "gaussian"]), Default::Word("auto"), "How an account with ε and δ adds up: `\"renyi\"`, `\"gaussian\"`, `\"plain-sum\"`, `\"auto\"`.").page(Page::Field("filter")).python("filter").r("filter"),
    ] },
    SettingTable { name: "spend", settings: &[
        Setting::new("epsilon", Kind::Number(ANY), required_or(", or `rho`", "1.0"), "ε, from 1e-9 to 1000.").page(Page::Field("epsilon")).python("epsilon").r("epsilon"),
        Setting::new("delta", Kind::Number(ANY), Default::Nothing, "δ, below 1. Left out: 0, a pure guarantee.").page(Page::Field("delta")).python("delta").r("delta"),
        Setting::new("rho", Kind::Number(ANY), Default::Nothing, "ρ of zero-concentrated privacy, alone.").page(Page::Field("rho")).python("rho").r("rho"),
    ] },
    SettingTable { name: "columns", settings: &[
        Setting::new("kind", Kind::Word(&["number", "category", "date"]), Default::Nothing, "`\"date\"` for a date. Others are known by their keys: `\"number\"`, `\"category\"`.").page(Page::Column).python("kind"),
        Setting::new("min", Kind::Number(ANY), required_or(" for a number", "0"), "The lower end of the range.").page(Page::InColumn(&[Number, Date])).python("min").r("min"),
        Setting::new("max", Kind::Number(ANY), required_or(" for a number", "100"), "The upper end of the range.").page(Page::InColumn(&[Number, Date])).python("max").r("max"),
        Setting::new("scale", Kind::Word(&["linear", "log"]), Default::Word("linear"), "`\"log\"` for a number with a long tail: it is taken as ln(1 + value − min).").page(Page::InColumn(&[Number])).python("scale").r("scale"),
        Setting::new("integer", Kind::Flag, Default::Off, "`true`: whole numbers. Densities have bins of whole numbers, and samples are whole.").page(Page::InColumn(&[Number])),
        Setting::new("values", Kind::Texts, required_or(" for a category", "[\"a\", \"b\"]"), "The values that the column can take, at most 65,534.").page(Page::InColumn(&[Category])).python("values").r("values"),
        Setting::new("labels", Kind::Labels, Default::Nothing, "What values are called where people read them.").page(Page::InColumn(&[Category])).python("labels"),
        Setting::new("groups", Kind::Groups, Default::Nothing, "Categories that are many codes each: [how they are written](tables.md#codes).").page(Page::InColumn(&[Category])).python("groups"),
        Setting::new("one_of", Kind::Texts, Default::Nothing, "In place of `values`: columns of the table of which one is 1 and the others are 0. They become one category.").python("one_of"),
        Setting::new("format", Kind::Text, Default::Nothing, "How dates are written, such as `\"%d.%m.%Y\"`. Left out: ISO 8601.").page(Page::InColumn(&[Date])).python("format"),
        Setting::new("parts", Kind::Texts, Default::Nothing, "Parts of a date as categories: `\"year\"`, `\"month\"`, `\"weekday\"`, `\"hour\"`.").page(Page::InColumn(&[Date])).python("parts"),
        Setting::new("missing", Kind::Number(ANY), Default::Nothing, "The number, or date, that a missing value counts as, within the range; or `\"own\"`: what is missing has a level of its own. Left out: no number may be missing.").page(Page::InColumn(&[Number, Category, Date])).python("missing").r("missing"),
        Setting::new("curve", Kind::Number(ANY), Default::Nothing, "How many knots the [curve](curves.md) of a number or a date has, or `\"auto\"`: as many as rows, columns and budget allow. Left out: its effect is a straight line.").page(Page::InColumn(&[Number, Date])).python("curve"),
        Setting::new("knots", Kind::Numbers, Default::Nothing, "In place of `curve`: a list of values where the curve bends, in the column's unit. The ends of the range are knots too. Or `\"private\"`: [where the rows are](curves.md#knots-where-the-rows-are), for a `share` of the budget; `curve` then says how many.").page(Page::InColumn(&[Number, Date])).python("knots"),
        Setting::new("share", Kind::Number(ANY), Default::Number(0.01), "What private knots cost of the budget, for this column.").python("share"),
        Setting::new("monotone", Kind::Word(&["up", "down"]), Default::Nothing, "`\"up\"` or `\"down\"`: the only way in which a curve may go.").page(Page::InColumn(&[Number, Date])).python("monotone"),
        Setting::new("na", Kind::Texts, Default::Nothing, "More texts that mean that a value is missing, in this column.").page(Page::InColumn(&[Number, Category, Date])).python("na"),
        Setting::new("drop", Kind::Flag, Default::Nothing, "`true`: the column is in the file, and is not used.").page(Page::Column).python("drop"),
    ] },
    SettingTable { name: "cross", settings: &[
        Setting::new("pairs", Kind::Toml, required("[[\"ward\", \"age\"]]"), "Pairs of columns: two categories, or a category and a number that is no curve."),
    ] },
    SettingTable { name: "model", settings: &[
        Setting::new("loss", Kind::Word(&["logistic", "hinge", "auto", "squares", "huber"]), Default::Word("logistic"), "`\"logistic\"`, or `\"hinge\"`: a support vector machine with a rounded corner. Of a number, [`\"auto\"`](numbers.md), `\"squares\"` or `\"huber\"`.").page(Page::Field("loss")).python("loss").r("loss"),
        Setting::new("smoothing", Kind::Number(ANY), Default::Words("1 with `[intervals]`, else 0.5"), "The hinge's corner is rounded over 1 − h to 1 + h; h is 0.125, 0.25, 0.5, 1 or 2.").page(Page::Field("smoothing")).python("smoothing"),
        Setting::new("lambda", Kind::Number(Range::above(0.0)), Default::Word("auto"), "The strength of the regularisation. See below.").page(Page::Field("lambda")).python("lam").r("lambda"),
        Setting::new("method", Kind::Word(&["auto", "objective", "output"]), Default::Word("auto"), "Where noise goes in: `\"objective\"`, `\"output\"`; `\"auto\"` takes the smaller error.").page(Page::Field("method")).python("method").r("method"),
        Setting::new("base_rate", Kind::Word(&["private"]), Default::Nothing, "`\"private\"` releases how frequent the positive class is, for 5 % of the budget, and `lambda` pulls the intercept there and not to even odds: for a rare class and a small ε ([what it is worth](curves.md#a-rare-class-and-a-small-ε)).").page(Page::Field("base_rate")).python("base_rate"),
        Setting::new("norm", Kind::Word(&["scale", "row"]), Default::Word("scale"), "How rows are brought to length 1. See below.").page(Page::Field("norm")).python("norm"),
    ] },
    SettingTable { name: "tune", settings: &[
        Setting::new("rule", Kind::Word(&["auto", "generalised", "uniform", "random-stopping"]), Default::Word("auto"), "`\"generalised\"`, `\"uniform\"`, `\"random-stopping\"`; `\"auto\"` takes one by public numbers.").r("tune"),
        Setting::new("score", Kind::Word(&["brier", "ramp", "logistic", "hinge", "error"]), Default::Word("brier"), "What models are compared by: `\"brier\"`, `\"ramp\"`, `\"logistic\"`, `\"hinge\"`, `\"error\"`.").r("tune"),
        Setting::new("share", Kind::Number(SHARE), Default::Number(Tuning::SHARE), "The share of the budget for the choice. Random stopping has no use for it.").r("tune"),
        Setting::new("validation", Kind::Number(SHARE), Default::Number(Tuning::VALIDATION), "The share of rows that only compare models, and train none.").r("tune"),
    ] },
    SettingTable { name: "intervals", settings: &[
        Setting::new("level", Kind::Number(SHARE), Default::Number(0.95), "The confidence level.").page(Page::Field("level")).python("level").r("level"),
        Setting::new("columns", Kind::Texts, Default::Words("all"), "A list of the columns that need intervals, such as `[\"age\", \"ward\"]`.").page(Page::Field("columns")).python("intervals"),
        Setting::new("largest_effect", Kind::Number(Range::within(0.1, 100.0)), Default::Number(4.0), "Log-odds that no effect exceeds, for half the range of a number or for a category, and the intercept at the middle of all ranges: known beforehand, never looked up in the rows ([what it does](intervals.md#what-a-width-is-made-of)). From 0.1 to 100.").python("largest_effect").r("largest_effect"),
        Setting::new("split", Kind::Toml, Default::Word("auto"), "The budget's shares for training, for the Hessian and for the covariance: `[0.88, 0.09, 0.03]` for logistic regression (`[0.75, 0.2, 0.05]` under a pure ε), where the last two together are for the second moments of the rows, `[0.7, 0.15, 0.15]` for the SVM and with `norm = \"row\"`."),
        Setting::new("reference", Kind::Text, Default::Words("the first"), "Of several classes: the class that the others are compared with ([classes](classes.md)).").python("reference"),
        Setting::new("draws", Kind::Number(Range::whole(*DRAWS_ALLOWED.start() as f64, *DRAWS_ALLOWED.end() as f64)), Default::Number(DRAWS as f64), "Draws for statements about all intervals at once, from 10,000 to 10,000,000."),
    ] },
    SettingTable { name: "evaluate", settings: &[
        Setting::new("share", Kind::Number(SHARE), Default::Number(0.15), "The share of the rows, by position, that trains nothing and tells how good the model is.").page(Page::Field("share")).python("evaluate"),
        Setting::new("by", Kind::Text, Default::Nothing, "A column of categories, at most 20 values: the same figures for each of them.").page(Page::Field("by")).python("evaluate_by"),
    ] },
    SettingTable { name: "density", settings: &[
        Setting::new("columns", Kind::Texts, required("[\"age\"]"), "The columns that the histogram is of."),
        Setting::new("bins", Kind::Numbers, Default::Words("powers of two that suit rows and budget"), "Numbers of bins to choose from, for each number."),
        Setting::new("share", Kind::Number(Range::above(0.0).to(1.0)), Default::Words("what others leave, in equal parts"), "Its share of `[spend]`, where a study has several releases."),
    ] },
    SettingTable { name: "release", settings: &[
        Setting::new("name", Kind::Text, required("\"readmission\""), "What its files are called: small letters, digits, `-` and `_`."),
        Setting::new("kind", Kind::Word(&["model", "density"]), Default::Word("model"), "`\"model\"` or `\"density\"`. What it is made of stands beside it: of a model the keys of `[model]` and those of `[data]` that say what is predicted."),
        Setting::new("share", Kind::Number(Range::above(0.0).to(1.0)), Default::Words("what others leave, in equal parts"), "Its share of `[spend]`."),
        Setting::new("columns", Kind::Texts, Default::Nothing, "Of a density: the columns that the histogram is of."),
        Setting::new("bins", Kind::Numbers, Default::Nothing, "Of a density: numbers of bins to choose from, for each number."),
    ] },
    SettingTable { name: "vote", settings: &[
        Setting::new("queries", Kind::Number(COUNT), required("1000"), "How many queries may be asked in the session.").page(Page::Field("queries")).python("queries"),
        Setting::new("answer", Kind::Word(&["sure", "all"]), Default::Word("sure"), "`\"sure\"`: queries with a clear winner are answered. `\"all\"`: every query is.").page(Page::Field("answer")).python("answer"),
        Setting::new("unstable", Kind::Number(COUNT), Default::Words("50, or all queries if fewer"), "With `\"sure\"`: how many queries may find the models divided. Then the session ends.").page(Page::Field("unstable")).python("unstable"),
        Setting::new("confidence", Kind::Number(Range::between(0.5, 1.0)), Default::Nothing, "With `\"all\"`: labels that lead clearly are called sure. One without the most votes is called so with probability 1 − `confidence` at most.").page(Page::Field("confidence")).python("confidence"),
        Setting::new("learner", Kind::Toml, Default::Word("logistic"), "`\"logistic\"`, `\"trees\"`, `\"boosting\"`, or a program: see below.").page(Page::Field("learner")),
        Setting::new("lambda", Kind::Number(Range::above(0.0).to(1.0)), Default::Nothing, "Of `\"logistic\"`: the regularisation of its models, which makes coefficients smaller. Left out: 0.0001. The same for all chunks."),
        Setting::new("chunks", Kind::Number(Range::whole(2.0, 1e9)), Default::Word("auto"), "How many chunks the rows are split into, one model each.").python("chunks"),
        Setting::new("agreement", Kind::Number(Range::above(0.5).to(1.0)), Default::Words("5/6; with `\"all\"` 0.7"), "The share of votes for the winner from which on a query should be answered, or told its winner.").page(Page::Field("agreement")).python("agreement"),
        Setting::new("miss", Kind::Number(SHARE), Default::Number(VoteSettings::USUAL_MISS), "The probability with which some such query of the session may get no answer; with `\"all\"`, each of them another label.").page(Page::Field("miss")).python("miss"),
        Setting::new("classes", Kind::Texts, Default::Nothing, "The target's values to vote for. Left out: those of `[data]`, in their order; of `negative` and `positive`, the positive one second.").python("classes"),
        Setting::new("scores", Kind::Flag, Default::Off, "`true`: answers are scores from 0 to 1, of the second of two classes.").page(Page::Field("scores")).python("score_bins"),
        Setting::new("gamma", Kind::Number(ANY), Default::Nothing, "With `scores`: the width of their bins, 1 over a whole number; with `\"all\"`, how far a score may be off. Left out: 0.1.").page(Page::Field("gamma")).python("score_bins"),
        Setting::new("threshold", Kind::Number(SHARE), Default::Nothing, "With `scores`: from which score on the second class is named, in a column beside the scores. It is applied to released scores: it may be changed at no cost.").page(Page::Field("threshold")),
        Setting::new("protect", Kind::Word(&["rows", "labels"]), Default::Word("rows"), "`\"labels\"`: only the labels are protected, and the rest of every row is public.").page(Page::Field("protect")),
        Setting::new("weights", Kind::Word(&["equal", "balanced"]), Default::Word("equal"), "`\"balanced\"`: in every chunk rows of rarer classes are repeated until all classes count the same.").page(Page::Field("weights")).python("weights"),
        Setting::new("expected_share", Kind::Number(Range::above(0.0).to(0.5)), Default::Nothing, "What share of the rows you think has the rarer class. Only warnings depend on it.").page(Page::Field("expected_share")).python("expected_share"),
    ] },
    SettingTable { name: "vote.learner", settings: &[
        Setting::new("command", Kind::Texts, required("[\"program\"]"), "The program and its first arguments. It runs in the folder of the study file."),
        Setting::new("processes", Kind::Word(&["chunk", "shared"]), Default::Word("chunk"), "`\"chunk\"`: a new process for each step. `\"shared\"`: one for each core, for all chunks."),
        Setting::new("timeout", Kind::Number(Range::above(0.0).to(1e6)), Default::Number(60.0), "Seconds for one step: training one model, or its answers to all queries."),
    ] },
    SettingTable { name: "party", settings: &[
        Setting::new("coordinator", Kind::Text, required("\"dpk_…\""), "The coordinator's public key, made by `discretion party key`."),
        Setting::new("holders", Kind::Toml, required("{ north = { rows = 1000, key = \"dpk_…\" }, south = { … } }"), "Everybody who has rows, from 2 to 254: see below."),
        Setting::new("aggregators", Kind::Texts, Default::Nothing, "The holders who add noise, two at least. Left out: all of them."),
        Setting::new("colluders", Kind::Number(Range::whole(0.0, 1e9)), Default::Nothing, "How many aggregators may work together without harm. Left out: half of them."),
        Setting::new("step", Kind::Word(&["auto", "newton", "none"]), Default::Word("auto"), "A Newton step after the average: `\"newton\"`, `\"none\"`, `\"auto\"` by public numbers."),
        Setting::new("run", Kind::Number(COUNT), Default::Number(1.0), "Another number makes it another run, with a new charge."),
    ] },
    SettingTable { name: "party.holders", settings: &[
        Setting::new("rows", Kind::Number(COUNT), required("1000"), "How many rows the holder has. It is public."),
        Setting::new("key", Kind::Text, required("\"dpk_…\""), "The holder's public key."),
    ] },
    SettingTable { name: "about", settings: &[
        Setting::new("name", Kind::Text, Default::Nothing, "What the published model is called.").page(Page::Field("name")),
        Setting::new("curators", Kind::Texts, Default::Nothing, "Who publishes it: one text, or a list.").page(Page::Field("curators")),
        Setting::new("intended_use", Kind::Text, Default::Nothing, "What it is meant for.").page(Page::Field("intended_use")),
        Setting::new("description", Kind::Text, Default::Nothing, "What it is, if the dossier's own sentence will not do.").page(Page::Field("description")),
        Setting::new("region", Kind::Text, Default::Nothing, "Which region the rows are from, or whose laws apply.").page(Page::Field("region")),
        Setting::new("sector", Kind::Word(&["Technology", "Healthcare", "Education", "Government", "Energy", "Finance"]), Default::Nothing, "`\"Technology\"`, `\"Healthcare\"`, `\"Education\"`, `\"Government\"`, `\"Energy\"` or `\"Finance\"`.").page(Page::Field("sector")),
        Setting::new("publication_date", Kind::Text, Default::Nothing, "When it is published, such as `\"2026-01-31\"`; the day of the dossier if left out.").page(Page::Field("publication_date")),
        Setting::new("legal_basis", Kind::Text, Default::Nothing, "On what legal basis the rows are used.").page(Page::Field("legal_basis")),
        Setting::new("contact", Kind::Text, Default::Nothing, "Whom to ask.").page(Page::Field("contact")),
        Setting::new("authors", Kind::Texts, Default::Nothing, "Who answers for the record in the registry: one text, or a list.").page(Page::Field("authors")),
        Setting::new("sources", Kind::Text, Default::Nothing, "Where more is written.").page(Page::Field("sources")),
    ] },];
