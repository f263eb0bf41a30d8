//! `[vote]`: private answers from the votes of many models.

use super::document::{Entry, Section};
use super::learner::{LearnerChoice, learner};
use super::model::choice;
use crate::error::Error;
use crate::plain::Classes;
use crate::problem::Problem;
use crate::schema::Labels;
use discretion::vote::{AGREEMENT, AGREEMENT_OF_ALL, Bins};

/// `[vote]`.
#[derive(Debug, Clone, PartialEq)]
pub struct VoteSettings {
    /// What trains a model on each chunk of rows.
    pub learner: LearnerChoice,
    /// λ of logistic regression, if somebody says. Public, and the same for all chunks.
    pub lambda: Option<f64>,
    /// How many chunks the rows are split into; from the budget if nothing is said.
    pub chunks: Option<usize>,
    /// How many queries are asked.
    pub queries: usize,
    /// Which queries are answered.
    pub answer: AnswerChoice,
    /// How many unstable answers end the run.
    pub unstable: usize,
    /// The share of votes for the winner that a query should need.
    pub agreement: f64,
    /// How probable it may be that a query with that agreement gets no answer.
    pub miss: f64,
    /// What is voted for: the target's own values if they are listed here, and otherwise what
    /// `[data]` says.
    pub classes: Classes,
    /// With soft scores in [0, 1] instead of classes: how many bins of equal width γ there are in
    /// [0, 1].
    pub score_bins: Option<u32>,
    /// From which score on the second class is named. It is applied to released scores, and no
    /// session depends on it.
    pub threshold: Option<f64>,
    /// What is protected.
    pub protect: Protect,
    /// How models weigh classes.
    pub weights: ClassWeights,
    /// What share of the rows is thought to have the rarer class. Only advice depends on it.
    pub expected_share: Option<f64>,
}

impl VoteSettings {
    /// Whether answers say if they are sure.
    pub fn tells_apart(&self) -> bool {
        matches!(self.answer, AnswerChoice::All { confidence: Some(_) })
    }

    /// The bins of scores, if answers are scores.
    pub fn bins(&self) -> Option<Bins> {
        let width = |count: u32| 1.0 / f64::from(count);
        self.score_bins.map(|count| Bins::of_width(width(count)).expect("the study was checked"))
    }

    /// The class that a released score is called, where a threshold is declared.
    pub fn called(&self, score: f64) -> Option<usize> {
        self.threshold.map(|threshold| usize::from(score >= threshold))
    }

    /// Whether a query may have bins of its own: where every query is told a mean, there are none.
    pub fn bins_may_differ(&self) -> bool {
        self.score_bins.is_some() && self.answer == AnswerChoice::Sure
    }

    /// How many unstable answers end a session of so many queries if nobody says.
    pub const fn usual_unstable(queries: u64) -> u64 {
        if queries < 50 { queries } else { 50 }
    }

    /// How probable a miss may be if nobody says.
    pub const USUAL_MISS: f64 = 0.05;

    /// The number of bins of scores if nobody says.
    pub const USUAL_BINS: u32 = 10;
}

/// Which queries are answered.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum AnswerChoice {
    /// Those whose winner is clear.
    #[default]
    Sure,
    /// All of them.
    All {
        /// Whether clear winners are told apart, and how sure is sure.
        confidence: Option<f64>,
    },
}

impl AnswerChoice {
    /// The share of votes that is planned for if nobody says another.
    pub fn usual_agreement(self) -> f64 {
        match self {
            AnswerChoice::Sure => AGREEMENT,
            AnswerChoice::All { .. } => AGREEMENT_OF_ALL,
        }
    }
}

/// How models weigh classes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ClassWeights {
    /// Every row counts the same.
    #[default]
    Equal,
    /// Rows of rarer classes count more, so that all classes of a chunk count about the same.
    Balanced,
}

/// What is protected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Protect {
    /// A whole row.
    #[default]
    Rows,
    /// The label of a row; the rest of it is public.
    Labels,
}

pub(super) fn vote(section: &Section<'_>, data: &Labels) -> Result<VoteSettings, Error> {
    section.allow(&[
        "learner",
        "lambda",
        "chunks",
        "queries",
        "answer",
        "confidence",
        "unstable",
        "agreement",
        "miss",
        "classes",
        "scores",
        "gamma",
        "threshold",
        "protect",
        "weights",
        "expected_share",
    ])?;
    let classes = match section.get("classes") {
        None => Classes::of(data).map_err(|problem| section.error(problem))?,
        Some(entry) => Classes::listed(entry.texts()?).map_err(|problem| entry.error(problem))?,
    };
    let queries = section.get("queries").ok_or_else(|| section.missing("queries", "1000"))?;
    let protect = [("rows", Protect::Rows), ("labels", Protect::Labels)];
    let share = |key: &'static str, default: f64, allowed: fn(f64) -> bool, range: &'static str| {
        optional_share(section, key, allowed, range).map(|value| value.unwrap_or(default))
    };
    let weights = [("equal", ClassWeights::Equal), ("balanced", ClassWeights::Balanced)];
    let queries = whole(&queries, "queries", 1)?;
    let score_bins = score_bins(section, &classes)?;
    let answer = answer(section, score_bins.is_some())?;
    let threshold =
        optional_share(section, "threshold", |v| v > 0.0 && v < 1.0, "strictly between 0 and 1")?;
    if let (Some(entry), None) = (section.get("threshold"), score_bins) {
        return Err(entry.error(Problem::ThresholdWithoutScores));
    }
    let unstable = section.get("unstable");
    if let (AnswerChoice::All { .. }, Some(entry)) = (answer, &unstable) {
        return Err(entry.error(Problem::UnstableOfAll));
    }
    let learner = learner(section)?;
    let lambda =
        optional_share(section, "lambda", |v| v > 0.0 && v <= 1.0, "above 0 and at most 1")?;
    if let (Some(entry), false) = (section.get("lambda"), learner == LearnerChoice::Logistic) {
        return Err(entry.error(Problem::LambdaOfWhat));
    }
    Ok(VoteSettings {
        learner,
        lambda,
        chunks: chunks(section)?,
        queries,
        answer,
        unstable: unstable
            .map_or(Ok(VoteSettings::usual_unstable(queries as u64) as usize), |entry| {
                whole(&entry, "unstable", 1)
            })?,
        agreement: share(
            "agreement",
            answer.usual_agreement(),
            |v| v > 0.5 && v <= 1.0,
            "above 0.5 and at most 1",
        )?,
        miss: match answer {
            AnswerChoice::Sure => share(
                "miss",
                VoteSettings::USUAL_MISS,
                |v| v > 0.0 && v < 1.0,
                "strictly between 0 and 1",
            )?,
            AnswerChoice::All { .. } => share(
                "miss",
                VoteSettings::USUAL_MISS,
                |v| v > 0.0 && v < 0.5,
                "above 0 and below 0.5",
            )?,
        },
        score_bins,
        threshold,
        classes,
        protect: choice(section, "protect", &protect)?.unwrap_or_default(),
        weights: choice(section, "weights", &weights)?.unwrap_or_default(),
        expected_share: optional_share(
            section,
            "expected_share",
            |v| v > 0.0 && v <= 0.5,
            "above 0 and at most 0.5",
        )?,
    })
}

fn answer(section: &Section<'_>, scores: bool) -> Result<AnswerChoice, Error> {
    let all = choice(section, "answer", &[("sure", false), ("all", true)])?.unwrap_or(false);
    let confidence =
        optional_share(section, "confidence", |v| v > 0.5 && v < 1.0, "above 0.5 and below 1")?;
    match (all, confidence) {
        (_, Some(_)) if scores || !all => {
            let entry = section.get("confidence").expect("it was just read");
            Err(entry.error(Problem::ConfidenceOfWhat))
        }
        (true, confidence) => Ok(AnswerChoice::All { confidence }),
        (false, _) => Ok(AnswerChoice::Sure),
    }
}

fn optional_share(
    section: &Section<'_>,
    key: &'static str,
    allowed: fn(f64) -> bool,
    range: &'static str,
) -> Result<Option<f64>, Error> {
    let Some(entry) = section.get(key) else { return Ok(None) };
    match entry.number()? {
        value if allowed(value) => Ok(Some(value)),
        value => Err(entry.error(Problem::OutOfRange { key, range, value })),
    }
}

fn chunks(section: &Section<'_>) -> Result<Option<usize>, Error> {
    let Some(entry) = section.get("chunks") else { return Ok(None) };
    match entry.value.as_str() {
        Some("auto") => Ok(None),
        Some(_) => Err(entry.wrong_type("a whole number from 2 on, or \"auto\"")),
        None => whole(&entry, "chunks", 2).map(Some),
    }
}

/// A whole number, small enough to be counted in memory.
pub(super) fn whole(entry: &Entry<'_>, key: &'static str, least: u32) -> Result<usize, Error> {
    match entry.number()? {
        value if (f64::from(least)..=1e9).contains(&value) && value.fract() == 0.0 => {
            Ok(value as usize)
        }
        value => Err(entry.error(Problem::NotWhole { key, least, value })),
    }
}

/// How many bins of width γ there are in [0, 1], if scores are asked for.
fn score_bins(section: &Section<'_>, classes: &Classes) -> Result<Option<u32>, Error> {
    let scores = match section.get("scores") {
        None => false,
        Some(entry) => entry.value.as_bool().ok_or_else(|| entry.wrong_type("true or false"))?,
    };
    match (scores, section.get("gamma")) {
        (false, None) => Ok(None),
        (false, Some(gamma)) => Err(gamma.error(Problem::GammaWithoutScores)),
        (true, _) if classes.count() != 2 => {
            let entry = section.get("scores").expect("scores are asked for by this key");
            Err(entry.error(Problem::ScoresOfManyClasses))
        }
        (true, None) => Ok(Some(VoteSettings::USUAL_BINS)),
        (true, Some(entry)) => {
            let bins = Bins::of_width(entry.number()?);
            bins.map(|bins| Some(bins.count()))
                .map_err(|error| entry.error(Problem::BadGamma(error)))
        }
    }
}
