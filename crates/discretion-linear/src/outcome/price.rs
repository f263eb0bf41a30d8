//! What an account is told of training for an outcome: the events and curves whose proofs its
//! bounds meet.

use super::{Bounds, Heads, Sign};
use discretion_privacy::account::{
    CLASSES_SLOPE, Curvature, Event, Law, TrainingLaw, classes_trace,
};
use discretion_privacy::{JointPrice, Term, Unit};

/// The size of a table that something is trained on: units, and coefficients of one head.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Size {
    pub(crate) unit: Unit,
    pub(crate) rows: usize,
    pub(crate) dimension: usize,
}

impl Bounds {
    /// Panics unless events and curves for these heads were proved for bounds like these.
    fn check_heads(&self, heads: Heads) {
        let is_proved = match heads {
            Heads::One => self.slope <= 1.0 && self.rank == 1 && self.trace == self.curvature,
            Heads::Each(classes) => {
                self.slope <= CLASSES_SLOPE
                    && self.rank < classes
                    && self.trace <= classes_trace(classes)
            }
        };
        assert!(is_proved, "{self:?} of {heads:?} has no event");
    }

    /// The curve of Gaussian noise in the objective, where curvature costs so much by itself.
    pub(crate) fn gaussian_term(
        &self,
        heads: Heads,
        sigma: f64,
        curvature: f64,
        joint: Option<JointPrice>,
    ) -> Term {
        self.check_heads(heads);
        match (heads, self.sign, joint) {
            (Heads::Each(classes), ..) => {
                Term::GaussianClasses { sigma, curvature, classes, joint }
            }
            (Heads::One, Sign::Either, _) => Term::GaussianResiduals { sigma, curvature },
            (Heads::One, Sign::Falls, None) => Term::GaussianObjective { sigma, curvature },
            (Heads::One, Sign::Falls, Some(joint)) => {
                Term::GaussianLogistic { sigma, curvature, joint }
            }
        }
    }

    /// The event of noise in the objective.
    pub(crate) fn objective_event(
        &self,
        heads: Heads,
        Size { unit, rows, dimension }: Size,
        lambda: f64,
        curvature: Curvature,
        noise: &TrainingLaw,
    ) -> Event {
        self.check_heads(heads);
        let curvature_bound = self.curvature;
        match (heads, self.sign, noise.clone()) {
            (Heads::Each(classes), _, noise) => Event::ClassesObjectivePerturbation {
                classes,
                rows,
                dimension,
                lambda,
                noise,
                unit,
                curvature,
            },
            (Heads::One, Sign::Either, noise) => Event::ResidualObjectivePerturbation {
                rows,
                dimension,
                lambda,
                curvature_bound,
                noise,
                unit,
            },
            (Heads::One, Sign::Falls, TrainingLaw::Round(noise)) => Event::ObjectivePerturbation {
                rows,
                dimension,
                lambda,
                curvature_bound,
                noise,
                unit,
                curvature,
            },
            (Heads::One, Sign::Falls, TrainingLaw::Shaped(noise)) => {
                Event::ShapedObjectivePerturbation {
                    rows,
                    lambda,
                    curvature_bound,
                    noise,
                    unit,
                    curvature,
                }
            }
        }
    }

    /// The event of noise on the minimiser.
    pub(crate) fn output_event(
        &self,
        heads: Heads,
        Size { rows, dimension, .. }: Size,
        lambda: f64,
        noise: Law,
    ) -> Event {
        self.check_heads(heads);
        match heads {
            Heads::One => Event::OutputPerturbation { rows, dimension, lambda, noise },
            Heads::Each(classes) => {
                Event::ClassesOutputPerturbation { classes, rows, dimension, lambda, noise }
            }
        }
    }
}
