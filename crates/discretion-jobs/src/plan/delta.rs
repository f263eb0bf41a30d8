//! Which δ to take, and when one would help: from public numbers.

use discretion::privacy::{Budget, Unit};
use discretion::train::Plan;
use discretion_report::numbers::plain::{count, short};

/// A δ is worth saying if it takes this much off the error.
const WORTH_IT: f64 = 0.9;

/// The largest that is usual; a table of more than a hundred thousand rows needs a smaller one.
const USUAL: f64 = 1e-6;

/// A δ that grants nobody's row: at most a tenth of 1 over the number of rows.
pub fn usual_delta(rows: usize) -> f64 {
    let digits = (rows.max(1) as f64).log10().ceil() as i32 + 1;
    let below: f64 = format!("1e-{digits}").parse().expect("a power of ten is a number");
    below.min(USUAL)
}

/// Why a δ is no promise, if it is none.
pub fn too_large(budget: Budget, unit: Unit, rows: usize) -> Option<String> {
    let Budget::Approximate { delta, .. } = budget else { return None };
    (delta * rows as f64 >= 1.0).then(|| {
        format!(
            "delta = {delta:e} with {rows} {} promises next to nothing: publishing one person's {} at random would \
             satisfy it; take it well below {:.0e}, such as {:e}",
            unit.plural(),
            if unit.is_row() { "row" } else { "rows" },
            1.0 / rows as f64,
            usual_delta(rows)
        )
    })
}

/// What a δ would buy where there is none, if it is worth it. `with` is the plan with another
/// budget, and `name` is what whoever asks calls a δ.
pub fn would_help(
    budget: Budget,
    plan: &Plan,
    with: impl Fn(Budget) -> Option<Plan>,
    name: &str,
) -> Option<String> {
    let Budget::Pure { epsilon } = budget else { return None };
    let (rows, unit) = (plan.facts().rows, plan.facts().unit);
    let delta = usual_delta(rows);
    let with = with(Budget::Approximate { epsilon, delta })?;
    let [now, then] = [plan, &with].map(|plan| plan.chosen().expected_error());
    (then < WORTH_IT * now).then(|| {
        format!(
            "{name} {delta:e}, well below 1 over {} {}, would make the expected error {} instead of {}; the account \
             needs a delta too, to pay for it",
            count(rows),
            unit.plural(),
            short(then),
            short(now)
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_usual_delta_is_well_below_one_over_the_rows() {
        for (rows, delta) in
            [(1, 1e-6), (400, 1e-6), (30_000, 1e-6), (100_001, 1e-7), (32_000_000, 1e-9)]
        {
            assert_eq!(usual_delta(rows), delta);
            assert!(delta * rows as f64 <= 0.1);
        }
        let budget = |delta| Budget::Approximate { epsilon: 1.0, delta };
        assert_eq!(too_large(budget(1e-5), Unit::Row, 99_999), None);
        assert!(
            too_large(budget(1e-5), Unit::Row, 100_000)
                .unwrap()
                .ends_with("well below 1e-5, such as 1e-6")
        );
        assert_eq!(too_large(Budget::Pure { epsilon: 1.0 }, Unit::Row, 100_000), None);
    }
}
