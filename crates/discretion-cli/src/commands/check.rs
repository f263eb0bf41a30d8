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
    let study = Study::read_with(&args.study, None, &args.settings.set)?;
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
