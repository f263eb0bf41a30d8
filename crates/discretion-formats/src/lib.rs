//! Files that are published: released values and public facts, nothing else. No file here knows how it is made or shown.
//!
//! [`Model`] is model.json, [`DensityFile`] density.json. What they have in common is [`Privacy`], which says what is promised, and
//! [`LedgerEntry`], which says who paid.

mod density;
mod format;
mod model;
mod privacy;

pub use density::{ChoiceFacts, CountLaw, DensityColumn, DensityFile, Drawn, RunFacts, axis};
pub use format::{Artefact, Format, PROGRAM, content_hash};
pub use model::{
    Bounds, Coefficient, CoefficientEffect, CoefficientInterval, HolderFacts, IntervalFacts, JointFacts,
    LambdaFrom, Model, RoundFacts, StepFacts, TrainingFacts, TuningFacts, Weights,
};
pub use privacy::{LedgerEntry, Neighbours, Privacy};
