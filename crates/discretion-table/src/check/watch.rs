//! One column, watched.

use super::frequent::MostFrequent;
use super::spread::{self, Sample};
use super::{CheckedColumn, Found, Refused};
use crate::category::CategoryCode;
use crate::cohort_code::WeightCode;
use crate::counts::OutcomeCounts;
use crate::encode::{Encoder, NumberCode};
use crate::one_of::NO_ONE_YET;
use crate::problem::Problem;
use crate::read::header::Role;
use crate::read::sample::StoredType;
use crate::read::{
    CategoryTally, Labeller, NumberTally, PersonCode, date_code, number_code, person,
};
use crate::schema::{Target, trimmed};

/// Values of a column that are kept track of to tell how many different ones there are.
const VALUES_KEPT: usize = 1 << 14;

/// Unusual values that are told.
const TOLD: usize = 5;

pub(super) struct Watch<'s> {
    as_declared: AsDeclared<'s>,
    /// Whether the file stores numbers, among which truth values are 0 and 1.
    stores_numbers: bool,
    /// Whether the file stores dates, which are shown by ISO 8601 whatever is declared.
    stores_dates: bool,
    spread: Sample,
    unusual: MostFrequent,
    refused: Option<Refused>,
}

/// A column as the reader of a run sees it.
enum AsDeclared<'s> {
    Number(&'s NumberCode, NumberTally),
    Date(&'s NumberCode, NumberTally),
    Part(&'s CategoryCode, CategoryTally),
    Category(&'s CategoryCode, CategoryTally),
    Outcome(&'s Labeller, Vec<u64>),
    Indicator(&'s CategoryCode, u16),
    Person(&'s PersonCode),
    Weight(&'s WeightCode, NumberTally),
    Dropped,
}

impl<'s> Watch<'s> {
    /// A column of weights.
    pub fn of_weight(self, code: &'s WeightCode) -> Watch<'s> {
        Watch { as_declared: AsDeclared::Weight(code, NumberTally::default()), ..self }
    }

    pub fn new(
        role: Role,
        stored: &StoredType,
        encoder: &'s Encoder,
        labeller: &'s Labeller,
    ) -> Watch<'s> {
        // Of a date and its parts, the first tells as much as all of them: they have the same
        // texts.
        let role = match role {
            Role::Several(k) => encoder.shared[k].1[0],
            role => role,
        };
        let as_declared = match role {
            Role::Several(_) => unreachable!("what is shared is not shared again"),
            Role::Date(j) => AsDeclared::Date(&encoder.numbers[j], NumberTally::default()),
            Role::DatePart(j) => AsDeclared::Part(&encoder.categories[j], CategoryTally::default()),
            Role::Number(j) | Role::CheckedNumber(j) => {
                AsDeclared::Number(&encoder.numbers[j], NumberTally::default())
            }
            Role::Category(j) => {
                AsDeclared::Category(&encoder.categories[j], CategoryTally::default())
            }
            Role::Indicator(j, place) => AsDeclared::Indicator(&encoder.categories[j], place),
            Role::Target => AsDeclared::Outcome(labeller, vec![0; labeller.classes()]),
            Role::Person => AsDeclared::Person(
                encoder.person.as_ref().expect("a person's role comes with its column"),
            ),
            Role::Skip | Role::Condition(_) | Role::Weight => AsDeclared::Dropped,
        };
        Watch {
            as_declared,
            stores_numbers: matches!(stored, StoredType::Numbers),
            stores_dates: matches!(stored, StoredType::Dates),
            spread: Sample::new(VALUES_KEPT),
            unusual: MostFrequent::default(),
            refused: None,
        }
    }

    /// Takes the value in a row, counted from 1.
    pub fn see(&mut self, row: u64, text: &[u8], decimal: u8, hash: u64) {
        let is_respelled = match self.as_declared {
            // Two texts of one person are one value.
            AsDeclared::Person(_) => {
                self.spread.see_spelling(spread::hash(&person(text).to_le_bytes()), hash)
            }
            _ => self.spread.see_spelling(hash, hash),
        };
        let text = match (&self.as_declared, trimmed(text)) {
            (AsDeclared::Number(..), b"false") if self.stores_numbers => b"0",
            (AsDeclared::Number(..), b"true") if self.stores_numbers => b"1",
            (_, text) => text,
        };
        match self.as_declared.see(text, decimal, self.stores_dates) {
            Ok(true) if !is_respelled => {}
            Ok(_) => self.unusual.see(text),
            Err(problem) => {
                self.unusual.see(text);
                self.refused.get_or_insert(Refused { count: 0, row, problem }).count += 1;
            }
        }
    }

    pub fn checked(self, name: String, target: &Target) -> CheckedColumn {
        let found = match self.as_declared {
            AsDeclared::Number(code, tally) | AsDeclared::Date(code, tally) => {
                Found::Used(code.lost(tally))
            }
            AsDeclared::Category(code, tally) | AsDeclared::Part(code, tally) => {
                Found::Used(code.lost(tally))
            }
            AsDeclared::Outcome(_, classes) => {
                Found::Outcome(OutcomeCounts { target: target.clone(), classes })
            }
            AsDeclared::Indicator(code, _) => Found::Indicator(code.name.clone()),
            AsDeclared::Person(_) => Found::Person,
            AsDeclared::Weight(code, tally) => Found::Weight(code.lost(tally).lost),
            AsDeclared::Dropped => Found::Dropped,
        };
        CheckedColumn {
            name,
            found,
            spread: self.spread.spread(),
            unusual: self.unusual.first(TOLD),
            refused: self.refused,
        }
    }
}

impl AsDeclared<'_> {
    /// Whether a value is as declared; an error if a run would stop at it.
    fn see(&mut self, text: &[u8], decimal: u8, iso: bool) -> Result<bool, Problem> {
        match self {
            AsDeclared::Number(code, tally) => {
                let clipped = tally.low + tally.high;
                number_code(code, text, decimal, tally)?;
                Ok(tally.low + tally.high == clipped)
            }
            AsDeclared::Date(code, tally) => {
                let clipped = tally.low + tally.high;
                date_code(code, text, iso, tally)?;
                Ok(tally.low + tally.high == clipped)
            }
            AsDeclared::Part(code, tally) => {
                let other = tally.other;
                code.encode_part(text, iso, tally)?;
                Ok(tally.other == other)
            }
            AsDeclared::Category(code, tally) => {
                let other = tally.other;
                code.encode(text, tally)?;
                Ok(tally.other == other)
            }
            AsDeclared::Outcome(labeller, classes) => {
                let Some(class) = labeller.class_or_none(text)? else { return Ok(false) };
                classes[usize::from(class)] += 1;
                Ok(labeller.is_listed(text))
            }
            AsDeclared::Indicator(code, place) => {
                code.indicate(*place, text, &mut { NO_ONE_YET }).map(|()| true)
            }
            AsDeclared::Person(code) => code.person(text).map(|_| true),
            AsDeclared::Weight(code, tally) => {
                let clipped = tally.low + tally.high;
                code.weight(text, decimal, tally)?;
                Ok(tally.low + tally.high == clipped)
            }
            AsDeclared::Dropped => Ok(true),
        }
    }
}
