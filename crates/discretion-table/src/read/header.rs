//! Matches the columns of a file to the declared ones.

use super::{Purpose, Request};
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
    /// The category at this place of the encoded row.
    Category(usize),
    /// The label.
    Target,
}

/// The role of each column of the file, by its header.
pub(crate) fn roles(header: &[String], request: &Request<'_>) -> Result<Vec<Role>, Problem> {
    let present: HashSet<&str> = header.iter().map(String::as_str).collect();
    let target = request.target.map(|target| target.column.as_str());
    let declared = request.declared.iter().map(|column| column.name.as_str());
    let used = used_columns(request.encoder);
    // The study's own table has to be as the study says; another one needs to have what a model uses.
    let is_the_study_s = matches!(request.purpose, Purpose::Train | Purpose::Describe);
    let no_others = request.purpose != Purpose::Predict;
    refuse_repeated(header.iter().filter(|n| no_others || used.contains_key(n.as_str())))?;
    let absent: Vec<&str> = declared
        .clone()
        .filter(|name| (is_the_study_s || used.contains_key(name)) && !present.contains(name))
        .collect();
    if no_others {
        let known: HashSet<&str> = declared.chain(target).collect();
        let extra: Vec<&str> = header.iter().map(String::as_str).filter(|n| !known.contains(n)).collect();
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
        None if Some(name.as_str()) == target && request.purpose == Purpose::Train => Role::Target,
        None => Role::Skip,
    };
    Ok(header.iter().map(role).collect())
}

fn used_columns(encoder: &Encoder) -> HashMap<&str, Role> {
    let numbers =
        encoder.numbers.iter().enumerate().map(|(j, column)| (column.name.as_str(), Role::Number(j)));
    let categories = encoder.categories.iter().enumerate();
    numbers.chain(categories.map(|(j, column)| (column.name.as_str(), Role::Category(j)))).collect()
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
