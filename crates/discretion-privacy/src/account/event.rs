//! The record of what was run on a table.

use super::shaped::{ShapeError, ShapedLaw, TrainingLaw};
use crate::stopping::StoppingError;
use crate::{JointPrice, LogisticRow, Unit};
use serde::{Deserialize, Serialize};

/// What was run. The names in the serialised form are those of ledgers already written: they do not
/// change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Event {
    /// θ̃ = argmin J(θ) + b·θ/n (`train/objective/PROOF.md`).
    ObjectivePerturbation {
        /// n, of rows or of persons.
        rows: usize,
        /// d.
        dimension: usize,
        /// λ.
        lambda: f64,
        /// t, the bound on f″.
        curvature_bound: f64,
        /// The law of b. Gaussian noise is for losses that never increase.
        noise: Law,
        /// What was counted in n: it decides what curvature costs.
        #[serde(default, skip_serializing_if = "Unit::is_row")]
        unit: Unit,
        /// What is known of f″ beside t.
        #[serde(default, skip_serializing_if = "Curvature::is_bounded")]
        curvature: Curvature,
    },
    /// The same with noise that follows the shape of the rows (Theorems 1′ and 2′ there).
    ShapedObjectivePerturbation {
        /// n, of rows or of persons.
        rows: usize,
        /// λ.
        lambda: f64,
        /// t, the bound on f″.
        curvature_bound: f64,
        /// The law of b, with the columns. Gaussian noise is for losses that never increase.
        noise: ShapedLaw,
        /// What was counted in n: it decides what curvature costs.
        #[serde(default, skip_serializing_if = "Unit::is_row")]
        unit: Unit,
        /// What is known of f″ beside t.
        #[serde(default, skip_serializing_if = "Curvature::is_bounded")]
        curvature: Curvature,
    },
    /// θ̂ + b (`train/output/PROOF.md`).
    OutputPerturbation {
        /// n, of rows or of persons.
        rows: usize,
        /// d.
        dimension: usize,
        /// λ.
        lambda: f64,
        /// The law of b.
        noise: Law,
    },
    /// θ̃ = argmin J(θ) + b·θ/n for a loss of residuals, whose slopes have either sign
    /// (`train/huber/PROOF.md`).
    ResidualObjectivePerturbation {
        /// n, of rows or of persons.
        rows: usize,
        /// d.
        dimension: usize,
        /// λ.
        lambda: f64,
        /// t, the bound on f″.
        curvature_bound: f64,
        /// The law of b.
        noise: TrainingLaw,
        /// What was counted in n: it decides what curvature costs.
        #[serde(default, skip_serializing_if = "Unit::is_row")]
        unit: Unit,
    },
    /// Θ̃ = argmin J(Θ) + b·Θ/n for a softmax of several classes, b on the subspace where classes
    /// add up to 0 (`train/classes/PROOF.md`).
    ClassesObjectivePerturbation {
        /// K.
        classes: usize,
        /// n, of rows or of persons.
        rows: usize,
        /// The number of coefficients of one class.
        dimension: usize,
        /// λ.
        lambda: f64,
        /// The law of b: of a vector in (K − 1)d dimensions, or by the columns of one class.
        noise: TrainingLaw,
        /// What was counted in n: it decides what curvature costs.
        #[serde(default, skip_serializing_if = "Unit::is_row")]
        unit: Unit,
        /// What is known of a row's curvature beside its largest trace, 1 − 1/K.
        #[serde(default, skip_serializing_if = "Curvature::is_bounded")]
        curvature: Curvature,
    },
    /// Θ̂ + b for the same (`train/classes/PROOF.md`).
    ClassesOutputPerturbation {
        /// K.
        classes: usize,
        /// n, of rows or of persons.
        rows: usize,
        /// The number of coefficients of one class.
        dimension: usize,
        /// λ.
        lambda: f64,
        /// The law of b in (K − 1)d dimensions.
        noise: Law,
    },
    /// The gate's exact discrete noise (`noise/gate/PROOF.md`).
    Mask {
        /// Its law and share.
        noise: MaskNoise,
    },
    /// One of several candidates chosen by noisy score.
    Selection {
        /// How many there were.
        candidates: usize,
        /// ε.
        epsilon: f64,
    },
    /// Sparse vector runs, one after the other: up to outcomes of probability at most δ on every
    /// table, a post-processing of `runs` mechanisms that are each pure (`vote/PROOF.md`;
    /// `PROOF.md`, "Failure").
    SparseVector {
        /// How often a noisy threshold is drawn.
        runs: u64,
        /// ε of everything under one threshold.
        epsilon_each: f64,
        /// The probability of an answer that the proof does not cover.
        delta: f64,
    },
    /// Tests with continuous noise N(0, σ²) on numbers of sensitivity 1, up to outcomes of
    /// probability at most δ on every table (`vote/PROOF.md`).
    GaussianTests {
        /// Their number.
        tests: u64,
        /// σ.
        sigma: f64,
        /// The probability of an answer that the proof does not cover.
        delta: f64,
    },
    /// Votes counted with continuous noise N(0, σ²) on every count, of which one vote that moves
    /// changes two by 1; all that is told is a function of the noisy counts (`vote/PROOF.md`,
    /// "Every query is answered").
    NoisyMaximum {
        /// How many queries may be asked.
        queries: u64,
        /// σ.
        sigma: f64,
    },
    /// Labels drawn with probability ∝ e^{ηc} for the count c of their votes (the same proof).
    ExponentialVotes {
        /// How many queries may be asked.
        queries: u64,
        /// η.
        eta: f64,
    },
    /// Sums of scores from 0 to 1 with continuous noise N(0, σ²) on each (the same proof).
    NoisySums {
        /// How many queries may be asked.
        queries: u64,
        /// σ.
        sigma: f64,
    },
    /// Continuous noise N(0, σ²I) on a query.
    Gaussian {
        /// L₂ sensitivity of the query.
        sensitivity: f64,
        /// σ.
        sigma: f64,
    },
    /// Discrete Gaussian noise on a lattice query. It has no exact price here: its δ can be larger
    /// than that of continuous noise.
    DiscreteGaussian {
        /// L₂ sensitivity of the query.
        sensitivity: f64,
        /// The parameter σ of the law.
        sigma: f64,
    },
    /// Any other ε-DP mechanism.
    Pure {
        /// ε.
        epsilon: f64,
        /// Its name.
        what: String,
    },
    /// Any other ρ-zCDP mechanism.
    Concentrated {
        /// ρ.
        rho: f64,
        /// Its name.
        what: String,
    },
    /// A query of its own through the gate, with discrete Gaussian noise (`noise/gate/PROOF.md`).
    LatticeGaussian {
        /// ρ.
        rho: f64,
        /// Its name.
        what: String,
    },
    /// Any other (ε, δ)-DP mechanism.
    Approximate {
        /// ε.
        epsilon: f64,
        /// δ.
        delta: f64,
        /// Its name.
        what: String,
    },
    /// The best of a random number of runs (`privacy/stopping/PROOF.md`).
    RandomStopping {
        /// η of the law of the number of runs.
        shape: f64,
        /// The largest number of runs.
        most: u32,
        /// What one run may do. A run does only one of these to a row: which one is drawn without
        /// looking at the table, or follows from where the row stands in it.
        one_of: Vec<Event>,
    },
    /// All of these, on the same rows.
    Composition {
        /// What was run.
        of: Vec<Event>,
    },
    /// Each of these on a part of the table of its own. The parts share no row, and their sizes are
    /// public and fixed, so that a replaced row stays in its part. A later one may look at what
    /// earlier ones released.
    Parallel {
        /// What was run on each part.
        of: Vec<Event>,
    },
    /// One of these on all rows. Which one may depend on what was released before, as the training
    /// of a chosen candidate does.
    OneOf {
        /// Each event that it may have been.
        of: Vec<Event>,
    },
}

/// What is known of a loss's curvature beside its largest value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Curvature {
    /// Nothing: it can be that at every slope.
    #[default]
    Bounded,
    /// That of the logistic loss: at most a(1 − a) where the slope is −a, and of K classes a trace of
    /// at most 2q − q²K/(K − 1), q being the probability of all classes but a row's own. Slope and
    /// curvature are priced together (`train/objective/PROOF.md`, Theorems 4 and 5).
    Logistic,
}

impl Curvature {
    /// Returns true if nothing else is known, as in events of ledgers that do not name it.
    pub fn is_bounded(&self) -> bool {
        *self == Curvature::Bounded
    }

    /// Returns the price of slope and curvature together, if they are known together: of so many
    /// units, with so many coefficients a head, and λ.
    pub fn joint_price(
        self,
        row: LogisticRow,
        unit: Unit,
        (units, dimension, lambda): (usize, usize, f64),
    ) -> Option<JointPrice> {
        match self {
            Curvature::Bounded => None,
            Curvature::Logistic => Some(JointPrice::new(row, unit, dimension, units, lambda)),
        }
    }
}

/// The law of a noise vector in d dimensions.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "law", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Law {
    /// Density ∝ exp(−‖b‖₂/scale): uniform direction, norm Gamma(d, scale).
    Spherical {
        /// The scale of the norm.
        scale: f64,
    },
    /// Independent normal coordinates.
    Gaussian {
        /// The standard deviation of each.
        sigma: f64,
    },
}

/// The law of the gate's mask, by what it may spend.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "law", rename_all = "kebab-case", deny_unknown_fields)]
pub enum MaskNoise {
    /// Discrete Laplace.
    Laplace {
        /// ε.
        epsilon: f64,
    },
    /// Discrete Gaussian.
    Gaussian {
        /// ρ.
        rho: f64,
    },
}

/// An event that cannot have happened.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum EventError {
    /// A number outside its range.
    #[error("the {field} of an event of kind {kind} must be {range}, not {value}")]
    Number {
        /// The event's kind.
        kind: &'static str,
        /// The field.
        field: &'static str,
        /// What it may be.
        range: &'static str,
        /// What it was.
        value: f64,
    },
    /// No law of noise.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// No law of the number of runs.
    #[error(transparent)]
    Stopping(#[from] StoppingError),
    /// A run that may fail.
    #[error("a run inside an event of kind {0} has a delta, which random stopping cannot price")]
    RunWithDelta(&'static str),
    /// The numbers are fine alone, and together cost more than a number can say.
    #[error(
        "an event of kind {0} costs more than can be computed; its noise is too small to protect anyone"
    )]
    Boundless(&'static str),
}

impl Event {
    /// The kind's name, as it is written in a ledger.
    pub fn kind(&self) -> &'static str {
        match self {
            Event::ObjectivePerturbation { .. } => "objective-perturbation",
            Event::ShapedObjectivePerturbation { .. } => "shaped-objective-perturbation",
            Event::OutputPerturbation { .. } => "output-perturbation",
            Event::ResidualObjectivePerturbation { .. } => "residual-objective-perturbation",
            Event::ClassesObjectivePerturbation { .. } => "classes-objective-perturbation",
            Event::ClassesOutputPerturbation { .. } => "classes-output-perturbation",
            Event::Mask { .. } => "mask",
            Event::Selection { .. } => "selection",
            Event::SparseVector { .. } => "sparse-vector",
            Event::GaussianTests { .. } => "gaussian-tests",
            Event::NoisyMaximum { .. } => "noisy-maximum",
            Event::ExponentialVotes { .. } => "exponential-votes",
            Event::NoisySums { .. } => "noisy-sums",
            Event::Gaussian { .. } => "gaussian",
            Event::DiscreteGaussian { .. } => "discrete-gaussian",
            Event::Pure { .. } => "pure",
            Event::Concentrated { .. } => "concentrated",
            Event::LatticeGaussian { .. } => "lattice-gaussian",
            Event::Approximate { .. } => "approximate",
            Event::RandomStopping { .. } => "random-stopping",
            Event::Composition { .. } => "composition",
            Event::Parallel { .. } => "parallel",
            Event::OneOf { .. } => "one-of",
        }
    }
}
