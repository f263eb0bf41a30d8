//! `discretion ledger`: accounts, what happened on them, and what is left.

mod show;

use crate::args::{Ledger as LedgerArgs, LedgerCommand, Raise};
use crate::files::{Draft, Existing, Readers};
use crate::{ledger, out};
use discretion::{Refusal, RefusalKind, Remedy};
use discretion_ledger::{Ledger, Standing, default_path};
use discretion_report::numbers::plain::short;
use discretion_report::terminal::AlignedColumns;
use std::io::{self, BufRead, IsTerminal, Write};
use std::path::Path;

/// Runs one of the ledger's commands.
pub fn run(args: &LedgerArgs) -> Result<(), Refusal> {
    let flag = args.ledger.named();
    match &args.command {
        LedgerCommand::List { json } => list(&peek(flag)?, *json),
        LedgerCommand::Show { account, why, size, json } => {
            show::run(&peek(flag)?, account, *why, size, *json)
        }
        LedgerCommand::Verify { noted } => verify(&peek(flag)?, noted.as_deref()),
        LedgerCommand::Raise(raise_args) => raise(flag, raise_args),
        LedgerCommand::Export { out, force } => export(&peek(flag)?, out.as_deref(), *force),
    }
}

fn peek(flag: Option<&Path>) -> Result<Ledger, Refusal> {
    Ok(Ledger::peek(&default_path(flag)?)?)
}

fn list(ledger: &Ledger, json: bool) -> Result<(), Refusal> {
    let standings = ledger.list()?;
    if json {
        return out::print(&(serde_json::to_string_pretty(&standings).expect("plain data") + "\n"));
    }
    let mut table =
        AlignedColumns::new(&["account", "cap", "spent", "left", "charges", "not released"]);
    for standing in &standings {
        table.row(vec![
            standing.account.clone(),
            standing.cap.to_string(),
            short(standing.spent.amount),
            short(standing.left()),
            standing.charges.to_string(),
            standing.unreleased.to_string(),
        ]);
    }
    out::print(&format!("{}\n{}", ledger.path().display(), table.render()))
}

fn verify(ledger: &Ledger, noted: Option<&str>) -> Result<(), Refusal> {
    if let Some(noted) = noted.map(str::trim)
        && !(noted.len() == 64 && noted.bytes().all(|byte| byte.is_ascii_hexdigit()))
    {
        let sentence = format!(
            "--noted {noted}: a head is 64 hexadecimal digits, as `ledger verify` prints it"
        );
        return Err(Refusal::bad_input(sentence));
    }
    let found = ledger.verify(noted)?;
    if let Some(problem) = found.problem {
        return Err(Refusal::refused(format!("{}: {problem}", ledger.path().display())));
    }
    out::print(&format!(
        "{}: {} entries verify.\nhead  {}\nNote the head elsewhere: `discretion ledger verify --noted HEAD` then shows \
         whether later entries were cut off.\n",
        ledger.path().display(),
        found.entries,
        found.head
    ))
}

fn raise(flag: Option<&Path>, args: &Raise) -> Result<(), Refusal> {
    let cap = args.cap.cap()?;
    // Only a ledger that exists has an account to raise.
    peek(flag)?.existing_account(&args.account)?;
    let reason = match &args.reason {
        Some(reason) => reason.clone(),
        None => ask_for_reason()?,
    };
    let ledger = ledger::open(flag)?;
    let account = ledger.existing_account(&args.account)?;
    let before = account.standing()?.cap;
    let number = account.raise(cap, reason.trim())?;
    out::print(&format!(
        "The cap of '{}' is now {cap} (it was {before}); entry {number} of the ledger has the reason.\nWrite the new \
         cap into [budget] of its studies.\nIf anything that was released played a part in this decision, what now holds \
         for all of it is the\nhighest cap that you might have raised to, not {before}: say so where the releases are \
         described.\n",
        args.account
    ))
}

fn ask_for_reason() -> Result<String, Refusal> {
    if !io::stdin().is_terminal() {
        return Err(Refusal::bad_input(
            "say why the cap is raised, with --reason \"…\"".to_owned(),
        ));
    }
    eprint!("Why is the cap raised? ");
    let _ = io::stderr().flush();
    let mut line = String::new();
    io::stdin()
        .lock()
        .read_line(&mut line)
        .map_err(|error| Refusal::from_error(RefusalKind::BadInput, error))?;
    Ok(line)
}

fn export(ledger: &Ledger, path: Option<&Path>, force: bool) -> Result<(), Refusal> {
    let Some(path) = path else {
        let mut text = Vec::new();
        ledger.export(&mut text)?;
        return out::print(&String::from_utf8_lossy(&text));
    };
    Existing::new(force).check(path, &[Remedy::AnotherFile, Remedy::Overwrite])?;
    let mut draft = Draft::create(path, Readers::Owner)?;
    ledger.export(&mut draft)?;
    draft.commit()
}

/// A small bar of what is spent.
fn bar(standing: &Standing) -> String {
    const WIDTH: usize = 30;
    let cap = standing.cap.amount();
    let share = (standing.spent.amount / cap).clamp(0.0, 1.0);
    // Anything spent shows, and only a full account looks full.
    let filled = match (share * WIDTH as f64) as usize {
        0 if share > 0.0 => 1,
        WIDTH.. if share < 1.0 => WIDTH - 1,
        filled => filled,
    };
    format!("{}{}  {:.0} % spent", "█".repeat(filled), "░".repeat(WIDTH - filled), share * 100.0)
}
