//! `serve`.

use super::{AcceptCheck, LedgerFile, RowsConsent};
use clap::{Args as ClapArgs, Subcommand, ValueEnum};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

/// Answer queries over HTTP, privately, until stopped.
///
/// What `discretion answer` does for a file, for people who ask one after another and must not see
/// the rows. The session of the study's [vote] table is charged or found at the start; everything
/// is on the disk before an answer leaves; answers leave on a fixed tick, so that how long they
/// took does not show. Only owners of a token are answered.
#[derive(Debug, ClapArgs)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    after_help = "Example:\n  discretion serve token new study.toml --name ann --limit 500\n  discretion serve study.toml"
)]
pub struct Serve {
    #[command(subcommand)]
    pub other: Option<ServeOther>,
    /// The study file, with a [vote] table
    #[arg(value_name = "STUDY", required = true)]
    pub study: Option<PathBuf>,
    /// Where to listen
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8080")]
    pub listen: SocketAddr,
    /// A PEM file with the certificate chain: serves https
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    pub tls_cert: Option<PathBuf>,
    /// A PEM file with the certificate's private key
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    pub tls_key: Option<PathBuf>,
    /// Listen without TLS although others can reach the address: something in front of it does TLS
    #[arg(long)]
    pub plain_http: bool,
    /// When answers leave: a time such as 500ms or 2s, from 10ms to 3600s
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = tick)]
    pub tick: Duration,
    /// What analysts see of the session, beside their own count
    #[arg(long, value_name = "WHAT", value_enum, default_value = "left")]
    pub show_budget: ShowBudget,
    /// The largest request body in bytes
    #[arg(long, value_name = "BYTES", default_value_t = 1 << 20, value_parser = clap::value_parser!(u32).range(1024..=1 << 30))]
    pub max_body: u32,
    /// Connections at a time; others wait
    #[arg(long, value_name = "N", default_value_t = 512, value_parser = clap::value_parser!(u16).range(1..))]
    pub max_connections: u16,
    /// Make a token for an analyst and one for the custodian, and print them
    #[arg(long)]
    pub new_tokens: bool,
    /// Charge a new session although one is there
    #[arg(long)]
    pub new: bool,
    /// Read the study and its table, say what would happen, and leave; charge and train nothing
    #[arg(long, conflicts_with = "new_tokens")]
    pub check: bool,
    #[command(flatten)]
    pub accept: AcceptCheck,
    /// Do not log requests
    #[arg(long)]
    pub quiet: bool,
    /// Where trained models are kept for later runs; NOT PRIVATE [default: models-NOT-PRIVATE
    /// beside the ledger]
    #[arg(long, value_name = "DIR")]
    pub cache: Option<PathBuf>,
    #[command(flatten)]
    pub ledger: LedgerFile,
    #[command(flatten)]
    pub rows: RowsConsent,
    /// Threads to use for votes [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
}

/// What analysts see of the session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ShowBudget {
    /// How many queries and unstable answers are left
    Left,
    /// Nothing
    Nothing,
}

/// What else there is to do about a service.
#[derive(Debug, Subcommand)]
pub enum ServeOther {
    /// Make, list and revoke the tokens of a study's account
    #[command(subcommand)]
    Token(TokenCommand),
}

/// What to do with tokens.
#[derive(Debug, Subcommand)]
pub enum TokenCommand {
    New(NewToken),
    List(ListTokens),
    Revoke(RevokeToken),
}

/// Make a token and print it: it is not shown again, only its hash is kept.
///
/// A token is good for every service of the study's account.
#[derive(Debug, ClapArgs)]
#[command(after_help = "Example:\n  discretion serve token new study.toml --name ann --limit 500")]
pub struct NewToken {
    /// The study file
    #[arg(value_name = "STUDY")]
    pub study: PathBuf,
    /// Whose token it is
    #[arg(long)]
    pub name: String,
    /// How many queries it may ask in all; those that were answered before count too [default: no
    /// limit]
    #[arg(long, value_name = "N", conflicts_with = "custodian")]
    pub limit: Option<u32>,
    /// It looks at the account and at everybody's counts, and asks nothing
    #[arg(long)]
    pub custodian: bool,
    #[command(flatten)]
    pub ledger: LedgerFile,
}

/// List the tokens of a study's account.
#[derive(Debug, ClapArgs)]
#[command(after_help = "Example:\n  discretion serve token list study.toml")]
pub struct ListTokens {
    /// The study file
    #[arg(value_name = "STUDY")]
    pub study: PathBuf,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub ledger: LedgerFile,
}

/// Make a token open nothing any more. A running service notices within half a second.
#[derive(Debug, ClapArgs)]
#[command(after_help = "Example:\n  discretion serve token revoke study.toml --name ann")]
pub struct RevokeToken {
    /// The study file
    #[arg(value_name = "STUDY")]
    pub study: PathBuf,
    /// Whose token it is
    #[arg(long)]
    pub name: String,
    #[command(flatten)]
    pub ledger: LedgerFile,
}

/// A time such as 500ms or 2s.
fn tick(text: &str) -> Result<Duration, String> {
    let millis = match (text.strip_suffix("ms"), text.strip_suffix('s')) {
        (Some(millis), _) => millis.parse::<u64>().ok(),
        (None, Some(seconds)) => {
            seconds.parse::<u64>().ok().and_then(|seconds| seconds.checked_mul(1000))
        }
        (None, None) => None,
    };
    match millis {
        Some(millis) if (10..=3_600_000).contains(&millis) => Ok(Duration::from_millis(millis)),
        _ => Err("write a time from 10ms to 3600s, such as 500ms or 2s".to_owned()),
    }
}
