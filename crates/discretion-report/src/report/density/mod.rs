//! The page about a density: pictures, the shares behind them, and what each person is promised.

pub mod of_file;
mod picture;
mod shares;

#[cfg(test)]
mod tests;

use super::facts::visible;
use super::page::{Page, Section, promise, promised_and_spent, section, titled};
use super::{Account, Origin, check, columns};
use crate::markup::Element;
use crate::numbers::{count, percent};
use crate::svg::Drawing;
use discretion::privacy::{Budget, Unit};
use discretion_table::{Column, Kind};

/// Everything the page says. Plain data: whoever fills it in vouches that each value is released or
/// public.
#[derive(Clone, Debug)]
pub struct DensityReport {
    /// Why nothing is promised; then the page says so first.
    pub not_private: Option<String>,
    /// The number of rows, or of persons with a row each, which is public.
    pub rows: usize,
    /// Whom the guarantee is about.
    pub unit: Unit,
    /// Each column alone.
    pub columns: Vec<Described>,
    /// Two columns together: the shares of the second one's cells, for each cell of the first.
    pub together: Option<Vec<Vec<f64>>>,
    /// The standard deviation of the noise in the share of one cell.
    pub noise: f64,
    /// The share that noise gives to a cell without rows, on average.
    pub empty: f64,
    /// What is promised to the person in a row.
    pub guarantee: Option<Budget>,
    /// What was paid, and what is left.
    pub account: Option<Account>,
    /// Public facts of the run, name and value: how bins were chosen, noise, randomness.
    pub run: Vec<(String, String)>,
    /// Where the page comes from and how to check it.
    pub origin: Origin,
}

/// One column, whatever the others are.
#[derive(Clone, Debug)]
pub struct Described {
    /// What was declared about it.
    pub column: Column,
    /// Its cells.
    pub cells: Cells,
    /// The share of the rows in each.
    pub shares: Vec<f64>,
    /// The standard deviation of the noise in one of these shares.
    pub noise: f64,
    /// The share that noise gives to one of these without rows, on average.
    pub empty: f64,
}

/// What a column is cut into.
#[derive(Clone, Debug, PartialEq)]
pub enum Cells {
    /// Between each of these and the next, in the column's unit.
    Bins(Vec<f64>),
    /// One for each of these.
    Names(Vec<String>),
}

impl DensityReport {
    /// The page as one file that asks for nothing else.
    pub fn to_html(&self) -> String {
        let title = format!(
            "How {} {} distributed",
            self.names(),
            if self.columns.len() == 1 { "is" } else { "are" }
        );
        let header = titled(&title, self.key_facts());
        let found = std::iter::once(header).chain(self.found().into_iter().map(section));
        let page = Page {
            title: &title,
            program: &self.origin.program,
            not_private: self.not_private.as_deref(),
            searchable: false,
        };
        page.document(found, self.background())
    }

    /// The picture of one column or two.
    pub fn picture(&self) -> Option<Drawing> {
        let picture = match (&self.columns[..], &self.together) {
            ([only], _) => Some(picture::alone(only, picture::WIDE)),
            ([first, second], Some(together)) => {
                Some(picture::together([first, second], together, picture::WIDE))
            }
            _ => None,
        };
        picture.map(|picture| picture.marked(self.not_private.as_deref()))
    }

    /// `a`, `a and b`, `a, b and c`.
    fn names(&self) -> String {
        let names: Vec<&str> =
            self.columns.iter().map(|described| visible(&described.column.name)).collect();
        match names.split_last() {
            Some((last, first)) if !first.is_empty() => format!("{} and {last}", first.join(", ")),
            _ => names.concat(),
        }
    }

    fn promised(&self) -> Option<Budget> {
        self.guarantee.filter(|_| self.not_private.is_none())
    }

    fn key_facts(&self) -> Vec<(&'static str, String)> {
        let cells: usize = self.columns.iter().map(|described| described.shares.len()).product();
        let mut facts = vec![(self.unit.plural(), count(self.rows)), ("cells", count(cells))];
        facts.push(("noise in a share", format!("±{}", percent(self.noise))));
        facts.extend(promised_and_spent(self.promised(), self.account.as_ref()));
        facts
    }

    fn found(&self) -> Vec<Section> {
        let mut sections = Vec::new();
        if let ([first, second], Some(together)) = (&self.columns[..], &self.together) {
            let figure = picture::figure(
                |width| picture::together([first, second], together, width),
                &format!(
                    "The stronger its colour, the more of the rows are in a cell. {}",
                    picture::about_noise("cell", self.noise, self.empty)
                ),
            );
            sections.push(("Together".to_owned(), vec![figure]));
        }
        for described in &self.columns {
            let title = match self.columns.len() {
                1 => "The density".to_owned(),
                _ => format!("{} alone", visible(&described.column.name)),
            };
            let caption = picture::caption(described);
            let figure = picture::figure(|width| picture::alone(described, width), &caption);
            sections.push((title, vec![figure]));
        }
        let mut numbers = vec![shares::table(&self.columns)];
        if self.columns.len() > 1 {
            let note = format!(
                "Each column whatever the others are. The shares of all cells together are in {}.",
                self.origin.model_file
            );
            numbers.push(Element::new("p").class("note").text(note));
        }
        sections.push(("The numbers".to_owned(), numbers));
        sections
    }

    fn background(&self) -> Vec<Section> {
        let mut sections = Vec::new();
        if let Some(guarantee) = self.promised() {
            sections.push(promise("density", guarantee, self.unit));
        }
        if let Some(account) = &self.account {
            sections.push(("What it cost".to_owned(), check::cost(account, self.promised())));
        }
        sections.push(("The data".to_owned(), self.data()));
        let run = self.run.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        sections.push(("How it was made".to_owned(), vec![check::facts(run)]));
        let mut checks = check::checks(&self.origin, "density");
        let sample =
            format!("discretion sample {} --rows 1000", check::shell_word(&self.origin.model_file));
        let dl = Element::new("dl").class("commands");
        let dl = dl.child(Element::new("dt").child(Element::new("code").text(sample)));
        let shows = "draws rows that resemble the table's in these columns; it costs nothing more";
        checks.push(dl.child(Element::new("dd").text(shows)));
        sections.push(("How to check and use".to_owned(), checks));
        sections
    }

    fn data(&self) -> Vec<Element> {
        let mut words = format!(
            "{} {}, a public number; {}. Bounds and categories were declared beforehand and not taken from the rows.",
            count(self.rows),
            self.unit.plural(),
            match self.unit {
                Unit::Row => "no row was left out",
                Unit::Person => "of each one row was counted, drawn among the person's own",
            }
        );
        let has = |wanted: fn(&Kind) -> bool| {
            self.columns.iter().any(|described| wanted(&described.column.kind))
        };
        if has(Kind::is_numeric) {
            words.push_str(
                " A number outside its bounds is clipped to them, so it is in the first or the last bin.",
            );
        }
        if has(|kind| matches!(kind, Kind::Category { .. })) {
            words.push_str(" A category that is not declared, or missing, counts as “other”.");
        }
        let declared = columns::declared(self.columns.iter().map(|described| &described.column));
        vec![Element::new("p").text(words), declared]
    }
}
