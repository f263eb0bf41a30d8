//! A choice by noisy score.

use super::{AUDITED_DELTA, Case, refused};
use crate::exact::{Exact, noisy_least};
use crate::{AuditError, Claim, Mechanism, Side};
use discretion_choose::{Rule, Selector};
use discretion_privacy::Budget;
use discretion_privacy::noise::{Noise, Sensitive};

const DOUBT: f64 = 0.1;
const NOT_PURE: &str = "a selection takes a pure budget: give --epsilon alone";

struct Chosen {
    selector: Selector,
    scores: [Vec<f64>; 2],
}

impl Mechanism for Chosen {
    fn run(&self, side: Side, source: &mut Noise) -> Result<Vec<f64>, AuditError> {
        let scores = Sensitive::new(self.scores[side as usize].clone());
        Ok(vec![self.selector.choose(scores, source)?.index as f64])
    }
}

fn case(
    rule: Rule,
    budget: Budget,
    sensitivities: Vec<f64>,
    scores: [Vec<f64>; 2],
) -> Result<(Box<Chosen>, Claim, Exact), AuditError> {
    let Budget::Pure { epsilon } = budget else {
        return Err(AuditError::Run(NOT_PURE.to_owned()));
    };
    let selector = Selector::new(rule, epsilon, sensitivities).map_err(refused)?;
    let law = |side: usize| {
        let penalties = selector.penalties(&scores[side]);
        noisy_least(&penalties.iter().map(|a| a.to_f64().value()).collect::<Vec<f64>>())
    };
    let exact = Exact::outcomes(law(0), law(1));
    Ok((Box::new(Chosen { selector, scores }), Claim::of(budget, AUDITED_DELTA), exact))
}

/// Two candidates; every score moves by the whole sensitivity, the trailing one up and the leading
/// one down.
pub(super) fn uniform(budget: Budget) -> Result<Case, AuditError> {
    let scores = [vec![0.0, 2.0], vec![1.0, 1.0]];
    let (mechanism, claim, exact) =
        case(Rule::Uniform { doubt: DOUBT }, budget, vec![1.0, 1.0], scores)?;
    let neighbours = "two candidates 2β apart, and level: both scores move by β";
    Ok(Case { mechanism, claim, neighbours, ceiling: None, exact: Some(exact) })
}

/// Five candidates of very different sensitivities, found by a random search over exact laws: the
/// largest ratio has no closed form. With equal sensitivities no log-ratio is above ε/2, because
/// only differences of scores count.
pub(super) fn generalised(budget: Budget) -> Result<Case, AuditError> {
    let sensitivities = [0.01, 0.8, 0.8, 0.6, 0.015];
    // Scores less what the rule holds back, in units of each candidate's sensitivity, and which way
    // each moves.
    let careful = [-0.86, 0.1, 0.0, -8.3, -0.5];
    let moves = [-1.0, 1.0, -1.0, 1.0, -1.0];
    let Budget::Pure { epsilon } = budget else {
        return Err(AuditError::Run(NOT_PURE.to_owned()));
    };
    let held_back = 2.0 / epsilon * (sensitivities.len() as f64 / DOUBT).ln();
    let scores = [0.0, 1.0].map(|moved| {
        (0..5)
            .map(|i| sensitivities[i] * (careful[i] + held_back + moved * moves[i]))
            .collect::<Vec<f64>>()
    });
    let rule = Rule::Generalised { doubt: DOUBT };
    // A little more, so that rounding the scores above does not move them further than declared.
    let declared = sensitivities.iter().map(|beta| beta * (1.0 + 1e-12)).collect();
    let (mechanism, claim, exact) = case(rule, budget, declared, scores)?;
    Ok(Case {
        mechanism,
        claim,
        neighbours: "five candidates of different sensitivities, each score moved by its own, found by search",
        ceiling: Some("the best neighbours found cause 0.8 ε; whether any cause more is not known"),
        exact: Some(exact),
    })
}
