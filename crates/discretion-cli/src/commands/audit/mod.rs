//! `discretion audit`: lower bounds on what mechanisms cost.

mod program;
mod text;

use crate::args::Audit;
use crate::exit::Failure;
use crate::out;
use crate::progress::Counting;
use discretion::audit::exact::ExactFinding;
use discretion::audit::shipped::{AUDITED_DELTA, Shipped};
use discretion::audit::{AuditError, Claim, Finding, Mechanism, Settings, Verdict, audit};
use discretion::privacy::Budget;
use program::Program;
use serde::Serialize;

/// One line of the result. The order of the fields is the order in the JSON.
#[derive(Serialize)]
struct Line {
    mechanism: String,
    budget: Budget,
    /// The neighbouring tables, in words.
    neighbours: String,
    #[serde(flatten)]
    found: Found,
    /// The bound as a share of the claimed ε.
    share: f64,
    /// Why the share stays below 1, if it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    ceiling: Option<&'static str>,
}

#[derive(Serialize)]
#[serde(tag = "by", rename_all = "lowercase")]
enum Found {
    Sampling(Finding),
    Law(ExactFinding),
}

impl Line {
    fn claim(&self) -> Claim {
        match &self.found {
            Found::Sampling(finding) => finding.claim,
            Found::Law(finding) => finding.claim,
        }
    }

    fn verdict(&self) -> Verdict {
        match &self.found {
            Found::Sampling(finding) => finding.verdict,
            Found::Law(finding) => finding.verdict,
        }
    }
}

/// Audits what was asked for and prints what was found. A refuted claim is a failure.
pub fn run(args: &Audit) -> Result<(), Failure> {
    let settings = Settings { trials: args.trials, confidence: args.confidence, seed: args.seed };
    settings.check().map_err(bad_input)?;
    let lines = match (&args.command, args.mechanism) {
        (Some(command), _) => vec![of_program(args, command, settings)?],
        (None, Some(shipped)) => {
            let budgets =
                if args.budget.is_given() { vec![args.budget.budget()?] } else { shipped.budgets() };
            of_shipped(args, budgets.into_iter().map(|budget| (shipped, budget)).collect(), settings)?
        }
        (None, None) => {
            let each = |shipped: Shipped| shipped.budgets().into_iter().map(move |budget| (shipped, budget));
            of_shipped(args, Shipped::ALL.into_iter().flat_map(each).collect(), settings)?
        }
    };
    if lines.is_empty() {
        return Err(Failure::BadInput(
            "--exact: the law of this mechanism cannot be written down".to_owned(),
        ));
    }
    out::print(&if args.json { text::json(&lines) } else { text::table(&lines, settings) })?;
    let refuted: Vec<String> =
        lines.iter().filter(|line| line.verdict() == Verdict::Violated).map(text::refutation).collect();
    if refuted.is_empty() { Ok(()) } else { Err(Failure::Refused(refuted.join("; "))) }
}

fn bad_input(error: AuditError) -> Failure {
    let flag = match error {
        AuditError::Trials(_) => "--trials: ",
        AuditError::Confidence(_) => "--confidence: ",
        _ => "",
    };
    Failure::BadInput(format!("{flag}{error}"))
}

fn of_shipped(args: &Audit, cases: Vec<(Shipped, Budget)>, settings: Settings) -> Result<Vec<Line>, Failure> {
    let mut lines = Vec::new();
    for (shipped, budget) in cases {
        let rows = args.rows.map_or(shipped.default_rows(), |rows| rows as usize);
        let case = shipped.case(budget, rows).map_err(bad_input)?;
        let (found, share) = if args.exact {
            let Some(exact) = case.exact else { continue };
            let finding = exact.finding(case.claim);
            (Found::Law(finding), finding.epsilon / case.claim.epsilon)
        } else {
            let finding = sampled(&*case.mechanism, case.claim, settings, shipped.name())?;
            let share = finding.share();
            (Found::Sampling(finding), share)
        };
        lines.push(Line {
            mechanism: shipped.name().to_owned(),
            budget,
            neighbours: case.neighbours.to_owned(),
            found,
            share,
            ceiling: case.ceiling,
        });
    }
    Ok(lines)
}

fn of_program(args: &Audit, command: &str, settings: Settings) -> Result<Line, Failure> {
    let (Some(left), Some(right)) = (&args.left, &args.right) else {
        unreachable!("clap asks for both tables")
    };
    let budget = args.budget.budget()?;
    let program = Program::new(command, [left, right], settings)?;
    let finding = sampled(&program, Claim::of(budget, AUDITED_DELTA), settings, "program")?;
    Ok(Line {
        mechanism: command.to_owned(),
        budget,
        neighbours: format!("{} and {}", left.display(), right.display()),
        share: finding.share(),
        found: Found::Sampling(finding),
        ceiling: None,
    })
}

fn sampled(
    mechanism: &dyn Mechanism,
    claim: Claim,
    settings: Settings,
    name: &'static str,
) -> Result<Finding, Failure> {
    let counting = Counting::new(name);
    audit(mechanism, claim, settings, &|done, of| counting.update(done, of)).map_err(bad_input)
}
