//! `discretion party simulate`.

use super::joint_study::{StudyHolders, plan};
use super::result::{self, Output};
use crate::args::{Proportions, Simulate};
use crate::exit::Failure;
use crate::ledger;
use crate::model::LedgerEntry;
use crate::numbers::count;
use crate::progress::Busy;
use discretion::erm::matrix::Matrix;
use discretion::joint::Sharing;
use discretion::noise::OperatingSystem;
use discretion_party::run::Outcome;
use discretion_party::simulate;
use discretion_table::{Lambda, StepChoice, Study, usual_colluders};

/// Deals one table to several holders and plays all parts.
pub fn run(args: &Simulate) -> Result<(), Failure> {
    let mut study = Study::read(&args.study)?;
    if let Lambda::Grid(_) = study.model.lambda {
        eprintln!("note: several holders cannot choose lambda from a list; this takes \"auto\" instead");
        study.model.lambda = Lambda::Auto;
    }
    crate::threads::use_threads(args.threads)?;
    let folder = args.out.clone().unwrap_or_else(|| Output::usual(&args.study));
    let output = Output::prepare(&folder, args.force)?;
    let ledger = ledger::open(args.ledger.as_deref())?;
    let account = ledger.account(&study.data.account, study.budget)?;
    let (table, rows) = super::table(&account, &study)?;
    let holders = simulated_holders(args, &study, &rows)?;
    let plan = plan(&study, &holders)?;
    let what = format!("simulated holders of {}", study.path.display());
    let charge = account.charge(&plan.event(), Some(&table), &what)?;
    let stays = |failure: Failure| failure.and(format!("charge {} stays in the ledger", charge.number));
    ledger::say_if_table_changed(&account, &charge);
    let simulated = {
        let _busy = Busy::new("playing all parts");
        simulate(plan.joint(), &rows, &holders.rows, &mut OperatingSystem)
            .map_err(|error| stays(Failure::Refused(error.to_string())))?
    };
    eprintln!(
        "each holder sent {} bytes to {} aggregators",
        count(simulated.bytes_per_holder),
        holders.sharing.aggregators()
    );
    let outcome = Outcome { average: simulated.average, stepped: simulated.stepped };
    let entry = LedgerEntry::of(&account, &charge);
    let model = result::model(&study, &holders, &plan, &outcome, Some(entry)).map_err(stays)?;
    let json = result::write(&output, &model, args.ledger.as_deref()).map_err(stays)?;
    ledger::note_release(&charge, output.model(), &json);
    result::tell(Some(&output), &model, Some(ledger::about(&account, &charge.quote)), args.json)
}

/// The holders of a table that is dealt to them.
fn simulated_holders(args: &Simulate, study: &Study, rows: &Matrix) -> Result<StudyHolders, Failure> {
    let proportions = match (&args.sizes, args.parties) {
        (Some(Proportions(sizes)), _) => sizes.clone(),
        (None, parties) => vec![1; usize::from(parties.expect("clap has asked for it"))],
    };
    let sizes = shares(rows.rows(), &proportions);
    if sizes.contains(&0) {
        return Err(Failure::BadInput(format!(
            "{} rows cannot be dealt to {} holders in these proportions: somebody would have none",
            rows.rows(),
            sizes.len()
        )));
    }
    let aggregators = args.aggregators.unwrap_or(sizes.len());
    if !(2..=sizes.len()).contains(&aggregators) {
        return Err(Failure::BadInput(format!(
            "--aggregators {aggregators}: of {} holders 2 to all can add noise",
            sizes.len()
        )));
    }
    let colluders = args.colluders.unwrap_or_else(|| usual_colluders(aggregators));
    let sharing = Sharing::new(aggregators, colluders);
    Ok(StudyHolders {
        names: (1..=sizes.len()).map(|number| format!("holder {number}")).collect(),
        rows: sizes,
        sharing: sharing.map_err(|error| Failure::BadInput(error.to_string()))?,
        step: study.party.as_ref().map_or(StepChoice::Auto, |party| party.step),
    })
}

/// Rows in these proportions, all of them: each share is rounded down, and the first get what is left.
fn shares(rows: usize, proportions: &[usize]) -> Vec<usize> {
    let total: u128 = proportions.iter().map(|&part| part as u128).sum();
    let mut sizes: Vec<usize> =
        proportions.iter().map(|&part| (rows as u128 * part as u128 / total) as usize).collect();
    let left = rows - sizes.iter().sum::<usize>();
    sizes.iter_mut().take(left).for_each(|size| *size += 1);
    sizes
}

#[cfg(test)]
mod tests {
    use super::shares;

    #[test]
    fn all_rows_are_dealt() {
        assert_eq!(shares(10, &[1, 1, 1]), [4, 3, 3]);
        assert_eq!(shares(70, &[1, 2, 4]), [10, 20, 40]);
        assert_eq!(shares(2, &[1, 1, 1]), [1, 1, 0]);
    }
}
