//! Slope and curvature of several classes priced together: a search for the tables and the point
//! where the exact privacy loss of a softmax is largest. Prices that are a little too low are found.

use super::*;
use crate::train::Pricing;
use crate::train::search::{Numbers, largest};
use discretion_privacy::{JointPrice, LogisticRow, Pure, Unit};

const K: usize = 3;

/// The most coefficients of a class.
const MOST: usize = 2;

/// A determinant or a norm with more digits before the point has too few behind it.
const LARGEST: f64 = 1e6;

type Vector = [f64; MOST];
type Matrix = [Vector; K];

/// A row, its class, and the logarithm of how often it is there, or its weight.
#[derive(Clone, Copy)]
struct Labelled {
    x: Vector,
    class: usize,
    count: f64,
}

/// Two neighbouring tables and a point, by numbers that can be anything.
#[derive(Clone)]
struct Tables {
    /// Rows that stay.
    stay: [Labelled; 2],
    /// The rows of the unit that is replaced, on both sides.
    replaced: [Vec<Labelled>; 2],
    theta: Matrix,
}

impl Tables {
    fn zero(rows: usize) -> Tables {
        let stays = Labelled { x: [0.0; MOST], class: 0, count: 0.0 };
        let own = vec![Labelled { count: 1.0, ..stays }; rows];
        Tables { stay: [stays; 2], replaced: [own.clone(), own], theta: [[0.0; MOST]; K] }
    }

    fn random(numbers: &mut Numbers, rows: usize) -> Tables {
        let width = (2.0 * numbers.normal()).exp();
        let mut tables = Tables::zero(rows);
        tables.each(|_, x| *x += numbers.normal());
        tables.theta.iter_mut().flatten().for_each(|x| *x *= width);
        tables.relabel(numbers, 1.0);
        tables
    }

    /// Rows that are opposite in the first column, where a few others push, and the same in the
    /// second, which makes their class as unlikely as `steep` says: all slopes are large.
    fn steep(norm: Norms, strength: f64, rows: usize, steep: f64, push: f64) -> Tables {
        let (across, along) = match norm {
            Norms::Length => (1.0, 0.06),
            Norms::OneGroup | Norms::EachColumn => (SIZE, SIZE),
        };
        let score = (steep / (1.0 - steep)).ln() - ((K - 1) as f64).ln();
        let mut tables = Tables::zero(rows);
        tables.theta[0][1] = -score / along;
        let held = (strength * score.abs()).ln() - 2.0 * along.ln();
        tables.stay[0] = Labelled { x: [0.0, -along], class: 0, count: held };
        tables.stay[1] = Labelled { x: [0.02, 0.0], class: 0, count: push };
        for (side, sign) in [(0, -1.0), (1, 1.0)] {
            tables.replaced[side].iter_mut().for_each(|row| row.x = [sign * across, along]);
        }
        tables
    }

    fn rows(&mut self) -> impl Iterator<Item = &mut Labelled> {
        self.stay.iter_mut().chain(self.replaced.iter_mut().flatten())
    }

    /// Calls `change` with every number that counts, and its size.
    fn each(&mut self, mut change: impl FnMut(f64, &mut f64)) {
        for row in self.rows() {
            row.x.iter_mut().for_each(|x| change(1.0 + x.abs(), x));
            change(1.0, &mut row.count);
        }
        self.theta.iter_mut().flatten().for_each(|x| change(1.0 + x.abs(), x));
    }

    /// Draws a share of all classes anew.
    fn relabel(&mut self, numbers: &mut Numbers, share: f64) {
        for row in self.rows() {
            if numbers.uniform() < share {
                row.class = (K as f64 * numbers.uniform()) as usize;
            }
        }
    }

    fn moved(&self, numbers: &mut Numbers) -> Tables {
        let (mut other, mut step) = (self.clone(), numbers.step());
        other.each(|size, x| step.move_by(size, x));
        if numbers.uniform() < 0.1 {
            other.relabel(numbers, 0.3);
        }
        other
    }
}

fn dot(a: &Vector, b: &Vector) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn length(x: &Vector) -> f64 {
    dot(x, x).sqrt()
}

/// The size of each of two columns.
const SIZE: f64 = std::f64::consts::FRAC_1_SQRT_2;

/// The norms of pure noise, which are at most q/2 at a gradient: half of √½ of the length; the
/// largest column; the mean of columns.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Norms {
    Length,
    OneGroup,
    EachColumn,
}

impl Norms {
    fn of(self, b: &Matrix) -> f64 {
        let columns: Vector =
            std::array::from_fn(|j| b.iter().map(|b| b[j].abs()).sum::<f64>() / (4.0 * SIZE));
        match self {
            Norms::Length => b.iter().map(|b| dot(b, b)).sum::<f64>().sqrt() / 8f64.sqrt(),
            Norms::OneGroup => columns[0].max(columns[1]),
            Norms::EachColumn => 0.5 * (columns[0] + columns[1]),
        }
    }

    /// The row that a table has where somebody wrote x.
    fn allowed(self, x: &Vector) -> Vector {
        match self {
            Norms::Length => x.map(|entry| entry / length(x).max(1.0)),
            Norms::OneGroup | Norms::EachColumn => x.map(|entry| entry.clamp(-SIZE, SIZE)),
        }
    }
}

/// b(Θ), ln |det ∂b/∂Θ| where classes add up to 0, and for nλ = `strength`.
fn noise_of(rows: &[(Labelled, f64)], strength: f64, theta: &Matrix) -> (Matrix, f64) {
    const D: usize = (K - 1) * MOST;
    let axes = [space([1.0, 0.0]), space([0.0, 1.0])];
    let mut h: [[f64; D]; D] =
        std::array::from_fn(|i| std::array::from_fn(|j| if i == j { strength } else { 0.0 }));
    let mut b = theta.map(|theta| theta.map(|t| -strength * t));
    for (Labelled { x, class, .. }, weight) in rows {
        let p = probabilities(&theta.map(|theta| dot(&theta, x)));
        for (k, b) in b.iter_mut().enumerate() {
            let slope = p[k] - f64::from(u8::from(k == *class));
            b.iter_mut().zip(x).for_each(|(b, x)| *b -= weight * slope * x);
        }
        let mean = |axis: &[f64; K]| (0..K).map(|k| p[k] * axis[k]).sum::<f64>();
        let [first, second] = axes.map(|axis| axis.map(|own| own - mean(&axis)));
        let spread = |u: &[f64; K], v: &[f64; K]| (0..K).map(|k| p[k] * u[k] * v[k]).sum::<f64>();
        let s = [
            [spread(&first, &first), spread(&first, &second)],
            [spread(&second, &first), spread(&second, &second)],
        ];
        for (i, h) in h.iter_mut().enumerate() {
            for (j, h) in h.iter_mut().enumerate() {
                *h += weight * s[i / MOST][j / MOST] * x[i % MOST] * x[j % MOST];
            }
        }
    }
    // Gaussian elimination of a positive definite matrix.
    let mut ln_determinant = 0.0;
    for k in 0..D {
        let pivot = h[k];
        ln_determinant += pivot[k].ln();
        for row in &mut h[k + 1..D] {
            let factor = row[k] / pivot[k];
            row.iter_mut().zip(&pivot).for_each(|(x, above)| *x -= factor * above);
        }
    }
    (b, ln_determinant)
}

/// What is searched: noise ∝ e^{−ε′g}, the rows of a unit, whether they have weights, and nλ.
#[derive(Clone, Copy, Debug)]
struct Case {
    norm: Norms,
    rows: usize,
    weighted: bool,
    strength: f64,
}

impl Case {
    fn unit(&self) -> Unit {
        if self.rows > 1 { Unit::Person } else { Unit::Row }
    }

    fn price(&self, row: LogisticRow) -> JointPrice {
        JointPrice::new(row, self.unit(), MOST, 1, self.strength)
    }

    /// The ε′ that ε = 1 leaves at this price of a row.
    fn left(&self, row: LogisticRow) -> f64 {
        self.price(row).left_for_noise(Pure { epsilon: 1.0 }).unwrap()
    }

    /// A point, and both tables there: rows that stay, then those of the unit.
    fn sides(&self, tables: &Tables) -> (Matrix, [Vec<(Labelled, f64)>; 2]) {
        let mut theta = tables.theta;
        for j in 0..MOST {
            let mean = theta.iter().map(|theta| theta[j]).sum::<f64>() / K as f64;
            theta.iter_mut().for_each(|theta| theta[j] -= mean);
        }
        let allowed = |row: &Labelled| Labelled { x: self.norm.allowed(&row.x), ..*row };
        let own = |weight: f64| if self.weighted { weight.abs().min(1.0) } else { 1.0 };
        let sides = [0, 1].map(|side| {
            let stay = tables.stay.iter().map(|row| (allowed(row), row.count.min(690.0).exp()));
            let unit = &tables.replaced[side];
            let unit = unit.iter().map(|row| (allowed(row), own(row.count) / unit.len() as f64));
            stay.chain(unit).collect()
        });
        (theta, sides)
    }

    /// ln p(Θ)/p′(Θ), exactly.
    fn loss(&self, tables: &Tables, noise: f64) -> f64 {
        let (theta, sides) = self.sides(tables);
        let [(b, h), (b_other, h_other)] = sides.map(|rows| noise_of(&rows, self.strength, &theta));
        // Where so many rows pull that what one of them does is lost in rounding, nothing is found.
        if h.max(h_other) > 2.0 * LARGEST.ln() || self.norm.of(&b) > LARGEST {
            return f64::NEG_INFINITY;
        }
        noise * (self.norm.of(&b_other) - self.norm.of(&b)) + h - h_other
    }

    fn starts(&self, numbers: &mut Numbers) -> Vec<Tables> {
        let mut starts: Vec<Tables> = (0..60).map(|_| Tables::random(numbers, self.rows)).collect();
        for steep in [0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 0.999] {
            for push in [3.0, 4.0, 6.0, 8.0] {
                starts.push(Tables::steep(self.norm, self.strength, self.rows, steep, push));
            }
        }
        starts
    }

    /// The largest loss that random tables and hill climbing find.
    fn largest(&self, noise: f64, steps: usize) -> f64 {
        let mut numbers = Numbers::new(self.rows as u64);
        let starts = self.starts(&mut numbers);
        let value = |tables: &Tables| self.loss(tables, noise);
        largest(starts, steps, value, |tables| tables.moved(&mut numbers))
    }
}

/// Plans for numbers in two columns; the ε′ of the program's own law, and what an account charges.
fn planned(case: &Case) -> (f64, f64) {
    let column = Column { coefficients: 1, size: SIZE.next_down() };
    let columns = Columns::new(vec![column; MOST]).unwrap();
    let facts = Facts { unit: case.unit(), columns: Some(columns), ..Facts::of_matrix(1000, 2, 2) };
    let lambda = Some(case.strength / 1000.0);
    let budget = Budget::Pure { epsilon: 1.0 };
    let training = Training { loss: LossKind::Logistic, lambda, method: Method::Objective, budget };
    let plan = training.plan_with(facts.of_classes(K), Pricing::Joint).unwrap();
    let plan = plan.with_law(is_shaped);
    let TrainingLaw::Shaped(ShapedLaw::Groups { epsilons, .. }) = plan.chosen().law() else {
        panic!("classes have noise by columns")
    };
    let Event::Composition { of } = plan.event() else { panic!("a training and its mask") };
    let charged = Spend::of(&of[0]).unwrap().price(budget).unwrap().amount;
    (epsilons.iter().sum(), charged)
}

#[test]
fn the_largest_loss_is_nearly_what_is_charged_and_noise_for_a_twentieth_more_is_caught() {
    for strength in [2.0, 8.0] {
        for (rows, weighted) in [(1, false), (1, true), (2, false)] {
            let case = Case { norm: Norms::OneGroup, rows, weighted, strength };
            let (noise, charged) = planned(&case);
            assert!(charged <= 1.0 && charged > 0.998, "{case:?}: {charged}");
            let found = case.largest(noise, 1500);
            assert!(found <= charged * (1.0 + 1e-9), "{case:?}: {found} {charged}");
            assert!(found > 0.98 * charged, "{case:?}: {found} {charged}");
            let mutant = case.largest(1.05 * noise, 1500);
            assert!(mutant > charged, "{case:?}: {mutant} {charged}");
        }
    }
}

/// Gradients that are as long as can be do not bend most, and in columns that all count no rows are
/// opposite in each: what is found stays below.
#[test]
fn other_norms_are_searched_too() {
    for norm in [Norms::Length, Norms::EachColumn] {
        for strength in [2.0, 32.0] {
            let case = Case { norm, rows: 1, weighted: false, strength };
            let noise = case.left(LogisticRow::of_classes(K));
            let found = case.largest(noise, 1500);
            assert!(found <= 1.0 + 1e-9 && found > 0.7, "{case:?}: {found}");
        }
    }
}

/// Curvature is not free from nλ = 4/ε on, where that of two classes is (their λ counts twice), and
/// that of a row has rank 2.
#[test]
fn free_curvature_and_rank_1_are_caught() {
    let case = |strength| Case { norm: Norms::OneGroup, rows: 1, weighted: false, strength };
    for strength in [4.0, 8.0] {
        let found = case(strength).largest(1.0, 1500);
        assert!(found > 1.03, "{strength}: {found}");
    }
    let row = LogisticRow::of_classes(K);
    let noise = case(1.0).left(LogisticRow { rank: 1, ..row });
    let found = case(1.0).largest(noise, 1500);
    assert!(found > 1.02, "{found}");
}

/// Under Gaussian noise: the exact loss at any noise, less what Theorem 5 bounds it by there, for
/// noise of `claimed` in place of `sigma`.
fn beyond_the_bound(case: &Case, tables: &Tables, [sigma, claimed]: [f64; 2]) -> f64 {
    let (theta, sides) = case.sides(tables);
    let [(b, h), (other, h_other)] =
        [0, 1].map(|side| noise_of(&sides[side], case.strength, &theta));
    if h.max(h_other) > 2.0 * LARGEST.ln() || b.iter().flatten().any(|x| x.abs() > LARGEST) {
        return f64::NEG_INFINITY;
    }
    let shift: Matrix = std::array::from_fn(|k| std::array::from_fn(|j| other[k][j] - b[k][j]));
    let sum = |f: fn(&Vector, &Vector) -> f64| -> f64 {
        b.iter().zip(&shift).map(|(b, shift)| f(b, shift)).sum()
    };
    let noise = (sum(dot) + 0.5 * sum(|_, shift| dot(shift, shift))) / (sigma * sigma);
    // The largest U of each row: sign 1 on the side that leaves.
    let u = |(Labelled { x, class, .. }, weight): &(Labelled, f64), sign: f64| {
        let score = |k: usize| sign * dot(&b[k], x);
        let most = (0..K).filter(|k| k != class).map(score).fold(f64::NEG_INFINITY, f64::max);
        (*weight, (most - score(*class) + 2.0) / (claimed * claimed))
    };
    let slopes = (0..=400).map(|i| f64::from(i) / 400.0);
    let psi = |u: f64| {
        let trace = |q: f64| 2.0 * q - q * q * K as f64 / (K as f64 - 1.0);
        let bend = |q: f64| match case.unit() {
            Unit::Row => 2.0 * (trace(q) / (2.0 * case.strength)).ln_1p(),
            Unit::Person => trace(q) / case.strength,
        };
        slopes.clone().map(|q| q * u + bend(q)).fold(0.0, f64::max)
    };
    let own = |side: usize| sides[side][tables.stay.len()..].iter();
    // A mean over a person's rows; of one row the bound is that of weight 1.
    let share = |weight: f64| if case.unit().is_row() { 1.0 } else { weight };
    let leaves: f64 = own(0).map(|row| u(row, 1.0)).map(|(weight, u)| share(weight) * psi(u)).sum();
    let comes: f64 =
        own(1).map(|row| u(row, -1.0)).map(|(weight, u)| share(weight) * u.max(0.0)).sum();
    noise + h - h_other - leaves - comes
}

#[test]
fn the_loss_at_every_gaussian_noise_is_within_its_bound_and_less_noise_is_not() {
    for (rows, weighted) in [(1, false), (1, true), (3, true)] {
        for strength in [0.5, 4.0] {
            let case = Case { norm: Norms::Length, rows, weighted, strength };
            let search = |sigmas: [f64; 2]| {
                let mut numbers = Numbers::new(5);
                let starts = case.starts(&mut numbers);
                let value = |tables: &Tables| beyond_the_bound(&case, tables, sigmas);
                largest(starts, 300, value, |tables| tables.moved(&mut numbers))
            };
            // ψ is searched on a grid.
            let found = search([4.0, 4.0]);
            assert!(found <= 1e-4, "{case:?}: {found}");
            let mutant = search([4.0, 4.2]);
            assert!(mutant > 0.01, "{case:?}: {mutant}");
        }
    }
}

/// Plans of either pricing: less noise, within the budget by what an account charges.
#[test]
fn a_plan_has_less_noise_within_its_budget_and_only_if_it_asks() {
    for unit in [Unit::Row, Unit::Person] {
        for budget in [
            Budget::Pure { epsilon: 1.0 },
            Budget::Approximate { epsilon: 1.0, delta: 1e-6 },
            Budget::Zcdp { rho: 0.1 },
        ] {
            let [apart, together] = [Pricing::Separate, Pricing::Joint].map(|pricing| {
                let facts = Facts { unit, ..facts(5000, 0.9) };
                let lambda = Some(4.0 / 5000.0);
                let loss = LossKind::Logistic;
                let training = Training { loss, lambda, method: Method::Objective, budget };
                training.plan_with(facts, pricing).unwrap()
            });
            let error = |plan: &Plan| plan.chosen().expected_error();
            let case = format!("{unit:?} {budget}: {} {}", error(&together), error(&apart));
            assert!(error(&together) < 0.97 * error(&apart), "{case}");
            assert!(Spend::of(&together.event()).unwrap().is_within(budget), "{case}");
            let written = |plan: &Plan| serde_json::to_string(&plan.event()).unwrap();
            assert!(written(&together).contains(r#""curvature":"logistic""#));
            assert!(!written(&apart).contains("curvature"), "{}", written(&apart));
        }
    }
}

/// Models of parts, which intervals are made of, ask for it.
#[test]
fn parts_ask_for_it() {
    use crate::interval::parts::{PARTS, PartsPlan};
    let budget = Budget::Pure { epsilon: 1.0 };
    let training =
        Training { loss: LossKind::Logistic, lambda: None, method: Method::Auto, budget };
    let plan = PartsPlan::new(&training, 8000, vec![facts(1000, 0.9); PARTS]).unwrap();
    assert_eq!(plan.of_a_part().pricing(), Pricing::Joint);
    assert!(Spend::of(&plan.event()).unwrap().is_within(budget));
}
