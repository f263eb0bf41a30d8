//! Tuning a procedure of one's own: the mean length of stay, in days, with stays cut off at a bound
//! that is chosen privately. A low bound distorts the mean, a high one needs more noise.
//!
//! `cargo run --release -p discretion --example own_procedure`
//!
//! Four steps: say how training and scoring work and how far one row moves the score; let the
//! checker try to prove that wrong; plan, and see what it costs; run.

use discretion::choose::checker::{self, Effort, Neighbours};
use discretion::choose::split::{is_validation, validation_rows};
use discretion::choose::{Procedure, Rows, Rule, Stability, Trainer, Validation};
use discretion::noise::{IntegerNoise, NoiseError, Receipt, Released, Seeded, Sensitive, Source};
use discretion::privacy::account::Event;
use discretion::privacy::{Budget, Pure};
use std::error::Error;

/// No stay is longer; a public fact.
const LONGEST: u32 = 365;

/// The mean of stays cut off at one of these bounds.
struct MeanStay {
    bounds: Vec<u32>,
    training_budget: Pure,
}

impl MeanStay {
    /// One stay moves the sum by at most the bound.
    fn noise(&self, bound: u32) -> IntegerNoise {
        IntegerNoise::Laplace { sensitivity: bound, budget: self.training_budget }
    }
}

fn sum(stays: &[u32], bound: u32) -> i64 {
    stays.iter().map(|&days| i64::from(days.min(bound))).sum()
}

fn mean(sum: i64, rows: usize) -> f64 {
    sum as f64 / rows as f64
}

impl Procedure for MeanStay {
    type Candidate = u32;
    type Table = [u32];
    type Randomness = i64;
    type Model = f64;
    type Error = NoiseError;

    fn candidates(&self) -> &[u32] {
        &self.bounds
    }

    fn rows(&self, stays: &[u32]) -> usize {
        stays.len()
    }

    fn draw(&self, &bound: &u32, source: &mut dyn Source) -> Result<i64, NoiseError> {
        Ok(self.noise(bound).draw(1, source)?[0])
    }

    fn train(&self, stays: &[u32], &bound: &u32, &noise: &i64) -> Result<f64, NoiseError> {
        Ok(mean(sum(stays, bound).saturating_add(noise), stays.len()))
    }

    /// How near the released mean is to that of other rows.
    fn score(&self, &model: &f64, stays: &[u32]) -> Result<f64, NoiseError> {
        Ok(-(model - mean(sum(stays, LONGEST), stays.len())).abs())
    }

    fn score_range(&self, _: &u32) -> (f64, f64) {
        (-f64::from(LONGEST), 0.0)
    }

    /// |a − b| moves by no more than a or b does. The rest is rounding: three numbers, each below a thousand where the score is
    /// not clamped.
    fn stability(&self, &bound: &u32, training_rows: usize, validation_rows: usize) -> Stability {
        let rounding = 6.0 * 1000.0 * f64::EPSILON;
        Stability {
            training: f64::from(bound) / training_rows as f64 + rounding,
            validation: f64::from(LONGEST) / validation_rows as f64 + rounding,
            failure: 0.0,
        }
    }
}

impl Trainer for MeanStay {
    type Output = f64;

    /// The same for every bound: the noise grows with it.
    fn price(&self, _: usize) -> Event {
        self.noise(1).event()
    }

    fn release(
        &self,
        stays: &[u32],
        &bound: &u32,
        source: &mut dyn Source,
    ) -> Result<Released<f64>, NoiseError> {
        let noisy = self.noise(bound).release(Sensitive::new(vec![sum(stays, bound)]), source)?;
        Ok(noisy.map(|sums| mean(sums[0], stays.len())))
    }
}

/// Tables for the checker: short stays, long stays, and the extremes.
struct Stays;

impl Neighbours<MeanStay> for Stays {
    type Row = u32;
    type Table = Vec<u32>;

    fn row(&self, source: &mut Seeded) -> u32 {
        match (4.0 * source.unit()) as u32 {
            0 => 0,
            1 => LONGEST,
            2 => (20.0 * source.unit()) as u32,
            _ => (f64::from(LONGEST) * source.unit()) as u32,
        }
    }

    fn table(&self, rows: &[u32]) -> Vec<u32> {
        rows.to_vec()
    }
}

/// Made-up stays: most are short, a few very long. The mean is about 5.5 days.
fn made_up(rows: usize) -> Vec<u32> {
    let mut source = Seeded::new(2024);
    let mut stay = || {
        let scale = if source.unit() < 0.95 { 4.0 } else { 45.0 };
        ((-scale * source.unit().ln()) as u32).min(LONGEST)
    };
    (0..rows).map(|_| stay()).collect()
}

#[allow(clippy::print_stdout)] // an example
fn main() -> Result<(), Box<dyn Error>> {
    const SHARE: f64 = 0.5;
    let (training_budget, selection) = (Pure { epsilon: 0.02 }, 0.2);
    let procedure = MeanStay { bounds: vec![5, 10, 20, 40, 80, 160, LONGEST], training_budget };

    let report = checker::check(&procedure, &Stays, Effort::default(), 1)?;
    let worst = report.worst();
    println!("the checker found {} violations", report.violations().count());
    println!("nearest: {:.4} of the declared {:?} stability", worst.ratio(), worst.side);

    let stays = made_up(40_000);
    let validation = validation_rows(stays.len(), SHARE);
    let rows = Rows { training: stays.len() - validation, validation };
    let plan = Validation::plan(&procedure, rows, Rule::Uniform { doubt: 0.05 }, selection)?;
    let cost = discretion::privacy::account::Spend::of(&plan.event_with_training())?
        .price(Budget::from(Pure { epsilon: 1.0 }))?;
    println!("choosing and training cost ε = {:.3}", cost.amount);
    println!(
        "the choice loses at most {:.2} days of score, with 95 % certainty",
        plan.selector().shortfall()[0]
    );

    let part = |wanted: bool| -> Vec<u32> {
        let rows = stays.iter().enumerate().filter(|&(row, _)| is_validation(row, SHARE) == wanted);
        rows.map(|(_, &days)| days).collect()
    };
    let tuned = plan.validate_then_train(
        &part(false),
        &part(true),
        &stays,
        Receipt::nobody_remembers().noise(),
    )?;
    let chosen = procedure.candidates()[tuned.choice.index];
    println!("released: {:.2} days, with stays cut off at {chosen}", *tuned.output);
    println!("NOT PRIVATE, for comparison: {:.2} days", mean(sum(&stays, LONGEST), stays.len()));
    Ok(())
}
