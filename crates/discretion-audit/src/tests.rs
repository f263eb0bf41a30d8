//! The audit itself: false alarms, power, repeatability, refusals. And a short audit of everything
//! that is shipped.

mod core;
mod exactly;
mod shipped;

use super::*;

fn quiet(_: usize, _: usize) {}

/// Randomised response: the truth with probability e^ε/(1 + e^ε). It costs ε exactly.
struct Response {
    epsilon: f64,
}

impl Mechanism for Response {
    fn run(&self, side: Side, source: &mut Noise) -> Result<Vec<f64>, AuditError> {
        let truth = side == Side::Left;
        let answer = fixtures::unit(source)? < 1.0 / (1.0 + (-self.epsilon).exp());
        Ok(vec![f64::from(u8::from(answer == truth))])
    }
}
