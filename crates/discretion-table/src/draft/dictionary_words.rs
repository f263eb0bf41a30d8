//! The words that data dictionaries use.

/// What a column of a dictionary says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Field {
    Name,
    Type,
    Min,
    Max,
    Values,
    Missing,
    Label,
    Drop,
}

/// What the values of a described column are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning {
    Number,
    Integer,
    Category,
    Date,
    Drop,
}

/// Names of a dictionary's columns, in small letters. The long ones are those of REDCap.
const FIELDS: [(Field, &[&str]); 8] = [
    (
        Field::Name,
        &[
            "name",
            "variable",
            "column",
            "field",
            "variable name",
            "column name",
            "variable / field name",
        ],
    ),
    (
        Field::Type,
        &["type", "kind", "data type", "field type", "text validation type or show slider number"],
    ),
    (Field::Min, &["min", "minimum", "lower", "text validation min"]),
    (Field::Max, &["max", "maximum", "upper", "text validation max"]),
    (
        Field::Values,
        &[
            "values",
            "categories",
            "levels",
            "codes",
            "choices",
            "choices, calculations, or slider labels",
        ],
    ),
    (Field::Missing, &["missing", "na", "missing values", "missing codes"]),
    (Field::Label, &["label", "description", "field label", "variable label"]),
    (Field::Drop, &["drop", "identifier", "identifier?"]),
];

/// Words for types, in small letters.
const MEANINGS: [(Meaning, &[&str]); 5] = [
    (Meaning::Number, &["number", "numeric", "float", "double", "real", "decimal", "continuous"]),
    (Meaning::Integer, &["integer", "int", "count", "whole", "whole number"]),
    (
        Meaning::Category,
        &[
            "category",
            "categorical",
            "factor",
            "text",
            "string",
            "character",
            "char",
            "enum",
            "bool",
            "boolean",
            "logical",
            "nominal",
            "ordinal",
            "radio",
            "dropdown",
        ],
    ),
    (
        Meaning::Date,
        &[
            "date",
            "datetime",
            "time",
            "timestamp",
            "date_ymd",
            "date_dmy",
            "date_mdy",
            "datetime_ymd",
        ],
    ),
    (Meaning::Drop, &["id", "identifier", "drop", "free text", "notes"]),
];

fn known<T: Copy>(table: &[(T, &[&str])], word: &str) -> Option<T> {
    let word = word.trim().to_lowercase();
    table.iter().find(|(_, words)| words.contains(&word.as_str())).map(|(meaning, _)| *meaning)
}

impl Field {
    /// Of a column with this name.
    pub fn of(name: &str) -> Option<Field> {
        known(&FIELDS, name)
    }
}

impl Meaning {
    /// Of this word for a type.
    pub fn of(word: &str) -> Option<Meaning> {
        known(&MEANINGS, word)
    }
}

/// Whether a field says yes.
pub(super) fn is_yes(said: &str) -> bool {
    ["yes", "y", "true", "1", "x"].contains(&said.to_lowercase().as_str())
}

/// Several things in one field.
pub(super) struct List;

impl List {
    /// Between semicolons, or vertical bars, or commas: the first of these that is there.
    pub fn items(said: &str) -> Vec<String> {
        let between =
            [';', '|', ','].into_iter().find(|&between| said.contains(between)).unwrap_or(';');
        said.split(between)
            .map(|item| item.trim().to_owned())
            .filter(|item| !item.is_empty())
            .collect()
    }

    /// Values with what they mean: `1 = male; 2 = female`, or `1, Male | 2, Female` as REDCap has
    /// it.
    pub fn pairs(said: &str) -> Vec<(String, Option<String>)> {
        let items = List::items(said);
        let between = match () {
            () if items.iter().all(|item| item.contains('=')) => '=',
            () if said.contains('|') && items.iter().all(|item| item.contains(',')) => ',',
            () => return items.into_iter().map(|item| (item, None)).collect(),
        };
        let pair = |item: &String| {
            let (value, label) = item.split_once(between).expect("every item has it");
            (value.trim().to_owned(), Some(label.trim().to_owned()))
        };
        items.iter().map(pair).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read_however_they_are_written() {
        assert_eq!(List::items("a; b ;c"), ["a", "b", "c"]);
        assert_eq!(List::items("a|b, c"), ["a", "b, c"]);
        assert_eq!(List::items("-9,NA"), ["-9", "NA"]);
        assert_eq!(List::items("-9"), ["-9"]);
        let pair = |value: &str, label: &str| (value.to_owned(), Some(label.to_owned()));
        assert_eq!(List::pairs("1 = male; 2=female"), [pair("1", "male"), pair("2", "female")]);
        assert_eq!(List::pairs("1, Male | 2, Female"), [pair("1", "Male"), pair("2", "Female")]);
        assert_eq!(
            List::pairs("<=50K; >50K"),
            [("<=50K".to_owned(), None), (">50K".to_owned(), None)]
        );
    }

    #[test]
    fn words_are_known_in_any_case() {
        assert_eq!(Field::of(" Variable / Field Name "), Some(Field::Name));
        assert_eq!(Field::of("colour"), None);
        assert_eq!(Meaning::of("INTEGER"), Some(Meaning::Integer));
        assert!(is_yes("Yes") && !is_yes("no"));
    }
}
