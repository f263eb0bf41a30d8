//! The mechanisms of this crate, through the functions that release with them, each with a pair of
//! neighbouring tables that moves it as far as its proof allows, or as far as was found.

mod base_rate;
mod classes;
mod counts;
mod curves;
mod gate;
mod huber;
mod joint;
mod persons;
mod quality;
mod selection;
mod shaped;
mod squares;
mod tables;
mod training;
mod voting;
mod voting_all;
mod weights;
mod whole;

use super::{AuditError, Claim, Mechanism};
use crate::exact::Exact;
use discretion_privacy::Budget;
use tables::{balanced, labels};

/// A ρ budget promises an ε for every δ; this is the δ of the promise that is audited. Smaller ones
/// need rarer events, and so more trials, to be seen at all.
pub const AUDITED_DELTA: f64 = 1e-2;

/// A mechanism that is shipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shipped {
    /// Training by output perturbation.
    Output,
    /// Training by objective perturbation.
    Objective,
    /// The same with noise that has the shape of the rows, in groups of columns.
    ShapedGroups,
    /// The same by the norm of the row.
    ShapedRow,
    /// The same with Gaussian noise and a deviation for each column.
    ShapedGaussian,
    /// Output perturbation for persons with several rows.
    PersonsOutput,
    /// Objective perturbation for persons with several rows.
    PersonsObjective,
    /// A choice by noisy score, all by the largest sensitivity.
    UniformSelection,
    /// A choice by noisy score, each candidate by its own sensitivity.
    GeneralisedSelection,
    /// λ by noisy score, then training on all rows.
    Tuning,
    /// λ and model by random stopping.
    RandomStopping,
    /// Counts of a histogram.
    Counts,
    /// A density with chosen bins.
    Density,
    /// Counts of a model's scores on rows that did not train it.
    Quality,
    /// The mask of the gate, for known ideal coefficients.
    Gate,
    /// The two matrices behind intervals.
    Matrices,
    /// Coefficients with intervals, the whole job.
    Fit,
    /// Labels by a vote, under one noisy threshold.
    Answers,
    /// Labels by a vote, with Gaussian noise on every query.
    GaussianAnswers,
    /// Scores by a vote.
    Scores,
    /// The average of several holders' models, as colluding aggregators see it.
    Joint,
    /// The same with a Newton step.
    JointStep,
    /// Objective perturbation of several classes, one softmax.
    Classes,
    /// Moments of columns and an outcome that is a number.
    Squares,
    /// A label for every query, from noisy counts, clear winners told apart.
    MaximumAnswers,
    /// A label for every query, drawn by its votes.
    ExponentialAnswers,
    /// A score for every query, the noisy mean of all.
    MeanScores,
    /// Training on a curve.
    Curves,
    /// Training on crossed columns.
    Crosses,
    /// The counts that private knots are made of.
    Knots,
    /// Objective perturbation of residuals, by Huber's loss.
    Huber,
    /// Counts of what a model of several classes says of rows that did not train it.
    QualityClasses,
    /// Counts and sums of the residuals of such rows, of a model of a number.
    QualityNumbers,
    /// Counts of the scores of such rows, added up by several holders.
    QualityJoint,
    /// Output perturbation where rows have weights.
    Weights,
    /// The counts that private knots are made of, where persons have several rows.
    PersonsKnots,
    /// Objective perturbation of several classes for persons with several rows.
    PersonsClasses,
    /// Moments of columns and an outcome, of persons with several rows.
    PersonsSquares,
    /// λ of several classes by noisy score, then training on all rows.
    TunedClasses,
    /// Models of several classes on disjoint parts of the rows, behind intervals.
    PartsClasses,
    /// Moments of columns and two outcomes.
    SquaresOutcomes,
    /// A base rate, and training whose penalty is around it.
    BaseRate,
    /// Objective perturbation of the logistic loss, slope and curvature priced together.
    JointPrice,
    /// The second moments of the rows behind intervals.
    Moments,
}

/// A mechanism with its neighbours, planned for one budget.
pub struct Case {
    /// What runs.
    pub mechanism: Box<dyn Mechanism + Send>,
    /// What it promises.
    pub claim: Claim,
    /// The neighbouring tables, in words.
    pub neighbours: &'static str,
    /// Why the bound stays below the claim however many trials are made; nothing if it does not.
    pub ceiling: Option<&'static str>,
    /// The exact law of both sides, where it can be written down.
    pub exact: Option<Exact>,
}

impl Shipped {
    /// All of them. Whoever ships another mechanism adds it here, and it is audited by everything
    /// that audits.
    pub const ALL: [Shipped; 44] = [
        Shipped::Output,
        Shipped::Objective,
        Shipped::ShapedGroups,
        Shipped::ShapedRow,
        Shipped::ShapedGaussian,
        Shipped::PersonsOutput,
        Shipped::PersonsObjective,
        Shipped::UniformSelection,
        Shipped::GeneralisedSelection,
        Shipped::Tuning,
        Shipped::RandomStopping,
        Shipped::Counts,
        Shipped::Density,
        Shipped::Quality,
        Shipped::Gate,
        Shipped::Matrices,
        Shipped::Fit,
        Shipped::Answers,
        Shipped::GaussianAnswers,
        Shipped::Scores,
        Shipped::Joint,
        Shipped::JointStep,
        Shipped::Classes,
        Shipped::Squares,
        Shipped::MaximumAnswers,
        Shipped::ExponentialAnswers,
        Shipped::MeanScores,
        Shipped::Curves,
        Shipped::Crosses,
        Shipped::Knots,
        Shipped::Huber,
        Shipped::QualityClasses,
        Shipped::QualityNumbers,
        Shipped::QualityJoint,
        Shipped::Weights,
        Shipped::PersonsKnots,
        Shipped::PersonsClasses,
        Shipped::PersonsSquares,
        Shipped::TunedClasses,
        Shipped::PartsClasses,
        Shipped::SquaresOutcomes,
        Shipped::BaseRate,
        Shipped::JointPrice,
        Shipped::Moments,
    ];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Shipped::Output => "output",
            Shipped::Objective => "objective",
            Shipped::ShapedGroups => "shaped-groups",
            Shipped::ShapedRow => "shaped-row",
            Shipped::ShapedGaussian => "shaped-gaussian",
            Shipped::PersonsOutput => "persons-output",
            Shipped::PersonsObjective => "persons-objective",
            Shipped::UniformSelection => "selection-uniform",
            Shipped::GeneralisedSelection => "selection-generalised",
            Shipped::Tuning => "tuning",
            Shipped::RandomStopping => "random-stopping",
            Shipped::Counts => "counts",
            Shipped::Density => "density",
            Shipped::Quality => "quality",
            Shipped::Gate => "gate",
            Shipped::Matrices => "matrices",
            Shipped::Fit => "fit",
            Shipped::Answers => "answers",
            Shipped::GaussianAnswers => "answers-gaussian",
            Shipped::Scores => "scores",
            Shipped::Joint => "joint",
            Shipped::JointStep => "joint-step",
            Shipped::Classes => "classes",
            Shipped::Squares => "squares",
            Shipped::MaximumAnswers => "answers-maximum",
            Shipped::ExponentialAnswers => "answers-exponential",
            Shipped::MeanScores => "scores-mean",
            Shipped::Curves => "curves",
            Shipped::Crosses => "crosses",
            Shipped::Knots => "knots",
            Shipped::Huber => "huber",
            Shipped::QualityClasses => "quality-classes",
            Shipped::QualityNumbers => "quality-numbers",
            Shipped::QualityJoint => "quality-joint",
            Shipped::Weights => "weights",
            Shipped::PersonsKnots => "persons-knots",
            Shipped::PersonsClasses => "persons-classes",
            Shipped::PersonsSquares => "persons-squares",
            Shipped::TunedClasses => "tuning-classes",
            Shipped::PartsClasses => "parts-classes",
            Shipped::SquaresOutcomes => "squares-outcomes",
            Shipped::BaseRate => "base-rate",
            Shipped::JointPrice => "joint-price",
            Shipped::Moments => "moments",
        }
    }

    /// The one with this name.
    pub fn named(name: &str) -> Option<Shipped> {
        Shipped::ALL.into_iter().find(|shipped| shipped.name() == name)
    }

    /// One budget of each kind that it takes.
    pub fn budgets(self) -> Vec<Budget> {
        let pure = Budget::Pure { epsilon: 1.0 };
        let rho = Budget::Zcdp { rho: 0.5 };
        let approximate = Budget::Approximate { epsilon: 1.0, delta: AUDITED_DELTA };
        match self {
            Shipped::Output
            | Shipped::Objective
            | Shipped::PersonsOutput
            | Shipped::PersonsObjective
            | Shipped::Classes
            | Shipped::Huber
            | Shipped::Weights
            | Shipped::JointPrice
            | Shipped::Joint => vec![pure, approximate, rho],
            Shipped::ShapedGroups
            | Shipped::ShapedRow
            | Shipped::UniformSelection
            | Shipped::GeneralisedSelection
            | Shipped::TunedClasses
            | Shipped::PartsClasses => vec![pure],
            Shipped::ShapedGaussian
            | Shipped::MaximumAnswers
            | Shipped::ExponentialAnswers
            | Shipped::MeanScores => vec![approximate, rho],
            Shipped::RandomStopping => vec![pure, approximate],
            // What slips through is not what is audited here, so its δ is one that hides nothing.
            Shipped::Answers | Shipped::Scores => {
                vec![Budget::Approximate { epsilon: 1.0, delta: 1e-6 }]
            }
            Shipped::GaussianAnswers => vec![approximate],
            // More, so that matrices of few rows are not refused for their noise.
            Shipped::Matrices | Shipped::Moments | Shipped::Fit => {
                vec![Budget::Pure { epsilon: 2.0 }, Budget::Zcdp { rho: 2.0 }]
            }
            _ => vec![pure, rho],
        }
    }

    /// The rows of the neighbouring tables, if nobody asks for another number. Few, so that a run
    /// takes little time.
    pub fn default_rows(self) -> usize {
        match self {
            Shipped::Density => 200,
            Shipped::Quality | Shipped::BaseRate => 500,
            Shipped::QualityClasses | Shipped::QualityNumbers | Shipped::QualityJoint => 3_000,
            Shipped::Fit => 51,
            Shipped::Matrices | Shipped::Moments => 40,
            Shipped::Tuning
            | Shipped::RandomStopping
            | Shipped::TunedClasses
            | Shipped::PartsClasses => 30,
            _ => 11,
        }
    }

    /// Plans it for this budget on tables of this many rows.
    pub fn case(self, budget: Budget, rows: usize) -> Result<Case, AuditError> {
        budget.checked().map_err(refused)?;
        if rows < 3 {
            return Err(AuditError::Run(format!(
                "neighbouring tables need at least 3 rows here, not {rows}"
            )));
        }
        match self {
            Shipped::Output => training::output(budget, rows),
            Shipped::Objective => training::objective(budget, rows),
            Shipped::ShapedGroups => shaped::groups(budget, rows),
            Shipped::ShapedRow => shaped::row_norm(budget, rows),
            Shipped::ShapedGaussian => shaped::gaussian(budget, rows),
            Shipped::PersonsOutput => persons::output(budget, rows),
            Shipped::PersonsObjective => persons::objective(budget, rows),
            Shipped::UniformSelection => selection::uniform(budget),
            Shipped::GeneralisedSelection => selection::generalised(budget),
            Shipped::Tuning => whole::tuning(budget, rows),
            Shipped::RandomStopping => whole::random_stopping(budget, rows),
            Shipped::Counts => counts::counts(budget, rows),
            Shipped::Density => counts::density(budget, rows),
            Shipped::Quality => quality::quality(budget, rows),
            Shipped::Gate => gate::gate(budget),
            Shipped::Matrices => whole::matrices(budget, rows),
            Shipped::Moments => whole::moments(budget, rows),
            Shipped::Fit => whole::fit(budget, rows),
            Shipped::Answers => voting::answers(budget),
            Shipped::GaussianAnswers => voting::gaussian(budget),
            Shipped::Scores => voting::scores(budget),
            Shipped::Joint => joint::average(budget, rows),
            Shipped::JointStep => joint::step(budget, rows),
            Shipped::Classes => classes::objective(budget, rows),
            Shipped::Squares => squares::moments(budget, rows),
            Shipped::MaximumAnswers => voting_all::maximum(budget),
            Shipped::ExponentialAnswers => voting_all::exponential(budget),
            Shipped::MeanScores => voting_all::mean(budget),
            Shipped::Curves => curves::curves(budget, rows),
            Shipped::Crosses => curves::crosses(budget, rows),
            Shipped::Knots => curves::knots(budget, rows),
            Shipped::Huber => huber::objective(budget, rows),
            Shipped::QualityClasses => quality::classes(budget, rows),
            Shipped::QualityNumbers => quality::numbers(budget, rows),
            Shipped::QualityJoint => joint::counts(budget, rows),
            Shipped::Weights => weights::output(budget, rows),
            Shipped::PersonsKnots => curves::persons_knots(budget, rows),
            Shipped::PersonsClasses => classes::persons(budget, rows),
            Shipped::PersonsSquares => squares::persons(budget, rows),
            Shipped::TunedClasses => classes::tuning(budget, rows),
            Shipped::PartsClasses => classes::parts(budget, rows),
            Shipped::SquaresOutcomes => squares::outcomes(budget, rows),
            Shipped::BaseRate => base_rate::base_rate(budget, rows),
            Shipped::JointPrice => training::joint_price(budget, rows),
        }
    }
}

/// Why a ρ budget is never seen in full.
const LOOSE_CONVERSION: &str = "ρ-zCDP allows more at this δ than any Gaussian noise does";

/// [`LOOSE_CONVERSION`], unless the budget is met exactly.
fn conversion_ceiling(budget: Budget, is_exact: impl Fn(Budget) -> bool) -> Option<&'static str> {
    (!is_exact(budget)).then_some(LOOSE_CONVERSION)
}

fn refused(error: impl std::fmt::Display) -> AuditError {
    AuditError::Run(error.to_string())
}
