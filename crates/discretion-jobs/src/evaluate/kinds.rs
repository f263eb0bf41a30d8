//! Two classes, several classes or a number: what is counted of each, from its plan to its figures.

use super::held_out_rows::unreadable;
use super::scorer::Scorer;
use super::{Groups, LEVEL, explain};
use discretion::Refusal;
use discretion::erm::{AskOracle, Oracle};
use discretion::loss::Huber;
use discretion::noise::{Noise, Released};
use discretion::privacy::account::Event;
use discretion::privacy::{Budget, Unit};
use discretion::quality::classes::{
    ClassCounts, ClassFigures, ClassPlan, ClassQuality, GroupFigures,
};
use discretion::quality::numbers::{NumberFigures, NumberPlan, NumberQuality, NumberSums};
use discretion::quality::{
    AnyTally, Counting, Figures, Meaning, Quality, QualityError, QualityPlan, ScoreCounts,
};
use discretion_formats::{
    ClassQualityFacts, GroupClassQuality, GroupNumberQuality, GroupQuality, ModelQuality,
    NumberQualityFacts, QualityFacts,
};
use discretion_report::numbers::plain::{count, short};
use discretion_table::Schema;

/// Where scores or residuals are to be expected: from a released model, or before there is one.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Expected {
    Two((f64, f64)),
    Several(Vec<(f64, f64)>),
    Number { deviation: f64, mean: f64, predictions_alone: bool },
}

/// Every public number of an evaluation.
#[derive(Clone, Debug, PartialEq)]
pub enum EvaluationPlan {
    /// Of a model of two classes.
    Two(QualityPlan),
    /// Of several classes.
    Several(ClassPlan),
    /// Of a number.
    Number(NumberPlan),
}

/// What an evaluation releases.
#[derive(Clone, Debug, PartialEq)]
pub enum Counted {
    /// Scores of two classes.
    Two(ScoreCounts),
    /// Scores and calls of several.
    Several(ClassCounts),
    /// Residuals of a number.
    Number(NumberSums),
}

impl Expected {
    /// Before a model is known: what it says does not change what an evaluation costs.
    pub fn of_any_model(schema: &Schema, predictions_alone: bool) -> Expected {
        let labels = &schema.target().labels;
        match labels.several() {
            Some(classes) => Expected::Several(vec![(-1.0, 1.0); classes]),
            None if schema.outcome_scale().is_some() => {
                Expected::Number { deviation: Huber::WIDTH, mean: 0.0, predictions_alone }
            }
            None => Expected::Two((-1.0, 1.0)),
        }
    }

    pub fn plan(
        &self,
        rows: usize,
        budget: Budget,
        groups: usize,
    ) -> Result<EvaluationPlan, QualityError> {
        Ok(match self {
            &Expected::Two((low, high)) => {
                EvaluationPlan::Two(Quality { budget, groups, low, high }.plan(rows)?)
            }
            Expected::Several(ranges) => {
                let wanted = ClassQuality { budget, groups, ranges: ranges.clone() };
                EvaluationPlan::Several(wanted.plan(rows)?)
            }
            &Expected::Number { deviation, mean, predictions_alone } => {
                let wanted = NumberQuality { budget, groups, deviation, mean, predictions_alone };
                EvaluationPlan::Number(wanted.plan(rows)?)
            }
        })
    }
}

impl EvaluationPlan {
    /// The public number of rows.
    pub fn rows(&self) -> usize {
        match self {
            EvaluationPlan::Two(plan) => plan.rows(),
            EvaluationPlan::Several(plan) => plan.rows(),
            EvaluationPlan::Number(plan) => plan.rows(),
        }
    }

    /// What it may spend.
    pub fn budget(&self) -> Budget {
        match self {
            EvaluationPlan::Two(plan) => plan.budget(),
            EvaluationPlan::Several(plan) => plan.budget(),
            EvaluationPlan::Number(plan) => plan.budget(),
        }
    }

    /// What it does to the table, for an account.
    pub fn event(&self) -> Event {
        match self {
            EvaluationPlan::Two(plan) => plan.event(),
            EvaluationPlan::Several(plan) => plan.event(),
            EvaluationPlan::Number(plan) => plan.event(),
        }
    }

    /// Half the width of the interval that [`EvaluationPlan::notes`] tells of.
    pub(super) fn half_width(&self) -> f64 {
        match self {
            EvaluationPlan::Two(plan) => plan.expected_half_width()[1].unwrap_or(f64::INFINITY),
            EvaluationPlan::Several(plan) => plan.expected_half_width()[1].unwrap_or(f64::INFINITY),
            EvaluationPlan::Number(plan) if plan.predictions_alone() => {
                plan.expected_of_residuals()[1]
            }
            EvaluationPlan::Number(plan) => plan.expected_half_width()[1],
        }
    }

    /// How exact it will be, a sentence each.
    pub(crate) fn notes(&self, unit: Unit) -> Vec<String> {
        let counted = format!("{} {} for evaluation", count(self.rows()), unit.plural());
        let said = |half: Option<f64>| half.map_or("more than 0.5".to_owned(), short);
        match self {
            EvaluationPlan::Two(plan) => {
                let [sampling, all] = plan.expected_half_width().map(said);
                let exact = format!(
                    "{counted}: an AUC of 0.8 would come out to ±{all} (±{sampling} from sampling alone), if a quarter of them is \
                     positive"
                );
                [exact].into_iter().chain(small_groups(plan)).collect()
            }
            EvaluationPlan::Several(plan) => {
                let [sampling, all] = plan.expected_half_width().map(said);
                vec![format!(
                    "{counted}: the AUC of a class against the others, 0.8, would come out to ±{all} (±{sampling} from sampling \
                     alone), if all {} are equally frequent",
                    plan.classes()
                )]
            }
            EvaluationPlan::Number(plan) if plan.predictions_alone() => {
                let [sampling, all] = plan.expected_of_residuals().map(|part| short(100.0 * part));
                vec![format!(
                    "{counted}: the root mean square of residuals would come out to ±{all} % (±{sampling} % from sampling alone), if it \
                     is a tenth of the declared range"
                )]
            }
            EvaluationPlan::Number(plan) => {
                let [sampling, all] = plan.expected_half_width().map(short);
                vec![format!(
                    "{counted}: an R² of one half would come out to ±{all} (±{sampling} from sampling alone), if the deviation of \
                     outcomes is an eighth of their declared range"
                )]
            }
        }
    }

    /// What is counted of rows.
    fn counting(&self, scorer: &Scorer) -> Counting {
        match self {
            EvaluationPlan::Two(plan) => Counting::Two(plan.grid().clone()),
            EvaluationPlan::Several(plan) => Counting::Several(plan.grids()),
            EvaluationPlan::Number(plan) => {
                Counting::Number { scale: plan.scale(), residual: scorer.residual() }
            }
        }
    }

    /// Counts rows, of which each unit has one, and releases. `spend` is where the budget was
    /// written.
    pub(super) fn run(
        &self,
        (scorer, groups): (&Scorer, &Groups),
        rows: &dyn Oracle,
        noise: &mut Noise,
        spend: &str,
    ) -> Result<Released<Counted>, Refusal> {
        let scoring = scorer.scoring(self.counting(scorer), groups);
        let tally = rows.scores(&scoring).map_err(unreadable)?;
        let counted = match (self, &tally) {
            (EvaluationPlan::Two(plan), AnyTally::Two(tally)) => {
                plan.run(tally, noise).map(|counts| counts.map(Counted::Two))
            }
            (EvaluationPlan::Several(plan), AnyTally::Several(tally)) => {
                plan.run(tally, noise).map(|counts| counts.map(Counted::Several))
            }
            (EvaluationPlan::Number(plan), AnyTally::Number(tally)) => {
                plan.run(tally, noise).map(|sums| sums.map(Counted::Number))
            }
            _ => unreachable!("rows are scored by the model that is evaluated"),
        };
        counted.map_err(|error| explain(error, spend))
    }
}

/// A sentence where groups of average size will say little.
fn small_groups(plan: &QualityPlan) -> Option<String> {
    if plan.groups() == 1 {
        return None;
    }
    match plan.expected_in_a_group()[1] {
        Some(half) if half <= 0.1 => {
            Some(format!("a group of average size would have its AUC to ±{}", short(half)))
        }
        _ => Some("groups of average size are too small to say much about each".to_owned()),
    }
}

/// What was released says, for a file.
pub(super) fn facts(
    counted: &Counted,
    schema: &Schema,
    meaning: Meaning,
    groups: &Groups,
    unit: Unit,
) -> ModelQuality {
    let by = groups.column().map(str::to_owned);
    let named = || groups.names().iter().cloned().enumerate();
    let warn = |says_something: bool| {
        (!says_something).then(|| {
            format!(
                "so few {}, by the released counts, that these figures say next to nothing",
                unit.plural()
            )
        })
    };
    match counted {
        Counted::Two(counts) => {
            let group = |(index, value): (usize, String)| {
                let figures = Figures::of_group(counts, index, meaning, LEVEL);
                GroupQuality { value, warning: warn(figures.say_something()), figures }
            };
            ModelQuality::Two(QualityFacts {
                rows: counts.rows,
                level: LEVEL,
                meaning,
                figures: Figures::of_all(counts, meaning, LEVEL),
                by,
                groups: named().map(group).collect(),
                counts: counts.clone(),
            })
        }
        Counted::Several(counts) => {
            let group = |(index, value): (usize, String)| {
                let figures = GroupFigures::of(counts, index, LEVEL);
                GroupClassQuality { value, warning: warn(figures.say_something()), figures }
            };
            ModelQuality::Several(ClassQualityFacts {
                rows: counts.rows,
                level: LEVEL,
                classes: schema.target().labels.names(),
                figures: ClassFigures::of_all(counts, LEVEL),
                by,
                groups: named().map(group).collect(),
                counts: counts.clone(),
            })
        }
        Counted::Number(sums) => {
            let scale = schema.outcome_scale().expect("the outcome is a number");
            let group = |(index, value): (usize, String)| {
                let figures = NumberFigures::of_group(sums, index, LEVEL).stretched(scale.unit());
                GroupNumberQuality { value, warning: warn(figures.say_something()), figures }
            };
            ModelQuality::Number(NumberQualityFacts {
                rows: sums.rows,
                level: LEVEL,
                of: scale.name(&schema.target().column),
                clipped_at: scale.unit() * sums.scale.clip(),
                figures: NumberFigures::of_all(sums, LEVEL).stretched(scale.unit()),
                by,
                groups: named().map(group).collect(),
                sums: sums.clone(),
            })
        }
    }
}

/// Where scores of a model of two classes are to be expected.
pub(crate) fn expected_range(scorer: &Scorer) -> (f64, f64) {
    match scorer.expected() {
        Expected::Two(range) => range,
        Expected::Several(_) | Expected::Number { .. } => unreachable!("a model of two classes"),
    }
}

/// What counts of two classes say, for a file.
pub(crate) fn counted_facts(
    counts: &ScoreCounts,
    scorer: &Scorer,
    schema: &Schema,
    groups: &Groups,
    unit: Unit,
) -> ModelQuality {
    facts(&Counted::Two(counts.clone()), schema, scorer.meaning(), groups, unit)
}
