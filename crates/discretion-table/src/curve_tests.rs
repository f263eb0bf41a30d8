use super::*;

fn range(min: f64, max: f64, scale: Scale) -> NumberRange {
    NumberRange { min, max, scale, missing: None, integer: false }
}

#[test]
fn knots_are_equally_far_apart_on_the_column_s_scale() {
    let linear = range(18.0, 100.0, Scale::Linear);
    assert_eq!(Curve::even(3).values(&linear), [18.0, 59.0, 100.0]);
    let log = range(1.0, 1.0 + 2f64.exp() - 1.0, Scale::Log);
    let values = Curve::even(3).values(&log);
    assert!((values[1] - 1f64.exp()).abs() < 1e-12 && values[2] == log.max);
    let axis = KnotAxis::new(&Curve::even(3), &log);
    assert!((axis.position(values[1]) - 1.0).abs() < 1e-6);
    assert_eq!([0.0, 1.0, 1e9].map(|x| axis.position(x)), [0.0, 0.0, 2.0]);
}

#[test]
fn a_value_lies_between_the_knots_around_it() {
    let column = range(18.0, 100.0, Scale::Linear);
    let curve = Curve { knots: Knots::At(vec![20.0, 30.0, 50.0]), ..Curve::even(2) };
    let axis = KnotAxis::new(&curve, &column);
    assert_eq!(axis.values, [18.0, 20.0, 30.0, 50.0, 100.0]);
    let places = [(18.0, 0.0), (19.0, 0.5), (20.0, 1.0), (35.0, 2.25), (100.0, 4.0), (200.0, 4.0)];
    for (value, expected) in places {
        assert_eq!(axis.position(value), expected, "{value}");
    }
    // The middle is 59, between 50 and 100.
    assert_eq!(axis.middle_value(), 59.0);
    let [(3, low), (4, high)] = axis.middle()[..] else { panic!("two knots") };
    assert!((low - 0.82).abs() < 1e-12 && (high - 0.18).abs() < 1e-12);
}

#[test]
fn curves_that_cannot_be_are_refused() {
    let column = range(0.0, 10.0, Scale::Linear);
    for knots in
        [Knots::Even(1), Knots::Even(201), Knots::At(vec![3.0, 2.0]), Knots::At(vec![11.0])]
    {
        assert!(Curve { knots, ..Curve::even(2) }.check("x", &column).is_err());
    }
    // The ends may be listed.
    let curve = Curve { knots: Knots::At(vec![0.0, 5.0, 10.0]), ..Curve::even(2) };
    assert!(curve.check("x", &column).is_ok() && curve.values(&column).len() == 3);
}

/// Against the definition: nothing else that goes up is nearer (looked for on a grid around it).
#[test]
fn isotonic_values_are_the_nearest_that_go_one_way() {
    let made = |values: &[f64], way| {
        let mut made = values.to_vec();
        isotonic(&mut made, way);
        made
    };
    assert_eq!(made(&[1.0, 3.0, 2.0, 4.0], Monotone::Up), [1.0, 2.5, 2.5, 4.0]);
    assert_eq!(made(&[3.0, 2.0, 1.0], Monotone::Up), [2.0, 2.0, 2.0]);
    assert_eq!(made(&[3.0, 2.0, 2.5, 1.0], Monotone::Down), [3.0, 2.25, 2.25, 1.0]);
    let values: Vec<f64> = (0..5).map(|k| (f64::from(k) * 2.3).sin()).collect();
    let nearest = made(&values, Monotone::Up);
    let distance = |of: &[f64]| of.iter().zip(&values).map(|(a, b)| (a - b).powi(2)).sum::<f64>();
    assert!(nearest.is_sorted());
    for moved in 0..3usize.pow(5) {
        let other: Vec<f64> = (0..5)
            .map(|k| nearest[k] + 0.01 * ((moved / 3usize.pow(k as u32) % 3) as f64 - 1.0))
            .collect();
        assert!(!other.is_sorted() || distance(&other) >= distance(&nearest) - 1e-12);
    }
}
