//! The answer in words: which signs are clear, what the intervals cover, and how much of them is
//! privacy.

use super::{Coefficient, Effect, Ordinary, Place, Report};
use crate::markup::Element;
use crate::numbers::{count, equals, percent, significant};
use discretion::loss::LossKind;

/// More names than this in a sentence are counted.
const MOST_NAMED: usize = 6;

/// The answer in a few sentences, a paragraph each.
pub fn answer(report: &Report) -> Vec<Element> {
    match report.level.filter(|_| report.has_intervals()) {
        Some(level) if report.is_long() => of_many(report, level),
        Some(level) => by_intervals(report, level),
        None if report.has_noise() => by_noise(report),
        None => {
            vec![without_intervals(Element::new("p").class("answer"), report.not_private.is_some())]
        }
    }
}

/// What makes the outcome more likely, and what less.
fn named(clear: &[&Coefficient]) -> Vec<Element> {
    let mut paragraphs = Vec::new();
    for (sign, lead) in [(1.0, "More likely with "), (-1.0, "Less likely with ")] {
        let names: Vec<String> = clear
            .iter()
            .filter(|effect| effect.estimate().value * sign > 0.0)
            .map(|effect| in_words(effect))
            .collect();
        if !names.is_empty() {
            let paragraph =
                Element::new("p").class("answer").child(Element::new("strong").text(lead));
            paragraphs.push(paragraph.text(format!("{}.", listed(&names))));
        }
    }
    paragraphs
}

fn by_intervals(report: &Report, level: f64) -> Vec<Element> {
    let (mut clear, open): (Vec<&Coefficient>, Vec<&Coefficient>) =
        report.effects().partition(|effect| {
            effect.estimate().interval.is_some_and(|interval| !interval.contains_zero())
        });
    clear.sort_by(|a, b| b.certainty().total_cmp(&a.certainty()));
    let mut paragraphs = named(&clear);
    let all = clear.len() + open.len();
    let rest = match (clear.len(), open.len()) {
        (0, _) => {
            "No interval leaves out 0: this table, at this budget, does not show the sign of any coefficient."
                .to_owned()
        }
        (_, 0) => "Every interval leaves out 0.".to_owned(),
        (_, 1) => "One more interval contains 0, and its sign stays open.".to_owned(),
        (_, open) => format!("The other {} intervals contain 0, and their signs stay open.", count(open)),
    };
    paragraphs.push(Element::new("p").text(format!(
        "{rest} Each interval stands for itself: if no fact mattered, {} of {} would still leave out 0 by chance.",
        by_chance(level, all),
        count(all)
    )));
    paragraphs
}

/// How many intervals of so many leave out 0 if nothing matters.
fn by_chance(level: f64, all: usize) -> String {
    let expected = (1.0 - level) * all as f64;
    if expected < 0.95 { "fewer than one".to_owned() } else { format!("about {expected:.0}") }
}

/// Of many effects some leave out 0 by chance; those that are named would, all together, hardly
/// ever.
fn of_many(report: &Report, level: f64) -> Vec<Element> {
    let certain = report.certain();
    let all = report.effects().count();
    let alone = report
        .effects()
        .filter(|effect| {
            effect.estimate().interval.is_some_and(|interval| !interval.contains_zero())
        })
        .count();
    let mut paragraphs = named(&certain);
    let certain = match certain.len() {
        0 => "No effect is certain".to_owned(),
        1 => "This effect is certain".to_owned(),
        many => format!("These {} effects are certain, the most certain first", count(many)),
    };
    paragraphs.push(Element::new("p").text(format!(
        "{certain}: if no fact mattered, not one of {} would be found so, with probability {}. By itself, the interval of {} leaves \
         out 0, and by chance {} would.",
        count(all),
        percent(level),
        count(alone),
        by_chance(level, all)
    )));
    paragraphs
}

/// Without intervals, an effect is compared with what noise alone makes.
fn by_noise(report: &Report) -> Vec<Element> {
    let certain = report.certain();
    let all = report.effects().count();
    let mut paragraphs = named(&certain);
    let (found, others) = match (certain.len(), all - certain.len()) {
        (0, _) => ("No effect is".to_owned(), "All of them"),
        (1, _) => ("This effect is".to_owned(), "The others"),
        (many, 0) => (format!("All {} effects are", count(many)), ""),
        (many, _) => (format!("These {} of {} effects are", count(many), count(all)), "The others"),
    };
    let others = if others.is_empty() { String::new() } else { format!(" {others} may be noise.") };
    paragraphs.push(Element::new("p").text(format!(
        "{found} larger than noise for privacy alone makes any of them, in 19 of 20 runs, where the rows say nothing.{others} \
         This does not allow for the rows being a sample, as intervals do.",
    )));
    paragraphs.push(how_to_get_intervals(Element::new("p"), false));
    paragraphs
}

fn without_intervals(paragraph: Element, free: bool) -> Element {
    let paragraph = paragraph
        .text("These estimates have no intervals, so nothing here tells which of them are more than noise. ");
    how_to_get_intervals(paragraph, free)
}

fn how_to_get_intervals(paragraph: Element, free: bool) -> Element {
    let code = |text: &str| Element::new("code").text(text);
    paragraph
        .text("To get intervals, put ")
        .child(code("[intervals]"))
        .text(" with ")
        .child(code("level = 0.95"))
        .text(match free {
            true => " into the study file and fit again, with privacy.",
            false => " into the study file and fit again; they are paid from the same budget.",
        })
}

fn in_words(coefficient: &Coefficient) -> String {
    let against = match &coefficient.effect {
        Some(Effect { against: Some(other), .. }) => format!(" rather than {other}"),
        _ => String::new(),
    };
    match coefficient.heading_and_label() {
        (Some(column), value) => format!("{column}: {value}{against}"),
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

/// What the intervals cover, and what they do not.
pub fn coverage(report: &Report) -> Vec<Element> {
    let Some(level) = report.level.filter(|_| report.has_intervals()) else { return Vec::new() };
    let loss = match report.loss {
        LossKind::Logistic => "logistic loss",
        LossKind::Hinge | LossKind::HingeOver(_) => "Huberised hinge loss",
        LossKind::Huber => "Huber loss",
    };
    if let Some(ordinary) = &report.ordinary {
        return of_ordinary(ordinary, level, &report.coefficients);
    }
    let told = match report.steps {
        0 => regularised(report, level, loss),
        _ => without_penalty(report, level, loss),
    };
    let mut paragraphs = vec![Element::new("p").text(told)];
    if let Some(warning) = &report.lambda.warning {
        let mark = Element::new("strong").text("λ matters here. ");
        paragraphs.push(Element::new("p").class("caution").child(mark).text(warning));
    }
    if let Some([sampling, coefficients, matrices]) = median_shares(&report.coefficients) {
        let part = |share: f64| format!("{}\u{a0}%", (100.0 * share).round());
        paragraphs.push(Element::new("p").text(format!(
            "The width has three sources. Without the noise for privacy the middle one of these intervals would be {} as \
             wide. Of its squared width {} come from the rows being a sample, {} from the noise in the coefficients and {} \
             from the noise in the released sums that widths are computed from. The first part shrinks only with more \
             rows, the others with more rows or a larger budget.",
            part(sampling.sqrt()),
            part(sampling),
            part(coefficients),
            part(matrices)
        )));
    }
    paragraphs
}

/// The same of ordinary coefficients.
fn of_ordinary(ordinary: &Ordinary, level: f64, coefficients: &[Coefficient]) -> Vec<Element> {
    let Ordinary { covers, rough, .. } = ordinary;
    let mut paragraphs = vec![Element::new("p").text(format!(
        "Each {} interval is for {covers}. It allows for the rows being a sample, for the noise added for privacy, and for \
         the most that the penalty can have taken. It is an approximation for many rows.",
        percent(level)
    ))];
    if let Some(rough) = rough {
        let mark = Element::new("strong").text("These widths are rough: ");
        let sentence = Element::new("p").class("caution").child(mark).text(format!("{rough}."));
        paragraphs.push(sentence);
    }
    let bounds = coefficients.iter().filter(|c| c.place != Place::Intercept).filter_map(|c| {
        c.effect.as_ref().and_then(|effect| effect.estimate.interval).and_then(|of| of.bound)
    });
    let mut shares: Vec<[f64; 3]> = bounds.map(|bound| bound.shares).collect();
    if !shares.is_empty() {
        shares.sort_by(|a, b| a[2].total_cmp(&b[2]));
        let [sampling, privacy, bound] =
            shares[shares.len() / 2].map(|share| format!("{}\u{a0}%", (100.0 * share).round()));
        paragraphs.push(Element::new("p").text(format!(
            "The width has three sources. Of the squares of all three, in the middle one of these intervals {sampling} come \
             from the rows being a sample, {privacy} from the noise for privacy and {bound} from the declared bound: where \
             rows and budget say little, the penalty speaks, and nothing but the bound says how much it took. The first \
             part shrinks only with more rows, the others with more rows or a larger budget."
        )));
    }
    paragraphs
}

/// Effects by name, at the top of the page.
pub fn findings(report: &Report) -> Vec<Element> {
    let lines = report.ordinary.iter().flat_map(|ordinary| &ordinary.findings);
    let line = |(heading, names): &(&str, String)| {
        let mark = Element::new("strong").text(format!("{}: ", capitalised(heading)));
        Element::new("p").class("finding").child(mark).text(format!("{names}."))
    };
    lines.map(line).collect()
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

fn regularised(report: &Report, level: f64, loss: &str) -> String {
    format!(
        "Each {} interval is for the λ-regularised population parameter θ₀(λ): the coefficients that minimise the mean \
         {loss} over the population from which the rows came, plus (λ/2)‖θ‖² with {}. It allows both for the rows \
         being a sample and for the noise added for privacy. It is an approximation for many rows. It is not an \
         interval for the coefficients without regularisation, which are larger in size as a rule.",
        percent(level),
        equals("λ", &significant(report.lambda.value, 3))
    )
}

fn without_penalty(report: &Report, level: f64, loss: &str) -> String {
    format!(
        "Each {} interval is for the coefficients that minimise the mean {loss} over the population from which the rows came. A \
         penalty with {} pulled the trained coefficients towards 0; estimates and intervals have what it took given back. They \
         allow for the rows being a sample and for the noise added for privacy. This is an approximation for many rows.",
        percent(level),
        equals("λ", &significant(report.lambda.value, 3))
    )
}

/// The shares in the squared width of the interval in which sampling has the median one.
fn median_shares(coefficients: &[Coefficient]) -> Option<[f64; 3]> {
    let intervals = coefficients.iter().filter_map(|coefficient| coefficient.estimate().interval);
    let mut shares: Vec<[f64; 3]> = intervals.filter_map(|interval| interval.shares()).collect();
    shares.sort_by(|a, b| a[0].total_cmp(&b[0]));
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
    }
}
