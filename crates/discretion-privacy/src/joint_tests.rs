//! The pure price against a search over slopes; the Gaussian one against fine integrals.

use super::*;
use crate::{Losses, Term, analytic_gaussian_sigma, smallest_enough};

/// What is priced: two classes, or several, of rows or of persons.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Kind {
    classes: usize,
    unit: Unit,
}

const ROWS: Kind = Kind { classes: 2, unit: Unit::Row };
const PERSONS: Kind = Kind { classes: 2, unit: Unit::Person };
const KINDS: [Kind; 5] = [
    ROWS,
    PERSONS,
    Kind { classes: 3, unit: Unit::Row },
    Kind { classes: 3, unit: Unit::Person },
    Kind { classes: 7, unit: Unit::Row },
];

impl Kind {
    fn row(self) -> LogisticRow {
        match self.classes {
            2 => LogisticRow::MARGIN,
            classes => LogisticRow::of_classes(classes),
        }
    }

    fn rank(self) -> usize {
        (self.classes - 1) * self.unit.curvature_rank(3)
    }

    /// How much of a(1 − ea) is lost where a = 1: K/(2(K − 1)).
    fn fall(self) -> f64 {
        0.5 * self.classes as f64 / (self.classes as f64 - 1.0)
    }

    fn directions(self) -> f64 {
        self.classes as f64 - 1.0
    }
}

/// A price by Λ, which counts slopes in lengths of a gradient.
fn of(kind: Kind, strength: f64) -> JointPrice {
    let row = kind.row();
    JointPrice::new(row, kind.unit, 3, 1, strength * row.slope * row.slope)
}

/// By σ in lengths of a gradient.
fn term(kind: Kind, strength: f64, sigma: f64) -> Term {
    let LogisticRow { slope, trace, .. } = kind.row();
    let (sigma, lambda) = (sigma * slope, strength * slope * slope);
    let curvature = crate::account::curvature_price(kind.rank(), 1, lambda, trace);
    let joint = of(kind, strength);
    match kind.classes {
        2 => Term::GaussianLogistic { sigma, curvature, joint },
        classes => Term::GaussianClasses { sigma, curvature, classes, joint: Some(joint) },
    }
}

fn losses(kind: Kind, strength: f64, sigma: f64) -> Losses {
    Losses::default().and_training(&term(kind, strength, sigma)).unwrap()
}

/// Slopes to try: a grid.
fn slopes() -> impl Iterator<Item = f64> {
    (0..=20_000).map(|i| f64::from(i) / 20_000.0)
}

#[test]
fn the_pure_price_is_the_largest_over_slopes() {
    for kind in KINDS {
        for strength in [1e-3, 0.1, 0.5, 1.0, 1.5, 2.0, 3.0, 50.0] {
            for noise in [1e-6, 0.1, 0.5, 0.946, 1.0, 3.0, 20.0] {
                let rank = kind.rank() as f64;
                let at = |a: f64| {
                    let trace = a * (1.0 - kind.fall() * a);
                    0.5 * noise * (1.0 + a) + rank * (trace / (rank * strength)).ln_1p()
                };
                let most = slopes().map(at).fold(0.0, f64::max);
                let found = of(kind, strength).epsilon(noise);
                let case = format!("{kind:?} Λ={strength} ε′={noise}: {found} {most}");
                assert!(found >= most && found <= most * (1.0 + 1e-8), "{case}");
            }
        }
    }
}

#[test]
fn what_is_left_for_noise_spends_the_budget_and_no_more() {
    for kind in KINDS {
        for epsilon in [0.01, 0.3, 1.0, 5.0] {
            for share in [0.3, 0.6, 1.0, 1.5, 1.999, 2.0, 40.0] {
                let price = of(kind, share / epsilon);
                let rank = kind.rank() as f64;
                let curvature = rank * (0.25 / kind.fall() * epsilon / (share * rank)).ln_1p();
                let Some(left) = price.left_for_noise(Pure { epsilon }) else {
                    assert!(curvature >= epsilon * (1.0 - 1e-9));
                    continue;
                };
                let cost = price.epsilon(left);
                let case = format!("{kind:?} {epsilon} {share}: {left} costs {cost}");
                assert!(cost <= epsilon && cost >= epsilon * (1.0 - 1e-10), "{case}");
                // Of several classes the others bend at every slope.
                let is_free = kind.classes == 2 && share >= 2.0;
                assert!(!is_free || left >= epsilon * (1.0 - 1e-11), "{case}");
                assert!(kind.classes == 2 || left < epsilon - 0.2 * curvature, "{case}");
                // Never less than where slope and curvature are paid for one by one.
                assert!(left >= (epsilon - curvature) * (1.0 - 1e-10), "{case}");
            }
        }
    }
    assert!((of(ROWS, 1.0).left_for_noise(Pure { epsilon: 1.0 }).unwrap() - 0.946).abs() < 1e-3);
    assert!(of(ROWS, 0.1).left_for_noise(Pure { epsilon: 1.0 }).is_none());
}

/// W as Theorem 5 defines it, by the largest over slopes.
fn loss_by_search(kind: Kind, strength: f64, u: f64) -> f64 {
    let trace = |a: f64| a * (1.0 - kind.fall() * a);
    let bend = |a: f64| match kind.unit {
        Unit::Row => kind.directions() * (trace(a) / (kind.directions() * strength)).ln_1p(),
        Unit::Person => trace(a) / strength,
    };
    slopes().map(|a| a * u + bend(a)).fold(0.0, f64::max) + u.max(0.0)
}

#[test]
fn the_loss_is_the_largest_over_slopes() {
    for kind in KINDS {
        for strength in [0.05, 0.5, 2.0, 30.0] {
            for i in -60..=60 {
                let u = 0.021 * f64::from(i) / strength;
                let (found, most) = (of(kind, strength).loss(u), loss_by_search(kind, strength, u));
                let case = format!("{kind:?} Λ={strength} u={u}: {found} {most}");
                assert!(found >= most * (1.0 - 1e-15) && found <= most + 1e-8 / strength, "{case}");
            }
        }
    }
    assert_eq!(of(ROWS, f64::INFINITY).loss(0.0), 0.0);
}

/// E φ(W) by the trapezoidal rule on a fine grid.
fn integral(price: &JointPrice, sigma: f64, of: impl Fn(f64) -> f64) -> f64 {
    let step = 1.0 / 2048.0;
    (-9 * 2048..=30 * 2048)
        .map(|i| {
            let z = f64::from(i) * step;
            let density = (-0.5 * z * z).exp() / (2.0 * PI).sqrt();
            density * step * of(price.loss(1.0 / (sigma * sigma) + z / sigma))
        })
        .sum()
}

#[test]
fn means_are_above_fine_integrals_and_hardly() {
    for kind in KINDS {
        for strength in [0.3, 2.0, 20.0] {
            let price = of(kind, strength);
            for (sigma, least) in [(0.7, 6.0), (3.0, 1.0), (8.459, 0.8), (60.0, 0.01)] {
                for room in [0.0, 0.5 * least, least, 1.4 * least] {
                    let excess = |loss: f64| (loss - room).max(0.0);
                    let found = price.mean(sigma * kind.row().slope, excess);
                    let fine = kind.directions() * integral(&price, sigma, excess);
                    let case = format!("{kind:?} Λ={strength} σ={sigma} t={room}: {found} {fine}");
                    assert!(found >= fine * (1.0 - 1e-6), "{case}");
                    assert!(found <= fine * 1.01, "{case}");
                }
            }
        }
    }
}

#[test]
fn moments_are_above_fine_integrals_and_hardly() {
    for kind in KINDS {
        for strength in [0.1, 0.3, 2.0, 20.0, 1e4] {
            let price = of(kind, strength);
            for sigma in [0.7, 3.0, 8.459, 60.0] {
                for excess in [1e-3, 0.3, 1.0, 4.0, 30.0] {
                    // The tilted law is within the grid.
                    if 2.0 * excess / sigma > 20.0 {
                        continue;
                    }
                    let alpha = 1.0 + excess;
                    let found = price.ln_moment(sigma * kind.row().slope, alpha) / excess;
                    let gain = integral(&price, sigma, |loss| (excess * loss).exp_m1());
                    let fine = (kind.directions() * gain).ln_1p() / excess;
                    let case = format!("{kind:?} Λ={strength} σ={sigma} α={alpha}: {found} {fine}");
                    // Chords are off by 1/(4·8²) of ψ(0) where ψ is a parabola.
                    let chord = price.loss(0.0) * if strength < 0.2 { 0.03 } else { 0.01 };
                    assert!(found >= fine * (1.0 - 1e-7) - 1e-12, "{case}");
                    assert!(found <= fine * (1.0 + 1e-7) + chord + 1e-9, "{case}");
                }
            }
        }
    }
}

/// Far out the curve is that of a Gaussian mechanism of sensitivity 2, whatever Λ.
#[test]
fn large_orders_are_no_accidents() {
    let cases = KINDS
        .iter()
        .flat_map(|&kind| [1e-3, 2.0, 1e6, f64::INFINITY].map(|strength| (kind, strength)));
    for (kind, strength) in cases {
        for sigma in [0.1, 8.0, 1e4] {
            for alpha in [1e3, 1e6, 1e9, 1e12] {
                let price = of(kind, strength);
                let found = price.ln_moment(sigma * kind.row().slope, alpha) / (alpha - 1.0);
                let gaussian = 2.0 * alpha / (sigma * sigma);
                let case = format!("{kind:?} Λ={strength} σ={sigma} α={alpha}: {found} {gaussian}");
                assert!(found >= gaussian * (1.0 - 1e-12), "{case}");
                let flat = price.loss(0.0);
                let largest = kind.directions().ln() / (alpha - 1.0);
                assert!(found <= gaussian * (1.0 + 1e-9) + flat + largest + 1e-3, "{case}");
            }
        }
    }
}

#[test]
fn the_least_curve_is_below() {
    for (kind, strength) in [(ROWS, 0.3), (ROWS, 1e3), (PERSONS, 2.0), (KINDS[2], 0.3)] {
        for sigma in [0.7, 8.0, 100.0] {
            let term = term(kind, strength, sigma);
            let least = term.least().unwrap();
            for alpha in [1.001, 1.5, 4.0, 50.0, 1e6] {
                let [low, high] = [least.epsilon(alpha), term.epsilon(alpha)];
                assert!(low <= high * (1.0 + 1e-9) + 1e-9, "{sigma} {alpha}: {low} {high}");
            }
        }
    }
}

/// At Λ = 2/ε the noise is that of a Gaussian mechanism of sensitivity 2, to a thousandth; with
/// curvature paid for by itself it is an eighth larger.
#[test]
fn curvature_is_free_of_gaussian_noise_too() {
    let smallest = |of: &dyn Fn(f64) -> Losses| {
        smallest_enough(1.0, 1e6, 1e-9, |sigma| of(sigma).delta(1.0) <= 1e-6).unwrap()
    };
    let together = smallest(&|sigma| losses(ROWS, 2.0, sigma));
    let persons = smallest(&|sigma| losses(PERSONS, 2.0, sigma));
    let objective = |curvature| {
        move |sigma| {
            let term = Term::GaussianObjective { sigma, curvature };
            Losses::default().and_training(&term).unwrap()
        }
    };
    let apart = smallest(&objective(0.125f64.ln_1p()));
    let without = smallest(&objective(0.0));
    assert!((together / 8.459 - 1.0).abs() < 1e-3, "{together}");
    assert!((persons / 8.459 - 1.0).abs() < 2e-2, "{persons}");
    assert!((apart / 9.50 - 1.0).abs() < 2e-3, "{apart}");
    assert!((together / without - 1.0).abs() < 1e-3, "{together} {without}");
    assert!(together > analytic_gaussian_sigma(2.0, 1.0, 1e-6));
}

/// δ against E(1 − e^{ε − W − V})⁺ on a grid in two dimensions.
#[test]
fn delta_is_above_the_integral_beside_other_noise() {
    for kind in KINDS {
        for strength in [0.5, 2.0] {
            for (sigma, square, epsilon) in [(8.5, 1e-3, 1.0), (9.5, 0.02, 1.0), (3.0, 0.1, 3.0)] {
                let price = of(kind, strength);
                let claimed = losses(kind, strength, sigma).and_gaussian(square).delta(epsilon);
                let step = 1.0 / 16.0;
                let points = || (-144..=160).map(|i| f64::from(i) * step);
                let density = |z: f64| (-0.5 * z * z).exp() / (2.0 * PI).sqrt() * step;
                let mut exact = 0.0;
                for z in points() {
                    let loss = price.loss(1.0 / (sigma * sigma) + z / sigma);
                    for y in points() {
                        let other = 0.5 * square + square.sqrt() * y;
                        let lost = 1.0 - (epsilon - loss - other).exp();
                        exact += kind.directions() * density(z) * density(y) * lost.max(0.0);
                    }
                }
                let case = format!("{kind:?} Λ={strength} σ={sigma}: {exact:e} {claimed:e}");
                assert!(exact <= claimed && exact > 0.7 * claimed, "{case}");
            }
        }
    }
}

/// More noise, a larger λ and a larger ε never cost more.
#[test]
fn prices_fall_with_noise_and_lambda() {
    for kind in KINDS {
        let mut last = [f64::INFINITY; 2];
        for i in 0..40 {
            let sigma = 4.0 + 0.25 * f64::from(i);
            let found = [
                losses(kind, 0.7, sigma).delta(1.0),
                losses(kind, 0.1 + 0.1 * f64::from(i), 7.0).delta(1.0),
            ];
            assert!(found[0] <= last[0] && found[1] <= last[1] * (1.0 + 1e-9), "{kind:?} {i}");
            last = found;
        }
    }
}
