//! From the text of a category to its code.

use crate::column::{Column, Kind};
use crate::counts::Lost;
use crate::date::{DatePart, DateReading};
use crate::error::Excerpt;
use crate::groups::Groups;
use crate::na::Na;
use crate::problem::Problem;
use crate::read::CategoryTally;
use crate::text_index::TextIndex;
use discretion::erm::matrix::OTHER;

/// A category with its declared values.
pub(crate) struct CategoryCode {
    pub name: String,
    /// The declared values.
    pub declared: Vec<String>,
    /// The same as people read them.
    pub values: Vec<String>,
    /// The declared values, then codes that are listed in groups.
    index: TextIndex,
    /// The value of each such code.
    listed: Vec<u16>,
    groups: Groups,
    na: Na,
    /// The code of a missing value, if the empty text is declared.
    missing: Option<u16>,
    /// The columns of the file that are its values, if it is read from several.
    pub one_of: Vec<String>,
    /// If the category is a part of a date.
    part: Option<(DatePart, DateReading)>,
}

/// A text in another encoding would be none of the declared ones, whatever it means. Asked only of
/// those that are none: what is declared is UTF-8.
pub(crate) fn readable(column: &str, text: &[u8]) -> Result<(), Problem> {
    match str::from_utf8(text) {
        Ok(_) => Ok(()),
        Err(_) => Err(Problem::NotUtf8 { column: column.to_owned(), text: Excerpt::of(text) }),
    }
}

impl CategoryCode {
    pub fn new(column: &Column) -> Option<Self> {
        let Kind::Category { values, .. } = &column.kind else { return None };
        let groups = Groups::new(&column.reading.groups, values);
        let index = TextIndex::new(values.iter().chain(groups.listed.iter().map(|(code, _)| code)));
        Some(Self {
            name: column.name.clone(),
            declared: values.clone(),
            values: column.kind.shown_values(),
            listed: groups.listed.iter().map(|(_, value)| *value).collect(),
            missing: index.position(b"").filter(|place| usize::from(*place) < values.len()),
            index,
            groups,
            na: Na::new(&column.reading.na),
            one_of: column.reading.one_of.clone(),
            part: column.reading.part.map(|part| (part, DateReading::of_part(column))),
        })
    }

    /// What there is to a text's code beside its place among the declared values, if there is
    /// anything.
    pub fn more_than_its_place(&self) -> Option<&'static str> {
        let na_is_declared = self.missing.is_some() && !self.na.is_empty();
        match self {
            _ if self.part.is_some() => Some("is a part of a date"),
            _ if !self.one_of.is_empty() => Some("is read from several columns"),
            _ if !self.groups.is_empty() => Some("has groups of codes"),
            _ if na_is_declared => Some("has texts that mean that a value is missing"),
            _ => None,
        }
    }

    /// What was lost of its values.
    pub fn lost(&self, CategoryTally { other, missing }: CategoryTally) -> Lost {
        match self.one_of.is_empty() {
            true => Lost::Category { other, missing },
            false => Lost::OneOf { several: other, none: missing },
        }
    }

    /// Whether it is a part of a date.
    pub fn is_part(&self) -> bool {
        self.part.is_some()
    }

    /// The code of a trimmed text. A missing value is the empty text.
    #[inline]
    pub fn encode(&self, text: &[u8], tally: &mut CategoryTally) -> Result<u16, Problem> {
        match self.index.position(text) {
            Some(place) if usize::from(place) < self.values.len() => Ok(place),
            place => self.undeclared(text, place, tally),
        }
    }

    /// The code of a text that is none of the declared values, but may be in a group, or mean that
    /// there is no value.
    #[cold]
    fn undeclared(
        &self,
        text: &[u8],
        place: Option<u16>,
        tally: &mut CategoryTally,
    ) -> Result<u16, Problem> {
        if let Some(place) = place {
            return Ok(self.listed[usize::from(place) - self.values.len()]);
        }
        if text.is_empty() || self.na.has(text) {
            return Ok(self.missing(tally));
        }
        if let Some(group) = self.groups.position(text) {
            return Ok(group);
        }
        tally.other += 1;
        readable(&self.name, text).map(|()| OTHER)
    }

    /// Whether a text means that there is no value.
    pub fn is_na(&self, text: &[u8]) -> bool {
        self.na.has(text)
    }

    pub fn missing(&self, tally: &mut CategoryTally) -> u16 {
        self.missing.unwrap_or_else(|| {
            tally.missing += 1;
            OTHER
        })
    }

    /// The code of the part of the date that a trimmed text is; by ISO 8601 whatever is declared,
    /// if `iso`.
    pub fn encode_part(
        &self,
        text: &[u8],
        iso: bool,
        tally: &mut CategoryTally,
    ) -> Result<u16, Problem> {
        let (part, reading) = self.part.as_ref().expect("asked of parts of dates");
        if text.is_empty() || self.na.has(text) {
            return Ok(self.missing(tally));
        }
        let found = part.of(reading.moment(text, iso)?);
        Ok(found.and_then(|value| self.index.position(value.as_bytes())).unwrap_or_else(|| {
            tally.other += 1;
            OTHER
        }))
    }
}
