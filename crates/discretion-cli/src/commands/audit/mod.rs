//! `discretion audit`: lower bounds on what mechanisms cost.

mod program;

use crate::args::Audit as Args;
use crate::out;
use crate::progress::Counting;
use discretion::Refusal;
use discretion::audit::{AuditError, Settings};
use discretion_jobs::audit::{Audit, Shipment, Watch};
use program::Program;
use std::sync::atomic::AtomicBool;

/// Audits what was asked for and prints what was found. A refuted claim is a failure.
pub fn run(args: &Args) -> Result<(), Refusal> {
    let settings = Settings { trials: args.trials, confidence: args.confidence, seed: args.seed };
    settings.check().map_err(bad_input)?;
    let counting = Counting::new("auditing");
    // Ctrl-C ends the whole program.
    let stop = AtomicBool::new(false);
    let watch = Watch { progress: &|done, of| counting.update(done, of), stop: &stop };
    let audit = match &args.command {
        Some(command) => of_program(args, command, settings, &watch)?,
        None => {
            let budget = args.budget.given()?;
            let rows = args.rows.map(|rows| rows as usize);
            let shipment =
                Shipment { rows, exact: args.exact, ..Shipment::new(args.mechanism, budget) };
            shipment.audit(settings, &watch).map_err(bad_input)?
        }
    };
    drop(counting);
    if audit.is_empty() {
        return Err(Refusal::bad_input(
            "--exact: the law of this mechanism cannot be written down".to_owned(),
        ));
    }
    out::print(&if args.json { audit.json() } else { audit.text() })?;
    let refuted = audit.refutations();
    if refuted.is_empty() { Ok(()) } else { Err(Refusal::refused(refuted.join("; "))) }
}

fn bad_input(error: AuditError) -> Refusal {
    let flag = match error {
        AuditError::Trials(_) => "--trials: ",
        AuditError::Confidence(_) => "--confidence: ",
        _ => "",
    };
    Refusal::bad_input(format!("{flag}{error}"))
}

fn of_program(
    args: &Args,
    command: &str,
    settings: Settings,
    watch: &Watch<'_>,
) -> Result<Audit, Refusal> {
    let (Some(left), Some(right)) = (&args.left, &args.right) else {
        unreachable!("clap asks for both tables")
    };
    let budget = args.budget.budget()?;
    let program = Program::new(command, [left, right], settings)?;
    let neighbours = format!("{} and {}", left.display(), right.display());
    Audit::of(&program, command, neighbours, budget, settings, watch).map_err(bad_input)
}
