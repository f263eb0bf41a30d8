use super::*;
use discretion_table::{ColumnCounts, Labels, Lost, OutcomeCounts, Target};

fn number(low: u64, high: u64, missing: u64) -> ColumnCounts {
    ColumnCounts {
        name: "age".to_owned(),
        lost: Lost::Number { range: (18.0, 90.0), low, high, missing },
    }
}

fn category(other: u64, missing: u64) -> ColumnCounts {
    ColumnCounts { name: "sex".to_owned(), lost: Lost::Category { other, missing } }
}

fn outcome_of(labels: Labels, classes: &[u64]) -> OutcomeCounts {
    OutcomeCounts {
        target: Target { column: "y".to_owned(), labels, na: Vec::new() },
        classes: classes.to_vec(),
    }
}

fn two() -> Labels {
    Labels::Two {
        positive: vec!["yes".to_owned()],
        negative: Some(vec!["no".to_owned()]),
        label: None,
    }
}

#[test]
fn more_than_half_of_a_column_is_a_mistake() {
    for (counted, verdict) in [
        (number(0, 0, 0), Verdict::Fine),
        (number(20, 30, 0), Verdict::Fine),
        (number(20, 31, 0), Verdict::Look),
        (number(250, 250, 0), Verdict::Look),
        (number(500, 0, 1), Verdict::Mistake),
        (number(0, 200, 301), Verdict::Mistake),
        (category(50, 0), Verdict::Fine),
        (category(500, 0), Verdict::Look),
        (category(400, 101), Verdict::Mistake),
    ] {
        assert_eq!(column(&counted, 1000).verdict, verdict, "{}", column(&counted, 1000).sentence);
    }
    assert_eq!(
        column(&number(500, 0, 1), 1000).sentence,
        "more than half of it is lost: 500 below 18, 1 missing of 1,000 values; are the bounds in the unit of the table?"
    );
}

#[test]
fn an_outcome_has_at_least_two_classes() {
    let many = || Labels::Many { classes: ["a", "b", "c"].map(String::from).to_vec() };
    for (labels, classes, verdict, words) in [
        (two(), &[900, 100][..], Verdict::Fine, "100 positive, 900 negative of 1,000 rows"),
        (two(), &[995, 5], Verdict::Look, "a class is rare"),
        (
            two(),
            &[1000, 0],
            Verdict::Mistake,
            "no row is positive (0 positive, 1,000 negative of 1,000 rows)",
        ),
        (two(), &[0, 1000], Verdict::Mistake, "no row is negative"),
        (many(), &[500, 0, 500], Verdict::Look, "no row is \"b\""),
        (many(), &[0, 0, 7], Verdict::Mistake, "no row is \"a\" or \"b\""),
        (many(), &[3, 3, 3], Verdict::Fine, "3 \"c\", 3 \"b\", 3 \"a\" of 9 rows"),
    ] {
        let finding = outcome(&outcome_of(labels, classes));
        assert_eq!(finding.verdict, verdict, "{}", finding.sentence);
        assert!(finding.sentence.contains(words), "{}", finding.sentence);
    }
}

#[test]
fn a_run_stops_unless_the_mistake_is_accepted() {
    let table = Path::new("t.csv");
    let counts = |columns, classes: &[u64]| Counts {
        rows: 10,
        left_out: 0,
        outcome: Some(outcome_of(two(), classes)),
        columns,
    };
    let fine = counts(vec![category(4, 1), number(5, 0, 0)], &[5, 5]);
    assert!(stop_at_mistakes(&fine, table, false).is_ok());
    let wrong = counts(vec![category(9, 0), number(0, 0, 0)], &[10, 0]);
    let stopped = stop_at_mistakes(&wrong, table, false).unwrap_err();
    assert_eq!(stopped.kind(), discretion::RefusalKind::BadInput);
    let said = stopped.to_string();
    assert!(
        said.starts_with(
            "t.csv: this looks like a mistake (NOT PRIVATE, for you alone): `y`: no row is positive"
        ),
        "{said}"
    );
    assert!(said.contains("`sex`: more than half") && !said.contains("`age`"), "{said}");
    assert_eq!(stopped.remedies(), [Remedy::AcceptFindings]);
    assert!(stop_at_mistakes(&wrong, table, true).is_ok());
}
