//! The page about the model of a number, from its file: public facts and released values, nothing
//! else.

use super::facts::visible;
use super::page::{Page, Section, promise, promised_and_spent, scrolling, section, titled};
use super::{Coefficient, check, columns, of_model, quality};
use crate::markup::Element;
use crate::numbers::plain::{short, significant};
use crate::numbers::{count, percent};
use crate::terminal::number_of;
use crate::words;
use discretion_formats::{Artefact, ModelQuality, NumberModel};
use std::path::Path;

/// The page about the model at `path`. `ledger` is named if it is not where the program looks by
/// itself.
pub fn html(model: &NumberModel, path: &Path, ledger: Option<&Path>) -> String {
    let (training, each) = (&model.training, model.each());
    let is_one = each.len() == 1;
    let goes = if is_one { "goes" } else { "go" };
    let title = format!("What {} {goes} with", visible(&model.predicted()));
    let origin =
        of_model::origin(model.program(), path, &model.to_json(), model.ledger.as_ref(), ledger);
    let account = model.ledger.as_ref().and_then(of_model::account);
    let promised = model.privacy.guarantee.filter(|_| model.warning.is_none());

    let unit = model.privacy.unit;
    let mut facts =
        vec![(unit.plural(), count(model.rows())), ("coefficients", count(training.dimension))];
    for (part, fit) in each.iter().filter_map(|part| Some((part, part.fit.squares.as_ref()?))) {
        let of =
            if is_one { String::new() } else { format!(" of {}", part.schema.target().column) };
        facts.push(("explained (R²)", percent(fit.explained) + &of));
        facts.push((
            "left around a prediction",
            format!("±{}{of}", significant(fit.residual_deviation, 3)),
        ));
    }
    facts.extend(promised_and_spent(promised, account.as_ref()));
    let mut found = vec![titled(&title, facts)];
    found.extend(each.iter().map(|part| {
        let column = visible(&part.schema.target().column);
        let of = if is_one { String::new() } else { format!(" of {column}") };
        section((format!("The coefficients{of}"), coefficients(part)))
    }));
    found.extend(model.quality.as_ref().map(|quality| {
        section(quality::section(&ModelQuality::Number(quality.clone()), model.privacy.unit))
    }));

    let mut background: Vec<Section> = Vec::new();
    if let Some(guarantee) = promised {
        background.push(promise("model", guarantee, unit));
    }
    if let Some(account) = &account {
        background.push(("What it cost".to_owned(), check::cost(account, promised)));
    }
    let declared = columns::declared(model.schema.columns().iter());
    let data = format!(
        "{} {}, a public number; no row was left out. {} A number outside its bounds is clipped to them, the outcome too.",
        count(model.rows()),
        unit.plural(),
        columns::provenance(model.schema.from_rows())
    );
    background.push(("The data".to_owned(), vec![Element::new("p").text(data), declared]));
    background.push((
        "How it was made".to_owned(),
        vec![check::facts(made(model, &each).iter().map(|(name, value)| (*name, value.as_str())))],
    ));
    background.push(("How to check and use".to_owned(), check::checks(&origin, "model")));
    let page = Page {
        title: &title,
        program: model.program(),
        not_private: model.warning.as_deref(),
        searchable: false,
    };
    page.document(found.into_iter(), background)
}

fn made(model: &NumberModel, each: &[NumberModel]) -> Vec<(&'static str, String)> {
    let training = &model.training;
    let mut facts = vec![("loss", words::number_loss(training.loss).to_owned())];
    for part in each {
        facts.push(("predicts", part.fit.of.clone()));
        facts.push(("lambda", significant(part.training.lambda, 4)));
        if let Some(fit) = &part.fit.squares {
            let mean = format!(
                "{}, with a standard deviation of {}",
                short(fit.mean),
                short(fit.deviation)
            );
            facts.push(("mean of that", mean));
        }
    }
    if training.released > 0 && model.fit.squares.is_some() {
        facts.push(("released", format!("{} sums", count(training.released))));
    }
    facts.push(("noise", training.noise.clone()));
    facts
}

fn coefficients(model: &NumberModel) -> Vec<Element> {
    let cell = |tag: &'static str, text: String| Element::new(tag).text(text);
    let heading = ["coefficient of", "per unit", "interval"];
    let columns = if model.fit.squares.is_some() { heading.len() } else { 2 };
    let heading = heading[..columns].iter().copied().map(|text| cell("th", text.to_owned()));
    let rows = model.coefficients.iter().enumerate().map(|(i, coefficient)| {
        let name = coefficient.of.as_ref().unwrap_or(&coefficient.name).clone();
        let cells = match number_of(i, coefficient) {
            None => [name, "compared with".to_owned(), String::new()],
            Some((value, None)) => [name, significant(value, 4), String::new()],
            Some((value, Some(ends))) => {
                let ends =
                    format!("{} to {}", significant(ends.lower, 4), significant(ends.upper, 4));
                [name, significant(value, 4), ends]
            }
        };
        Element::new("tr").children(cells.into_iter().take(columns).map(|text| cell("td", text)))
    });
    let table = Element::new("table")
        .child(Element::new("thead").child(Element::new("tr").children(heading)))
        .child(Element::new("tbody").children(rows));
    let intervals = model.fit.squares.as_ref().map_or_else(String::new, |fit| {
        format!(" Intervals are at {} %, for {}.", short(100.0 * fit.level), fit.covers)
    });
    let note = format!(
        "Per unit: how much more {} there is for one more of the column, or of its logarithm where the table says so; for a \
         category, beside the one it is compared with.{intervals} All coefficients are of one model, each with the others held \
         fixed; none says what causes what.",
        model.fit.of
    );
    vec![scrolling(table, "The coefficients"), Element::new("p").class("note").text(note)]
}

/// The coefficients of a number's model, as pages and tables show them.
pub(crate) fn coefficients_of(model: &NumberModel) -> Vec<Coefficient> {
    let level = model.fit.squares.as_ref().map(|fit| fit.level);
    let placed = model.coefficients.iter().zip(of_model::places(&model.schema));
    placed.map(|(own, place)| of_model::coefficient(own, place, level)).collect()
}
