//! The program's own tests against their exact probabilities.

use super::planner::demand;
use crate::noise::{OperatingSystem, Seeded, Source};
use crate::vote::Design;

/// How often a query at `distance` passes under thresholds drawn anew.
fn frequency(design: &Design, distance: u32, trials: u32, source: &mut impl Source) -> f64 {
    let passes = (0..trials).filter(|_| match design {
        Design::Gaussian(gaussian) => gaussian.passes(distance, source).unwrap(),
        Design::Sparse(sparse) => {
            let noise = sparse.threshold(source).unwrap();
            sparse.passes(distance, noise, source).unwrap()
        }
    });
    passes.count() as f64 / f64::from(trials)
}

fn agrees(design: &Design, trials: u32, source: &mut impl Source) {
    let cut = match design {
        Design::Sparse(sparse) => sparse.cut,
        Design::Gaussian(gaussian) => gaussian.cut,
    };
    for distance in [cut / 4, cut - 1, cut, cut + 1, 2 * cut] {
        let exact = design.chance(distance);
        let seen = frequency(design, distance as u32, trials, source);
        // Five deviations and a half on each of 30 comparisons: a false alarm once in a million.
        let allowed = 5.5 * (exact * (1.0 - exact) / f64::from(trials)).sqrt() + 1e-9;
        assert!((seen - exact).abs() <= allowed, "{design:?} at {distance}: {seen} instead of {exact}");
    }
}

#[test]
fn tests_pass_as_often_as_they_should() {
    for planned in demand(1.0, 0.05, 6, 3).designs() {
        agrees(&planned.design, 200_000, &mut Seeded::new(11));
        agrees(&planned.design, 20_000, &mut OperatingSystem);
    }
}
