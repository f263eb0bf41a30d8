use super::*;
use discretion::noise::Receipt;
use discretion::privacy::Budget;
use discretion::quality::{Meaning, Quality};
use discretion_formats::GroupQuality;

/// Two groups, of which the second has next to no rows, with hostile names.
fn quality(meaning: Meaning) -> QualityFacts {
    let wanted = Quality { budget: Budget::Pure { epsilon: 1.0 }, groups: 2, low: -3.0, high: 3.0 };
    let plan = wanted.plan(20_000).unwrap();
    let mut tally = plan.tally();
    for row in 0..20_000 {
        let score = f64::from(row % 50) / 10.0 - 2.5;
        tally.add(score, row % 50 + row % 41 > 50, usize::from(row % 2_000 == 0));
    }
    let counts = plan.run(&tally, Receipt::seeded(1).noise()).unwrap();
    let group = |(index, value): (usize, &str)| {
        let figures = Figures::of_group(&counts, index, meaning, 0.95);
        let warning = (!figures.say_something()).then(|| "few".to_owned());
        GroupQuality { value: value.to_owned(), warning, figures }
    };
    QualityFacts {
        rows: 20_000,
        level: 0.95,
        meaning,
        figures: Figures::of_all(&counts, meaning, 0.95),
        by: Some("<sex>".to_owned()),
        groups: ["<b>f</b>", "m & others"].into_iter().enumerate().map(group).collect(),
        counts: (*counts).clone(),
    }
}

fn html(quality: &QualityFacts) -> String {
    let (title, content) = section(&ModelQuality::Two(quality.clone()), Unit::Row);
    assert_eq!(title, "How good it is");
    content.iter().map(ToString::to_string).collect()
}

#[test]
fn it_has_a_curve_a_diagram_thresholds_and_groups() {
    let facts = quality(Meaning::LogOdds);
    let html = html(&facts);
    assert_eq!(html.matches("<figure>").count(), 2, "{html}");
    assert_eq!(html.matches("class=\"wide\"").count(), 2);
    assert_eq!(html.matches("class=\"narrow\"").count(), 2);
    assert_eq!(
        html.matches("class=\"band\"").count(),
        2,
        "the band of the ROC curve, in two widths"
    );
    let auc = facts.figures.auc.unwrap();
    assert!(html.contains(&decimal(auc.value, 3)) && html.contains(&decimal(auc.lower, 3)));
    let rows = facts.figures.thresholds.len() + facts.groups.len();
    assert_eq!(html.matches("scope=\"row\"").count(), rows);
    assert!(html.contains("Next to nothing is known about m &amp; others"), "{html}");
    assert!(html.contains("&lt;b>f") || html.contains("&lt;b&gt;f"), "names are text");
    assert!(!html.contains("<b>f") && !html.contains("<sex>") && !html.contains("NaN"));
}

/// Scores that are no probabilities have no calibration, and thresholds are scores.
#[test]
fn scores_without_a_probability_have_no_diagram() {
    let html = html(&quality(Meaning::Order));
    assert_eq!(html.matches("<figure>").count(), 1);
    assert!(html.contains("score ") && !html.contains("Brier"));
}
