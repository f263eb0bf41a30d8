//! `discretion density`: from a study file to density.json, density.html and density.svg.

use crate::args::Density;
use crate::files::Existing;
use crate::out;
use crate::run;
use crate::watch::Terminal;
use discretion::Refusal;
use discretion_jobs::density::{DensityFiles, StudyDensity};
use discretion_report::terminal;
use discretion_table::Study;

/// Makes the density of a study's columns.
pub fn run(args: &Density) -> Result<(), Refusal> {
    let study = Study::read_to_spend(&args.study, args.charge.spend.given()?)?;
    let folder = args.out.clone().unwrap_or_else(|| args.study.with_extension(""));
    let file =
        folder.join(if args.seed.is_some() { "seeded-density.json" } else { "density.json" });
    let watch = Terminal::new(&file);
    let density = StudyDensity {
        study: &study,
        columns: &args.columns,
        bins: args.bins.as_ref().map(|list| list.0.as_slice()),
        folder: &folder,
        ledger: args.charge.ledger.named(),
        seed: args.seed,
        consent: args.charge.consent(),
        existing: Existing::new(args.force),
        reuse: args.charge.repeat.reuse,
        accepted: args.check.accepted,
        stop: None,
        watch: &watch,
    };
    if args.dry_run {
        density.job()?;
        return out::print(&run::dry_run(
            &study,
            &args.charge.ledger,
            || density.planned(),
            args.json,
        )?);
    }
    let DensityFiles { density: file, path, page, picture, account } = density.run()?;
    let mut about =
        vec![("density", path.display().to_string()), ("page", page.display().to_string())];
    about.extend(picture.map(|picture| ("picture", picture.display().to_string())));
    about.extend(account.map(|account| ("account", account.to_string())));
    out::print(&if args.json { file.to_json() } else { terminal::density(&file, &about) })
}
