//! `[vote]`: private answers from the votes of many models.

use super::document::Section;
use super::learner::{LearnerChoice, learner};
use super::settings::Range;
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
    section.refuse_unknown()?;
    let classes = match section.get("classes") {
        None => Classes::of(data).map_err(|problem| section.error(problem))?,
        Some(entry) => Classes::listed(entry.texts()?).map_err(|problem| entry.error(problem))?,
    };
    let queries = section.required("queries")?.whole()?;
    let score_bins = score_bins(section, &classes)?;
    let answer = answer(section, score_bins.is_some())?;
    let threshold = section.number("threshold")?;
    if let (Some(entry), None) = (section.get("threshold"), score_bins) {
        return Err(entry.error(Problem::ThresholdWithoutScores));
    }
    let unstable = section.get("unstable");
    if let (AnswerChoice::All { .. }, Some(entry)) = (answer, &unstable) {
        return Err(entry.error(Problem::UnstableOfAll));
    }
    let learner = learner(section)?;
    let lambda = section.number("lambda")?;
    if let (Some(entry), false) = (section.get("lambda"), learner == LearnerChoice::Logistic) {
        return Err(entry.error(Problem::LambdaOfWhat));
    }
    let miss = section.number("miss")?.expect("it has a default");
    if let (AnswerChoice::All { .. }, Some(entry)) = (answer, section.get("miss")) {
        entry.within("miss", Range::between(0.0, 0.5), miss)?;
    }
    Ok(VoteSettings {
        learner,
        lambda,
        chunks: chunks(section)?,
        queries,
        answer,
        unstable: match unstable {
            Some(entry) => entry.whole()?,
            None => VoteSettings::usual_unstable(queries as u64) as usize,
        },
        agreement: section.number("agreement")?.unwrap_or(answer.usual_agreement()),
        miss,
        score_bins,
        threshold,
        classes,
        protect: match section.word("protect")? {
            Some("labels") => Protect::Labels,
            _ => Protect::Rows,
        },
        weights: match section.word("weights")? {
            Some("balanced") => ClassWeights::Balanced,
            _ => ClassWeights::Equal,
        },
        expected_share: section.number("expected_share")?,
    })
}

fn answer(section: &Section<'_>, scores: bool) -> Result<AnswerChoice, Error> {
    let all = section.word("answer")? == Some("all");
    let confidence = section.number("confidence")?;
    match (all, confidence) {
        (_, Some(_)) if scores || !all => {
            let entry = section.get("confidence").expect("it was just read");
            Err(entry.error(Problem::ConfidenceOfWhat))
        }
        (true, confidence) => Ok(AnswerChoice::All { confidence }),
        (false, _) => Ok(AnswerChoice::Sure),
    }
}

fn chunks(section: &Section<'_>) -> Result<Option<usize>, Error> {
    let Some(entry) = section.get("chunks") else { return Ok(None) };
    match entry.value.as_str() {
        Some("auto") => Ok(None),
        Some(_) => Err(entry.wrong_type("a whole number from 2 on, or \"auto\"")),
        None => entry.whole().map(Some),
    }
}

/// How many bins of width γ there are in [0, 1], if scores are asked for.
fn score_bins(section: &Section<'_>, classes: &Classes) -> Result<Option<u32>, Error> {
    match (section.flag("scores")?, section.get("gamma")) {
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
