//! The private density: reserve, compute, release, in this order.

use super::points;
use super::request::Request;
use crate::args::Density;
use crate::density::DensityFile;
use crate::exit::Failure;
use crate::files::{self, Readers};
use crate::ledger;
use crate::model::LedgerEntry;
use crate::progress::Busy;
use discretion::noise::OperatingSystem;
use discretion_ledger::checkpoint;
use std::path::Path;

/// Charges the account, computes, writes the density to `path` and notes that it was released. Returns the density and
/// a line about the account.
pub fn density(args: &Density, request: &Request<'_>, path: &Path) -> Result<(DensityFile, String), Failure> {
    let study = request.study;
    let ledger = ledger::open(args.ledger.as_deref())?;
    let account = ledger.account(&study.data.account, study.budget)?;
    let (fingerprint, points) =
        ledger::fingerprint_while(&account, &study.data.path, || points::read(request))?;
    let plan = request.plan(points.rows())?;

    let what = format!("density of {} in {}", args.columns.join(", "), study.path.display());
    let charge = account.charge(&plan.event(), Some(&fingerprint), &what)?;
    let stays = |failure: Failure| failure.and(format!("charge {} stays in the ledger", charge.number));
    checkpoint("density: charged");
    ledger::say_if_table_changed(&account, &charge);
    let entry = LedgerEntry::of(&account, &charge);
    let file = {
        let _busy = Busy::new("counting");
        request.run(&plan, &points, Some(entry), &mut OperatingSystem).map_err(stays)?
    };
    checkpoint("density: computed");
    let json = file.to_json();
    files::write(path, Readers::Anyone, &json).map_err(stays)?;
    checkpoint("density: written");
    ledger::note_release(&charge, path, &json);
    Ok((file, ledger::about(&account, &charge.quote)))
}

/// What the run would cost.
pub fn dry_run(args: &Density, request: &Request<'_>) -> Result<String, Failure> {
    let study = request.study;
    let ledger = ledger::look(args.ledger.as_deref())?;
    let account = ledger.account(&study.data.account, study.budget)?;
    let plan = request.plan(points::read(request)?.rows())?;
    ledger::quote(&account, &plan.event(), args.json)
}
