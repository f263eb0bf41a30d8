//! `discretion serve`: private answers over HTTP. The service itself is `discretion-serve`.

mod token;

use crate::args::{Serve, ServeOther, ShowBudget};
use crate::out;
use discretion::Refusal;
use discretion_ledger::default_path;
use discretion_serve::service::VoterChoice;
use discretion_serve::{BudgetView, Options, PreparedService};
use discretion_table::Study;

/// Serves, or does something about tokens.
pub fn run(args: &Serve) -> Result<(), Refusal> {
    if let Some(ServeOther::Token(command)) = &args.other {
        return token::run(command);
    }
    let path = args.study.as_ref().expect("clap has asked for it");
    let study = Study::read(path)?;
    let options = options(args)?;
    crate::threads::use_threads(args.threads)?;
    let prepared = PreparedService::new(study, options)?;
    if args.check {
        return out::print(&prepared.check()?);
    }
    let running = prepared.start(VoterChoice::StudyModels, true)?;
    // From here on every line on standard error is JSON.
    crate::bug::serving();
    running.notes().iter().for_each(|note| discretion_serve::note(note));
    let mut text = String::new();
    for (name, token) in running.new_tokens() {
        text += &format!("token of {name}: {token}\n");
    }
    if args.new_tokens {
        text += "They are not shown again.\n";
    }
    out::print(&format!("{text}listening on {}\n", running.url()))?;
    running.wait()
}

fn options(args: &Serve) -> Result<Options, Refusal> {
    let usual = Options::new(default_path(args.ledger.named())?);
    Ok(Options {
        listen: args.listen,
        plain_http: args.plain_http,
        tls: args.tls_cert.clone().zip(args.tls_key.clone()),
        tick: Some(args.tick),
        budget_view: match args.show_budget {
            ShowBudget::Left => BudgetView::Left,
            ShowBudget::Nothing => BudgetView::Nothing,
        },
        most_bytes: args.max_body as usize,
        most_connections: usize::from(args.max_connections),
        new_tokens: args.new_tokens,
        new_session: args.new,
        consent: args.rows.consent(),
        accept_check: args.accept.accepted,
        cache: args.cache.clone().unwrap_or_else(|| usual.cache.clone()),
        log: !args.quiet,
        ..usual
    })
}
