//! The ROC curve with its band, and how often what was predicted came true.

use crate::chart::Lines;
use crate::chart::lines::{Point, Series, Spread};
use crate::markup::Element;
use crate::numbers::percent;
use crate::report::facts::visible;
use crate::svg::{Axis, Layout};
use discretion::quality::{BinFigures, Estimate, Figures};
use discretion_formats::{ClassQualityFacts, NumberQualityFacts, QualityFacts};

/// For a screen or paper, and for a phone: width and height.
const SIZES: [(&str, [f64; 2]); 2] = [("wide", [704.0, 400.0]), ("narrow", [336.0, 336.0])];

fn figure(chart: impl Fn([f64; 2]) -> Lines, caption: &str) -> Element {
    SIZES
        .into_iter()
        .fold(Element::new("figure"), |figure, (class, size)| {
            figure.child(Element::new("div").class(class).child(chart(size).draw().inline()))
        })
        .child(Element::new("figcaption").text(caption))
}

fn axis(label: &str) -> Axis {
    Axis { label: label.to_owned(), layout: Layout::Linear }
}

fn diagonal(name: &str) -> Series {
    let point = |at: f64| Point { x: at, y: at, range: None };
    Series { name: name.to_owned(), points: vec![point(0.0), point(1.0)], spread: Spread::Bars }
}

fn corner(at: f64) -> Point {
    Point { x: at, y: at, range: Some([at, at]) }
}

/// True positives against false ones, at every threshold.
pub fn roc(quality: &QualityFacts) -> Element {
    // From the strictest threshold on. Noise can make rates cross: the picture shows them as they
    // were released.
    let point = |x: &Estimate, y: &Estimate| Point {
        x: x.value,
        y: y.value,
        range: Some([y.lower, y.upper]),
    };
    let released = quality.figures.thresholds.iter().rev();
    let points = [corner(0.0)]
        .into_iter()
        .chain(released.map(|at| point(&at.false_positives, &at.recall)))
        .chain([corner(1.0)])
        .collect::<Vec<Point>>();
    let chart = |size: [f64; 2]| Lines {
        title: "ROC curve".to_owned(),
        description: "The same numbers are in the table of thresholds.".to_owned(),
        size,
        x: axis("share of negative rows above the threshold"),
        y: axis("share of positive rows above it"),
        series: vec![
            Series { name: "this model".to_owned(), points: points.clone(), spread: Spread::Band },
            diagonal("a coin"),
        ],
        reference: None,
    };
    let caption = format!(
        "The ROC curve: what a threshold catches, and at what price. The band is a {} interval for each threshold by itself.",
        percent(quality.level)
    );
    figure(chart, &caption)
}

/// How many of the rows were positive that were said to be so with some probability.
pub fn reliability(quality: &QualityFacts) -> Option<Element> {
    let points = reliable(&quality.figures);
    if points.is_empty() {
        return None;
    }
    let chart = |size: [f64; 2]| Lines {
        title: "Reliability diagram".to_owned(),
        description:
            "Predicted probability, and the share of positive rows with an interval, for each bin."
                .to_owned(),
        size,
        x: axis("predicted probability"),
        y: axis("share of positive rows"),
        series: vec![
            Series { name: "this model".to_owned(), points: points.clone(), spread: Spread::Bars },
            diagonal("predictions that are right on average"),
        ],
        reference: None,
    };
    Some(figure(
        chart,
        "Calibration: of the rows in each bin of scores, the share that is positive. Where the bar misses the diagonal, predicted \
         probabilities are off. A model under privacy is regularised more, which pulls predictions to the middle.",
    ))
}

/// What came true in each bin. A bin of which nothing is known would only fill the picture.
fn reliable(figures: &Figures) -> Vec<Point> {
    let known = figures.bins.iter().filter(|bin| bin.positive.upper - bin.positive.lower < 0.9);
    let point = |bin: &BinFigures| {
        let Estimate { value, lower, upper } = bin.positive;
        bin.probability.map(|x| Point { x, y: value, range: Some([lower, upper]) })
    };
    known.filter_map(point).collect()
}

/// More lines than this cannot be told apart.
const MOST_CLASSES: usize = 5;

/// The same for each of a few classes.
pub fn reliability_of_classes(quality: &ClassQualityFacts) -> Option<Element> {
    let each = quality.classes.iter().zip(&quality.figures.classes).take(MOST_CLASSES);
    let lines: Vec<(String, Vec<Point>)> = each
        .map(|(name, class)| (visible(name).to_owned(), reliable(&class.scores)))
        .filter(|(_, points)| !points.is_empty())
        .collect();
    if lines.is_empty() {
        return None;
    }
    let chart = |size: [f64; 2]| {
        Lines {
        title: "Reliability diagram".to_owned(),
        description:
            "Predicted probability of a class, and the share of its rows with an interval, for each bin."
                .to_owned(),
        size,
        x: axis("predicted probability of the class"),
        y: axis("share of its rows"),
        series: lines
            .iter()
            .map(|(name, points)| Series { name: name.clone(), points: points.clone(), spread: Spread::Bars })
            .chain([diagonal("right on average")])
            .collect(),
        reference: None,
    }
    };
    let which = match quality.classes.len() > MOST_CLASSES {
        true => format!(" The first {MOST_CLASSES} classes are drawn; all are in the file."),
        false => String::new(),
    };
    Some(figure(
        chart,
        &format!(
            "Calibration: of the rows that were said to be of a class with some probability, the share that is. Where a bar misses \
             the diagonal, predicted probabilities are off.{which}"
        ),
    ))
}

/// How often prediction intervals held, at several levels.
pub fn coverage(quality: &NumberQualityFacts) -> Element {
    let held = quality.figures.intervals.iter();
    let points: Vec<Point> = held
        .map(|at| Point {
            x: at.level,
            y: at.held.value,
            range: Some([at.held.lower, at.held.upper]),
        })
        .collect();
    let chart = |size: [f64; 2]| Lines {
        title: "Prediction intervals".to_owned(),
        description: "The same numbers are in the table that follows.".to_owned(),
        size,
        x: axis("level of prediction intervals"),
        y: axis("share of rows in theirs"),
        series: vec![
            Series { name: "this model".to_owned(), points: points.clone(), spread: Spread::Bars },
            diagonal("intervals that hold as often as they say"),
        ],
        reference: None,
    };
    figure(
        chart,
        "Prediction intervals: how often they hold the outcome, against their level. Below the diagonal they are too narrow, above it \
         too wide.",
    )
}
