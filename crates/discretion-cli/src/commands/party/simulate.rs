//! `discretion party simulate`.

use super::joint_study::{self, StudyHolders, evaluation, plan};
use super::result::{self, Output};
use super::to_deal::TableToDeal;
use crate::args::{Proportions, Simulate};
use crate::run::Run;
use discretion::erm::Oracle;
use discretion::erm::matrix::Rows;
use discretion::joint::{Plan, Sharing};
use discretion::noise::Noise;
use discretion::privacy::account::Event;
use discretion::privacy::{Budget, Unit};
use discretion::{Refusal, RefusalKind};
use discretion_formats::{LedgerEntry, Model};
use discretion_jobs::Job;
use discretion_jobs::fit::settled_study;
use discretion_jobs::joint::HeldOutCounts;
use discretion_party::run::Outcome;
use discretion_party::{Simulation, deal, simulate_plan};
use discretion_report::numbers::plain::count;
use discretion_table::{Lambda, PersonKey, StepChoice, Study, usual_colluders};
use std::borrow::Cow;

/// Deals one table to several holders and plays all parts.
pub fn run(args: &Simulate) -> Result<(), Refusal> {
    let mut study = Study::read(&args.study)?;
    if let Lambda::Grid(_) = study.model.lambda {
        eprintln!(
            "note: several holders cannot choose lambda from a list; this takes \"auto\" instead"
        );
        study.model.lambda = Lambda::Auto;
    }
    crate::threads::use_threads(args.threads)?;
    let folder = args.out.clone().unwrap_or_else(|| Output::usual(&args.study));
    let output = Output::prepare(&folder, args.force)?;
    joint_study::check(&study, step(&study))?;
    if study.schema.has_auto_curves() {
        let rows = super::read(&study, PersonKey::of_seed(0), args.check)?.units();
        if let Some((settled, said)) = settled_study(&study, rows, study.spend) {
            eprintln!("note: {said}");
            study = settled;
        }
    }
    let what = format!("simulated holders of {}", study.path.display());
    let run = Run {
        study: &study,
        ledger: &args.ledger,
        seed: None,
        what,
        path: output.model(),
        consent: args.rows.consent(),
        reuse: None,
    };
    let read = |key| match study.evaluate {
        None => super::read(&study, key, args.check).map(SimulatedRows::Whole),
        Some(_) => TableToDeal::read(&study, key, args.check).map(SimulatedRows::ToDeal),
    };
    let (model, account) =
        run.spend(&SimulationJob { args, study: Cow::Borrowed(&study) }, read)?;
    result::write_page(&output, &model, args.ledger.named())?;
    result::tell(Some(&output), &model, account, args.json)
}

/// A joint study of which this process plays all parts.
struct SimulationJob<'s> {
    args: &'s Simulate,
    study: Cow<'s, Study>,
}

enum SimulatedRows {
    /// All of them train.
    Whole(Rows<'static>),
    /// Every holder holds some out.
    ToDeal(TableToDeal),
}

impl Job for SimulationJob<'_> {
    const NAME: &'static str = "simulate";
    const DOING: &'static str = "playing all parts";
    type Rows = SimulatedRows;
    type Plan = (StudyHolders, Plan);
    type Released = Simulation;
    type Artefact = Model;

    fn budget(&self) -> Budget {
        self.study.spend
    }

    fn with_budget(&self, spend: Budget) -> Option<Self> {
        let study = Study { spend, ..self.study.clone().into_owned() };
        Some(SimulationJob { args: self.args, study: Cow::Owned(study) })
    }

    fn unit(&self) -> Unit {
        self.study.schema.unit()
    }

    fn count(rows: &SimulatedRows) -> usize {
        match rows {
            SimulatedRows::Whole(rows) => rows.units(),
            SimulatedRows::ToDeal(rows) => rows.count(),
        }
    }

    fn plan(&self, rows: usize) -> Result<(StudyHolders, Plan), Refusal> {
        let holders = simulated_holders(self.args, &self.study, rows)?;
        let plan = plan(&self.study, &holders)?;
        Ok((holders, plan))
    }

    fn event(&self, (_, plan): &(StudyHolders, Plan)) -> Event {
        plan.event()
    }

    fn run(
        &self,
        (holders, plan): &(StudyHolders, Plan),
        rows: &SimulatedRows,
        noise: &mut Noise,
    ) -> Result<Simulation, Refusal> {
        let simulation = match rows {
            SimulatedRows::ToDeal(rows) => self.with_rows_held_out(holders, plan, rows, noise)?,
            SimulatedRows::Whole(rows) => {
                let hands = hands(rows, &holders.rows);
                let tables: Vec<&dyn Oracle> =
                    hands.iter().map(|hand| hand as &dyn Oracle).collect();
                simulate_plan(plan.clone(), &tables, &[], noise)?
            }
        };
        eprintln!(
            "each holder sent {} bytes to {} aggregators",
            count(simulation.bytes_per_holder),
            holders.sharing.aggregators()
        );
        Ok(simulation)
    }

    fn artefact(
        &self,
        (holders, plan): &(StudyHolders, Plan),
        simulation: Simulation,
        paid: Option<LedgerEntry>,
    ) -> Result<Model, Refusal> {
        let Simulation { average, stepped, counts, .. } = simulation;
        let outcome = Outcome { average, stepped, counts };
        result::model(&self.study, holders, plan, &outcome, paid)
    }
}

impl SimulationJob<'_> {
    fn with_rows_held_out(
        &self,
        holders: &StudyHolders,
        plan: &Plan,
        rows: &TableToDeal,
        noise: &mut Noise,
    ) -> Result<Simulation, Refusal> {
        let (evaluation, settings) = (evaluation(&self.study)?, self.study.evaluate.as_ref());
        let (evaluation, settings) = evaluation.zip(settings).expect("rows are held out");
        let (tables, held_out): (Vec<Rows<'static>>, Vec<HeldOutCounts>) = rows
            .deal(&holders.rows, &self.study.schema, settings.share)
            .into_iter()
            .map(|[trains, held_out]| (trains, HeldOutCounts::new(evaluation.clone(), held_out)))
            .unzip();
        let tables: Vec<&dyn Oracle> = tables.iter().map(|rows| rows as &dyn Oracle).collect();
        Ok(simulate_plan(plan.clone(), &tables, &held_out, noise)?)
    }
}

fn step(study: &Study) -> StepChoice {
    study.party.as_ref().map_or(StepChoice::Auto, |party| party.step)
}

/// Deals rows to holders of so many. The order of persons says nothing about their rows, so each
/// holder gets the next ones.
fn hands<'r>(rows: &'r Rows<'r>, sizes: &[usize]) -> Vec<Rows<'r>> {
    if let (Unit::Row, Some(all)) = (rows.unit(), rows.in_memory()) {
        return deal(sizes).iter().map(|hand| all.gather(hand).into()).collect();
    }
    let mut next = 0;
    let each = |&count: &usize| {
        next += count;
        rows.view(next - count..next)
    };
    sizes.iter().map(each).collect()
}

/// The holders of a table that is dealt to them.
fn simulated_holders(args: &Simulate, study: &Study, rows: usize) -> Result<StudyHolders, Refusal> {
    let proportions = match (&args.sizes, args.parties) {
        (Some(Proportions(sizes)), _) => sizes.clone(),
        (None, parties) => vec![1; usize::from(parties.expect("clap has asked for it"))],
    };
    let sizes = shares(rows, &proportions);
    if sizes.contains(&0) {
        return Err(Refusal::bad_input(format!(
            "{rows} {} cannot be dealt to {} holders in these proportions: somebody would have none",
            study.schema.unit().plural(),
            sizes.len()
        )));
    }
    let aggregators = args.aggregators.unwrap_or(sizes.len());
    if !(2..=sizes.len()).contains(&aggregators) {
        return Err(Refusal::bad_input(format!(
            "--aggregators {aggregators}: of {} holders 2 to all can add noise",
            sizes.len()
        )));
    }
    let colluders = args.colluders.unwrap_or_else(|| usual_colluders(aggregators));
    let sharing = Sharing::new(aggregators, colluders);
    Ok(StudyHolders {
        names: (1..=sizes.len()).map(|number| format!("holder {number}")).collect(),
        rows: sizes,
        sharing: sharing.map_err(|error| Refusal::from_error(RefusalKind::BadInput, error))?,
        step: step(study),
    })
}

/// Rows in these proportions, all of them: each share is rounded down, and the first get what is
/// left.
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
