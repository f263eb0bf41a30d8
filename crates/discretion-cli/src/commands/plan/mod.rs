//! `discretion plan`: what a budget buys, from public numbers alone.

mod vote;

use crate::args::{LambdaFlag, Plan as PlanArgs, PlanKind};
use crate::exit::Failure;
use crate::model::LambdaFrom;
use crate::numbers::{count, short, significant};
use crate::text_table::TextTable;
use crate::{ledger, out, request, words};
use discretion::erm::{Facts, LossKind};
use discretion::fit::{FitError, Request, TableFacts, TrainingPlan};
use discretion::privacy::Budget;
use discretion::privacy::account::{Event, Noise};
use discretion::train::{Candidate, Mechanism, Plan, Training, auto_lambda};
use discretion_table::{Lambda, Study};
use serde::Serialize;
use std::fmt::Display;

/// Plans a training run.
pub fn run(args: &PlanArgs) -> Result<(), Failure> {
    if let Some(PlanKind::Vote(args)) = &args.kind {
        return vote::run(args);
    }
    let study = args.study.as_ref().map(Study::read).transpose()?;
    let training = training(args, study.as_ref())?;
    let facts = facts(args, study.as_ref());
    // Where an impossible λ was asked for.
    let at: &dyn Display = match (&study, args.lambda) {
        (Some(study), None) => &study.places.lambda,
        (_, Some(LambdaFlag::Number(_))) => &"--lambda",
        _ => &"lambda \"auto\"",
    };
    let explain = |error: FitError| request::explain(&error, at);
    let more = match study.as_ref().filter(|_| args.lambda.is_none()) {
        Some(study) => whole_job(study, args, training.budget).map_err(explain)?,
        None => Vec::new(),
    };
    // A λ that is chosen while the job runs: what is shown of the training is what "auto" would do.
    let plan = training.plan(facts).map_err(|error| explain(error.into()))?;
    let report = Report { more, ..Report::new(&plan, &training) };
    out::print(&if args.json { report.json() } else { report.text() })
}

/// What a study asks for beside training: how λ would be chosen, and what intervals would cost.
fn whole_job(study: &Study, args: &PlanArgs, budget: Budget) -> Result<Vec<(String, String)>, FitError> {
    let request = Request { budget, ..request::of(study) };
    if request.validation().is_none() && request.intervals.is_none() {
        return Ok(Vec::new());
    }
    let layout = study.schema.encoder().layout();
    let (rows, validation) = (rows(args), request.validation());
    let facts = TableFacts::of_matrix(rows, layout.dimension(), layout.row_terms(), validation);
    let plan = request.plan(facts)?;
    let mut lines = Vec::new();
    let mut say = |name: &str, value: String| lines.push((name.to_owned(), value));
    match plan.training() {
        TrainingPlan::Known(training) => say("training", training.budget().to_string()),
        TrainingPlan::Chosen(tuning) => {
            say("lambda chosen", words::tuning_rule(tuning, study.tune.validation));
            say("why", tuning.why().to_owned());
            for dropped in tuning.dropped() {
                say("left out", dropped.reason.to_string());
            }
        }
    }
    if let (Some(split), Some(_)) = (request.intervals, plan.matrices()) {
        let percent = |share: f64| format!("{} %", short(100.0 * share));
        let [training, hessian, covariance] =
            [split.training(), split.hessian(), split.covariance()].map(percent);
        say(
            "intervals",
            format!("{training} of the budget for training, {hessian} and {covariance} for two matrices"),
        );
    }
    Ok(lines)
}

/// Flags first, then the study, then defaults.
fn training(args: &PlanArgs, study: Option<&Study>) -> Result<Training, Failure> {
    let lambda = match (args.lambda, study) {
        (Some(LambdaFlag::Number(lambda)), _) => Some(lambda),
        (Some(LambdaFlag::Auto), _) | (None, None) => None,
        (None, Some(study)) => match study.model.lambda {
            Lambda::Fixed(lambda) => Some(lambda),
            Lambda::Auto | Lambda::Grid(_) => None,
        },
    };
    let budget = match (&args.account, study) {
        (Some(name), _) => left(args, name)?,
        (None, Some(study)) if !args.budget.is_given() => {
            request::check_budget(study)?;
            study.spend
        }
        _ => args.budget.budget()?,
    };
    Ok(Training {
        loss: args.loss.or(study.map(|study| study.model.loss)).unwrap_or(LossKind::Logistic),
        lambda,
        method: args.method.or(study.map(|study| study.model.method)).unwrap_or_default(),
        budget,
    })
}

/// The most that one more run may spend: ρ for an account capped in ρ, else a pure ε.
fn left(args: &PlanArgs, name: &str) -> Result<Budget, Failure> {
    let ledger = ledger::look(args.ledger.as_deref())?;
    let account = ledger.existing_account(name)?;
    let cap = account.standing()?.cap;
    let what = || "plan".to_owned();
    let largest = match cap {
        Budget::Zcdp { rho } => account.largest(rho, |rho| Event::Concentrated { rho, what: what() })?,
        Budget::Pure { epsilon } | Budget::Approximate { epsilon, .. } => {
            account.largest(epsilon, |epsilon| Event::Pure { epsilon, what: what() })?
        }
    };
    let budget = largest.and_then(|size| match cap {
        Budget::Zcdp { .. } => Budget::new(None, None, Some(size)).ok(),
        _ => Budget::new(Some(size), None, None).ok(),
    });
    budget.ok_or_else(|| Failure::Refused(format!("account '{name}' has nothing left of its {cap}")))
}

fn rows(args: &PlanArgs) -> usize {
    args.rows.expect("clap asks for --rows") as usize
}

fn facts(args: &PlanArgs, study: Option<&Study>) -> Facts {
    let (dimension, row_terms) = match study {
        Some(study) => {
            let layout = study.schema.encoder().layout();
            (layout.dimension(), layout.row_terms())
        }
        None => {
            let columns = args.columns.expect("clap asks for --study or --columns") as usize;
            // All of them numbers: the most entries a row can have.
            (columns, columns)
        }
    };
    Facts::of_matrix(rows(args), dimension, row_terms)
}

/// A plan as it is shown. The order of the fields is the order in the JSON.
#[derive(Serialize)]
struct Report {
    rows: usize,
    dimension: usize,
    loss: LossKind,
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
    more: Vec<(String, String)>,
    /// Best first.
    mechanisms: Vec<Row>,
}

#[derive(Serialize)]
struct Row {
    taken: bool,
    mechanism: Mechanism,
    noise: Noise,
    expected_error: f64,
    worst_error: f64,
    mask_deviation: f64,
    lattice_step: f64,
}

impl Report {
    fn new(plan: &Plan, training: &Training) -> Report {
        let row = |candidate: &Candidate, taken| Row {
            taken,
            mechanism: candidate.mechanism(),
            noise: candidate.law().into(),
            expected_error: candidate.expected_error(),
            worst_error: candidate.worst_error(),
            mask_deviation: candidate.gate().mask_deviation(),
            lattice_step: candidate.gate().step(),
        };
        let rejected = plan.rejected().iter().map(|candidate| row(candidate, false));
        Report {
            rows: plan.facts().rows,
            dimension: plan.facts().dimension,
            loss: plan.loss(),
            budget: plan.budget(),
            statement: words::guarantee(plan.budget()),
            lambda: plan.lambda(),
            lambda_from: if training.lambda.is_some() { LambdaFrom::Study } else { LambdaFrom::Auto },
            auto_lambda: auto_lambda(plan.facts(), plan.loss(), plan.budget()),
            smallest_lambda: plan.smallest_lambda(),
            why: words::why(plan, training.method),
            more: Vec::new(),
            mechanisms: std::iter::once(row(plan.chosen(), true)).chain(rejected).collect(),
        }
    }

    fn json(&self) -> String {
        serde_json::to_string_pretty(self).expect("a plan is plain data") + "\n"
    }

    fn text(&self) -> String {
        let asked = match self.lambda_from {
            LambdaFrom::Auto | LambdaFrom::Chosen => " (auto)".to_owned(),
            LambdaFrom::Study => format!(" (auto would take {})", significant(self.auto_lambda, 4)),
        };
        let mut table =
            TextTable::new(&["mechanism", "noise", "scale", "expected error", "worst error", "mask", ""]);
        for row in &self.mechanisms {
            table.row(vec![
                words::mechanism(row.mechanism).to_owned(),
                words::law(row.noise).to_owned(),
                significant(words::scale(row.noise), 4),
                short(row.expected_error),
                short(row.worst_error),
                short(row.mask_deviation),
                if row.taken { "taken" } else { "" }.to_owned(),
            ]);
        }
        format!(
            "{statement}\n\n\
             rows             {rows}\n\
             coefficients     {dimension}\n\
             loss             {loss}\n\
             lambda           {lambda}{asked}\n\
             smallest lambda  {smallest} for objective perturbation\n{more}\n\
             {table}\n\
             Errors are root mean squares per encoded coefficient: expected, if rows of length 1 fill the space \
             evenly;\nworst, if the rows say nothing. The mask hides rounding errors and is part of both.\n",
            statement = self.statement,
            rows = count(self.rows),
            dimension = count(self.dimension),
            loss = words::loss(self.loss),
            lambda = significant(self.lambda, 4),
            smallest = significant(self.smallest_lambda, 4),
            more = self.more.iter().map(|(name, value)| format!("{name:<17}{value}\n")).collect::<String>(),
            table = table.render(),
        )
    }
}
