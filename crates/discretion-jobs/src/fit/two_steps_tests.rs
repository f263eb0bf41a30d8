//! What is released before a training: one charge, one promise, and all of it in the model.

use super::*;
use crate::spend::{Payer, spend};
use crate::watch::Silence;
use discretion::erm::matrix::{Batch, Matrix};
use discretion::privacy::account::Spend;
use discretion_table::Study;
use std::path::Path;

fn job(spend: &str) -> TwoStepFit {
    let text = format!(
        "[data]\npath = \"t.csv\"\naccount = \"a\"\ntarget = \"y\"\npositive = \"1\"\nnegative = \"0\"\n[budget]\n\
         epsilon = 9\ndelta = 1e-3\n[spend]\n{spend}\n[columns]\nw = {{ min = 0, max = 1 }}\n\
         x = {{ min = 0, max = 64, knots = \"private\", curve = 5, share = 0.2 }}\n"
    );
    TwoStepFit::of(FitJob::of(&Study::parse(Path::new("study.toml"), &text).unwrap())).unwrap()
}

fn batch() -> Batch {
    let numeric = (0..2000).flat_map(|row| [0.1, (row % 80) as f32 / 10.0]).collect();
    let positive = (0..2000).map(|row| row % 80 > 40).collect();
    Batch { numeric, codes: vec![], positive }
}

fn rows(job: &TwoStepFit) -> FitRows {
    job.stored(Matrix::of(job.grid.encoder().layout(), batch()).into()).unwrap()
}

/// One charge for both, and a promise of the whole.
#[test]
fn knots_are_paid_for_with_the_training_and_are_in_the_model() {
    for budget in ["epsilon = 3", "epsilon = 3\ndelta = 1e-6", "rho = 1"] {
        let (job, folder) = (job(budget), tempfile::tempdir().unwrap());
        let place = folder.path().join("model.json");
        let model = spend(&job, &rows(&job), Payer::Seed(1), &place, &Silence).unwrap().artefact;
        let knots: Vec<f64> =
            model.coefficients.iter().filter_map(|c| Some(c.knot.as_ref()?.at)).collect();
        assert_eq!((knots.len(), knots[0], knots[4]), (5, 0.0, 64.0));
        // All rows are below 8, an eighth of the range.
        assert!(knots[2] <= 8.0, "{knots:?}");
        let curve = model.schema.columns()[1].curve.as_ref().unwrap();
        assert_eq!(curve.released_for, Some(0.2));
        let plan = job.plan(2000).unwrap();
        let Event::Composition { of } = job.event(&plan) else { panic!("two parts") };
        assert_eq!(of.len(), 2);
        let knots = model.origins.unwrap().columns[1].knots;
        assert_eq!(knots, Some(discretion_formats::Origin::ReleasedPrivately));
        // And it is read again as it was written; with knots that are not settled it is none of our
        // files.
        let text = std::fs::read_to_string(&place).unwrap();
        assert_eq!(Model::from_json(&text).unwrap().schema, model.schema);
        let mut edited: serde_json::Value = serde_json::from_str(&text).unwrap();
        edited["schema"]["columns"][1]["curve"] =
            serde_json::json!({ "knots": { "private": { "knots": 5, "share": 0.2 } } });
        let refused = Model::from_json(&edited.to_string()).unwrap_err();
        assert!(refused.contains("knots = \"private\" and no knots"), "{refused}");
    }
}

#[test]
fn what_is_not_settled_is_not_fitted() {
    let refused = job("epsilon = 1").fit.plan(2000).unwrap_err();
    assert!(refused.to_string().contains("knots = \"private\""), "{refused}");
}

/// One charge for both, the training has the rest, and the rate is in the file.
#[test]
fn a_base_rate_is_paid_for_with_the_training_and_is_in_the_model() {
    for (budget, whole) in
        [("epsilon = 0.5", 0.5), ("epsilon = 0.5\ndelta = 1e-6", 0.5), ("rho = 0.01", 0.01)]
    {
        let job = FitJob { base_rate: true, ..job(budget).fit };
        let schema = job.schema.with_any_knots();
        let job = TwoStepFit::of(FitJob { schema, ..job }).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("model.json");
        let model = spend(&job, &rows(&job), Payer::Seed(1), &place, &Silence).unwrap().artefact;
        let rate = model.training.base_rate.expect("it was released");
        // 39 of 80 rows are positive.
        assert!(
            (rate.released - 0.4875).abs() < 6.0 * rate.deviation && rate.share == 0.05,
            "{rate:?}"
        );
        assert_eq!(model.training.lambda_from, LambdaFrom::Auto);
        assert_eq!(Model::from_json(&model.to_json()).unwrap().training, model.training);
        let plan = job.plan(2000).unwrap();
        let price = |event: &Event| Spend::of(event).unwrap().price(job.budget()).unwrap().amount;
        let (all, training) = (price(&job.event(&plan)), price(&plan.fit.event()));
        assert!(
            all <= whole && all > 0.97 * whole && training < 0.97 * whole,
            "{budget}: {all} {training}"
        );
    }
}

#[test]
fn a_base_rate_knows_what_it_does_not_go_with() {
    let job = |lambda: &str, more: &str| FitJob {
        base_rate: true,
        ..crate::fit::tests::job(lambda, more)
    };
    for (job, what) in [
        (job("[0.01, 0.1]", ""), "a list of lambda"),
        (job("0.01", "[intervals]\nlevel = 0.9\n"), "[intervals]"),
        (job("0.01", "method = \"output\"\n"), "method"),
        (job("0.01", "norm = \"row\"\n"), "norm"),
        (job("0.01", "loss = \"hinge\"\n"), "logistic"),
    ] {
        let refused = TwoStepFit::of(job).unwrap().plan(100).err().expect(what).to_string();
        assert!(refused.contains("base_rate") && refused.contains(what), "{refused}");
    }
    let known = job("0.01", "").plan(100).unwrap_err();
    assert!(known.to_string().contains("not known here"), "{known}");
}
