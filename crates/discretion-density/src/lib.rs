//! Private histogram densities of one or a few columns, with the number of bins chosen by the data.
//!
//! [`Histogram`] (what is wanted) → [`Histogram::plan`] (checked, and every public number fixed) →
//! [`HistogramPlan::event`] (what it costs) → [`HistogramPlan::run`] → a released [`Density`],
//! which can be plotted and drawn from. `PROOF.md` beside this file proves every constant.
//!
//! Ages, with as many bins as rows and budget carry:
//!
//! ```
//! use discretion_density::{Axis, Histogram, Points, Scale, Value};
//! use discretion_privacy::Budget;
//! use discretion_privacy::noise::Receipt;
//!
//! let age = Axis { name: "age".to_owned(), scale: Scale::Interval { low: 0.0, high: 100.0 } };
//! let mut points = Points::new(vec![age.clone()])?;
//! (0..20_000).for_each(|row| points.push(&[Value::Number(f64::from(row % 60))]));
//!
//! let plan = Histogram::new(vec![age], Budget::Pure { epsilon: 1.0 }).plan(points.rows())?;
//! let density = plan.run(&points, Receipt::nobody_remembers().noise())?;
//! assert!(density.density_at(&[Value::Number(30.0)]) > density.density_at(&[Value::Number(90.0)]));
//! let synthetic = density.sample(10, 1); // rows that resemble the table's, and cost nothing more
//! assert_eq!(synthetic.len(), 10);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod axis;
mod candidates;
mod cuts;
mod error;
mod fitted;
mod plan;
mod points;
mod procedure;
mod released;
mod tally;

#[cfg(test)]
mod tests;

pub use axis::{Axis, Scale, Spacing, Value};
pub use candidates::default_candidates;
pub use error::DensityError;
pub use fitted::Fitted;
pub use plan::{CEILING, Histogram, HistogramPlan, SELECTION_SHARE, VALIDATION_SHARE};
pub use points::Points;
pub use procedure::{Bins, Histograms};
pub use released::{Bar, Density};
pub use tally::{Tally, Wanted};
