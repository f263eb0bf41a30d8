//! A fit that holds rows out, by position, and tells how good its model is on them: two parts of one table, so it costs rows and
//! no more budget (`quality/PROOF.md`).

use super::{Groups, ScoredRows, explain, facts, how_exact, score_range, small_groups};
use crate::fit::{FitJob, FitRows};
use crate::job::Job;
use discretion::Refusal;
use discretion::choose::split::{is_share, is_validation, validation_rows};
use discretion::erm::matrix::{Batch, Layout, Matrix, Persons};
use discretion::fit::{Fitted, Plan};
use discretion::noise::{Noise, Released};
use discretion::privacy::account::Event;
use discretion::privacy::{Budget, Unit};
use discretion::quality::{Quality, QualityPlan, ScoreCounts};
use discretion_formats::{LedgerEntry, Model};
use discretion_report::numbers::plain::count;
use discretion_table::{EvaluateSettings, OneEach, PersonKey, RowStorage};

/// A fit on some of the rows, evaluated on the others.
pub struct HeldOutFit {
    fit: FitJob,
    share: f64,
    groups: Groups,
}

/// Every public number of both.
pub struct HeldOutPlan {
    fit: Plan,
    /// With a range of scores that is known once the model is.
    quality: QualityPlan,
}

/// The rows of both. Those that are held out are kept as they were read.
pub struct HeldOutRows {
    training: FitRows,
    held_out: Batch,
    rows: [usize; 2],
}

impl HeldOutFit {
    /// A fit that leaves out what `[evaluate]` says.
    pub fn new(fit: FitJob, settings: &EvaluateSettings) -> Result<HeldOutFit, Refusal> {
        if !is_share(settings.share) {
            return Err(Refusal::bad_input(format!(
                "[evaluate] share = {}: it rounds to all rows or none",
                settings.share
            )));
        }
        if fit.schema.target().labels.two_names().is_none() {
            return Err(Refusal::bad_input(
                "[evaluate]: only models with two classes can be evaluated".to_owned(),
            ));
        }
        let groups = Groups::by(&fit.schema, settings.by.as_deref())?;
        Ok(HeldOutFit { fit, share: settings.share, groups })
    }

    /// The fit, as it is on the rows that are left.
    pub fn fit(&self) -> &FitJob {
        &self.fit
    }

    /// What reads a table for it.
    pub fn reader(&self) -> HeldOutReader {
        let layout = self.fit.schema.encoder().layout();
        HeldOutReader {
            share: self.share,
            position: 0,
            training: Matrix::new(layout.clone()),
            layout,
            held_out: Batch::default(),
        }
    }

    /// What a plan says of the evaluation, a sentence each.
    pub fn about_evaluation(&self, plan: &HeldOutPlan) -> Vec<String> {
        [how_exact(&plan.quality, self.fit.unit)].into_iter().chain(small_groups(&plan.quality)).collect()
    }

    /// Evaluates with as much as the fit may spend: the two look at rows of their own.
    fn quality(&self, rows: usize, (low, high): (f64, f64)) -> Result<QualityPlan, Refusal> {
        let quality = Quality { budget: self.fit.spend, groups: self.groups.len(), low, high };
        quality.plan(rows).map_err(|error| explain(error, "[evaluate]"))
    }
}

impl HeldOutPlan {
    /// How many rows are held out.
    pub fn held_out(&self) -> usize {
        self.quality.rows()
    }
}

impl Job for HeldOutFit {
    const NAME: &'static str = "fit";
    const DOING: &'static str = "training";
    type Rows = HeldOutRows;
    type Plan = HeldOutPlan;
    type Released = (Fitted, Released<ScoreCounts>);
    type Artefact = Model;

    fn budget(&self) -> Budget {
        self.fit.spend
    }

    fn unit(&self) -> Unit {
        self.fit.unit
    }

    fn settings(&self) -> Option<String> {
        let evaluated = format!("{} {:?}", self.share, self.groups.column());
        self.fit.settings().map(|fit| format!("{fit} evaluated on {evaluated}"))
    }

    fn count(rows: &HeldOutRows) -> usize {
        rows.rows.iter().sum()
    }

    fn plan(&self, rows: usize) -> Result<HeldOutPlan, Refusal> {
        let held_out = validation_rows(rows, self.share);
        let fit = self.fit.plan(rows - held_out)?;
        Ok(HeldOutPlan { fit, quality: self.quality(held_out, (-1.0, 1.0))? })
    }

    fn event(&self, plan: &HeldOutPlan) -> Event {
        Event::Parallel { of: vec![self.fit.event(&plan.fit), plan.quality.event()] }
    }

    fn notes(&self, plan: &HeldOutPlan) -> Vec<String> {
        let mut notes = self.fit.notes(&plan.fit);
        notes.push(format!(
            "{} {} are held out to tell how good the model is; nothing else looks at them",
            count(plan.held_out()),
            self.fit.unit.plural()
        ));
        notes.extend(self.about_evaluation(plan));
        notes
    }

    fn run(
        &self,
        plan: &HeldOutPlan,
        rows: &HeldOutRows,
        noise: &mut Noise,
    ) -> Result<(Fitted, Released<ScoreCounts>), Refusal> {
        let fitted = self.fit.run(&plan.fit, &rows.training, noise)?;
        let schema = &self.fit.schema;
        let quality = self.quality(plan.held_out(), score_range(schema, &fitted.coefficients))?;
        assert_eq!(
            quality.event(),
            plan.quality.event(),
            "what was charged does not depend on where scores are"
        );
        let mut scored = ScoredRows::new(schema, fitted.coefficients.to_vec(), &self.groups);
        scored.push(rows.held_out.clone());
        let counts =
            quality.run(&scored.tally(&quality), noise).map_err(|error| explain(error, "[evaluate]"))?;
        Ok((fitted, counts))
    }

    fn artefact(
        &self,
        plan: &HeldOutPlan,
        (fitted, counts): (Fitted, Released<ScoreCounts>),
        paid: Option<LedgerEntry>,
    ) -> Result<Model, Refusal> {
        let mut model = self.fit.artefact(&plan.fit, fitted, paid)?;
        model.quality = Some(facts(&counts, model.training.loss, &self.groups, self.fit.unit));
        Ok(model)
    }
}

/// A table on its way to a fit that holds rows out. Which rows do is a matter of their position alone.
pub struct HeldOutReader {
    share: f64,
    position: usize,
    layout: Layout,
    training: Matrix,
    held_out: Batch,
}

impl HeldOutReader {
    /// Adds rows, in the order of the table.
    pub fn push(&mut self, batch: &Batch) {
        let rows = batch.positive.len();
        assert_eq!(rows, self.layout.rows_of(batch), "a label for each row");
        let mut training = Batch::default();
        for row in 0..rows {
            let held_out = is_validation(self.position, self.share);
            let into = if held_out { &mut self.held_out } else { &mut training };
            into.copy_row(None, batch, row, rows);
            self.position += 1;
        }
        self.training.push(training);
    }

    /// All of them, as the fit needs them.
    pub fn finish(self, job: &HeldOutFit) -> Result<HeldOutRows, Refusal> {
        let rows = [self.training.rows(), self.held_out.positive.len()];
        let training =
            FitRows::new(self.training, &job.fit.request()).map_err(|error| job.fit.explain(error))?;
        Ok(HeldOutRows { training, held_out: self.held_out, rows })
    }
}

/// The same for rows that belong to persons: the last persons, in an order that says nothing about rows, are held out with all of
/// theirs, and of each of them one row is asked.
pub struct HeldOutPersonsReader {
    key: PersonKey,
    rows: Batch,
    places: Vec<u128>,
}

impl HeldOutPersonsReader {
    /// No row yet.
    pub fn new(key: PersonKey) -> HeldOutPersonsReader {
        HeldOutPersonsReader { key, rows: Batch::default(), places: Vec::new() }
    }

    /// Adds rows, in the order of the table, and the places of the persons that they belong to.
    pub fn push(&mut self, batch: Batch, places: &[u128]) {
        self.rows.numeric.extend(batch.numeric);
        self.rows.codes.extend(batch.codes);
        self.rows.positive.extend(batch.positive);
        self.places.extend_from_slice(places);
    }

    /// All of them, as the fit needs them.
    pub fn finish(self, job: &HeldOutFit) -> Result<HeldOutRows, Refusal> {
        let HeldOutPersonsReader { key, rows, places } = self;
        let mut persons = places.clone();
        persons.sort_unstable();
        persons.dedup();
        let training = persons.len() - validation_rows(persons.len(), job.share);
        // Nobody is beyond the last person.
        let held_out_from = persons.get(training).copied();
        let (mut trains, mut trainers) = (Batch::default(), Vec::new());
        let mut asked = OneEach::new(key);
        for (row, &place) in places.iter().enumerate() {
            let mut into = Batch::default();
            match held_out_from.is_some_and(|from| place >= from) {
                true => {
                    into.copy_row(None, &rows, row, places.len());
                    asked.push(&into, &[place]);
                }
                false => {
                    trains.copy_row(None, &rows, row, places.len());
                    trainers.push(place);
                }
            }
        }
        let counted = [training, asked.persons()];
        let matrix = Matrix::of(job.fit.schema.encoder().layout(), trains);
        let storage = RowStorage::Persons(Persons::group(matrix, &trainers));
        let training = FitRows::of(storage, &job.fit.request()).map_err(|error| job.fit.explain(error))?;
        Ok(HeldOutRows { training, held_out: asked.into_rows(), rows: counted })
    }
}
