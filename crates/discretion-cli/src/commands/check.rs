//! `discretion check`: what looks like a mistake, for whoever holds the rows. It knows of no ledger.

use crate::args::Check;
use crate::out;
use crate::progress::Reading;
use discretion::Refusal;
use discretion_jobs::check::{CheckReport, Verdict};
use discretion_table::{Study, check_table};

/// Looks at a study's table.
pub fn run(args: &Check) -> Result<(), Refusal> {
    let study = Study::read(&args.study)?;
    let path = args.data.as_ref().unwrap_or(&study.data.path);
    let found = {
        let reading = Reading::of(path);
        check_table(path, &study.schema, &|progress| reading.update(progress))?
    };
    let report = CheckReport::new(&found);
    out::print(&if args.json { report.json() } else { report.text() })?;
    match report.verdict {
        Verdict::Mistake => Err(Refusal::refused(format!("{}: {}", path.display(), report.summary()))),
        Verdict::Fine | Verdict::Look => Ok(()),
    }
}
