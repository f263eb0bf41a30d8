use crate::read::CategoryTally;
use crate::schema::{Column, Kind, Labels, Scale, Schema, Target};
use discretion::erm::matrix::{Batch, Norm, OTHER, margins};
use proptest::prelude::*;

fn schema(norm: Norm, columns: Vec<Kind>) -> Schema {
    let labels = Labels::Two { positive: vec!["1".into()], negative: None, label: None };
    let columns =
        columns.into_iter().enumerate().map(|(i, kind)| Column::new(format!("c{i}"), kind));
    Schema::new(norm, Target { column: "y".into(), labels, na: Vec::new() }, columns.collect())
        .unwrap()
}

fn number(min: f64, max: f64, scale: Scale) -> Kind {
    Kind::Number { min, max, scale, missing: None, integer: false }
}

#[test]
fn encodes_ends_middles_and_missing_values() {
    let linear = number(17.0, 90.0, Scale::Linear);
    let log = number(0.0, 99_999.0, Scale::Log);
    let filled = Kind::Number {
        min: 0.0,
        max: 10.0,
        scale: Scale::Linear,
        missing: Some(10.0),
        integer: false,
    };
    let encoder = schema(Norm::Row, vec![linear, log, filled]).encoder();
    let [age, gain, filled] = &encoder.numbers[..] else { panic!("three numbers") };
    for (value, expected) in [(17.0, -1.0), (53.5, 0.0), (90.0, 1.0), (-1e300, -1.0), (1e300, 1.0)]
    {
        assert_eq!(age.encode(value), expected);
    }
    for (value, expected) in [(0.0, -1.0), (99_999.0, 1.0), (-5.0, -1.0), (1e300, 1.0)] {
        assert_eq!(gain.encode(value), expected);
    }
    assert!(
        (gain.encode(100_000_f64.sqrt() - 1.0)).abs() < 1e-6,
        "half-way between the logarithms"
    );
    assert_eq!((age.missing, gain.missing, filled.missing), (None, None, Some(1.0)));
    let refusal = age.encode_missing(&mut Default::default()).unwrap_err().to_string();
    assert!(refusal.starts_with("column `c0` has no value"), "{refusal}");
}

#[test]
fn undeclared_categories_are_other() {
    let encoder = schema(Norm::Scale, vec![Kind::category(vec!["a".into(), "b".into()])]).encoder();
    let mut tally = CategoryTally::default();
    let codes = ["a", "b", "c", ""]
        .map(|text| encoder.categories[0].encode(text.as_bytes(), &mut tally).unwrap());
    assert_eq!(codes, [0, 1, OTHER, OTHER]);
    assert_eq!((tally.other, tally.missing), (1, 1));
    assert_eq!(encoder.names(), ["(intercept)", "c0=a", "c0=b"]);
}

#[test]
fn numbers_come_before_categories_whatever_the_declared_order() {
    let category = Kind::category(vec!["a".into()]);
    let columns = vec![category.clone(), number(0.0, 1.0, Scale::Linear), Kind::Dropped, category];
    let encoder = schema(Norm::Scale, columns).encoder();
    assert_eq!(encoder.names(), ["(intercept)", "c1", "c0=a", "c3=a"]);
    assert_eq!(encoder.layout().dimension(), 4);
}

#[test]
fn units_are_labelled_and_absent_where_rows_are_divided() {
    let columns = || [0.0, 5.0, -5.0].map(|min| number(min, 10.0, Scale::Log)).to_vec();
    let units = schema(Norm::Scale, columns()).encoder().in_column_units(&[1.0; 4]).unwrap();
    let labels: Vec<&str> = units.iter().map(|unit| unit.of.as_str()).collect();
    assert_eq!(labels, ["(intercept)", "ln(1 + c0)", "ln(1 + c1 - 5)", "ln(1 + c2 + 5)"]);
    assert_eq!(schema(Norm::Row, columns()).encoder().in_column_units(&[1.0; 4]), None);
}

#[test]
fn every_width_of_table_stays_within_the_unit_ball() {
    // Layout::new checks exactly, and the encoder panics if it refuses.
    for width in (1..200).chain([1000, 4095, 4096, 10_000]) {
        schema(Norm::Scale, vec![number(0.0, 1.0, Scale::Linear); width]).encoder().layout();
    }
}

fn any_number() -> impl Strategy<Value = Kind> {
    let scale = prop_oneof![Just(Scale::Linear), Just(Scale::Log)];
    (-1e6..1e6, 1e-3..1e6, scale).prop_map(|(min, width, scale)| number(min, min + width, scale))
}

fn any_column() -> impl Strategy<Value = Kind> {
    let category = (1..5_u8).prop_map(|n| Kind::category((0..n).map(|i| i.to_string()).collect()));
    prop_oneof![any_number(), category]
}

proptest! {
    #[test]
    fn rows_are_short_and_margins_agree_in_units(
        columns in prop::collection::vec(any_column(), 1..12),
        fields in prop::collection::vec((-2e6..2e6, 0..6_u8), 12),
        theta in prop::collection::vec(-10.0..10.0, 64),
    ) {
        let encoder = schema(Norm::Scale, columns.clone()).encoder();
        let theta = &theta[..encoder.layout().dimension()];
        let mut batch = Batch::default();
        let mut clipped = Vec::new();
        let mut hits = Vec::new();
        for (column, (value, category)) in columns.iter().zip(&fields) {
            match column {
                Kind::Number { min, max, scale, .. } => {
                    batch.numeric.push(encoder.numbers[batch.numeric.len()].encode(*value));
                    let value = value.clamp(*min, *max);
                    clipped.push(if *scale == Scale::Log { (value - min).ln_1p() } else { value });
                }
                Kind::Category { values, .. } => {
                    let text = category.to_string();
                    let code = encoder.categories[batch.codes.len()].encode(text.as_bytes(), &mut Default::default());
                    let code = code.unwrap();
                    batch.codes.push(code);
                    hits.extend((0..values.len()).map(|i| f64::from(u8::from(i == usize::from(code)))));
                }
                Kind::Date { .. } | Kind::Dropped => unreachable!(),
            }
        }
        let c = f64::from(encoder.constant);
        let declared = batch.codes.iter().filter(|code| **code != OTHER).count();
        let squares: f64 = batch.numeric.iter().map(|x| f64::from(*x).powi(2)).sum();
        prop_assert!(squares + c * c * (1 + declared) as f64 <= 1.0);

        let units = encoder.in_column_units(theta).unwrap();
        let inputs = clipped.iter().chain(&hits);
        let in_units = units[0].value + units[1..].iter().zip(inputs).map(|(u, v)| u.value * v).sum::<f64>();
        let encoded = margins(&encoder.layout(), batch, theta)[0];
        // The encoded values are single precision; θ is up to 10 here.
        prop_assert!((in_units - encoded).abs() < 1e-6 * (10.0 + encoded.abs()), "{} {}", in_units, encoded);
    }
}
