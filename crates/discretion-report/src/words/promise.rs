//! The guarantee in plain words. Every sentence is exactly what the definition implies, no more.
//!
//! Under ε-differential privacy the *probability* of any outcome changes by at most a factor e^ε
//! when one row is replaced. The *odds* of an outcome, p/(1 − p), may change by e^(2ε), since p can
//! grow by the factor while 1 − p shrinks by it; so no sentence here speaks of those. What does
//! change by at most e^ε are the odds between two values of a row, in the mind of someone who knows
//! all the other rows (posterior odds over prior odds are the ratio of the outcome's probabilities
//! under two neighbours). Without knowing the others, or taking them as independent of this one,
//! that would be false: what is learned about the others may say something about this row too.
//!
//! Under (ε, δ) neither ratio is bounded, and the chance of telling two neighbours apart is: a test
//! with error probabilities α, β has α + e^ε β ≥ 1 − δ and e^ε α + β ≥ 1 − δ, so a guess between
//! two equally likely values is right with probability 1 − (α + β)/2 ≤ (e^ε + δ)/(1 + e^ε). Under
//! ρ-zCDP the Kullback–Leibler divergence is at most ρ, and a guess is right with probability ½ +
//! TV/2, TV ≤ min(√(ρ/2), √(1 − e^−ρ)) (Pinsker; Bretagnolle and Huber).

use super::DELTA;
use crate::markup::Element;
use crate::numbers::{at_most, equals, significant};
use discretion::privacy::{Budget, Unit, Zcdp};

/// A budget as a promise to the person in a row, on a page.
pub(crate) trait Promise {
    /// `ε = 1`, `ε = 1, δ = 10⁻⁶` or `ρ = 0.1`.
    fn symbols(&self) -> String;

    /// Its name in the literature.
    fn name(&self) -> &'static str;

    /// With which probability at most a guess between two equally likely values of a row is right.
    fn best_guess(&self) -> f64;

    /// The promise to a row or to a person, a paragraph each.
    fn paragraphs(&self, unit: Unit) -> Vec<Element>;
}

impl Promise for Budget {
    fn symbols(&self) -> String {
        match self {
            Budget::Pure { epsilon } => equals("ε", &at_most(*epsilon, 4)),
            Budget::Approximate { epsilon, delta } => {
                format!(
                    "{}, {}",
                    equals("ε", &at_most(*epsilon, 4)),
                    equals("δ", &at_most(*delta, 3))
                )
            }
            Budget::Zcdp { rho, .. } => equals("ρ", &at_most(*rho, 4)),
        }
    }

    fn name(&self) -> &'static str {
        match self {
            Budget::Pure { .. } => "ε-differential privacy",
            Budget::Approximate { .. } => "(ε, δ)-differential privacy",
            Budget::Zcdp { .. } => "ρ-zero-concentrated differential privacy",
        }
    }

    fn best_guess(&self) -> f64 {
        match *self {
            Budget::Pure { epsilon } => guess(epsilon, 0.0),
            Budget::Approximate { epsilon, delta } => guess(epsilon, delta),
            Budget::Zcdp { rho } => {
                let distance = (rho / 2.0).sqrt().min((1.0 - (-rho).exp()).sqrt());
                (0.5 + distance / 2.0).min(guess(implied(rho), DELTA))
            }
        }
    }

    fn paragraphs(&self, unit: Unit) -> Vec<Element> {
        let p = |words: &str| Element::new("p").text(words);
        let replaced = match unit {
            Unit::Row => "Take any one row and replace it by any other.",
            Unit::Person => {
                "Take any one person and replace all rows of that person by any others, however many."
            }
        };
        let (others, these) = match unit {
            Unit::Row => (
                "every other row, and that this one has one of two values",
                "two values that this one might have",
            ),
            Unit::Person => (
                "all rows of others, and that this person has one of two sets of rows",
                "two sets of rows that this person might have",
            ),
        };
        let known = others.split(", and").next().unwrap_or(others);
        let guess = format!(
            "{}\u{a0}%, where a coin is right in 50\u{a0}%.",
            at_most(100.0 * self.best_guess(), 3)
        );
        let told_apart = format!(
            "Even someone who knows {others}, equally likely beforehand, \
             guesses which from the outcome with probability at most {guess}"
        );
        let [promise, meaning] = match *self {
            Budget::Pure { epsilon } => [
                factor(
                    p(&format!("{replaced} The probability of any outcome of this run changes by at most a factor of ")),
                    epsilon,
                )
                .text(", up or down."),
                p(&format!(
                    "Even someone who knows {known}, and weighs {these}, finds the \
                     odds between the two changed by at most that factor, whatever this page shows; if the two seemed \
                     equally likely before, a guess between them is right with probability at most {guess}"
                )),
            ],
            Budget::Approximate { epsilon, delta } => [
                additive(
                    p(&format!("{replaced} An outcome of this run that had probability p then has at most ")),
                    epsilon,
                    delta,
                ),
                p(&told_apart),
            ],
            Budget::Zcdp { rho } => [
                additive(
                    p(&format!(
                        "{replaced} The distribution of the outcomes of this run moves by at most {}·α in Rényi \
                         divergence, for every order α > 1. So an outcome that had probability p then has at most ",
                        at_most(rho, 4)
                    )),
                    implied(rho),
                    DELTA,
                ),
                p(&told_apart),
            ],
        };
        vec![promise, meaning, p(&limits(self, unit))]
    }
}

/// What a budget means to somebody in the table, in one sentence without symbols.
pub fn for_people(unit: Unit, budget: Budget) -> String {
    let whose = if unit.is_row() { "one row" } else { "one person" };
    format!(
        "Somebody who knows everything about all others in the table, and wonders which of two equally likely things is true of \
         {whose}, guesses right with probability at most {} after seeing the result. Without it, it is 50 %.",
        at_most_percent(budget.best_guess())
    )
}

/// Rounded up: a promise is never made larger than it is.
fn at_most_percent(share: f64) -> String {
    format!("{} %", (share * 1000.0).ceil() / 10.0)
}

/// What the promise does not say.
fn limits(budget: &Budget, unit: Unit) -> String {
    let several = match budget {
        Budget::Pure { .. } => "k rows together have kε",
        Budget::Approximate { .. } => "k rows together have kε, and a δ that grows faster than k",
        Budget::Zcdp { .. } => "k rows together have k²ρ",
    };
    let whom = match unit {
        Unit::Row => format!("The promise is for a row: if one person has several, it is weaker ({several})."),
        Unit::Person => "The promise is for a person, whose rows count as one, however many they are. How many rows there \
                         are is protected; who is in the table is not."
            .to_owned(),
    };
    let counted = unit.plural();
    format!(
        "{whom} It holds for whatever is made from \
         this page, and adds up with all else released from the same table. It does not hide what is true of \
         people in general and could be applied to someone who was never in the table. The number of {counted} and \
         everything declared about the columns are public and not protected."
    )
}

/// The ε that a ρ implies at [`DELTA`].
pub(super) fn implied(rho: f64) -> f64 {
    Zcdp { rho }.at_delta(DELTA).epsilon
}

fn guess(epsilon: f64, delta: f64) -> f64 {
    // (e^ε + δ)/(1 + e^ε), written so that a large ε does not overflow.
    let tail = (-epsilon).exp();
    ((1.0 + delta * tail) / (1.0 + tail)).min(1.0)
}

/// `2.72 (e¹ rounded up)`, or the power alone where it has no readable value.
fn factor(sentence: Element, epsilon: f64) -> Element {
    let power = Element::new("sup").text(significant(epsilon, 6));
    match at_most(epsilon.exp(), 3) {
        _ if epsilon > 30.0 => sentence.text("e").child(power),
        value => sentence.text(format!("{value} (e")).child(power).text(", rounded up)"),
    }
}

/// `2.72·p + 10⁻⁶`, to the end of the sentence.
fn additive(sentence: Element, epsilon: f64, delta: f64) -> Element {
    let delta = at_most(delta, 3);
    let power = Element::new("sup").text(significant(epsilon, 6));
    let sentence = if epsilon > 30.0 {
        sentence.text("e").child(power).text("·p")
    } else {
        sentence.text(format!("{}·p", at_most(epsilon.exp(), 3)))
    };
    sentence.text(format!(
        " + {delta} ({}, {}).",
        equals("ε", &at_most(epsilon, 4)),
        equals("δ", &delta)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(guarantee: Budget) -> String {
        guarantee.paragraphs(Unit::Row).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn probabilities_and_not_odds_of_outcomes_change_by_the_factor() {
        // A mechanism that reaches the bound: the probability of an outcome grows from p to e^ε p,
        // its odds by more.
        let (epsilon, p): (f64, f64) = (1.0, 0.2);
        let q = epsilon.exp() * p;
        let odds = |p: f64| p / (1.0 - p);
        assert!(odds(q) / odds(p) > epsilon.exp());
        let pure = words(Budget::Pure { epsilon });
        assert!(pure.contains(
            "The probability of any outcome of this run changes by at most a factor of 2.72 (e<sup>1</sup>"
        ));
        assert!(!pure.contains("odds of"), "{pure}");
    }

    #[test]
    fn the_best_guess_is_reached_by_randomised_response() {
        // Randomised response tells the truth with probability e^ε/(1 + e^ε), and no mechanism can
        // be told apart better.
        for epsilon in [0.1f64, 1.0, 5.0] {
            let truth = epsilon.exp() / (1.0 + epsilon.exp());
            assert!((Budget::Pure { epsilon }.best_guess() - truth).abs() < 1e-12);
        }
        // With δ it may also blurt out the row with probability δ.
        let (epsilon, delta) = (0.5f64, 0.01);
        let reached = delta + (1.0 - delta) * epsilon.exp() / (1.0 + epsilon.exp());
        assert!((Budget::Approximate { epsilon, delta }.best_guess() - reached).abs() < 1e-12);
        assert_eq!(Budget::Pure { epsilon: 1e4 }.best_guess(), 1.0);
    }

    #[test]
    fn people_are_told_the_best_guess_and_never_less() {
        let says = |budget| for_people(Unit::Row, budget);
        assert!(
            says(Budget::Pure { epsilon: 1.0 }).contains("at most 73.2 % after"),
            "e/(1 + e) = 0.7311"
        );
        assert!(says(Budget::Pure { epsilon: 0.1 }).contains("at most 52.5 % after"), "0.52498");
        assert!(
            for_people(Unit::Person, Budget::Pure { epsilon: 1e3 })
                .contains("one person, guesses right with probability at most 100 %")
        );
    }

    #[test]
    fn the_best_guess_under_zcdp_is_above_what_a_gaussian_reaches() {
        // N(0, 1) against N(μ, 1) is exactly μ²/2-zCDP, and is told apart with probability Φ(μ/2).
        for (mu, reached) in [(0.2f64, 0.539_828), (1.0, 0.691_462), (3.0, 0.933_193)] {
            let bound = Budget::Zcdp { rho: mu * mu / 2.0 }.best_guess();
            assert!(bound >= reached && bound <= reached + 0.07, "{mu}: {bound} {reached}");
        }
    }

    #[test]
    fn every_kind_says_its_numbers() {
        let approximate =
            words(Budget::Approximate { epsilon: 0.5, delta: 1e-6 }).replace('\u{a0}', " ");
        assert!(
            approximate.contains("then has at most 1.65·p + 10⁻⁶ (ε = 0.5, δ = 10⁻⁶)."),
            "{approximate}"
        );
        // Neither ratio is bounded once there is a δ.
        assert!(!approximate.contains("factor") && !approximate.contains("odds"));
        let zcdp = Budget::Zcdp { rho: 0.1 };
        assert_eq!(zcdp.symbols(), "ρ\u{a0}=\u{a0}0.1");
        let zcdp = words(zcdp);
        assert!(
            zcdp.contains("at most 0.1·α in Rényi") && zcdp.contains("8.52·p + 10⁻⁶"),
            "{zcdp}"
        );
        assert!(
            words(Budget::Pure { epsilon: 100.0 })
                .contains("a factor of e<sup>100</sup>, up or down")
        );
    }
}
