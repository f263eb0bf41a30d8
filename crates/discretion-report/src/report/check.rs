//! What the run cost, how it was made, how to check it and how to cite it.

use super::question::outcome;
use super::{Account, Origin, Report};
use crate::markup::Element;
use crate::numbers::{at_least, at_most, count, equals, percent, short, significant};
use crate::words::{self, Promise};
use discretion::privacy::{Budget, Unit};

/// What this run cost, and why that is not what it promises where it is not; and what is left.
pub fn cost(account: &Account, promised: Option<Budget>) -> Vec<Element> {
    let Account { name, symbol, run: run_cost, spent, cap, delta } = account;
    let at = delta.map(|delta| format!(" at {}", equals("δ", &short(delta)))).unwrap_or_default();
    let left = (cap - spent).max(0.0);
    let share = if *cap > 0.0 { (spent / cap).clamp(0.0, 1.0) } else { 1.0 };
    let why = promised.and_then(|run| words::price(symbol, *run_cost, run, &run.symbols()));
    let why = why.map(|why| format!(" ({why})")).unwrap_or_default();
    let text = format!(
        "This run takes {} of its account{why}. With it the account “{name}” has spent {} of {}{at}; {} is left \
         for all that may still be released from this table.",
        equals(symbol, &at_most(*run_cost, 4)),
        equals(symbol, &at_most(*spent, 4)),
        significant(*cap, 4),
        at_least(left, 3),
    );
    let full = Element::new("span").set("style", format!("width:{:.1}%", 100.0 * share));
    let bar = Element::new("div")
        .class("budget")
        .set("role", "img")
        .set("aria-label", format!("{} of the budget is spent", percent(share)));
    vec![Element::new("p").text(text), bar.child(full)]
}

/// How λ was chosen, and further facts of the run.
pub fn run(report: &Report) -> Vec<Element> {
    let lambda = std::iter::once(equals("λ", &significant(report.lambda.value, 4)) + ".")
        .chain(report.lambda.chosen.iter().cloned())
        .collect::<Vec<_>>()
        .join(" ");
    let further = report.run.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    vec![facts(std::iter::once(("regularisation", lambda.as_str())).chain(further))]
}

/// A list of names and values.
pub fn facts<'f>(facts: impl Iterator<Item = (&'f str, &'f str)>) -> Element {
    facts.fold(Element::new("dl").class("facts"), |list, (name, value)| {
        list.child(Element::new("dt").text(name)).child(Element::new("dd").text(value))
    })
}

/// How to check the page and cite it.
pub fn check(report: &Report) -> Vec<Element> {
    let mut content = checks(&report.origin, "model");
    let cite =
        Element::new("p").child(Element::new("strong").text("To cite. ")).text(citation(report));
    content.push(cite);
    content
}

/// How to check a page about a thing.
pub fn checks(origin: &Origin, thing: &str) -> Vec<Element> {
    let mut content = Vec::new();
    let mut commands: Vec<(String, String)> = Vec::new();
    if let Some(sha256) = &origin.sha256 {
        commands.push((
            format!("sha256sum {}", shell_word(&origin.model_file)),
            format!("{sha256} if it is the file this page was made from"),
        ));
    }
    if let Some(charge) = &origin.charge {
        let ledger = charge.ledger.as_deref().map(|file| format!(" --ledger {}", shell_word(file)));
        let ledger = ledger.unwrap_or_default();
        commands.push((
            format!("discretion ledger verify{ledger}"),
            "whether any entry was changed, left out or put in".to_owned(),
        ));
        commands.push((
            format!("discretion ledger show {}{ledger}", shell_word(&charge.account)),
            format!("entry {} paid for this {thing}", charge.number),
        ));
    }
    if !commands.is_empty() {
        let list = commands.into_iter().fold(
            Element::new("dl").class("commands"),
            |list, (command, shows)| {
                list.child(Element::new("dt").child(Element::new("code").text(command)))
                    .child(Element::new("dd").text(shows))
            },
        );
        let who = format!("Anyone who holds the {thing} file or the ledger can check:");
        content.push(Element::new("p").text(who));
        content.push(list);
    }
    content
}

/// One sentence with all that a reader needs to tell what was done.
fn citation(report: &Report) -> String {
    let guarantee = match (&report.guarantee, &report.not_private) {
        (Some(guarantee), None) => {
            format!(
                "under {} ({}; {})",
                guarantee.name(),
                guarantee.symbols(),
                replaced(report.unit)
            )
        }
        _ => "without any privacy guarantee".to_owned(),
    };
    let paid = match &report.origin.charge {
        Some(charge) => {
            format!("; entry {} of the ledger account “{}”", charge.number, charge.account)
        }
        None => String::new(),
    };
    format!(
        "Coefficients for {} from {} {}, {}, trained with {} {guarantee}{paid}.",
        outcome(&report.target),
        count(report.rows),
        report.unit.plural(),
        equals("λ", &significant(report.lambda.value, 4)),
        report.origin.program,
    )
}

/// What neighbouring tables differ in.
pub fn replaced(unit: Unit) -> &'static str {
    match unit {
        Unit::Row => "one row replaced",
        Unit::Person => "all rows of one person replaced",
    }
}

/// A word that a shell takes as it is.
pub fn shell_word(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./+:@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_takes_words_as_they_are() {
        assert_eq!(
            ["demo/model.json", "my account", "it's", ""].map(shell_word),
            ["demo/model.json", "'my account'", "'it'\\''s'", "''"]
        );
    }

    #[test]
    fn what_is_spent_is_never_rounded_down() {
        let account = Account {
            name: "a".to_owned(),
            symbol: "ε".to_owned(),
            run: 1.000_01,
            spent: 2.345_61,
            cap: 3.0,
            delta: Some(1e-6),
        };
        let text: String = cost(&account, Some(Budget::Pure { epsilon: 1.0 }))
            .iter()
            .map(ToString::to_string)
            .collect();
        let text = text.replace('\u{a0}', " ");
        assert!(text.contains("This run takes ε = 1.001 of its account."), "{text}");
        assert!(text.contains("has spent ε = 2.346 of 3 at δ = 10⁻⁶; 0.654 is left"), "{text}");
        assert!(text.contains("width:78.2%"), "{text}");
    }
}
