//! Progress on standard error, drawn only where that is a terminal.

use discretion_table::{Progress, Table};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::time::Duration;

/// How much of a file has been read. It depends on file sizes alone. Gone when dropped.
pub struct Reading(ProgressBar);

impl Reading {
    /// A bar for one table.
    pub fn of(table: &(impl Table + ?Sized)) -> Reading {
        Reading::named(&table.name())
    }

    /// The same for a table of this name.
    pub fn named(name: &str) -> Reading {
        let style =
            ProgressStyle::with_template("reading {msg} [{bar:30}] {bytes} of {total_bytes}")
                .expect("the template is valid")
                .progress_chars("=> ");
        let name = name.rsplit('/').next().unwrap_or_default().to_owned();
        Reading(ProgressBar::no_length().with_style(style).with_message(name))
    }

    /// A bar that is never drawn, where it would be mixed with the results.
    pub fn hidden() -> Reading {
        Reading(ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden()))
    }

    /// Moves the bar.
    pub fn update(&self, progress: Progress) {
        self.0.set_length(progress.total);
        self.0.set_position(progress.bytes);
    }
}

impl Drop for Reading {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

/// How far a run has come, in steps whose number is public. Gone when dropped.
pub struct Counting(ProgressBar);

impl Counting {
    /// A bar in front of nothing yet.
    pub fn new(message: &'static str) -> Counting {
        let style = ProgressStyle::with_template("{msg} [{bar:30}] {pos} of {len}, {eta} to go")
            .expect("the template is valid")
            .progress_chars("=> ");
        Counting(ProgressBar::no_length().with_style(style).with_message(message))
    }

    /// Moves the bar.
    pub fn update(&self, done: usize, of: usize) {
        self.0.set_length(of as u64);
        self.0.set_position(done as u64);
    }
}

impl Drop for Counting {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

/// A sign of life while training. It turns with the clock and says nothing about the iterations,
/// which depend on the rows. Gone when dropped.
pub struct Busy(ProgressBar);

impl Busy {
    /// A turning sign in front of this message.
    pub fn new(message: &'static str) -> Busy {
        let bar = ProgressBar::new_spinner().with_message(message);
        bar.enable_steady_tick(Duration::from_millis(100));
        Busy(bar)
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
