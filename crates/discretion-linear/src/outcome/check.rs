//! What the proofs assume of an outcome, checked numerically.

use super::{Bounds, Heads, Label, Outcome, Sign, Slopes};
use discretion_privacy::account::Curvature;
use discretion_privacy::noise::{BigFloat, Seeded, Source, exact, norm};
use faer::{Mat, Side};
use std::slice;

/// Half the distance of points between which slopes are compared.
const STEP: f64 = 1e-5;

/// 2⁻⁵³.
const UNIT: f64 = f64::EPSILON / 2.0;

/// Checks numerically what the proofs assume of an outcome, and says what is violated.
pub fn check(outcome: &dyn Outcome) -> Result<(), String> {
    let heads = outcome.heads().count();
    let points = match outcome.heads() {
        Heads::One => points_on_a_line(),
        Heads::Each(_) => points_in_space(heads),
    };
    let directions = points_in_space(heads);
    for label in outcome.labels() {
        let checked = Checked { outcome, bounds: outcome.bounds(), heads, label: &label };
        checked.numbers()?;
        checked.start()?;
        for (number, point) in points.iter().enumerate() {
            checked.derivatives(point)?;
            checked.changes(point, &directions[number % directions.len()])?;
            if number % if heads > 1 { 20 } else { 1000 } == 0 {
                checked.rounding(point)?;
            }
        }
        if checked.bounds.relation == Curvature::Logistic {
            points.iter().try_for_each(|point| checked.relation(point))?;
        }
        // Of a margin alone.
        if heads == 1 && label.is_empty() {
            points.iter().try_for_each(|point| checked.blocks(point[0]))?;
        }
    }
    Ok(())
}

/// Margins from −40 to 40.
fn points_on_a_line() -> Vec<Vec<f64>> {
    (-200_000..=200_000).map(|i| vec![f64::from(i) * 2e-4 + 1e-7]).collect()
}

/// Margins of several heads: at random within several distances of 0, and there with some of them
/// far below the others.
fn points_in_space(heads: usize) -> Vec<Vec<f64>> {
    let source = &mut Seeded::new(7);
    let mut number = |most: f64| {
        let word = source.word().expect("a seeded source does not fail");
        ((word >> 11) as f64 / (1u64 << 52) as f64 - 1.0) * most
    };
    let mut points = vec![vec![0.0; heads]];
    for distance in [1e-3, 0.3, 1.0, 4.0, 40.0] {
        for below in 0..4 {
            for _ in 0..500 {
                let far =
                    |number: f64| if number < 0.5 * f64::from(below - 1) { -50.0 } else { 0.0 };
                points.push((0..heads).map(|_| far(number(1.0)) + number(distance)).collect());
            }
        }
    }
    points
}

struct Checked<'o> {
    outcome: &'o dyn Outcome,
    bounds: Bounds,
    heads: usize,
    label: &'o [f32],
}

impl Checked<'_> {
    fn at(&self, margins: &[f64]) -> (f64, Slopes) {
        let mut slopes = Slopes::zero(self.heads);
        let value = self.outcome.row(margins, self.label, &mut slopes);
        (value, slopes)
    }

    /// The numbers among themselves.
    fn numbers(&self) -> Result<(), String> {
        let Bounds { curvature, rank, trace, mean_curvature, .. } = self.bounds;
        if rank == 0 || rank > self.heads {
            return Err(format!("rank {rank} of a Hessian in {} margins", self.heads));
        }
        if trace > rank as f64 * curvature * (1.0 + 4.0 * UNIT) {
            return Err(format!("trace {trace} is above rank {rank} times curvature {curvature}"));
        }
        if (mean_curvature * rank as f64 - trace).abs() > 8.0 * UNIT * trace {
            return Err(format!("mean curvature {mean_curvature} is not trace {trace} / {rank}"));
        }
        Ok(())
    }

    /// f where coefficients are 0, and the margins there.
    fn start(&self) -> Result<(), String> {
        let Bounds { start, offset, .. } = self.bounds;
        let largest = if self.outcome.label() == Label::Column { 1.0 } else { 0.0 };
        if offset < largest {
            return Err(format!("a margin starts at {largest}, beyond offset {offset}"));
        }
        for share in [-1.0, -0.5, 0.0, 0.5, 1.0] {
            let (value, _) = self.at(&vec![share * offset; self.heads]);
            if value > start * (1.0 + 4.0 * UNIT) {
                return Err(format!("value {value} at the start is above {start}"));
            }
        }
        Ok(())
    }

    /// Value, gradient and Hessian at a point.
    fn derivatives(&self, margins: &[f64]) -> Result<(), String> {
        let Bounds { slope: most, sign, curvature, rank, trace, .. } = self.bounds;
        // One margin has nothing to add up.
        let slack = if self.heads == 1 { 0.0 } else { 1e-12 };
        let (value, Slopes { slopes, hessian }) = self.at(margins);
        if !(0.0..).contains(&value) {
            return Err(format!("value {value} at {margins:?} is below 0"));
        }
        let length = slopes.iter().map(|x| x * x).sum::<f64>().sqrt();
        if !(..=most * (1.0 + slack)).contains(&length) {
            return Err(format!("slope {length} at {margins:?} is longer than {most}"));
        }
        if sign == Sign::Falls && slopes.iter().any(|&slope| slope > 0.0) {
            return Err(format!("slope {slopes:?} at {margins:?} is above 0"));
        }
        let eigenvalues = self.eigenvalues(&hessian);
        let (least, largest) = (eigenvalues[0], eigenvalues[self.heads - 1]);
        if !(least >= -slack && largest <= curvature * (1.0 + slack)) {
            return Err(format!(
                "curvature {largest} at {margins:?} is outside [0, t = {curvature}]"
            ));
        }
        if eigenvalues.iter().filter(|&&x| x > slack).count() > rank {
            return Err(format!("more than rank {rank} at {margins:?}: {eigenvalues:?}"));
        }
        let sum: f64 = eigenvalues.iter().sum();
        if sum > trace * (1.0 + slack) {
            return Err(format!("trace {sum} at {margins:?} is above {trace}"));
        }
        Ok(())
    }

    /// Gradients and traces as [`Curvature::Logistic`] says.
    fn relation(&self, margins: &[f64]) -> Result<(), String> {
        let Bounds { slope: most, trace: largest, .. } = self.bounds;
        let slack = if self.heads == 1 { 4.0 * UNIT } else { 1e-12 };
        let (_, Slopes { slopes, hessian }) = self.at(margins);
        let sum = |sign: f64| slopes.iter().map(|x| (sign * x).max(0.0)).sum::<f64>();
        let steep = sum(1.0).max(sum(-1.0)).min(1.0);
        let length = slopes.iter().map(|x| x * x).sum::<f64>().sqrt();
        if length > most * steep + slack {
            return Err(format!("slope {length} at {margins:?} is longer than {steep} allows"));
        }
        let trace: f64 = (0..self.heads).map(|k| hessian[k * self.heads + k]).sum();
        let gain = most * most * steep;
        if trace > gain - gain * gain / (4.0 * largest) + slack {
            return Err(format!("trace {trace} at {margins:?} is more than slope {steep} allows"));
        }
        Ok(())
    }

    fn eigenvalues(&self, hessian: &[f64]) -> Vec<f64> {
        if let [only] = hessian {
            return vec![*only];
        }
        let square = Mat::from_fn(self.heads, self.heads, |i, j| hessian[i * self.heads + j]);
        square.self_adjoint_eigenvalues(Side::Lower).expect("a Hessian of numbers")
    }

    /// Slopes are what values change by along a direction, and curvature is what slopes do.
    fn changes(&self, margins: &[f64], direction: &[f64]) -> Result<(), String> {
        let length = direction.iter().map(|x| x * x).sum::<f64>().sqrt();
        let unit: Vec<f64> = match length {
            0.0 => (0..self.heads).map(|k| if k == 0 { 1.0 } else { 0.0 }).collect(),
            length => direction.iter().map(|x| x / length).collect(),
        };
        let moved = |step: f64| -> Vec<f64> {
            margins.iter().zip(&unit).map(|(m, u)| m + step * u).collect()
        };
        let along = |slopes: &Slopes| -> f64 {
            slopes.slopes.iter().zip(&unit).map(|(slope, u)| slope * u).sum()
        };
        let [(below, left), (above, right)] = [-STEP, STEP].map(|step| self.at(&moved(step)));
        let (_, here) = self.at(margins);
        let secant = (along(&right) - along(&left)) / (2.0 * STEP);
        let (chord, slope) = ((above - below) / (2.0 * STEP), along(&here));
        if !(..=self.bounds.curvature * STEP + 1e-9).contains(&(chord - slope).abs()) {
            return Err(format!("slope {slope} at {margins:?} is not the derivative {chord} of f"));
        }
        let bent = |at: &Slopes| -> f64 {
            let row = |(i, u): (usize, &f64)| -> f64 {
                let row = &at.hessian[i * self.heads..][..self.heads];
                u * row.iter().zip(&unit).map(|(h, u)| h * u).sum::<f64>()
            };
            unit.iter().enumerate().map(row).sum()
        };
        // Where it jumps in between, either side.
        let bends = [&left, &here, &right].map(bent);
        let least = bends.iter().copied().fold(f64::INFINITY, f64::min);
        let largest = bends.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if !(least - 1e-9..=largest + 1e-9).contains(&secant) {
            return Err(format!(
                "the slope changes at rate {secant} near {margins:?}, and its curvature is {bends:?}"
            ));
        }
        Ok(())
    }

    /// The gradient in doubles is near that in big floats.
    fn rounding(&self, margins: &[f64]) -> Result<(), String> {
        let (_, Slopes { slopes, .. }) = self.at(margins);
        let big: Vec<BigFloat> =
            margins.iter().map(|&m| exact(m).with_precision(120).value()).collect();
        let exact_slopes = self.outcome.exact(&big, self.label);
        let off: Vec<BigFloat> =
            exact_slopes.into_iter().zip(&slopes).map(|(big, &x)| big - exact(x)).collect();
        let off = norm(&off, 120).to_f64().value() / UNIT;
        if !(..=self.bounds.rounding).contains(&off) {
            return Err(format!("slopes {slopes:?} at {margins:?} are {off} units off exact ones"));
        }
        Ok(())
    }

    /// What is summed a block of rows at a time is what a row alone has.
    fn blocks(&self, margin: f64) -> Result<(), String> {
        let loss = self.outcome.loss();
        let [mut slope, mut curvature] = [0.0; 2];
        let [slopes, curvatures] = [&mut slope, &mut curvature].map(slice::from_mut);
        let value = loss.evaluate(&[margin], slopes, curvatures);
        let (alone, Slopes { slopes, hessian }) = self.at(&[margin]);
        let gap =
            (value - alone).abs() + (slope - slopes[0]).abs() + (curvature - hessian[0]).abs();
        if gap > 1e-14 * (1.0 + margin.abs()) {
            return Err(format!("evaluate disagrees with value, slope or curvature at {margin}"));
        }
        if !(0.0..=self.bounds.curvature).contains(&curvature) {
            return Err(format!("evaluate's curvature {curvature} at {margin} is outside [0, t]"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::{Huber, HuberisedHinge, Logistic, Loss, Rates, Softmax};

    #[test]
    fn shipped_outcomes_are_what_the_proofs_assume() {
        check(&Logistic).unwrap();
        check(&HuberisedHinge::default()).unwrap();
        check(&Huber::default()).unwrap();
        for classes in [2, 3, 7] {
            check(&Softmax::new(classes)).unwrap();
        }
    }

    /// Slopes that are cut off at B bend by up to (Y + B)/B, not by Y/B.
    #[test]
    fn rates_are_what_their_bounds_say_and_no_less() {
        check(&Rates::USUAL).unwrap();
        let flatter = |bounds: &mut Bounds| {
            bounds.curvature = 2.0;
            (bounds.trace, bounds.mean_curvature) = (2.0, 2.0);
        };
        is_caught(&Rates::USUAL, flatter, "is outside [0, t");
        is_caught(&Rates::USUAL, |bounds| bounds.slope = 0.99, "is longer than");
        is_caught(&Rates::USUAL, |bounds| bounds.sign = Sign::Falls, "is above 0");
        is_caught(&Rates::USUAL, |bounds| bounds.start *= 0.99, "at the start is above");
    }

    /// An outcome with other bounds.
    struct Wrong<'o>(&'o dyn Outcome, Bounds);

    impl Outcome for Wrong<'_> {
        fn label(&self) -> Label {
            self.0.label()
        }

        fn labels(&self) -> Vec<Vec<f32>> {
            self.0.labels()
        }

        fn heads(&self) -> Heads {
            self.0.heads()
        }

        fn bounds(&self) -> Bounds {
            self.1
        }

        fn loss(&self) -> &dyn Loss {
            self.0.loss()
        }

        fn row(&self, margins: &[f64], label: &[f32], out: &mut Slopes) -> f64 {
            self.0.row(margins, label, out)
        }

        fn exact(&self, margins: &[BigFloat], label: &[f32]) -> Vec<BigFloat> {
            self.0.exact(margins, label)
        }
    }

    fn is_caught(outcome: &dyn Outcome, change: impl Fn(&mut Bounds), why: &str) {
        let mut bounds = outcome.bounds();
        change(&mut bounds);
        let found = check(&Wrong(outcome, bounds)).unwrap_err();
        assert!(found.contains(why), "{found}, not {why}");
    }

    const CLASSES: usize = 3;

    #[test]
    fn a_slope_that_is_too_small_is_caught() {
        for outcome in [&Logistic as &dyn Outcome, &HuberisedHinge::default(), &Huber::default()] {
            is_caught(outcome, |bounds| bounds.slope = 0.99, "is longer than");
        }
        is_caught(&Softmax::new(CLASSES), |bounds| bounds.slope *= 0.99, "is longer than");
    }

    #[test]
    fn a_wrong_sign_is_caught() {
        for outcome in [&Huber::default() as &dyn Outcome, &Softmax::new(CLASSES)] {
            is_caught(outcome, |bounds| bounds.sign = Sign::Falls, "is above 0");
        }
    }

    #[test]
    fn a_curvature_that_is_too_small_is_caught() {
        for outcome in [&Logistic as &dyn Outcome, &HuberisedHinge::default(), &Huber::default()] {
            let flatter = |bounds: &mut Bounds| {
                bounds.curvature *= 0.99;
                (bounds.trace, bounds.mean_curvature) = (bounds.curvature, bounds.curvature);
            };
            is_caught(outcome, flatter, "is outside [0, t");
        }
        is_caught(&Softmax::new(CLASSES), |bounds| bounds.curvature = 0.49, "is outside [0, t");
    }

    /// A Hessian that says nothing, beside slopes that change.
    #[test]
    fn a_curvature_that_is_not_the_slope_s_is_caught() {
        struct Flat;
        impl Outcome for Flat {
            fn label(&self) -> Label {
                Label::Sign
            }

            fn heads(&self) -> Heads {
                Heads::One
            }

            fn bounds(&self) -> Bounds {
                Logistic.bounds()
            }

            fn loss(&self) -> &dyn Loss {
                &Logistic
            }

            fn row(&self, margins: &[f64], label: &[f32], out: &mut Slopes) -> f64 {
                let value = Logistic.row(margins, label, out);
                out.hessian[0] = 0.0;
                value
            }
        }
        assert!(check(&Flat).unwrap_err().contains("changes at rate"));
    }

    #[test]
    fn a_rank_that_is_too_small_is_caught() {
        let fewer = |bounds: &mut Bounds| (bounds.rank, bounds.mean_curvature) = (1, bounds.trace);
        is_caught(
            &Softmax::new(CLASSES),
            |bounds| {
                fewer(bounds);
                bounds.curvature = bounds.trace;
            },
            "more than rank",
        );
        is_caught(&Softmax::new(CLASSES), |bounds| bounds.rank = CLASSES + 1, "rank 4");
    }

    #[test]
    fn a_trace_that_is_too_small_is_caught() {
        let smaller = |bounds: &mut Bounds| {
            bounds.trace *= 0.99;
            bounds.mean_curvature *= 0.99;
        };
        is_caught(&Softmax::new(CLASSES), smaller, "trace");
        is_caught(&Softmax::new(CLASSES), |bounds| bounds.trace = 1.01, "is above rank");
        is_caught(&Softmax::new(CLASSES), |bounds| bounds.mean_curvature = 0.3, "mean curvature");
    }

    #[test]
    fn a_relation_of_slope_and_curvature_that_does_not_hold_is_caught() {
        let logistic = |bounds: &mut Bounds| bounds.relation = Curvature::Logistic;
        is_caught(&HuberisedHinge::default(), logistic, "more than slope");
        is_caught(&Huber::default(), logistic, "more than slope");
    }

    #[test]
    fn a_start_or_an_offset_that_is_too_small_is_caught() {
        for outcome in [&Logistic as &dyn Outcome, &Huber::default(), &Softmax::new(CLASSES)] {
            is_caught(outcome, |bounds| bounds.start *= 0.99, "at the start is above");
        }
        is_caught(&Huber::default(), |bounds| bounds.offset = 0.9, "beyond offset");
    }

    #[test]
    fn a_rounding_that_is_too_small_is_caught() {
        let exact = |bounds: &mut Bounds| bounds.rounding = 0.1;
        is_caught(&Logistic, exact, "units off");
        is_caught(&Softmax::new(CLASSES), exact, "units off");
    }
}
