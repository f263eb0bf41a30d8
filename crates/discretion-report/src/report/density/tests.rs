use super::*;
use crate::report::{Account, Charge};
use discretion_table::Scale;

fn age() -> Described {
    let kind = Kind::number(0.0, 100.0);
    Described {
        column: Column::new("age", kind),
        cells: Cells::Bins(vec![0.0, 25.0, 50.0, 75.0, 100.0]),
        shares: vec![0.1, 0.4, 0.3, 0.2],
        noise: 0.0071,
        empty: 0.0025,
    }
}

fn gain() -> Described {
    let kind = Kind::Number {
        min: 0.0,
        max: 1000.0,
        scale: Scale::Log,
        missing: Some(30.6),
        integer: false,
    };
    Described {
        column: Column::new("gain", kind),
        cells: Cells::Bins(vec![0.0, 1001f64.sqrt() - 1.0, 1000.0]),
        shares: vec![0.9, 0.1],
        noise: 0.01,
        empty: 0.004,
    }
}

fn job() -> Described {
    let values = vec!["clerk".to_owned(), "nurse <b>".to_owned()];
    Described {
        column: Column::new("job & ward", Kind::category(values)),
        cells: Cells::Names(vec!["clerk".to_owned(), "nurse <b>".to_owned(), "other".to_owned()]),
        shares: vec![0.5, 0.3, 0.2],
        noise: 0.01,
        empty: 0.004,
    }
}

fn report(columns: Vec<Described>) -> DensityReport {
    let together = match &columns[..] {
        [a, b] => Some(a.shares.iter().map(|p| b.shares.iter().map(|q| p * q).collect()).collect()),
        _ => None,
    };
    DensityReport {
        not_private: None,
        rows: 400,
        unit: Unit::Row,
        columns,
        together,
        noise: 0.0071,
        empty: 0.0025,
        guarantee: Some(Budget::Pure { epsilon: 1.0 }),
        account: Some(Account {
            name: "t".to_owned(),
            symbol: "ε".to_owned(),
            run: 1.0,
            spent: 1.0,
            cap: 3.0,
            delta: None,
        }),
        run: vec![("bins".to_owned(), "chosen from 4, 8".to_owned())],
        origin: Origin {
            program: "discretion 0".to_owned(),
            model_file: "density.json".to_owned(),
            sha256: Some("ab".repeat(32)),
            charge: Some(Charge { account: "t".to_owned(), number: 7, ledger: None }),
        },
    }
}

#[test]
fn one_column_has_a_picture_a_table_and_a_promise() {
    let report = report(vec![age()]);
    let html = report.to_html().replace('\u{a0}', " ");
    for words in [
        "<h1>How age is distributed</h1>",
        "ε-differential privacy with ε = 1",
        "by about ±0.71 % of all rows",
        "no row is in gets about 0.25 %",
        "25 to 50",
        "chosen from 4, 8",
        "entry 7 paid for this density",
        "discretion sample density.json --rows 1000",
        "share of rows per unit of age",
    ] {
        assert!(html.contains(words), "{words}");
    }
    assert_eq!(html.matches("<svg").count(), 2, "wide and narrow");
    assert!(!html.contains("NaN") && !html.contains("http:"));
    // The height over a bin times its width is its share.
    let svg = report.picture().unwrap().standalone();
    assert!(svg.contains("data-from=\"25\" data-to=\"50\" data-height=\"0.016\""), "{svg}");
}

#[test]
fn a_logarithmic_column_has_equal_bins_on_its_axis() {
    let svg = report(vec![gain()]).picture().unwrap().standalone();
    let widths: Vec<f64> = svg
        .lines()
        .filter(|line| line.contains("data-height"))
        .map(|line| {
            line.split(" width=\"").nth(1).unwrap().split('"').next().unwrap().parse().unwrap()
        })
        .collect();
    assert!(widths.len() == 2 && (widths[0] - widths[1]).abs() < 0.02, "{widths:?}");
    assert!(svg.contains("share of rows per unit of ln(1 + gain)"), "{svg}");
}

#[test]
fn two_columns_are_shown_together_and_alone_and_more_only_alone() {
    let two = report(vec![age(), job()]);
    let html = two.to_html();
    assert!(
        html.contains("How age and job &amp; ward are distributed")
            && html.contains("<h2>Together</h2>")
    );
    assert_eq!(html.matches("<svg").count(), 6);
    assert!(!html.contains("<b>"));
    // Names at the left from the top down, whichever column is first.
    for columns in [vec![age(), job()], vec![job(), age()]] {
        let svg = report(columns).picture().unwrap().standalone();
        let shades: Vec<&str> =
            svg.lines().filter_map(|line| line.split("data-value=\"").nth(1)).collect();
        assert_eq!(shades.len(), 12);
        let foot: f64 = shades[0].split('"').next().unwrap().parse().unwrap();
        assert!((foot - 0.1 * 0.2).abs() < 1e-12, "young and other: {foot}");
    }
    let three = report(vec![age(), gain(), job()]);
    assert!(three.picture().is_none());
    let html = three.to_html();
    assert!(
        html.contains("How age, gain and job &amp; ward are distributed")
            && !html.contains("Together")
    );
    assert_eq!(html.matches("<svg").count(), 6);
}

#[test]
fn what_is_not_private_says_so_first_and_promises_nothing() {
    let report = DensityReport { not_private: Some("a seed".to_owned()), ..report(vec![job()]) };
    let html = report.to_html();
    let [banner, title] = ["NOT PRIVATE", "<h1>"].map(|words| html.find(words).unwrap());
    assert!(banner < title && !html.contains("differential privacy"));
}

#[test]
fn a_long_table_is_folded() {
    assert!(!report(vec![age()]).to_html().contains("<details"));
    let edges = (0..=64).map(f64::from).collect();
    let long = Described { cells: Cells::Bins(edges), shares: vec![1.0 / 64.0; 64], ..age() };
    assert!(report(vec![long]).to_html().contains("<summary>All 64 shares</summary>"));
}

#[test]
fn labels_have_as_many_digits_as_tell_them_apart() {
    assert_eq!(
        shares::labels(&Cells::Bins(vec![0.0, 1.0 / 3.0, 1.0])),
        ["0 to 0.3333", "0.3333 to 1"]
    );
    assert_eq!(
        shares::labels(&Cells::Bins(vec![100_000.0, 100_001.0, 100_002.0])),
        ["100,000 to 100,001", "100,001 to 100,002"]
    );
}
