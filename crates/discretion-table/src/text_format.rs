//! How a text file is written: what separates fields, what begins decimals, how letters are bytes.
//! Declared, never guessed.

use crate::reading_problem::ReadingProblem;
use serde::{Deserialize, Serialize};

/// `format` in `[data]`. What is left out is as in most CSV files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TextFormat {
    /// What stands between fields; without it a tab in files that are called `.tsv` or `.tab`, and
    /// a comma in all others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delimiter: Option<char>,
    /// What stands before the decimals of a number.
    #[serde(skip_serializing_if = "is_default")]
    pub decimal: Decimal,
    /// How letters are bytes.
    #[serde(skip_serializing_if = "is_default")]
    pub encoding: Encoding,
}

/// What stands before the decimals of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Decimal {
    /// As in 2.5.
    #[default]
    #[serde(rename = ".")]
    Point,
    /// As in 2,5.
    #[serde(rename = ",")]
    Comma,
}

/// How letters are bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Encoding {
    /// The usual one.
    #[default]
    #[serde(rename = "utf-8")]
    Utf8,
    /// One byte for each letter, as Windows writes it in western Europe (code page 1252).
    #[serde(rename = "latin1")]
    Latin1,
    /// Two bytes for most letters, as Excel's "Unicode text" has it.
    #[serde(rename = "utf-16")]
    Utf16,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl TextFormat {
    /// Whether fields and numbers can be told apart.
    pub fn check(self) -> Result<(), ReadingProblem> {
        let delimiter = self.delimiter.unwrap_or(',');
        let usable =
            delimiter == '\t' || (delimiter.is_ascii_punctuation() && !"\"+-.".contains(delimiter));
        if !usable {
            return Err(ReadingProblem::BadDelimiter { delimiter });
        }
        if delimiter == ',' && self.decimal == Decimal::Comma {
            return Err(ReadingProblem::CommaTwice);
        }
        Ok(())
    }
}

impl Decimal {
    pub(crate) fn byte(self) -> u8 {
        match self {
            Decimal::Point => b'.',
            Decimal::Comma => b',',
        }
    }
}
