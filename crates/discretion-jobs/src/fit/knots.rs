//! The search for knots at private quantiles, as jobs run it (`knots/PROOF.md`).

use discretion::Refusal;
use discretion::erm::{AskOracle, Oracle};
use discretion::knots::{KnotsPlan, SearchError, quantiles};
use discretion::noise::Noise;
use discretion::privacy::{Budget, Unit};
use discretion_report::numbers::plain::short;
use discretion_table::Schema;

/// The search for knots that a schema asks for.
pub(crate) fn planned_knots(
    schema: &Schema,
    budget: Budget,
    unit: Unit,
) -> Result<KnotsPlan, Refusal> {
    KnotsPlan::new(&schema.private_knots(), budget, unit)
        .map_err(|error| Refusal::bad_input(error.to_string()))
}

/// What a plan says of it.
pub(crate) fn about_knots(plan: &KnotsPlan, unit: Unit) -> String {
    let shares: f64 = plan.columns().iter().map(|(wanted, _)| wanted.share).sum();
    format!(
        "{} % of the budget find the knots of {} curves, by counts with a noise of {} {}; training has the rest",
        short(100.0 * shares),
        plan.columns().len(),
        short(plan.deviation()),
        unit.plural()
    )
}

/// Where each curve's cells end, released.
pub(crate) fn released_ends(
    plan: &KnotsPlan,
    rows: &dyn Oracle,
    noise: &mut Noise,
) -> Result<Vec<Vec<usize>>, Refusal> {
    let released = plan.run(rows, noise).map_err(not_found)?;
    Ok(released.iter().map(|ends| ends.to_vec()).collect())
}

pub(super) fn not_found(error: SearchError) -> Refusal {
    Refusal::refused(format!("{error}; nothing was released")).because(error)
}

/// The schema with knots from exact counts, for the custodian alone: what is fitted without noise
/// has no budget to share.
pub fn knots_without_noise(schema: &Schema, rows: &dyn Oracle) -> Result<Schema, Refusal> {
    let exact = schema.private_knots().into_iter().map(|wanted| {
        let counts = rows.cells(wanted.place).map_err(|error| Refusal::refused(error.0))?;
        Ok(quantiles(&counts.not_private().into_inner(), wanted.knots))
    });
    Ok(schema.with_knots_from_rows(&exact.collect::<Result<Vec<_>, Refusal>>()?))
}
