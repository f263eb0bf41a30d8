//! Arrow columns as the texts that a CSV file would hold.

use super::rare_types::{inexact_place, rare_numbers, rare_texts};
use arrow_array::cast::AsArray;
use arrow_array::types::{
    Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow_array::{
    Array, ArrayRef, ArrowPrimitiveType, Float64Array, LargeBinaryArray, LargeStringArray,
    PrimitiveArray, StringArray, StringViewArray,
};
use arrow_schema::{ArrowError, DataType};
use std::fmt::Display;

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

/// The numbers of one column, of any type that can be read as numbers.
pub(crate) fn numbers(array: &ArrayRef) -> Result<Float64Array, ArrowError> {
    use DataType as T;
    Ok(match array.data_type() {
        T::Float64 => array.as_primitive().clone(),
        T::Float32 => array.as_primitive::<Float32Type>().unary(f64::from),
        T::Int8 => array.as_primitive::<Int8Type>().unary(f64::from),
        T::Int16 => array.as_primitive::<Int16Type>().unary(f64::from),
        T::Int32 => array.as_primitive::<Int32Type>().unary(f64::from),
        T::Int64 => array.as_primitive::<Int64Type>().unary(|value| value as f64),
        T::UInt8 => array.as_primitive::<UInt8Type>().unary(f64::from),
        T::UInt16 => array.as_primitive::<UInt16Type>().unary(f64::from),
        T::UInt32 => array.as_primitive::<UInt32Type>().unary(f64::from),
        T::UInt64 => array.as_primitive::<UInt64Type>().unary(|value| value as f64),
        _ => rare_numbers(array)?,
    })
}

/// The first row with a floating-point number that several whole numbers are rounded to, and the
/// least such number. As a code it may be another one than was meant: one missing value makes
/// floating-point numbers of a column of whole ones.
pub(crate) fn inexact_code(array: &ArrayRef) -> Option<(usize, u64)> {
    use DataType as T;
    let least: u64 = match array.data_type() {
        T::Float64 => 1 << f64::MANTISSA_DIGITS,
        T::Float32 => 1 << f32::MANTISSA_DIGITS,
        T::Float16 => 1 << 11,
        T::Dictionary(..) => return inexact_place(array),
        _ => return None,
    };
    let numbers = numbers(array).ok()?;
    let inexact = |number: Option<f64>| {
        number.is_some_and(|number| number.is_finite() && number.abs() >= least as f64)
    };
    Some((numbers.iter().position(inexact)?, least))
}

/// The texts of one column.
pub(crate) enum Texts {
    Short(StringArray),
    Long(LargeStringArray),
    View(StringViewArray),
    /// Bytes need not be UTF-8, and are compared all the same.
    Bytes(LargeBinaryArray),
    /// Each text once, and where that of a row is.
    Once {
        texts: Box<Texts>,
        places: Vec<Option<usize>>,
    },
}

impl Texts {
    /// Of any type that can be read as text.
    pub fn new(array: &ArrayRef) -> Result<Self, ArrowError> {
        use DataType as T;
        Ok(match array.data_type() {
            T::Utf8 => Self::Short(array.as_string().clone()),
            T::LargeUtf8 => Self::Long(array.as_string().clone()),
            T::Utf8View => Self::View(array.as_string_view().clone()),
            // Of a fraction, the shortest decimal that reads back as the number.
            T::Float32 => written(array.as_primitive::<Float32Type>()),
            T::Float64 => written(array.as_primitive::<Float64Type>()),
            T::Int8 => written(array.as_primitive::<Int8Type>()),
            T::Int16 => written(array.as_primitive::<Int16Type>()),
            T::Int32 => written(array.as_primitive::<Int32Type>()),
            T::Int64 => written(array.as_primitive::<Int64Type>()),
            T::UInt8 => written(array.as_primitive::<UInt8Type>()),
            T::UInt16 => written(array.as_primitive::<UInt16Type>()),
            T::UInt32 => written(array.as_primitive::<UInt32Type>()),
            T::UInt64 => written(array.as_primitive::<UInt64Type>()),
            _ => rare_texts(array)?,
        })
    }

    /// The text in a row, or `None` where there is none.
    pub fn get(&self, row: usize) -> Option<&[u8]> {
        match self {
            Self::Short(texts) => texts.is_valid(row).then(|| texts.value(row).as_bytes()),
            Self::Long(texts) => texts.is_valid(row).then(|| texts.value(row).as_bytes()),
            Self::View(texts) => texts.is_valid(row).then(|| texts.value(row).as_bytes()),
            Self::Bytes(texts) => texts.is_valid(row).then(|| texts.value(row)),
            Self::Once { texts, places } => texts.get(places[row]?),
        }
    }
}

/// Numbers as a CSV file would have them.
fn written<T: ArrowPrimitiveType<Native: Display>>(numbers: &PrimitiveArray<T>) -> Texts {
    Texts::Long(numbers.iter().map(|number| number.map(|number| number.to_string())).collect())
}
