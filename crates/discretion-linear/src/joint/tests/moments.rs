//! Steps on the second moments of the rows, whose columns are known, and their intervals.

use super::*;
use crate::erm::matrix::{OTHER, Rows};
use crate::interval::joint::{Scheme, products_of_rows};
use crate::interval::ordinary_tests::{effects, largest, table, truth};
use crate::interval::{self, Evidence, Interval, Intervals, SecondMoments, Split};
use crate::train::{Method, Training, not_private};
use discretion_privacy::noise::{Provenance, Released};
use discretion_privacy::trusted::{self, Open};

const STEP: Step =
    Step { lambda: Some(1e-3), gradient: 0.4, hessian: 0.2, covariance: 0.1, damping: 0.0 };

fn known(tables: &[Matrix]) -> Holders {
    let facts = tables[0].all().facts();
    holders(tables).of_columns(facts.columns.as_ref().unwrap(), &facts.entries)
}

fn plan(tables: &[Matrix], budget: Budget) -> Plan {
    let plan = Joint { step: Some(STEP), ..joint(0.05, budget) }.plan(&known(tables)).unwrap();
    assert!(plan.sums_moments() && plan.rounds() == 3);
    plan
}

fn released(theta: Vec<f64>) -> Released<Vec<f64>> {
    trusted::released(theta, Provenance::TestSeed)
}

/// What the holders send to the step's rounds, opened with so many shares of noise.
fn sums(rounds: &StepRounds<'_>, tables: &[Matrix], shares: usize) -> Vec<Released<Vec<f64>>> {
    let source = &mut Seeded::new(77);
    let mut sums: Vec<Vec<Contribution>> = rounds.rounds().iter().map(|_| Vec::new()).collect();
    for (j, table) in tables.iter().enumerate() {
        let contributed = rounds.contribute(j, &table.all()).unwrap();
        sums.iter_mut().zip(contributed).for_each(|(sum, one)| sum.push(one));
    }
    let opened = rounds.rounds().into_iter().zip(sums).map(|(round, sum)| {
        let shares: Vec<_> = (0..shares).map(|_| round.noise_share(source).unwrap()).collect();
        clear::open(&round, &sum, &shares)
    });
    opened.collect()
}

/// Rows of a small constant and one category, so that two rows of other values have hardly anything
/// in common.
fn coded(codes: impl Iterator<Item = u16>) -> Matrix {
    let layout = Layout::new(Norm::Scale, 0.04, vec![], vec![(3, 0.999)]).unwrap();
    let mut matrix = Matrix::new(layout);
    let codes: Vec<u16> = codes.collect();
    let positive = codes.iter().map(|code| code % 2 == 0).collect();
    matrix.push(Batch { codes, positive, ..Batch::default() });
    matrix
}

/// Of one replaced row, the sum over holders moves by √2/n for rows as large as they can be that
/// have little in common, and never by more than its noise is for. Half the constant, or 2 in place
/// of √2, fails.
#[test]
fn moments_move_by_their_sensitivity() {
    let mut most: f64 = 0.0;
    for (one, other) in [(0, 1), (1, 2), (2, OTHER), (OTHER, OTHER), (1, 1)] {
        let with = |first: u16| coded((0..25).map(move |i| if i == 0 { first } else { i % 3 }));
        let [here, there] = [one, other].map(|first| {
            let tables = [with(first), coded((0..15).map(|i| i % 3))];
            let plan = plan(&tables, Budget::Zcdp { rho: 0.5 });
            let theta = released(vec![0.0; 4]);
            let rounds = plan.step(&theta).unwrap().unwrap();
            let sum = sums(&rounds, &tables, 0).pop().unwrap().to_vec();
            (sum, rounds.rounds()[1].noise().sensitivity())
        });
        let moved = distance(&here.0, &there.0) / here.1;
        assert!(moved <= 1.0, "{one} {other}: {moved}");
        most = most.max(moved);
    }
    assert!(most > 0.98, "{most}");
}

/// Opened without noise, the sum over holders has the moments of all rows in one place; and what its
/// evidence says of the noise is that of all shares together.
#[test]
fn moments_over_holders_are_those_of_all_rows() {
    let source = &mut Seeded::new(2);
    let tables = [table(300, source), table(500, source)];
    let plan = plan(&tables, Budget::Approximate { epsilon: 1.0, delta: 1e-6 });
    let d = tables[0].all().facts().dimension;
    let rounds = plan.step(&released(vec![0.0; d])).unwrap().unwrap();
    let round = rounds.rounds()[1];
    let stepped = rounds.finish(sums(&rounds, &tables, 0)).unwrap();
    let evidence = stepped.evidence.unwrap();
    let SecondMoments::OfRows(moments) = evidence.moments() else { panic!("moments of rows") };
    let squares =
        tables.each_ref().map(|table| products_of_rows(&table.all()).unwrap().into_inner());
    for i in 0..d {
        for j in 0..=i {
            let at = i * d + j;
            let expected = (300.0 * squares[0][at] + 500.0 * squares[1][at]) / 800.0;
            let found = moments.matrix().entry(i, j);
            assert!((found - expected).abs() < 1e-4, "{i} {j}: {found} {expected}");
        }
    }
    let scheme = Scheme::with_deviation(round.noise().deviation(), &known(&tables).together());
    assert_eq!(scheme.numbers().count(), round.lattice().dimension());
    // In stretched coordinates all have the same noise.
    let stretches: Vec<f64> = {
        let ones: Vec<f64> = vec![1.0; d * d];
        scheme.coordinates(&ones)
    };
    let said = scheme.deviations(1.0, &known(&tables).together());
    for (said, stretch) in said.iter().zip(stretches) {
        let ratio = said * stretch / round.noise().deviation();
        assert!((ratio - 1.0).abs() < 1e-9, "{ratio}");
    }
}

/// From an average that is far off, with little noise, a step goes nine tenths of the way to the
/// ordinary coefficients; and its evidence survives a file.
#[test]
fn a_step_on_moments_nearly_arrives() {
    let source = &mut Seeded::new(6);
    let tables = [table(4_000, source), table(8_000, source)];
    let plan = plan(&tables, Budget::Zcdp { rho: 100.0 });
    let far = vec![0.0; tables[0].all().facts().dimension];
    let rounds = plan.step(&released(far.clone())).unwrap().unwrap();
    let stepped = rounds.finish(sums(&rounds, &tables, 3)).unwrap();
    let evidence = stepped.evidence.unwrap();
    let intervals = Intervals::of_ordinary(&evidence, &stepped.coefficients, largest()).unwrap();
    for effect in effects() {
        let Interval { estimate, largest_bias, sampling_deviation, .. } =
            intervals.effect(&effect, 0.95).unwrap();
        let wrong = (estimate - truth(&effect)).abs();
        // Of the way, a tenth is in the bias.
        assert!(wrong < largest_bias + 3.5 * sampling_deviation, "{effect:?}: {wrong}");
        assert!(largest_bias < 0.1 * truth(&effect).abs() + 0.05, "{effect:?}: {largest_bias}");
    }
    let halfway = evidence.halfway().unwrap();
    for (half, whole) in halfway.iter().zip(stepped.coefficients.iter()) {
        assert!((2.0 * half - whole).abs() < 1e-5, "{half} {whole}");
    }
    let text = serde_json::to_string(&*evidence).unwrap();
    assert_eq!(serde_json::from_str::<Evidence>(&text).unwrap(), *evidence);
    let damaged = text.replace("\"halfway\":[", "\"halfway\":[1.0,");
    assert!(serde_json::from_str::<Evidence>(&damaged).is_err());
}

fn train(plan: &Plan, tables: &[Matrix], source: &mut Seeded) -> Stepped {
    let aggregators = plan.sharing().aggregators();
    let mut open = |round: &Round, sum: &[Contribution]| {
        let shares: Vec<_> = (0..aggregators).map(|_| round.noise_share(source).unwrap()).collect();
        clear::open(round, sum, &shares)
    };
    let each = tables.iter().enumerate();
    let sum: Vec<_> = each.map(|(j, table)| plan.contribute(j, &table.all()).unwrap()).collect();
    let average = open(plan.average(), &sum);
    let rounds = plan.step(&average).unwrap().unwrap();
    let mut sums: Vec<Vec<Contribution>> = rounds.rounds().iter().map(|_| Vec::new()).collect();
    for (j, table) in tables.iter().enumerate() {
        let contributed = rounds.contribute(j, &table.all()).unwrap();
        sums.iter_mut().zip(contributed).for_each(|(sum, one)| sum.push(one));
    }
    let sums = rounds.rounds().iter().zip(&sums).map(|(round, sum)| open(round, sum)).collect();
    rounds.finish(sums).unwrap()
}

fn median(mut of: Vec<f64>) -> f64 {
    of.sort_by(f64::total_cmp);
    of[of.len() / 2]
}

/// 40 tables of 6,000 rows with three holders, and 10 effects. If each were covered with probability
/// 0.95, 9 misses of one effect would have a probability of 3e-4 (binomial), and 45 of all together
/// 1e-5. Intervals are at most twice as long as those of one holder with all rows, at the same
/// budget, and a few times as long as ordinary ones without privacy.
#[test]
fn intervals_of_holders_hold_and_are_not_much_longer_than_those_of_one() {
    let sizes = [1_000, 2_000, 3_000];
    let n: usize = sizes.iter().sum();
    for (budget, longest, longest_over_plain) in [
        (Budget::Approximate { epsilon: 1.0, delta: 1e-6 }, 2.0, 4.0),
        (Budget::Zcdp { rho: 0.1 }, 2.0, 2.5),
    ] {
        let mut source = Seeded::new(12);
        let empty = sizes.map(|size| table(size, &mut Seeded::new(0)));
        let wanted = Wanted {
            loss: LossKind::Logistic,
            lambda: None,
            sharing: Sharing::new(3, 1).unwrap(),
            budget,
            step: Stepping::ForIntervals,
        };
        let holders = known(&empty);
        let plan = wanted.joint(&holders).unwrap().plan(&holders).unwrap();
        let effects = effects();
        let mut misses = vec![0; effects.len()];
        let mut lengths = vec![Vec::new(); effects.len()];
        for _ in 0..40 {
            let tables = sizes.map(|size| table(size, &mut source));
            let stepped = train(&plan, &tables, &mut source);
            let (evidence, theta) = (stepped.evidence.unwrap(), stepped.coefficients);
            let intervals = Intervals::of_ordinary(&evidence, &theta, largest()).unwrap();
            for (j, effect) in effects.iter().enumerate() {
                let interval = intervals.effect(effect, 0.95).unwrap();
                let is_in = (interval.lower..=interval.upper).contains(&truth(effect));
                misses[j] += usize::from(!is_in);
                lengths[j].push(interval.half_width());
            }
        }
        let lengths: Vec<f64> = lengths.into_iter().map(median).collect();
        let all = Rows::from(table(n, &mut source));
        let alone = {
            let training =
                Training { loss: LossKind::Logistic, lambda: None, method: Method::Auto, budget };
            let plan = interval::Plan::new(&training, Split::WITH_ROWS, all.facts()).unwrap();
            let theta = plan.training().fit(&all, &mut source).unwrap();
            let evidence = plan.run(&all, &theta, &mut source).unwrap();
            Intervals::of_ordinary(&evidence, &theta, largest()).unwrap()
        };
        let plain = {
            let theta = not_private(&all, LossKind::Logistic, 1e-7).unwrap().into_inner();
            let of = interval::not_private(&all, LossKind::Logistic, 1e-7, &theta).unwrap();
            Intervals::new(&of.into_inner(), &theta).unwrap()
        };
        let over = |of: &dyn Fn(&[f64]) -> Interval| {
            let each = effects.iter().zip(&lengths);
            median(each.map(|(effect, length)| length / of(effect).half_width()).collect())
        };
        let over_alone = over(&|effect| alone.effect(effect, 0.95).unwrap());
        let over_plain = over(&|effect| plain.combination(effect, 0.95).unwrap());
        eprintln!("{budget}: {over_alone:.2} {over_plain:.2} {misses:?} {lengths:.2?}");
        assert!(misses.iter().all(|&of| of < 9), "{budget}: {misses:?}");
        assert!(misses.iter().sum::<usize>() < 45, "{budget}: {misses:?}");
        assert!(over_alone < longest, "{budget}: {over_alone} {lengths:?}");
        assert!(over_plain < longest_over_plain, "{budget}: {over_plain} {lengths:?}");
    }
}
