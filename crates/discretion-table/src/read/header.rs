//! Matches the columns of a file to the declared ones.

use super::{Purpose, Request};
use crate::column::{Column, Kind};
use crate::encode::Encoder;
use crate::error::{Excerpt, Hint, Names};
use crate::problem::Problem;
use std::collections::{HashMap, HashSet};

/// What a column of the file is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// Not read.
    Skip,
    /// The number at this place of the encoded row.
    Number(usize),
    /// The same, if some numbers mean that there is none.
    CheckedNumber(usize),
    /// The days of a date, as the number at this place of the encoded row.
    Date(usize),
    /// The category at this place of the encoded row.
    Category(usize),
    /// A part of a date, as the category at this place of the encoded row.
    DatePart(usize),
    /// Whether the category at the first place of the encoded row is its value at the second.
    Indicator(usize, u16),
    /// All that the encoder has at this place of its shared columns.
    Several(usize),
    /// The label.
    Target,
    /// Whose row it is.
    Person,
    /// Whether the row counts, by the condition at this place.
    Condition(usize),
    /// How much it counts.
    Weight,
}

/// The role of each column of the file, by its header.
pub(crate) fn roles(header: &[String], request: &Request<'_>) -> Result<Vec<Role>, Problem> {
    let present: HashSet<&str> = header.iter().map(String::as_str).collect();
    let target = request.target.map(|target| target.column.as_str());
    let mut seen = HashSet::new();
    let declared: Vec<&str> = request
        .declared
        .iter()
        .flat_map(Column::fields)
        .filter(|&field| seen.insert(field))
        .collect();
    let used = used_columns(request.encoder);
    let person = request.encoder.person.as_ref().map(|person| person.name.as_str());
    // The study's own table has to be as the study says; another one needs to have what a model
    // uses.
    let is_the_study_s = matches!(request.purpose, Purpose::Train | Purpose::Describe);
    let no_others = request.purpose != Purpose::Predict;
    refuse_repeated(header.iter().filter(|n| no_others || used.contains_key(n.as_str())))?;
    let absent: Vec<&str> = declared
        .iter()
        .copied()
        .filter(|&name| is_the_study_s || used.contains_key(name) || Some(name) == person)
        .filter(|name| !present.contains(name))
        .collect();
    if no_others {
        let known: HashSet<&str> = declared.into_iter().chain(target).collect();
        let extra: Vec<&str> =
            header.iter().map(String::as_str).filter(|n| !known.contains(n)).collect();
        if !is_the_study_s && extra.len() + absent.len() > 0 {
            return Err(Problem::QueryColumns { extra: names(&extra), absent: names(&absent) });
        }
        if let Some(first) = extra.first() {
            // A misspelling leaves one name undeclared and another absent.
            let hint = Hint::nearest(
                first,
                absent.iter().copied().chain(target.filter(|target| !present.contains(target))),
            );
            return Err(Problem::Undeclared { columns: names(&extra), hint });
        }
        if let Some(target) = target.filter(|target| is_the_study_s && !present.contains(target)) {
            let hint = Hint::nearest(target, header.iter().map(String::as_str));
            return Err(Problem::NoTarget { column: target.to_owned(), hint });
        }
    }
    if let Some(first) = absent.first() {
        let hint = Hint::nearest(first, header.iter().map(String::as_str));
        return Err(Problem::Absent { columns: names(&absent), hint });
    }
    let role = |name: &String| match used.get(name.as_str()) {
        Some(role) => *role,
        None if Some(name.as_str()) == person => Role::Person,
        None if Some(name.as_str()) == target && request.purpose == Purpose::Train => Role::Target,
        None => Role::Skip,
    };
    Ok(header.iter().map(role).collect())
}

fn used_columns(encoder: &Encoder) -> HashMap<&str, Role> {
    let numbers = encoder.numbers.iter().enumerate().map(|(j, column)| {
        let role = match column {
            _ if column.date.is_some() => Role::Date(j),
            _ if column.na.hides_numbers() => Role::CheckedNumber(j),
            _ => Role::Number(j),
        };
        (column.name.as_str(), role)
    });
    let indicators = encoder.categories.iter().enumerate().flat_map(|(j, column)| {
        let fields = column.one_of.iter().enumerate();
        fields.map(move |(place, field)| (field.as_str(), Role::Indicator(j, place as u16)))
    });
    let categories = encoder.categories.iter().enumerate();
    let categories = categories.filter(|(_, column)| !column.is_part() && column.one_of.is_empty());
    let categories = categories.map(|(j, column)| (column.name.as_str(), Role::Category(j)));
    let shared = encoder.shared.iter().enumerate();
    // Later ones take the place of earlier ones.
    numbers
        .chain(categories)
        .chain(indicators)
        .chain(shared.map(|(k, (field, _))| (field.as_str(), Role::Several(k))))
        .collect()
}

/// The columns of a file that have parts as columns of their own, and what these are in encoded
/// rows: the days themselves, if they are used, and the parts.
pub(crate) fn shared_fields(columns: &[Column]) -> Vec<(String, Vec<Role>)> {
    let mut shared: Vec<(String, Vec<Role>)> = Vec::new();
    for part in columns.iter().filter(|column| column.reading.part.is_some()) {
        if !shared.iter().any(|(field, _)| field == part.field()) {
            shared.push((part.field().to_owned(), Vec::new()));
        }
    }
    let (mut numbers, mut categories) = (0, 0);
    for column in columns {
        let role = match &column.kind {
            Kind::Number { .. } | Kind::Date { .. } => {
                numbers += 1;
                Role::Date(numbers - 1)
            }
            Kind::Category { .. } => {
                categories += 1;
                Role::DatePart(categories - 1)
            }
            Kind::Dropped => continue,
        };
        // A checked schema has nothing but dates and their parts there.
        if let Some((_, roles)) = shared.iter_mut().find(|(field, _)| field == column.field()) {
            roles.push(role);
        }
    }
    shared
}

/// The encoder's shared columns, and those that conditions on these fields and weights are about,
/// with what else each of them is.
pub(crate) fn with_conditions(
    encoder: &Encoder,
    fields: Vec<String>,
    weight: Option<&String>,
) -> Vec<(String, Vec<Role>)> {
    let used = used_columns(encoder);
    let mut shared = encoder.shared.clone();
    let conditions = fields.into_iter().enumerate().map(|(k, field)| (field, Role::Condition(k)));
    for (field, role) in conditions.chain(weight.map(|column| (column.clone(), Role::Weight))) {
        match shared.iter_mut().find(|(known, _)| *known == field) {
            Some((_, roles)) => roles.push(role),
            None => {
                let also = used.get(field.as_str()).copied();
                shared.push((field, also.into_iter().chain([role]).collect()));
            }
        }
    }
    shared
}

fn refuse_repeated<'h>(mut header: impl Iterator<Item = &'h String>) -> Result<(), Problem> {
    let mut seen = HashSet::new();
    match header.find(|name| !seen.insert(name.as_str())) {
        Some(column) => Err(Problem::RepeatedHeader { column: Excerpt::of(column.as_bytes()) }),
        None => Ok(()),
    }
}

fn names(names: &[&str]) -> Names {
    Names(names.iter().map(|&name| name.to_owned()).collect())
}
