//! A fit whose curves bend where the rows are: private knots, then the training, one charge for both (`knots/PROOF.md`).

use super::rules::check_knots;
use super::{FitJob, FitRows};
use crate::evaluate::{Evaluable, LabelledRows, Scorer};
use crate::job::Job;
use crate::promise::promise_of_run;
use discretion::Refusal;
use discretion::erm::matrix::{Cells, Norm};
use discretion::fit::{Fitted, Plan};
use discretion::knots::{KnotsPlan, quantiles};
use discretion::noise::Noise;
use discretion::privacy::account::Event;
use discretion::privacy::{Budget, Unit};
use discretion_formats::{LedgerEntry, Model, ModelQuality};
use discretion_report::numbers::plain::short;
use discretion_table::{RowStorage, Schema};

/// A fit of a schema with `knots = "private"`. Its rows have such columns on the grid ([`Schema::on_grid`]).
pub struct KnotsFit {
    fit: FitJob,
    /// What its rows are read by.
    grid: Schema,
}

/// What is released.
pub struct KnotsFitted {
    /// The fit of a schema with knots.
    fit: FitJob,
    fitted: Fitted,
    /// The knots, as cells' ends, by the places of their columns among stored numbers.
    kept: Vec<(usize, Vec<usize>)>,
}

/// Every public number of both.
pub struct KnotsFitPlan {
    knots: KnotsPlan,
    fit: Plan,
}

impl KnotsFit {
    /// The fit with its search for knots, if some column wants one.
    pub fn of(fit: FitJob) -> Option<KnotsFit> {
        (!fit.schema.private_knots().is_empty()).then(|| KnotsFit { grid: fit.schema.on_grid(), fit })
    }

    /// What its rows are read by.
    pub fn grid(&self) -> &Schema {
        &self.grid
    }

    /// Refuses for public reasons, before a row is read.
    pub fn check(&self) -> Result<(), Refusal> {
        check_knots(&self.fit).and_then(|()| self.fit.check())
    }

    /// The fit that comes after the knots, of a schema that has them, with what is left of the budget.
    fn after(&self, schema: Schema, knots: &KnotsPlan) -> FitJob {
        FitJob { schema, spend: knots.rest(), ..self.fit.clone() }
    }

    /// The same of a schema that public numbers know.
    pub fn stand_in(&self) -> Result<FitJob, Refusal> {
        Ok(self.after(self.fit.schema.with_any_knots(), &self.knots()?))
    }

    fn knots(&self) -> Result<KnotsPlan, Refusal> {
        let wanted = self.fit.schema.private_knots();
        KnotsPlan::new(&wanted, self.fit.spend, self.fit.unit)
            .map_err(|error| Refusal::bad_input(error.to_string()))
    }

    /// What a plan says of the knots.
    pub fn about_knots(&self, plan: &KnotsFitPlan) -> String {
        let shares: f64 = plan.knots.columns().iter().map(|(wanted, _)| wanted.share).sum();
        format!(
            "{} % of the budget find the knots of {} curves, by counts with a noise of {} {}; training has the rest",
            short(100.0 * shares),
            plan.knots.columns().len(),
            short(plan.knots.deviation()),
            self.fit.unit.plural()
        )
    }
}

/// The schema with knots from exact counts, for the custodian alone: what is fitted without noise has no budget to share.
pub fn knots_without_noise(schema: &Schema, rows: &dyn Cells) -> Result<Schema, Refusal> {
    let exact = schema.private_knots().into_iter().map(|wanted| {
        let counts = rows.cells(wanted.place).map_err(|error| Refusal::refused(error.0))?;
        Ok(quantiles(&counts.not_private().into_inner(), wanted.knots))
    });
    Ok(schema.with_knots_from_rows(&exact.collect::<Result<Vec<_>, Refusal>>()?))
}

impl Job for KnotsFit {
    const NAME: &'static str = "fit";
    const DOING: &'static str = "training";
    type Rows = RowStorage;
    type Plan = KnotsFitPlan;
    type Released = KnotsFitted;
    type Artefact = Model;

    fn budget(&self) -> Budget {
        self.fit.spend
    }

    fn unit(&self) -> Unit {
        self.fit.unit
    }

    fn settings(&self) -> Option<String> {
        self.fit.settings()
    }

    fn count(rows: &RowStorage) -> usize {
        rows.count()
    }

    fn plan(&self, rows: usize) -> Result<KnotsFitPlan, Refusal> {
        self.check()?;
        Ok(KnotsFitPlan { knots: self.knots()?, fit: self.stand_in()?.plan(rows)? })
    }

    fn event(&self, plan: &KnotsFitPlan) -> Event {
        Event::Composition { of: vec![plan.knots.event(), plan.fit.event()] }
    }

    fn notes(&self, plan: &KnotsFitPlan) -> Vec<String> {
        let mut notes = self.fit.notes(&plan.fit);
        notes.push(self.about_knots(plan));
        notes
    }

    fn run(&self, plan: &KnotsFitPlan, rows: &RowStorage, noise: &mut Noise) -> Result<KnotsFitted, Refusal> {
        let released = rows
            .with_cells(|rows| plan.knots.run(rows, noise))
            .map_err(|error| Refusal::refused(format!("{error}; nothing was released")).because(error))?;
        let ends: Vec<Vec<usize>> = released.iter().map(|ends| ends.to_vec()).collect();
        let fit = self.after(self.fit.schema.with_released_knots(&ends), &plan.knots);
        if fit.schema.norm() == Norm::Scale {
            let again = fit.plan(rows.count())?;
            assert_eq!(again.event(), plan.fit.event(), "what was charged does not depend on the knots");
        }
        let places = plan.knots.columns().iter().map(|(wanted, _)| wanted.place);
        let kept: Vec<(usize, Vec<usize>)> = places.zip(ends).collect();
        let rows = rows.keeping_knots(fit.schema.encoder().layout(), &kept);
        let rows = FitRows::of(rows, &fit.request()).map_err(|error| fit.explain(error))?;
        let fitted = fit.run(&plan.fit, &rows, noise)?;
        Ok(KnotsFitted { fit, fitted, kept })
    }

    fn artefact(
        &self,
        plan: &KnotsFitPlan,
        KnotsFitted { fit, fitted, .. }: KnotsFitted,
        paid: Option<LedgerEntry>,
    ) -> Result<Model, Refusal> {
        let provenance = fitted.coefficients.provenance();
        // The promise is of knots and training together.
        let privacy = promise_of_run(provenance, (self.fit.spend, self.fit.unit), paid.as_ref());
        let mut model = fit.artefact(&plan.fit, fitted, paid)?;
        model.privacy = privacy;
        Ok(model)
    }
}

/// Rows that are held out stay on the grid: knots are found among those that train.
impl Evaluable for KnotsFit {
    fn schema(&self) -> &Schema {
        &self.grid
    }

    fn validation(&self) -> Option<f64> {
        self.fit.validation()
    }

    fn trained_on(&self, rows: LabelledRows) -> Result<RowStorage, Refusal> {
        Ok(rows.stored(&self.grid))
    }

    fn stored(&self, rows: RowStorage) -> Result<RowStorage, Refusal> {
        Ok(rows)
    }

    fn scorer(&self, released: &KnotsFitted) -> Result<Scorer, Refusal> {
        let scorer = released.fit.scorer(&released.fitted)?;
        Ok(scorer.of_rows_on(self.grid.encoder().layout(), &released.kept))
    }

    fn evaluated(model: Model, quality: ModelQuality) -> Model {
        FitJob::evaluated(model, quality)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spend::{Payer, spend};
    use crate::watch::Silence;
    use discretion::erm::matrix::{Batch, Matrix};
    use discretion_table::Study;
    use std::path::Path;

    fn job(spend: &str) -> KnotsFit {
        let text = format!(
            "[data]\npath = \"t.csv\"\naccount = \"a\"\ntarget = \"y\"\npositive = \"1\"\nnegative = \"0\"\n[budget]\n\
             epsilon = 9\ndelta = 1e-3\n[spend]\n{spend}\n[columns]\nw = {{ min = 0, max = 1 }}\n\
             x = {{ min = 0, max = 64, knots = \"private\", curve = 5, share = 0.2 }}\n"
        );
        KnotsFit::of(FitJob::of(&Study::parse(Path::new("study.toml"), &text).unwrap())).unwrap()
    }

    fn batch() -> Batch {
        let numeric = (0..2000).flat_map(|row| [0.1, (row % 80) as f32 / 10.0]).collect();
        let positive = (0..2000).map(|row| row % 80 > 40).collect();
        Batch { numeric, codes: vec![], positive }
    }

    fn rows(job: &KnotsFit) -> RowStorage {
        RowStorage::Memory(Matrix::of(job.grid.encoder().layout(), batch()))
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
            // And it is read again as it was written; with knots that are not settled it is none of our files.
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
}
