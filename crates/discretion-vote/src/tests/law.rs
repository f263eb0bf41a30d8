//! The program's own tests against their exact probabilities.

use super::cut;
use super::planner::demand;
use crate::{Answer, Ballot, Design, Recent, answer};
use discretion_privacy::noise::{Provenance, Receipt, Seeded, Sensitive, Source};

/// How often a query at `distance` passes under thresholds drawn anew.
fn frequency(design: &Design, distance: u32, trials: u32, source: &mut dyn Source) -> f64 {
    let passes = (0..trials).filter(|_| match design {
        Design::Gaussian(gaussian) => gaussian.passes(distance, source).unwrap(),
        Design::Sparse(sparse) => {
            let noise = sparse.threshold(source).unwrap();
            sparse.passes(distance, noise, source).unwrap()
        }
        _ => unreachable!("`all.rs` has the designs without tests"),
    });
    passes.count() as f64 / f64::from(trials)
}

fn agrees(design: &Design, trials: u32, source: &mut dyn Source) {
    let cut = cut(design);
    for distance in [cut / 4, cut - 1, cut, cut + 1, 2 * cut] {
        let exact = design.chance(distance);
        let seen = frequency(design, distance as u32, trials, source);
        // Five deviations and a half on each of 30 comparisons: a false alarm once in a million.
        let allowed = 5.5 * (exact * (1.0 - exact) / f64::from(trials)).sqrt() + 1e-9;
        assert!(
            (seen - exact).abs() <= allowed,
            "{design:?} at {distance}: {seen} instead of {exact}"
        );
    }
}

#[test]
fn tests_pass_as_often_as_they_should() {
    for planned in demand(1.0, 0.05, 6, 3).designs() {
        agrees(&planned.design, 100_000, &mut Seeded::new(11));
        agrees(&planned.design, 20_000, Receipt::nobody_remembers().noise());
    }
}

/// Lemma 3 with equality: as many unstable queries as may fail, one after the other.
#[test]
fn unstable_answers_slip_through_as_often_as_delta_says() {
    const SESSIONS: u32 = 15_000;
    for planned in demand(2.0, 0.2, 6, 3).designs() {
        let (design, delta) = match planned.design {
            Design::Sparse(sparse) => (planned.design, sparse.delta()),
            // There it is a union bound: three times the chance of one.
            Design::Gaussian(gaussian) => {
                (planned.design, 1.0 - (1.0 - gaussian.delta() / 3.0).powi(3))
            }
            _ => unreachable!("`all.rs` has the designs without tests"),
        };
        let slipped = (0..SESSIONS).filter(|&session| {
            let mut memory = Recent::new(design, 6, Provenance::TestSeed);
            let tied =
                (0..3).map(|query| (query.to_string(), Ballot::Labels(Sensitive::new(vec![5, 5]))));
            let told = answer(tied, &mut memory, &mut Seeded::new(u64::from(session))).unwrap();
            told.answers.iter().flatten().any(|answer| **answer != Answer::Unstable)
        });
        let seen = slipped.count() as f64 / f64::from(SESSIONS);
        // New thresholds are a union bound too; with one threshold it is exact. Six deviations:
        // once in 10⁸.
        let exact = match design {
            Design::Sparse(sparse) if sparse.thresholds > 1 => 1.0 - (1.0 - delta / 3.0).powi(3),
            _ => delta,
        };
        let allowed = 6.0 * (exact * (1.0 - exact) / f64::from(SESSIONS)).sqrt();
        assert!((seen - exact).abs() < allowed, "{design:?}: {seen} instead of {exact}");
    }
}
