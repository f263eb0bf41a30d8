//! A fit whose curves bend where the rows are: private knots, then the training, one charge for both (`knots/PROOF.md`).

use super::rules::check_knots;
use super::{FitJob, FitRows};
use crate::job::Job;
use crate::promise::promise_of_run;
use discretion::Refusal;
use discretion::erm::matrix::{Matrix, Norm};
use discretion::fit::{Fitted, Plan};
use discretion::knots::{KnotsPlan, quantiles};
use discretion::noise::Noise;
use discretion::privacy::account::Event;
use discretion::privacy::{Budget, Unit};
use discretion_formats::{LedgerEntry, Model};
use discretion_report::numbers::plain::short;
use discretion_table::Schema;

/// A fit of a schema with `knots = "private"`. Its rows have such columns on the grid ([`Schema::on_grid`]).
pub struct KnotsFit {
    fit: FitJob,
}

/// Every public number of both.
pub struct KnotsFitPlan {
    knots: KnotsPlan,
    fit: Plan,
}

impl KnotsFit {
    /// The fit with its search for knots, if some column wants one.
    pub fn of(fit: FitJob) -> Option<KnotsFit> {
        (!fit.schema.private_knots().is_empty()).then_some(KnotsFit { fit })
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
        KnotsPlan::new(&wanted, self.fit.spend).map_err(|error| Refusal::bad_input(error.to_string()))
    }

    /// What a plan says of the knots.
    pub fn about_knots(&self, plan: &KnotsFitPlan) -> String {
        let shares: f64 = plan.knots.columns().iter().map(|(wanted, _)| wanted.share).sum();
        let noise = plan.knots.columns().iter().map(|(_, noise)| noise.deviation()).fold(0.0, f64::max);
        format!(
            "{} % of the budget find the knots of {} curves, by counts with a noise of {} rows; training has the rest",
            short(100.0 * shares),
            plan.knots.columns().len(),
            short(noise)
        )
    }

    /// The rows by these knots, and the fit of them.
    fn with_knots(&self, ends: Vec<Vec<usize>>, rows: &Matrix, plan: &KnotsPlan) -> (FitJob, Matrix) {
        let fit = self.after(self.fit.schema.with_released_knots(&ends), plan);
        let places = plan.columns().iter().map(|(wanted, _)| wanted.place);
        let kept: Vec<(usize, Vec<usize>)> = places.zip(ends).collect();
        let rows = rows.keeping_knots(fit.schema.encoder().layout(), &kept);
        (fit, rows)
    }
}

/// The schema with knots from exact counts, for the custodian alone: what is fitted without noise has no budget to share.
pub fn knots_without_noise(schema: &Schema, rows: &Matrix) -> Schema {
    let wanted = schema.private_knots();
    let exact = wanted.iter().map(|wanted| {
        let counts = rows.cells(wanted.place).not_private().into_inner();
        quantiles(&counts, wanted.knots)
    });
    schema.with_released_knots(&exact.collect::<Vec<_>>())
}

impl Job for KnotsFit {
    const NAME: &'static str = "fit";
    const DOING: &'static str = "training";
    type Rows = Matrix;
    type Plan = KnotsFitPlan;
    type Released = (FitJob, Fitted);
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

    fn count(rows: &Matrix) -> usize {
        rows.rows()
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

    fn run(
        &self,
        plan: &KnotsFitPlan,
        rows: &Matrix,
        noise: &mut Noise,
    ) -> Result<(FitJob, Fitted), Refusal> {
        let released = plan
            .knots
            .run(rows, noise)
            .map_err(|error| Refusal::refused(format!("{error}; nothing was released")).because(error))?;
        let ends = released.iter().map(|ends| ends.to_vec()).collect();
        let (fit, rows) = self.with_knots(ends, rows, &plan.knots);
        if fit.schema.norm() == Norm::Scale {
            let again = fit.plan(rows.rows())?;
            assert_eq!(again.event(), plan.fit.event(), "what was charged does not depend on the knots");
        }
        let request = fit.request();
        let rows = FitRows::new(rows, &request).map_err(|error| fit.explain(error))?;
        let fitted = fit.run(&plan.fit, &rows, noise)?;
        Ok((fit, fitted))
    }

    fn artefact(
        &self,
        plan: &KnotsFitPlan,
        (fit, fitted): (FitJob, Fitted),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spend::{Payer, spend};
    use crate::watch::Silence;
    use discretion::erm::matrix::Batch;
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

    fn rows(job: &KnotsFit) -> Matrix {
        let numeric = (0..2000).flat_map(|row| [0.1, (row % 80) as f32 / 10.0]).collect();
        let positive = (0..2000).map(|row| row % 80 > 40).collect();
        Matrix::of(job.fit.schema.on_grid().encoder().layout(), Batch { numeric, codes: vec![], positive })
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
            // And it is read again as it was written.
            let text = std::fs::read_to_string(&place).unwrap();
            assert_eq!(Model::from_json(&text).unwrap().schema, model.schema);
        }
    }

    #[test]
    fn what_is_not_settled_is_not_fitted() {
        let refused = job("epsilon = 1").fit.plan(2000).unwrap_err();
        assert!(refused.to_string().contains("knots = \"private\""), "{refused}");
    }
}
