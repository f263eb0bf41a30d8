use super::*;
use crate::dossier::attacker::true_positives;
use discretion::erm::Facts;
use discretion::loss::LossKind;
use discretion::noise::Provenance;
use discretion::privacy::{Budget, Unit, normal_cdf};
use discretion_formats::{
    AnyModel, LambdaFrom, Model, Neighbours, NumberFit, NumberModel, NumberTraining, Privacy,
    TrainingFacts,
};
use discretion_table::{Column, Kind, Labels, NumberLoss, Scale, Schema, Target};
use serde_json::Value;

/// A model of each kind that there is.
fn models(guarantee: Budget) -> Vec<AnyModel> {
    let two = Labels::Two { positive: vec!["1".to_owned()], negative: None, label: None };
    let several = Labels::Many { classes: ["a", "b", "c"].map(str::to_owned).to_vec() };
    let privacy = Privacy {
        private: true,
        guarantee: Some(guarantee),
        neighbours: Neighbours::ReplaceOne,
        unit: Unit::Row,
        statement: "a promise".to_owned(),
        randomness: Some(Provenance::OperatingSystem),
    };
    let schema = |labels: Labels| {
        let target = Target { column: "read\"mitted: yes".to_owned(), labels, na: Vec::new() };
        let columns = vec![Column::new("age", Kind::number(0.0, 99.0))];
        Schema::new(Default::default(), target, columns).unwrap()
    };
    let of_classes = |labels: Labels, coefficients: usize| {
        let schema = schema(labels);
        let facts = Facts::of_layout(1000, &schema.encoder().layout());
        let lambda = (0.1, LambdaFrom::Auto);
        let training =
            TrainingFacts::without_noise(facts, LossKind::Logistic, lambda, "because".to_owned());
        let theta = vec![0.5; coefficients];
        AnyModel::Classes(Box::new(Model::new(None, privacy.clone(), training, &theta, &schema)))
    };
    let of_number = |loss: NumberLoss| {
        let schema = schema(Labels::Number { min: 0.0, max: 9.0, scale: Scale::Linear });
        let training = NumberTraining {
            rows: 1000,
            dimension: 2,
            loss,
            lambda: 0.1,
            lambda_from: LambdaFrom::Auto,
            released: 5,
            noise: "Laplace noise".to_owned(),
        };
        let fit = NumberFit { of: "days".to_owned(), squares: None };
        let made = (fit, Vec::new());
        let model = NumberModel::new(None, privacy.clone(), training, made, &schema, None);
        AnyModel::Number(Box::new(model))
    };
    vec![
        of_classes(two, 2),
        of_classes(several, 6),
        of_number(NumberLoss::Squares),
        of_number(NumberLoss::Huber),
    ]
}

fn about() -> About {
    About {
        curators: vec!["A hospital".to_owned()],
        intended_use: Some("Planning: beds # and \"staff\"".to_owned()),
        region: Some("Nowhere".to_owned()),
        sector: Some("Healthcare".to_owned()),
        publication_date: Some("2026-01-31".to_owned()),
        legal_basis: Some("consent".to_owned()),
        contact: Some("nobody@example.org".to_owned()),
        authors: vec!["Ann <b>".to_owned()],
        ..About::default()
    }
}

/// Of a model of each kind.
fn each(guarantee: Budget, about: &About, mut work: impl FnMut(&Dossier<'_>)) {
    for model in models(guarantee) {
        let (sha256, today) = ("ab".repeat(32), "2026-11-17".to_owned());
        work(&Dossier { model: Subject::of(&model), sha256, about, today, head: None });
    }
}

const BUDGETS: [Budget; 3] = [
    Budget::Pure { epsilon: 1.0 },
    Budget::Approximate { epsilon: 1.0, delta: 1e-6 },
    Budget::Zcdp { rho: 0.5 },
];

/// Known laws: randomised response under ε, and for ρ at least what Gaussian noise gives and at
/// most what ε(δ) at one δ says. Wrong by a sign or a factor two, each of these lines is red.
#[test]
fn an_attacker_does_as_well_as_the_best_known_mechanism_and_no_better() {
    let pure = Budget::Pure { epsilon: 1.0 };
    assert!((true_positives(pure, 0.001) - 0.001 * 1f64.exp()).abs() < 1e-12);
    // Beyond the kink 1/(1 + e) the other line holds.
    assert!((true_positives(pure, 0.9) - (1.0 - (-1f64).exp() * 0.1)).abs() < 1e-12);
    let Attacker { attribute, .. } = Attacker::under(pure);
    // Randomised response is right with probability e/(1 + e), and 1 % becomes p·e/(p·e + 1 − p).
    let e = 1f64.exp();
    assert!((attribute[0].right_after - e / (1.0 + e)).abs() < 1e-12, "{attribute:?}");
    assert!(
        (attribute[1].believed_after - 0.01 * e / (0.01 * e + 0.99)).abs() < 1e-12,
        "{attribute:?}"
    );
    assert!(
        (attribute[1].right_after - 0.99).abs() < 1e-12,
        "a rare yes is guessed no better than never"
    );
    let approximate = Budget::Approximate { epsilon: 1.0, delta: 0.01 };
    assert!((true_positives(approximate, 0.01) - (0.01 * e + 0.01)).abs() < 1e-12);
    for rho in [0.005f64, 0.1, 0.5, 2.0] {
        let mu = (2.0 * rho).sqrt();
        for (rate, quantile) in [
            (0.001, -3.090_232_306_167_813),
            (0.01, -2.326_347_874_040_841),
            (0.1, -1.281_551_565_544_6),
        ] {
            let gaussian = normal_cdf(quantile + mu);
            let bound = true_positives(Budget::Zcdp { rho }, rate);
            assert!(bound >= gaussian - 1e-9, "ρ = {rho} at {rate}: {bound} below {gaussian}");
            assert!(
                bound <= 5.0 * gaussian && bound <= 1.0,
                "ρ = {rho} at {rate}: {bound} and {gaussian}"
            );
        }
    }
}

/// The registry's record, in our own statement of its fields: every path with its type or its
/// words.
#[test]
fn the_record_has_the_fields_and_types_of_the_registry() {
    type Fits = fn(&Value) -> bool;
    let text = Value::is_string as Fits;
    let fields: [(&str, Fits); 24] = [
        ("url_slug", text),
        ("status", |v| v == "Draft"),
        ("tier", |v| v == 3),
        ("deployment/basic/name", text),
        ("deployment/basic/data_curators", |v| v.as_array().is_some_and(|list| !list.is_empty())),
        ("deployment/basic/intended_use", text),
        ("deployment/basic/data_product_type", |v| v == "Machine learning model"),
        ("deployment/basic/data_product_region", text),
        ("deployment/basic/description", text),
        ("deployment/basic/publication_date", |v| v.as_str().is_some_and(|day| day.len() == 10)),
        ("deployment/dp_variant/variant_name", |v| {
            ["Pure DP", "Approximate DP", "Zero-concentrated DP"].iter().any(|name| v == name)
        }),
        ("deployment/dp_variant/data_domain", text),
        ("deployment/dp_variant/unprotected_quantities", text),
        ("deployment/privacy_loss/privacy_unit", text),
        ("deployment/privacy_loss/privacy_parameters", |v| {
            v.as_object().is_some_and(|all| !all.is_empty() && all.values().all(Value::is_number))
        }),
        ("deployment/deployment_model/model_name", |v| v == "Central" || v == "Federated"),
        ("deployment/deployment_model/release_type", |v| v == "One release"),
        ("deployment/deployment_model/data_source_type", |v| v == "Static"),
        ("deployment/deployment_model/access_type", |v| v == "Non-interactive"),
        ("deployment/accounting/composition", text),
        ("deployment/implementation/mechanisms", text),
        ("deployment/implementation/justification", text),
        ("deployment/administrative/notes", text),
        ("deployment/administrative/registry_authors", |v| {
            v.as_array().is_some_and(|list| !list.is_empty())
        }),
    ];
    for guarantee in BUDGETS {
        for about in [about(), About::default()] {
            each(guarantee, &about, |dossier| {
                let record = read(&registry::yaml(dossier));
                for (path, fits) in fields {
                    let found = path.split('/').try_fold(&record, |value, key| value.get(key));
                    assert!(found.is_some_and(fits), "{path}: {found:?}");
                }
            });
        }
    }
    each(BUDGETS[0], &about(), |dossier| {
        let record = read(&registry::yaml(dossier));
        assert_eq!(record["deployment"]["basic"]["intended_use"], "Planning: beds # and \"staff\"");
        assert_eq!(record["url_slug"], "private-model-of-read-mitted-yes");
    });
}

/// Reads the kind of YAML that is written here: tables by indentation, texts as in JSON, numbers,
/// lists of texts.
fn read(yaml: &str) -> Value {
    fn block(lines: &[&str], at: &mut usize, depth: usize) -> Value {
        let indent = |line: &str| (line.len() - line.trim_start().len()) / 2;
        if lines.get(*at).is_some_and(|line| line.trim_start().starts_with("- ")) {
            let mut list = Vec::new();
            while lines
                .get(*at)
                .is_some_and(|line| indent(line) == depth && line.trim_start().starts_with("- "))
            {
                list.push(serde_json::from_str(&lines[*at].trim_start()[2..]).unwrap());
                *at += 1;
            }
            return Value::Array(list);
        }
        let mut table = serde_json::Map::new();
        while lines.get(*at).is_some_and(|line| indent(line) == depth) {
            let (key, rest) = lines[*at].trim_start().split_once(':').unwrap();
            *at += 1;
            let value = match rest.trim() {
                "" => block(lines, at, depth + 1),
                text => {
                    serde_json::from_str(text).unwrap_or_else(|error| panic!("{text}: {error}"))
                }
            };
            assert!(table.insert(key.to_owned(), value).is_none(), "{key} is there twice");
        }
        Value::Object(table)
    }
    let lines: Vec<&str> = yaml.lines().collect();
    let mut at = 0;
    let value = block(&lines, &mut at, 0);
    assert_eq!(at, lines.len(), "all of it is read");
    value
}

#[test]
fn what_nobody_said_is_asked_for_by_name() {
    each(BUDGETS[0], &About::default(), |dossier| {
        let keys: Vec<&str> = dossier.missing().into_iter().map(Question::key).collect();
        assert_eq!(
            keys,
            ["curators", "intended_use", "region", "legal_basis", "contact", "authors"]
        );
        let yaml = registry::yaml(dossier);
        assert!(yaml.contains("TO BE SAID: who publishes the model"), "{yaml}");
    });
    each(BUDGETS[0], &about(), |dossier| {
        assert!(dossier.missing().is_empty());
        assert!(!registry::yaml(dossier).contains("TO BE SAID"));
    });
}

#[test]
fn pages_are_whole_and_ask_for_nothing() {
    for guarantee in BUDGETS {
        each(guarantee, &about(), |dossier| {
            for (name, text) in dossier.files() {
                assert!(
                    !text.contains("NaN") && !text.contains("href=") && !text.contains("src="),
                    "{name}"
                );
                if name.ends_with(".html") {
                    assert!(
                        text.starts_with("<!DOCTYPE html>") && !text.contains("Ann <b>"),
                        "{name}"
                    );
                }
                if name.ends_with(".json") {
                    let controls: Value = serde_json::from_str(&text).unwrap();
                    assert_eq!(controls["attacker"]["membership"].as_array().unwrap().len(), 3);
                    assert_eq!(controls["bounds"]["declared"][0], "age");
                    assert_eq!(controls["origins"]["columns"][0]["bounds"], "declared");
                    assert!(
                        controls["checks"].to_string().contains("audit --mechanism"),
                        "{controls}"
                    );
                    assert!(controls["answers"].as_array().unwrap().len() >= 15);
                }
            }
        });
    }
}
