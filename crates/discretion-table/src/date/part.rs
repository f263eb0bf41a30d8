//! Parts of dates that are categories.

use super::Moment;
use chrono::Datelike;
use serde::{Deserialize, Serialize};

/// A part of a date.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DatePart {
    /// From the first year of the range to the last.
    Year,
    /// January to December.
    Month,
    /// Monday to Sunday.
    Weekday,
    /// 0 to 23.
    Hour,
}

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

const WEEKDAYS: [&str; 7] =
    ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

impl DatePart {
    /// All of them, with their names.
    pub const ALL: [(&'static str, DatePart); 4] = [
        ("year", DatePart::Year),
        ("month", DatePart::Month),
        ("weekday", DatePart::Weekday),
        ("hour", DatePart::Hour),
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        let named = DatePart::ALL.iter().find(|(_, part)| *part == self);
        named.expect("every part has a name").0
    }

    /// The categories of dates in this range, in order. Years need one.
    pub fn values(self, range: Option<(Moment, Moment)>) -> Option<Vec<String>> {
        let texts = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect();
        match self {
            DatePart::Year => range.map(|(min, max)| {
                (min.date.year()..=max.date.year()).map(|year| year.to_string()).collect()
            }),
            DatePart::Month => Some(texts(&MONTHS)),
            DatePart::Weekday => Some(texts(&WEEKDAYS)),
            DatePart::Hour => Some((0..24).map(|hour: u32| hour.to_string()).collect()),
        }
    }

    /// The category of a moment; nothing for the hour of a day without a time.
    pub fn of(self, moment: Moment) -> Option<String> {
        match self {
            DatePart::Year => Some(moment.date.year().to_string()),
            DatePart::Month => Some(MONTHS[moment.date.month() as usize - 1].to_owned()),
            // 1 January 1970 was a Thursday.
            DatePart::Weekday => {
                Some(WEEKDAYS[(moment.whole_days() + 3).rem_euclid(7) as usize].to_owned())
            }
            DatePart::Hour => moment.time.map(|time| ((time / 3600.0) as u32).min(23).to_string()),
        }
    }
}
