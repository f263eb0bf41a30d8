//! Answers to every query.

use super::voting::binomial;
use super::{AUDITED_DELTA, Case, conversion_ceiling, refused};
use crate::exact::{Exact, LnDensity};
use crate::{AuditError, Claim, Mechanism, Side};
use discretion_privacy::noise::{Noise, Sensitive, Source};
use discretion_privacy::{Budget, normal_cdf};
use discretion_vote::design::Maximum;
use discretion_vote::{Answer, Ballot, Bins, DemandAll, Design, Recent, Told, answer};

/// Queries of one session: as many as make the price of one small.
const QUERIES: u64 = 10;

/// The scores of a query, half of which are 0.5 on both sides so that no mean is cut off at 0 or 1.
const SCORES: usize = 1_000;

/// A session with the same ballot for every query.
struct Session {
    design: Design,
    queries: u64,
    /// Of each side: counts, or the one score that differs.
    sides: [Vec<u32>; 2],
}

impl Session {
    fn ballot(&self, side: Side) -> Ballot {
        let votes = &self.sides[side as usize];
        match self.design {
            Design::Sums(_) => {
                let mut scores = vec![0.5; SCORES];
                scores[0] = votes[0] as f32;
                let bins = Bins::of_width(0.1).expect("tenths fill the interval");
                Ballot::Scores(Sensitive::new(scores), bins)
            }
            _ => Ballot::Labels(Sensitive::new(votes.clone())),
        }
    }
}

impl Mechanism for Session {
    /// How many queries were told the first label, how many of those labels were sure, and how many
    /// of the others; or the told score.
    fn run(&self, side: Side, source: &mut Noise) -> Result<Vec<f64>, AuditError> {
        let queries = (0..self.queries).map(|query| (query.to_string(), self.ballot(side)));
        let mut memory = Recent::new(self.design, self.queries, source.provenance());
        let told = answer(queries, &mut memory, source).map_err(refused)?;
        let told: Vec<Answer> = told.answers.iter().flatten().map(|answer| **answer).collect();
        if let [Answer::Score(score)] = told[..] {
            return Ok(vec![score]);
        }
        let count = |wanted: fn(&Answer) -> bool| {
            told.iter().filter(|answer| wanted(answer)).count() as f64
        };
        Ok(vec![
            count(|answer| matches!(answer, Answer::Label(0) | Answer::Unsure(0))),
            count(|answer| matches!(answer, Answer::Label(0))),
            count(|answer| matches!(answer, Answer::Label(1))),
        ])
    }
}

fn demand(budget: Budget, queries: u64, told: Told) -> Result<DemandAll, AuditError> {
    DemandAll { budget, queries, told, miss: 0.05 }.checked().map_err(refused)
}

/// Counts that are one vote ahead on one side and one vote behind on the other.
fn close() -> [Vec<u32>; 2] {
    [vec![51, 50], vec![50, 51]]
}

/// Noisy counts, with clear winners told apart: of the difference of two noisy counts one hears
/// where it falls among three places.
pub(super) fn maximum(budget: Budget) -> Result<Case, AuditError> {
    let told = Told::Labels { count: 2, confidence: Some(0.8) };
    let design = demand(budget, QUERIES, told)?.plan().design;
    let Design::Maximum(Maximum { sigma, lead: Some(lead), .. }) = design else {
        unreachable!("only noisy counts tell clear winners apart")
    };
    // Of the difference between the counts: the first clearly, the first, the second, the second
    // clearly.
    let places = |ahead: f64| {
        let above = |cut: f64| normal_cdf((ahead - cut) / (std::f64::consts::SQRT_2 * sigma));
        let (sure, first, not_second) = (above(lead as f64), above(0.0), above(-(lead as f64)));
        [sure, first - sure, not_second - first, 1.0 - not_second]
    };
    Ok(Case {
        mechanism: Box::new(Session { design, queries: QUERIES, sides: close() }),
        claim: Claim::of(budget, AUDITED_DELTA),
        neighbours: "ten queries whose first label is one vote ahead, or one vote behind",
        ceiling: Some(
            "only which count is the largest is told, and whether clearly, not the counts",
        ),
        exact: Some(Exact::outcomes(multinomial(places(1.0)), multinomial(places(-1.0)))),
    })
}

/// A label drawn by its votes.
pub(super) fn exponential(budget: Budget) -> Result<Case, AuditError> {
    let designs = demand(budget, QUERIES, Told::Labels { count: 2, confidence: None })?.designs();
    let mut designs = designs.into_iter().map(|planned| planned.design);
    let design = designs
        .find(|design| matches!(design, Design::Exponential(_)))
        .expect("there is one of each kind");
    let chance = design.keeps(1, 2).expect("it tells a label");
    let law =
        |chance: f64| (0..=QUERIES).map(|k| binomial(QUERIES, k, chance)).collect::<Vec<f64>>();
    Ok(Case {
        mechanism: Box::new(Session { design, queries: QUERIES, sides: close() }),
        claim: Claim::of(budget, AUDITED_DELTA),
        neighbours: "ten queries whose first label is one vote ahead, or one vote behind",
        ceiling: Some("ρ-zCDP allows more at this δ than these labels do"),
        exact: Some(Exact::outcomes(law(chance), law(1.0 - chance))),
    })
}

/// The mean of scores: one query, and one score that is 0 or 1.
pub(super) fn mean(budget: Budget) -> Result<Case, AuditError> {
    let design = demand(budget, 1, Told::Scores { width: 0.1 })?.plan().design;
    let Design::Sums(sums) = design else { unreachable!("scores are summed") };
    let density = |at: f64| -> LnDensity<f64> {
        let scale = (sums.sigma * std::f64::consts::TAU.sqrt()).ln();
        Box::new(move |x| -0.5 * ((x - at) / sums.sigma).powi(2) - scale)
    };
    Ok(Case {
        mechanism: Box::new(Session { design, queries: 1, sides: [vec![0], vec![1]] }),
        claim: Claim::of(budget, AUDITED_DELTA),
        neighbours: "one of a thousand scores is 0, or 1",
        ceiling: conversion_ceiling(budget, |budget| matches!(budget, Budget::Approximate { .. })),
        exact: Some(Exact::line(density(-0.5), density(0.5), 12.0 * sums.sigma)),
    })
}

/// The probability of each way in which all queries can fall into four places.
fn multinomial([a, b, c, _]: [f64; 4]) -> Vec<f64> {
    let mut law = Vec::new();
    for first in 0..=QUERIES {
        let rest = QUERIES - first;
        for second in 0..=rest {
            for third in 0..=rest - second {
                law.push(
                    binomial(QUERIES, first, a)
                        * binomial(rest, second, b / (1.0 - a))
                        * binomial(rest - second, third, c / (1.0 - a - b)),
                );
            }
        }
    }
    law
}
