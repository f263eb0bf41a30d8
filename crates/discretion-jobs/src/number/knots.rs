//! A fit of a number whose curves bend where the rows are: private knots, then the sums, one charge
//! for both (`knots/PROOF.md`).

use super::{NumberJob, NumberReleased, Planned};
use crate::evaluate::{Evaluable, Scorer};
use crate::fit::{AnyRows, RowSplit, about_knots, planned_knots, released_ends};
use crate::identity::Settings;
use crate::job::Job;
use crate::promise::promise_of_run;
use discretion::Refusal;
use discretion::erm::matrix::KeptKnots;
use discretion::erm::remote::Cluster;
use discretion::knots::KnotsPlan;
use discretion::noise::Noise;
use discretion::privacy::account::Event;
use discretion::privacy::{Budget, Unit};
use discretion_formats::{LedgerEntry, ModelQuality, NumberModel};
use discretion_table::{RowStorage, Schema};

/// A fit of a schema with `knots = "private"`. Its rows have such columns on the grid
/// ([`Schema::on_grid`]).
pub struct NumberKnots {
    fit: NumberJob,
    /// The same on the grid, by which its rows are read.
    on_grid: NumberJob,
}

/// What is released.
pub struct NumberKnotsReleased {
    /// The fit of a schema with knots.
    fit: NumberJob,
    released: NumberReleased,
    /// The knots, as cells' ends, by the places of their columns among stored numbers.
    kept: Vec<(usize, Vec<usize>)>,
}

/// Every public number of both.
pub struct NumberKnotsPlan {
    knots: KnotsPlan,
    fit: Planned,
}

impl NumberKnots {
    /// The fit with its search for knots, if some column wants one.
    pub fn of(fit: NumberJob) -> Option<NumberKnots> {
        let has_some = !fit.schema.private_knots().is_empty();
        has_some.then(|| {
            let on_grid = NumberJob { schema: fit.schema.on_grid(), ..fit.clone() };
            NumberKnots { fit, on_grid }
        })
    }

    /// The fit that comes after the knots, of a schema that has them, with what is left of the
    /// budget.
    fn after(&self, schema: Schema, knots: &KnotsPlan) -> NumberJob {
        NumberJob { schema, spend: knots.rest(), ..self.fit.clone() }
    }

    fn knots(&self) -> Result<KnotsPlan, Refusal> {
        planned_knots(&self.fit.schema, self.fit.spend, self.fit.unit)
    }

    /// The fit of a schema that public numbers know, and what is said of the knots.
    pub fn stand_in(&self) -> Result<(NumberJob, String), Refusal> {
        let knots = self.knots()?;
        let said = about_knots(&knots, self.fit.unit);
        Ok((self.after(self.fit.schema.with_any_knots(), &knots), said))
    }
}

impl Job for NumberKnots {
    const NAME: &'static str = NumberJob::NAME;
    const DOING: &'static str = NumberJob::DOING;
    type Rows = AnyRows;
    type Plan = NumberKnotsPlan;
    type Released = NumberKnotsReleased;
    type Artefact = NumberModel;

    fn budget(&self) -> Budget {
        self.fit.spend
    }

    fn with_budget(&self, spend: Budget) -> Option<NumberKnots> {
        NumberKnots::of(NumberJob { spend, ..self.fit.clone() })
    }

    fn unit(&self) -> Unit {
        self.fit.unit
    }

    fn settings(&self) -> Option<Settings> {
        self.fit.settings()
    }

    fn count(rows: &AnyRows) -> usize {
        rows.count()
    }

    fn plan(&self, rows: usize) -> Result<NumberKnotsPlan, Refusal> {
        Ok(NumberKnotsPlan { knots: self.knots()?, fit: self.stand_in()?.0.plan(rows)? })
    }

    fn event(&self, plan: &NumberKnotsPlan) -> Event {
        Event::Composition { of: vec![plan.knots.event(), self.fit.event(&plan.fit)] }
    }

    fn notes(&self, plan: &NumberKnotsPlan) -> Vec<String> {
        let mut notes = self.fit.notes(&plan.fit);
        notes.push(about_knots(&plan.knots, self.fit.unit));
        notes
    }

    fn run(
        &self,
        plan: &NumberKnotsPlan,
        rows: &AnyRows,
        noise: &mut Noise,
    ) -> Result<NumberKnotsReleased, Refusal> {
        let ends = released_ends(&plan.knots, rows.all(), noise)?;
        let fit = self.after(self.fit.schema.with_released_knots(&ends), &plan.knots);
        let again = fit.plan(rows.count())?;
        assert_eq!(
            fit.event(&again),
            fit.event(&plan.fit),
            "what was charged does not depend on the knots"
        );
        let places = plan.knots.columns().iter().map(|(wanted, _)| wanted.place);
        let kept: Vec<(usize, Vec<usize>)> = places.zip(ends).collect();
        let rows = rows.keeping_knots(&kept);
        let released = fit.run(&plan.fit, &rows, noise)?;
        Ok(NumberKnotsReleased { fit, released, kept })
    }

    fn artefact(
        &self,
        plan: &NumberKnotsPlan,
        NumberKnotsReleased { fit, released, .. }: NumberKnotsReleased,
        paid: Option<LedgerEntry>,
    ) -> Result<NumberModel, Refusal> {
        let provenance = match &released {
            NumberReleased::Moments(moments) => moments.provenance(),
            NumberReleased::Coefficients(theta) => theta.provenance(),
        };
        // The promise is of knots and sums together.
        let privacy = promise_of_run(provenance, (self.fit.spend, self.fit.unit), paid.as_ref());
        let mut model = fit.artefact(&plan.fit, released, paid)?;
        model.privacy = privacy;
        Ok(model)
    }
}

/// Rows that are held out stay on the grid: knots are found among those that train.
impl Evaluable for NumberKnots {
    fn schema(&self) -> &Schema {
        &self.on_grid.schema
    }

    fn row_split(&self) -> RowSplit {
        self.fit.row_split()
    }

    fn predictions_alone(&self, plan: &NumberKnotsPlan) -> bool {
        self.fit.predictions_alone(&plan.fit)
    }

    fn stored(&self, rows: RowStorage) -> Result<AnyRows, Refusal> {
        self.fit.stored(rows)
    }

    fn remote(&self, tables: Vec<Cluster>) -> AnyRows {
        self.fit.remote(tables)
    }

    fn kept<'r>(&self, released: &'r NumberKnotsReleased) -> &'r KeptKnots {
        &released.kept
    }

    fn scorer(&self, released: &NumberKnotsReleased) -> Result<Scorer, Refusal> {
        released.fit.scorer(&released.released)
    }

    fn evaluated(model: NumberModel, quality: ModelQuality) -> NumberModel {
        NumberJob::evaluated(model, quality)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::{HeldOut, HeldOutRows};
    use crate::spend::{Payer, spend};
    use crate::watch::Silence;
    use discretion::erm::matrix::{Batch, Matrix, Rows};
    use discretion_table::{EvaluateSettings, Study};
    use std::path::Path;

    fn job(rest: &str) -> NumberKnots {
        let text = format!(
            "[data]\npath = \"t.csv\"\naccount = \"a\"\n{rest}\noutcome = {{ column = \"y\", min = 0, max = 10 }}\n\
             [budget]\nepsilon = 9\ndelta = 1e-3\n[spend]\nepsilon = 3\n[columns]\nw = {{ min = 0, max = 1 }}\n\
             x = {{ min = 0, max = 64, knots = \"private\", curve = 5, share = 0.2 }}\n\
             [model]\nloss = \"squares\"\n"
        );
        let study = Study::parse(Path::new("study.toml"), &text).unwrap();
        NumberKnots::of(NumberJob::of(&study).unwrap().unwrap()).unwrap()
    }

    /// 2,000 rows below an eighth of the range, in the order of their stored numbers: `w`, `x` and
    /// the outcome.
    fn rows(job: &NumberKnots) -> Matrix {
        let numeric =
            (0..2000).flat_map(|row| [0.1, (row % 80) as f32 / 10.0, 0.002 * (row % 80) as f32]);
        let batch =
            Batch { numeric: numeric.collect(), codes: vec![], positive: vec![false; 2000] };
        Matrix::of(job.fit.schema.on_grid().layout_with_outcome().0, batch)
    }

    fn is_bent_where_rows_are(model: &NumberModel) {
        let knots: Vec<f64> =
            model.coefficients.iter().filter_map(|c| Some(c.knot.as_ref()?.at)).collect();
        assert_eq!((knots.len(), knots[0], knots[4]), (5, 0.0, 64.0));
        assert!(knots[2] <= 8.0, "{knots:?}");
        assert_eq!(model.schema.columns()[1].curve.as_ref().unwrap().released_for, Some(0.2));
    }

    #[test]
    fn knots_are_paid_for_with_the_sums_and_are_in_the_model() {
        let folder = tempfile::tempdir().unwrap();
        for (at, rest) in ["", "person = \"who\""].into_iter().enumerate() {
            let (job, place) = (job(rest), folder.path().join(format!("{at}.json")));
            let rows = match rest {
                "" => AnyRows::Here(rows(&job).into()),
                _ => {
                    let whose: Vec<u128> = (0..2000).map(|row| row / 3).collect();
                    AnyRows::Here(Rows::group(rows(&job), &whose))
                }
            };
            let model = spend(&job, &rows, Payer::Seed(1), &place, &Silence).unwrap().artefact;
            is_bent_where_rows_are(&model);
            let plan = job.plan(rows.count()).unwrap();
            let Event::Composition { of } = job.event(&plan) else { panic!("two parts") };
            assert_eq!(of.len(), 2);
            // What is left of the budget is what the sums cost.
            assert_eq!(plan.knots.rest(), job.stand_in().unwrap().0.spend);
        }
    }

    /// Held-out rows come on the grid and are scored among the knots that were released: left where
    /// they were, the rows would be far beyond the last knot.
    #[test]
    fn rows_that_are_held_out_are_scored_by_the_released_knots() {
        let held_out = HeldOut::new(job(""), &EvaluateSettings { share: 0.25, by: None }).unwrap();
        let rows = HeldOutRows::of(&held_out, &rows(held_out.fit())).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("model.json");
        let model = spend(&held_out, &rows, Payer::Seed(1), &place, &Silence).unwrap().artefact;
        is_bent_where_rows_are(&model);
        let quality = model.quality.expect("it was asked for");
        assert_eq!(quality.rows, 500);
        let explained = quality.figures.explained.expect("moments know the mean").value;
        assert!(explained > 0.5, "{explained}");
        let Event::Parallel { of } = held_out.event(&held_out.plan(2000).unwrap()) else {
            panic!("two parts")
        };
        assert_eq!(of.len(), 2);
    }
}
