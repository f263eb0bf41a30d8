//! What a session is to do, how many voters it gets, and what to say if that leaves too few rows
//! for each.

use crate::request;
use crate::support::{self, Feature, features_of};
use discretion::privacy::{Approximate, Budget, Unit};
use discretion::vote::{Demand, DemandAll, DemandError, Design, Planned, PlannedAll, Told};
use discretion::{Refusal, RefusalKind};
use discretion_report::numbers::plain::{count, short};
use discretion_table::{AnswerChoice, Study, VoteSettings};

/// Below this, a model can hardly be learned from a chunk; only advice depends on it.
const ROWS_TO_LEARN_FROM: u64 = 50;

/// What a session is to do. Everything in it is public.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Numbers {
    /// m: how many queries may be asked.
    pub queries: u64,
    /// Which of them are answered.
    pub answer: AnswerChoice,
    /// T: how many unstable answers end the session.
    pub unstable: u64,
    /// The number of models; from the budget if nothing is said.
    pub chunks: Option<u64>,
    /// The winner's share of the votes with which a query should be answered.
    pub agreement: f64,
    /// How probable it may be that some such query is not.
    pub miss: f64,
    /// How many labels are voted on.
    pub labels: usize,
    /// Where answers are scores and not labels: in how many bins.
    pub score_bins: Option<u32>,
    /// Whom the guarantee is about: chunks are of whole ones.
    pub unit: Unit,
}

impl Numbers {
    /// Those of a `[vote]` table, in a study of rows or persons.
    pub fn of(vote: &VoteSettings, unit: Unit) -> Numbers {
        Numbers {
            queries: vote.queries as u64,
            answer: vote.answer,
            unstable: vote.unstable as u64,
            chunks: vote.chunks.map(|chunks| chunks as u64),
            agreement: vote.agreement,
            miss: vote.miss,
            labels: vote.classes.count(),
            score_bins: vote.score_bins,
            unit,
        }
    }
}

/// A session as it is planned, from public numbers alone.
#[derive(Clone, Debug)]
pub struct Voting {
    /// What was asked for.
    pub numbers: Numbers,
    /// The best design, by what is asked for.
    pub plan: VotingPlan,
}

/// The best design of a session.
#[derive(Clone, Copy, Debug)]
pub enum VotingPlan {
    /// Clear winners are answered.
    Sure(Demand, Planned),
    /// Every query is answered.
    All(PlannedAll),
}

/// How many models there will be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChunkCount {
    /// Their number.
    pub chunks: usize,
    /// What the user should know about it.
    pub advice: Option<String>,
}

/// The `[vote]` table of a study and its session. Everything that can be refused without a row is.
pub fn of(study: &Study) -> Result<(&VoteSettings, Voting), Refusal> {
    let vote = study.vote.as_ref().ok_or_else(|| {
        let sentence = "this study has no [vote] table; add one, for example:\n\n[vote]\nlearner  = \"logistic\"\n\
                        queries  = 1000\nunstable = 50\n";
        Refusal::bad_file(&study.path, sentence)
    })?;
    support::check(&features_of(study, &[Feature::Vote, Feature::of_answers(vote.answer)]))?;
    let unit = study.schema.unit();
    let voting = Voting::plan(study.spend, Numbers::of(vote, unit));
    Ok((vote, voting.map_err(|error| Refusal::bad_file(&study.path, error))?))
}

impl Voting {
    /// Plans a session within a budget.
    pub fn plan(spend: Budget, numbers: Numbers) -> Result<Voting, Refusal> {
        let Numbers { queries, unstable, miss, labels, score_bins, answer, .. } = numbers;
        request::check_voting_budget(spend, answer)?;
        if let (AnswerChoice::All { confidence: Some(_) }, Some(_)) = (answer, score_bins) {
            return Err(Refusal::bad_input(
                "a confidence is about labels, and these answers are scores; leave one of them out"
                    .to_owned(),
            ));
        }
        let refuse = |error: DemandError| Refusal::from_error(RefusalKind::BadInput, error);
        let plan = match (answer, spend) {
            (AnswerChoice::Sure, Budget::Approximate { epsilon, delta }) => {
                let budget = Approximate { epsilon, delta };
                let demand =
                    Demand { budget, queries, unstable, miss, scores: score_bins.is_some() };
                let demand = demand.checked().map_err(refuse)?;
                VotingPlan::Sure(demand, demand.plan())
            }
            (AnswerChoice::All { confidence }, _) => {
                let told = match score_bins {
                    None => Told::Labels { count: labels, confidence },
                    Some(bins) => Told::Scores { width: 1.0 / f64::from(bins) },
                };
                let demand = DemandAll { budget: spend, queries, told, miss };
                VotingPlan::All(demand.checked().map_err(refuse)?.plan())
            }
            (AnswerChoice::Sure, _) => unreachable!("the budget was checked"),
        };
        Ok(Voting { numbers, plan })
    }

    /// How queries are answered.
    pub fn design(&self) -> Design {
        match self.plan {
            VotingPlan::Sure(_, planned) => planned.design,
            VotingPlan::All(planned) => planned.design,
        }
    }

    /// What the session may spend.
    pub fn budget(&self) -> Budget {
        match self.plan {
            VotingPlan::Sure(demand, _) => demand.budget.into(),
            VotingPlan::All(planned) => planned.demand.budget,
        }
    }

    /// The smallest number of models that serves; nothing if none does.
    pub fn chunks_needed(&self) -> Option<u64> {
        match self.plan {
            VotingPlan::Sure(_, planned) => planned.chunks(self.numbers.agreement),
            VotingPlan::All(planned) => planned.chunks(self.numbers.agreement),
        }
    }

    /// The number of chunks for a table of `rows` rows, or persons.
    pub fn chunks(&self, rows: u64) -> Result<ChunkCount, Refusal> {
        let chunks = self.numbers.chunks.or(self.chunks_needed()).unwrap_or(u64::MAX);
        let advice = self.advice(chunks, rows);
        if chunks > rows {
            return Err(Refusal::refused(advice.unwrap_or_default() + " Nothing was charged."));
        }
        if let VotingPlan::Sure(_, planned) = self.plan
            && planned.agreement(chunks).is_none()
        {
            return Err(Refusal::refused(format!(
                "{} models are too few for this budget: even queries on which all of them agree would often go unanswered. \
                 the plan of the vote says how many it takes. Nothing was charged.",
                count(chunks as usize)
            )));
        }
        Ok(ChunkCount { chunks: chunks as usize, advice })
    }

    /// Refuses more queries than were agreed on: `fresh` new ones, where `left` may still be asked.
    pub fn check_number(&self, fresh: usize, left: u64) -> Result<(), Refusal> {
        if fresh as u64 <= left {
            return Ok(());
        }
        Err(Refusal::refused(format!(
            "there are {} new queries, and this session may still answer {} of its {}; leave some out, or raise `queries` \
             in [vote], which makes another session at its full price",
            count(fresh),
            count(left as usize),
            count(self.numbers.queries as usize)
        )))
    }

    /// What would do, if there are too few rows, or persons, for so many models.
    pub fn advice(&self, chunks: u64, rows: u64) -> Option<String> {
        let units = self.numbers.unit.plural();
        if rows / chunks >= ROWS_TO_LEARN_FROM {
            return None;
        }
        let situation = if chunks > rows {
            format!(
                "{} {units} are too few: {} models need at least as many",
                count(rows as usize),
                count(chunks as usize)
            )
        } else {
            format!(
                "{} {units} leave {} to each of {} models, from which little can be learned",
                count(rows as usize),
                rows / chunks,
                count(chunks as usize)
            )
        };
        let mut ways = self.ways(rows / ROWS_TO_LEARN_FROM);
        ways.push(format!("{} {units}", count((chunks * ROWS_TO_LEARN_FROM) as usize)));
        let ways = ways.join(", or ");
        Some(format!("{situation}. With {ROWS_TO_LEARN_FROM} {units} each, this would do: {ways}."))
    }

    /// What so few models could serve.
    fn ways(&self, affordable: u64) -> Vec<String> {
        let agreement = self.numbers.agreement;
        let mut ways = Vec::new();
        match &self.plan {
            VotingPlan::Sure(demand, _) => {
                if let Some(epsilon) = demand.smallest_epsilon(affordable, agreement) {
                    ways.push(format!("epsilon = {}", short(epsilon)));
                }
                let most = demand.most_unstable(affordable, agreement);
                if let Some(unstable) = most.filter(|&unstable| unstable < demand.unstable) {
                    ways.push(format!("at most {unstable} unstable queries"));
                }
            }
            VotingPlan::All(planned) => {
                match planned.demand.smallest_budget(affordable, agreement) {
                    Some(Budget::Zcdp { rho }) => ways.push(format!("rho = {}", short(rho))),
                    Some(Budget::Approximate { epsilon, .. }) => {
                        ways.push(format!("epsilon = {}", short(epsilon)))
                    }
                    Some(Budget::Pure { .. }) | None => {}
                }
                let most = planned.demand.most_queries(affordable, agreement);
                if let Some(queries) = most.filter(|&queries| queries < planned.demand.queries) {
                    ways.push(format!("at most {} queries", count(queries as usize)));
                }
            }
        }
        ways
    }
}
