//! From the text of a date to days.

use super::{DateFormat, Moment};
use crate::column::{Column, Kind};
use crate::error::Excerpt;
use crate::problem::Problem;
use crate::reading_problem::ReadingProblem;

/// How the dates of a column are read.
pub(crate) struct DateReading {
    /// The column of the file, for messages.
    field: String,
    format: DateFormat,
    /// What days are counted from, and whether times of day count.
    from: f64,
    timed: bool,
}

impl DateReading {
    /// Nothing for columns that are no dates.
    pub fn new(column: &Column) -> Option<DateReading> {
        let Kind::Date { min, max, .. } = column.kind else { return None };
        let timed = min.has_time() || max.has_time();
        Some(DateReading { from: min.days(), timed, ..DateReading::of_part(column) })
    }

    /// For a part of a date, which is not counted in days.
    pub fn of_part(column: &Column) -> DateReading {
        let format = column.reading.format.clone().unwrap_or_default();
        DateReading { field: column.field().to_owned(), format, from: 0.0, timed: true }
    }

    /// The date that a text is; by ISO 8601 whatever is declared, if `iso`.
    pub fn moment(&self, text: &[u8], iso: bool) -> Result<Moment, Problem> {
        let format = if iso { &DateFormat::Iso } else { &self.format };
        format.parse(text).ok_or_else(|| {
            Problem::from(ReadingProblem::NotADate {
                column: self.field.clone(),
                format: format.to_string(),
                text: Excerpt::of(text),
            })
        })
    }

    /// Days since the first date of the range.
    pub fn days(&self, moment: Moment) -> f64 {
        let days = if self.timed { moment.days() } else { f64::from(moment.whole_days()) };
        days - self.from
    }

    /// What its days are counted from.
    pub fn origin(&self) -> Moment {
        self.after(0.0)
    }

    /// The date so many days later.
    pub fn after(&self, days: f64) -> Moment {
        Moment::from_days(self.from + days, self.timed)
    }
}
