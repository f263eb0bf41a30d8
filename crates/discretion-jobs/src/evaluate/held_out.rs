//! A fit that holds rows out, by position, and tells how good its model is on them: two parts of
//! one table, so it costs rows and no more budget (`quality/PROOF.md`).

use super::held_out_rows::{HeldOutReader, HeldOutRows};
use super::kinds::{Counted, EvaluationPlan, Expected, facts};
use super::scorer::Scorer;
use super::{Groups, explain};
use crate::fit::{AnyRows, FitJob, FitRows, RowSplit, TwoStepFit};
use crate::identity::Settings;
use crate::job::Job;
use crate::number::{NumberJob, NumberReleased, Planned, huber};
use crate::support::{self, Features};
use discretion::choose::split::{is_share, validation_rows};
use discretion::erm::matrix::KeptKnots;
use discretion::erm::remote::Cluster;
use discretion::fit::Fitted;
use discretion::noise::{Noise, Released};
use discretion::privacy::account::{Event, Spend};
use discretion::privacy::{Budget, Unit};
use discretion::quality::{Meaning, QualityError};
use discretion::{Refusal, RefusalKind};
use discretion_formats::{LedgerEntry, Model, ModelQuality, NumberModel};
use discretion_report::numbers::plain::{count, short};
use discretion_table::{EvaluateSettings, RowStorage, Schema};
use serde_json::json;

/// A fit whose model can be evaluated.
pub trait Evaluable: Job {
    /// What is declared about the table.
    fn schema(&self) -> &Schema;

    /// How rows that train are split.
    fn row_split(&self) -> RowSplit;

    /// Whether the model of a number only predicts, and says nothing of how far outcomes are from
    /// that.
    fn predictions_alone(&self, _: &Self::Plan) -> bool {
        false
    }

    /// Rows that train, as the fit needs them.
    fn stored(&self, rows: RowStorage) -> Result<Self::Rows, Refusal>
    where
        Self::Rows: Sized;

    /// Rows that others hold: the tables of [`Evaluable::row_split`].
    fn remote(&self, tables: Vec<Cluster>) -> Self::Rows
    where
        Self::Rows: Sized;

    /// The knots that curves of released models keep of those that rows have.
    fn kept<'r>(&self, _: &'r Self::Released) -> &'r KeptKnots {
        &[]
    }

    /// What the released model says of rows.
    fn scorer(&self, released: &Self::Released) -> Result<Scorer, Refusal>;

    /// The model file with figures.
    fn evaluated(model: Self::Artefact, quality: ModelQuality) -> Self::Artefact;
}

/// A fit on some of the rows, evaluated on the others.
#[derive(Clone)]
pub struct HeldOut<J> {
    fit: J,
    share: f64,
    groups: Groups,
}

/// A fit of classes that holds rows out.
pub type HeldOutFit = HeldOut<FitJob>;

/// The same with a release before the training.
pub type HeldOutTwoSteps = HeldOut<TwoStepFit>;

/// A fit of a number that holds rows out.
pub type HeldOutNumber = HeldOut<NumberJob>;

/// Every public number of both.
pub struct HeldOutPlan<P> {
    fit: P,
    /// For scores whose place is known once the model is.
    pub(super) quality: EvaluationPlan,
}

impl<J: Evaluable> HeldOut<J> {
    /// A fit that leaves out what `[evaluate]` says.
    pub fn new(fit: J, settings: &EvaluateSettings) -> Result<HeldOut<J>, Refusal> {
        if !is_share(settings.share) {
            return Err(Refusal::bad_input(format!(
                "[evaluate] share = {}: it rounds to all rows or none",
                settings.share
            )));
        }
        support::check(&Features::of_schema(fit.schema(), fit.unit()).held_out(Some(settings)))?;
        let groups = Groups::by(fit.schema(), settings.by.as_deref())?;
        Ok(HeldOut { fit, share: settings.share, groups })
    }

    /// The fit, as it is on the rows that are left.
    pub fn fit(&self) -> &J {
        &self.fit
    }

    /// The same around another fit of the same columns.
    pub fn with_fit<K: Evaluable>(&self, fit: K) -> HeldOut<K> {
        HeldOut { fit, share: self.share, groups: self.groups.clone() }
    }

    /// The share of rows that are held out.
    pub fn share(&self) -> f64 {
        self.share
    }

    /// How all rows are split.
    pub fn row_split(&self) -> RowSplit {
        self.fit.row_split().holding_out(self.share)
    }

    /// What reads a table for it.
    pub fn reader(&self) -> HeldOutReader {
        HeldOutReader::new(self.fit.schema(), self.share)
    }

    /// What a plan says of the evaluation, a sentence each.
    pub fn about_evaluation(&self, plan: &HeldOutPlan<J::Plan>) -> Vec<String> {
        plan.quality.notes(self.fit.unit())
    }

    /// Plans an evaluation with what costs nothing beside the fit, as the two look at rows of their
    /// own (`quality/PROOF.md`, "Held out beside training"): with the budget that tells most.
    fn quality(
        &self,
        rows: usize,
        budgets: &[Budget],
        expected: &Expected,
    ) -> Result<EvaluationPlan, Refusal> {
        let plans = budgets.iter().map(|&budget| expected.plan(rows, budget, self.groups.len()));
        // The most exact plan, or the refusal that wants fewest rows.
        let order = |plan: &Result<EvaluationPlan, QualityError>| match plan {
            Ok(plan) => (0, plan.half_width()),
            Err(QualityError::TooFewRows { needed, .. }) => (1, *needed as f64),
            Err(_) => (2, 0.0),
        };
        let best = plans.min_by(|a, b| {
            let ((a, x), (b, y)) = (order(a), order(b));
            a.cmp(&b).then(x.total_cmp(&y))
        });
        best.expect("every fit has noise").map_err(|error| match error {
            QualityError::TooFewRows { rows, budget, needed } => {
                let (what, size) = match budget {
                    Budget::Zcdp { rho } => ("ρ", rho),
                    Budget::Pure { epsilon } | Budget::Approximate { epsilon, .. } => ("ε", epsilon),
                };
                Refusal::refused(format!(
                    "[evaluate]: {} {} are too few to evaluate a model with {what} = {}, which is what costs nothing beside this \
                     fit, because noise would outweigh them; it takes about {}; nothing was charged",
                    count(rows),
                    self.fit.unit().plural(),
                    short(size),
                    count(needed)
                ))
                .because(error)
            }
            error => explain(error, "[evaluate]"),
        })
    }

    /// The budgets of which the evaluation of a fit may take one: it costs nothing beside the fit.
    fn beside(&self, fit: &J::Plan) -> Result<Vec<Budget>, Refusal> {
        let spend = Spend::of(&self.fit.event(fit));
        Ok(spend.map_err(|error| Refusal::from_error(RefusalKind::Refused, error))?.beside())
    }
}

impl<P> HeldOutPlan<P> {
    /// How many rows are held out.
    pub fn held_out(&self) -> usize {
        self.quality.rows()
    }

    /// The plan of the fit, on the other rows.
    pub fn fit(&self) -> &P {
        &self.fit
    }
}

impl<J: Evaluable> Job for HeldOut<J>
where
    J::Rows: Sized,
{
    const NAME: &'static str = J::NAME;
    const DOING: &'static str = J::DOING;
    type Rows = HeldOutRows<J::Rows>;
    type Plan = HeldOutPlan<J::Plan>;
    type Released = (J::Released, (Released<Counted>, Meaning));
    type Artefact = J::Artefact;

    fn budget(&self) -> Budget {
        self.fit.budget()
    }

    fn with_budget(&self, spend: Budget) -> Option<HeldOut<J>> {
        self.fit.with_budget(spend).map(|fit| self.with_fit(fit))
    }

    fn unit(&self) -> Unit {
        self.fit.unit()
    }

    fn settings(&self) -> Option<Settings> {
        let (share, by) = (self.share, self.groups.column());
        let Settings { value, earlier } = self.fit.settings()?;
        Some(Settings {
            value: json!({ "fit": value, "evaluate": { "share": share, "by": by } }),
            earlier: format!("{earlier} evaluated on {share} {by:?}"),
        })
    }

    fn count(rows: &Self::Rows) -> usize {
        J::count(&rows.training) + rows.held_out.count()
    }

    fn plan(&self, rows: usize) -> Result<Self::Plan, Refusal> {
        let held_out = validation_rows(rows, self.share);
        let fit = self.fit.plan(rows - held_out)?;
        let expected = Expected::of_any_model(self.fit.schema(), self.fit.predictions_alone(&fit));
        let quality = self.quality(held_out, &self.beside(&fit)?, &expected)?;
        Ok(HeldOutPlan { fit, quality })
    }

    fn event(&self, plan: &Self::Plan) -> Event {
        Event::Parallel { of: vec![self.fit.event(&plan.fit), plan.quality.event()] }
    }

    fn notes(&self, plan: &Self::Plan) -> Vec<String> {
        self.fit.notes(&plan.fit)
    }

    fn forecasts(&self, plan: &Self::Plan) -> Vec<String> {
        let held_out = format!(
            "{} {} are held out to tell how good the model is; nothing else looks at them",
            count(plan.held_out()),
            self.fit.unit().plural()
        );
        [held_out].into_iter().chain(self.about_evaluation(plan)).collect()
    }

    fn run(
        &self,
        plan: &Self::Plan,
        rows: &Self::Rows,
        noise: &mut Noise,
    ) -> Result<Self::Released, Refusal> {
        let released = self.fit.run(&plan.fit, &rows.training, noise)?;
        let scorer = self.fit.scorer(&released)?;
        let quality =
            self.quality(plan.held_out(), &[plan.quality.budget()], &scorer.expected())?;
        assert_eq!(
            quality.event(),
            plan.quality.event(),
            "what was charged does not depend on where scores are"
        );
        let meaning = scorer.meaning();
        let kept = self.fit.kept(&released);
        let regridded = (!kept.is_empty()).then(|| rows.held_out.keeping_knots(kept));
        let held_out = regridded.as_ref().unwrap_or(&rows.held_out);
        let counted = quality.run((&scorer, &self.groups), held_out.all(), noise, "[evaluate]")?;
        Ok((released, (counted, meaning)))
    }

    fn artefact(
        &self,
        plan: &Self::Plan,
        (released, (counted, meaning)): Self::Released,
        paid: Option<LedgerEntry>,
    ) -> Result<J::Artefact, Refusal> {
        let model = self.fit.artefact(&plan.fit, released, paid)?;
        let quality = facts(&counted, self.fit.schema(), meaning, &self.groups, self.fit.unit());
        Ok(J::evaluated(model, quality))
    }
}

impl Evaluable for FitJob {
    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn row_split(&self) -> RowSplit {
        RowSplit::of(&self.request(), self.schema.target().labels.several().is_some())
    }

    fn stored(&self, rows: RowStorage) -> Result<FitRows, Refusal> {
        FitRows::new(rows, &self.request()).map_err(|error| self.explain(error))
    }

    fn remote(&self, tables: Vec<Cluster>) -> FitRows {
        FitRows::remote(tables)
    }

    fn scorer(&self, fitted: &Fitted) -> Result<Scorer, Refusal> {
        Ok(Scorer::of_classes(&self.schema, &fitted.coefficients, self.model.loss))
    }

    fn evaluated(mut model: Model, quality: ModelQuality) -> Model {
        model.quality = Some(quality);
        model
    }
}

impl Evaluable for NumberJob {
    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn row_split(&self) -> RowSplit {
        RowSplit::default()
    }

    fn predictions_alone(&self, plan: &Planned) -> bool {
        matches!(plan, Planned::Huber(_))
    }

    fn stored(&self, rows: RowStorage) -> Result<AnyRows, Refusal> {
        Ok(rows.rows.into())
    }

    fn remote(&self, mut tables: Vec<Cluster>) -> AnyRows {
        tables.remove(0).into()
    }

    fn scorer(&self, released: &NumberReleased) -> Result<Scorer, Refusal> {
        match released {
            NumberReleased::Moments(moments) => {
                let solution =
                    moments.solve(self.penalty()).map_err(|error| self.explain(error))?;
                Scorer::of_number(&self.schema, &solution)
            }
            NumberReleased::Coefficients(theta) => {
                Ok(Scorer::of_predictions(&self.schema, &huber::told(&self.schema, theta)))
            }
        }
    }

    fn evaluated(mut model: NumberModel, quality: ModelQuality) -> NumberModel {
        let ModelQuality::Number(quality) = quality else {
            unreachable!("the outcome is a number")
        };
        model.quality = Some(quality);
        model
    }
}
