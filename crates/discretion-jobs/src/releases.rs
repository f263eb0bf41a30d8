//! Several releases of one study under one charge: models and densities that are planned together,
//! priced as one composition, and charged once.
//!
//! Everything that can be refused is refused before the charge. What was computed is in the ledger,
//! under the charge that paid for it, before it leaves; so a run that was broken off goes on with
//! [`StudyReleases::reuse`]: what left is written again as it was, and only what never left is
//! computed, with fresh noise. That is one release of each, which is what was paid for.

use crate::density::{DensityJob, StudyDensity};
use crate::fit::{Chosen, StudyFit};
use crate::identity::{Settings, canonical, job_name};
use crate::job::Job;
use crate::promise;
use crate::spend::{note_release, pay, plan};
use crate::study_run::{PlannedRun, about_price, fingerprint_while, look};
use crate::watch::{News, Silence, Watch, Working};
use discretion::noise::{Noise, Receipt};
use discretion::privacy::Budget;
use discretion::privacy::account::{Event, Spend};
use discretion::{Refusal, Remedy};
use discretion_disk::existing::Existing;
use discretion_disk::files::{self, Readers};
use discretion_disk::folder::OutputFolder;
use discretion_formats::{AnyModel, Artefact, DensityFile, LedgerEntry, PROGRAM, content_hash};
use discretion_ledger::{
    Account, Consent, Fingerprint, Happening, Ledger, Purchase, Quote, Session, SettingsName,
    SmallerRun, checkpoint,
};
use discretion_report::report::{self, of_file, releases};
use discretion_report::words;
use discretion_table::{PersonKey, Release, ReleaseKind, Study};
use serde_json::{Value, json};
use std::borrow::Borrow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The format of the index.
const FORMAT: &str = "discretion-releases/1";

/// The state of a session that pays for releases: what left is among its answers.
const STATE: &str = "releases";

/// The releases of a study, with all that whoever runs them says beside it.
pub struct StudyReleases<'r> {
    /// The releases, as [`Study::read_releases`] gives them.
    pub releases: &'r [Release],
    /// Where the files go.
    pub folder: &'r Path,
    /// The ledger's file, if somebody named it.
    pub ledger: Option<&'r Path>,
    /// Instead of an account.
    pub seed: Option<u64>,
    /// What the user allows that looks like a mistake of the account.
    pub consent: Consent,
    /// Whether files that are there may be replaced.
    pub existing: Existing,
    /// Whether to go on with what an earlier run paid for.
    pub reuse: bool,
    /// Memory to stay within, for each fit.
    pub memory: Option<u64>,
    /// Whether the run goes on at what looks like a mistake of the table.
    pub accepted: bool,
    /// Ends the run at its next pass over the rows, once it is set.
    pub stop: Option<Arc<AtomicBool>>,
    /// Who hears of it.
    pub watch: &'r dyn Watch,
}

/// What a run leaves.
pub struct ReleaseFiles {
    /// The list of all releases, for programs.
    pub index: PathBuf,
    /// The same for people.
    pub page: PathBuf,
    /// The file and the page of each release, in the order of the study.
    pub files: Vec<[PathBuf; 2]>,
    /// A line about the account, if one paid.
    pub account: Option<String>,
}

/// What one release may spend.
#[derive(Clone, Debug, PartialEq)]
pub struct PlannedRelease {
    /// Its name.
    pub name: String,
    /// `model` or `density`.
    pub kind: &'static str,
    /// Its share of what all may spend, as the study has it.
    pub share: f64,
    /// What it may spend.
    pub budget: Budget,
}

/// A release that is ready to be computed.
trait Ready {
    /// Everything public that decides what is computed.
    fn settings(&self) -> Option<Settings>;

    /// Plans it on its rows. What it may do to the table.
    fn plan(&mut self, watch: &dyn Watch) -> Result<Event, Refusal>;

    /// Computes it, and returns the text of its file. It was planned.
    fn run(
        &mut self,
        noise: &mut Noise,
        paid: Option<LedgerEntry>,
        watch: &dyn Watch,
    ) -> Result<String, Refusal>;
}

struct WithRows<J: Job, R: Borrow<J::Rows>> {
    job: J,
    rows: R,
    plan: Option<J::Plan>,
}

/// A job on rows that were read for it.
fn ready<'b, J: Job + 'b, R: Borrow<J::Rows> + 'b>(job: J, rows: R) -> Box<dyn Ready + 'b>
where
    J::Plan: 'b,
{
    Box::new(WithRows { job, rows, plan: None })
}

impl<J: Job, R: Borrow<J::Rows>> Ready for WithRows<J, R> {
    fn settings(&self) -> Option<Settings> {
        self.job.settings()
    }

    fn plan(&mut self, watch: &dyn Watch) -> Result<Event, Refusal> {
        let plan = plan(&self.job, J::count(self.rows.borrow()), watch)?;
        let event = self.job.event(&plan);
        self.plan = Some(plan);
        Ok(event)
    }

    fn run(
        &mut self,
        noise: &mut Noise,
        paid: Option<LedgerEntry>,
        watch: &dyn Watch,
    ) -> Result<String, Refusal> {
        let plan = self.plan.as_ref().expect("it was planned");
        let working = Working::new(watch, J::DOING);
        let released = self.job.run(plan, self.rows.borrow(), noise)?;
        drop(working);
        checkpoint(&format!("{}: computed", J::NAME));
        Ok(self.job.artefact(plan, released, paid)?.to_json())
    }
}

/// Who pays.
struct Paid<'l> {
    account: Account<'l>,
    session: Session<'l>,
    /// What it cost; nothing of a run that goes on.
    quote: Option<Quote>,
}

impl StudyReleases<'_> {
    /// Reads the table, charges once, and writes every release, an index and a page.
    pub fn run(&self) -> Result<ReleaseFiles, Refusal> {
        self.check()?;
        let folder = OutputFolder::prepare(self.folder)?.alone()?;
        let places: Vec<[PathBuf; 2]> =
            self.names().map(|name| self.place(&folder, &name)).collect();
        let [index, page] = self.place(&folder, "index");
        let page = page.with_file_name(page_name(&page));
        if !self.reuse {
            for path in places.iter().flatten().chain([&index, &page]) {
                self.existing.check(path, &[Remedy::AnotherFolder, Remedy::OverwriteAndPay])?;
            }
        }
        let units = self.count()?;
        let studies = self.studies(units)?;
        let (texts, entry, account) = match self.seed {
            Some(seed) => {
                let mut all = self.read(&studies, PersonKey::of_seed(seed))?;
                all.iter_mut().try_for_each(|one| one.plan(self.watch).map(drop))?;
                let mut receipt = Receipt::seeded(seed);
                let run = |mut one: Box<dyn Ready + '_>| one.run(receipt.noise(), None, self.watch);
                (all.into_iter().map(run).collect::<Result<Vec<_>, _>>()?, None, None)
            }
            None => {
                let ledger = Ledger::open_default(self.ledger)?;
                self.paid(&ledger, &studies, units, &places)?
            }
        };
        self.write_pages(&texts, &places, &studies, (&index, &page), (&entry, account.as_deref()))
            .map_err(|refusal| match &entry {
                Some(entry) => refusal.after_charge(stays(entry)).or(Remedy::Reuse),
                None => refusal,
            })?;
        Ok(ReleaseFiles { index, page, files: places, account })
    }

    /// What each release may spend where there are so many rows, or persons.
    pub fn planned(&self, units: usize) -> Result<Vec<PlannedRelease>, Refusal> {
        Ok(self.with_budgets(&self.budgets(units)?))
    }

    fn with_budgets(&self, budgets: &[Budget]) -> Vec<PlannedRelease> {
        let planned = |(release, budget): (&Release, &Budget)| PlannedRelease {
            name: release.name.clone(),
            kind: kind(&release.kind),
            share: release.share,
            budget: *budget,
        };
        self.releases.iter().zip(budgets).map(planned).collect()
    }

    /// What each release may spend, what all of them would cost their account, and a line about
    /// that. The table's rows, or persons, are counted for it.
    pub fn quote(&self) -> Result<(Vec<PlannedRelease>, Quote, String), Refusal> {
        self.check()?;
        let ledger = look(self.ledger)?;
        let account = ledger.account(&self.first().data.account, self.first().budget)?;
        let units = self.count()?;
        let budgets = self.budgets(units)?;
        let event = self.event(&budgets, units, self.watch)?;
        let smaller = |size: f64| self.event_within(size, units);
        let smaller = SmallerRun { budget: self.spend(), event: &smaller };
        let quote = account.affordable(&event, Some(smaller))?;
        let about = about_price(&account, &quote, self.spend()).to_string();
        Ok((self.with_budgets(&budgets), quote, about))
    }

    fn first(&self) -> &Study {
        &self.releases.first().expect("a study has a release").study
    }

    fn spend(&self) -> Budget {
        self.first().spend
    }

    fn names(&self) -> impl Iterator<Item = String> + '_ {
        self.releases.iter().map(|release| release.name.clone())
    }

    /// The file and the page of a release.
    fn place(&self, folder: &OutputFolder, name: &str) -> [PathBuf; 2] {
        let seeded = if self.seed.is_some() { "seeded-" } else { "" };
        ["json", "html"].map(|ending| folder.join(&format!("{seeded}{name}.{ending}")))
    }

    /// Refuses what is known to be impossible before a row is read.
    fn check(&self) -> Result<(), Refusal> {
        for release in self.releases {
            match &release.kind {
                ReleaseKind::Model => self.fit(&release.study).chosen().map(drop),
                ReleaseKind::Density(_) => self.density(release, &release.study)?.job().map(drop),
            }
            .map_err(|refusal| named(refusal, &release.name))?;
        }
        Ok(())
    }

    fn fit<'s>(&'s self, study: &'s Study) -> StudyFit<'s> {
        StudyFit {
            study,
            folder: self.folder,
            ledger: self.ledger,
            seed: self.seed,
            consent: self.consent,
            existing: self.existing,
            reuse: false,
            memory: self.memory,
            accepted: self.accepted,
            stop: self.stop.clone(),
            watch: self.watch,
        }
    }

    fn density<'s>(
        &'s self,
        release: &'s Release,
        study: &'s Study,
    ) -> Result<StudyDensity<'s>, Refusal> {
        let ReleaseKind::Density(settings) = &release.kind else {
            panic!("a model is no density");
        };
        Ok(StudyDensity {
            study,
            columns: &settings.columns,
            bins: settings.bins.as_deref(),
            folder: self.folder,
            ledger: self.ledger,
            seed: self.seed,
            consent: self.consent,
            existing: self.existing,
            reuse: false,
            accepted: self.accepted,
            stop: self.stop.clone(),
            watch: self.watch,
        })
    }

    /// How many rows the table has, or how many persons.
    fn count(&self) -> Result<usize, Refusal> {
        self.fit(self.first()).count()
    }

    /// The study of each release, with what it may spend, and with every curve settled.
    fn studies(&self, units: usize) -> Result<Vec<Study>, Refusal> {
        let budgets = self.budgets(units)?;
        let study = |(release, spend): (&Release, Budget)| {
            let study = Study { spend, ..release.study.clone() };
            self.fit(&study).settled_for(units).unwrap_or(study)
        };
        Ok(self.releases.iter().zip(budgets).map(study).collect())
    }

    /// What each may spend, so that all together are within what the study spends. Shares of ε, or
    /// of ρ; with a δ, of which each has its share too, all are made larger by the same factor for
    /// as long as the exact price of all together allows it.
    fn budgets(&self, units: usize) -> Result<Vec<Budget>, Refusal> {
        self.budgets_within(self.spend(), units)
    }

    fn budgets_within(&self, spend: Budget, units: usize) -> Result<Vec<Budget>, Refusal> {
        let shared = |factor: f64| -> Vec<Budget> {
            let of = |release: &Release| share_of(spend, release.share, factor);
            self.releases.iter().map(of).collect()
        };
        let fits = |factor: f64| -> Result<bool, Refusal> {
            let event = self.event(&shared(factor), units, &Silence)?;
            Ok(Spend::of(&event).is_ok_and(|all| all.is_within(spend)))
        };
        let mut factor = 1.0;
        if !fits(factor)? {
            // Rounding, or a share that a mechanism uses up to its last digit.
            factor = 1.0 - 1e-6;
            if !fits(factor)? {
                return Err(Refusal::refused(
                    "these releases together cost more than their shares; make one of them smaller",
                ));
            }
        } else if matches!(spend, Budget::Approximate { .. }) && self.releases.len() > 1 {
            let most = self.releases.iter().map(|release| release.share).fold(0.0, f64::max);
            let (mut low, mut high) = (1.0, 1.0 / most);
            for _ in 0..7 {
                let middle = (low + high) / 2.0;
                match fits(middle) {
                    Ok(true) => low = middle,
                    _ => high = middle,
                }
            }
            factor = low;
        }
        Ok(shared(factor))
    }

    /// What all releases with these budgets do to the table.
    fn event(&self, budgets: &[Budget], units: usize, watch: &dyn Watch) -> Result<Event, Refusal> {
        let of = self.releases.iter().zip(budgets).map(|(release, spend)| {
            let study = Study { spend: *spend, ..release.study.clone() };
            let planned = match &release.kind {
                ReleaseKind::Model => StudyFit { watch, ..self.fit(&study) }.planned_for(units),
                ReleaseKind::Density(_) => {
                    PlannedRun::of_job(self.density(release, &study)?.job()?, units, watch)
                }
            };
            planned.map(|run| run.event).map_err(|refusal| named(refusal, &release.name))
        });
        Ok(Event::Composition { of: of.collect::<Result<_, _>>()? })
    }

    /// The same if the study spent this ε, or ρ; nothing if that is too little.
    fn event_within(&self, size: f64, units: usize) -> Option<Event> {
        let budgets = self.budgets_within(self.spend().with_amount(size)?, units).ok()?;
        self.event(&budgets, units, &Silence).ok()
    }

    /// Every release with its rows.
    fn read<'s>(
        &'s self,
        studies: &'s [Study],
        key: PersonKey,
    ) -> Result<Vec<Box<dyn Ready + 's>>, Refusal> {
        let read = |(release, study): (&'s Release, &'s Study)| {
            let one = match &release.kind {
                ReleaseKind::Density(_) => {
                    let density = self.density(release, study)?;
                    let job: DensityJob = density.job()?;
                    let rows = density.read(&job, key)?;
                    ready(job, rows)
                }
                ReleaseKind::Model => self.read_model(study, key)?,
            };
            Ok(one)
        };
        self.releases.iter().zip(studies).map(read).collect()
    }

    fn read_model<'s>(
        &'s self,
        study: &'s Study,
        key: PersonKey,
    ) -> Result<Box<dyn Ready + 's>, Refusal> {
        let fit = self.fit(study);
        Ok(match fit.chosen()? {
            Chosen::Number(job) => {
                let rows = fit.read_number(key)?;
                ready(job, rows)
            }
            Chosen::NumberKnots(job) => {
                let rows = fit.read_number_on_grid(key)?;
                ready(job, rows)
            }
            Chosen::HeldOutNumber(job) => {
                let rows = fit.read_held_out(&job, key)?;
                ready(job, rows)
            }
            Chosen::HeldOutNumberKnots(job) => {
                let rows = fit.read_held_out(&job, key)?;
                ready(job, rows)
            }
            Chosen::HeldOut(job) => {
                let rows = fit.read_held_out(&job, key)?;
                ready(job, rows)
            }
            Chosen::HeldOutTwoSteps(job) => {
                let rows = fit.read_held_out(&job, key)?;
                ready(job, rows)
            }
            Chosen::TwoSteps(job) => {
                let rows = fit.read_on_grid(key)?;
                ready(job, rows)
            }
            Chosen::Fit(job) => {
                let rows = fit.read_rows(&job.request(), key)?;
                ready(job, rows)
            }
        })
    }

    /// Charges, or finds what an earlier run charged, and computes what did not leave before. The
    /// text of every file, the charge, and a line about the account.
    #[allow(clippy::type_complexity)] // Three things of one run.
    fn paid(
        &self,
        ledger: &Ledger,
        studies: &[Study],
        units: usize,
        places: &[[PathBuf; 2]],
    ) -> Result<(Vec<String>, Option<LedgerEntry>, Option<String>), Refusal> {
        let account = ledger.account(&self.first().data.account, self.first().budget)?;
        let path = &self.first().data.path;
        let (table, mut all) = {
            let key = PersonKey::new(account.person_key());
            fingerprint_while(&account, path, || self.read(studies, key))?
        };
        let events = all.iter_mut().map(|one| one.plan(self.watch));
        let event = Event::Composition { of: events.collect::<Result<_, _>>()? };
        // The table may have grown since its rows were counted.
        if !Spend::of(&event).is_ok_and(|all| all.is_within(self.spend())) {
            return Err(Refusal::refused(
                "the table changed while it was read; nothing was charged",
            ));
        }
        let name = self.job_name(&all);
        self.check_files(&account, &name, places)?;
        let mut paid = self.pay(account, &name, &event, &table, units)?;
        let charge = paid.session.charge();
        let entry = match &paid.quote {
            Some(quote) => promise::entry(&paid.account, &paid.session.receipt(), quote),
            None => Some(LedgerEntry {
                account: paid.account.name().to_owned(),
                charge,
                cap: None,
                cost: None,
                spent: None,
            }),
        };
        let stays = stays(entry.as_ref().expect("an account pays"));
        let mut texts = Vec::new();
        for ((mut one, release), [file, _]) in all.into_iter().zip(self.releases).zip(places) {
            let made = self.made(&mut paid, &name_of(release), &mut *one, &entry);
            let text = made.map_err(|refusal| refusal.after_charge(&stays).or(Remedy::Reuse))?;
            files::write(file, Readers::Anyone, &text)
                .map_err(|refusal| refusal.after_charge(&stays).or(Remedy::Reuse))?;
            checkpoint("release: written");
            note_release(ledger, charge, file, &text, self.watch);
            texts.push(text);
        }
        let about = match &paid.quote {
            Some(quote) => about_price(&paid.account, quote, self.spend()).to_string(),
            None => format!("charge {charge} paid for these releases before; nothing was charged"),
        };
        Ok((texts, entry, Some(about)))
    }

    /// Refuses files in the way of a run that goes on, unless they are what left before.
    fn check_files(
        &self,
        account: &Account<'_>,
        name: &SettingsName,
        places: &[[PathBuf; 2]],
    ) -> Result<(), Refusal> {
        let session = account.session_named(name)?.filter(|_| self.reuse);
        for (release, [file, _]) in self.releases.iter().zip(places) {
            let left = match &session {
                Some(session) => session.answer(&name_of(release))?,
                None => None,
            };
            if left.is_none() || files::read_to_string(file).ok() != left {
                self.existing.check(file, &[Remedy::AnotherFolder, Remedy::OverwriteAndPay])?;
            }
        }
        Ok(())
    }

    /// The text of a release: the one that left before, or a new one that is in the ledger when
    /// this returns.
    fn made(
        &self,
        paid: &mut Paid<'_>,
        query: &str,
        one: &mut (dyn Ready + '_),
        entry: &Option<LedgerEntry>,
    ) -> Result<String, Refusal> {
        if let Some(text) = paid.session.answer(query)? {
            return Ok(text);
        }
        let mut receipt = paid.session.receipt();
        let text = one.run(receipt.noise(), entry.clone(), self.watch)?;
        paid.session.commit(STATE, &[(query.to_owned(), text.clone())])?;
        checkpoint("release: kept");
        Ok(text)
    }

    fn pay<'l>(
        &self,
        account: Account<'l>,
        name: &SettingsName,
        event: &Event,
        table: &Fingerprint,
        units: usize,
    ) -> Result<Paid<'l>, Refusal> {
        if let Some(session) = account.session_named(name)?.filter(|_| self.reuse) {
            if session.table_changed(table) {
                return Err(Refusal::refused(
                    "the table is not the one that these releases were paid for on; put the old table back",
                )
                .or(Remedy::PayAgain));
            }
            let entry = account.history()?.into_iter().find(|one| one.number == session.charge());
            match entry.map(|entry| entry.what) {
                Some(Happening::Charged { event: paid_for, .. }) if paid_for == *event => {}
                _ => {
                    return Err(Refusal::refused(
                        "what was paid for under this name is not what this study releases now",
                    )
                    .or(Remedy::PayAgain));
                }
            }
            return Ok(Paid { account, session, quote: None });
        }
        let unit = self.first().schema.unit();
        let what = format!("{} releases of {}", self.releases.len(), self.first().named());
        let smaller = |size: f64| self.event_within(size, units);
        // Who overwrites files has said that it costs again.
        let replaces = self.existing == Existing::Replace;
        let consent = Consent { again: self.consent.again || replaces, ..self.consent };
        let purchase = Purchase::new(event, &what)
            .about(unit)
            .on(table)
            .of_job(name)
            .only_with(consent)
            .with_session(name.name(), STATE)
            .or_smaller(SmallerRun { budget: self.spend(), event: &smaller });
        let mut charge = pay(&account, &purchase, self.watch)?;
        checkpoint("release: charged");
        let session = charge.session.take().expect("a session was asked for");
        Ok(Paid { account, session, quote: Some(charge.quote) })
    }

    /// The name that equal runs share.
    fn job_name(&self, all: &[Box<dyn Ready + '_>]) -> SettingsName {
        let each = self.releases.iter().zip(all).map(|(release, one)| {
            let settings = one.settings().map(|settings| settings.value);
            json!({ "name": release.name, "kind": kind(&release.kind), "settings": settings })
        });
        let value = json!({ "releases": each.collect::<Vec<_>>() });
        let earlier = canonical(&value);
        job_name("release", &Settings { value, earlier }, self.first().schema.unit())
    }

    /// Writes the pages of all releases, the index and the page about all.
    fn write_pages(
        &self,
        texts: &[String],
        places: &[[PathBuf; 2]],
        studies: &[Study],
        (index, page): (&Path, &Path),
        (entry, account): (&Option<LedgerEntry>, Option<&str>),
    ) -> Result<(), Refusal> {
        let listed = self.write(texts, places, studies)?;
        let private = self.seed.is_none();
        let readers = if private { Readers::Anyone } else { Readers::Owner };
        let text = self.index(texts, places, studies, entry.as_ref());
        files::write(index, readers, &text)?;
        let spend = private.then(|| (self.spend(), self.first().schema.unit()));
        files::write(page, readers, &releases::html(&listed, spend, account, PROGRAM))
    }

    /// Writes the pages of all releases, and under a seed their files too.
    fn write(
        &self,
        texts: &[String],
        places: &[[PathBuf; 2]],
        studies: &[Study],
    ) -> Result<Vec<releases::Listed>, Refusal> {
        let mut listed = Vec::new();
        for (((release, text), [file, page]), study) in
            self.releases.iter().zip(texts).zip(places).zip(studies)
        {
            let readers = if self.seed.is_none() { Readers::Anyone } else { Readers::Owner };
            if self.seed.is_some() {
                files::write(file, readers, text)?;
                let sentence = format!("{}: NOT PRIVATE: {}", file.display(), words::UNDER_A_SEED);
                self.watch.tell(News::Warning(&sentence));
            }
            let html = self.drawn(&release.kind, text, file)?;
            files::write(page, readers, &html)?;
            listed.push(releases::Listed {
                name: release.name.clone(),
                title: about(release),
                page: file_name(page),
                file: file_name(file),
                budget: study.spend,
            });
        }
        Ok(listed)
    }

    /// The page of a release, by the text of its file.
    fn drawn(&self, kind: &ReleaseKind, text: &str, file: &Path) -> Result<String, Refusal> {
        if let ReleaseKind::Density(_) = kind {
            let density = DensityFile::from_json(text).map_err(Refusal::refused)?;
            return Ok(of_file::report(&density, file, self.ledger).to_html());
        }
        let model = AnyModel::from_text(text, file)?;
        if let Some(warning) = model.about_intervals() {
            self.watch.tell(News::Warning(warning));
        }
        Ok(report::model_page(&model, file, self.ledger))
    }

    /// The index, for programs.
    fn index(
        &self,
        texts: &[String],
        places: &[[PathBuf; 2]],
        studies: &[Study],
        entry: Option<&LedgerEntry>,
    ) -> String {
        let release = |(((release, text), [file, page]), study): (
            ((&Release, &String), &[PathBuf; 2]),
            &Study,
        )| {
            json!({
                "name": release.name,
                "kind": kind(&release.kind),
                "share": release.share,
                "budget": study.spend,
                "file": file_name(file),
                "page": file_name(page),
                "sha256": content_hash(text.as_bytes()),
            })
        };
        let all: Vec<Value> =
            self.releases.iter().zip(texts).zip(places).zip(studies).map(release).collect();
        let mut index = json!({
            "format": FORMAT,
            "program": PROGRAM,
            "private": self.seed.is_none(),
            "guarantee": self.seed.is_none().then(|| self.spend()),
            "unit": self.first().schema.unit(),
            "ledger": entry,
            "releases": all,
        });
        if self.seed.is_some() {
            index["NOT PRIVATE"] = json!(words::UNDER_A_SEED);
        }
        format!("{index:#}\n")
    }
}

/// A share of a budget: of ε and of δ, or of ρ. ε and ρ are made larger by a factor.
fn share_of(spend: Budget, share: f64, factor: f64) -> Budget {
    match spend {
        Budget::Pure { epsilon } => Budget::Pure { epsilon: epsilon * share * factor },
        Budget::Zcdp { rho } => Budget::Zcdp { rho: rho * share * factor },
        Budget::Approximate { epsilon, delta } => {
            Budget::Approximate { epsilon: epsilon * share * factor, delta: delta * share }
        }
    }
}

fn kind(kind: &ReleaseKind) -> &'static str {
    match kind {
        ReleaseKind::Model => "model",
        ReleaseKind::Density(_) => "density",
    }
}

/// What a release is called among the answers of its session.
fn name_of(release: &Release) -> String {
    content_hash(release.name.as_bytes())
}

/// What is said of a failure behind the charge.
fn stays(entry: &LedgerEntry) -> String {
    format!("charge {} of account '{}' stays in the ledger", entry.charge, entry.account)
}

fn named(refusal: Refusal, name: &str) -> Refusal {
    refusal.and(format!("this is about the release `{name}`"))
}

/// The page beside an index: report.html beside index.json, seeded-report.html beside
/// seeded-index.json.
fn page_name(index: &Path) -> String {
    file_name(index).replace("index.html", "report.html")
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// What a release is, in a few words.
fn about(release: &Release) -> String {
    let outcomes: Vec<&str> =
        release.study.schema.outcomes().map(|target| target.column.as_str()).collect();
    match &release.kind {
        ReleaseKind::Model => format!("a model of {}", outcomes.join(", ")),
        ReleaseKind::Density(settings) => {
            format!("how {} are distributed", settings.columns.join(", "))
        }
    }
}
