//! The published density: its integral, its plots, its synthetic rows, its file.

use super::*;
use discretion_privacy::Budget;
use discretion_privacy::noise::Released;

/// A number, a category and another number, correlated.
fn mixed() -> Released<Density> {
    let axes = vec![
        Axis::interval("age", 20.0, 100.0),
        Axis::categories("ward", &["a", "b"]),
        Axis::interval("dose", -1.0, 1.0),
    ];
    let mut source = Seeded::new(7);
    let mut points = Points::new(axes.clone()).unwrap();
    for i in 0..5000 {
        let x = source.unit();
        let ward = if x < 0.5 { 0 } else { 1 + i % 2 };
        points.push(&[Value::Number(20.0 + 80.0 * x), Value::Code(ward), Value::Number(x * x)]);
    }
    let wanted = Histogram {
        candidates: Some(vec![Bins(vec![4, 3, 5]), Bins(vec![2, 3, 2])]),
        ..Histogram::new(axes, Budget::Pure { epsilon: 2.0 })
    };
    wanted.plan(5000).unwrap().run(&points, &mut Seeded::new(9)).unwrap()
}

/// One replaced row moves two counts by 1: the noise of every plan is made for that much, in L₁ or
/// in squared L₂.
#[test]
fn the_noise_of_a_plan_is_for_a_replaced_row() {
    let with = |x: f64| {
        let mut points = ramp(2000, 1);
        points.push(&[Value::Number(x)]);
        points.counts(&[8])
    };
    let moves: Vec<i64> = with(0.01).iter().zip(with(0.99)).map(|(a, b)| (a - b).abs()).collect();
    let (moved, squared) = (moves.iter().sum::<i64>(), moves.iter().map(|x| x * x).sum::<i64>());
    for budget in [
        Budget::Pure { epsilon: 1.0 },
        Budget::Approximate { epsilon: 1.0, delta: 1e-6 },
        Budget::Zcdp { rho: 0.5 },
    ] {
        for candidates in [bins(&[8]), bins(&[4, 8])] {
            let wanted =
                Histogram { candidates: Some(candidates), ..Histogram::new(numbers(), budget) };
            let noise = wanted.plan(2001).unwrap().noise();
            let (found, needed) = match noise {
                IntegerNoise::Laplace { sensitivity, .. } => (sensitivity, moved),
                IntegerNoise::Gaussian { squared_sensitivity, .. }
                | IntegerNoise::Rounded { squared_sensitivity, .. } => {
                    (squared_sensitivity, squared)
                }
            };
            assert_eq!(i64::from(found), needed, "{budget}: {noise:?}");
        }
    }
}

/// The midpoint rule is exact for a density that is constant in cells.
#[test]
fn the_integral_is_one() {
    let density = mixed();
    let (ages, doses) = (160, 200);
    let mut integral = 0.0;
    for i in 0..ages {
        let age = 20.0 + 80.0 * (f64::from(i) + 0.5) / f64::from(ages);
        for ward in 0..3 {
            for j in 0..doses {
                let dose = -1.0 + 2.0 * (f64::from(j) + 0.5) / f64::from(doses);
                integral += density.density_at(&[
                    Value::Number(age),
                    Value::Code(ward),
                    Value::Number(dose),
                ]);
            }
        }
    }
    integral *= 80.0 / f64::from(ages) * 2.0 / f64::from(doses);
    assert!((integral - 1.0).abs() < 1e-11, "{integral}");
    let outside = [Value::Number(19.9), Value::Code(0), Value::Number(0.0)];
    assert_eq!(density.density_at(&outside), 0.0);
    assert!((density.probabilities().iter().sum::<f64>() - 1.0).abs() < 1e-12);
}

#[test]
fn marginals_add_up_and_name_their_bars() {
    let density = mixed();
    for axis in 0..3 {
        let bars = density.marginal(axis);
        assert_eq!(bars.len(), density.bins().0[axis]);
        assert!((bars.iter().map(|bar| bar.probability).sum::<f64>() - 1.0).abs() < 1e-12);
    }
    let wards = density.marginal(1);
    assert_eq!(
        wards.iter().map(|bar| bar.category.as_deref()).collect::<Vec<_>>(),
        [Some("a"), Some("b"), None]
    );
    assert!((wards[0].probability - 0.5).abs() < 0.05, "half of the rows, and some noise");
    let ages = density.marginal(0);
    assert!(
        ages[0].interval.unwrap().0 == 20.0 && ages.last().unwrap().interval.unwrap().1 == 100.0
    );
}

/// χ² of synthetic rows in the density's cells, and inside one cell in quarters. By Laurent &
/// Massart 2000 the limiting law exceeds k + 2√(kx) + 2x with probability e^{−x}; x = 13.8 is 1e-6.
/// The seed is fixed, so the test never alarms by chance.
#[test]
fn synthetic_rows_follow_the_density() {
    let density = mixed();
    let count = 200_000;
    let rows = density.sample(count, 11);
    let mut points = Points::new(density.axes().to_vec()).unwrap();
    rows.iter().for_each(|row| points.push(row));
    let bins = &density.bins().0;
    let assert_fits = |counts: &[i64], chances: &[f64]| {
        let used = counts.iter().zip(chances).filter(|&(_, &p)| p * count as f64 >= 20.0);
        let (statistic, cells) = used.fold((0.0, 0.0), |(sum, cells), (&seen, p)| {
            let expected = p * count as f64;
            (sum + (seen as f64 - expected).powi(2) / expected, cells + 1.0)
        });
        let limit: f64 = cells + 2.0 * (cells * 13.8f64).sqrt() + 2.0 * 13.8;
        assert!(statistic < limit, "χ² = {statistic}, limit {limit}");
    };
    assert_fits(&points.counts(bins), density.probabilities());
    // Twice as many bins in both numbers: a quarter of each cell.
    let finer = [2 * bins[0], bins[1], 2 * bins[2]];
    let place = |cell: usize| {
        let (age, ward, dose) =
            (cell / (finer[1] * finer[2]), cell / finer[2] % finer[1], cell % finer[2]);
        (age / 2 * bins[1] + ward) * bins[2] + dose / 2
    };
    let cells = finer.iter().product();
    let chances: Vec<f64> =
        (0..cells).map(|cell| density.probabilities()[place(cell)] / 4.0).collect();
    assert_fits(&points.counts(&finer), &chances);
    assert_eq!(density.sample(5, 3), density.sample(5, 3));
    assert_ne!(density.sample(5, 3), density.sample(5, 4));
}

#[test]
fn a_file_brings_the_density_back_and_nonsense_is_refused() {
    let density = mixed();
    let text = serde_json::to_string(&*density).unwrap();
    assert_eq!(serde_json::from_str::<Density>(&text).unwrap(), *density);
    let refused = |from: &str, to: &str| {
        assert!(text.contains(from), "{text}");
        serde_json::from_str::<Density>(&text.replacen(from, to, 1)).unwrap_err().to_string()
    };
    assert!(
        refused("\"probabilities\":[", "\"probabilities\":[0.0,")
            .contains("one probability for each cell")
    );
    assert!(refused("\"high\":100.0", "\"high\":10.0").contains("not an interval"));
    assert!(refused("\"axes\"", "\"rows\":1,\"axes\"").contains("unknown field"));
    let with_first = |probability: f64| {
        let mut file: serde_json::Value = serde_json::from_str(&text).unwrap();
        file["probabilities"][0] = probability.into();
        serde_json::from_value::<Density>(file).unwrap_err().to_string()
    };
    assert!(
        with_first(1.5).contains("between 0 and 1") && with_first(-0.1).contains("between 0 and 1")
    );
    assert!(with_first(density.probabilities()[0] + 0.1).contains("add up to 1"));
}

#[test]
fn values_outside_are_clipped_missing_ones_are_the_middle_and_unknown_categories_are_other() {
    let axes = vec![Axis::interval("x", 0.0, 10.0), Axis::categories("c", &["a"])];
    let mut points = Points::new(axes).unwrap();
    for (x, code) in [(-3.0, 0), (1e300, 9), (f64::NAN, 1), (10.0, 0), (f64::NEG_INFINITY, 0)] {
        points.push(&[Value::Number(x), Value::Code(code)]);
    }
    // Five bins times (a, other): row by row the cells 0a, 4o, 2o, 4a, 0a.
    assert_eq!(points.counts(&[5, 2]), [2, 0, 0, 0, 0, 1, 0, 0, 1, 1]);
    let (training, validation) = points.split(0.4);
    assert_eq!((training.rows(), validation.rows()), (3, 2));
    assert_eq!(
        validation.counts(&[5, 2]),
        [1, 0, 0, 0, 0, 1, 0, 0, 0, 0],
        "rows 2 and 4, counted from 0"
    );
}

/// Ages in years, 18 to 100, as evenly as can be: a histogram of equal widths has one age or two by
/// turns in 64 bins.
fn ages(low: f64, high: f64, spacing: Spacing, bins: usize) -> Released<Density> {
    let axes = vec![Axis { name: "age".to_owned(), scale: Scale::Integers { low, high, spacing } }];
    let mut points = Points::new(axes.clone()).unwrap();
    let count = (high - low) as usize + 1;
    for i in 0..count * 100 {
        points.push(&[Value::Number(low + (i % count) as f64)]);
    }
    let wanted = Histogram {
        candidates: Some(vec![Bins(vec![bins])]),
        ..Histogram::new(axes, Budget::Pure { epsilon: 1000.0 })
    };
    wanted.plan(count * 100).unwrap().run(&points, &mut Seeded::new(9)).unwrap()
}

#[test]
fn whole_numbers_make_no_comb_and_are_drawn_whole() {
    for (spacing, bins) in [(Spacing::Even, 64), (Spacing::Even, 83), (Spacing::Log, 20)] {
        let density = ages(18.0, 100.0, spacing, bins);
        for age in 18..=100 {
            let height = density.density_at(&[Value::Number(f64::from(age))]);
            assert!((height * 83.0 - 1.0).abs() < 0.01, "{spacing:?} {bins}: {age} has {height}");
        }
        let bars = density.marginal(0);
        assert_eq!(bars.len(), bins);
        assert_eq!(
            (bars[0].interval.unwrap().0, bars[bins - 1].interval.unwrap().1),
            (17.5, 100.5)
        );
        assert!(
            bars.windows(2).all(|pair| pair[0].interval.unwrap().1 == pair[1].interval.unwrap().0)
        );
        let mut seen = std::collections::BTreeSet::new();
        for row in density.sample(20_000, 3) {
            let [Value::Number(age)] = row[..] else { panic!("a column of numbers") };
            assert!(age.fract() == 0.0 && (18.0..=100.0).contains(&age), "{age}");
            seen.insert(age as i64);
        }
        assert_eq!(seen.len(), 83, "every age is drawn");
    }
    let density = ages(18.0, 100.0, Spacing::Even, 64);
    assert_eq!(density.density_at(&[Value::Number(101.0)]), 0.0);
    let json = serde_json::to_string(&*density).unwrap();
    assert!(json.contains(r#""scale":{"integers":{"low":18.0,"high":100.0}}"#), "{json}");
    assert_eq!(serde_json::from_str::<Density>(&json).unwrap(), *density);
}

#[test]
fn there_are_never_more_bins_than_whole_numbers() {
    let axis = |low, high| Axis {
        name: "n".to_owned(),
        scale: Scale::Integers { low, high, spacing: Spacing::Even },
    };
    let found = default_candidates(&[axis(0.0, 9.0)], 1_000_000, 1.0);
    assert_eq!(found, bins(&[4, 8, 10]));
    let wanted = |candidates| Histogram {
        candidates: Some(candidates),
        ..Histogram::new(vec![axis(0.0, 9.0)], Budget::Pure { epsilon: 1.0 })
    };
    assert!(matches!(wanted(bins(&[11])).plan(1000), Err(DensityError::Bins { .. })));
    assert!(wanted(bins(&[10])).plan(1000).is_ok());
    for (low, high) in [(0.5, 3.0), (3.0, 3.0), (4.0, 3.0), (0.0, f64::INFINITY), (0.0, 1e300)] {
        assert!(matches!(Points::new(vec![axis(low, high)]), Err(DensityError::Integers { .. })));
    }
}
