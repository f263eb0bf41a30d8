//! How dates are written.

use super::Moment;
use chrono::Datelike;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// How the dates of a column are written.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum DateFormat {
    /// By ISO 8601: `2020-12-31`, `20201231`, and with a time `2020-12-31T23:59`, `2020-12-31
    /// 23:59:59.5`, with an offset behind it that changes nothing.
    #[default]
    Iso,
    /// As declared, such as `%d.%m.%Y`.
    Declared(Vec<Item>),
}

/// A piece of a declared format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Item {
    /// `%Y`: four digits.
    Year,
    /// `%m`: one digit or two.
    Month,
    /// `%b`: the first three letters of the English name.
    MonthName,
    /// `%d`.
    Day,
    /// `%H`, up to 23.
    Hour,
    /// `%M`.
    Minute,
    /// `%S`.
    Second,
    /// This letter itself.
    Letter(char),
}

const ITEMS: [(char, Item); 7] = [
    ('Y', Item::Year),
    ('m', Item::Month),
    ('b', Item::MonthName),
    ('d', Item::Day),
    ('H', Item::Hour),
    ('M', Item::Minute),
    ('S', Item::Second),
];

const MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

impl DateFormat {
    /// The date that a trimmed text is, if it is one.
    pub fn parse(&self, text: &[u8]) -> Option<Moment> {
        let text = str::from_utf8(text).ok()?;
        match self {
            DateFormat::Iso => iso(text),
            DateFormat::Declared(items) => declared(items, text),
        }
    }
}

impl DateFormat {
    /// A date in this format.
    pub fn write(&self, moment: Moment) -> String {
        let DateFormat::Declared(items) = self else { return moment.to_string() };
        let seconds = moment.time.unwrap_or(0.0) as u32;
        let mut text = String::new();
        for item in items {
            match item {
                Item::Year => text += &format!("{:04}", moment.date.year()),
                Item::Month => text += &format!("{:02}", moment.date.month()),
                Item::MonthName => text += &MONTHS[moment.date.month() as usize - 1].to_uppercase(),
                Item::Day => text += &format!("{:02}", moment.date.day()),
                Item::Hour => text += &format!("{:02}", seconds / 3600),
                Item::Minute => text += &format!("{:02}", seconds / 60 % 60),
                Item::Second => text += &format!("{:02}", seconds % 60),
                Item::Letter(letter) => text.push(*letter),
            }
        }
        text
    }
}

fn iso(text: &str) -> Option<Moment> {
    let mut rest = Digits(text);
    let year = rest.exactly(4)?;
    let dashes = rest.skip('-');
    let month = rest.exactly(2)?;
    if dashes && !rest.skip('-') {
        return None;
    }
    let day = rest.exactly(2)?;
    let time = match rest.0.chars().next() {
        None => None,
        Some('T' | ' ') => {
            rest.0 = &rest.0[1..];
            Some(iso_time(&mut rest)?)
        }
        Some(_) => return None,
    };
    rest.0.is_empty().then(|| Moment::new(year as i32, month, day, time))?
}

fn iso_time(rest: &mut Digits<'_>) -> Option<(u32, u32, f64)> {
    let hour = rest.exactly(2)?;
    if !rest.skip(':') {
        return None;
    }
    let minute = rest.exactly(2)?;
    let mut second = 0.0;
    if rest.skip(':') {
        let whole = rest.exactly(2)?;
        let decimals = if rest.skip('.') { rest.all()? } else { "0" };
        second = format!("{whole}.{decimals}").parse().ok()?;
    }
    // An offset is what the clock showed less than the time in Greenwich. The clock is what is
    // meant.
    if rest.skip('Z') {
        return Some((hour, minute, second));
    }
    if rest.skip('+') || rest.skip('-') {
        rest.exactly(2)?;
        rest.skip(':');
        if !rest.0.is_empty() {
            rest.exactly(2)?;
        }
    }
    Some((hour, minute, second))
}

fn declared(items: &[Item], text: &str) -> Option<Moment> {
    let mut rest = Digits(text);
    let (mut year, mut month, mut day) = (None, None, None);
    let (mut time, mut timed) = ((0, 0, 0.0), false);
    for item in items {
        match item {
            Item::Year => year = Some(rest.exactly(4)?),
            Item::Month => month = Some(rest.up_to_two()?),
            Item::MonthName => month = Some(rest.month()?),
            Item::Day => day = Some(rest.up_to_two()?),
            Item::Hour => (time.0, timed) = (rest.up_to_two()?, true),
            Item::Minute => time.1 = rest.up_to_two()?,
            Item::Second => time.2 = f64::from(rest.up_to_two()?),
            Item::Letter(letter) => rest.skip(*letter).then_some(())?,
        }
    }
    rest.0.is_empty().then(|| Moment::new(year? as i32, month?, day?, timed.then_some(time)))?
}

/// The rest of a text that is read from its start.
struct Digits<'t>(&'t str);

impl<'t> Digits<'t> {
    fn take(&mut self, count: usize) -> Option<&'t str> {
        let (first, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(first)
    }

    fn count(&self) -> usize {
        self.0.bytes().take_while(u8::is_ascii_digit).count()
    }

    fn exactly(&mut self, count: usize) -> Option<u32> {
        if self.count() < count { None } else { self.take(count)?.parse().ok() }
    }

    fn up_to_two(&mut self) -> Option<u32> {
        self.take(self.count().clamp(1, 2))?.parse().ok()
    }

    /// Decimals, of which a few are enough.
    fn all(&mut self) -> Option<&'t str> {
        let count = self.count();
        let all = self.take(count)?;
        if all.is_empty() { None } else { Some(&all[..count.min(9)]) }
    }

    fn skip(&mut self, letter: char) -> bool {
        match self.0.strip_prefix(letter) {
            Some(rest) => {
                self.0 = rest;
                true
            }
            None => false,
        }
    }

    fn month(&mut self) -> Option<u32> {
        let name = self.take(3)?.to_ascii_lowercase();
        MONTHS.iter().position(|month| *month == name).map(|month| month as u32 + 1)
    }
}

impl FromStr for DateFormat {
    type Err = String;

    /// Such as `%d.%m.%Y`. It has to have a year, a month and a day.
    fn from_str(text: &str) -> Result<DateFormat, String> {
        let mut items = Vec::new();
        let mut letters = text.chars();
        while let Some(letter) = letters.next() {
            if letter != '%' {
                items.push(Item::Letter(letter));
                continue;
            }
            let wanted = letters.next();
            let item = ITEMS.iter().find(|(name, _)| Some(*name) == wanted);
            items.push(item.ok_or_else(|| unknown(wanted))?.1);
        }
        let count = |wanted: &[Item]| items.iter().filter(|item| wanted.contains(item)).count();
        let months = count(&[Item::Month, Item::MonthName]);
        if [count(&[Item::Year]), months, count(&[Item::Day])] != [1, 1, 1] {
            return Err(
                "a format has a year (%Y), a month (%m or %b) and a day (%d), each once".to_owned()
            );
        }
        Ok(DateFormat::Declared(items))
    }
}

fn unknown(wanted: Option<char>) -> String {
    match wanted {
        Some('y') => "%y has no century; write years with four digits and %Y".to_owned(),
        Some('z' | 'Z') => "there are no time zones here; leave them out of the table".to_owned(),
        other => format!(
            "a format has no %{}; it has %Y, %m, %b, %d, %H, %M and %S, and letters that stand for themselves",
            other.map(String::from).unwrap_or_default()
        ),
    }
}

impl fmt::Display for DateFormat {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let DateFormat::Declared(items) = self else { return out.write_str("ISO 8601") };
        for item in items {
            match (item, ITEMS.iter().find(|(_, known)| known == item)) {
                (Item::Letter(letter), _) => write!(out, "{letter}")?,
                (_, Some((name, _))) => write!(out, "%{name}")?,
                (_, None) => unreachable!("every item has a name"),
            }
        }
        Ok(())
    }
}

impl Serialize for DateFormat {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for DateFormat {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<DateFormat, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}
