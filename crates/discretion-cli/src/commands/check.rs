//! `discretion check`: what looks like a mistake, for whoever holds the rows. It knows of no
//! ledger.

use crate::args::Check;
use crate::out;
use crate::progress::Reading;
use discretion::Refusal;
use discretion_jobs::check::{CheckReport, Verdict};
use discretion_table::{Study, TableSource, check_table};

/// Looks at a study's table.
pub fn run(args: &Check) -> Result<(), Refusal> {
    if !Study::has_releases(&args.study, &Study::text_of(&args.study)?) {
        let study = Study::read_with(&args.study, None, &args.settings.set)?;
        return check(args, &study);
    }
    let releases = Study::read_releases(&args.study, None, &args.settings.set)?;
    let mut mistake = None;
    for release in &releases {
        if !args.json {
            out::print(&format!("Release {}:\n", release.name))?;
        }
        // All are looked at, and the first mistake is told.
        mistake = mistake.or(check(args, &release.study).err());
    }
    mistake.map_or(Ok(()), Err)
}

fn check(args: &Check, study: &Study) -> Result<(), Refusal> {
    let table = args.data.as_ref().map_or_else(|| study.data.path.clone(), TableSource::from);
    let found = {
        let reading = Reading::of(&table);
        check_table(&table, &study.schema, &|progress| reading.update(progress))?
    };
    let report = CheckReport::new(&found);
    out::print(&if args.json { report.json() } else { report.text() })?;
    match report.verdict {
        Verdict::Mistake => {
            Err(Refusal::refused(format!("{}: {}", table.display(), report.summary())))
        }
        Verdict::Fine | Verdict::Look => Ok(()),
    }
}
