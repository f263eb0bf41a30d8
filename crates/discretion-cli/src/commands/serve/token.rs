//! `discretion serve token`: who may ask.

use crate::args::{ListTokens, NewToken, RevokeToken, TokenCommand};
use crate::out;
use discretion::Refusal;
use discretion_ledger::default_path;
use discretion_report::numbers::plain::count;
use discretion_report::terminal::AlignedColumns;
use discretion_serve::store::Store;
use discretion_serve::tokens::Role;
use discretion_table::Study;
use std::path::Path;

/// Makes, lists or revokes.
pub fn run(command: &TokenCommand) -> Result<(), Refusal> {
    match command {
        TokenCommand::New(args) => new(args),
        TokenCommand::List(args) => list(args),
        TokenCommand::Revoke(args) => revoke(args),
    }
}

fn store(study: &Path, ledger: Option<&Path>) -> Result<Store, Refusal> {
    let study = Study::read(study)?;
    Store::of_account(&default_path(ledger)?, &study.data.account)
}

fn new(args: &NewToken) -> Result<(), Refusal> {
    let role = if args.custodian { Role::Custodian } else { Role::Analyst };
    let store = store(&args.study, args.ledger.named())?;
    let token = store.new_token(&args.name, role, args.limit.map(u64::from))?;
    eprintln!("note: give this to '{}'; it is not shown again", args.name);
    out::print(&format!("{token}\n"))
}

fn list(args: &ListTokens) -> Result<(), Refusal> {
    let tokens = store(&args.study, args.ledger.named())?.tokens()?;
    if args.json {
        return out::print(
            &(serde_json::to_string_pretty(&tokens).expect("tokens are plain data") + "\n"),
        );
    }
    let mut table = AlignedColumns::new(&["name", "role", "queries asked", "limit", ""]);
    for token in tokens {
        table.row(vec![
            token.name,
            token.role.name().to_owned(),
            count(token.used as usize),
            token.limit.map_or("-".to_owned(), |limit| count(limit as usize)),
            if token.revoked { "revoked" } else { "" }.to_owned(),
        ]);
    }
    out::print(&table.render())
}

fn revoke(args: &RevokeToken) -> Result<(), Refusal> {
    store(&args.study, args.ledger.named())?.revoke(&args.name)?;
    out::print(&format!("'{}' is not answered any more\n", args.name))
}
