//! The pages of a dossier: one for a board, and one for everybody.

use super::answers::answers;
use super::{Attacker, Dossier};
use crate::markup::Element;
use crate::numbers::{count, percent};
use crate::report::page::{Page, Section, promise, section, table, table_row, titled};
use crate::words::Promise;
use discretion::privacy::Unit;

fn paragraph(text: impl Into<String>) -> Element {
    Element::new("p").text(text.into())
}

fn page(
    dossier: &Dossier<'_>,
    title: &str,
    facts: Vec<(&'static str, String)>,
    found: Vec<Section>,
) -> String {
    let page = Page {
        title,
        program: dossier.model.program,
        not_private: dossier.model.warning,
        searchable: false,
    };
    page.document(
        std::iter::once(titled(title, facts)).chain(found.into_iter().map(section)),
        Vec::new(),
    )
}

/// For a review board.
pub fn board(dossier: &Dossier<'_>) -> String {
    let model = &dossier.model;
    let promised =
        model.privacy.guarantee.map_or("none".to_owned(), |guarantee| guarantee.symbols());
    let facts = vec![
        (model.privacy.unit.plural(), count(model.rows)),
        ("guarantee", promised),
        ("program", model.program.to_owned()),
    ];
    let mut sections = Vec::new();
    let missing = dossier.missing();
    if !missing.is_empty() {
        let items = missing.iter().map(|question| {
            Element::new("li").text(format!(
                "{} (`{}` in [about])",
                question.asks(),
                question.key()
            ))
        });
        sections
            .push(("To be said by a person".to_owned(), vec![Element::new("ul").children(items)]));
    }
    let about = [("Legal basis", &dossier.about.legal_basis), ("Contact", &dossier.about.contact)];
    let said: Vec<Element> = about
        .into_iter()
        .filter_map(|(name, said)| said.as_ref().map(|said| paragraph(format!("{name}: {said}"))))
        .collect();
    if !said.is_empty() {
        sections.push(("Who answers for it".to_owned(), said));
    }
    sections.extend(
        model.privacy.guarantee.map(|guarantee| promise("model", guarantee, model.privacy.unit)),
    );
    sections.extend(model.privacy.guarantee.map(|guarantee| attacker(&Attacker::under(guarantee))));
    let rows = answers(dossier).into_iter().map(|answer| {
        table_row(answer.point, [answer.answer, answer.shown.to_owned()].into_iter())
    });
    sections.push((
        "The points of NIST SP 800-226".to_owned(),
        vec![table("columns", &["point", "what holds", "where it is shown"], rows, "Points")],
    ));
    let commands = dossier
        .commands()
        .into_iter()
        .map(|line| Element::new("li").child(Element::new("code").text(line)));
    let mut checks = vec![paragraph(format!("The model file has the SHA-256 {}.", dossier.sha256))];
    checks.extend(
        dossier.head.as_ref().map(|head| paragraph(format!("The ledger's head was {head}."))),
    );
    checks.push(Element::new("ul").children(commands));
    sections.push(("How to check it".to_owned(), checks));
    page(dossier, &format!("Dossier: {}", dossier.name()), facts, sections)
}

/// For everybody, in one screen.
pub fn everyone(dossier: &Dossier<'_>) -> String {
    let model = &dossier.model;
    let mut content = vec![paragraph(dossier.description())];
    match model.privacy.guarantee {
        Some(guarantee) => {
            let attacker = Attacker::under(guarantee);
            let rows = count(model.rows);
            let (among, there, others) = match model.privacy.unit {
                Unit::Row => (
                    format!("Your row may be among the {rows}."),
                    "your row is there or another in its place",
                    "every other row",
                ),
                Unit::Person => (
                    format!("You may be among the {rows} persons."),
                    "your rows are there or others in their place",
                    "the rows of everybody else",
                ),
            };
            content.push(paragraph(format!(
                "{among} Noise was added so that the published numbers look almost the same whether {there}. \
                 Suppose somebody knows {others}, and wants to know one yes-or-no fact about you. Without these \
                 numbers a coin is right half of the time. With them, the best guess is right at most {} of the time.",
                percent(attacker.attribute[0].right_after)
            )));
            content.push(paragraph(
                "What the numbers say about people in general they may say about you too: that smoking goes with illness is true of you \
                 whether or not your row is there. That is what such studies are for, and no noise hides it.",
            ));
        }
        None => content
            .push(paragraph("Nothing is promised to the people in these rows: this is a test.")),
    }
    if let Some(use_for) = &dossier.about.intended_use {
        content.push(paragraph(format!("It is meant for this: {use_for}")));
    }
    if let Some(contact) = &dossier.about.contact {
        content.push(paragraph(format!("Questions: {contact}")));
    }
    page(
        dossier,
        &dossier.name(),
        Vec::new(),
        vec![("What this means for you".to_owned(), content)],
    )
}

fn attacker(attacker: &Attacker) -> Section {
    let tests = attacker
        .membership
        .iter()
        .map(|at| table_row(percent(at.false_positives), [percent(at.true_positives)].into_iter()));
    let guesses = attacker.attribute.iter().map(|from| {
        let cells = [from.right_before, from.right_after, from.believed_after];
        table_row(percent(from.prior), cells.into_iter().map(percent))
    });
    let content = vec![
        paragraph(
            "For somebody who knows every other row and computes whatever there is to compute. No attack can do better.",
        ),
        table(
            "coefficients",
            &["says wrongly that a row is there", "says so rightly, at most"],
            tests,
            "Tests",
        ),
        table(
            "coefficients",
            &[
                "a yes was likely before",
                "best guess right before",
                "and after, at most",
                "a yes believed after, at most*",
            ],
            guesses,
            "Guesses",
        ),
        Element::new("p").class("note").text(
            "* of those about whom the attacker says yes, while he says so wrongly of one in a hundred.",
        ),
    ];
    ("What it means for an attacker".to_owned(), content)
}
