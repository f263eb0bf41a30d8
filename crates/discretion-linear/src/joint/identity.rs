//! Every public number of a joint study, as a text that says whether two plans are the same one.

use super::noise::UnitNoise;
use super::step::MatricesNoise;
use super::{CountsPlan, Joint, Lattice, Plan, Round, SharedNoise, Sharing, Step, Weighting};
use crate::erm::Facts;
use crate::loss::LossKind;
use discretion_privacy::account::Law;
use discretion_privacy::noise::gate::Mask;
use discretion_privacy::{Budget, Pure, Unit, Zcdp};
use serde_json::{Value, json};

impl Plan {
    /// Every public number, under keys of their own: what types and fields are called does not
    /// matter. A member and a coordinator compare digests of this.
    pub fn public_numbers(&self) -> Value {
        let &Joint { loss, lambda, weighting, sharing, budget, step } = self.joint();
        let (noise, step_noise) = self.unit_noise();
        let step_noise = step_noise.map(|noise| {
            let gradient = unit_noise(noise.gradient);
            match noise.matrices {
                MatricesNoise::OfGradients { hessian, covariance } => json!({
                    "gradient": gradient,
                    "hessian": unit_noise(hessian),
                    "covariance": covariance.map(unit_noise),
                }),
                MatricesNoise::OfRows(unit) => {
                    let Facts { columns, entries, .. } = &self.holders().facts()[0];
                    json!({
                        "gradient": gradient,
                        "moments": unit_noise(unit),
                        "columns": columns,
                        "entries": entries,
                    })
                }
            }
        });
        json!({
            "loss": loss,
            "lambda": lambda,
            "weighting": match weighting {
                Weighting::BySize => "by-size",
                Weighting::Printed => "printed",
            },
            "aggregators": sharing.aggregators(),
            "colluders": sharing.colluders(),
            "budget": budget,
            "step": step.map(|step| {
                json!({
                    "lambda": step.lambda,
                    "gradient": step.gradient,
                    "hessian": step.hessian,
                    "covariance": step.covariance,
                    "damping": step.damping,
                })
            }),
            "holders": self.holders().facts().iter().map(|facts| {
                json!({
                    "unit": facts.unit,
                    "rows": facts.rows,
                    "dimension": facts.dimension,
                    "classes": facts.classes,
                    "row_terms": facts.row_terms,
                    "summation_depth": facts.summation_depth,
                })
            }).collect::<Vec<_>>(),
            "noise": unit_noise(noise),
            "average": self.average().public_numbers(),
            "step_noise": step_noise,
            "counts": self.counts().map(|counts| {
                let (rows, groups, bins, unit) = counts.numbers();
                json!({
                    "rows": rows,
                    "groups": groups,
                    "bins": bins,
                    "noise": unit_noise(unit),
                    "round": counts.round().public_numbers(),
                })
            }),
        })
    }
}

impl Round {
    /// Every public number, under keys of their own.
    pub fn public_numbers(&self) -> Value {
        let noise = self.noise();
        let (dimension, exponent, most) = noise.lattice().numbers();
        json!({
            "what": self.what(),
            "holders": self.holders(),
            "aggregators": noise.sharing().aggregators(),
            "colluders": noise.sharing().colluders(),
            "dimension": dimension,
            "exponent": exponent,
            // More digits than a number of JSON is sure to keep.
            "most": most.to_string(),
            "sensitivity": noise.sensitivity(),
            "law": noise.law(),
            "mask": mask(noise.mask()),
        })
    }
}

fn unit_noise(noise: UnitNoise) -> Value {
    json!({ "law": noise.law(), "mask": mask(noise.mask()) })
}

fn mask(mask: Mask) -> Value {
    match mask {
        Mask::Laplace(Pure { epsilon }) => json!({ "laplace": epsilon }),
        Mask::Gaussian(Zcdp { rho }) => json!({ "gaussian": rho }),
    }
}

/// The text of a plan that builds before version 2 of names hashed, as `{:?}` printed it. Nothing
/// here changes, whatever types and fields are called later.
impl Plan {
    /// The text of this plan.
    pub fn earlier_text(&self) -> String {
        let &Joint { loss, lambda, weighting, sharing: of, budget, step } = self.joint();
        let weighting = match weighting {
            Weighting::BySize => "BySize",
            Weighting::Printed => "Printed",
        };
        let facts: Vec<String> = self.holders().facts().iter().map(earlier_facts).collect();
        let (unit, noise) = self.unit_noise();
        let noise = noise.map(|noise| {
            let gradient = earlier_unit(noise.gradient);
            match noise.matrices {
                MatricesNoise::OfGradients { hessian, covariance } => format!(
                    "StepNoise {{ gradient: {gradient}, hessian: {}, covariance: {} }}",
                    earlier_unit(hessian),
                    option_text(covariance.map(earlier_unit))
                ),
                // Builds before version 2 of names had none of these, so no journal is found by it.
                MatricesNoise::OfRows(unit) => {
                    format!("StepNoise {{ gradient: {gradient}, moments: {} }}", earlier_unit(unit))
                }
            }
        });
        format!(
            "Plan {{ joint: Joint {{ loss: {}, lambda: {lambda:?}, weighting: {weighting}, sharing: {}, budget: {}, step: {} }}, \
             holders: Holders {{ facts: [{}] }}, unit: {}, average: {}, step: {}, counts: {} }}",
            loss_text(loss),
            sharing(of),
            budget_text(budget),
            option_text(step.map(earlier_step)),
            facts.join(", "),
            earlier_unit(unit),
            earlier_round(self.average()),
            option_text(noise),
            option_text(self.counts().map(earlier_counts))
        )
    }
}

/// `Some(text)` or `None`, as `{:?}` printed options.
pub fn option_text(text: Option<String>) -> String {
    text.map_or_else(|| "None".to_owned(), |text| format!("Some({text})"))
}

/// A loss, as builds before version 2 of names wrote it.
pub fn loss_text(loss: LossKind) -> String {
    match loss {
        LossKind::Logistic => "Logistic".to_owned(),
        LossKind::Hinge => "Hinge".to_owned(),
        LossKind::Huber => "Huber".to_owned(),
        LossKind::HingeOver(half_width) => {
            let widths = [0.125, 0.25, 0.5, 1.0, 2.0];
            let place = widths.iter().position(|&width| width == half_width.value());
            let place = place.map_or_else(|| half_width.value().to_string(), |at| at.to_string());
            format!("HingeOver(HalfWidth {{ place: {place} }})")
        }
        #[cfg(test)]
        LossKind::Rates => unreachable!("no earlier build knew it"),
    }
}

/// A budget, as builds before version 2 of names wrote it.
pub fn budget_text(budget: Budget) -> String {
    match budget {
        Budget::Pure { epsilon } => format!("Pure {{ epsilon: {epsilon:?} }}"),
        Budget::Approximate { epsilon, delta } => {
            format!("Approximate {{ epsilon: {epsilon:?}, delta: {delta:?} }}")
        }
        Budget::Zcdp { rho } => format!("Zcdp {{ rho: {rho:?} }}"),
    }
}

fn earlier_step(step: Step) -> String {
    let Step { lambda, gradient, hessian, covariance, damping } = step;
    format!(
        "Step {{ lambda: {lambda:?}, gradient: {gradient:?}, hessian: {hessian:?}, covariance: {covariance:?}, damping: {damping:?} }}"
    )
}

fn earlier_facts(facts: &Facts) -> String {
    let unit = match facts.unit {
        Unit::Row => "Row",
        Unit::Person => "Person",
    };
    format!(
        "Facts {{ unit: {unit}, rows: {:?}, dimension: {:?}, classes: {:?}, row_terms: {:?}, summation_depth: {:?}, columns: None, \
         entries: [] }}",
        facts.rows, facts.dimension, facts.classes, facts.row_terms, facts.summation_depth
    )
}

fn sharing(sharing: Sharing) -> String {
    let (aggregators, colluders) = (sharing.aggregators(), sharing.colluders());
    format!("Sharing {{ aggregators: {aggregators:?}, colluders: {colluders:?} }}")
}

fn earlier_law(law: Law) -> String {
    match law {
        Law::Spherical { scale } => format!("Spherical {{ scale: {scale:?} }}"),
        Law::Gaussian { sigma } => format!("Gaussian {{ sigma: {sigma:?} }}"),
    }
}

fn earlier_mask(mask: Mask) -> String {
    match mask {
        Mask::Laplace(Pure { epsilon }) => format!("Laplace(Pure {{ epsilon: {epsilon:?} }})"),
        Mask::Gaussian(Zcdp { rho }) => format!("Gaussian(Zcdp {{ rho: {rho:?} }})"),
    }
}

fn earlier_unit(noise: UnitNoise) -> String {
    let (law, mask) = (earlier_law(noise.law()), earlier_mask(noise.mask()));
    format!("UnitNoise {{ law: {law}, mask: {mask} }}")
}

fn earlier_lattice(lattice: Lattice) -> String {
    let (dimension, exponent, most) = lattice.numbers();
    format!("Lattice {{ dimension: {dimension:?}, exponent: {exponent:?}, most: {most:?} }}")
}

fn earlier_noise(noise: SharedNoise) -> String {
    format!(
        "SharedNoise {{ sharing: {}, lattice: {}, sensitivity: {:?}, law: {}, mask: {} }}",
        sharing(noise.sharing()),
        earlier_lattice(noise.lattice()),
        noise.sensitivity(),
        earlier_law(noise.law()),
        earlier_mask(noise.mask())
    )
}

fn earlier_round(round: &Round) -> String {
    let (what, holders) = (round.what(), round.holders());
    let noise = earlier_noise(round.noise());
    format!("Round {{ what: {what:?}, holders: {holders:?}, noise: {noise} }}")
}

fn earlier_counts(counts: &CountsPlan) -> String {
    let (rows, groups, bins, unit) = counts.numbers();
    let (unit, round) = (earlier_unit(unit), earlier_round(counts.round()));
    format!(
        "CountsPlan {{ rows: {rows:?}, groups: {groups:?}, bins: {bins:?}, unit: {unit}, round: {round} }}"
    )
}
