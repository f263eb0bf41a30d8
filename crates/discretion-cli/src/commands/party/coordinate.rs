//! `discretion party coordinate`.

use super::joint_study::charter;
use super::notices::Notices;
use super::result::{self, Output};
use crate::args::Coordinate;
use discretion::Refusal;
use discretion_http::ListenOptions;
use discretion_party::mailbox::{Mailboxes, serve};
use discretion_party::run;
use discretion_party::wire::system_clock;
use discretion_table::Study;
use std::sync::Arc;
use std::time::Duration;

/// Waits for everybody, hands on what they send, writes the model.
pub fn run(args: &Coordinate) -> Result<(), Refusal> {
    let study = Study::read(&args.study)?;
    let (charter, holders) = charter(&study)?;
    let secret = super::secret(&args.key)?;
    let folder = args.out.clone().unwrap_or_else(|| Output::usual(&args.study));
    let output = Output::prepare(&folder, args.force)?;
    let members = charter.members().len();
    let mailboxes = Arc::new(Mailboxes::new(charter, secret, args.patience, system_clock)?);
    let options = ListenOptions {
        listen: args.listen,
        tls: args.tls_cert.clone().zip(args.tls_key.clone()),
        patience: Duration::from_secs(30),
        // Two for each member, and some for those who reconnect or have no business here.
        most_connections: 4 * members + 32,
        last_answers: Duration::from_secs(5),
    };
    let server = serve(mailboxes.clone(), options)?;
    eprintln!("listening on {}", server.url());
    let mut notices = Notices::default();
    let outcome = run::coordinate(&mailboxes, &mut |notice| notices.say(&notice))?;
    drop(notices);
    let model = result::model(&study, &holders, mailboxes.charter().plan(), &outcome, None)?;
    result::write_model(&output, &model)?;
    result::write_page(&output, &model, None)?;
    mailboxes.wait_until_all_are_done();
    drop(server);
    result::tell(Some(&output), &model, None, args.json)
}
