//! Answers by a vote.

use super::{Case, refused};
use crate::exact::Exact;
use crate::{AuditError, Claim, Mechanism, Side};
use discretion_privacy::noise::{Noise, Sensitive, Source};
use discretion_privacy::{Approximate, Budget, normal_cdf};
use discretion_vote::design::{Gaussian, Sparse};
use discretion_vote::{Answer, Ballot, Bins, Demand, Design, Recent, answer};

const NOT_APPROXIMATE: &str = "voting takes a budget with a delta: give --epsilon and --delta";

/// Free queries before those that are paid for.
const FREE: usize = 40;

/// The event that tells the sides apart shall not be rarer than this.
const RAREST: f64 = 0.02;

/// A session whose queries have these distances on the two sides, with the same winner.
struct Voting {
    design: Design,
    distances: [Vec<u32>; 2],
    /// Scores in thirds, in place of labels: every vote is in a plain and in a shifted bin.
    scores: bool,
}

impl Voting {
    /// Votes at this distance.
    fn ballot(&self, distance: u32, most: u32) -> Ballot {
        let (winner, rival) = (most + distance + 2, most - distance);
        if !self.scores {
            return Ballot::Labels(Sensitive::new(vec![winner, rival]));
        }
        let scores = [(winner, 0.3), (rival, 0.7)]
            .map(|(votes, score)| vec![score; votes as usize])
            .concat();
        Ballot::Scores(
            Sensitive::new(scores),
            Bins::of_width(1.0 / 3.0).expect("thirds fill the interval"),
        )
    }
}

impl Mechanism for Voting {
    /// How many queries were answered at once, what came then, and how many were answered in all.
    fn run(&self, side: Side, source: &mut Noise) -> Result<Vec<f64>, AuditError> {
        let distances = &self.distances[side as usize];
        let most = self.distances.iter().flatten().max().copied().unwrap_or(0);
        let queries =
            distances.iter().enumerate().map(|(i, &d)| (i.to_string(), self.ballot(d, most)));
        let mut memory = Recent::new(self.design, distances.len() as u64, source.provenance());
        let told = answer(queries, &mut memory, source).map_err(refused)?;
        let code = |answer: &Option<_>| match answer.as_deref() {
            Some(Answer::Label(_) | Answer::Unsure(_)) => 0.0,
            Some(Answer::Score(score)) if *score < 0.25 => 0.0,
            Some(Answer::Score(_)) => 1.0,
            Some(Answer::Unstable) => 2.0,
            None => 3.0,
        };
        let codes: Vec<f64> = told.answers.iter().map(code).collect();
        let at_once = codes.iter().take_while(|&&code| code == 0.0).count();
        let next = codes.get(at_once).copied().unwrap_or(-1.0);
        Ok(vec![at_once as f64, next, codes.iter().filter(|&&code| code < 2.0).count() as f64])
    }
}

fn design(
    budget: Budget,
    unstable: u64,
    scores: bool,
    wanted: fn(&Design) -> bool,
) -> Result<(Design, Claim), AuditError> {
    let Budget::Approximate { epsilon, delta } = budget else {
        return Err(AuditError::Run(NOT_APPROXIMATE.to_owned()));
    };
    let queries = FREE as u64 + 2;
    let demand =
        Demand { budget: Approximate { epsilon, delta }, queries, unstable, miss: 0.05, scores };
    let mut designs =
        demand.checked().map_err(refused)?.designs().into_iter().map(|planned| planned.design);
    Ok((designs.find(wanted).expect("there is one of each kind"), Claim { epsilon, delta }))
}

fn is_one_threshold(design: &Design) -> bool {
    matches!(design, Design::Sparse(sparse) if sparse.thresholds == 1)
}

/// One threshold: queries that pass although they are one vote closer on the other side, then one
/// that fails although it is one vote further there. A second such query comes after the session
/// has ended: it would show a session that does not end.
pub(super) fn answers(budget: Budget) -> Result<Case, AuditError> {
    let (design, claim) = design(budget, 1, false, is_one_threshold)?;
    let Design::Sparse(sparse) = design else { unreachable!("it was asked for") };
    let [free, last] = telling_distances(&sparse, 1);
    let law = |[free, last]: [u64; 2]| first_failure(&sparse, free, last, 1);
    let exact = Exact::outcomes(law([free, last]), law([free - 1, last + 1]));
    Ok(Case {
        mechanism: Box::new(Voting { design, distances: distances(free, last, 2), scores: false }),
        claim,
        neighbours: "forty queries one vote closer on the other side, then two that are one vote further",
        ceiling: Some(
            "only endlessly many free queries, and rare events, use the threshold's share of ε in full",
        ),
        exact: Some(exact),
    })
}

/// The same with scores: the last query fails in both histograms and is paid for twice.
pub(super) fn scores(budget: Budget) -> Result<Case, AuditError> {
    let (design, claim) = design(budget, 2, true, is_one_threshold)?;
    let Design::Sparse(sparse) = design else { unreachable!("it was asked for") };
    let [free, last] = telling_distances(&sparse, 2);
    Ok(Case {
        mechanism: Box::new(Voting { design, distances: distances(free, last, 1), scores: true }),
        claim,
        neighbours: "forty queries one vote closer on the other side, then one that is one vote further in both histograms",
        ceiling: Some(
            "only endlessly many free queries, and rare events, use the threshold's share of ε in full",
        ),
        exact: None,
    })
}

/// Gaussian noise: as many queries as were charged for, each at the threshold on one side.
pub(super) fn gaussian(budget: Budget) -> Result<Case, AuditError> {
    let tests = FREE as u64 + 2;
    let (design, claim) =
        design(budget, tests, false, |design| matches!(design, Design::Gaussian(_)))?;
    let Design::Gaussian(Gaussian { cut, sigma, .. }) = design else {
        unreachable!("it was asked for")
    };
    let answered =
        |chance: f64| (0..=tests).map(|k| binomial(tests, k, chance)).collect::<Vec<f64>>();
    let distances = [cut, cut - 1].map(|distance| vec![distance as u32; tests as usize]);
    Ok(Case {
        mechanism: Box::new(Voting { design, distances, scores: false }),
        claim,
        neighbours: "every query at the threshold, or one vote below it",
        ceiling: Some("only whether a query passes is told, not by how much"),
        exact: Some(Exact::outcomes(answered(0.5), answered(normal_cdf(-1.0 / sigma)))),
    })
}

/// Free queries and then `paid` ones, on both sides.
fn distances(free: u64, last: u64, paid: usize) -> [Vec<u32>; 2] {
    [[free, last], [free - 1, last + 1]]
        .map(|[free, last]| [vec![free as u32; FREE], vec![last as u32; paid]].concat())
}

/// The distances, of free queries and of the last one, whose event "the last is the first to fail"
/// has the largest ratio among those that are not too rare.
fn telling_distances(sparse: &Sparse, paid: i32) -> [u64; 2] {
    let reach = (6.0 * sparse.query_scale) as u64;
    let step = (reach / 60).max(1) as usize;
    let mut best = (f64::NEG_INFINITY, [sparse.cut + 1, sparse.cut + 1]);
    for free in (1..sparse.cut + reach).step_by(step) {
        for last in (1..sparse.cut + reach).step_by(step) {
            let event = |free, last| first_failure(sparse, free, last, paid)[FREE];
            let (p, q) = (event(free, last), event(free - 1, last + 1));
            if p >= RAREST && (p / q).ln() > best.0 {
                best = ((p / q).ln(), [free, last]);
            }
        }
    }
    best.1
}

/// The law of how many queries pass before the first that does not: FREE of them at the distance
/// `free`, then one at `last` that has `paid` tests to fail, or nothing.
fn first_failure(sparse: &Sparse, free: u64, last: u64, paid: i32) -> Vec<f64> {
    let mut law = vec![0.0; FREE + 2];
    let falls = (-1.0 / sparse.threshold_scale).exp();
    let mut weight = 1.0 - falls;
    for noise in 0..(40.0 * sparse.threshold_scale) as u64 {
        let passes = |distance: u64| {
            let room = distance as f64 - sparse.cut as f64 + noise as f64;
            if room > 0.0 { -(-room / sparse.query_scale).exp_m1() } else { 0.0 }
        };
        let (free, fails) = (passes(free), (1.0 - passes(last)).powi(paid));
        let mut chance = weight;
        for place in law.iter_mut().take(FREE) {
            *place += chance * (1.0 - free);
            chance *= free;
        }
        law[FREE] += chance * fails;
        law[FREE + 1] += chance * (1.0 - fails);
        weight *= falls;
    }
    law
}

/// The probability of `k` among `n`.
pub(super) fn binomial(n: u64, k: u64, chance: f64) -> f64 {
    let ways: f64 = (0..k).map(|i| (n - i) as f64 / (i + 1) as f64).product();
    ways * chance.powi(k as i32) * (1.0 - chance).powi((n - k) as i32)
}
