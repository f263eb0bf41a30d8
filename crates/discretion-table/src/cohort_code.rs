//! Fields that say whether a row counts, and how much.

use crate::category::CategoryCode;
use crate::cohort::{Accepted, Cohort, CohortProblem, Condition, RowWeight};
use crate::counts::{ColumnCounts, Lost};
use crate::date::{DateReading, Moment};
use crate::encode::Encoder;
use crate::error::Excerpt;
use crate::na::Na;
use crate::problem::Problem;
use crate::read::header::with_conditions;
use crate::read::number::{self, NotNumeric};
use crate::read::{CategoryTally, NumberTally};
use crate::schema::{Schema, trimmed};

impl Encoder {
    /// The same, which also reads which rows count, and how much.
    pub(crate) fn of_cohort(mut self, schema: &Schema) -> Encoder {
        let Cohort { conditions, known_outcome, weight } = schema.cohort();
        self.known_outcome = *known_outcome;
        self.weight = weight.as_ref().and_then(WeightCode::new);
        self.conditions =
            conditions.iter().map(|condition| ConditionCode::new(condition, schema)).collect();
        let fields = self.conditions.iter().map(|condition| condition.field.clone()).collect();
        self.shared =
            with_conditions(&self, fields, self.weight.as_ref().map(|weight| &weight.column));
        self
    }

    /// Whether rows may be left out.
    pub(crate) fn leaves_out(&self) -> bool {
        self.known_outcome || !self.conditions.is_empty()
    }

    /// Whether all that a cohort is told by is read.
    pub(crate) fn reads_cohort(&self) -> bool {
        self.leaves_out() || self.weight.is_some()
    }

    /// The column of weights, whose role was given.
    pub(crate) fn weight_code(&self) -> &WeightCode {
        self.weight.as_ref().expect("a weight's role comes with its column")
    }
}

/// A condition, as the fields of its column are tested. Other numbers than those that are encoded:
/// nothing is clipped or rounded.
pub(crate) struct ConditionCode {
    /// The column of the file.
    pub field: String,
    column: String,
    na: Na,
    test: Test,
}

enum Test {
    Category {
        code: Box<CategoryCode>,
        accepted: Vec<bool>,
    },
    /// Texts of a column that is not declared further.
    Texts(Vec<String>),
    Numbers([Option<f64>; 2]),
    Dates {
        reading: DateReading,
        bounds: [Option<Moment>; 2],
    },
}

impl ConditionCode {
    /// Of a checked schema's condition.
    pub fn new(condition: &Condition, schema: &Schema) -> ConditionCode {
        let column =
            condition.declared(schema).expect("a checked condition is about a declared column");
        let test = match (&condition.is, CategoryCode::new(column)) {
            (Accepted::Values(values), Some(code)) => {
                let is = |declared: &String| {
                    values
                        .iter()
                        .any(|value| trimmed(value.as_bytes()) == trimmed(declared.as_bytes()))
                };
                let accepted = code.declared.iter().map(is).collect();
                Test::Category { code: Box::new(code), accepted }
            }
            (Accepted::Values(values), None) => Test::Texts(values.clone()),
            (Accepted::Numbers(bounds), _) => Test::Numbers(*bounds),
            (Accepted::Dates(bounds), _) => {
                Test::Dates { reading: DateReading::of_part(column), bounds: *bounds }
            }
        };
        let na = Na::new(&column.reading.na);
        ConditionCode { field: column.field().to_owned(), column: column.name.clone(), na, test }
    }

    /// Whether numbers are tested.
    #[cfg(any(feature = "arrow", feature = "sqlite"))]
    pub fn is_of_numbers(&self) -> bool {
        matches!(self.test, Test::Numbers(_))
    }

    /// Whether a number meets it.
    pub fn holds_of(&self, value: f64) -> bool {
        matches!(self.test, Test::Numbers(bounds) if !self.na.has_number(value) && is_between(value, bounds))
    }

    /// Whether a trimmed text meets it. Dates are by ISO 8601 whatever is declared, if `iso`.
    pub fn holds(&self, text: &[u8], decimal: u8, iso: bool) -> Result<bool, Problem> {
        match &self.test {
            Test::Category { code, accepted } => {
                let tally = &mut CategoryTally::default();
                let code = match code.is_part() {
                    true => code.encode_part(text, iso, tally)?,
                    false => code.encode(text, tally)?,
                };
                Ok(accepted.get(usize::from(code)) == Some(&true))
            }
            Test::Texts(values) => Ok(values.iter().any(|value| trimmed(value.as_bytes()) == text)),
            Test::Numbers(_) => match number::parse_with(text, decimal) {
                Ok(value) => Ok(value.is_some_and(|value| self.holds_of(value))),
                Err(_) if self.na.has(text) => Ok(false),
                Err(not) => {
                    let (column, text) = (self.column.clone(), Excerpt::of(text));
                    Err(match not {
                        NotNumeric::Text => Problem::NotANumber { column, text },
                        NotNumeric::Infinite => Problem::NotFinite { column, text },
                    })
                }
            },
            Test::Dates { .. } if text.is_empty() || self.na.has(text) => Ok(false),
            Test::Dates { reading, bounds: [min, max] } => {
                let moment = reading.moment(text, iso)?;
                // A bound without a time of day is the whole day.
                let at = |bound: &Moment| {
                    if bound.has_time() { moment.days() } else { moment.whole_days().into() }
                };
                Ok(min.is_none_or(|min| at(&min) >= min.days())
                    && max.is_none_or(|max| at(&max) <= max.days()))
            }
        }
    }
}

fn is_between(value: f64, [min, max]: [Option<f64>; 2]) -> bool {
    min.is_none_or(|min| value >= min) && max.is_none_or(|max| value <= max)
}

impl RowWeight {
    /// How much a row of this weight counts: from 0 to 1.
    pub fn part(&self, weight: f64) -> f32 {
        part_of(self.max, weight)
    }
}

fn part_of(max: f64, weight: f64) -> f32 {
    (weight.clamp(0.0, max) / max) as f32
}

/// The column of weights, as its fields are read.
pub(crate) struct WeightCode {
    /// The column of the file.
    pub column: String,
    max: f64,
}

impl WeightCode {
    /// Nothing where weights are not in the table.
    pub fn new(weight: &RowWeight) -> Option<WeightCode> {
        weight.column.clone().map(|column| WeightCode { column, max: weight.max })
    }

    /// What a trimmed text weighs, from 0 to 1.
    pub fn weight(
        &self,
        text: &[u8],
        decimal: u8,
        tally: &mut NumberTally,
    ) -> Result<f32, Problem> {
        let (column, excerpt) = (|| self.column.clone(), || Excerpt::of(text));
        match number::parse_with(text, decimal) {
            Ok(value) => self.weight_of(value, tally),
            Err(NotNumeric::Text) => Err(Problem::NotANumber { column: column(), text: excerpt() }),
            Err(NotNumeric::Infinite) => {
                Err(Problem::NotFinite { column: column(), text: excerpt() })
            }
        }
    }

    /// What a number weighs, counted if it is beyond the bounds.
    pub fn weight_of(&self, value: Option<f64>, tally: &mut NumberTally) -> Result<f32, Problem> {
        let Some(value) = value.filter(|value| !value.is_nan()) else {
            return Err(CohortProblem::NoWeight { column: self.column.clone() }.into());
        };
        tally.low += u64::from(value < 0.0);
        tally.high += u64::from(value > self.max);
        Ok(part_of(self.max, value))
    }

    /// How many were beyond the bounds.
    pub fn lost(&self, NumberTally { low, high, missing }: NumberTally) -> ColumnCounts {
        let lost = Lost::Number { range: (0.0, self.max), low, high, missing };
        ColumnCounts { name: self.column.clone(), lost }
    }
}
