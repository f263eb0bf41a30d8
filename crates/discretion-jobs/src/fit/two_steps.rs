//! A fit in two steps: it releases something before it trains, one charge for all. Knots, so that
//! curves bend where the rows are (`knots/PROOF.md`), and the base rate, around which the penalty
//! holds the intercept (`base_rate/PROOF.md`).

use super::knots::{about_knots, not_found, planned_knots, released_ends};
use super::{FitJob, FitRows, RowSplit};
use crate::evaluate::{Evaluable, Scorer};
use crate::identity::Settings;
use crate::job::Job;
use crate::promise::promise_of_run;
use discretion::Refusal;
use discretion::base_rate::{BaseRatePlan, log_odds};
use discretion::erm::matrix::{KeptKnots, Norm};
use discretion::erm::remote::Cluster;
use discretion::fit::{Fitted, Plan};
use discretion::knots::KnotsPlan;
use discretion::noise::Noise;
use discretion::privacy::account::Event;
use discretion::privacy::{Budget, Unit};
use discretion::train::{Method, auto_lambda_around};
use discretion_formats::{BaseRate, LambdaFrom, LedgerEntry, Model, ModelQuality};
use discretion_report::numbers::plain::short;
use discretion_report::words;
use discretion_table::{Lambda, ModelSettings, RowStorage, Schema};

/// A fit of a schema with `knots = "private"`, or of a model with `base_rate = "private"`. Its rows
/// have such columns on the grid ([`Schema::on_grid`]).
pub struct TwoStepFit {
    fit: FitJob,
    /// What its rows are read by.
    grid: Schema,
}

/// What is released.
pub struct TwoStepFitted {
    /// The fit of a schema with knots.
    fit: FitJob,
    fitted: Fitted,
    /// The knots, as cells' ends, by the places of their columns among stored numbers.
    kept: Vec<(usize, Vec<usize>)>,
    base_rate: Option<f64>,
}

/// Every public number of all.
pub struct TwoStepPlan {
    first: First,
    fit: Plan,
}

impl TwoStepPlan {
    /// The training that comes after.
    pub fn fit(&self) -> &Plan {
        &self.fit
    }
}

impl TwoStepFit {
    /// The fit with what it releases first, if there is any of that.
    pub fn of(fit: FitJob) -> Option<TwoStepFit> {
        let is_first = fit.base_rate || !fit.schema.private_knots().is_empty();
        is_first.then(|| TwoStepFit { grid: fit.schema.on_grid(), fit })
    }

    /// What its rows are read by.
    pub fn grid(&self) -> &Schema {
        &self.grid
    }

    /// The fit that comes after, of a schema that has its knots, with what is left of the budget.
    fn after(&self, schema: Schema, rows: usize, first: &First) -> FitJob {
        let (spend, model) = (first.rest(), self.fit.model.clone());
        let fit = FitJob { schema, spend, base_rate: false, ..self.fit.clone() };
        if first.base_rate.is_none() {
            return fit;
        }
        let facts = fit.facts(rows, &fit.request());
        let lambda = match model.lambda {
            // Where there is none, the plan says why.
            Lambda::Auto => auto_lambda_around(facts.all(), model.loss, spend)
                .map_or(Lambda::Auto, Lambda::Fixed),
            said => said,
        };
        FitJob { model: ModelSettings { lambda, method: Method::Objective, ..model }, ..fit }
    }

    /// The same of a schema that public numbers know.
    pub fn stand_in(&self, rows: usize) -> Result<FitJob, Refusal> {
        Ok(self.after(self.fit.schema.with_any_knots(), rows, &self.first(rows)?))
    }

    fn first(&self, rows: usize) -> Result<First, Refusal> {
        let knots = planned_knots(&self.fit.schema, self.fit.spend, self.fit.unit)?;
        let is_wanted = self.fit.base_rate && rows > 0;
        let base_rate = is_wanted.then(|| BaseRatePlan::new(knots.rest(), self.fit.unit, rows));
        Ok(First { knots, base_rate })
    }

    /// How λ was said to be found, which what comes after does not know.
    pub fn lambda_from(&self) -> LambdaFrom {
        LambdaFrom::of(&self.fit.model.lambda)
    }

    /// What a plan says of what is released first, each under its name.
    pub fn about_first(&self, plan: &TwoStepPlan) -> Vec<(&'static str, String)> {
        let First { knots, base_rate } = &plan.first;
        let about_rate =
            base_rate.as_ref().map(|plan| ("base rate", about_base_rate(plan, self.fit.unit)));
        let has_knots = !knots.columns().is_empty();
        has_knots
            .then(|| ("knots", about_knots(knots, self.fit.unit)))
            .into_iter()
            .chain(about_rate)
            .collect()
    }

    /// The intercept's entry in a row.
    fn entry(&self) -> f64 {
        self.grid
            .encoder()
            .layout()
            .columns()
            .iter()
            .next()
            .expect("every model has an intercept")
            .size
    }
}

/// What is released before the training.
struct First {
    knots: KnotsPlan,
    base_rate: Option<BaseRatePlan>,
}

impl First {
    /// What is left of the budget.
    fn rest(&self) -> Budget {
        self.base_rate.as_ref().map_or(self.knots.rest(), BaseRatePlan::rest)
    }

    fn event(&self) -> Event {
        match &self.base_rate {
            None => self.knots.event(),
            Some(rate) if self.knots.columns().is_empty() => rate.event(),
            Some(rate) => Event::Composition { of: vec![self.knots.event(), rate.event()] },
        }
    }
}

fn about_base_rate(plan: &BaseRatePlan, unit: Unit) -> String {
    format!(
        "{} % of the budget release how frequent the positive class is, with a noise of {} % of the {}; lambda pulls the intercept \
         there and not to even odds; training has the rest",
        short(100.0 * plan.share()),
        short(100.0 * plan.deviation()),
        unit.plural()
    )
}

impl Job for TwoStepFit {
    const NAME: &'static str = "fit";
    const DOING: &'static str = "training";
    type Rows = FitRows;
    type Plan = TwoStepPlan;
    type Released = TwoStepFitted;
    type Artefact = Model;

    fn budget(&self) -> Budget {
        self.fit.spend
    }

    fn with_budget(&self, spend: Budget) -> Option<TwoStepFit> {
        TwoStepFit::of(FitJob { spend, ..self.fit.clone() })
    }

    fn unit(&self) -> Unit {
        self.fit.unit
    }

    fn settings(&self) -> Option<Settings> {
        self.fit.settings()
    }

    fn count(rows: &FitRows) -> usize {
        FitJob::count(rows)
    }

    fn plan(&self, rows: usize) -> Result<TwoStepPlan, Refusal> {
        self.fit.check()?;
        let (first, stand_in) = (self.first(rows)?, self.stand_in(rows)?);
        let fit = stand_in.plan(rows)?;
        let fit = match &first.base_rate {
            None => fit,
            Some(rate) => fit
                .around_at_most(rate.furthest() / self.entry())
                .map_err(|error| stand_in.explain(error))?,
        };
        Ok(TwoStepPlan { first, fit })
    }

    fn event(&self, plan: &TwoStepPlan) -> Event {
        Event::Composition { of: vec![plan.first.event(), plan.fit.event()] }
    }

    fn notes(&self, plan: &TwoStepPlan) -> Vec<String> {
        let mut notes = self.fit.notes(&plan.fit);
        notes.extend(self.about_first(plan).into_iter().map(|(_, sentence)| sentence));
        notes
    }

    fn run(
        &self,
        plan: &TwoStepPlan,
        rows: &FitRows,
        noise: &mut Noise,
    ) -> Result<TwoStepFitted, Refusal> {
        let TwoStepPlan { first, fit: training } = plan;
        let (all, units) = (rows.all(), FitJob::count(rows));
        let ends = released_ends(&first.knots, all, noise)?;
        let base_rate = match &first.base_rate {
            None => None,
            Some(rate) => Some(*rate.run(all, noise).map_err(not_found)?),
        };
        let fit = self.after(self.fit.schema.with_released_knots(&ends), units, first);
        if fit.schema.norm() == Norm::Scale {
            let again = fit.plan(units)?;
            assert_eq!(
                again.event(),
                plan.fit.event(),
                "what was charged does not depend on the knots"
            );
        }
        let training = match base_rate {
            None => training.clone(),
            Some(rate) => training.around(log_odds(rate) / self.entry()),
        };
        let places = first.knots.columns().iter().map(|(wanted, _)| wanted.place);
        let kept: Vec<(usize, Vec<usize>)> = places.zip(ends).collect();
        let regridded = (!kept.is_empty()).then(|| rows.keeping_knots(&kept));
        let fitted = fit.run(&training, regridded.as_ref().unwrap_or(rows), noise)?;
        Ok(TwoStepFitted { fit, fitted, kept, base_rate })
    }

    fn artefact(
        &self,
        plan: &TwoStepPlan,
        TwoStepFitted { fit, fitted, base_rate, .. }: TwoStepFitted,
        paid: Option<LedgerEntry>,
    ) -> Result<Model, Refusal> {
        let provenance = fitted.coefficients.provenance();
        // The promise is of all together.
        let privacy = promise_of_run(provenance, (self.fit.spend, self.fit.unit), paid.as_ref());
        let why = words::why(&fitted.training, self.fit.model.method);
        let mut model = fit.artefact(&plan.fit, fitted, paid)?;
        model.privacy = privacy;
        model.training.why = if base_rate.is_some() { why } else { model.training.why };
        model.training.lambda_from = self.lambda_from();
        model.training.base_rate =
            base_rate.zip(plan.first.base_rate.as_ref()).map(|(released, plan)| BaseRate {
                released,
                deviation: plan.deviation(),
                share: plan.share(),
            });
        Ok(model)
    }
}

/// Rows that are held out stay on the grid: knots are found among those that train.
impl Evaluable for TwoStepFit {
    fn schema(&self) -> &Schema {
        &self.grid
    }

    fn row_split(&self) -> RowSplit {
        self.fit.row_split()
    }

    fn stored(&self, rows: RowStorage) -> Result<FitRows, Refusal> {
        self.fit.stored(rows)
    }

    fn remote(&self, tables: Vec<Cluster>) -> FitRows {
        FitRows::remote(tables)
    }

    fn kept<'r>(&self, released: &'r TwoStepFitted) -> &'r KeptKnots {
        &released.kept
    }

    fn scorer(&self, released: &TwoStepFitted) -> Result<Scorer, Refusal> {
        released.fit.scorer(&released.fitted)
    }

    fn evaluated(model: Model, quality: ModelQuality) -> Model {
        FitJob::evaluated(model, quality)
    }
}

#[cfg(test)]
#[path = "two_steps_tests.rs"]
mod tests;
