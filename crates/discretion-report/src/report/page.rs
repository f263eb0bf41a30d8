//! The page around it all.

use super::question::{outcome, question};
use super::{
    Account, Report, check, columns, crosses, curves, picture, quality, reading, search, table,
};
use crate::markup::Element;
use crate::numbers::{at_most, count, equals, percent, short, significant};
use crate::svg;
use crate::words::Promise;
use discretion::loss::LossKind;
use discretion::privacy::{Budget, Unit};

/// How the page looks. The charts bring their own style.
const STYLE: &str = include_str!("page.css");

/// A longer table has no more rows than these on paper, by the style.
const ON_PAPER: usize = 150;

/// Nothing may be fetched, whatever the text of a page holds. Styles are inline, and there is
/// nothing else but, where there is much to find, the script that searches.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'";

/// The page about a model.
pub fn html(report: &Report) -> String {
    let question = question(&report.target, &report.columns);
    let content =
        std::iter::once(header(report, &question)).chain(results(report).into_iter().map(section));
    let page = Page {
        title: &question,
        program: &report.origin.program,
        not_private: report.not_private.as_deref(),
        searchable: report.is_long(),
    };
    page.document(content, background(report))
}

/// The page about a model of several classes: what goes with each of them, one after the other.
pub fn html_of_classes(whole: &Report, classes: &[Report]) -> String {
    let question = question(&whole.target, &whole.columns);
    let panels = classes.iter().flat_map(|report| {
        results(report).into_iter().map(|(title, content)| {
            let title = if title == NUMBERS {
                format!("The numbers of {}", outcome(&report.target))
            } else {
                title
            };
            section((title, content))
        })
    });
    let content = std::iter::once(header(whole, &question)).chain(panels);
    let page = Page {
        title: &question,
        program: &whole.origin.program,
        not_private: whole.not_private.as_deref(),
        searchable: classes.iter().any(Report::is_long),
    };
    page.document(content, background(whole))
}

/// The heading above the table.
const NUMBERS: &str = "The numbers";

/// What a page is, apart from what it says.
pub(crate) struct Page<'p> {
    pub title: &'p str,
    pub program: &'p str,
    /// Why nothing is promised.
    pub not_private: Option<&'p str>,
    /// Whether it has a table to search in.
    pub searchable: bool,
}

impl Page<'_> {
    /// A whole file: what was found, and what it rests on.
    pub(crate) fn document(
        &self,
        found: impl Iterator<Item = Element>,
        background: Vec<Section>,
    ) -> String {
        let Page { title, program, not_private, searchable } = *self;
        let policy =
            if searchable { format!("{POLICY}; {}", search::policy()) } else { POLICY.to_owned() };
        let meta = |name: &'static str, content: &str| {
            Element::new("meta").set("name", name).set("content", content)
        };
        let head = Element::new("head")
            .child(Element::new("meta").set("charset", "utf-8"))
            .child(
                Element::new("meta")
                    .set("http-equiv", "Content-Security-Policy")
                    .set("content", policy),
            )
            .child(meta("viewport", "width=device-width, initial-scale=1"))
            .child(meta("color-scheme", "light dark"))
            .child(meta("generator", program))
            .child(Element::new("title").text(title))
            .child(Element::new("style").style_sheet(STYLE).style_sheet(svg::STYLE));
        let mut main = Element::new("main");
        if let Some(reason) = not_private {
            let banner = Element::new("div").class("not-private").set("role", "alert");
            main = main.child(
                banner.child(Element::new("strong").text("NOT PRIVATE")).text(format!(" {reason}")),
            );
        }
        // On paper the background stands in two columns.
        let background = background.into_iter().map(section);
        let main = main
            .children(found)
            .child(Element::new("div").class("background").children(background));
        let mut body = Element::new("body").child(main);
        if searchable {
            body = body.child(Element::new("script").script(search::SCRIPT));
        }
        let html = Element::new("html").set("lang", "en").child(head).child(body);
        format!("<!DOCTYPE html>\n{html}\n")
    }
}

fn header(report: &Report, question: &str) -> Element {
    let coefficients = format!("{} with the intercept", count(report.coefficients.len()));
    let mut facts =
        vec![(report.unit.plural(), count(report.rows)), ("coefficients", coefficients)];
    let method = match report.loss {
        _ if report.several_classes => "softmax regression",
        LossKind::Logistic => "logistic regression",
        LossKind::Hinge | LossKind::HingeOver(_) => "smooth support vector machine",
        LossKind::Huber => "Huber regression",
    };
    facts.push(("method", method.to_owned()));
    if let Some(level) = report.level.filter(|_| report.has_intervals()) {
        facts.push(("intervals", percent(level)));
    }
    facts.extend(promised_and_spent(promised(report), report.account.as_ref()));
    titled(question, facts)
}

fn promised(report: &Report) -> Option<Budget> {
    report.guarantee.filter(|_| report.not_private.is_none())
}

/// What is promised, if anything is, and what is spent.
pub(super) fn promised_and_spent(
    promised: Option<Budget>,
    account: Option<&Account>,
) -> Vec<(&'static str, String)> {
    let mut facts =
        vec![("guarantee", promised.map_or("none".to_owned(), |guarantee| guarantee.symbols()))];
    if let Some(account) = account {
        let spent = equals(&account.symbol, &at_most(account.spent, 4));
        let at = account
            .delta
            .map(|delta| format!(" at {}", equals("δ", &short(delta))))
            .unwrap_or_default();
        facts.push(("budget spent", format!("{spent} of {}{at}", significant(account.cap, 4))));
    }
    facts
}

/// The title with a few facts under it.
pub(crate) fn titled(title: &str, facts: Vec<(&'static str, String)>) -> Element {
    let facts = facts.into_iter().map(|(name, value)| {
        Element::new("div")
            .child(Element::new("dt").text(name))
            .child(Element::new("dd").text(value))
    });
    Element::new("header")
        .child(Element::new("h1").text(title))
        .child(Element::new("dl").class("key-facts").children(facts))
}

/// A heading and what stands under it.
pub(crate) type Section = (String, Vec<Element>);

pub(crate) fn section((title, content): Section) -> Element {
    Element::new("section").child(Element::new("h2").text(title)).children(content)
}

/// What was found.
fn results(report: &Report) -> Vec<Section> {
    let mut answer = reading::findings(report);
    answer.extend(reading::answer(report));
    answer.extend(picture::figure(report));
    answer.extend(curves::figure(report));
    answer.extend(crosses::figure(report));
    let note = Element::new("p").class("note").text(how_to_read(report));
    let mut numbers = Vec::new();
    if report.is_long() {
        numbers.push(search::field());
    }
    numbers.push(table::table(report));
    if report.is_long() && report.coefficients.len() > ON_PAPER {
        let on_paper = "On paper the table ends here. All of it is on the screen, and in what `discretion export` writes.";
        numbers.push(Element::new("p").class("on-paper").text(on_paper));
    }
    numbers.push(note);
    let mut sections = vec![
        (format!("What goes with {}", outcome(&report.target)), answer),
        (NUMBERS.to_owned(), numbers),
    ];
    sections.extend(report.quality.as_ref().map(|quality| quality::section(quality, report.unit)));
    sections
}

/// What it rests on.
fn background(report: &Report) -> Vec<Section> {
    let mut sections = Vec::new();
    let coverage = reading::coverage(report);
    if !coverage.is_empty() {
        sections.push(("What the intervals cover".to_owned(), coverage));
    }
    if let Some(guarantee) = promised(report) {
        let (title, mut content) = promise("model", guarantee, report.unit);
        content.extend(report.whom.as_ref().map(|whom| Element::new("p").text(whom)));
        sections.push((title, content));
    }
    if let Some(account) = &report.account {
        sections.push(("What it cost".to_owned(), check::cost(account, promised(report))));
    }
    sections.push(("The data".to_owned(), columns::columns(report)));
    sections.push(("How it was made".to_owned(), check::run(report)));
    sections.push(("How to check and cite".to_owned(), check::check(report)));
    sections
}

/// What a guarantee says about a thing.
pub(crate) fn promise(thing: &str, guarantee: Budget, unit: Unit) -> Section {
    let strong =
        Element::new("strong").text(format!("{} with {}", guarantee.name(), guarantee.symbols()));
    let name = Element::new("p").text(format!("This {thing} has ")).child(strong);
    let name = name.text(match unit {
        Unit::Row => ", between tables of the same size that differ in one row.",
        Unit::Person => {
            ", between tables of the same persons that differ in the rows of one of them."
        }
    });
    let content = std::iter::once(name).chain(guarantee.paragraphs(unit)).collect();
    ("What each person is promised".to_owned(), content)
}

/// How to read a row of the table.
fn how_to_read(report: &Report) -> String {
    let mut text = String::new();
    if report.is_long() {
        text.push_str(match report.has_intervals() {
            true => {
                "The most certain effects come first: those that are largest in relation to their interval. "
            }
            false => "The most certain effects come first. ",
        });
    }
    if report.has_noise() {
        text.push_str(
            "Noise alone: where the rows say nothing, noise for privacy keeps all effects within as much around 0, in 19 of 20 \
             runs; where they say something, it does less. ",
        );
    }
    if report.coefficients.iter().any(|c| c.effect.is_some()) {
        text.push_str(
            "Per unit: for one more of the column, or of its logarithm where the table says so; for a category, beside the \
             one it is compared with. On the encoded scale the categories of a column are hard to tell from the \
             intercept, so their intervals are wide there. ",
        );
    } else if report.coefficients.iter().any(|c| c.own_unit.is_some()) {
        text.push_str(
            "Per unit: for one more of the column, or of its logarithm where the table says so. ",
        );
    }
    if report.has_intervals() {
        text.push_str("p is two-sided, for no effect. ");
        text.push_str(
            "Sampling is the width that would be left without noise for privacy, and privacy is the rest. ",
        );
    }
    if report.several_classes {
        text.push_str(
            "A class's score is compared with those of the others: what raises it makes the class likelier than they are. ",
        );
    }
    text.push_str(
        "All coefficients are of one model, each with the others held fixed; none says what causes what.",
    );
    text
}

/// A table of words ("columns") or of numbers ("coefficients"), with names above its columns.
pub(crate) fn table(
    class: &str,
    names: &[&str],
    rows: impl Iterator<Item = Element>,
    label: &str,
) -> Element {
    let cells = names.iter().map(|name| Element::new("th").set("scope", "col").text(*name));
    let head = Element::new("thead").child(Element::new("tr").children(cells));
    let table = Element::new("table").class(class).child(head);
    scrolling(table.child(Element::new("tbody").children(rows)), label)
}

/// One of its rows.
pub(crate) fn table_row(name: impl Into<String>, cells: impl Iterator<Item = String>) -> Element {
    let cells = cells.map(|text| Element::new("td").text(text));
    Element::new("tr")
        .child(Element::new("th").set("scope", "row").text(name.into()))
        .children(cells)
}

/// A table that scrolls inside its own box, also by keyboard, so that the page never does sideways.
pub(crate) fn scrolling(table: Element, name: &str) -> Element {
    let region = Element::new("div").class("scroll").set("role", "region").set("tabindex", 0);
    region.set("aria-label", name).child(table)
}
