//! Columns of the types that few tables have: times, decimals, truth values, bytes, texts by
//! number.
//!
//! Written here and not left to `arrow-cast`, which converts anything into anything and takes half
//! a minute to compile.

use super::texts::{Texts, inexact_code, numbers};
use arrow_array::cast::AsArray;
use arrow_array::temporal_conversions::{as_date, as_datetime, as_datetime_with_timezone, as_time};
use arrow_array::timezone::Tz;
use arrow_array::types::{
    ArrowTimestampType, Date32Type, Date64Type, Decimal32Type, Decimal64Type, Decimal128Type,
    Decimal256Type, DecimalType, Float16Type, Time32MillisecondType, Time32SecondType,
    Time64MicrosecondType, Time64NanosecondType, TimestampMicrosecondType,
    TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType,
};
use arrow_array::{
    Array, ArrayRef, ArrowPrimitiveType, Float64Array, LargeBinaryArray, LargeStringArray,
};
use arrow_schema::{ArrowError, DataType, TimeUnit};
use chrono::SecondsFormat::AutoSi;
use std::fmt::Debug;

/// Names of the zone without an offset.
const UTC: [&str; 4] = ["UTC", "Etc/UTC", "GMT", "Z"];

/// The numbers of a column whose type is none of the usual ones.
pub(super) fn rare_numbers(array: &ArrayRef) -> Result<Float64Array, ArrowError> {
    use DataType as T;
    Ok(match array.data_type() {
        T::Null => Float64Array::new_null(array.len()),
        T::Boolean => array.as_boolean().iter().map(|value| value.map(f64::from)).collect(),
        T::Float16 => array.as_primitive::<Float16Type>().unary(f64::from),
        T::Decimal32(..) => decimal_numbers::<Decimal32Type>(array),
        T::Decimal64(..) => decimal_numbers::<Decimal64Type>(array),
        T::Decimal128(..) => decimal_numbers::<Decimal128Type>(array),
        T::Decimal256(..) => decimal_numbers::<Decimal256Type>(array),
        T::Dictionary(..) => {
            let found = numbers(array.as_any_dictionary().values())?;
            places(array)
                .map(|place| place.and_then(|at| found.is_valid(at).then(|| found.value(at))))
                .collect()
        }
        other => return Err(ArrowError::CastError(format!("{other} is no type of numbers"))),
    })
}

/// The texts of a column whose type is none of the usual ones.
pub(super) fn rare_texts(array: &ArrayRef) -> Result<Texts, ArrowError> {
    use DataType as T;
    Ok(Texts::Long(match array.data_type() {
        T::Dictionary(..) => {
            let texts = Box::new(Texts::new(array.as_any_dictionary().values())?);
            return Ok(Texts::Once { texts, places: places(array).collect() });
        }
        T::Binary => return Ok(Texts::Bytes(array.as_binary::<i32>().iter().collect())),
        T::LargeBinary => return Ok(Texts::Bytes(array.as_binary::<i64>().clone())),
        T::BinaryView => return Ok(Texts::Bytes(array.as_binary_view().iter().collect())),
        T::FixedSizeBinary(_) => {
            let bytes: LargeBinaryArray = array.as_fixed_size_binary().iter().collect();
            return Ok(Texts::Bytes(bytes));
        }
        T::Null => LargeStringArray::new_null(array.len()),
        T::Boolean => {
            array.as_boolean().iter().map(|value| value.map(|value| value.to_string())).collect()
        }
        T::Float16 => each::<Float16Type>(array, |value| Some(value.to_f32().to_string()))?,
        T::Decimal32(..) => decimal_texts::<Decimal32Type>(array)?,
        T::Decimal64(..) => decimal_texts::<Decimal64Type>(array)?,
        T::Decimal128(..) => decimal_texts::<Decimal128Type>(array)?,
        T::Decimal256(..) => decimal_texts::<Decimal256Type>(array)?,
        T::Date32 => each::<Date32Type>(array, |day| written(as_date::<Date32Type>(day.into())))?,
        T::Date64 => each::<Date64Type>(array, |time| written(as_datetime::<Date64Type>(time)))?,
        T::Time32(TimeUnit::Second) => times::<Time32SecondType>(array)?,
        T::Time32(_) => times::<Time32MillisecondType>(array)?,
        T::Time64(TimeUnit::Nanosecond) => times::<Time64NanosecondType>(array)?,
        T::Time64(_) => times::<Time64MicrosecondType>(array)?,
        T::Timestamp(TimeUnit::Second, zone) => {
            moments::<TimestampSecondType>(array, zone.as_deref())?
        }
        T::Timestamp(TimeUnit::Millisecond, zone) => {
            moments::<TimestampMillisecondType>(array, zone.as_deref())?
        }
        T::Timestamp(TimeUnit::Microsecond, zone) => {
            moments::<TimestampMicrosecondType>(array, zone.as_deref())?
        }
        T::Timestamp(TimeUnit::Nanosecond, zone) => {
            moments::<TimestampNanosecondType>(array, zone.as_deref())?
        }
        other => return Err(ArrowError::CastError(format!("{other} is no type of texts"))),
    }))
}

/// The first row of a dictionary whose value is an inexact code, by [`inexact_code`].
pub(super) fn inexact_place(array: &ArrayRef) -> Option<(usize, u64)> {
    let values = array.as_any_dictionary().values();
    let (_, least) = inexact_code(values)?;
    let is_inexact = |place: usize| inexact_code(&values.slice(place, 1)).is_some();
    let row = places(array).position(|place| place.is_some_and(is_inexact))?;
    Some((row, least))
}

/// Of each row of a dictionary, the place of its value, if it has one.
fn places(array: &ArrayRef) -> impl Iterator<Item = Option<usize>> {
    let dictionary = array.as_any_dictionary();
    let keys = if dictionary.values().is_empty() {
        vec![0; array.len()]
    } else {
        dictionary.normalized_keys()
    };
    let nulls = dictionary.keys().nulls().cloned();
    let known = !dictionary.values().is_empty();
    keys.into_iter().enumerate().map(move |(row, key)| {
        (known && nulls.as_ref().is_none_or(|nulls| nulls.is_valid(row))).then_some(key)
    })
}

/// The text of each value. An error names no value.
fn each<T: ArrowPrimitiveType>(
    array: &ArrayRef,
    text: impl Fn(T::Native) -> Option<String>,
) -> Result<LargeStringArray, ArrowError> {
    let beyond =
        || ArrowError::CastError(format!("a value is beyond what {} can be", array.data_type()));
    let texts = array.as_primitive::<T>().iter();
    texts.map(|value| value.map(|value| text(value).ok_or_else(beyond)).transpose()).collect()
}

/// A day or a time, in the order of ISO 8601.
fn written(moment: Option<impl Debug>) -> Option<String> {
    moment.map(|moment| format!("{moment:?}"))
}

fn times<T: ArrowPrimitiveType<Native: Into<i64>>>(
    array: &ArrayRef,
) -> Result<LargeStringArray, ArrowError> {
    each::<T>(array, |time| written(as_time::<T>(time.into())))
}

fn moments<T: ArrowTimestampType>(
    array: &ArrayRef,
    zone: Option<&str>,
) -> Result<LargeStringArray, ArrowError> {
    let Some(zone) = zone else {
        return each::<T>(array, |moment| written(as_datetime::<T>(moment)));
    };
    // Spark and pandas name the zone whose offset everybody knows. Offsets of other names are in a
    // database that is not here.
    let offset = if UTC.contains(&zone) { "+00:00" } else { zone };
    let named = |_| {
        ArrowError::CastError(format!(
            "its times are in the zone {zone}: write them in UTC, or without a zone"
        ))
    };
    let zone = offset.parse::<Tz>().map_err(named)?;
    let told = |moment| as_datetime_with_timezone::<T>(moment, zone);
    each::<T>(array, |moment| told(moment).map(|moment| moment.to_rfc3339_opts(AutoSi, true)))
}

fn decimal_texts<T: DecimalType>(array: &ArrayRef) -> Result<LargeStringArray, ArrowError> {
    let (precision, scale) =
        (array.as_primitive::<T>().precision(), array.as_primitive::<T>().scale());
    each::<T>(array, |value| Some(T::format_decimal(value, precision, scale)))
}

/// The nearest numbers.
fn decimal_numbers<T: DecimalType>(array: &ArrayRef) -> Float64Array {
    let decimals = array.as_primitive::<T>();
    let text = |value| T::format_decimal(value, decimals.precision(), decimals.scale());
    decimals.unary(|value| text(value).parse().expect("a decimal is a number"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::*;
    use std::sync::Arc;

    fn all(array: impl Array + 'static) -> Vec<Option<String>> {
        let rows = array.len();
        let texts = Texts::new(&(Arc::new(array) as ArrayRef)).unwrap();
        (0..rows)
            .map(|row| texts.get(row).map(|text| String::from_utf8(text.to_vec()).unwrap()))
            .collect()
    }

    fn told(texts: &[&str]) -> Vec<Option<String>> {
        texts.iter().map(|text| (*text != "-").then(|| (*text).to_owned())).collect()
    }

    #[test]
    fn times_are_written_as_iso_8601_has_them() {
        let moments =
            || TimestampMillisecondArray::from(vec![Some(1_577_880_000_123), None, Some(-1000)]);
        assert_eq!(all(moments()), told(&["2020-01-01T12:00:00.123", "-", "1969-12-31T23:59:59"]));
        let in_zone = |zone: &str| all(moments().with_timezone(zone));
        assert_eq!(in_zone("+02:00")[0].as_deref(), Some("2020-01-01T14:00:00.123+02:00"));
        for utc in UTC {
            assert_eq!(
                in_zone(utc),
                told(&["2020-01-01T12:00:00.123Z", "-", "1969-12-31T23:59:59Z"])
            );
        }
        assert_eq!(
            all(Date32Array::from(vec![Some(18_262), None, Some(-1)])),
            told(&["2020-01-01", "-", "1969-12-31"])
        );
        assert_eq!(all(Date64Array::from(vec![86_400_000])), told(&["1970-01-02T00:00:00"]));
        assert_eq!(all(Time32SecondArray::from(vec![3661])), told(&["01:01:01"]));
        assert_eq!(
            all(Time64NanosecondArray::from(vec![3_661_000_000_001])),
            told(&["01:01:01.000000001"])
        );
    }

    /// What cannot be written is an error that does not say what it was.
    #[test]
    fn a_time_beyond_all_times_is_in_no_message() {
        let never: ArrayRef = Arc::new(TimestampSecondArray::from(vec![4_711_000_000_000_000_000]));
        let error = Texts::new(&never).err().unwrap().to_string();
        assert!(error.contains("beyond") && !error.contains("4711"), "{error}");
        let elsewhere: ArrayRef =
            Arc::new(TimestampSecondArray::from(vec![0]).with_timezone("Mars/Olympus"));
        let error = Texts::new(&elsewhere).err().unwrap().to_string();
        assert!(error.contains("Mars/Olympus: write them in UTC"), "{error}");
    }

    #[test]
    fn decimals_have_all_their_digits_and_the_nearest_number() {
        let decimals = || {
            Decimal128Array::from(vec![Some(123), None, Some(-5), Some(900_719_925_474_099_300)])
                .with_precision_and_scale(38, 2)
                .unwrap()
        };
        assert_eq!(all(decimals()), told(&["1.23", "-", "-0.05", "9007199254740993.00"]));
        let found = numbers(&(Arc::new(decimals()) as ArrayRef)).unwrap();
        assert_eq!(
            found.iter().collect::<Vec<_>>(),
            [Some(1.23), None, Some(-0.05), Some(9_007_199_254_740_992.0)]
        );
        let thousands = Decimal32Array::from(vec![7]).with_precision_and_scale(9, -3).unwrap();
        assert_eq!(numbers(&(Arc::new(thousands) as ArrayRef)).unwrap().value(0), 7000.0);
    }

    #[test]
    fn what_is_there_once_is_found_in_every_row() {
        let keys = UInt16Array::from(vec![Some(2), Some(1), None, Some(0)]);
        let days: ArrayRef = Arc::new(Date32Array::from(vec![Some(0), None, Some(1)]));
        assert_eq!(
            all(DictionaryArray::new(keys.clone(), days)),
            told(&["1970-01-02", "-", "-", "1970-01-01"])
        );
        let values: ArrayRef = Arc::new(Int64Array::from(vec![Some(5), None, Some(-7)]));
        let found = numbers(&(Arc::new(DictionaryArray::new(keys, values)) as ArrayRef)).unwrap();
        assert_eq!(found.iter().collect::<Vec<_>>(), [Some(-7.0), None, None, Some(5.0)]);
        let nothing: ArrayRef = Arc::new(StringArray::from(Vec::<&str>::new()));
        let none = DictionaryArray::new(UInt16Array::from(vec![None::<u16>, None]), nothing);
        assert_eq!(all(none), told(&["-", "-"]));
    }

    #[test]
    fn truth_values_halves_and_bytes() {
        assert_eq!(
            all(BooleanArray::from(vec![Some(true), None, Some(false)])),
            told(&["true", "-", "false"])
        );
        assert_eq!(all(NullArray::new(2)), told(&["-", "-"]));
        let yes = numbers(&(Arc::new(BooleanArray::from(vec![true, false])) as ArrayRef)).unwrap();
        assert_eq!(yes.values().to_vec(), [1.0, 0.0]);
        for bytes in [
            Arc::new(BinaryArray::from(vec![Some(&b"a\xff"[..]), None])) as ArrayRef,
            Arc::new(LargeBinaryArray::from(vec![Some(&b"a\xff"[..]), None])),
            Arc::new(BinaryViewArray::from(vec![Some(&b"a\xff"[..]), None])),
        ] {
            let texts = Texts::new(&bytes).unwrap();
            assert_eq!((texts.get(0), texts.get(1)), (Some(&b"a\xff"[..]), None));
        }
    }
}
