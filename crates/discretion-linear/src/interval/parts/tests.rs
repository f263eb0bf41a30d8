//! Parts share no row, cost what one costs, and their spread covers.

use super::*;
use crate::erm::matrix::{Batch, Layout, Matrix, Norm};
use crate::loss::LossKind;
use crate::train::Method;
use discretion_privacy::Budget;
use discretion_privacy::account::{Spend, amount};
use discretion_privacy::noise::{Seeded, Source as _};

#[test]
fn every_row_is_in_one_part_and_the_order_follows_from_the_number_alone() {
    for rows in [8, 9, 1000, 4099] {
        let mut order = shuffled(rows);
        assert_eq!(order, shuffled(rows));
        let sizes: Vec<usize> = ranges(rows).map(|range| range.len()).collect();
        assert_eq!(sizes.iter().sum::<usize>(), rows);
        assert!(
            sizes.iter().all(|&size| size == rows / PARTS || size == rows.div_ceil(PARTS)),
            "{sizes:?}"
        );
        assert_eq!(ranges(rows).flatten().collect::<Vec<_>>(), (0..rows).collect::<Vec<_>>());
        order.sort_unstable();
        assert_eq!(order, (0..rows).collect::<Vec<_>>());
    }
    // A table that is sorted is spread: each eighth of it has about its share in each part.
    let order = shuffled(8000);
    for range in ranges(8000) {
        let early = order[range].iter().filter(|&&row| row < 1000).count();
        assert!((80..170).contains(&early), "{early}");
    }
}

/// Values whose law is known: the interval covers 95 times in a hundred. 20,000 repetitions, so the
/// share is within 0.008 with all but 1 in a million; a normal quantile would cover 0.91.
#[test]
fn the_spread_of_eight_numbers_covers_their_mean() {
    let normal = |source: &mut Seeded| {
        let mut unit = || ((source.word().unwrap() >> 11) as f64 + 0.5) / (1u64 << 53) as f64;
        (-2.0 * unit().ln()).sqrt() * (std::f64::consts::TAU * unit()).cos()
    };
    let source = &mut Seeded::new(11);
    let mut held = 0;
    for _ in 0..20_000 {
        let models = PartModels((0..PARTS).map(|_| vec![3.0 + 2.0 * normal(source)]).collect());
        let found = models.interval(|model| model[0], 0.95).unwrap();
        held += usize::from(found.lower <= 3.0 && 3.0 <= found.upper);
    }
    let share = held as f64 / 20_000.0;
    assert!((share - 0.95).abs() < 0.008, "{share}");
}

#[test]
fn parts_cost_what_one_of_them_costs() {
    let facts = |rows| Facts::of_matrix(rows, 6, 6).of_classes(4);
    for budget in [
        Budget::Pure { epsilon: 1.0 },
        Budget::Approximate { epsilon: 1.0, delta: 1e-6 },
        Budget::Zcdp { rho: 0.1 },
    ] {
        let training =
            Training { loss: LossKind::Logistic, lambda: None, method: Method::Auto, budget };
        let plan =
            PartsPlan::new(&training, 40_003, ranges(40_003).map(|r| facts(r.len())).collect())
                .unwrap();
        let spend = Spend::of(&plan.event()).unwrap();
        assert!(spend.is_within(budget), "{budget}: {:?}", spend.price(budget));
        assert!(spend.price(budget).unwrap().amount > 0.95 * amount(budget), "{budget}");
        let lambdas: Vec<f64> = plan.plans.iter().map(train::Plan::lambda).collect();
        assert!(lambdas.iter().all(|&lambda| lambda == lambdas[0]), "{lambdas:?}");
        assert_eq!((plan.rows(), plan.of_a_part().facts().rows), (40_003, 5000));
    }
}

#[test]
fn too_few_rows_are_refused_and_models_are_checked() {
    let facts = |rows| Facts::of_matrix(rows, 2, 2).of_classes(3);
    let budget = Budget::Pure { epsilon: 1.0 };
    let training =
        Training { loss: LossKind::Logistic, lambda: Some(1.0), method: Method::Auto, budget };
    let few = PartsPlan::new(&training, 7, ranges(7).map(|r| facts(r.len())).collect());
    assert_eq!(few, Err(TrainError::NoRows));
    for bad in ["[]", "[[1]]", "[[1], [1, 2]]", "[[1], [null]]"] {
        assert!(serde_json::from_str::<PartModels>(bad).is_err(), "{bad}");
    }
    let models: PartModels = serde_json::from_str("[[1, 2], [3, 5]]").unwrap();
    assert_eq!((models.mean(), models.count(), models.dimension()), (vec![2.0, 3.5], 2, 2));
    assert!(models.interval(|model| model[0], 1.0).is_err());
    assert!((models.all_at_once(1, 0.95) - 1.0).abs() < 1e-9 && models.all_at_once(5, 0.95) > 1.0);
}

/// The program trains each part on its own rows: what it releases of a part does not change with
/// another part's rows.
#[test]
fn a_part_knows_no_row_of_another() {
    let layout = || Layout::new(Norm::Scale, 0.5, vec![0.8], vec![]).unwrap();
    let table = |flip: Option<usize>| {
        let mut classed = Matrix::new(layout().of_classes(3));
        let numeric = (0..800).map(|row| 0.8 * ((row * 37 % 101) as f32 / 50.0 - 1.0)).collect();
        let class =
            |row: usize| ((row * 37 % 101) / 34 + usize::from(flip == Some(row))) as u16 % 3;
        let classes: Vec<u16> = (0..800).map(class).collect();
        classed.push_labelled(Batch { numeric, ..Batch::default() }, &classes);
        classed
    };
    let models = |classed: &Matrix| {
        let views: Vec<_> = ranges(800).map(|range| classed.view(range)).collect();
        let parts: Vec<&dyn Oracle> = views.iter().map(|view| view as &dyn Oracle).collect();
        let budget = Budget::Pure { epsilon: 1.0 };
        let training =
            Training { loss: LossKind::Logistic, lambda: Some(0.1), method: Method::Auto, budget };
        let plan = PartsPlan::new(&training, 800, parts.iter().map(|part| part.facts()).collect())
            .unwrap();
        plan.run(&parts, &mut Seeded::new(4)).unwrap()
    };
    let (before, after) = (models(&table(None)), models(&table(Some(350))));
    let differ: Vec<usize> = (0..PARTS).filter(|&part| before.0[part] != after.0[part]).collect();
    assert_eq!(differ, [3], "row 350 of 800 is in the fourth part");
}
