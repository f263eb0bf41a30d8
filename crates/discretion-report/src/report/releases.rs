//! The page about several releases of one study: what each is, where it is, and what all together
//! promise.

use super::page::{Page, promise, section, titled};
use crate::markup::Element;
use crate::numbers::count;
use crate::words;
use discretion::privacy::{Budget, Unit};

/// A release, as the page lists it.
#[derive(Clone, Debug)]
pub struct Listed {
    /// Its name.
    pub name: String,
    /// What it is.
    pub title: String,
    /// Its page, beside this one.
    pub page: String,
    /// Its file, beside this one.
    pub file: String,
    /// What it may spend.
    pub budget: Budget,
}

/// The page as one file. `promised` is what all together promise, and to whom; nothing if nothing
/// is promised.
pub fn html(
    listed: &[Listed],
    promised: Option<(Budget, Unit)>,
    account: Option<&str>,
    program: &str,
) -> String {
    const TITLE: &str = "What was released";
    let mut facts = vec![("releases", count(listed.len()))];
    if let Some((budget, _)) = promised {
        facts.push(("together", budget.to_string()));
    }
    let heads = ["release", "what it is", "its part of the budget", "file"];
    let heads = heads.map(|head| Element::new("th").set("scope", "col").text(head));
    let rows = listed.iter().map(|one| {
        let link = Element::new("a").set("href", one.page.clone()).text(&one.name);
        let cell = |text: &str| Element::new("td").text(text);
        Element::new("tr")
            .child(Element::new("th").set("scope", "row").child(link))
            .child(cell(&one.title))
            .child(cell(&one.budget.to_string()))
            .child(cell(&one.file))
    });
    let table = Element::new("table")
        .class("columns")
        .child(Element::new("thead").child(Element::new("tr").children(heads)))
        .child(Element::new("tbody").children(rows));
    let found = section((
        "The releases".to_owned(),
        vec![Element::new("div").class("scroll").child(table)],
    ));
    let mut background = Vec::new();
    if let Some((budget, unit)) = promised {
        background.push(promise("set of releases", budget, unit));
    }
    if let Some(account) = account {
        let cost = Element::new("p").text(format!("One charge paid for all: {account}."));
        background.push(("What it cost".to_owned(), vec![cost]));
    }
    let page = Page {
        title: TITLE,
        program,
        not_private: promised.is_none().then_some(words::UNDER_A_SEED),
        searchable: false,
    };
    page.document([titled(TITLE, facts), found].into_iter(), background)
}
