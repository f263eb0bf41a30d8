//! What a model file keeps so that intervals can be computed from it alone.

use super::IntervalError;
use super::matrices::Symmetric;
use super::ordinary::RowMoments;
use crate::loss::LossKind;
use crate::train::{self, Mechanism};
use discretion_privacy::account::{Columns, Law, TrainingLaw};
use serde::{Deserialize, Serialize};

/// Everything besides the coefficients that their intervals are computed from: second moments as
/// they were released (before anything is made of them) and public numbers of the training.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Written", into = "Written")]
pub struct Evidence {
    rows: usize,
    dimension: usize,
    lambda: f64,
    mechanism: Mechanism,
    noise: TrainingLaw,
    degrees: Option<usize>,
    mask_deviation: f64,
    moments: SecondMoments,
    /// Where the curvature is to be taken, if the coefficients came by a step: halfway.
    halfway: Option<Vec<f64>>,
}

/// The second moments that were released beside coefficients.
#[derive(Clone, Debug, PartialEq)]
pub enum SecondMoments {
    /// Those of the rows, from which a logistic model's curvature follows.
    OfRows(RowMoments),
    /// Two matrices at the coefficients.
    OfGradients {
        /// (1/n)Σ f″ x xᵀ with noise and without the penalty's part.
        hessian: Symmetric,
        /// (1/n)Σ f′² x xᵀ with noise.
        covariance: Symmetric,
        /// How exact both are; nothing where no columns are known.
        deviations: Option<MatrixDeviations>,
        /// How many steps estimates are taken away from the penalty. Files of earlier versions
        /// have them.
        steps: usize,
    },
}

fn is_zero(steps: &usize) -> bool {
    *steps == 0
}

/// More steps than this would undo the penalty, and what it is for.
const MOST_STEPS: usize = 8;

/// How exact the two matrices are: the standard deviation of the noise at each entry of a pair of
/// columns.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MatrixDeviations {
    /// The columns.
    pub columns: Columns,
    /// The loss that both are derivatives of.
    pub loss: LossKind,
    /// For each pair of them, in the Hessian.
    pub hessian: Symmetric,
    /// And in the gradients' covariance.
    pub covariance: Symmetric,
    /// Between two coefficients of each column that one row, or one person, can have, in both;
    /// nothing if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub neighbours: Vec<[f64; 2]>,
}

impl MatrixDeviations {
    fn is_of(&self, dimension: usize) -> bool {
        let is_right = |of: &Symmetric| of.is_of(self.columns.count()) && of.is_nowhere_negative();
        let are_known = self.neighbours.iter().flatten().all(|x| x.is_finite() && *x >= 0.0);
        let is_whole = self.columns.dimension() == dimension && are_known;
        is_whole && is_right(&self.hessian) && is_right(&self.covariance)
    }
}

/// Evidence as a file has it, before it is checked.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    rows: usize,
    dimension: usize,
    lambda: f64,
    mechanism: Mechanism,
    noise: TrainingLaw,
    /// Degrees of freedom of spherical noise that several hands drew; d + 1 if nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    degrees: Option<usize>,
    mask_deviation: f64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    row_moments: Option<RowMoments>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    hessian: Option<Symmetric>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    covariance: Option<Symmetric>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    deviations: Option<MatrixDeviations>,
    #[serde(default, skip_serializing_if = "is_zero")]
    steps: usize,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    halfway: Option<Vec<f64>>,
}

impl From<Evidence> for Written {
    fn from(evidence: Evidence) -> Written {
        let Evidence {
            rows,
            dimension,
            lambda,
            mechanism,
            noise,
            degrees,
            mask_deviation,
            moments,
            halfway,
        } = evidence;
        let written = Written {
            rows,
            dimension,
            lambda,
            mechanism,
            noise,
            degrees,
            mask_deviation,
            row_moments: None,
            hessian: None,
            covariance: None,
            deviations: None,
            steps: 0,
            halfway,
        };
        match moments {
            SecondMoments::OfRows(moments) => Written { row_moments: Some(moments), ..written },
            SecondMoments::OfGradients { hessian, covariance, deviations, steps } => Written {
                hessian: Some(hessian),
                covariance: Some(covariance),
                deviations,
                steps,
                ..written
            },
        }
    }
}

fn is_without_noise(noise: &TrainingLaw) -> bool {
    matches!(noise, TrainingLaw::Round(Law::Gaussian { sigma }) if *sigma == 0.0)
}

impl TryFrom<Written> for Evidence {
    type Error = IntervalError;

    fn try_from(written: Written) -> Result<Evidence, IntervalError> {
        let Written {
            rows,
            dimension,
            lambda,
            mechanism,
            noise,
            degrees,
            mask_deviation,
            row_moments,
            hessian,
            covariance,
            deviations,
            steps,
            halfway,
        } = written;
        let is_positive = |x: f64| x > 0.0 && x.is_finite();
        let is_law = match &noise {
            TrainingLaw::Round(Law::Spherical { scale }) => is_positive(*scale),
            // 0 if there was no noise.
            TrainingLaw::Round(Law::Gaussian { sigma }) => *sigma == 0.0 || is_positive(*sigma),
            TrainingLaw::Shaped(law) => {
                law.check().is_ok() && law.columns().dimension() == dimension
            }
        };
        if rows == 0 || dimension == 0 {
            return Err(IntervalError::Evidence("there is no table without rows or columns"));
        }
        let is_mask = mask_deviation >= 0.0 && mask_deviation.is_finite();
        // Ordinary regression has none, and then its Hessian has an inverse.
        let is_plain = lambda == 0.0
            && is_without_noise(&noise)
            && hessian.as_ref().is_some_and(Symmetric::has_inverse);
        if !((is_positive(lambda) || is_plain) && is_law && is_mask) {
            return Err(IntervalError::Evidence(
                "lambda and noise must be finite numbers above 0, and the noise one for these coefficients",
            ));
        }
        if degrees.is_some_and(|degrees| degrees <= dimension) {
            return Err(IntervalError::Evidence(
                "noise that several hands drew has fewer degrees than one hand's",
            ));
        }
        // 254 hands at most, each with as many degrees as one alone at most.
        if degrees.is_some_and(|degrees| degrees / 1000 > dimension) {
            return Err(IntervalError::Evidence("no number of hands has noise of so many degrees"));
        }
        let moments = match (row_moments, hessian, covariance) {
            (Some(moments), None, None) if deviations.is_none() && steps == 0 => {
                if !moments.is_of(dimension) {
                    return Err(IntervalError::Evidence(
                        "the moments of its rows belong to other columns",
                    ));
                }
                SecondMoments::OfRows(moments)
            }
            (None, Some(hessian), Some(covariance)) => {
                if !(hessian.is_of(dimension) && covariance.is_of(dimension)) {
                    return Err(IntervalError::Evidence(
                        "a symmetric matrix of d columns has d(d+1)/2 finite numbers, and one of these has others",
                    ));
                }
                if deviations.as_ref().is_some_and(|deviations| !deviations.is_of(dimension)) {
                    return Err(IntervalError::Evidence(
                        "the noise of its matrices belongs to other columns",
                    ));
                }
                if steps > MOST_STEPS {
                    return Err(IntervalError::Evidence(
                        "nobody takes so many steps away from the penalty",
                    ));
                }
                SecondMoments::OfGradients { hessian, covariance, deviations, steps }
            }
            _ => {
                return Err(IntervalError::Evidence(
                    "there are either the moments of its rows, or a Hessian and a covariance",
                ));
            }
        };
        let is_step = |halfway: &Vec<f64>| {
            let are_finite = halfway.len() == dimension && halfway.iter().all(|x| x.is_finite());
            are_finite && matches!(moments, SecondMoments::OfRows(_))
        };
        if !halfway.as_ref().is_none_or(is_step) {
            return Err(IntervalError::Evidence("its step belongs to other coefficients"));
        }
        Ok(Evidence {
            rows,
            dimension,
            lambda,
            mechanism,
            noise,
            degrees,
            mask_deviation,
            moments,
            halfway,
        })
    }
}

impl Evidence {
    pub(super) fn new(plan: &train::Plan, moments: SecondMoments) -> Evidence {
        let chosen = plan.chosen();
        Evidence {
            rows: plan.facts().rows,
            dimension: plan.facts().dimension,
            lambda: plan.lambda(),
            mechanism: chosen.mechanism(),
            noise: chosen.law().clone(),
            degrees: None,
            mask_deviation: chosen.gate().mask_deviation(),
            moments,
            halfway: None,
        }
    }

    /// Makes the evidence of coefficients that were trained without noise.
    pub(super) fn without_noise(
        rows: usize,
        lambda: f64,
        hessian: Symmetric,
        covariance: Symmetric,
        deviations: Option<MatrixDeviations>,
    ) -> Evidence {
        Evidence {
            rows,
            dimension: hessian.dimension(),
            lambda,
            mechanism: Mechanism::Objective,
            noise: TrainingLaw::Round(Law::Gaussian { sigma: 0.0 }),
            degrees: None,
            mask_deviation: 0.0,
            moments: SecondMoments::OfGradients { hessian, covariance, deviations, steps: 0 },
            halfway: None,
        }
    }

    /// Makes the evidence of ordinary regression, without noise and without penalty.
    pub(crate) fn plain(
        rows: usize,
        hessian: Symmetric,
        covariance: Symmetric,
    ) -> Result<Evidence, IntervalError> {
        match hessian.has_inverse() {
            true => Ok(Evidence::without_noise(rows, 0.0, hessian, covariance, None)),
            false => Err(IntervalError::Evidence("the Hessian has no inverse")),
        }
    }

    /// After a Newton step whose gradient had this noise and something further of this deviation
    /// (joint/PROOF.md, "Intervals").
    pub(crate) fn of_step(
        rows: usize,
        lambda: f64,
        (noise, degrees): (Law, Option<usize>),
        further: f64,
        moments: SecondMoments,
        halfway: Option<Vec<f64>>,
    ) -> Evidence {
        // Noise in the mean gradient is noise in the objective, n times as large. What is further
        // is added to it by its variance.
        let n = rows as f64;
        let dimension = match &moments {
            SecondMoments::OfRows(moments) => moments.matrix().dimension(),
            SecondMoments::OfGradients { hessian, .. } => hessian.dimension(),
        };
        let noise = TrainingLaw::Round(match noise {
            Law::Spherical { scale } => {
                let variance = scale * scale * degrees.unwrap_or(dimension + 1) as f64;
                Law::Spherical { scale: n * scale * (1.0 + further.powi(2) / variance).sqrt() }
            }
            Law::Gaussian { sigma } => Law::Gaussian { sigma: n * sigma.hypot(further) },
        });
        Evidence {
            rows,
            dimension,
            lambda,
            mechanism: Mechanism::Objective,
            noise,
            degrees,
            mask_deviation: 0.0,
            moments,
            halfway,
        }
    }

    /// n.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// d.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// λ.
    pub fn lambda(&self) -> f64 {
        self.lambda
    }

    /// Where the noise of the training went.
    pub fn mechanism(&self) -> Mechanism {
        self.mechanism
    }

    /// The law of that noise.
    pub fn noise(&self) -> &TrainingLaw {
        &self.noise
    }

    /// Degrees of freedom of its squared length, if it is spherical.
    pub fn degrees(&self) -> usize {
        self.degrees.unwrap_or(self.dimension + 1)
    }

    /// The standard deviation of the gate's mask, per coefficient.
    pub fn mask_deviation(&self) -> f64 {
        self.mask_deviation
    }

    /// The second moments that were released beside the coefficients.
    pub fn moments(&self) -> &SecondMoments {
        &self.moments
    }

    /// Where the mean curvature is to be taken, if the coefficients came by a Newton step: halfway
    /// between where its gradient was and the coefficients.
    pub fn halfway(&self) -> Option<&[f64]> {
        self.halfway.as_deref()
    }

    /// How many steps estimates are taken away from the penalty: θₖ = θ̃ + λH⁻¹θₖ₋₁.
    pub fn steps(&self) -> usize {
        match self.moments {
            SecondMoments::OfRows(_) => 0,
            SecondMoments::OfGradients { steps, .. } => steps,
        }
    }
}
