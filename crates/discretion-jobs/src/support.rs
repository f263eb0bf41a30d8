//! What goes with what: [`SUPPORT`] lists every pair and triple of features that is refused.
//!
//! Each entry (the command line, Python, the page, a cluster, several holders) derives the features
//! of a study with [`features_of`], or of a job with [`Features::of_fit`] and
//! [`Features::of_number`], and asks [`check`] before it reads anything. So does every plan of a
//! fit, without which nothing is charged. `tests/support.rs` runs
//! every pair and writes `docs/supports.md` from the table.

use crate::fit::FitJob;
use crate::number::{NumberJob, loss};
use discretion::Refusal;
use discretion::erm::matrix::Norm;
use discretion::loss::{LossKind, Score};
use discretion::privacy::{Budget, Unit};
use discretion::train::Method;
use discretion::tune::TuningRule;
use discretion_table::{
    AnswerChoice, Chosen, Cohort, EvaluateSettings, IntervalSettings, Knots, Lambda, NumberLoss,
    Protect, Schema, Study, TuneSettings,
};
use std::fmt::Display;

/// A public property of a run that decides whether the run is possible. Nothing in it comes from
/// rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feature {
    // What is computed.
    /// A model of two classes, by logistic regression.
    TwoClasses,
    /// A model of two classes, by the hinge loss.
    Hinge,
    /// A model of more than two classes.
    SeveralClasses,
    /// Any model of an outcome that is a number. It comes with one of the next two.
    Number,
    /// A number by least squares.
    Squares,
    /// A number by Huber's loss, or by `loss = "auto"`, which may take it.
    Huber,
    /// A density of some columns.
    Density,
    /// Answers by a vote.
    Vote,
    /// A vote that answers queries whose winner is clear.
    SureAnswers,
    /// A vote that answers every query.
    AllAnswers,
    /// The evaluation of a model on a table of its own.
    Evaluation,

    // Where rows are.
    /// In a file, within a limit on memory.
    File,
    /// On Spark or Dask.
    Cluster,
    /// In Python's memory.
    Python,
    /// With several holders.
    Holders,

    // Whose they are, and which count.
    /// The guarantee is about persons.
    Persons,
    /// Some rows do not count, or not as one. It comes with one of the next two.
    NotEverybody,
    /// Rows that are left out.
    LeftOut,
    /// Rows with weights.
    Weights,
    /// Several outcomes, all of them numbers.
    SeveralOutcomes,

    // What pays.
    /// ε alone.
    Pure,
    /// ε and δ.
    Approximate,
    /// ρ.
    Zcdp,

    // How a model is trained.
    /// Output perturbation by name.
    Output,
    /// Objective perturbation by name.
    Objective,
    /// A choice of λ from a list.
    LambdaList,
    /// A choice by noisy score.
    ByScore,
    /// A choice by random stopping.
    RandomStopping,
    /// A score that jumps.
    ErrorScore,
    /// Rows that are divided by their own length.
    RowNorm,
    /// A penalty around a released base rate.
    BaseRate,

    // Columns.
    /// A curve with knots that are given.
    Curve,
    /// A curve with as many knots as public numbers say.
    AutoCurve,
    /// A curve whose knots are released.
    PrivateKnots,
    /// Columns that are crossed.
    Cross,

    // What is wanted beside a model.
    /// Confidence intervals.
    Intervals,
    /// Shares of the budget for intervals.
    Split,
    /// Intervals of some columns.
    IntervalColumns,
    /// The class that others are compared with.
    Reference,
    /// Rows that are held out.
    Evaluate,
    /// Groups of them.
    EvaluateBy,
    /// In a vote, only labels are protected.
    ProtectLabels,
    /// Several holders without a Newton step.
    NoStep,
    /// Several holders with a Newton step by name.
    NewtonStep,
}

impl Feature {
    /// Returns how a vote answers.
    pub fn of_answers(answer: AnswerChoice) -> Feature {
        match answer {
            AnswerChoice::Sure => Feature::SureAnswers,
            AnswerChoice::All { .. } => Feature::AllAnswers,
        }
    }
}

/// Features that do not go together, and why.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// Two or three features. A sentence points at the last.
    pub with: &'static [Feature],
    /// The reason.
    pub why: Why,
}

/// Why features do not go together, as a sentence that says what to do. `{}` in it stands for how
/// the study says the last feature of the rule, or where.
#[derive(Clone, Copy, Debug)]
pub enum Why {
    /// No mechanism can do it, or its proof excludes it. Where the proof is, it is refused too.
    Mathematics {
        /// What to do.
        sentence: &'static str,
        /// The proof's file.
        proof: &'static str,
    },
    /// Nobody has built it. It is refused here alone.
    NotYet(&'static str),
}

impl Why {
    /// The sentence.
    pub fn sentence(&self) -> &'static str {
        match self {
            Why::Mathematics { sentence, .. } | Why::NotYet(sentence) => sentence,
        }
    }
}

macro_rules! counts_every_row {
    ($what:literal) => {
        Why::NotYet(concat!(
            $what,
            " counts every row the same, and this study leaves rows out or weighs them (`where`, `missing_outcome` or `weight`); \
             nothing was charged"
        ))
    };
}

macro_rules! no_base_rate {
    ($place:literal, $with:literal) => {
        Why::NotYet(concat!(
            $place,
            "`base_rate = \"private\"` does not go with ",
            $with,
            " yet; leave one of them out"
        ))
    };
}

const AVERAGES_CLASSES: Why = Why::Mathematics {
    sentence: "{}: several holders average models of several classes, and nothing follows the average: leave [intervals], [evaluate] and \
               `step = \"newton\"` out, or make two classes of them with `positive`",
    proof: "crates/discretion-linear/src/joint/PROOF.md",
};

const SUMS_SERVE_ALL: Why = Why::Mathematics {
    sentence: "{}: the outcome is a number, and its intervals cost nothing, so every column has them: leave out `columns` and `split` \
               in [intervals]",
    proof: "crates/discretion-linear/src/squares/PROOF.md",
};

const NO_STABILITY: &str = "{}: the score \"error\" jumps from 0 to 1 as a margin crosses 0, so one training row can change it by any amount and no \
     rule that rests on stability can use it; take \"brier\", \"ramp\", \"logistic\" or \"hinge\", or rule = \"random-stopping\", \
     which needs no stability";

/// Everything that does not go together. What is first refuses first.
pub const SUPPORT: &[Rule] = {
    use Feature::*;
    &[
        // Rows that are elsewhere.
        Rule { with: &[NotEverybody, Cluster], why: counts_every_row!("a cluster") },
        Rule {
            with: &[Persons, AutoCurve, Cluster],
            why: Why::NotYet(
                "curve=\"auto\" needs the number of persons, which a cluster learns too late; give a number of knots, such as curve=8",
            ),
        },
        Rule { with: &[BaseRate, Holders], why: no_base_rate!("{}: ", "several holders") },
        Rule {
            with: &[Number, Holders],
            why: Why::NotYet(
                "{}: the outcome is a number, and holders cannot fit a number together yet; make two classes of it with \
                 `positive = { above = … }`",
            ),
        },
        Rule {
            with: &[Weights, Holders],
            why: Why::NotYet("{}: several holders cannot weigh rows yet; remove `weight`"),
        },
        Rule {
            with: &[Holders, PrivateKnots],
            why: Why::NotYet(
                "{}, which several holders do not know yet; give a number of knots (curve = 8) or a list of them",
            ),
        },
        Rule {
            with: &[LambdaList, Holders],
            why: Why::NotYet(
                "{}: several holders cannot choose `lambda` from a list; write one number, or \"auto\"",
            ),
        },
        Rule {
            with: &[Intervals, NoStep, Holders],
            why: Why::Mathematics {
                sentence: "{}: intervals of a joint model need the Newton step; remove [intervals], or `step = \"none\"`",
                proof: "crates/discretion-linear/src/joint/PROOF.md",
            },
        },
        Rule { with: &[SeveralClasses, Intervals, Holders], why: AVERAGES_CLASSES },
        Rule { with: &[SeveralClasses, Evaluate, Holders], why: AVERAGES_CLASSES },
        Rule { with: &[SeveralClasses, NewtonStep, Holders], why: AVERAGES_CLASSES },
        // What is no fit.
        Rule { with: &[NotEverybody, Density], why: counts_every_row!("{}: a density") },
        Rule {
            with: &[Density, Persons, Python],
            why: Why::NotYet(
                "a density cannot give a guarantee about a person yet, and this schema asks for one (person=)",
            ),
        },
        Rule { with: &[NotEverybody, Evaluation], why: counts_every_row!("{}: an evaluation") },
        Rule {
            with: &[Evaluation, SeveralOutcomes],
            why: Why::NotYet(
                "an evaluation takes one outcome, and there are {}; keep one of them in `outcome`",
            ),
        },
        Rule { with: &[NotEverybody, Vote], why: counts_every_row!("{}: a vote") },
        Rule { with: &[Vote, BaseRate], why: no_base_rate!("{}: ", "[vote]") },
        Rule {
            with: &[Vote, AutoCurve],
            why: Why::NotYet(
                "{}, which is not known here; give a number of knots (curve = 8) or a list of them",
            ),
        },
        Rule {
            with: &[Vote, PrivateKnots],
            why: Why::NotYet(
                "{}, which is not known here; give a number of knots (curve = 8) or a list of them",
            ),
        },
        Rule {
            with: &[SureAnswers, Pure],
            why: Why::Mathematics { sentence: SURE_NEEDS_DELTA, proof: VOTES },
        },
        Rule {
            with: &[SureAnswers, Zcdp],
            why: Why::Mathematics { sentence: SURE_NEEDS_DELTA, proof: VOTES },
        },
        Rule {
            with: &[AllAnswers, Pure],
            why: Why::Mathematics {
                sentence: "answers to every query need an epsilon and a delta, or a rho, because each of many has Gaussian noise; the \
                           budget is {}; write for example epsilon = 1 and delta = 1e-6",
                proof: VOTES,
            },
        },
        Rule {
            with: &[Persons, ProtectLabels],
            why: Why::Mathematics {
                sentence: "{}: `protect = \"labels\"` is about the label of one row, and `person` in [data] about all rows of a person; \
                           leave one of them out",
                proof: VOTES,
            },
        },
        // Numbers.
        Rule {
            with: &[Number, BaseRate],
            why: no_base_rate!("{}: ", "an outcome that is a number"),
        },
        Rule {
            with: &[LambdaList, Squares],
            why: Why::Mathematics {
                sentence: "{}: the outcome is a number, and no lambda has to be chosen from a list: one release serves every lambda; \
                           write one number, or \"auto\"",
                proof: "crates/discretion-linear/src/squares/PROOF.md",
            },
        },
        Rule {
            with: &[LambdaList, Huber],
            why: Why::NotYet(
                "{}: the outcome is a number, and a lambda cannot be chosen from a list yet; write one number, or \"auto\"",
            ),
        },
        Rule {
            with: &[NotEverybody, Number],
            why: counts_every_row!("{}: an outcome that is a number"),
        },
        Rule {
            with: &[Intervals, Huber],
            why: Why::NotYet(
                "{}: the outcome is a number, and intervals come from the sums of least squares; leave intervals out, or write \
                 loss = \"squares\"",
            ),
        },
        Rule { with: &[IntervalColumns, Squares], why: SUMS_SERVE_ALL },
        Rule { with: &[Split, Squares], why: SUMS_SERVE_ALL },
        Rule {
            with: &[RowNorm, Number],
            why: Why::Mathematics {
                sentence: "{}: the outcome is a number, and needs columns that are scaled by constants; leave out norm = \"row\" in \
                           [model]",
                proof: "crates/discretion-linear/src/squares/PROOF.md",
            },
        },
        Rule {
            with: &[Huber, SeveralOutcomes],
            why: Why::NotYet(
                "Huber's loss takes one outcome, and there are {}; keep one of them in `outcome`",
            ),
        },
        Rule {
            with: &[Evaluate, SeveralOutcomes],
            why: Why::NotYet(
                "an evaluation takes one outcome, and there are {}; keep one of them in `outcome`",
            ),
        },
        // Several classes.
        Rule {
            with: &[SeveralClasses, Split],
            why: Why::NotYet(
                "split in [intervals] does not know several classes yet; leave it out, or make two of them with `positive` in [data]",
            ),
        },
        Rule {
            with: &[SeveralClasses, Intervals, LambdaList],
            why: Why::NotYet(
                "{}: a list of lambda beside [intervals] does not know several classes yet; leave it out, or make two classes of them \
                 with `positive`",
            ),
        },
        // A base rate.
        Rule { with: &[BaseRate, SeveralClasses], why: no_base_rate!("", "several classes") },
        Rule { with: &[BaseRate, Hinge], why: no_base_rate!("", "a loss that is not logistic") },
        Rule { with: &[BaseRate, Output], why: no_base_rate!("", "method = \"output\"") },
        Rule { with: &[BaseRate, LambdaList], why: no_base_rate!("", "a list of lambda") },
        Rule { with: &[BaseRate, Intervals], why: no_base_rate!("", "[intervals]") },
        Rule { with: &[BaseRate, RowNorm], why: no_base_rate!("", "norm = \"row\"") },
        Rule {
            with: &[BaseRate, NotEverybody],
            why: no_base_rate!("", "a cohort or weights in [data]"),
        },
        // The rest.
        Rule {
            with: &[Weights, LambdaList],
            why: Why::NotYet(
                "{}: lambda cannot be chosen from a list where rows have weights; write one number, or \"auto\"",
            ),
        },
        Rule {
            with: &[ErrorScore, ByScore],
            why: Why::Mathematics {
                sentence: NO_STABILITY,
                proof: "crates/discretion-linear/src/tune/PROOF.md",
            },
        },
        Rule { with: &[Evaluate, NotEverybody], why: counts_every_row!("[evaluate]") },
    ]
};

const VOTES: &str = "crates/discretion-vote/src/PROOF.md";

const SURE_NEEDS_DELTA: &str = "voting needs an epsilon and a delta, because an unstable answer slips through with some small probability; the budget is \
     {}; write for example epsilon = 1 and delta = 1e-6";

/// Refuses features that do not go together: the one check of [`SUPPORT`].
pub fn check(features: &Features) -> Result<(), Refusal> {
    let refuses = |rule: &&Rule| rule.with.iter().all(|feature| features.has(*feature));
    match SUPPORT.iter().find(refuses) {
        None => Ok(()),
        Some(rule) => {
            let last = *rule.with.last().expect("a rule has features");
            Err(Refusal::bad_input(rule.why.sentence().replace("{}", features.said(last))))
        }
    }
}

/// The features of a run, each with how the study says it, or where.
#[derive(Clone, Debug)]
pub struct Features(Vec<(Feature, String)>);

/// Returns the features of what a study asks for. `also` is what its file does not say: what is
/// computed, if that is no fit, and where the rows are.
pub fn features_of(study: &Study, also: &[Feature]) -> Features {
    let Study { schema, spend, vote, places, .. } = study;
    let file = study.path.display();
    let others = [Feature::Density, Feature::Vote, Feature::Evaluation];
    let is_fit = !others.iter().any(|other| also.contains(other));
    let features = match (is_fit, schema.outcome_scale()) {
        (true, None) => Features::of_fit(&FitJob::of(study)).held_out(study.evaluate.as_ref()),
        (true, Some(_)) => Features::of_table(schema, schema.unit(), *spend)
            .of_number_loss(loss::asked(study), &file)
            .of_training(study.model.method, &study.model.lambda, &study.tune, &places.lambda)
            .of_intervals(study.intervals.as_ref())
            .held_out(study.evaluate.as_ref()),
        (false, _) => Features::of_table(schema, schema.unit(), *spend),
    };
    let base_rate_at = places.base_rate.as_ref().map_or(file.to_string(), ToString::to_string);
    let is_vote = also.contains(&Feature::Vote);
    let protects_labels = vote.as_ref().is_some_and(|vote| vote.protect == Protect::Labels);
    let features = features
        .and_if((is_fit || is_vote) && study.base_rate, Feature::BaseRate, base_rate_at)
        .and_if(is_vote && protects_labels, Feature::ProtectLabels, &file);
    also.iter().fold(features, |features, also| features.and(*also, &file))
}

impl Features {
    /// Of a model of classes, without rows that are held out.
    pub fn of_fit(job: &FitJob) -> Features {
        let labels = &job.schema.target().labels;
        let classes = match (labels.several(), job.model.loss) {
            (Some(_), _) => Feature::SeveralClasses,
            (None, LossKind::Logistic) => Feature::TwoClasses,
            (None, _) => Feature::Hinge,
        };
        Features::of_table(&job.schema, job.unit, job.spend)
            .and(classes, "")
            .of_training(job.model.method, &job.model.lambda, &job.tune, &job.lambda_at)
            .of_intervals(job.intervals.as_ref())
            .and_if(job.base_rate, Feature::BaseRate, "")
    }

    /// Of a model of a number, without rows that are held out.
    pub fn of_number(job: &NumberJob) -> Features {
        let lambda = job.lambda.map_or(Lambda::Auto, Lambda::Fixed);
        Features::of_table(&job.schema, job.unit, job.spend)
            .of_number_loss(job.loss, &job.lambda_at)
            .of_training(job.method, &lambda, &TuneSettings::default(), &job.lambda_at)
    }

    /// Of rows: whose they are, and which of them count.
    pub fn of_rows(unit: Unit, cohort: &Cohort) -> Features {
        let leaves_out = cohort.known_outcome || !cohort.conditions.is_empty();
        Features(Vec::new())
            .and_if(unit == Unit::Person, Feature::Persons, "")
            .and_if(!cohort.is_everybody(), Feature::NotEverybody, "")
            .and_if(leaves_out, Feature::LeftOut, "")
            .and_if(cohort.weight.is_some(), Feature::Weights, "")
    }

    /// Of rows and their columns.
    pub fn of_schema(schema: &Schema, unit: Unit) -> Features {
        let outcomes = schema.outcomes().count();
        let features = Features::of_rows(unit, schema.cohort())
            .and_if(outcomes > 1, Feature::SeveralOutcomes, outcomes)
            .and_if(schema.norm() == Norm::Row, Feature::RowNorm, "")
            .and_if(!schema.crosses().is_empty(), Feature::Cross, "");
        schema.columns().iter().fold(features, |features, column| {
            let (feature, knots) = match column.curve.as_ref().map(|curve| &curve.knots) {
                None => return features,
                Some(Knots::Even(_) | Knots::At(_)) => (Feature::Curve, "a curve"),
                Some(Knots::Chosen(Chosen::Auto)) => (Feature::AutoCurve, "curve = \"auto\""),
                Some(Knots::Chosen(Chosen::Private { .. })) => {
                    (Feature::PrivateKnots, "knots = \"private\"")
                }
            };
            features.and(feature, format_args!("column `{}` has {knots}", column.name))
        })
    }

    /// Adds a feature, with how the study says it, or where.
    pub fn and(mut self, feature: Feature, said: impl Display) -> Features {
        if !self.has(feature) {
            self.0.push((feature, said.to_string()));
        }
        self
    }

    /// Adds rows that are held out, if they are.
    pub fn held_out(self, evaluate: Option<&EvaluateSettings>) -> Features {
        let has_groups = evaluate.is_some_and(|settings| settings.by.is_some());
        self.and_if(evaluate.is_some(), Feature::Evaluate, "").and_if(
            has_groups,
            Feature::EvaluateBy,
            "",
        )
    }

    /// Returns true if the run has this feature.
    pub fn has(&self, feature: Feature) -> bool {
        self.0.iter().any(|(has, _)| *has == feature)
    }

    fn said(&self, feature: Feature) -> &str {
        self.0.iter().find(|(has, _)| *has == feature).map_or("", |(_, said)| said)
    }

    fn and_if(self, is_so: bool, feature: Feature, said: impl Display) -> Features {
        if is_so { self.and(feature, said) } else { self }
    }

    fn of_table(schema: &Schema, unit: Unit, budget: Budget) -> Features {
        let pays = match budget {
            Budget::Pure { .. } => Feature::Pure,
            Budget::Approximate { .. } => Feature::Approximate,
            Budget::Zcdp { .. } => Feature::Zcdp,
        };
        Features::of_schema(schema, unit).and(pays, budget)
    }

    /// Where nobody chose a loss it may be Huber's.
    fn of_number_loss(self, loss: Option<NumberLoss>, said: &dyn Display) -> Features {
        let is_squares = loss == Some(NumberLoss::Squares);
        let loss = if is_squares { Feature::Squares } else { Feature::Huber };
        self.and(Feature::Number, said).and(loss, said)
    }

    fn of_training(
        self,
        method: Method,
        lambda: &Lambda,
        tune: &TuneSettings,
        lambda_at: &dyn Display,
    ) -> Features {
        let features = self.and_if(method == Method::Output, Feature::Output, "").and_if(
            method == Method::Objective,
            Feature::Objective,
            "",
        );
        if !matches!(lambda, Lambda::Grid(_)) {
            return features;
        }
        let by_score = matches!(tune.rule, TuningRule::Generalised | TuningRule::Uniform);
        features
            .and(Feature::LambdaList, lambda_at)
            .and_if(by_score, Feature::ByScore, lambda_at)
            .and_if(tune.rule == TuningRule::RandomStopping, Feature::RandomStopping, "")
            .and_if(tune.score == Score::Error, Feature::ErrorScore, "")
    }

    fn of_intervals(self, settings: Option<&IntervalSettings>) -> Features {
        let Some(IntervalSettings { split, columns, reference, .. }) = settings else {
            return self;
        };
        self.and(Feature::Intervals, "")
            .and_if(split.is_some(), Feature::Split, "")
            .and_if(columns.is_some(), Feature::IntervalColumns, "")
            .and_if(reference.is_some(), Feature::Reference, "")
    }
}
