//! The private density: reserve, compute, release, in this order.

use super::read;
use crate::args::Density;
use crate::density::DensityFile;
use crate::exit::Failure;
use crate::files::{self, Readers};
use crate::ledger;
use crate::model::LedgerEntry;
use crate::progress::Busy;
use discretion::noise::OperatingSystem;
use discretion_ledger::checkpoint;
use discretion_publish::density::Request;
use discretion_table::Study;
use std::path::Path;

/// Charges the account, computes, writes the density to `path` and notes that it was released. Returns the density and
/// a line about the account.
pub fn density(
    args: &Density,
    study: &Study,
    request: &Request,
    path: &Path,
) -> Result<(DensityFile, String), Failure> {
    let ledger = ledger::open(args.ledger.as_deref())?;
    let account = ledger.account(&study.data.account, study.budget)?;
    let (fingerprint, rows) = ledger::fingerprint_while(&account, &study.data.path, || read(study, request))?;
    let plan = request.plan(rows.points().rows())?;
    ledger::say_if_delta_is_large(study.spend, rows.points().rows());

    let what = format!("density of {} in {}", args.columns.join(", "), study.path.display());
    let charge = account.charge(&plan.event(), Some(&fingerprint), &what)?;
    let stays = |failure: Failure| failure.and(format!("charge {} stays in the ledger", charge.number));
    let _paid = ledger::say_if_stopped(&charge, path);
    checkpoint("density: charged");
    ledger::say_if_table_changed(&account, &charge);
    let entry = LedgerEntry::of(&account, &charge);
    let file = {
        let _busy = Busy::new("counting");
        let run = request.run(&plan, rows.points(), Some(entry), &mut OperatingSystem);
        run.map_err(|error| stays(error.into()))?
    };
    checkpoint("density: computed");
    let json = file.to_json();
    files::write(path, Readers::Anyone, &json).map_err(stays)?;
    checkpoint("density: written");
    ledger::note_release(&charge, path, &json);
    Ok((file, ledger::about(&account, &charge.quote)))
}

/// What the run would cost.
pub fn dry_run(args: &Density, study: &Study, request: &Request) -> Result<String, Failure> {
    let ledger = ledger::look(args.ledger.as_deref())?;
    let account = ledger.account(&study.data.account, study.budget)?;
    let plan = request.plan(read(study, request)?.points().rows())?;
    ledger::quote(&account, &plan.event(), args.json)
}
