//! Sessions in which every query is answered: exact laws on all small ballots, the program against
//! them, the planner.

use super::all_laws::{hockey_stick, law, neighbours, renyi};
use crate::design::{Design, Exponential, Maximum, Sums};
use crate::{Answer, Ballot, Bins, DemandAll, DemandError, Recent, State, Stop, Told, answer};
use discretion_privacy::account::Spend;
use discretion_privacy::noise::{Provenance, Seeded, Sensitive};
use discretion_privacy::{Approximate, Budget, Zcdp};

const LABELS: Told = Told::Labels { count: 2, confidence: None };

fn demand(budget: Budget, queries: u64, told: Told) -> DemandAll {
    DemandAll { budget, queries, told, miss: 0.05 }.checked().unwrap()
}

fn budgets() -> [Budget; 4] {
    let approximate = |epsilon, delta| Budget::Approximate { epsilon, delta };
    [
        approximate(1.0, 1e-6),
        approximate(4.0, 0.01),
        Budget::Zcdp { rho: 0.5 },
        Budget::Zcdp { rho: 1e-3 },
    ]
}

const ORDERS: [f64; 4] = [1.1, 1.5, 2.0, 8.0];

/// The largest D_α/(αρ) of one query over ballots and orders: 1 is what is charged.
fn worst(design: &Design, rho: f64) -> f64 {
    let pairs = [neighbours(7, 2), neighbours(4, 3)].concat();
    let one = |[left, right]: &[Vec<u32>; 2]| {
        let (p, q) = (law(design, left), law(design, right));
        ORDERS.iter().map(|&alpha| renyi(&p, &q, alpha) / (alpha * rho)).fold(0.0, f64::max)
    };
    pairs.iter().map(one).fold(0.0, f64::max)
}

/// One query costs no more than its share of ρ on any small ballot, and with half the noise it
/// does.
#[test]
fn one_query_costs_what_it_is_charged_and_half_the_noise_is_caught() {
    for rho in [0.02, 0.5] {
        let (sigma, eta) = (1.0 / f64::sqrt(rho), (2.0 * rho).sqrt());
        for lead in [None, Some(2)] {
            let maximum = |sigma| Design::Maximum(Maximum { queries: 1, sigma, lead });
            let found = worst(&maximum(sigma), rho);
            assert!(found <= 1.0 + 1e-4, "lead {lead:?}: {found}");
            assert!(found > 0.6, "the test has lost its teeth: {lead:?}: {found}");
            assert!(worst(&maximum(0.5 * sigma), rho) > 1.5);
        }
        let exponential = |eta| Design::Exponential(Exponential { queries: 1, eta });
        let found = worst(&exponential(eta), rho);
        assert!(found <= 1.0 + 1e-9, "{found}");
        assert!(found > 0.9, "the test has lost its teeth: {found}");
        assert!(worst(&exponential(2.0 * eta), rho) > 2.0);
    }
}

/// Many queries together, planned for ε and δ: the exact law of how many are told the first label.
#[test]
fn sessions_stay_within_epsilon_and_delta() {
    let (epsilon, delta, queries) = (1.0, 0.01, 12_u64);
    for planned in demand(Budget::Approximate { epsilon, delta }, queries, LABELS).designs() {
        let binomial = |chance: f64| -> Vec<f64> {
            let ways =
                |k: u64| (0..k).map(|i| (queries - i) as f64 / (i + 1) as f64).product::<f64>();
            (0..=queries)
                .map(|k| {
                    ways(k) * chance.powi(k as i32) * (1.0 - chance).powi((queries - k) as i32)
                })
                .collect()
        };
        let told = |design: &Design| {
            let worst = (0..60).map(|votes| {
                let [p, q] = [[votes, 61 - votes], [votes + 1, 60 - votes]]
                    .map(|counts| binomial(law(design, &counts)[0]));
                hockey_stick(&p, &q, epsilon).max(hockey_stick(&q, &p, epsilon))
            });
            worst.fold(0.0, f64::max)
        };
        let found = told(&planned.design);
        assert!(found <= delta, "{:?}: {found}", planned.design);
        assert!(found > 0.05 * delta, "the test has lost its teeth: {:?}: {found}", planned.design);
        let halved = match planned.design {
            Design::Maximum(maximum) => {
                Design::Maximum(Maximum { sigma: 0.5 * maximum.sigma, ..maximum })
            }
            Design::Exponential(mut exponential) => {
                exponential.eta *= 2.0;
                Design::Exponential(exponential)
            }
            _ => unreachable!(),
        };
        assert!(told(&halved) > 2.0 * delta, "{:?}: {}", planned.design, told(&halved));
    }
}

/// The program's own answers. 54 comparisons of five and a half deviations: a false alarm once in
/// 500,000.
#[test]
fn labels_are_told_as_often_as_they_should() {
    const TRIALS: u64 = 40_000;
    let maximum = |lead| Design::Maximum(Maximum { queries: TRIALS, sigma: 2.5, lead });
    let exponential = Design::Exponential(Exponential { queries: TRIALS, eta: 0.3 });
    for design in [maximum(None), maximum(Some(3)), exponential] {
        for counts in [vec![3, 3], vec![5, 2], vec![0, 9], vec![4, 1, 4]] {
            let ballots = (0..TRIALS)
                .map(|query| (query.to_string(), Ballot::Labels(Sensitive::new(counts.clone()))));
            let mut memory = Recent::new(design, TRIALS, Provenance::TestSeed);
            let told = answer(ballots, &mut memory, &mut Seeded::new(5)).unwrap();
            assert_eq!(told.stopped, None);
            let exact = law(&design, &counts);
            let tells_apart = exact.len() > counts.len();
            let mut seen = vec![0_u32; exact.len()];
            for answer in told.answers.iter().flatten() {
                seen[match **answer {
                    Answer::Label(label) if tells_apart => 2 * label,
                    Answer::Unsure(label) if tells_apart => 2 * label + 1,
                    Answer::Label(label) => label,
                    other => panic!("{other}"),
                }] += 1;
            }
            for (seen, exact) in seen.into_iter().zip(exact) {
                let seen = f64::from(seen) / TRIALS as f64;
                let allowed = 5.5 * (exact * (1.0 - exact) / TRIALS as f64).sqrt() + 1e-6;
                assert!(
                    (seen - exact).abs() <= allowed,
                    "{design:?} {counts:?}: {seen}, not {exact}"
                );
            }
        }
    }
}

/// The mean of scores has normal noise of deviation σ/k. Six deviations of either: once in 10⁸.
#[test]
fn means_of_scores_have_the_noise_that_is_charged() {
    const TRIALS: u64 = 4_000;
    let sums = Sums { queries: TRIALS, sigma: 20.0 };
    let scores = [vec![0.25_f32; 200], vec![0.75; 200]].concat();
    let bins = Bins::of_width(0.1).unwrap();
    let ballots = (0..TRIALS)
        .map(|query| (query.to_string(), Ballot::Scores(Sensitive::new(scores.clone()), bins)));
    let mut memory = Recent::new(Design::Sums(sums), TRIALS, Provenance::TestSeed);
    let told = answer(ballots, &mut memory, &mut Seeded::new(6)).unwrap();
    let score = |answer: &Answer| match answer {
        Answer::Score(score) => *score,
        other => panic!("{other}"),
    };
    let told: Vec<f64> = told.answers.iter().flatten().map(|answer| score(answer)).collect();
    let mean = told.iter().sum::<f64>() / TRIALS as f64;
    let variance = told.iter().map(|score| (score - mean).powi(2)).sum::<f64>() / TRIALS as f64;
    let deviation = 20.0 / 400.0;
    assert!((mean - 0.5).abs() < 6.0 * deviation / (TRIALS as f64).sqrt(), "{mean}");
    let ratio = variance / (deviation * deviation);
    assert!((ratio - 1.0).abs() < 6.0 * (2.0 / TRIALS as f64).sqrt(), "{ratio}");
    let within =
        told.iter().filter(|score| (*score - 0.5).abs() <= 0.1).count() as f64 / TRIALS as f64;
    assert!(
        (within - sums.within(0.1, 400)).abs() < 6.0 * (0.05 * 0.95 / TRIALS as f64).sqrt(),
        "{within}"
    );
}

/// Half the noise would be seen: the charged σ is the smallest that the budget allows, up to
/// rounding.
#[test]
fn plans_keep_their_budget_and_use_it() {
    let tolds = [
        LABELS,
        Told::Labels { count: 5, confidence: None },
        Told::Labels { count: 3, confidence: Some(0.9) },
        Told::Scores { width: 0.1 },
    ];
    for budget in budgets() {
        for queries in [1, 1_000, 30_000] {
            for planned in tolds.iter().flat_map(|&told| demand(budget, queries, told).designs()) {
                let cost =
                    Spend::of(&planned.design.event()).unwrap().price(budget).unwrap().amount;
                let cap = match budget {
                    Budget::Approximate { epsilon, .. } => epsilon,
                    Budget::Zcdp { rho } => rho,
                    Budget::Pure { epsilon } => epsilon,
                };
                assert!(cost <= cap && cost > 0.999 * cap, "{planned:?}: {cost} of {cap}");
            }
        }
    }
}

/// Where a label should be right nineteen times in twenty, drawing it needs a smaller lead at the
/// same ρ; where it should be right nearly always, noise on the counts does. At ε and δ Gaussian
/// noise has the better price, and gains some of it back.
#[test]
fn the_better_design_is_taken() {
    let best = |budget, miss| DemandAll { miss, ..demand(budget, 1_000, LABELS) }.plan();
    let rho = Budget::Zcdp { rho: 0.02 };
    assert!(matches!(best(rho, 0.05).design, Design::Exponential(_)));
    assert!(matches!(best(rho, 1e-4).design, Design::Maximum(_)));
    let [first, second] = demand(rho, 1_000, LABELS).designs()[..] else { panic!("there are two") };
    let gain = 1.0 - first.ahead.unwrap() as f64 / second.ahead.unwrap() as f64;
    assert!((0.09..0.11).contains(&gain), "{gain}");
    // ρ within (1, 1e-6) is 0.0244, and Gaussian noise alone may have 0.0280.
    let approximate = Approximate { epsilon: 1.0, delta: 1e-6 };
    assert!((0.024..0.025).contains(&Zcdp::within(approximate).rho));
    assert!(matches!(best(approximate.into(), 0.01).design, Design::Maximum(_)));
    let planned = best(approximate.into(), 0.05);
    assert!(matches!(planned.design, Design::Exponential(_)), "{planned:?}");
    let chunks = planned.chunks(5.0 / 6.0).unwrap();
    assert!((500..800).contains(&chunks), "{chunks}");
    assert!(
        planned.right(chunks, 5.0 / 6.0) >= 0.95 && planned.right(chunks / 2, 5.0 / 6.0) < 0.85
    );
    assert!(planned.demand.most_queries(chunks, 5.0 / 6.0).unwrap().abs_diff(1_000) < 50);
    let wider = planned.demand.smallest_budget(chunks / 2, 5.0 / 6.0);
    assert!(
        matches!(wider, Some(Budget::Approximate { epsilon, .. }) if (1.8..2.4).contains(&epsilon)),
        "{wider:?}"
    );
}

/// A label called sure is another than the winner with probability 1 − confidence at most, however
/// the votes are.
#[test]
fn sure_labels_are_seldom_wrong() {
    let told = Told::Labels { count: 3, confidence: Some(0.9) };
    let design = demand(Budget::Zcdp { rho: 0.02 }, 10, told).plan().design;
    for counts in [[20, 20, 20], [21, 20, 0], [20, 10, 19], [60, 0, 0], [20, 0, 20]] {
        let most = counts.iter().max().unwrap();
        let law = law(&design, &counts);
        let wrong: f64 =
            (0..3).filter(|&label| counts[label] < *most).map(|label| law[2 * label]).sum();
        assert!(wrong <= 0.1, "{counts:?}: {wrong}");
    }
}

/// As many queries as were charged for, whatever the process does in between; old answers for
/// nothing.
#[test]
fn a_session_ends_after_its_queries() {
    let design = demand(Budget::Zcdp { rho: 0.5 }, 3, LABELS).plan().design;
    let mut memory = Recent::new(design, 3, Provenance::TestSeed);
    let ballot = |name: &str| (name.to_owned(), Ballot::Labels(Sensitive::new(vec![5, 6])));
    let first = answer(["a", "b"].map(ballot), &mut memory, &mut Seeded::new(1)).unwrap();
    let told = answer(["b", "c", "d"].map(ballot), &mut memory, &mut Seeded::new(2)).unwrap();
    assert_eq!(told.answers[0].as_deref(), first.answers[1].as_deref());
    assert!(told.answers[1].is_some() && told.answers[2].is_none());
    assert_eq!(told.stopped, Some(Stop::Asked));
    let state = State::from_secret_text(&crate::Memory::state(&memory)).unwrap();
    assert_eq!(
        (state.queries_left(), state.unstable_left(), state.over()),
        (0, 0, Some(Stop::Asked))
    );
}

#[test]
fn demands_that_make_no_sense_are_refused() {
    let good =
        DemandAll { budget: Budget::Zcdp { rho: 0.1 }, queries: 10, told: LABELS, miss: 0.05 };
    let refused = |demand: DemandAll| demand.checked().unwrap_err();
    assert!(matches!(
        refused(DemandAll { budget: Budget::Pure { epsilon: 1.0 }, ..good }),
        DemandError::Budget { .. }
    ));
    assert!(matches!(refused(DemandAll { queries: 0, ..good }), DemandError::NoQueries));
    assert!(matches!(refused(DemandAll { miss: 0.5, ..good }), DemandError::MissAll(_)));
    let told = Told::Labels { count: 2, confidence: Some(0.4) };
    assert!(matches!(refused(DemandAll { told, ..good }), DemandError::Confidence(_)));
}
