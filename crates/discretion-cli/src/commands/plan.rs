//! `discretion plan`: what a budget buys, from public numbers alone.

use crate::args::{Plan, PlanKind, PlanVote};
use crate::arguments::Arguments;
use crate::exit::Failure;
use crate::{ledger, out};
use discretion_publish::plan;
use discretion_table::Study;

/// Plans a training run, or a session of queries.
pub fn run(args: &Plan) -> Result<(), Failure> {
    match &args.kind {
        Some(PlanKind::Vote(args)) => vote(args),
        None => training(args),
    }
}

fn training(args: &Plan) -> Result<(), Failure> {
    let study = args.study.as_ref().map(Study::read).transpose()?;
    let budget = match &args.account {
        Some(name) => Some(plan::left(&ledger::look(args.ledger.as_deref())?.existing_account(name)?)?),
        // Where nobody says anything, the missing flags are named.
        None if study.is_none() || args.budget.is_given() => Some(args.budget.budget()?),
        None => None,
    };
    let report = plan::training::Asked {
        study: study.as_ref(),
        rows: args.rows.expect("clap asks for --rows") as usize,
        coefficients: args.columns.map(|columns| columns as usize),
        lambda: args.lambda,
        budget,
        loss: args.loss,
        method: args.method,
        arguments: Arguments::Flags,
    }
    .plan()?;
    out::print(&if args.json { report.json() } else { report.text() })
}

fn vote(args: &PlanVote) -> Result<(), Failure> {
    let study = args.study.as_ref().map(Study::read).transpose()?;
    let report = plan::vote::Asked {
        study: study.as_ref(),
        budget: match study.is_none() || args.budget.is_given() {
            true => Some(args.budget.budget()?),
            false => None,
        },
        queries: args.queries,
        unstable: args.unstable,
        miss: args.miss,
        agreement: args.agreement,
        scores: args.scores,
        rows: args.rows,
        chunks: args.chunks,
        arguments: Arguments::Flags,
    }
    .plan()?;
    out::print(&if args.json { report.json() } else { report.text() })
}
