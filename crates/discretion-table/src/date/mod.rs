//! Dates and times, as far as a table needs them: days that can be counted, and parts of them that
//! can be categories.
//!
//! A date is what is written down. There are no time zones here: an offset behind a time is allowed
//! and changes nothing.

mod format;
mod part;
mod reading;

pub use format::DateFormat;
pub use part::DatePart;
pub(crate) use reading::DateReading;

use chrono::{Datelike, NaiveDate};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// A day, and the time of day if there is one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Moment {
    date: NaiveDate,
    /// Seconds since midnight.
    time: Option<f64>,
}

const SECONDS_OF_A_DAY: f64 = 86_400.0;

impl Moment {
    /// If there is such a day, in the years 1 to 9999, and such a time in it.
    fn new(year: i32, month: u32, day: u32, time: Option<(u32, u32, f64)>) -> Option<Moment> {
        let date = NaiveDate::from_ymd_opt(year, month, day)
            .filter(|date| (1..=9999).contains(&date.year()))?;
        let time = match time {
            None => None,
            // The sixty-first second is there for leap seconds, which nobody's column is about.
            Some((hour, minute, second))
                if hour < 24 && minute < 60 && (0.0..61.0).contains(&second) =>
            {
                Some(f64::from(hour * 3600 + minute * 60) + second)
            }
            Some(_) => return None,
        };
        Some(Moment { date, time })
    }

    /// Whether there is a time of day.
    pub fn has_time(self) -> bool {
        self.time.is_some()
    }

    /// Days since 1 January 1970, the time of day included.
    pub fn days(self) -> f64 {
        f64::from(self.whole_days()) + self.time.unwrap_or(0.0) / SECONDS_OF_A_DAY
    }

    /// Days since 1 January 1970, without the time of day.
    pub fn whole_days(self) -> i32 {
        self.date.to_epoch_days()
    }

    /// The moment so many days after 1 January 1970; with a time of day, to the second, if `timed`.
    pub fn from_days(days: f64, timed: bool) -> Moment {
        let seconds =
            if timed { (days * SECONDS_OF_A_DAY).round() } else { days.floor() * SECONDS_OF_A_DAY };
        let whole = (seconds / SECONDS_OF_A_DAY).floor();
        let time = timed.then_some(seconds - whole * SECONDS_OF_A_DAY);
        let beyond = if whole < 0.0 { NaiveDate::MIN } else { NaiveDate::MAX };
        Moment { date: NaiveDate::from_epoch_days(whole as i32).unwrap_or(beyond), time }
    }
}

/// As ISO 8601 has it.
impl fmt::Display for Moment {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:04}-{:02}-{:02}", self.date.year(), self.date.month(), self.date.day())?;
        let Some(time) = self.time else { return Ok(()) };
        let (whole, rest) = (time.floor(), time.fract());
        let (minutes, seconds) = (whole as u32 / 60, whole as u32 % 60);
        write!(out, "T{:02}:{:02}", minutes / 60, minutes % 60)?;
        match (seconds, rest) {
            (0, 0.0) => Ok(()),
            (seconds, 0.0) => write!(out, ":{seconds:02}"),
            (seconds, rest) => write!(out, ":{:09.6}", f64::from(seconds) + rest),
        }
    }
}

impl FromStr for Moment {
    type Err = String;

    fn from_str(text: &str) -> Result<Moment, String> {
        DateFormat::Iso
            .parse(text.as_bytes())
            .ok_or_else(|| format!("{text:?} is no date such as 2020-12-31 or 2020-12-31T23:59"))
    }
}

impl Serialize for Moment {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Moment {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Moment, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests;
