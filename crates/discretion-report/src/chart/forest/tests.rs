use super::*;
use crate::svg::{HEADING, Layout};

fn row(heading: Option<&str>, label: &str, estimate: f64, span: Option<Span>) -> Row {
    let name = heading.map_or(label.to_owned(), |heading| format!("{heading}={label}"));
    Row {
        heading: heading.map(str::to_owned),
        label: label.to_owned(),
        name,
        estimate,
        span,
        noise: None,
    }
}

fn span(lower: f64, upper: f64) -> Option<Span> {
    Some(Span { lower, upper, sampling: Some([lower + 0.25, upper - 0.25]), without_bound: None })
}

fn forest(width: f64, rows: Vec<Row>) -> Forest {
    Forest {
        title: "t".to_owned(),
        description: "d".to_owned(),
        width,
        axis: Axis { label: "coefficient".to_owned(), layout: Layout::Linear },
        reference: 0.0,
        towards: Some(["less likely".to_owned(), "more likely".to_owned()]),
        rows,
    }
}

/// The value of an attribute in a start tag.
fn attribute<'a>(tag: &'a str, name: &str) -> Option<&'a str> {
    let rest = tag.split_once(&format!(" {name}=\""))?.1;
    rest.split_once('"').map(|(value, _)| value)
}

fn number(tag: &str, name: &str) -> f64 {
    attribute(tag, name).unwrap_or_else(|| panic!("no {name} in {tag}")).parse().unwrap()
}

#[test]
fn marks_carry_every_digit_of_their_numbers() {
    let exact = 1.0 / 3.0;
    let rows = vec![
        row(None, "age", exact, span(-exact, 2.0 * exact)),
        row(Some("a\"b"), "<x>", -1e-9, None),
    ];
    let svg = forest(600.0, rows).draw().inline().to_string();
    let marks: Vec<&str> =
        svg.split("<g class=\"row\"").skip(1).map(|g| g.split_once('>').unwrap().0).collect();
    assert_eq!(marks.len(), 2);
    assert_eq!(attribute(marks[0], "data-name"), Some("age"));
    assert_eq!(
        ["data-estimate", "data-lower", "data-upper"].map(|name| number(marks[0], name)),
        [exact, -exact, 2.0 * exact]
    );
    assert_eq!(attribute(marks[1], "data-name"), Some("a&quot;b=&lt;x&gt;"));
    assert_eq!(
        (number(marks[1], "data-estimate"), attribute(marks[1], "data-lower")),
        (-1e-9, None)
    );
}

#[test]
fn marks_stand_where_their_numbers_say() {
    let rows = vec![row(None, "a", 1.0, span(-1.0, 3.0)), row(None, "b", -2.0, span(-3.0, -1.0))];
    let svg = forest(600.0, rows).draw().inline().to_string();
    let marks: Vec<&str> = svg.split("<g class=\"row\"").skip(1).collect();
    let zero = number(svg.lines().find(|line| line.contains("class=\"reference\"")).unwrap(), "x1");
    let part = |mark: &str, class: &str| {
        mark.lines().find(|line| line.contains(&format!("class=\"{class}\""))).unwrap().to_owned()
    };
    let ends =
        |mark: &str, class: &str| ["x1", "x2"].map(|name| number(&part(mark, class), name) - zero);
    let unit = number(&part(marks[0], "dot open"), "cx") - zero;
    let near = |a: [f64; 2], b: [f64; 2]| a.iter().zip(b).all(|(a, b)| (a - b * unit).abs() < 0.05);
    assert!(unit > 10.0 && near(ends(marks[0], "privacy"), [-1.0, 3.0]));
    // The sampling part is the thick one inside.
    assert!(near(ends(marks[0], "sampling"), [-0.75, 2.75]));
    // An interval with 0 has an open dot, one without it a full one.
    assert!((number(&part(marks[1], "dot"), "cx") - zero + 2.0 * unit).abs() < 0.05);
}

#[test]
fn ratios_are_drawn_about_1_on_a_log_scale() {
    let mut plot = forest(600.0, vec![row(None, "a", 4.0, None), row(None, "b", 0.25, None)]);
    plot.axis.layout = Layout::Log;
    plot.reference = 1.0;
    let svg = plot.draw().inline().to_string();
    let reference =
        number(svg.lines().find(|line| line.contains("class=\"reference\"")).unwrap(), "x1");
    let dots: Vec<f64> = svg
        .lines()
        .filter(|line| line.contains("class=\"dot\""))
        .map(|l| number(l, "cx"))
        .collect();
    assert!(
        (dots[0] - reference - (reference - dots[1])).abs() < 0.05,
        "{dots:?} about {reference}"
    );
}

#[test]
fn no_label_is_cut_or_meets_the_plot() {
    let long = [
        "Married-civ-spouse",
        "Outlying-US(Guam-USVI-etc)",
        "Supercalifragilisticexpialidocious",
        "Łódź, Polska",
    ];
    for width in [340.0, 720.0] {
        let rows = long
            .iter()
            .map(|label| row(Some("a column with a very long name"), label, 1.0, span(-2.0, 4.0)));
        let labels = Labels::arrange(&rows.clone().collect::<Vec<_>>(), 0.44 * width);
        assert!(labels.width <= 0.44 * width + 1e-9, "{}", labels.width);
        let svg = forest(width, rows.collect()).draw().inline().to_string();
        let words: Vec<&str> = svg
            .split_once("<g class=\"labels\">")
            .and_then(|(_, rest)| rest.split_once("</g>"))
            .map(|(labels, _)| labels.split("<text").skip(1).collect())
            .unwrap();
        let mut above = f64::NEG_INFINITY;
        let mut whole = String::new();
        for text in words {
            let content = text.split_once('>').unwrap().1.split_once('<').unwrap().0;
            let font = if text.contains("heading") { HEADING } else { LABEL };
            assert!(number(text, "x") + font.width(content) <= labels.width, "{content}");
            assert!(number(text, "y") - above >= 15.0, "lines overlap at {content}");
            above = number(text, "y");
            whole.push_str(content);
        }
        for label in long {
            assert!(
                whole.contains(&label.replace(' ', "")) || whole.contains(label),
                "{label} is cut: {whole}"
            );
        }
    }
}

#[test]
fn a_hundred_rows_grow_in_height_only() {
    let rows = |n: usize| {
        (0..n).map(|i| row(None, &format!("x{i}"), i as f64 - 50.0, None)).collect::<Vec<_>>()
    };
    let size = |n| {
        let svg = forest(600.0, rows(n)).draw().inline().to_string();
        (number(&svg, "width"), number(&svg, "height"))
    };
    let (few, many) = (size(20), size(105));
    assert_eq!(few.0, many.0);
    assert!(many.1 > 2000.0 && few.1 < 600.0, "{few:?} {many:?}");
}

#[test]
fn impossible_numbers_do_not_break_the_picture() {
    let rows = vec![
        row(None, "a", f64::NAN, span(f64::NEG_INFINITY, f64::INFINITY)),
        row(None, "b", 1.0, span(0.5, f64::INFINITY)),
    ];
    let svg = forest(600.0, rows).draw().inline().to_string();
    for coordinate in ["x1", "x2", "cx", "y1", "cy"] {
        for bad in ["NaN", "inf", "-inf"] {
            assert!(!svg.contains(&format!(" {coordinate}=\"{bad}\"")), "{coordinate}={bad}");
        }
    }
    // Nothing is drawn for what has no place: one dot, of the row that has an estimate.
    assert_eq!(svg.matches("<circle").count() - svg.matches("<circle cx=\"13\"").count(), 1);
    let reversed =
        vec![row(None, "a", 1.0, span(2.0, -2.0)), row(None, "b", 1.0, span(f64::NAN, 2.0))];
    let svg = forest(600.0, reversed).draw().inline().to_string();
    assert_eq!(svg.matches("class=\"privacy\"").count(), 1, "the legend's own, and no other");
    assert!(!forest(600.0, vec![]).draw().standalone().is_empty());
}
