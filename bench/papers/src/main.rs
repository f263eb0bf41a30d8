//! The binary `discretion-papers`: one paper's experiment, its figures in a folder, its table on
//! standard output.

use clap::{Args, Parser, Subcommand};
use discretion::{Refusal, RefusalKind};
use discretion_disk::files::{self, Readers};
use discretion_disk::folder::OutputFolder;
use discretion_papers::{Failure, Options, Progress, Results, intervals, parties, tuning, voting};
use indicatif::{ProgressBar, ProgressStyle};
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

/// Run a paper's experiment on public tables, ours beside theirs. Nothing that it prints is
/// private.
#[derive(Debug, Parser)]
#[command(
    name = "discretion-papers",
    version,
    arg_required_else_help = true,
    max_term_width = 100,
    after_help = "Exit codes: 0 done; 1 the machine failed; 2 bad input or usage.\n\n\
                  Example:\n  discretion-papers tuning --data tables --out figures"
)]
struct CommandLine {
    #[command(subcommand)]
    paper: Paper,
}

/// Whose experiment.
#[derive(Debug, Subcommand)]
enum Paper {
    /// Choosing lambda: Chaudhuri & Vinterbo 2013, section 5
    Tuning(Flags),
    /// Confidence intervals: Wang, Kifer & Lee 2018, section 7
    Intervals(Flags),
    /// Private answers by a vote: Bassily, Thakkar & Thakurta 2018
    Voting(Flags),
    /// Several holders, one model: Pathak, Rane & Raj 2010
    Parties(Flags),
}

/// How it is run.
#[derive(Debug, Args)]
struct Flags {
    /// The folder with the public tables (see bench/README.md)
    #[arg(long, value_name = "DIR", required_unless_present = "quick")]
    data: Option<PathBuf>,
    /// The folder for figures
    #[arg(long, value_name = "DIR", default_value = "figures")]
    out: PathBuf,
    /// A short form on made-up rows, to see that it runs
    #[arg(long)]
    quick: bool,
    /// Where the seeds start
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

fn main() -> ExitCode {
    let Err(error) = run(&CommandLine::parse().paper) else { return ExitCode::SUCCESS };
    eprintln!("error: {error}");
    ExitCode::from(if error.kind() == RefusalKind::BadInput { 2 } else { 1 })
}

/// Runs the experiment, writes its figures and prints its table.
fn run(paper: &Paper) -> Result<(), Refusal> {
    type Experiment = fn(&Options, Progress<'_>) -> Result<Results, Failure>;
    let (experiment, flags): (Experiment, &Flags) = match paper {
        Paper::Tuning(flags) => (tuning::run, flags),
        Paper::Intervals(flags) => (intervals::run, flags),
        Paper::Voting(flags) => (voting::run, flags),
        Paper::Parties(flags) => (parties::run, flags),
    };
    let folder = OutputFolder::prepare(&flags.out)?;
    let options = Options { data: flags.data.clone(), quick: flags.quick, seed: flags.seed };
    let bar = bar();
    let results = experiment(&options, &|done, of| {
        bar.set_length(of as u64);
        bar.set_position(done as u64);
    });
    bar.finish_and_clear();
    let results = results.map_err(|failure| Refusal::bad_input(failure.0))?;
    for (name, figure) in &results.figures {
        files::write(&folder.join(name), Readers::Anyone, figure)?;
    }
    if flags.json {
        return print(&results.json);
    }
    let names: Vec<String> =
        results.figures.iter().map(|(name, _)| folder.join(name).display().to_string()).collect();
    print(&format!("{}\nfigures: {}\n", results.text, names.join(", ")))
}

/// How far the experiment has come: on standard error, and drawn only where that is a terminal.
fn bar() -> ProgressBar {
    let style = ProgressStyle::with_template("{msg} [{bar:30}] {pos} of {len}, {eta} to go")
        .expect("the template is valid")
        .progress_chars("=> ");
    ProgressBar::no_length().with_style(style).with_message("running")
}

fn print(text: &str) -> Result<(), Refusal> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        // The reader has seen enough, as `head` has.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        Err(error) => {
            Err(Refusal::refused(format!("standard output could not be written: {error}")))
        }
        Ok(()) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        super::CommandLine::command().debug_assert();
    }
}
