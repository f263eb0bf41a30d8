//! `discretion party`: several holders, one model. The protocol is `discretion-party`'s.

mod coordinate;
mod join;
mod joint_study;
mod notices;
mod result;
mod simulate;
mod to_deal;

use crate::args::{AcceptCheck, Party, PartyCommand, PartyKey};
use crate::progress::Reading;
use crate::run::stop_at_mistakes;
use crate::{ledger, out};
use discretion::Refusal;
use discretion::erm::matrix::Rows;
use discretion::privacy::Unit;
use discretion_jobs::evaluate::{HeldOutPersonsReader, HeldOutReader};
use discretion_jobs::joint::HeldOutCounts;
use discretion_ledger::{Account, Fingerprint};
use discretion_party::wire::SecretKey;
use discretion_table::{
    Limits, PersonKey, Study, read_batches_of_persons, read_labelled, read_stored,
};
use std::path::Path;

/// Makes a key, coordinates, joins or simulates.
pub fn run(args: &Party) -> Result<(), Refusal> {
    match &args.command {
        PartyCommand::Key(args) => key(args),
        PartyCommand::Coordinate(args) => coordinate::run(args),
        PartyCommand::Join(args) => join::run(args),
        PartyCommand::Simulate(args) => simulate::run(args),
    }
}

fn key(args: &PartyKey) -> Result<(), Refusal> {
    let secret = match SecretKey::read(&args.file)? {
        Some(secret) => {
            eprintln!("note: {} was there already; this is its public key", args.file.display());
            secret
        }
        None => {
            let secret = SecretKey::create(&args.file)?;
            eprintln!(
                "note: the secret key is in {}: keep it, and show it to nobody; this is its public key, for the study file",
                args.file.display()
            );
            secret
        }
    };
    out::print(&format!("{}\n", secret.public()))
}

/// A key that must be there.
fn secret(path: &Path) -> Result<SecretKey, Refusal> {
    SecretKey::read(path)?.ok_or_else(|| {
        Refusal::bad_file(
            path,
            "there is no such key file; make one with `discretion party key`, or name yours with --key",
        )
    })
}

/// The rows of a study's table, and its fingerprint.
fn table(
    account: &Account<'_>,
    study: &Study,
    accept: AcceptCheck,
) -> Result<(Fingerprint, (Rows<'static>, Option<HeldOutCounts>)), Refusal> {
    let key = PersonKey::new(account.person_key());
    ledger::fingerprint_while(account, &study.data.path, || {
        match (joint_study::evaluation(study)?, &study.evaluate) {
            (Some(evaluation), Some(settings)) => {
                let [rows, held_out] = read_in_parts(study, key, settings.share, accept)?;
                Ok((rows, Some(HeldOutCounts::new(evaluation, held_out))))
            }
            _ => Ok((read(study, key, accept)?, None)),
        }
    })
}

/// The rows that train, and those that are held out.
fn read_in_parts(
    study: &Study,
    key: PersonKey,
    share: f64,
    accept: AcceptCheck,
) -> Result<[Rows<'static>; 2], Refusal> {
    let (path, schema) = (&study.data.path, &study.schema);
    let reading = Reading::of(path);
    let progress = |progress| reading.update(progress);
    let (rows, counts) = match schema.unit() {
        Unit::Row => {
            let mut rows = HeldOutReader::new(schema, share);
            let counts = read_labelled(path, schema, &progress, |batch, classes| {
                rows.push(&batch, classes);
                Ok::<(), Refusal>(())
            })?;
            (rows.into_parts().map(Rows::from), counts)
        }
        Unit::Person => {
            let mut rows = HeldOutPersonsReader::new(key);
            let counts =
                read_batches_of_persons(path, schema, key, &progress, |batch, places: &[u128]| {
                    rows.push(batch, &[], places);
                    Ok::<(), Refusal>(())
                })?;
            (rows.into_parts(schema, share), counts)
        }
    };
    stop_at_mistakes(&counts, path, accept)?;
    Ok(rows)
}

/// The rows of a study's table, unless they look like a mistake. To others that is a member who
/// never came.
fn read(study: &Study, key: PersonKey, accept: AcceptCheck) -> Result<Rows<'static>, Refusal> {
    let (path, schema) = (&study.data.path, &study.schema);
    let reading = Reading::of(path);
    let progress = |progress| reading.update(progress);
    let (rows, counts) = read_stored(path, schema, key, Limits::none(), &progress)?;
    stop_at_mistakes(&counts, path, accept)?;
    Ok(rows.rows)
}
