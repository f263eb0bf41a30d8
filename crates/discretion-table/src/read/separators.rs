//! What stands between fields, and before the decimals of a number.

use crate::text_format::{Decimal, TextFormat};
use std::path::Path;

/// A type, so that the code for most files is compiled for commas and points alone and is as fast
/// as it would be without others.
pub(crate) trait Separators: Copy {
    fn delimiter(self) -> u8;
    fn decimal(self) -> u8;
}

/// As in most files.
#[derive(Clone, Copy)]
pub(crate) struct Commas;

/// As declared, or as the file's name says.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct DeclaredSeparators {
    delimiter: u8,
    decimal: u8,
}

impl Separators for Commas {
    #[inline(always)]
    fn delimiter(self) -> u8 {
        b','
    }

    #[inline(always)]
    fn decimal(self) -> u8 {
        b'.'
    }
}

impl Separators for DeclaredSeparators {
    fn delimiter(self) -> u8 {
        self.delimiter
    }

    fn decimal(self) -> u8 {
        self.decimal
    }
}

impl DeclaredSeparators {
    /// Of a file of this name. The format was checked.
    pub fn of(path: &Path, format: TextFormat) -> DeclaredSeparators {
        let delimiter = match format.delimiter {
            Some(delimiter) => u8::try_from(delimiter).expect("a checked delimiter is ASCII"),
            None if is_tabbed(path) => b'\t',
            None => b',',
        };
        DeclaredSeparators { delimiter, decimal: format.decimal.byte() }
    }

    pub fn are_commas(self) -> bool {
        (self.delimiter, self.decimal) == (b',', Decimal::Point.byte())
    }
}

/// Whether a file is called `.tsv` or `.tab`, compressed or not.
pub(crate) fn is_tabbed(path: &Path) -> bool {
    let name = path.to_string_lossy().to_lowercase();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    name.ends_with(".tsv") || name.ends_with(".tab")
}
