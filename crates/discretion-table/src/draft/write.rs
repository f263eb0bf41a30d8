//! The text of a drafted study file.

use super::dictionary::Dictionary;
use super::text_format;
use super::toml_text::{key, number, text};
use super::{DraftRequest, Facts, ObservedColumn, RowFacts, Type};
use crate::date::Moment;
use crate::identifier::names_an_identifier;
use crate::schema::{Column, Kind, Scale};
use crate::study::PLACEHOLDER;
use crate::table_source::TableSource;
use std::path::Path;

const NOT_PRIVATE: &str = "read from the rows: NOT PRIVATE";

pub(super) fn study(
    request: &DraftRequest,
    columns: &[ObservedColumn],
    dictionary: Option<&Dictionary>,
) -> String {
    let path = &request.named.paths()[0];
    let target = guessed_target(columns);
    let from_data = columns.iter().any(|column| matches!(column.facts, Facts::Rows(..)));
    let mut lines: Vec<String> = Vec::new();
    lines.push(format!("# A study file for {}, drafted by `discretion schema`.", shown(path)));
    lines.extend(if from_data { FROM_DATA } else { FROM_HEADER }.lines().map(str::to_owned));
    lines.extend(dictionary.into_iter().flat_map(|dictionary| described(dictionary, columns)));
    lines.push(String::new());
    lines.extend(data(&request.named, request.account.as_deref(), target.as_ref()));
    lines.extend(columns.iter().find(|column| names_an_identifier(&column.name)).map(whose));
    lines.extend(text_format::lines(request));
    lines.extend(looked_up(columns));
    lines.extend(BUDGETS.lines().map(str::to_owned));
    lines.extend(COLUMNS.lines().map(str::to_owned));
    let features =
        columns.iter().filter(|column| target.as_ref().is_none_or(|t| t.column != column.name));
    lines.extend(features.map(|observed| {
        let looks_numeric =
            matches!(observed.facts, Facts::Type(Type::Number) | Facts::Rows(Type::Number, _));
        let line = dictionary.and_then(|dictionary| dictionary.line(&observed.name, looks_numeric));
        line.unwrap_or_else(|| column(observed))
    }));
    lines.extend(MODEL.lines().map(str::to_owned));
    lines.join("\n") + "\n"
}

const FROM_HEADER: &str = "\
# Types are guessed from the header and the first rows. Every \"?\" is for a person to fill in, from the
# data dictionary or from knowledge of the subject: a bound or category read from the rows is not private.";

const FROM_DATA: &str = "\
# NOT PRIVATE: bounds, categories and the target's value were read from the rows (--from-data), and a model
# that is published with them reveals them. Replace every line that says so by what the data dictionary states.";

const COLUMNS: &str = r#"
[columns]                       # every column of the file is declared or dropped
# The effect of a number may bend: add curve = "auto" to it. It is a line where rows and budget pay for no more."#;

const BUDGETS: &str = r#"
[budget]                        # the account's lifetime cap, fixed when it is first opened
epsilon = 3.0                   # epsilon; epsilon and delta; or rho
delta   = 1e-6                  # well below 1 over the number of rows

[spend]                         # what this run may use
epsilon = 1.0
"#;

const MODEL: &str = r#"
[model]
loss   = "logistic"             # or "hinge"
lambda = "auto"                 # from rows, coefficients and budget alone; or a number; or a list, to choose privately
method = "auto"                 # "objective", "output" or "auto"
norm   = "scale"                # or "row": each row divided by its own length

# [intervals]                   # confidence intervals, paid from the same budget
# level = 0.95

# [evaluate]                    # how good the model is: this share of the rows does not train, and costs no budget
# share = 0.15

# [vote]                        # private answers to public queries, from many models' votes
# queries = 1000                # how many are asked
# learner = "logistic"          # "trees", or { command = ["program", …] }"#;

/// Where every bound and value came from, in a way that survives when their lines are edited.
fn looked_up(columns: &[ObservedColumn]) -> Option<String> {
    let declares = |column: &&ObservedColumn| match &column.facts {
        Facts::Rows(kind, rows) => from_rows(&column.name, *kind, rows).0 != Kind::Dropped,
        Facts::Type(_) => false,
    };
    let names: Vec<String> =
        columns.iter().filter(declares).map(|column| text(&column.name)).collect();
    (!names.is_empty()).then(|| {
        format!(
            "from_rows = [{}]  # the model file and its report name them; take a name out when its line is from the data dictionary",
            names.join(", ")
        )
    })
}

/// A name for the table's account: tables called train.csv are many, so that the folder is a part
/// of it.
pub fn suggested_account(path: &Path) -> String {
    let stem = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let stem = stem.split('.').find(|part| !part.is_empty()).unwrap_or("table").to_owned();
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    match absolute.parent().and_then(Path::file_name) {
        Some(folder) => format!("{}-{stem}", folder.to_string_lossy()),
        None => stem,
    }
}

fn data(named: &TableSource, account: Option<&str>, target: Option<&GuessedTarget>) -> Vec<String> {
    let path = &named.paths()[0];
    let account = match account {
        Some(account) => format!("account  = {}  # the account in the ledger", text(account)),
        None => format!(
            "account  = {}                  # a name for this table in the ledger, such as {}",
            text(PLACEHOLDER),
            shown(Path::new(&text(&suggested_account(path))))
        ),
    };
    let (column, positive, negative) = match target {
        None => (
            format!(
                "target   = {}                  # the column to predict; remove it from [columns]",
                text(PLACEHOLDER)
            ),
            format!(
                "positive = {}                  # the value, or list of values, that counts as positive",
                text(PLACEHOLDER)
            ),
            format!(
                "negative = {}                  # the same for negative; or \"any other\": all that are not positive",
                text(PLACEHOLDER)
            ),
        ),
        Some(guess) => (
            format!(
                "target   = {}  # guessed (change it to the column to predict), {NOT_PRIVATE}",
                text(&guess.column)
            ),
            format!("positive = {}  # guessed, {NOT_PRIVATE}", text(&guess.positive)),
            format!("negative = {}  # guessed, {NOT_PRIVATE}", guess.negative()),
        ),
    };
    vec![
        "[data]".to_owned(),
        format!(
            "path     = {}{}",
            paths(named),
            if path.is_absolute() { "" } else { "  # relative to this file" }
        ),
        account,
        column,
        positive,
        negative,
        "# label  = \"…\"                # what the positive class is called, if `positive` has several values".to_owned(),
    ]
}

/// Asks whether a column says whose a row is. Its name suggests it; its values were not looked at.
fn whose(column: &ObservedColumn) -> String {
    format!(
        "# person = {}  # may a person have several rows? Then let this column say whose each is: the guarantee is about a person",
        text(&column.name)
    )
}

/// One path, or a list.
fn paths(named: &TableSource) -> String {
    let written: Vec<String> =
        named.paths().iter().map(|path| text(&path.to_string_lossy())).collect();
    if let [only] = &written[..] { only.clone() } else { format!("[{}]", written.join(", ")) }
}

/// What a dictionary said, and what it spoke of that is not there.
fn described(dictionary: &Dictionary, columns: &[ObservedColumn]) -> Vec<String> {
    let file = &dictionary.file;
    let mut lines = vec![
        format!(
            "# Lines that say \"from {file}\" are what that data dictionary states. It counts as public: make sure that it was"
        ),
        "# written without looking at these rows.".to_owned(),
    ];
    let others = dictionary.others(|name| columns.iter().any(|column| column.name == name));
    if !others.is_empty() {
        let others = others.iter().map(|name| text(name)).collect::<Vec<_>>().join(", ");
        lines.push(format!("# It also describes {others}, which the table has not."));
    }
    lines
}

fn column(column: &ObservedColumn) -> String {
    let name = key(&column.name);
    match &column.facts {
        Facts::Type(Type::Number) => {
            format!(
                "{name} = {{ min = \"{PLACEHOLDER}\", max = \"{PLACEHOLDER}\" }}  # numeric (guessed); add scale = \"log\" if it is skewed, missing = … if a value \
                 may be missing"
            )
        }
        Facts::Type(Type::Date) => {
            format!(
                "{name} = {{ kind = \"date\", min = \"{PLACEHOLDER}\", max = \"{PLACEHOLDER}\" }}  # a date (guessed); add parts = [\"month\"] to have the month as a category"
            )
        }
        Facts::Type(Type::Text) => {
            format!(
                "{name} = {{ values = \"{PLACEHOLDER}\" }}  # text (guessed): the list of its values, or {{ drop = true }}"
            )
        }
        Facts::Type(Type::Unusable) | Facts::Rows(Type::Unusable, _) => {
            format!("{name} = {{ drop = true }}  # its Parquet type cannot be used")
        }
        Facts::Rows(kind, rows) => {
            format!("{name} = {}{NOT_PRIVATE}", from_rows(&column.name, *kind, rows).1)
        }
    }
}

/// A declaration from the rows, and its text up to the end of its comment.
fn from_rows(name: &str, kind: Type, rows: &RowFacts) -> (Kind, String) {
    let dates = rows.dates.map(|(min, max)| {
        let middle =
            Moment::from_days((min.days() + max.days()) / 2.0, min.has_time() || max.has_time());
        Kind::Date { min, max, missing: rows.missing.then_some(middle) }
    });
    let kind = match (kind, rows.range, &rows.values) {
        (Type::Date, ..) => dates.unwrap_or(Kind::Dropped),
        (Type::Number, Some((min, max)), _) => {
            let missing = rows.missing.then_some(min / 2.0 + max / 2.0);
            Kind::Number { min, max, scale: Scale::Linear, missing, integer: false }
        }
        (Type::Text, _, Some(values)) => Kind::category(values.iter().cloned().collect()),
        _ => Kind::Dropped,
    };
    // Such as a column that always holds the same number.
    if Column::new(name, kind.clone()).check().is_err() {
        return (Kind::Dropped, "{ drop = true }  # constant or empty, ".to_owned());
    }
    let line = match &kind {
        Kind::Number { min, max, missing, .. } => {
            let (missing, guessed) = guessed_missing(missing.map(number));
            format!("{{ min = {}, max = {}{missing} }}  # {guessed}", number(*min), number(*max))
        }
        Kind::Category { values, .. } => {
            let values: Vec<String> = values.iter().map(|value| text(value)).collect();
            format!("{{ values = [{}] }}  # ", values.join(", "))
        }
        Kind::Date { min, max, missing } => {
            let (missing, guessed) = guessed_missing(missing.map(|date| text(&date.to_string())));
            format!("{{ kind = \"date\", min = \"{min}\", max = \"{max}\"{missing} }}  # {guessed}")
        }
        Kind::Dropped => "{ drop = true }  # too many different texts, ".to_owned(),
    };
    (kind, line)
}

/// What a missing value counts as, if some is missing, and what the comment says then.
fn guessed_missing(middle: Option<String>) -> (String, &'static str) {
    match middle {
        Some(middle) => (format!(", missing = {middle}"), "what missing counts as is guessed, "),
        None => (String::new(), ""),
    }
}

struct GuessedTarget {
    column: String,
    positive: String,
    /// All other values.
    negative: Vec<String>,
}

impl GuessedTarget {
    /// As TOML.
    fn negative(&self) -> String {
        let values: Vec<String> = self.negative.iter().map(|value| text(value)).collect();
        match values.as_slice() {
            [] => text("any other"),
            // As a list: what stands there alone may be one of the texts that mean something else.
            values => format!("[{}]", values.join(", ")),
        }
    }
}

/// The last column with two different values or, without one, the last that has any; its last
/// value in order counts as positive (1 of 0 and 1, yes of no and yes).
fn guessed_target(columns: &[ObservedColumn]) -> Option<GuessedTarget> {
    let values = |column: &ObservedColumn| match &column.facts {
        Facts::Rows(_, rows) => rows.values.clone().unwrap_or_default(),
        Facts::Type(_) => Default::default(),
    };
    // A study can name no column whose name is blank.
    let mut named = columns.iter().filter(|column| !column.name.trim().is_empty());
    let two = named.clone().rfind(|column| values(column).len() == 2);
    let guess = two.or_else(|| named.rfind(|column| !values(column).is_empty()))?;
    let mut negative: Vec<String> = values(guess).into_iter().collect();
    let positive = negative.pop()?;
    Some(GuessedTarget { column: guess.name.clone(), positive, negative })
}

/// A path in a comment: on one line.
fn shown(path: &Path) -> String {
    path.to_string_lossy().chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}
