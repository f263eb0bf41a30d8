mod coverage;
mod figures;
mod release;

use super::*;
use crate::quality::cells::normal_quantile;
use discretion_privacy::Budget;
use discretion_privacy::noise::Seeded;

fn quality(budget: Budget) -> Quality {
    Quality { budget, groups: 1, low: -6.0, high: 4.0 }
}

/// Scores around −1.2 and what comes of them: log-odds that are right, a quarter of the rows
/// positive.
struct Stays {
    deviation: f64,
    middle: f64,
}

const STAYS: Stays = Stays { deviation: 1.4, middle: -1.45 };

impl Stays {
    fn score(&self, source: &mut Seeded) -> f64 {
        let radius = (-2.0 * source.unit().max(1e-300).ln()).sqrt();
        self.middle + self.deviation * radius * (2.0 * std::f64::consts::PI * source.unit()).cos()
    }

    fn one(&self, source: &mut Seeded) -> (f64, bool) {
        let score = self.score(source);
        (score, source.unit() < 1.0 / (1.0 + (-score).exp()))
    }

    fn tally(&self, plan: &QualityPlan, source: &mut Seeded) -> Tally {
        let mut tally = plan.tally();
        for _ in 0..plan.rows() {
            let (score, positive) = self.one(source);
            tally.add(score, positive, 0);
        }
        tally
    }

    /// Base rate, AUC and Brier score, by sums over a fine grid.
    fn truth(&self) -> [f64; 3] {
        let (steps, mut sums, mut pairs) = (40_000, [0.0; 2], 0.0);
        let mut brier = 0.0;
        for step in 0..steps {
            let z = -8.0 + 16.0 * (f64::from(step) + 0.5) / f64::from(steps);
            let weight = (-0.5 * z * z).exp();
            let p = 1.0 / (1.0 + (-(self.middle + self.deviation * z)).exp());
            pairs += weight * p * (sums[0] + 0.5 * weight * (1.0 - p));
            sums[0] += weight * (1.0 - p);
            sums[1] += weight * p;
            brier += weight * p * (1.0 - p);
        }
        let all = sums[0] + sums[1];
        [sums[1] / all, pairs / (sums[0] * sums[1]), brier / all]
    }
}
