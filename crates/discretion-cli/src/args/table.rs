//! How a table is written, for commands that have no study file to say so.

use clap::{Args, ValueEnum};
use discretion_table::{Decimal, Encoding, TextFormat};

/// As `format` and `na` in a study file.
#[derive(Debug, Clone, Args)]
pub struct TableOptions {
    /// What stands between the fields of a text file: one character, or "tab"
    #[arg(long, value_name = "CHAR", value_parser = delimiter)]
    pub delimiter: Option<char>,
    /// What stands before the decimals of a number: a point or a comma
    #[arg(long, value_name = "CHAR", value_parser = decimal, default_value = ".")]
    pub decimal: Decimal,
    /// How letters are bytes
    #[arg(long, value_name = "NAME", value_enum, default_value_t = EncodingName::Utf8)]
    pub encoding: EncodingName,
    /// A text that means that a value is missing, such as NA; can be given several times
    #[arg(long = "na", value_name = "TEXT")]
    pub na: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum EncodingName {
    #[value(name = "utf-8")]
    Utf8,
    #[value(name = "latin1")]
    Latin1,
    #[value(name = "utf-16")]
    Utf16,
}

impl TableOptions {
    /// As a study file would have it.
    pub fn format(&self) -> TextFormat {
        let encoding = match self.encoding {
            EncodingName::Utf8 => Encoding::Utf8,
            EncodingName::Latin1 => Encoding::Latin1,
            EncodingName::Utf16 => Encoding::Utf16,
        };
        TextFormat { delimiter: self.delimiter, decimal: self.decimal, encoding }
    }
}

fn delimiter(text: &str) -> Result<char, String> {
    let mut letters = text.chars();
    match (text, letters.next(), letters.next()) {
        ("tab" | "\\t", ..) => Ok('\t'),
        (_, Some(only), None) => Ok(only),
        _ => Err("one character, such as ';' (in quotes), or tab".to_owned()),
    }
}

fn decimal(text: &str) -> Result<Decimal, String> {
    match text {
        "." => Ok(Decimal::Point),
        "," => Ok(Decimal::Comma),
        _ => Err("a point or a comma".to_owned()),
    }
}
