//! What a run says on a terminal.

use crate::interrupt::OnInterrupt;
use crate::progress::{Busy, Reading};
use discretion_jobs::{NOTHING_RELEASED, News, Watch, if_stopped};
use discretion_table::Progress;
use std::cell::RefCell;
use std::path::{Path, PathBuf};

/// Notes and warnings on standard error, a sign of life, and what Ctrl-C says after the charge.
pub struct Terminal {
    file: PathBuf,
    /// What is lost by stopping now: words about the file, or about a session that goes on.
    if_stopped: &'static str,
    /// Whether it says what is expected of the results.
    forecasts: bool,
    busy: RefCell<Option<Busy>>,
    interrupt: RefCell<Option<OnInterrupt>>,
}

impl Terminal {
    /// For a run that makes this file.
    pub fn new(file: &Path) -> Terminal {
        Terminal::with(file, NOTHING_RELEASED)
    }

    /// For a run that goes on where it was, if it is started again.
    pub fn of_session(file: &Path) -> Terminal {
        Terminal::with(file, "the same command goes on for nothing")
    }

    /// The same for a summary that is short.
    pub fn without_forecasts(self) -> Terminal {
        Terminal { forecasts: false, ..self }
    }

    fn with(file: &Path, if_stopped: &'static str) -> Terminal {
        Terminal {
            file: file.to_owned(),
            if_stopped,
            forecasts: true,
            busy: RefCell::default(),
            interrupt: RefCell::default(),
        }
    }
}

impl Watch for Terminal {
    fn tell(&self, news: News<'_>) {
        match news {
            News::Warning(text) => eprintln!("warning: {text}"),
            News::Forecast(_) if !self.forecasts => {}
            News::Note(text) | News::Forecast(text) => eprintln!("note: {text}"),
            News::TableChanged { account, changed } => eprintln!(
                "note: the table is not the one that charge {} of account '{account}' was made on ({}); the account goes on",
                changed.first_charge, changed.at
            ),
            News::Charged { number, .. } => {
                let sentence = if_stopped(number, &self.file, self.if_stopped);
                *self.interrupt.borrow_mut() = Some(OnInterrupt::say(sentence));
            }
            News::Working(doing) => *self.busy.borrow_mut() = Some(Busy::new(doing)),
            News::Done => *self.busy.borrow_mut() = None,
        }
    }

    fn reading(&self, table: &str) -> Box<dyn Fn(Progress) + '_> {
        let reading = Reading::named(table);
        Box::new(move |progress| reading.update(progress))
    }
}
