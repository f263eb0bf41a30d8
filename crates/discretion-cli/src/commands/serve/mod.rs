//! `discretion serve`: private answers over HTTP. The service itself is `discretion-serve`.

mod token;

use crate::args::{Serve, ServeOther, ShowBudget};
use crate::exit::Failure;
use crate::out;
use discretion_ledger::default_path;
use discretion_serve::service::Casting;
use discretion_serve::store::Store;
use discretion_serve::tokens::Role;
use discretion_serve::{Options, Prepared, Shown};
use discretion_table::Study;

/// Serves, or does something about tokens.
pub fn run(args: &Serve) -> Result<(), Failure> {
    if let Some(ServeOther::Token(command)) = &args.other {
        return token::run(command);
    }
    let path = args.study.as_ref().expect("clap has asked for it");
    let study = Study::read(path)?;
    let options = options(args)?;
    let (ledger, account) = (options.ledger.clone(), study.data.account.clone());
    crate::threads::use_threads(args.threads)?;
    let prepared = Prepared::new(study, options)?;
    if args.check {
        return out::print(&prepared.check()?);
    }
    if args.new_tokens {
        out::print(&new_tokens(&Store::of_account(&ledger, &account)?)?)?;
    } else if Store::of_account(&ledger, &account)?.tokens()?.is_empty() {
        let path = path.display();
        eprintln!(
            "note: nobody has a token yet; make one with `discretion serve token new {path} --name NAME`"
        );
    }
    crate::bug::serving();
    let running = prepared.start(Casting::Study, true)?;
    for note in running.notes() {
        eprintln!("note: {note}");
    }
    out::print(&format!("listening on {}\n", running.url()))?;
    Ok(running.wait()?)
}

fn options(args: &Serve) -> Result<Options, Failure> {
    let usual = Options::new(default_path(args.ledger.as_deref())?);
    Ok(Options {
        listen: args.listen,
        plain_http: args.plain_http,
        tls: args.tls_cert.clone().zip(args.tls_key.clone()),
        tick: Some(args.tick),
        shown: match args.show_budget {
            ShowBudget::Left => Shown::Left,
            ShowBudget::Nothing => Shown::Nothing,
        },
        most_bytes: args.max_body as usize,
        most_connections: usize::from(args.max_connections),
        new_session: args.new,
        cache: args.cache.clone().unwrap_or_else(|| usual.cache.clone()),
        log: !args.quiet,
        ..usual
    })
}

/// A token of each kind, under the first names that are free.
fn new_tokens(store: &Store) -> Result<String, Failure> {
    let taken: Vec<String> = store.tokens()?.into_iter().map(|token| token.name).collect();
    let mut text = String::new();
    for role in [Role::Analyst, Role::Custodian] {
        let names =
            (1..).map(|n| if n == 1 { role.name().to_owned() } else { format!("{}-{n}", role.name()) });
        let name =
            names.into_iter().find(|name| !taken.contains(name)).expect("there are more names than tokens");
        text += &format!("token of {name}: {}\n", store.new_token(&name, role, None)?);
    }
    Ok(text + "They are not shown again.\n")
}

impl From<discretion_serve::Failure> for Failure {
    fn from(failure: discretion_serve::Failure) -> Failure {
        match failure {
            discretion_serve::Failure::Refused(message) => Failure::Refused(message),
            discretion_serve::Failure::BadInput(message) => Failure::BadInput(message),
        }
    }
}
