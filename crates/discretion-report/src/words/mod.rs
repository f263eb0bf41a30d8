//! Guarantees and mechanisms in plain words, from public numbers alone.

mod guarantee;
pub mod joint;
mod noise;
mod price;
mod promise;

pub use guarantee::{guarantee, guarantee_about, voting_guarantee};
pub use noise::{count_noise, deviation, law, matrix_noise, noise};
pub use price::price;
pub(crate) use promise::Promise;
pub use promise::for_people;

use crate::numbers::plain::{count, short, significant};
use discretion::choose::Rule;
use discretion::loss::LossKind;
use discretion::privacy::account::Cap;
use discretion::privacy::{Budget, Unit};
use discretion::train::{Candidate, Mechanism, Method, Plan};
use discretion::tune::{Family, TuningPlan};
use discretion_formats::{BaseRate, Findings, ForPrediction, TrainingFacts};
use discretion_table::NumberLoss;

/// The δ at which a ρ is also said as an ε.
pub const DELTA: f64 = 1e-6;

/// Why a model without noise is not private.
pub const WITHOUT_NOISE: &str =
    "trained without noise for the custodian's own eyes; never publish this file";

/// Why a model under a seed is not private.
pub const UNDER_A_SEED: &str =
    "the noise was drawn under a fixed seed, so anyone can subtract it; never publish this file";

/// Why figures of a model that is not private are not.
pub const OF_NO_PRIVATE_MODEL: &str = "the model that was evaluated promises nothing to the rows that trained it; never publish this file";

/// What intervals are about.
pub fn covered(unit: Unit) -> String {
    format!(
        "the coefficients that this lambda would give on the whole population that the {} are a random sample of, not those \
         without regularisation",
        unit.plural()
    )
}

/// What intervals of several classes are about.
pub fn contrasts(reference: &str, unit: Unit) -> String {
    format!(
        "the differences to the class {reference:?} that this lambda would give on the whole population that the {} are a random \
         sample of, not those without regularisation",
        unit.plural()
    )
}

/// How intervals of several classes come about.
pub fn in_parts(rows: usize, unit: Unit) -> String {
    let (parts, units) = (discretion::interval::parts::PARTS, unit.plural());
    format!(
        "the {units} are in {parts} parts of about {}, each trains a model with all of the budget, and the mean of these is \
         published; intervals come from how far they are apart",
        count(rows / parts)
    )
}

/// What intervals of a number's model are about.
pub fn covered_by_squares(unit: Unit) -> String {
    format!(
        "the least-squares coefficients of the whole population that the {} are a random sample of, with this lambda, if residuals \
         spread alike everywhere",
        unit.plural()
    )
}

/// Says what intervals of ordinary coefficients cover.
pub fn covered_ordinary(unit: Unit, largest_effect: f64) -> String {
    let (units, largest) = (unit.plural(), short(largest_effect));
    let odds = significant(largest_effect.exp(), 2);
    format!(
        "the coefficients of the ordinary regression, without a penalty, in the whole population that the {units} are a random \
         sample of, if none of them is larger than {largest} (an odds ratio of {odds} for half the range of a number or for a \
         category; the intercept counts too, with numbers in the middle of their ranges)"
    )
}

/// Says that widths under a pure budget are rough, and which δ would help.
pub fn rough(rows: usize) -> String {
    let delta = 10f64.powi(-((rows as f64).log10().ceil() as i32) - 1);
    format!(
        "under a pure epsilon the noise in the moments of the rows hides much of how columns depend on each other, so the widths of \
         intervals are rough; the same epsilon with delta = {delta:e} makes them shorter and their level nearer"
    )
}

/// Describes what intervals say, in three lines at most: effects by name.
pub fn findings(found: &Findings) -> Vec<(&'static str, String)> {
    let told = match found.told_from_zero.is_empty() {
        true => "no effect: every interval holds 0".to_owned(),
        false => found.told_from_zero.join(", "),
    };
    let mut lines = vec![("told from 0", told)];
    lines.extend(limits(found));
    lines
}

/// Describes which effects intervals say little or nothing about, in two lines at most.
pub fn limits(found: &Findings) -> Vec<(&'static str, String)> {
    let Findings { not_estimable, same, .. } = found;
    let mut lines = Vec::new();
    if !not_estimable.is_empty() {
        let names = not_estimable.join(", ");
        lines.push(("not estimable", format!("{names} (only the declared bound speaks)")));
    }
    let pairs = same.iter().map(|[one, other]| format!("{one} and {other}"));
    let pairs = pairs.collect::<Vec<_>>().join(", ");
    if !pairs.is_empty() {
        lines.push(("the same", format!("{pairs} say the same: neither has an interval")));
    }
    lines
}

/// What intervals of a model without noise that keeps λ are.
pub fn without_noise(covers: &str) -> String {
    format!("{covers}; with robust errors, without any noise and so not private")
}

/// Describes intervals of ordinary regression without noise.
pub fn covered_by_plain(unit: Unit) -> String {
    let errors = match unit.is_row() {
        true => "robust errors (HC0)",
        false => "errors clustered by person (HC0)",
    };
    format!(
        "the coefficients without penalty of the whole population that the {} are a random sample of; ordinary Wald intervals with \
         {errors}, without any noise and so not private",
        unit.plural()
    )
}

/// How ordinary regression came about, and what its categories are compared with.
pub fn without_penalty(references: &[String]) -> String {
    let compared = match references.is_empty() {
        true => String::new(),
        false => format!("; the intercept is for {}", references.join(", ")),
    };
    format!("no noise and no penalty (--not-private){compared}")
}

/// What intervals cost predictions, where λ was chosen for them.
pub fn without_intervals(training: &TrainingFacts) -> Option<String> {
    let ForPrediction { lambda, expected_error } = training.without_intervals?;
    let now = training.expected_error?;
    Some(format!(
        "for prediction alone it would be {}, with all of the budget; noise would then move the margin of a row by about {} instead \
         of {}, and lambda would pull it less",
        significant(lambda, 3),
        short(expected_error),
        short(now)
    ))
}

/// A base rate that was released before the training.
pub fn base_rate(rate: &BaseRate) -> String {
    format!(
        "{} ± {} of the outcome is positive, released for {} % of the budget; lambda pulls the intercept there and not to even odds",
        significant(rate.released, 3),
        short(rate.deviation),
        short(100.0 * rate.share)
    )
}

/// From this share of an interval's half width on, the pull of λ is worth a warning.
pub const PULL_THAT_MATTERS: f64 = 0.5;

/// A warning that λ matters beside the noise.
pub fn pulled(lambda: f64, share: f64) -> String {
    let (lambda, share) = (short(lambda), short(share));
    format!(
        "lambda = {lambda} pulls some effect towards 0 by about {share} times half its interval's width; the intervals cover \
         the regularised coefficients, so take a smaller lambda to learn about unregularised ones"
    )
}

/// How λ is chosen.
pub fn tuning_rule(plan: &TuningPlan, validation: f64) -> String {
    let held = format!("{} % of the rows, by position, only validated", short(100.0 * validation));
    match plan.family() {
        Family::Selection { rule, epsilon, .. } => {
            let name = match rule {
                Rule::Generalised { .. } => "each lambda by its own stability (generalised)",
                Rule::Uniform { .. } => "all by the stability of the smallest lambda (uniform)",
            };
            format!(
                "by noisy score for ε = {}, {name}; then trained on all rows; {held}",
                short(*epsilon)
            )
        }
        Family::RandomStopping(stopping) => format!(
            "the best of a random number of private runs of {} each, at most {} and {} on average; {held}",
            rounded(stopping.run_budget()),
            stopping.law().most(),
            short(stopping.law().mean())
        ),
    }
}

/// A computed budget in a few digits.
fn rounded(budget: Budget) -> String {
    match budget {
        Budget::Pure { epsilon } => format!("ε = {}", short(epsilon)),
        Budget::Approximate { epsilon, delta } => format!("ε = {}, δ = {delta:e}", short(epsilon)),
        Budget::Zcdp { rho } => format!("ρ = {}", short(rho)),
    }
}

/// What a budget of this kind is counted in.
pub fn symbol(budget: impl Into<Cap>) -> &'static str {
    match budget.into() {
        Cap::Pure { .. } | Cap::Approximate { .. } => "ε",
        Cap::Zcdp { .. } => "ρ",
    }
}

/// The mechanism's name.
pub fn mechanism(mechanism: Mechanism) -> &'static str {
    match mechanism {
        Mechanism::Objective => "objective perturbation",
        Mechanism::Output => "output perturbation",
    }
}

/// The loss; of a hinge also the width of its corner, unless it is the usual one.
pub fn loss(loss: LossKind, several_classes: bool) -> String {
    match loss {
        _ if several_classes => "softmax".to_owned(),
        LossKind::HingeOver(h) => format!("hinge, smoothing {}", h.value()),
        LossKind::Logistic | LossKind::Hinge | LossKind::Huber => loss.to_string(),
    }
}

/// The loss of a number.
pub fn number_loss(loss: NumberLoss) -> &'static str {
    match loss {
        NumberLoss::Squares => "least squares, from sums with noise",
        NumberLoss::Huber => "Huber's, quadratic up to an eighth of the outcome's range",
    }
}

/// Mechanism and noise.
pub fn candidate(candidate: &Candidate) -> String {
    format!("{} with {} noise", mechanism(candidate.mechanism()), law(candidate.law()))
}

/// Why this mechanism was taken: what was asked for, and the expected errors.
pub fn why(plan: &Plan, method: Method) -> String {
    let error = short(plan.chosen().expected_error());
    let others: Vec<String> = plan
        .rejected()
        .iter()
        .map(|other| format!("{} for {}", short(other.expected_error()), candidate(other)))
        .collect();
    let compared = match others.is_empty() {
        true => format!("its expected error of a margin is {error}"),
        false => {
            format!("smallest expected error of a margin, {error}, against {}", others.join(", "))
        }
    };
    match method {
        Method::Auto => compared,
        Method::Objective | Method::Output => format!("as asked for; {compared}"),
    }
}
