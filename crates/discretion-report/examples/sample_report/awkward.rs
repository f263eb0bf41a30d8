//! A page of everything that is hard on a layout: long words, other scripts, very large and very
//! small numbers.

use super::invent::coefficients;
use super::patients::{category, number};
use discretion::privacy::Budget;
use discretion_report::Report;
use discretion_report::report::{Account, Charge, Lambda, Origin, Target};

/// The page's data.
pub fn report() -> Report {
    let columns = vec![
        number("ПоказательАртериальногоДавления", 0.0, 1e12, false, 5e11),
        number("x", 0.0, 1e-9, false, 5e-10),
        number(
            "a_column_name_that_a_database_made_up_and_nobody_ever_shortened",
            -1e6,
            1e6,
            false,
            0.0,
        ),
        category("住所・都道府県", &["東京都", "北海道", "神奈川県横浜市"]),
        category(
            "<b>bold</b> & \"quoted\"",
            &[
                "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft",
                "'",
                "",
            ],
        ),
    ];
    let value = |i: usize| [1.0, -2.0, 0.001, 250.0, -31.0, 4.0, 1e-7, -0.5, 3.0, 0.25][i];
    let errors = |i: usize| [0.1 + i as f64, 5.0 + i as f64];
    let patients = super::patients::report();
    Report {
        target: Target {
            column: "what_became_of_the_applicant_within_twelve_months".to_owned(),
            positive: [
                "approved-without-conditions",
                "approved-with-conditions",
                "<pending>",
                "other",
            ]
            .map(str::to_owned)
            .to_vec(),
            negative: None,
            label: None,
        },
        rows: 12_345_678,
        curves: Vec::new(),
        crosses: Vec::new(),
        coefficients: coefficients(&columns, value, errors),
        columns,
        lambda: Lambda { value: 1e-8, ..patients.lambda },
        guarantee: Some(Budget::Approximate { epsilon: 0.123_456, delta: 1e-9 }),
        account: Some(Account {
            name: "an account with a rather long name, kept by a rather large institution"
                .to_owned(),
            symbol: "ε".to_owned(),
            run: 0.123_456,
            spent: 2.987_654,
            cap: 3.0,
            delta: Some(1e-8),
        }),
        origin: Origin {
            model_file: "/srv/studies/2031/applicants/results of the second wave/model.json"
                .to_owned(),
            charge: Some(Charge {
                account: "an account with a rather long name, kept by a rather large institution"
                    .to_owned(),
                number: 1234,
                ledger: Some(
                    "/srv/studies/2031/ledgers/applicants-and-their-households.sqlite".to_owned(),
                ),
            }),
            ..patients.origin
        },
        ..patients
    }
}
