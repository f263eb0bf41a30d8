//! Arrow columns as the texts that a CSV file would hold.

use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, Float64Type};
use arrow_array::{Array, ArrayRef, LargeBinaryArray, LargeStringArray};
use arrow_schema::{ArrowError, DataType};

/// What a column of some arrow type can be read as.
pub(crate) struct ColumnType {
    pub number: bool,
    pub text: bool,
}

/// Lists, structs and the like are neither; dates are texts.
pub(crate) fn column_type(found: &DataType) -> ColumnType {
    use DataType as T;
    let number = matches!(found, T::Null | T::Boolean | T::Float16) || found.is_numeric();
    let text = number
        || matches!(
            found,
            T::Utf8
                | T::LargeUtf8
                | T::Utf8View
                | T::Binary
                | T::LargeBinary
                | T::BinaryView
                | T::FixedSizeBinary(_)
                | T::Date32
                | T::Date64
                | T::Timestamp(..)
                | T::Time32(_)
                | T::Time64(_)
        );
    match found {
        T::Dictionary(_, value) => column_type(value),
        _ => ColumnType { number, text },
    }
}

/// Whether values of some arrow type have a day.
pub(crate) fn has_dates(found: &DataType) -> bool {
    matches!(found, DataType::Date32 | DataType::Date64 | DataType::Timestamp(..))
}

/// The texts of one column.
pub(crate) enum Texts {
    Strings(LargeStringArray),
    /// Bytes need not be UTF-8, and are compared all the same.
    Bytes(LargeBinaryArray),
}

impl Texts {
    /// Of any type that can be read as text.
    pub fn new(array: &ArrayRef) -> Result<Self, ArrowError> {
        use DataType as T;
        let strings = |array: &ArrayRef| {
            arrow_cast::cast(array, &T::LargeUtf8).map(|array| Self::Strings(array.as_string().clone()))
        };
        match array.data_type() {
            T::Dictionary(_, value) => Self::new(&arrow_cast::cast(array, value)?),
            T::Float16 => Self::new(&arrow_cast::cast(array, &T::Float32)?),
            // The shortest decimal that reads back as the number.
            T::Float32 => {
                let values = array.as_primitive::<Float32Type>().iter();
                Ok(Self::Strings(values.map(|value| value.map(|value| value.to_string())).collect()))
            }
            T::Float64 => {
                let values = array.as_primitive::<Float64Type>().iter();
                Ok(Self::Strings(values.map(|value| value.map(|value| value.to_string())).collect()))
            }
            T::Binary | T::LargeBinary | T::BinaryView | T::FixedSizeBinary(_) => {
                arrow_cast::cast(array, &T::LargeBinary).map(|array| Self::Bytes(array.as_binary().clone()))
            }
            _ => strings(array),
        }
    }

    /// The text in a row, or `None` where there is none.
    pub fn get(&self, row: usize) -> Option<&[u8]> {
        match self {
            Self::Strings(texts) => texts.is_valid(row).then(|| texts.value(row).as_bytes()),
            Self::Bytes(texts) => texts.is_valid(row).then(|| texts.value(row)),
        }
    }
}
