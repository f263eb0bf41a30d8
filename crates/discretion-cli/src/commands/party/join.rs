//! `discretion party join`.

use super::joint_study::charter;
use super::notices::Notices;
use super::result::{self, Output};
use crate::args::Join;
use crate::watch::Terminal;
use crate::{ledger, out};
use discretion::{Refusal, RefusalKind};
use discretion_formats::LedgerEntry;
use discretion_jobs::study_run::PlannedRun;
use discretion_jobs::{note_release, warn_of_delta};
use discretion_party::mailbox::ConnectionOptions;
use discretion_party::run::{self, Membership, Notice};
use discretion_party::wire::system_clock;
use discretion_table::Study;
use std::path::Path;

/// Takes part with the rows of this machine.
pub fn run(args: &Join) -> Result<(), Refusal> {
    let mut study = Study::read(&args.study)?;
    if let Some(data) = &args.data {
        study.data.path = data.into();
    }
    let (charter, holders) = charter(&study)?;
    let secret = super::secret(&args.key)?;
    crate::threads::use_threads(args.threads)?;
    let output = args.out.as_ref().map(|folder| Output::prepare(folder, args.force)).transpose()?;
    let ledger = if args.dry_run {
        ledger::look(args.ledger.named())?
    } else {
        ledger::open(args.ledger.named())?
    };
    let account = ledger.account(&study.data.account, study.budget)?;
    let (table, (rows, held_out)) = super::table(&account, &study, args.check)?;
    if args.dry_run {
        let member = charter.member_number(secret.public())?;
        let checked = charter.plan().holders().check(member, &rows);
        checked.map_err(|error| Refusal::from_error(RefusalKind::BadInput, error))?;
        if let Some(charge) = run::earlier_charge(&account, &charter, member)? {
            eprintln!("note: charge {charge} pays for this study already");
        }
        warn_of_delta(
            charter.plan().budget(),
            (charter.plan().holders().unit(), charter.plan().holders().rows()),
            &Terminal::new(Path::new("")),
        );
        return out::print(&ledger::quote(
            &account,
            &PlannedRun::new(charter.plan().event(), study.spend),
            args.json,
        )?);
    }
    let watch = Terminal::of_session(output.as_ref().map_or(Path::new("the model"), Output::model));
    let mut notices = Notices::default();
    let mut quote = None;
    let membership = Membership {
        charter: &charter,
        secret: &secret,
        connection: ConnectionOptions {
            url: args.coordinator.clone(),
            authority: args.ca.clone(),
            patience: args.patience,
            clock: system_clock,
        },
        ledger: &ledger,
        account: &account,
        table: &table,
        consent: args.rows.consent(),
        oracle: &rows,
        held_out: held_out.as_ref(),
        what: format!("part in {}", study.path.display()),
        watch: &watch,
    };
    let joined = run::join(membership, &mut |notice| {
        notices.say(&notice);
        if let Notice::Charged { quote: charged, .. } = notice {
            quote = Some(charged);
        }
    })?;
    drop(notices);
    let entry = joined.charge.map(|charge| LedgerEntry {
        account: account.name().to_owned(),
        charge,
        cap: quote.as_ref().map(|quote| quote.cap),
        cost: quote.as_ref().map(|quote| quote.cost),
        spent: quote.as_ref().map(|quote| quote.after.amount),
    });
    let model = result::model(&study, &holders, charter.plan(), &joined.outcome, entry)?;
    if let Some(output) = &output {
        let json = result::write_model(output, &model)?;
        result::write_page(output, &model, args.ledger.named())?;
        if let Some(charge) = joined.charge {
            note_release(&ledger, charge, output.model(), &json, &watch);
        }
    }
    let about = quote.map(|quote| ledger::about(&account, &quote, study.spend));
    result::tell(output.as_ref(), &model, about, args.json)
}
