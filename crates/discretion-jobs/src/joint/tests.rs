use super::*;
use crate::fit::at_level;
use discretion::erm::matrix::{Batch, Matrix};
use discretion::joint::{Joint, Sharing, Step, Weighting};
use discretion::loss::LossKind;
use discretion::noise::{Receipt, Seeded, Source};
use discretion::privacy::Budget;
use discretion_formats::HolderFacts;
use discretion_party::simulate;
use discretion_report::{report, terminal};
use discretion_table::Study;
use std::path::Path;

const SIZES: [usize; 3] = [700, 1_400, 2_800];

fn schema() -> Schema {
    let text = "[data]\npath = 't.csv'\naccount = 'a'\ntarget = 'y'\npositive = '1'\nnegative = '0'\n[budget]\nepsilon = 9\n[spend]\nepsilon = 9\n\
                [columns]\nage = { min = 0, max = 100 }\nsex = { values = ['f', 'm'] }\n";
    Study::parse(Path::new("study.toml"), text).unwrap().schema
}

/// Rows whose label follows the number.
fn table(schema: &Schema) -> Matrix {
    let source = &mut Seeded::new(4);
    let mut matrix = Matrix::new(schema.encoder().layout());
    let mut batch = Batch::default();
    for _ in 0..SIZES.iter().sum() {
        let x = source.unit() - 0.5;
        batch.numeric.push(x as f32);
        batch.codes.push(u16::from(source.unit() < 0.5));
        batch.positive.push(source.unit() < 0.5 + x);
    }
    matrix.push(batch);
    matrix
}

fn joint(step: Option<Step>) -> Joint {
    Joint {
        loss: LossKind::Logistic,
        lambda: 0.02,
        weighting: Weighting::BySize,
        sharing: Sharing::new(3, 2).unwrap(),
        budget: Budget::Approximate { epsilon: 2.0, delta: 1e-6 },
        step,
    }
}

/// The model of a whole study, with noise from `source`.
fn run(step: Option<Step>, source: &mut dyn Source) -> Model {
    let schema = schema();
    let done = simulate(&joint(step), &table(&schema), &SIZES, source).unwrap();
    let names = ["north", "south", "west"].map(str::to_owned).into();
    let public = Public {
        schema: &schema,
        names,
        lambda_from: LambdaFrom::Study,
        intervals: IntervalSettings { level: 0.9, largest_effect: 2.5, ..Default::default() },
        evaluation: None,
    };
    model(&public, &done.plan, &done.average, done.stepped.as_ref(), None, None).unwrap()
}

const WITH_INTERVALS: Step =
    Step { lambda: None, gradient: 0.3, hessian: 0.2, covariance: 0.2, damping: 0.0 };

#[test]
fn a_joint_model_is_read_again_and_says_who_made_it() {
    let model = run(None, Receipt::nobody_remembers().noise());
    assert_eq!(Model::from_json(&model.to_json()).unwrap(), model);
    let facts = model.joint.as_ref().unwrap();
    assert_eq!(facts.holders[2], HolderFacts { name: "west".to_owned(), rows: 2_800 });
    assert_eq!((facts.aggregators, facts.colluders, facts.average_share), (3, 2, 1.0));
    assert_eq!((model.rows(), model.training.mechanism), (4_900, Some(Mechanism::Output)));
    assert!(facts.bounds.excess_risk > 0.0 && facts.bounds.distance > 0.0);

    let statement = &model.privacy.statement;
    assert!(
        statement.contains("every row of every holder") && statement.contains("any 2 of the 3"),
        "{statement}"
    );
    let text = terminal::model(&model, &[]);
    for words in [
        "3: north with 700 rows, south with 1,400",
        "up to 2 may tell",
        "fixed point",
        "no Newton step",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
    let html = report::html(&model, Path::new("model.json"), None);
    assert!(html.contains("The promise is for every row of every one of them"), "{html}");
}

#[test]
fn a_step_brings_its_shares_and_its_intervals() {
    let model = run(Some(WITH_INTERVALS), Receipt::nobody_remembers().noise());
    let step = model.joint.as_ref().unwrap().step.unwrap();
    // The rows' second moments have the shares of Hessian and covariance.
    assert_eq!((step.gradient_share, step.moments_share, step.lambda), (0.3, 0.4, 0.02));
    assert_eq!((step.hessian_share, step.covariance_share), (0.0, 0.0));
    assert_eq!(model.training.mechanism, None);
    let intervals = model.intervals.as_ref().unwrap();
    assert_eq!((intervals.level, intervals.split[1]), (0.9, 0.4));
    // What the study declares about effects is what intervals go by.
    assert_eq!(intervals.largest_effect, Some(2.5));
    assert!(intervals.covers.contains("all holders"));
    let age = &model.coefficients[1];
    let inside = |level: f64| {
        let model = at_level(model.clone(), level).unwrap();
        let interval = model.coefficients[1].interval.unwrap();
        interval.upper - interval.lower
    };
    assert!(age.encoded > 0.0 && inside(0.99) > inside(0.9));
    let read = Model::from_json(&model.to_json()).unwrap();
    assert_eq!(read, model);
    let html = report::html(&read, Path::new("model.json"), None);
    assert!(html.contains("Newton step") && html.contains("What the intervals cover"), "{html}");

    let without =
        run(Some(Step { covariance: 0.0, ..WITH_INTERVALS }), Receipt::nobody_remembers().noise());
    assert!(without.intervals.is_none() && without.evidence.is_none());
}

#[test]
fn noise_from_a_seed_promises_nothing() {
    let model = run(Some(WITH_INTERVALS), &mut Seeded::new(1));
    assert!(!model.privacy.private && model.privacy.guarantee.is_none());
    assert!(model.to_json().starts_with("{ \"NOT PRIVATE\""), "{}", model.to_json());
}
