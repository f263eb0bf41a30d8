//! `discretion release`: everything that a study releases, under one charge.

use crate::args::Release;
use crate::files::Existing;
use crate::out;
use crate::watch::Terminal;
use discretion::Refusal;
use discretion_jobs::releases::{PlannedRelease, ReleaseFiles, StudyReleases};
use discretion_jobs::request;
use discretion_table::Study;
use serde_json::json;

/// Makes all releases of a study.
pub fn run(args: &Release) -> Result<(), Refusal> {
    let releases =
        Study::read_releases(&args.study, args.charge.spend.given()?, &args.settings.set)?;
    for release in &releases {
        request::check_budget(&release.study)?;
    }
    crate::threads::use_threads(args.threads)?;
    let folder = args.out.clone().unwrap_or_else(|| args.study.with_extension(""));
    let watch = Terminal::new(&folder.join("index.json"));
    let all = StudyReleases {
        releases: &releases,
        folder: &folder,
        ledger: args.charge.ledger.named(),
        seed: args.seed,
        consent: args.charge.consent(),
        existing: Existing::new(args.force),
        reuse: args.charge.repeat.reuse,
        memory: args.memory,
        accepted: args.check.accepted,
        stop: None,
        watch: &watch,
    };
    if args.dry_run {
        let (planned, quote, about) = all.quote()?;
        return out::print(&match args.json {
            true => format!("{:#}\n", json!({ "releases": as_json(&planned), "quote": quote })),
            false => {
                format!("{}{about}\nNothing was charged: this was a dry run.\n", listed(&planned))
            }
        });
    }
    let ReleaseFiles { index, page, files, account } = all.run()?;
    if args.json {
        let text = discretion_disk::files::read_to_string(&index)
            .map_err(|error| Refusal::unwritten(&index, error))?;
        return out::print(&text);
    }
    let mut text = String::new();
    for (release, [file, _]) in releases.iter().zip(&files) {
        text += &format!("{:<20} {}\n", release.name, file.display());
    }
    text += &format!("{:<20} {}\n{:<20} {}\n", "index", index.display(), "report", page.display());
    if let Some(account) = account {
        text += &format!("{:<20} {account}\n", "account");
    }
    out::print(&text)
}

/// What each release may spend, a line each.
pub fn listed(planned: &[PlannedRelease]) -> String {
    let line = |one: &PlannedRelease| {
        format!(
            "{:<20} {:<8} {:>6.2} % of the budget: {}\n",
            one.name,
            one.kind,
            100.0 * one.share,
            one.budget
        )
    };
    planned.iter().map(line).collect()
}

/// The same for programs.
pub fn as_json(planned: &[PlannedRelease]) -> serde_json::Value {
    let one = |one: &PlannedRelease| json!({ "name": one.name, "kind": one.kind, "share": one.share, "budget": one.budget });
    planned.iter().map(one).collect()
}
