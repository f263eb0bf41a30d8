//! Files that are published: released values and public facts, nothing else. No file here knows how
//! it is made or shown.
//!
//! [`Model`] is model.json (and, for other programs, a file of ONNX), [`DensityFile`] density.json,
//! [`EvaluationFile`] evaluation.json. What they have in common is [`Privacy`], which says what is
//! promised, and [`LedgerEntry`], which says who paid.
//!
//! A histogram as a file, which says what it promises:
//!
//! ```
//! use discretion::density::{Histogram, Points, Value};
//! use discretion::noise::Receipt;
//! use discretion::privacy::{Budget, Unit};
//! use discretion_formats::{DensityFile, Neighbours, Privacy, RunFacts, axis};
//! use discretion_table::{Column, Kind};
//!
//! let age = Column::new("age", Kind::number(0.0, 100.0));
//! let mut points = Points::new(vec![axis(&age)])?;
//! (0..5_000).for_each(|row| points.push(&[Value::Number(f64::from(row % 60))]));
//! let budget = Budget::Pure { epsilon: 1.0 };
//! let plan = Histogram::new(vec![axis(&age)], budget).plan(points.rows())?;
//! let density = plan.run(&points, Receipt::nobody_remembers().noise())?;
//!
//! let privacy = Privacy {
//!     private: true,
//!     guarantee: Some(budget),
//!     neighbours: Neighbours::ReplaceOne,
//!     unit: Unit::Row,
//!     statement: "replacing any one row changes any probability by at most a factor e".to_owned(),
//!     randomness: Some(density.provenance()),
//! };
//! let run = RunFacts::of(&plan, points.rows(), None, "chosen privately".to_owned());
//! let file = DensityFile::new(&density, &[age], privacy, None, run, None);
//!
//! let text = file.to_json(); // what `density.json` holds, and all that anybody needs to use it
//! assert_eq!(DensityFile::from_json(&text)?, file);
//! assert!(DensityFile::from_json(&text.replace("density/1", "density/2")).is_err());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod any_model;
mod claim;
mod density;
mod format;
mod model;
mod number;
mod onnx;
mod origins;
mod prediction;
mod privacy;
mod quality;

pub use any_model::AnyModel;
pub use claim::Claim;
pub use density::{
    ChoiceFacts, CountLaw, DensityColumn, DensityFile, Drawn, RunFacts, axis, whole_bins,
};
pub use format::{Artefact, Format, PROGRAM, content_hash};
pub use model::{
    BaseRate, Bounds, Coefficient, CoefficientEffect, CoefficientInterval, Findings, ForPrediction,
    HolderFacts, IntervalFacts, JointFacts, Knot, LambdaFrom, Model, RoundFacts, StepFacts,
    TrainingFacts, TuningFacts, Weights,
};
pub use number::{NumberFit, NumberModel, NumberTraining, OtherNumber, SquaresFit, column_size};
pub use origins::{ColumnOrigin, Origin, Origins, build};
pub use prediction::PredictionParts;
pub use privacy::{LedgerEntry, Neighbours, Privacy};
pub use quality::{
    ClassQualityFacts, EvaluationFile, GroupClassQuality, GroupNumberQuality, GroupQuality,
    ModelQuality, NumberQualityFacts, QualityFacts,
};
