//! The page as text. What a browser makes of it is tested in tests/browser.

mod long;

use super::*;
use discretion_table::Kind;

fn estimate(value: f64, half: f64) -> Estimate {
    let interval = Interval {
        lower: value - half,
        upper: value + half,
        sampling_half_width: Some(0.6 * half),
        matrices_half_width: Some(0.3 * half),
        bound: None,
    };
    Estimate { value, interval: Some(interval) }
}

fn coefficient(name: &str, place: Place, value: f64, half: f64) -> Coefficient {
    let own = OwnUnit { of: name.to_owned(), estimate: estimate(value / 10.0, half / 10.0) };
    Coefficient {
        name: name.to_owned(),
        place,
        encoded: estimate(value, half),
        own_unit: Some(own),
        effect: None,
        p_value: Some(0.02),
        noise: None,
    }
}

fn number(name: &str, value: f64, half: f64) -> Coefficient {
    coefficient(name, Place::Number { column: name.to_owned() }, value, half)
}

/// A page with hostile names in every place where a name can be.
fn report() -> Report {
    let hostile = "<script>alert('x')</script>";
    let place = Place::Category { column: hostile.to_owned(), value: "a&b".to_owned() };
    Report {
        not_private: None,
        target: Target {
            column: hostile.to_owned(),
            positive: vec!["<yes>".to_owned()],
            negative: Some(vec!["\"no\"".to_owned()]),
            label: None,
        },
        rows: 1234,
        columns: vec![
            Column::new("age", Kind::number(0.0, 99.0)),
            Column::new(hostile, Kind::category(vec!["a&b".to_owned()])),
            Column::new("<id>", Kind::Dropped),
        ],
        norm: Norm::Scale,
        from_rows: Vec::new(),
        cohort: None,
        weights: None,
        loss: LossKind::Logistic,
        lambda: Lambda { value: 0.01, chosen: vec!["Set in <study>.".to_owned()], warning: None },
        level: Some(0.9),
        steps: 0,
        ordinary: None,
        curves: Vec::new(),
        crosses: Vec::new(),
        coefficients: vec![
            coefficient("(intercept)", Place::Intercept, -1.0, 0.5),
            number("age", 2.0, 0.5),
            coefficient(&format!("{hostile}=a&b"), place, -0.25, 1.0),
        ],
        quality: None,
        guarantee: Some(Budget::Pure { epsilon: 0.5 }),
        several_classes: false,
        unit: Unit::Row,
        whom: None,
        account: Some(Account {
            name: "<account>".to_owned(),
            symbol: "ε".to_owned(),
            run: 0.5,
            spent: 1.5,
            cap: 2.0,
            delta: None,
        }),
        run: vec![("noise".to_owned(), "<spherical>".to_owned())],
        origin: Origin {
            program: "discretion 0.0.0 <x>".to_owned(),
            model_file: "a b/model.json".to_owned(),
            sha256: Some("00ff".to_owned()),
            charge: Some(Charge { account: "<account>".to_owned(), number: 7, ledger: None }),
        },
    }
}

#[test]
fn names_are_never_markup() {
    let html = report().to_html();
    for raw in ["<script", "<yes>", "<id>", "<study>", "<account>", "<spherical>", "<x>", "a&b"] {
        assert!(!html.contains(raw), "{raw} went in as it is");
    }
    assert!(html.contains("&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;"));
}

#[test]
fn the_page_asks_for_nothing() {
    let html = report().to_html();
    for request in ["http:", "https:", "//", "src=", "href=", "url(", "@import", "<link", "<iframe"]
    {
        assert!(!html.contains(request), "{request}");
    }
    assert!(html.contains("default-src &#39;none&#39;"));
}

#[test]
fn every_tag_is_closed() {
    let html = report().to_html();
    for tag in [
        "html", "body", "main", "section", "table", "tbody", "tr", "th", "td", "svg", "g", "text",
        "p", "div",
    ] {
        let opened =
            html.matches(&format!("<{tag}>")).count() + html.matches(&format!("<{tag} ")).count();
        assert!(opened > 0 && opened == html.matches(&format!("</{tag}>")).count(), "{tag}");
    }
}

#[test]
fn the_answer_names_what_is_clear_and_counts_what_is_not() {
    let html = report().to_html();
    assert!(html.contains("<strong>More likely with </strong>higher age.</p>"));
    assert!(!html.contains("Less likely with"));
    assert!(html.contains("One more interval contains 0"));
    // Each plot has a row for both effects and none for the intercept.
    assert_eq!(html.matches("data-estimate=").count(), 4);
    assert!(!html.contains("data-name=\"(intercept)\""));
}

#[test]
fn the_table_has_odds_ratios_of_effects_only() {
    let html = report().to_html();
    let row = |label: &str| {
        let start = html.find(&format!("<tr><th scope=\"row\">{label}</th>")).unwrap();
        let row = &html[start..start + html[start..].find("</tr>").unwrap()];
        row.split("<td>")
            .skip(1)
            .map(|cell| cell.trim_end_matches("</td>").replace('\u{a0}', " "))
            .collect::<Vec<_>>()
    };
    assert_eq!(
        row("age"),
        [
            "2.00",
            "1.50 to 2.50",
            "0.200",
            "0.150 to 0.250",
            "1.221",
            "1.162 to 1.284",
            "0.020",
            "60 %",
            "40 %"
        ]
    );
    assert_eq!(row("intercept")[4..6], ["", ""]);
}

#[test]
fn a_hinge_has_no_odds_ratios_and_rows_of_length_1_have_no_units() {
    let mut hinge = report();
    hinge.loss = LossKind::Hinge;
    let html = hinge.to_html();
    assert!(!html.contains("odds ratio") && html.contains("per unit of the column"));
    hinge.norm = Norm::Row;
    hinge.coefficients.iter_mut().for_each(|coefficient| coefficient.own_unit = None);
    let html = hinge.to_html();
    assert!(!html.contains("per unit of the column") && html.contains("no coefficient has a unit"));
}

#[test]
fn without_intervals_the_page_says_how_to_get_them() {
    let mut report = report();
    report.level = None;
    for coefficient in &mut report.coefficients {
        coefficient.encoded.interval = None;
        coefficient.p_value = None;
    }
    let html = report.to_html();
    assert!(html.contains("<code>[intervals]</code> with <code>level = 0.95</code>"));
    assert!(html.contains("Dot plot of 2 coefficients") && !html.contains("data-lower"));
    assert!(!html.contains("What the intervals cover") && !html.contains("width from"));
}

#[test]
fn what_is_not_private_says_so_first_and_promises_nothing() {
    let mut report = report();
    report.not_private = Some("the noise was drawn under a fixed seed".to_owned());
    let html = report.to_html();
    let body = &html[html.find("<main>").unwrap()..];
    assert!(body.find("NOT PRIVATE").unwrap() < body.find("<h1>").unwrap());
    // Even though the data still holds the guarantee that a real run would have had.
    assert!(
        !html.contains("What each person is promised")
            && html.contains("without any privacy guarantee")
    );
}

#[test]
fn the_warning_about_lambda_stands_beside_the_intervals() {
    let mut report = report();
    assert!(!report.to_html().contains("λ matters here"));
    report.lambda.warning = Some("The pull is strong.".to_owned());
    let html = report.to_html();
    let [covered, warning, promised] =
        ["What the intervals cover", "λ matters here", "What each person is promised"]
            .map(|words| html.find(words).unwrap());
    assert!(covered < warning && warning < promised);
}

#[test]
fn the_picture_shows_the_most_prominent_and_the_table_all() {
    let mut report = report();
    // The larger the number, the larger the estimate, but the wider the interval even more so.
    let many = (1..=50).map(|i| number(&format!("x{i}"), f64::from(i), 0.1 * f64::from(i * i)));
    report.coefficients.extend(many);
    let html = report.to_html();
    assert_eq!(html.matches("data-estimate=").count(), 2 * certainty::MANY);
    assert!(html.contains(
        "the 40 of 52 effects that are largest in relation to half their interval, these first"
    ));
    assert!(html.contains("data-name=\"x1\"") && !html.contains("data-name=\"x50\""));
    assert_eq!(html.matches("<th scope=\"row\">x").count(), 50);
}

#[test]
fn commands_to_check_name_file_account_and_entry() {
    let html = report().to_html();
    for words in [
        "sha256sum &#39;a b/model.json&#39;",
        "00ff if it is the file",
        "discretion ledger show &#39;&lt;account&gt;&#39;",
        "entry 7 paid",
        "discretion ledger verify",
    ] {
        assert!(html.contains(words), "{words}");
    }
}

/// What a declared bound adds to intervals: a bar in the picture, a column in the table, sentences.
#[test]
fn a_declared_bound_is_drawn_and_told() {
    let mut report = report();
    let bound = Some(Bound { half_width_without: 0.3, shares: [0.5, 0.3, 0.2] });
    for coefficient in &mut report.coefficients {
        coefficient.encoded.interval.as_mut().unwrap().bound = bound;
        if coefficient.place != Place::Intercept {
            let estimate = coefficient.encoded;
            coefficient.effect = Some(Effect { against: None, estimate });
        }
    }
    let findings = vec![("told from 0", "age".to_owned()), ("the same", "a and b".to_owned())];
    let (covers, rough) = ("what <it> covers".to_owned(), Some("WHY".to_owned()));
    report.ordinary = Some(Ordinary { findings, covers, rough });
    let html = report.to_html().replace('\u{a0}', " ");
    // Two effects in two widths, and a key for each width.
    assert_eq!(html.matches("class=\"bound\"").count(), 2 * (2 + 1));
    let dots = html.matches("class=\"dot").count();
    for words in [
        "<strong>Told from 0: </strong>age.",
        "<strong>The same: </strong>a and b.",
        "Each 90 % interval is for what &lt;it&gt; covers.",
        "<strong>These widths are rough: </strong>WHY.",
        "50 % come from the rows being a sample, 30 % from the noise for privacy and 20 % from the declared bound",
        "<th scope=\"col\">bound</th>",
        "<td>50 %</td><td>30 %</td><td>20 %</td>",
    ] {
        assert!(html.contains(words), "{words}");
    }
    // Of the second only the bound speaks: an interval, and neither a number nor a dot.
    let last = report.coefficients.pop().unwrap();
    report.coefficients.push(last.without_estimate());
    let html = report.to_html();
    assert_eq!(html.matches("class=\"bound\"").count(), 2 * (2 + 1));
    assert_eq!(html.matches("class=\"dot").count(), dots - 2);
    assert_eq!(html.matches("<td>–</td>").count(), 3);
    assert!(!html.contains("not a number"));
}
