//! A large page: the thirteen facts and 105 coefficients of the Adult table, with invented
//! estimates.

use super::invent::coefficients;
use super::patients::{category, number};
use discretion::privacy::Budget;
use discretion_report::Report;
use discretion_report::report::{Account, Lambda, Target};

/// The page's data.
pub fn report() -> Report {
    let columns = vec![
        number("age", 17.0, 90.0, false, 53.5),
        number("education-num", 1.0, 16.0, false, 8.5),
        number("capital-gain", 0.0, 99_999.0, true, 315.2),
        number("capital-loss", 0.0, 4356.0, true, 65.0),
        number("hours-per-week", 1.0, 99.0, false, 50.0),
        category("workclass", &words(WORKCLASS)),
        category("education", &words(EDUCATION)),
        category("marital-status", &words(MARITAL)),
        category("occupation", &words(OCCUPATION)),
        category(
            "relationship",
            &words("Wife Own-child Husband Not-in-family Other-relative Unmarried"),
        ),
        category("race", &words("White Asian-Pac-Islander Amer-Indian-Eskimo Other Black")),
        category("sex", &["Female", "Male"]),
        category("native-country", &words(COUNTRIES)),
    ];
    let wave = |i: usize, step: f64| (step * i as f64).sin();
    let value = |i: usize| {
        if (1..6).contains(&i) { 1.2 + 0.5 * i as f64 } else { 1.7 * wave(i, 0.7).powi(3) }
    };
    let errors = |i: usize| [0.12 + 0.2 * wave(i, 1.3).powi(2), 0.3 + 0.15 * wave(i, 0.4).powi(2)];
    let coefficients = coefficients(&columns, value, errors);
    let patients = super::patients::report();
    Report {
        target: Target { column: "income".to_owned(), positive: vec![">50K".to_owned()], negative: None, label: None },
        rows: 32_561,
        columns,
        curves: Vec::new(),
        crosses: Vec::new(),
        coefficients,
        lambda: Lambda {
            value: 0.001,
            chosen: vec![
                "Picked from 0.0003, 0.001 and 0.003 by random stopping, at a cost that is part of this run's.".to_owned(),
            ],
            warning: None,
        },
        guarantee: Some(Budget::Zcdp { rho: 0.05 }),
        account: Some(Account {
            name: "census of adults".to_owned(),
            symbol: "ρ".to_owned(),
            run: 0.05,
            spent: 0.35,
            cap: 0.5,
            delta: None,
        }),
        ..patients
    }
}

fn words(list: &'static str) -> Vec<&'static str> {
    list.split(' ').collect()
}

const WORKCLASS: &str = "Private Self-emp-not-inc Self-emp-inc Federal-gov Local-gov State-gov Without-pay Never-worked";
const EDUCATION: &str = "Bachelors Some-college 11th HS-grad Prof-school Assoc-acdm Assoc-voc 9th 7th-8th 12th Masters \
    1st-4th 10th Doctorate 5th-6th Preschool";
const MARITAL: &str = "Married-civ-spouse Divorced Never-married Separated Widowed Married-spouse-absent Married-AF-spouse";
const OCCUPATION: &str = "Tech-support Craft-repair Other-service Sales Exec-managerial Prof-specialty Handlers-cleaners \
    Machine-op-inspct Adm-clerical Farming-fishing Transport-moving Priv-house-serv Protective-serv Armed-Forces";
const COUNTRIES: &str = "United-States Cambodia England Puerto-Rico Canada Germany Outlying-US(Guam-USVI-etc) India Japan \
    Greece South China Cuba Iran Honduras Philippines Italy Poland Jamaica Vietnam Mexico Portugal Ireland France \
    Dominican-Republic Laos Ecuador Taiwan Haiti Columbia Hungary Guatemala Nicaragua Scotland Thailand Yugoslavia \
    El-Salvador Trinadad&Tobago Peru Hong Holand-Netherlands";
