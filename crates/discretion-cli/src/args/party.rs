//! `party`.

use super::{AcceptCheck, LedgerFile, RowsConsent};
use clap::{Args as ClapArgs, Subcommand};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

/// Train one model together with others who will not show their rows.
///
/// Each holder trains on its own rows; what leaves is one noisy sum, and nobody, the coordinator
/// included, sees anyone's part of it. The study file has a [party] table with everybody's key and
/// number of rows (docs/parties.md).
#[derive(Debug, ClapArgs)]
#[command(after_help = "Example:\n  discretion party simulate study.toml --parties 5")]
pub struct Party {
    #[command(subcommand)]
    pub command: PartyCommand,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum PartyCommand {
    Key(PartyKey),
    Coordinate(Coordinate),
    Join(Join),
    Simulate(Simulate),
}

/// Make a key, and print its public half for the study file.
///
/// If the file is there already, its public key is printed again.
#[derive(Debug, ClapArgs)]
#[command(after_help = "Example:\n  discretion party key party.key")]
pub struct PartyKey {
    /// The file of the secret key
    #[arg(value_name = "FILE", default_value = "party.key")]
    pub file: PathBuf,
}

/// Be the coordinator of a study: everybody calls it, and it sees what the public sees.
///
/// It waits until all holders are here and run the same study, hands on what it cannot read, and
/// writes the model.
#[derive(Debug, ClapArgs)]
#[command(
    after_help = "Example:\n  discretion party coordinate --study study.toml --key coordinator.key --listen 0.0.0.0:8800"
)]
pub struct Coordinate {
    /// The study file, with a [party] table
    #[arg(long, value_name = "FILE")]
    pub study: PathBuf,
    /// The coordinator's key file
    #[arg(long, value_name = "FILE", default_value = "party.key")]
    pub key: PathBuf,
    /// Where to listen
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8800")]
    pub listen: SocketAddr,
    /// A PEM file with a certificate chain: serves https. What is sent is sealed with the study's
    /// keys anyway
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    pub tls_cert: Option<PathBuf>,
    /// A PEM file with the certificate's private key
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    pub tls_key: Option<PathBuf>,
    /// How long a holder may be silent before it counts as gone, in seconds
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = seconds)]
    pub patience: Duration,
    /// The folder for model.json and report.html [default: the study file's name without its
    /// ending]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Overwrite a model that is there
    #[arg(long)]
    pub force: bool,
    /// Print the model file
    #[arg(long)]
    pub json: bool,
}

/// Take part in a study with your own rows and your own account.
///
/// Your account is charged once everybody is here and before anything is computed. If the study is
/// given up, the same command goes on with it for the same charge.
#[derive(Debug, ClapArgs)]
#[command(
    after_help = "Example:\n  discretion party join --study study.toml --coordinator https://trial.example.org:8800 \
                  --key north.key --data patients.csv"
)]
pub struct Join {
    /// The study file, the same for everybody but for [budget], and path and account in [data]
    #[arg(long, value_name = "FILE")]
    pub study: PathBuf,
    /// Where the coordinator listens: http:// or https://
    #[arg(long, value_name = "URL")]
    pub coordinator: String,
    /// Your key file
    #[arg(long, value_name = "FILE", default_value = "party.key")]
    pub key: PathBuf,
    /// Your table, instead of the one in [data]
    #[arg(long, value_name = "FILE")]
    pub data: Option<PathBuf>,
    /// A PEM file with the certificate of the authority behind an https coordinator, if it is none
    /// of the usual ones
    #[arg(long, value_name = "FILE")]
    pub ca: Option<PathBuf>,
    /// How long the coordinator may be silent, in seconds
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = seconds)]
    pub patience: Duration,
    /// A folder for model.json and report.html, the same as the coordinator's; none if left out
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Overwrite a model that is there
    #[arg(long)]
    pub force: bool,
    /// Say what it would cost and whether the table fits, and leave; call and charge nobody
    #[arg(long)]
    pub dry_run: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub ledger: LedgerFile,
    #[command(flatten)]
    pub rows: RowsConsent,
    /// Threads to use [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    #[command(flatten)]
    pub check: AcceptCheck,
}

/// Try a study out: deal one table to several holders and play all parts in this process.
///
/// The model is private and the study's account pays for it, as for a fit. No keys are needed.
#[derive(Debug, ClapArgs)]
#[command(after_help = "Example:\n  discretion party simulate study.toml --parties 5")]
pub struct Simulate {
    /// The study file
    #[arg(value_name = "STUDY")]
    pub study: PathBuf,
    /// How many holders the rows are dealt to, evenly
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u8).range(2..=254), required_unless_present = "sizes")]
    pub parties: Option<u8>,
    /// Proportions instead, such as 1:2:4
    #[arg(long, value_name = "PROPORTIONS", conflicts_with = "parties", value_parser = proportions)]
    pub sizes: Option<Proportions>,
    /// How many of them add noise [default: all]
    #[arg(long, value_name = "A")]
    pub aggregators: Option<usize>,
    /// How many of those may put their heads together [default: half of them]
    #[arg(long, value_name = "T")]
    pub colluders: Option<usize>,
    /// The folder for model.json and report.html [default: the study file's name without its
    /// ending]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Overwrite a model that is there
    #[arg(long)]
    pub force: bool,
    /// Print the model file
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub ledger: LedgerFile,
    #[command(flatten)]
    pub rows: RowsConsent,
    /// Threads to use [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    #[command(flatten)]
    pub check: AcceptCheck,
}

/// Whole numbers in proportion to which rows are dealt.
#[derive(Debug, Clone)]
pub struct Proportions(pub Vec<usize>);

fn proportions(text: &str) -> Result<Proportions, String> {
    let numbers: Option<Vec<usize>> = text.split(':').map(|number| number.parse().ok()).collect();
    match numbers {
        Some(numbers)
            if (2..=254).contains(&numbers.len())
                && numbers.iter().all(|n| (1..=1 << 30).contains(n)) =>
        {
            Ok(Proportions(numbers))
        }
        _ => Err("write 2 to 254 whole numbers with colons between them, such as 1:2:4".to_owned()),
    }
}

fn seconds(text: &str) -> Result<Duration, String> {
    match text.parse::<u64>() {
        Ok(seconds @ 1..=86_400) => Ok(Duration::from_secs(seconds)),
        _ => Err("write a number of seconds from 1 to 86400".to_owned()),
    }
}
