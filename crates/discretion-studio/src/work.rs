//! The one run that may be under way. It goes on when its tab is closed, and ends with the program.

use crate::app::App;
use crate::jobs::{Checked, JobAsked, Made};
use crate::refusals::on_page;
use discretion::{Refusal, RefusalKind};
use discretion_jobs::{NOTHING_RELEASED, News, Watch, if_stopped};
use discretion_table::Progress;
use serde::Serialize;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread;

/// The run that is under way, or the last one.
#[derive(Default)]
pub struct Work(Arc<Mutex<Option<Record>>>);

/// What is known about a run. Nothing in it depends on rows but what the command line would print,
/// too.
#[derive(Clone, Serialize)]
struct Record {
    what: &'static str,
    study: String,
    folder: String,
    stage: &'static str,
    /// Bytes read, and bytes there are.
    read: Option<[u64; 2]>,
    /// Warnings and notes.
    said: Vec<String>,
    charge: Option<u64>,
    /// What was made, or why nothing was.
    files: Vec<String>,
    account: Option<String>,
    /// What a command would print.
    summary: Option<String>,
    refused: Option<String>,
    /// What can be allowed so that it is not refused.
    allow: Vec<&'static str>,
    private: bool,
    #[serde(skip)]
    file: PathBuf,
    #[serde(skip)]
    stop: Arc<AtomicBool>,
}

/// What is lost of a run that has not come to its charge.
const NOTHING_CHARGED: &str = "nothing was charged for it yet, and what it has done by now is lost";

impl Record {
    fn of(checked: &Checked, stop: Arc<AtomicBool>) -> Record {
        Record {
            what: checked.what(),
            study: checked.asked.study.clone(),
            folder: checked.asked.folder.clone(),
            stage: "reading",
            read: None,
            said: Vec::new(),
            charge: None,
            files: Vec::new(),
            account: None,
            summary: None,
            refused: None,
            allow: Vec::new(),
            private: true,
            file: checked.file(),
            stop,
        }
    }

    /// What has to be known of the account if the run ends here.
    fn lost(&self) -> Option<String> {
        match self.charge {
            // A session is open as long as its state is in the ledger.
            Some(charge) if self.what == "answers" => {
                Some(if_stopped(charge, &self.file, "asking again goes on for nothing"))
            }
            Some(charge) => Some(if_stopped(charge, &self.file, NOTHING_RELEASED)),
            // The ledger is at it, and its answer is not here yet.
            None if self.stage == "charging" => Some(
                "its charge may be in the ledger already; the history of the account says"
                    .to_owned(),
            ),
            None => None,
        }
    }

    fn is_over(&self) -> bool {
        ["done", "refused"].contains(&self.stage)
    }
}

impl Work {
    fn lock(&self) -> MutexGuard<'_, Option<Record>> {
        self.0.lock().expect("nothing panics with it")
    }

    /// For the page.
    pub fn shown(&self) -> Value {
        let current = self.lock();
        let mut shown = json!(*current);
        if let Some(record) = current.as_ref().filter(|record| !record.is_over()) {
            shown["stopping"] = json!(record.stop.load(Ordering::Relaxed));
        }
        shown
    }

    /// What is lost if the program ends now; nothing if no run is under way.
    pub fn lost_if_stopped(&self) -> Option<String> {
        let record = self.lock().clone().filter(|record| !record.is_over())?;
        Some(record.lost().unwrap_or_else(|| NOTHING_CHARGED.to_owned()))
    }

    /// Stops the run for good: if it is not charged by now it never will be. What has to be known
    /// if it is.
    pub fn end(&self) -> Option<String> {
        let current = self.lock();
        let record = current.as_ref().filter(|record| !record.is_over())?;
        record.stop.store(true, Ordering::Relaxed);
        record.lost()
    }
}

/// Writes down what a run says.
struct Listener(Arc<Mutex<Option<Record>>>);

impl Listener {
    fn note(&self, change: impl FnOnce(&mut Record)) {
        if let Some(record) = &mut *self.0.lock().expect("nothing panics with it") {
            change(record);
        }
    }
}

impl Watch for Listener {
    fn tell(&self, news: News<'_>) {
        self.note(|record| match news {
            News::Warning(text) | News::Note(text) | News::Forecast(text) => {
                record.said.push(text.to_owned());
            }
            News::TableChanged { account, changed } => record.said.push(format!(
                "the table is not the one that charge {} of account '{account}' was made on ({})",
                changed.first_charge, changed.at
            )),
            News::Charged { number, .. } => {
                record.charge = Some(number);
                record.stage = "charged";
            }
            News::Working(_) => record.stage = "working",
            News::Done => record.stage = "writing",
        });
    }

    /// Under the lock that [`Work::end`] takes: whoever comes first decides.
    fn before_charge(&self) -> Result<(), Refusal> {
        let mut current = self.0.lock().expect("nothing panics with it");
        let Some(record) = &mut *current else { return Ok(()) };
        if record.stop.load(Ordering::Relaxed) {
            return Err(Refusal::new(RefusalKind::Stopped, "stopped, and nothing was charged"));
        }
        record.stage = "charging";
        Ok(())
    }

    fn reading(&self, _table: &str) -> Box<dyn Fn(Progress) + '_> {
        Box::new(|progress| {
            self.note(|record| record.read = Some([progress.bytes, progress.total]))
        })
    }
}

/// What a job would cost, before anything is charged.
pub fn quote(app: &Arc<App>, asked: JobAsked) -> Result<Value, Refusal> {
    let checked = Checked::new(app, asked)?;
    let sentence = checked.price(app)?;
    Ok(json!({ "sentence": sentence, "base": checked.base }))
}

/// Starts a job. There is one at a time: two would share a machine, and often an account.
pub fn start(app: &Arc<App>, asked: JobAsked) -> Result<Value, Refusal> {
    let checked = Checked::new(app, asked)?;
    let stop = Arc::new(AtomicBool::new(false));
    {
        let mut current = app.work.lock();
        if current.as_ref().is_some_and(|record| !record.is_over()) {
            return Err(Refusal::refused("a run is under way; wait for it, or stop it"));
        }
        *current = Some(Record::of(&checked, stop.clone()));
    }
    let listener = Listener(app.work.0.clone());
    let running = app.clone();
    thread::spawn(move || {
        let finished = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            checked.run(&running, &listener, stop)
        }));
        let fault = || {
            let said = "a fault of this program; its terminal says more";
            let lost = running.work.lock().as_ref().and_then(Record::lost);
            let fault = Refusal::new(RefusalKind::Fault, said);
            lost.map_or(fault.clone(), |lost| fault.after_charge(lost))
        };
        match finished.unwrap_or_else(|_| Err(fault())) {
            Ok(Made { files, account, private, summary }) => listener.note(|record| {
                let folder = record.folder.clone();
                record.files = files
                    .iter()
                    .filter_map(|file| {
                        Some(format!("{folder}/{}", file.file_name()?.to_string_lossy()))
                    })
                    .collect();
                (record.account, record.private, record.summary) = (account, private, summary);
                record.stage = "done";
            }),
            Err(refusal) => listener.note(|record| {
                let (sentence, allow) = on_page(&refusal);
                (record.refused, record.allow, record.stage) = (Some(sentence), allow, "refused");
            }),
        }
    });
    Ok(app.work.shown())
}

/// Stops the run at its next pass over the rows. What was charged stays charged.
pub fn stop(app: &App) -> Value {
    if let Some(record) = &*app.work.lock() {
        record.stop.store(true, Ordering::Relaxed);
    }
    app.work.shown()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A run that is being read, and what listens to it.
    fn reading() -> (Work, Listener) {
        let work = Work::default();
        *work.lock() = Some(Record {
            what: "fit",
            study: "stays.toml".to_owned(),
            folder: "stays".to_owned(),
            stage: "reading",
            read: None,
            said: Vec::new(),
            charge: None,
            files: Vec::new(),
            account: None,
            summary: None,
            refused: None,
            allow: Vec::new(),
            private: true,
            file: PathBuf::from("stays/model.json"),
            stop: Arc::default(),
        });
        let listener = Listener(work.0.clone());
        (work, listener)
    }

    /// Whoever ends the page either stops the charge or hears of it: there is no third way.
    #[test]
    fn an_end_comes_before_the_charge_or_tells_of_it() {
        let (work, listener) = reading();
        assert!(work.lost_if_stopped().unwrap().contains("nothing was charged for it yet"));
        assert_eq!(work.end(), None);
        assert_eq!(listener.before_charge().unwrap_err().kind(), RefusalKind::Stopped);

        let (work, listener) = reading();
        listener.before_charge().unwrap();
        assert!(work.end().unwrap().contains("may be in the ledger already"));
        listener.tell(News::Charged { account: "stays", number: 7 });
        assert!(work.end().unwrap().contains("charge 7 stays in the ledger"));
        listener.note(|record| record.stage = "done");
        assert_eq!((work.lost_if_stopped(), work.end()), (None, None));
    }
}
