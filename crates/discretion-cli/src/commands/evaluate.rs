//! `discretion evaluate`: from a model and rows that never trained it to evaluation.json.

use crate::args::Evaluate;
use crate::files::Existing;
use crate::out;
use crate::run;
use crate::watch::Terminal;
use discretion::Refusal;
use discretion_formats::Artefact;
use discretion_jobs::evaluate::StudyEvaluation;
use discretion_jobs::request;
use discretion_report::terminal;
use discretion_table::{Study, TableSource};
use std::path::PathBuf;

/// Evaluates a model.
pub fn run(args: &Evaluate) -> Result<(), Refusal> {
    let mut study = Study::read_to_spend(&args.study, args.charge.spend.given()?)?;
    request::check_budget(&study)?;
    let path = output_file(args);
    let watch = Terminal::new(&path);
    StudyEvaluation::on(
        &mut study,
        TableSource::new(args.data.clone()),
        args.account.as_deref(),
        &watch,
    );
    let evaluation = StudyEvaluation {
        study: &study,
        model: &args.model,
        by: args.by.as_deref(),
        path: &path,
        ledger: args.charge.ledger.named(),
        seed: args.seed,
        consent: args.charge.consent(),
        existing: Existing::new(args.force),
        reuse: args.charge.repeat.reuse,
        accepted: args.check.accepted,
        watch: &watch,
    };
    if args.dry_run {
        return out::print(&run::dry_run(
            &study,
            &args.charge.ledger,
            || evaluation.planned(),
            args.json,
        )?);
    }
    let (file, account) = evaluation.run()?;
    let mut about = vec![("evaluation", path.display().to_string())];
    about.extend(account.map(|account| ("account", account.to_string())));
    out::print(&if args.json { file.to_json() } else { terminal::evaluation(&file, &about) })
}

fn output_file(args: &Evaluate) -> PathBuf {
    let name = if args.seed.is_some() { "seeded-evaluation.json" } else { "evaluation.json" };
    args.out.clone().unwrap_or_else(|| args.model.with_file_name(name))
}
