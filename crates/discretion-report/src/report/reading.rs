//! The answer in words: which signs are clear, what the intervals cover, and how much of them is privacy.

use super::picture::prominence;
use super::question::outcome;
use super::{Coefficient, Loss, Place, Report};
use crate::markup::Element;
use crate::numbers::{count, percent, significant};

/// More names than this in a sentence are counted.
const MOST_NAMED: usize = 6;

/// The answer in a few sentences.
pub fn answer(report: &Report) -> Element {
    let effects: Vec<&Coefficient> =
        report.coefficients.iter().filter(|coefficient| coefficient.place != Place::Intercept).collect();
    let Some(level) = report.level.filter(|_| report.has_intervals()) else {
        return Element::new("p").class("answer").text(
            "The estimates below have no intervals, so nothing here says which of them are more than noise. To get \
             intervals, ask for them in the study file, ",
        ).child(Element::new("code").text("[intervals]")).text(" with ").child(Element::new("code").text("level = 0.95"))
        .text(", and fit again; they are paid from the same budget.");
    };
    let mut clear: Vec<&Coefficient> = effects
        .iter()
        .copied()
        .filter(|c| c.encoded.interval.is_some_and(|interval| !interval.contains_zero()))
        .collect();
    clear.sort_by(|a, b| prominence(b).total_cmp(&prominence(a)));
    let outcome = outcome(&report.target);
    let mut paragraph = Element::new("p").class("answer");
    for (sign, word) in [(1.0, "more"), (-1.0, "less")] {
        let names: Vec<String> =
            clear.iter().filter(|c| c.encoded.value * sign > 0.0).map(|c| in_words(c)).collect();
        if !names.is_empty() {
            paragraph = paragraph
                .child(Element::new("strong").text(capital(&format!("{outcome} is {word} likely with"))))
                .text(format!(" {}. ", listed(&names)));
        }
    }
    let open = effects.len() - clear.len();
    let expected = (1.0 - level) * effects.len() as f64;
    let rest = match (clear.len(), open) {
        (0, _) => "No interval leaves out 0: this table, at this budget, does not show the sign of any coefficient. ".to_owned(),
        (_, 0) => String::new(),
        (_, 1) => "One other interval contains 0, and its sign stays open. ".to_owned(),
        _ => format!("The other {} intervals contain 0, and their signs stay open. ", count(open)),
    };
    paragraph.text(rest).text(format!(
        "Each interval is for itself: of {} that are all about nothing, {} would leave out 0 by chance.",
        count(effects.len()),
        if expected < 0.95 { "fewer than one".to_owned() } else { format!("about {expected:.0}") }
    ))
}

fn in_words(coefficient: &Coefficient) -> String {
    match coefficient.heading_and_label() {
        (Some(column), value) => format!("{column}: {value}"),
        (None, column) => format!("higher {column}"),
    }
}

/// `a; b; c and 4 more`.
fn listed(names: &[String]) -> String {
    // One more than named is named too: "and 1 more" is no shorter.
    let named = if names.len() <= MOST_NAMED + 1 { names.len() } else { MOST_NAMED };
    let mut text = names[..named].join("; ");
    if named < names.len() {
        text.push_str(&format!(" and {} more", count(names.len() - named)));
    }
    text
}

fn capital(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map_or(String::new(), |first| first.to_uppercase().chain(characters).collect())
}

/// What the intervals cover, and what they do not.
pub fn coverage(report: &Report) -> Vec<Element> {
    let Some(level) = report.level.filter(|_| report.has_intervals()) else { return Vec::new() };
    let loss = match report.loss {
        Loss::Logistic => "logistic loss",
        Loss::Hinge => "Huberised hinge loss",
    };
    let mut paragraphs = vec![Element::new("p").text(format!(
        "Each {} interval is for the λ-regularised population parameter θ₀(λ): the coefficients that minimise the mean \
         {loss} over the population from which the rows came, plus (λ/2)‖θ‖² with λ = {}. It allows both for the rows \
         being a sample and for the noise added for privacy. It is an approximation for many rows. It is not an \
         interval for the coefficients without regularisation, which are larger in size as a rule.",
        percent(level),
        significant(report.lambda.value, 3)
    ))];
    if let Some(warning) = &report.lambda.warning {
        let mark = Element::new("strong").text("λ matters here. ");
        paragraphs.push(Element::new("p").class("caution").child(mark).text(warning));
    }
    if let Some(share) = median_share(&report.coefficients) {
        paragraphs.push(Element::new("p").text(format!(
            "The width has two sources. Without the noise for privacy the middle one of these intervals would be {} % \
             as wide: that part comes from sampling, and shrinks only with more rows. The rest is what privacy adds, and \
             shrinks with more rows or more budget.",
            significant(100.0 * share, 2)
        )));
    }
    paragraphs
}

/// The median share of sampling in the width of the intervals.
fn median_share(coefficients: &[Coefficient]) -> Option<f64> {
    let intervals = coefficients.iter().filter_map(|coefficient| coefficient.encoded.interval);
    let mut shares: Vec<f64> = intervals.filter_map(|interval| interval.sampling_share()).collect();
    shares.sort_by(f64::total_cmp);
    shares.get(shares.len() / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lists_are_counted() {
        let names = |n: usize| (0..n).map(|i| i.to_string()).collect::<Vec<_>>();
        assert_eq!(listed(&names(2)), "0; 1");
        assert_eq!(listed(&names(7)), "0; 1; 2; 3; 4; 5; 6");
        assert_eq!(listed(&names(9)), "0; 1; 2; 3; 4; 5 and 3 more");
        assert_eq!(capital("über"), "Über");
    }
}
