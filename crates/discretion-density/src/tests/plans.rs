//! What is refused, what a plan costs, and that running it chooses sensibly.

use super::*;
use discretion_choose::{Refused, Rule};
use discretion_privacy::Budget;
use discretion_privacy::account::{Event, Spend, amount};
use discretion_privacy::noise::Receipt;

const PURE: Budget = Budget::Pure { epsilon: 1.0 };
const RHO: Budget = Budget::Zcdp { rho: 0.1 };

fn histogram(budget: Budget) -> Histogram {
    Histogram { candidates: Some(bins(&[4, 16, 64])), ..Histogram::new(numbers(), budget) }
}

/// What is named as enough is enough, and one row or a thousandth of the budget less is not.
#[test]
fn too_few_rows_are_refused_with_what_would_do() {
    for budget in [
        PURE,
        Budget::Pure { epsilon: 0.01 },
        Budget::Approximate { epsilon: 1.0, delta: 1e-6 },
        RHO,
    ] {
        for candidates in [bins(&[64]), bins(&[4, 16, 64])] {
            let wanted = Histogram { candidates: Some(candidates), ..histogram(budget) };
            let Err(DensityError::TooFewRows { needed, smallest, cells: 64, .. }) =
                wanted.plan(10).map(drop)
            else {
                panic!("ten rows are enough for {budget}")
            };
            wanted.plan(needed).unwrap();
            assert!(
                matches!(wanted.plan(needed - 1), Err(DensityError::TooFewRows { .. })),
                "{needed}"
            );
            let smallest = smallest.unwrap();
            Histogram { budget: smallest, ..wanted.clone() }.plan(10).unwrap();
            let less = match smallest {
                Budget::Pure { epsilon } => Budget::Pure { epsilon: 0.999 * epsilon },
                Budget::Approximate { epsilon, delta } => {
                    Budget::Approximate { epsilon: 0.999 * epsilon, delta }
                }
                Budget::Zcdp { rho } => Budget::Zcdp { rho: 0.999 * rho },
            };
            let refused = Histogram { budget: less, ..wanted }.plan(10).map(drop);
            assert!(matches!(refused, Err(DensityError::TooFewRows { .. })), "{less}");
        }
    }
}

#[test]
fn the_refusal_is_a_sentence_that_says_what_to_do() {
    let refused = histogram(PURE).plan(50).map(drop).unwrap_err().to_string();
    assert!(
        refused.starts_with("50 rows are too few for ε = 1 and 64 cells: at least ")
            && refused.contains("or ε = ")
    );
    let hopeless = histogram(PURE).plan(1).map(drop).unwrap_err().to_string();
    assert!(hopeless.ends_with("rows would do, or fewer bins"), "{hopeless}");
}

#[test]
fn a_plan_costs_its_budget() {
    for budget in [PURE, Budget::Approximate { epsilon: 1.0, delta: 1e-6 }, RHO] {
        for candidates in [bins(&[64]), bins(&[4, 16, 64])] {
            let plan = Histogram { candidates: Some(candidates), ..histogram(budget) }
                .plan(10_000)
                .unwrap();
            // A pure account wants a price without δ, which an approximate one would not notice.
            let cap = if let Budget::Approximate { epsilon, .. } = budget {
                Budget::Pure { epsilon }
            } else {
                budget
            };
            let price = Spend::of(&plan.event()).unwrap().price(cap).unwrap();
            let share = price.amount / amount(cap);
            assert!(share <= 1.0 && share > 0.99, "{budget}: {share} of it, {:?}", plan.event());
        }
    }
}

#[test]
fn choosing_is_pure_and_one_candidate_is_no_choice() {
    let event = histogram(PURE).plan(10_000).unwrap().event();
    let Event::Composition { of } = &event else { panic!("{event:?}") };
    assert!(matches!(of[0], Event::Selection { candidates: 3, .. }), "{event:?}");
    let single = Histogram { candidates: Some(bins(&[8])), ..histogram(PURE) };
    assert!(matches!(single.plan(10_000).unwrap().event(), Event::Pure { epsilon: 1.0, .. }));
}

#[test]
fn bad_requests_are_refused() {
    let refused = |wanted: Histogram| wanted.plan(100_000).map(drop).unwrap_err();
    let good = histogram(PURE);
    assert_eq!(refused(Histogram { axes: vec![], ..good.clone() }), DensityError::NoAxes);
    for axis in [Axis::interval("x", 1.0, 1.0), Axis::interval("x", 0.0, f64::INFINITY)] {
        let wanted = Histogram { axes: vec![axis], ..good.clone() };
        assert!(matches!(refused(wanted), DensityError::Interval { .. }));
    }
    for axis in [Axis::categories("c", &[]), Axis::categories("c", &["a", "a"])] {
        let wanted = Histogram { axes: vec![axis], ..good.clone() };
        assert!(matches!(refused(wanted), DensityError::Categories { .. }));
    }
    for wrong in [vec![4, 4], vec![0], vec![]] {
        let wanted = Histogram { candidates: Some(vec![Bins(wrong)]), ..good.clone() };
        assert!(matches!(refused(wanted), DensityError::Bins { .. }));
    }
    let huge = Histogram { candidates: Some(bins(&[1 << 20])), ..good.clone() };
    assert!(matches!(refused(huge), DensityError::TooManyCells { .. }));
    let none = Histogram { candidates: Some(vec![]), ..good.clone() };
    assert_eq!(refused(none), DensityError::Selection(Refused::NoCandidates));
    let twice = Histogram { candidates: Some(bins(&[8, 8])), ..good.clone() };
    assert_eq!(refused(twice), DensityError::Selection(Refused::Repeated { first: 0, second: 1 }));
    let sure = Histogram { rule: Rule::Uniform { doubt: 0.0 }, ..good.clone() };
    assert_eq!(refused(sure), DensityError::Selection(Refused::Doubt(0.0)));
    let all = Histogram { validation_share: 1.0, ..good.clone() };
    assert!(matches!(refused(all), DensityError::Share { what: "validation", .. }));
    let blind = Histogram { ceiling: 0, ..good.clone() };
    assert_eq!(refused(blind), DensityError::Ceiling);
    let nothing = Histogram { budget: Budget::Pure { epsilon: 0.0 }, ..good };
    assert!(matches!(refused(nothing), DensityError::Budget(_)));
}

/// Bins between whole numbers hold equally many of them, or at least four.
#[test]
fn default_bins_suit_ages_in_years() {
    let found = |low: f64, high: f64| -> Vec<usize> {
        let axes = [Axis::interval("age", low, high)];
        default_candidates(&axes, 10_000_000, 1.0).iter().map(|bins| bins.0[0]).collect()
    };
    assert_eq!(found(18.0, 100.0), [4, 8, 16, 41, 82]);
    assert_eq!(found(0.0, 100.0), [4, 8, 16, 50, 100]);
    assert_eq!(found(17.0, 90.0), [4, 8, 16, 73]);
    assert_eq!(found(0.0, 16.0), [4, 8, 16]);
    assert_eq!(found(0.0, 1000.0), [4, 8, 16, 32, 64, 128]);
    let powers = [4, 8, 16, 32, 64, 128, 256];
    for (low, high) in [(0.0, 1.0), (0.0, 10.0), (0.5, 99.5), (0.0, 1e300), (-1e6, 1e6)] {
        assert_eq!(found(low, high), powers, "{low} to {high}");
    }
}

/// Whatever the rows, the columns and the budget, the default candidates are feasible as soon as
/// the coarsest is.
#[test]
fn default_candidates_are_feasible() {
    let mixed = vec![
        Axis::interval("x", 0.0, 1.0),
        Axis::categories("c", &["a", "b"]),
        Axis::interval("y", -1.0, 1.0),
        Axis::interval("z", -1.0, 1.0),
    ];
    for axes in
        [numbers(), mixed[..2].to_vec(), mixed[..3].to_vec(), mixed.clone(), mixed[1..2].to_vec()]
    {
        for budget in [PURE, Budget::Pure { epsilon: 0.05 }, RHO] {
            let mut feasible = false;
            let mut most = 0;
            for rows in [10, 30, 100, 300, 1000, 3000, 10_000, 1_000_000] {
                let plan = Histogram::new(axes.clone(), budget).plan(rows);
                assert!(plan.is_ok() || !feasible, "{rows} rows are refused and fewer are not");
                feasible = plan.is_ok();
                let candidates = plan.map_or(0, |plan| plan.candidates().len());
                assert!(candidates >= most, "more rows, fewer candidates");
                most = candidates;
            }
            assert!(feasible);
        }
    }
    let plan = Histogram::new(numbers(), PURE).plan(1_000_000).unwrap();
    assert_eq!(plan.candidates(), bins(&[4, 8, 16, 32, 64, 128, 256]));
}

/// Two values, far apart, need fine bins; few rows that are spread evenly do not.
#[test]
fn the_choice_follows_the_rows() {
    let mut points = Points::new(numbers()).unwrap();
    (0..40_000).for_each(|i| points.push(&[Value::Number(if i % 3 == 0 { 0.1 } else { 0.6 })]));
    let wanted = Histogram { candidates: Some(bins(&[1, 32])), ..Histogram::new(numbers(), PURE) };
    // The scores are 1 and about 17.8, and one row moves them by at most 0.006: the other choice
    // has probability e^{−700}.
    let density =
        wanted.plan(40_000).unwrap().run(&points, Receipt::nobody_remembers().noise()).unwrap();
    assert_eq!(density.bins(), &Bins(vec![32]));
    // Forty deviations of the noise.
    assert!((density.probabilities()[3] - 1.0 / 3.0).abs() < 0.01);
    let mut even = Points::new(numbers()).unwrap();
    (0..1000).for_each(|i| even.push(&[Value::Number(f64::from(i) / 1000.0)]));
    let careful = Histogram { rule: Rule::Generalised { doubt: 0.05 }, ..wanted };
    let density = careful.plan(1000).unwrap().run(&even, &mut Seeded::new(1)).unwrap();
    assert_eq!(density.bins(), &Bins(vec![1]), "the generalised rule holds the unstable one back");
}

#[test]
fn another_table_is_refused() {
    let plan = histogram(PURE).plan(1000).unwrap();
    let refused = plan.run(&ramp(999, 1), Receipt::nobody_remembers().noise()).map(drop);
    assert_eq!(refused, Err(DensityError::OtherTable { planned: 1000, found: 999 }));
    let mut other = Points::new(vec![Axis::interval("y", 0.0, 1.0)]).unwrap();
    (0..1000).for_each(|_| other.push(&[Value::Number(0.5)]));
    assert!(matches!(
        plan.run(&other, Receipt::nobody_remembers().noise()),
        Err(DensityError::OtherTable { .. })
    ));
}

/// Rows that are counted in pieces, by others, give the density of rows that are here.
#[test]
fn counts_from_elsewhere_give_the_same_density() {
    for candidates in [bins(&[8]), bins(&[4, 16, 64])] {
        let wanted = Histogram { candidates: Some(candidates), ..histogram(PURE) };
        let plan = wanted.plan(3000).unwrap();
        let values: Vec<f64> = (0..3000).map(|i| f64::from(i * 37 % 1000) / 1000.0).collect();
        let points = |values: &[f64]| {
            let mut points = Points::new(numbers()).unwrap();
            values.iter().for_each(|&value| points.push(&[Value::Number(value)]));
            points
        };
        let written = serde_json::to_string(&plan.wanted()).unwrap();
        let mut total = plan.wanted().nothing();
        for (first, last) in [(0, 1), (1, 1), (1, 1234), (1234, 3000)] {
            let mut some = serde_json::from_str::<Wanted>(&written).unwrap().nothing();
            some.count(&points(&values[first..last]), first);
            total.add_bytes(&some.to_bytes()).unwrap();
            assert!(total.clone().add_bytes(&some.to_bytes()[1..]).is_none());
        }
        let run = |points: &Points| plan.run(points, &mut Seeded::new(5)).unwrap();
        let (here, elsewhere) =
            (run(&points(&values)), run(&Points::counted(numbers(), total).unwrap()));
        assert_eq!(
            (here.bins(), here.probabilities()),
            (elsewhere.bins(), elsewhere.probabilities())
        );
    }
}
