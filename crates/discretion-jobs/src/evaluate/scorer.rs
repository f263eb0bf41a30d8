//! What a released model says of rows, as far as evaluation counts it.

use super::Groups;
use super::kinds::Expected;
use crate::number::huber;
use discretion::Refusal;
use discretion::erm::matrix::{Layout, all_margins, margins};
use discretion::loss::{Huber, LossKind};
use discretion::quality::{Counting, Meaning, Scoring, log_odds};
use discretion::squares::Solution;
use discretion_formats::{Model, NumberModel};
use discretion_table::Schema;

/// How many standard deviations from the middle scores are counted in fine cells. Those beyond are
/// in the outermost ones.
const REACH: f64 = 3.0;

/// Rows that nobody has, from which it is seen where scores are to be expected.
const TYPICAL_ROWS: usize = 512;

/// A released model, applied to rows with their outcome. Everything in it is public.
#[derive(Clone)]
pub struct Scorer {
    /// Of rows with their outcome.
    layout: Layout,
    says: Says,
}

#[derive(Clone)]
enum Says {
    Two {
        theta: Vec<f64>,
        meaning: Meaning,
    },
    /// One class after the other.
    Several {
        theta: Vec<f64>,
        classes: usize,
    },
    Number(Box<NumberSays>),
}

#[derive(Clone)]
struct NumberSays {
    /// One after the other, for rows that have their outcome among their columns: what predicts,
    /// what takes the outcome out, and those whose squared products with a row add up to the
    /// variance of its prediction, less that of residuals.
    vectors: Vec<f64>,
    /// The variance of residuals: its own, or that of a residual up to which Huber's loss is a
    /// square.
    residual: f64,
    mean: f64,
    predictions_alone: bool,
}

impl Scorer {
    /// Of coefficients as they were released: of two classes, or of several.
    pub(crate) fn of_classes(schema: &Schema, theta: &[f64], loss: LossKind) -> Scorer {
        let (encoder, classes) = (schema.encoder(), schema.target().labels.several());
        let layout = encoder.layout();
        // As in the model file.
        let each = theta.chunks_exact(layout.dimension());
        let theta: Vec<f64> = each.flat_map(|theta| encoder.monotone(theta).to_vec()).collect();
        let meaning = if loss == LossKind::Logistic { Meaning::LogOdds } else { Meaning::Order };
        let says = match classes {
            None => Says::Two { theta, meaning },
            Some(classes) => Says::Several { theta, classes },
        };
        Scorer { layout, says }
    }

    pub(crate) fn of_model(model: &Model) -> Scorer {
        Scorer::of_classes(&model.schema, &model.theta(), model.training.loss)
    }

    /// Of the solution of released moments.
    pub(crate) fn of_number(schema: &Schema, solution: &Solution) -> Result<Scorer, Refusal> {
        let (layout, outcome) = schema.layout_with_outcome();
        let size = layout.columns().iter().next().expect("a constant").size;
        let with_outcome = |own: &[f64], of_outcome: f64| -> Vec<f64> {
            let [before, behind] = [&own[..outcome], &own[outcome..]];
            before.iter().chain(&[of_outcome]).chain(behind).map(|x| x / size).collect()
        };
        let refused = |error| {
            Refusal::refused(format!("the model's own intervals cannot be computed: {error}"))
        };
        let (residual, axes) = solution.prediction_parts().map_err(refused)?;
        let own = solution.coefficients();
        let nothing = vec![0.0; own.len()];
        let vectors = [with_outcome(own, 0.0), with_outcome(&nothing, 1.0)]
            .into_iter()
            .chain(axes.iter().map(|axis| with_outcome(axis, 0.0)));
        let says = NumberSays {
            vectors: vectors.flatten().collect(),
            residual,
            mean: solution.outcome().0,
            predictions_alone: false,
        };
        Ok(Scorer { layout, says: Says::Number(Box::new(says)) })
    }

    /// Of coefficients that predict, and nothing else: those of Huber's loss, as a model file has
    /// them.
    pub(crate) fn of_predictions(schema: &Schema, theta: &[f64]) -> Scorer {
        let (layout, outcome) = schema.layout_with_outcome();
        let size = layout.columns().iter().next().expect("a constant").size;
        let smaller = huber::shrinkage(schema);
        let mut vectors: Vec<f64> = theta.iter().map(|coefficient| coefficient / smaller).collect();
        vectors.insert(outcome, 0.0);
        let nothing = vec![0.0; theta.len()];
        vectors.extend(nothing[..outcome].iter().chain(&[1.0 / size]).chain(&nothing[outcome..]));
        let says = NumberSays {
            vectors,
            residual: Huber::WIDTH.powi(2),
            mean: 0.0,
            predictions_alone: true,
        };
        Scorer { layout, says: Says::Number(Box::new(says)) }
    }

    pub(crate) fn of_number_model(model: &NumberModel) -> Result<Scorer, Refusal> {
        match model.solution().map_err(Refusal::bad_input)? {
            Some(solution) => Scorer::of_number(&model.schema, &solution),
            None => Ok(Scorer::of_predictions(&model.schema, &model.theta())),
        }
    }

    /// What a score means.
    pub(crate) fn meaning(&self) -> Meaning {
        match self.says {
            Says::Two { meaning, .. } => meaning,
            Says::Several { .. } | Says::Number(_) => Meaning::LogOdds,
        }
    }

    /// Returns what is asked of rows, which are counted by these groups.
    pub(crate) fn scoring(&self, counting: Counting, groups: &Groups) -> Scoring {
        let vectors = match &self.says {
            Says::Two { theta, .. } | Says::Several { theta, .. } => theta,
            Says::Number(says) => &says.vectors,
        };
        let (by, groups) = (groups.place(), groups.len());
        Scoring { vectors: vectors.clone(), counting, by, groups }
    }

    /// The variance of residuals; 0 where the outcome is no number.
    pub(super) fn residual(&self) -> f64 {
        match &self.says {
            Says::Number(says) => says.residual,
            Says::Two { .. } | Says::Several { .. } => 0.0,
        }
    }

    /// Where scores are to be expected if numbers filled their ranges evenly and categories were
    /// equally frequent, which most rows do not leave: real ones fill less of their bounds.
    pub(super) fn expected(&self) -> Expected {
        let typical = || self.layout.typical_rows(TYPICAL_ROWS);
        match &self.says {
            Says::Two { theta, .. } => {
                Expected::Two(range(&margins(&self.layout, typical(), theta)))
            }
            Says::Several { theta, classes } => {
                let odds: Vec<Vec<f64>> = all_margins(&self.layout, typical(), theta)
                    .iter()
                    .map(|s| log_odds(s))
                    .collect();
                let of_class =
                    |class: usize| odds.iter().map(|odds| odds[class]).collect::<Vec<f64>>();
                Expected::Several((0..*classes).map(|class| range(&of_class(class))).collect())
            }
            Says::Number(says) => Expected::Number {
                deviation: says.residual.max(0.0).sqrt(),
                mean: says.mean,
                predictions_alone: says.predictions_alone,
            },
        }
    }
}

/// The middle of scores, and some deviations around it.
fn range(scores: &[f64]) -> (f64, f64) {
    let rows = scores.len() as f64;
    let middle = scores.iter().sum::<f64>() / rows;
    let variance = scores.iter().map(|score| (score - middle).powi(2)).sum::<f64>() / rows;
    let reach = (REACH * variance.sqrt()).max(1e-3 * (1.0 + middle.abs()));
    (middle - reach, middle + reach)
}
