//! `discretion studio`: the custodian's page. The page itself is `discretion-studio`.

use super::answer;
use crate::args::{Answer, Args, Command, Studio};
use crate::files::{self, Readers};
use crate::{interrupt, out};
use clap::Parser;
use discretion::noise::random_word;
use discretion::{Refusal, reason};
use discretion_jobs::{Silence, Watch};
use discretion_studio::{AnswerQueries, AnswersMade, AnswersRequest, Ending, StudioOptions};
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{self, Stdio};

/// Serves the page until it is stopped.
pub fn run(args: &Studio) -> Result<(), Refusal> {
    let options = StudioOptions {
        folder: args.folder.clone(),
        ledger: args.ledger.named().map(PathBuf::from),
        port: args.port,
        answers: Some(Box::new(Answers)),
    };
    let studio = discretion_studio::Studio::open(options)?;
    let url = studio.url();
    out::print(&format!(
        "The page is at\n  {url}\nfor whoever has this address and this machine. Ctrl-C ends it; what is in {} stays.\n",
        args.folder.display()
    ))?;
    let way = if args.no_open { None } else { open(&url) };
    let ending = studio.run();
    drop(way);
    match ending? {
        Ending::Stopped(lost) => {
            lost.iter().for_each(|lost| eprintln!("note: {lost}"));
            Ok(())
        }
        Ending::Interrupted(lost) => interrupt::stopped(lost.as_deref()),
    }
}

/// Answers for the page: what is asked is a command line, read as one.
struct Answers;

impl Answers {
    fn args(request: &AnswersRequest<'_>, dry_run: bool) -> Result<Answer, Refusal> {
        let mut line: Vec<OsString> =
            vec!["discretion".into(), "answer".into(), request.study.into()];
        let named = [
            ("--queries", request.queries),
            ("--gammas", request.gammas),
            ("--out", Some(request.out)),
            ("--student", request.student),
            ("--ledger", request.ledger),
        ];
        for (flag, path) in named {
            line.extend(path.into_iter().flat_map(|path| [flag.into(), path.into()]));
        }
        line.extend(
            request.seed.into_iter().flat_map(|seed| ["--seed".into(), seed.to_string().into()]),
        );
        for (flag, wanted) in [
            ("--dry-run", dry_run),
            ("--rows-changed", request.rows_changed),
            ("--second-account", request.second_account),
            ("--accept-check", request.accepted),
            // A price is that of a new session.
            ("--new", request.new && !dry_run && request.seed.is_none()),
        ] {
            line.extend(wanted.then(|| flag.into()));
        }
        match Args::try_parse_from(line).map_err(Refusal::bad_input)?.command {
            Command::Answer(args) => Ok(args),
            _ => unreachable!("the line says answer"),
        }
    }
}

impl AnswerQueries for Answers {
    fn price(&self, request: &AnswersRequest<'_>) -> Result<String, Refusal> {
        answer::answered(&Answers::args(request, true)?, &Silence).map(|(_, said)| said)
    }

    fn answer(
        &self,
        request: &AnswersRequest<'_>,
        watch: &dyn Watch,
    ) -> Result<AnswersMade, Refusal> {
        let args = Answers::args(request, false)?;
        let (files, summary) = answer::answered(&args, watch)?;
        Ok(AnswersMade { files, summary })
    }
}

/// A file that leads to the page. A browser's arguments can be seen by everybody on the machine,
/// and the token must not be.
struct PageLink(PathBuf);

impl Drop for PageLink {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Opens the browser, if there is one to open.
fn open(url: &str) -> Option<PageLink> {
    // Everybody can see the file's name: it says nothing of the token.
    let name = format!("discretion-studio-{:016x}.html", random_word().ok()?);
    let way = PageLink(std::env::temp_dir().join(name));
    let page = format!(
        "<!doctype html><meta charset=\"utf-8\"><meta http-equiv=\"refresh\" content=\"0;url={url}\">\n"
    );
    files::write(&way.0, Readers::Owner, &page).ok()?;
    let program = match std::env::consts::OS {
        "macos" => "open",
        "windows" => "explorer",
        _ => "xdg-open",
    };
    let mut command = process::Command::new(program);
    command.arg(&way.0).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    match command.spawn() {
        Ok(mut child) => {
            // It ends once the browser has the page; nobody has to wait for that.
            std::thread::spawn(move || child.wait());
        }
        Err(error) => {
            eprintln!(
                "note: no browser was opened ({program}: {}); open the address yourself",
                reason(&error)
            );
        }
    }
    Some(way)
}
