//! What a budget buys of a linear model.

mod effects;
mod settled;
mod several;

pub use {effects::EffectError, several::SeveralPlans};

use super::{Fits, columns, delta, of_fit::WholeFit};
use crate::arguments::Arguments;
use crate::evaluate::HeldOutFit;
use crate::fit::FitJob;
use crate::request;
use discretion::Refusal;
use discretion::erm::Facts;
use discretion::loss::LossKind;
use discretion::privacy::account::{Event, TrainingLaw};
use discretion::privacy::{Budget, Unit};
use discretion::train::{Candidate, Mechanism, Method, Training, only_margins};
use discretion_formats::LambdaFrom;
use discretion_ledger::Account;
use discretion_report::numbers::plain::{count, short, significant};
use discretion_report::{terminal::AlignedColumns, words};
use discretion_table::{Lambda, ModelSettings, Study};
use serde::Serialize;

/// What is to be planned. What is given goes before what the study says, and that before defaults.
#[derive(Clone, Copy, Debug)]
pub struct TrainingPlanRequest<'s> {
    /// Columns, spend and model settings, if they are in a study.
    pub study: Option<&'s Study>,
    /// The number of rows, or of persons if the study is about them.
    pub rows: usize,
    /// The number of coefficients, which a study has too.
    pub coefficients: Option<usize>,
    /// λ.
    pub lambda: Option<LambdaOverride>,
    /// What may be spent.
    pub budget: Option<Budget>,
    /// The loss.
    pub loss: Option<LossKind>,
    /// The mechanism.
    pub method: Option<Method>,
    /// Who asks.
    pub arguments: Arguments,
}

/// λ where somebody says it beside the study.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LambdaOverride {
    /// The rule's.
    Auto,
    /// This one. The planner checks it.
    Number(f64),
}

impl TrainingPlanRequest<'_> {
    /// The plan of a study whose curves are settled.
    fn plan_settled(&self) -> Result<Report, Refusal> {
        let training = self.training()?;
        let whole = self.whole(training)?;
        let fits = self.study.map(|study| Fits::into_new(study.budget, &whole.event));
        let delta = delta::too_large(training.budget, self.unit(), self.rows).or_else(|| {
            let with = |budget| Some(self.whole(Training { budget, ..training }).ok()?.shown);
            delta::would_help(training.budget, &whole.shown, with, &self.arguments.name("delta"))
        });
        let report = Report::new(&whole, (training.budget, training.method), &self.column_names());
        Ok(Report { fits, delta, ..report })
    }

    /// What a study's fit would do, with what was said beside it; or training alone.
    fn whole(&self, training: Training) -> Result<WholeFit, Refusal> {
        // Where an impossible λ was asked for.
        let at = match (self.study, self.lambda) {
            (Some(study), None) => study.places.lambda.to_string(),
            (_, Some(LambdaOverride::Number(_))) => self.arguments.name("lambda"),
            _ => "lambda \"auto\"".to_owned(),
        };
        let Some(study) = self.study else {
            let whole = WholeFit::of_training(&training, self.facts()?);
            return whole.map_err(|error| request::explain(error.into(), &at));
        };
        let lambda = match self.lambda {
            None => study.model.lambda.clone(),
            Some(LambdaOverride::Auto) => Lambda::Auto,
            Some(LambdaOverride::Number(lambda)) => Lambda::Fixed(lambda),
        };
        let Training { loss, method, budget, .. } = training;
        let model = ModelSettings { loss, lambda, method };
        let job = FitJob { spend: budget, model, lambda_at: at, ..FitJob::of(study) };
        match &study.evaluate {
            None => WholeFit::of(&job, self.rows),
            Some(settings) => WholeFit::holding_out(&HeldOutFit::new(job, settings)?, self.rows),
        }
    }

    fn training(&self) -> Result<Training, Refusal> {
        let lambda = match (self.lambda, self.study) {
            (Some(LambdaOverride::Number(lambda)), _) => Some(lambda),
            (Some(LambdaOverride::Auto), _) | (None, None) => None,
            (None, Some(study)) => match study.model.lambda {
                Lambda::Fixed(lambda) => Some(lambda),
                Lambda::Auto | Lambda::Grid(_) => None,
            },
        };
        let budget = match (self.budget, self.study) {
            (Some(budget), _) => budget,
            (None, Some(study)) => {
                request::check_budget(study)?;
                study.spend
            }
            (None, None) => return Err(Refusal::bad_input("a plan needs a budget".to_owned())),
        };
        let model = self.study.map(|study| &study.model);
        let loss = self.loss.or(model.map(|model| model.loss)).unwrap_or(LossKind::Logistic);
        only_margins(loss).map_err(|error| Refusal::bad_input(error.to_string()))?;
        Ok(Training {
            loss,
            lambda,
            method: self.method.or(model.map(|model| model.method)).unwrap_or_default(),
            budget,
        })
    }

    fn facts(&self) -> Result<Facts, Refusal> {
        // All of them numbers: the most entries a row can have.
        let facts = self
            .coefficients
            .map(|coefficients| Facts::of_matrix(self.rows, coefficients, coefficients));
        facts.ok_or_else(|| {
            Refusal::bad_input("a plan needs a study or a number of coefficients".to_owned())
        })
    }

    fn unit(&self) -> Unit {
        self.study.map_or(Unit::Row, |study| study.schema.unit())
    }

    /// The columns in the order of their coefficients, if there is a study.
    fn column_names(&self) -> Vec<String> {
        self.study.map_or_else(Vec::new, |study| study.schema.encoder().column_names())
    }
}

/// What the line about a λ from a list is called.
pub(super) const LAMBDA_CHOSEN: &str = "lambda chosen";
/// Names with what is to be said about them.
pub(super) type Lines = Vec<(String, String)>;

/// A plan as it is shown. The order of the fields is the order in the JSON.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// What is counted in `rows`, and what the guarantee is about. Not written for rows.
    #[serde(skip_serializing_if = "Unit::is_row")]
    unit: Unit,
    rows: usize,
    dimension: usize,
    loss: String,
    budget: Budget,
    statement: String,
    lambda: f64,
    lambda_from: LambdaFrom,
    /// What "auto" would take.
    auto_lambda: f64,
    /// Below it objective perturbation is impossible.
    smallest_lambda: f64,
    why: String,
    /// What the study asks for beside training.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    more: Lines,
    /// What another δ would do, where that is worth knowing.
    #[serde(skip_serializing_if = "Option::is_none")]
    delta: Option<String>,
    /// How many such runs fit into the account.
    #[serde(skip_serializing_if = "Option::is_none")]
    fits: Option<Fits>,
    /// Best first.
    mechanisms: Vec<Row>,
    /// What the ledger would be told; how far the noise moves each coefficient.
    #[serde(skip)]
    event: Event,
    #[serde(skip)]
    deviations: Vec<f64>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
struct Row {
    taken: bool,
    mechanism: Mechanism,
    noise: TrainingLaw,
    expected_error: f64,
    worst_error: f64,
    /// How far the noise moves a coefficient of each column, where columns differ.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    by_column: Vec<(String, f64)>,
    mask_deviation: f64,
    lattice_step: f64,
}

impl Report {
    pub(super) fn new(
        whole: &WholeFit,
        (budget, method): (Budget, Method),
        names: &[String],
    ) -> Report {
        let plan = &whole.shown;
        let row = |candidate: &Candidate, taken| Row {
            taken,
            mechanism: candidate.mechanism(),
            noise: candidate.law().clone(),
            expected_error: candidate.expected_error(),
            worst_error: candidate.worst_error(),
            by_column: columns::by_column(candidate, names),
            mask_deviation: candidate.gate().mask_deviation(),
            lattice_step: candidate.gate().step(),
        };
        let rejected = plan.rejected().iter().map(|candidate| row(candidate, false));
        Report {
            unit: plan.facts().unit,
            rows: whole.in_parts.unwrap_or(plan.facts().rows),
            dimension: plan.facts().dimension,
            loss: words::loss(plan.loss(), plan.facts().heads().count() > 1),
            budget,
            statement: words::guarantee_about(plan.facts().unit, budget),
            lambda: plan.lambda(),
            lambda_from: whole.lambda_from,
            auto_lambda: whole.auto_lambda,
            smallest_lambda: plan.smallest_lambda(),
            why: words::why(plan, method),
            more: whole.more.clone(),
            delta: None,
            fits: None,
            mechanisms: std::iter::once(row(plan.chosen(), true)).chain(rejected).collect(),
            event: whole.event.clone(),
            deviations: effects::deviations(plan),
        }
    }

    /// The same, with how many such runs fit into what is left of an account.
    pub fn charged_to(self, account: &Account<'_>) -> Result<Report, Refusal> {
        let fits = Fits::into_account(account, &self.event)?;
        Ok(Report { fits: Some(fits), ..self })
    }

    /// How λ is chosen from a list, if it is.
    pub fn how_lambda_is_chosen(&self) -> &str {
        self.more.iter().find(|(name, _)| name == LAMBDA_CHOSEN).map_or("", |(_, how)| how)
    }

    /// As JSON.
    pub fn json(&self) -> String {
        serde_json::to_string_pretty(self).expect("a plan is plain data") + "\n"
    }

    /// For people.
    pub fn text(&self) -> String {
        let asked = match self.lambda_from {
            LambdaFrom::Auto => " (auto)".to_owned(),
            LambdaFrom::None => String::new(),
            LambdaFrom::Chosen => " (what auto would take; a run chooses from the list)".to_owned(),
            LambdaFrom::Study => format!(" (auto would take {})", significant(self.auto_lambda, 4)),
        };
        let mut table = AlignedColumns::new(&[
            "mechanism",
            "noise",
            "deviation",
            "expected error",
            "worst error",
            "mask",
            "",
        ]);
        for row in &self.mechanisms {
            table.row(vec![
                words::mechanism(row.mechanism).to_owned(),
                words::law(&row.noise).to_owned(),
                words::deviation(&row.noise, self.dimension),
                short(row.expected_error),
                short(row.worst_error),
                short(row.mask_deviation),
                if row.taken { "taken" } else { "" }.to_owned(),
            ]);
        }
        format!(
            "{statement}\n\n\
             {units:<17}{rows}\n\
             coefficients     {dimension}\n\
             loss             {loss}\n\
             lambda           {lambda}{asked}\n\
             smallest lambda  {smallest} for objective perturbation\n{more}{delta}{fits}\n\
             {table}\n\
             The deviation is that of the noise at each coefficient. Errors are what it does to the margin of a row, root mean \
             square:\nexpected, if numbers fill their ranges evenly and categories are equally frequent; worst, if the rows say \
             nothing.\nThe mask hides rounding errors and is part of both.\n{columns}",
            statement = self.statement,
            units = self.unit.plural(),
            rows = count(self.rows),
            dimension = count(self.dimension),
            loss = self.loss,
            lambda = significant(self.lambda, 4),
            smallest = significant(self.smallest_lambda, 4),
            more = self
                .more
                .iter()
                .map(|(name, value)| format!("{name:<17}{value}\n"))
                .collect::<String>(),
            delta = self
                .delta
                .as_ref()
                .map_or_else(String::new, |hint| format!("delta            {hint}\n")),
            fits = self
                .fits
                .as_ref()
                .map_or_else(String::new, |fits| format!("fits             {fits}\n")),
            table = table.render(),
            columns = columns::text(&self.mechanisms[0].by_column),
        )
    }
}
