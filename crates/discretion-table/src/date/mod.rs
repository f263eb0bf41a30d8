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

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// A day, and the time of day if there is one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Moment {
    year: i32,
    month: u32,
    day: u32,
    /// Seconds since midnight.
    time: Option<f64>,
}

const SECONDS_OF_A_DAY: f64 = 86_400.0;

impl Moment {
    /// If there is such a day, in the years 1 to 9999, and such a time in it.
    fn new(year: i32, month: u32, day: u32, time: Option<(u32, u32, f64)>) -> Option<Moment> {
        let is_day = (1..=9999).contains(&year) && (1..=12).contains(&month);
        if !is_day || !(1..=days_of_month(year, month)).contains(&day) {
            return None;
        }
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
        Some(Moment { year, month, day, time })
    }

    /// Whether there is a time of day.
    pub fn has_time(self) -> bool {
        self.time.is_some()
    }

    /// Days since 1 January 1970, the time of day included.
    pub fn days(self) -> f64 {
        f64::from(self.whole_days()) + self.time.unwrap_or(0.0) / SECONDS_OF_A_DAY
    }

    /// The same without the time of day. Years begin in March here, so that the day that comes and
    /// goes is their last.
    pub fn whole_days(self) -> i32 {
        let year = if self.month > 2 { self.year } else { self.year - 1 };
        let month = (self.month + 9) % 12;
        let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
        let of_year = (153 * month + 2) / 5 + self.day - 1;
        era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year as i32 - 719_468
    }

    /// The moment so many days after 1 January 1970; with a time of day, to the second, if `timed`.
    pub fn from_days(days: f64, timed: bool) -> Moment {
        let seconds =
            if timed { (days * SECONDS_OF_A_DAY).round() } else { days.floor() * SECONDS_OF_A_DAY };
        let whole = (seconds / SECONDS_OF_A_DAY).floor();
        let time = timed.then_some(seconds - whole * SECONDS_OF_A_DAY);
        let days = whole as i32 + 719_468;
        let (era, of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
        let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
        let of_year = of_era - (365 * year + year / 4 - year / 100);
        let month = (5 * of_year + 2) / 153;
        let day = of_year - (153 * month + 2) / 5 + 1;
        let month = if month < 10 { month + 3 } else { month - 9 };
        let year = year + era * 400 + i32::from(month <= 2);
        Moment { year, month: month as u32, day: day as u32, time }
    }
}

fn days_of_month(year: i32, month: u32) -> u32 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        _ => 31,
    }
}

/// As ISO 8601 has it.
impl fmt::Display for Moment {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:04}-{:02}-{:02}", self.year, self.month, self.day)?;
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
