//! What the planner fits into a budget, the accountant finds within it: a run may spend a whole
//! cap.

use super::{objective, output};
use discretion_privacy::account::{Curvature, Event, Law, Spend, amount, minimiser_sensitivity};
use discretion_privacy::noise::gate::{MASK_SHARE, Mask};
use discretion_privacy::{Approximate, Budget, Pure, ROUNDING_SLACK, Unit, Zcdp};

const ROWS: usize = 5000;
const LAMBDA: f64 = 1e-3;

fn curvature() -> f64 {
    objective::curvature_price(1, ROWS, LAMBDA, 0.25)
}

fn objective_event(noise: Law) -> Event {
    Event::ObjectivePerturbation {
        rows: ROWS,
        dimension: 20,
        lambda: LAMBDA,
        curvature_bound: 0.25,
        noise,
        unit: Unit::Row,
        curvature: Curvature::Bounded,
    }
}

fn output_event(noise: Law) -> Event {
    Event::OutputPerturbation { rows: ROWS, dimension: 20, lambda: LAMBDA, noise }
}

/// The run is within its budget, and hardly more would be.
fn fits_exactly(event: Event, mask: Mask, budget: Budget, least_used: f64) {
    let run = Event::Composition { of: vec![event, mask.into()] };
    let price = Spend::of(&run).unwrap().price(budget).unwrap();
    assert!(price.within(budget), "{budget}: {price:?}");
    assert!(price.amount >= least_used * amount(budget), "{budget}: {price:?} wastes the budget");
}

#[test]
fn a_pure_plan_costs_its_budget() {
    let rest = (1.0 - MASK_SHARE) * (1.0 - ROUNDING_SLACK);
    for epsilon in [0.1, 1.0, 5.0] {
        let budget = Budget::Pure { epsilon };
        let share = Pure { epsilon: rest * epsilon };
        let mask = Mask::Laplace(Pure { epsilon: MASK_SHARE * epsilon });
        let law = objective::spherical(curvature(), share).unwrap();
        fits_exactly(objective_event(law), mask, budget, 1.0 - 1e-9);
        let law = output::spherical(minimiser_sensitivity(ROWS, LAMBDA), share);
        fits_exactly(output_event(law), mask, budget, 1.0 - 1e-9);
    }
}

#[test]
fn an_approximate_plan_costs_its_budget() {
    for epsilon in [0.1, 1.0, 5.0] {
        for delta in [1e-5, 1e-9] {
            let budget = Budget::Approximate { epsilon, delta };
            let target = Approximate { epsilon, delta };
            let mask = Zcdp { rho: MASK_SHARE * Zcdp::within(target).rho };
            let law = objective::gaussian_within(curvature(), target, mask).unwrap();
            fits_exactly(objective_event(law), Mask::Gaussian(mask), budget, 1.0 - 1e-6);

            let part = Approximate { epsilon: MASK_SHARE * epsilon, delta: MASK_SHARE * delta };
            let left = Approximate { epsilon: epsilon - part.epsilon, delta: delta - part.delta };
            let law = output::gaussian_within(minimiser_sensitivity(ROWS, LAMBDA), left);
            fits_exactly(output_event(law), Mask::Gaussian(Zcdp::within(part)), budget, 0.99);
        }
    }
}

#[test]
fn a_concentrated_plan_costs_its_budget() {
    for rho in [0.1, 2.0] {
        let budget = Budget::Zcdp { rho };
        let mask = Zcdp { rho: MASK_SHARE * rho };
        let left = Zcdp { rho: (rho - mask.rho) * (1.0 - ROUNDING_SLACK) };
        let law = objective::gaussian_zcdp(curvature(), left).unwrap();
        fits_exactly(objective_event(law), Mask::Gaussian(mask), budget, 0.999);
        let law = output::gaussian_zcdp(minimiser_sensitivity(ROWS, LAMBDA), left);
        fits_exactly(output_event(law), Mask::Gaussian(mask), budget, 1.0 - 1e-9);
    }
}
