//! A program of the user's as a mechanism.
//!
//! It is started as `PROGRAM ARGUMENTS… TABLE RUNS` and prints one output for each run on a line of
//! its own: numbers with spaces between them, as many on every line. With `--seed` the variable
//! DISCRETION_SEED holds a number, another for each start; without it the program has its own
//! randomness.

use discretion::audit::{AuditError, Mechanism, Outputs, Settings, Side};
use discretion::noise::{Noise, Provenance, Source};
use discretion::{Refusal, reason};
use discretion_table::unreadable;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Starts in all: few, because many programs start slowly, and enough for some cores.
const STARTS: usize = 16;

pub struct Program {
    words: Vec<String>,
    tables: [PathBuf; 2],
    batch: usize,
}

impl Program {
    /// Checks that the tables are neighbours.
    pub fn new(
        command: &str,
        tables: [&PathBuf; 2],
        settings: Settings,
    ) -> Result<Program, Refusal> {
        let words: Vec<String> = command.split_whitespace().map(str::to_owned).collect();
        if words.is_empty() {
            return Err(Refusal::bad_input("--command: name a program".to_owned()));
        }
        check_neighbours(&rows(tables[0])?, &rows(tables[1])?)
            .map_err(|problem| Refusal::bad_input(format!("--left, --right: {problem}")))?;
        let batch = (2 * settings.trials).div_ceil(STARTS);
        Ok(Program { words, tables: tables.map(Clone::clone), batch })
    }
}

/// A row is a line; empty lines at the end do not count.
fn rows(path: &Path) -> Result<Vec<String>, Refusal> {
    let text =
        discretion_disk::files::read_to_string(path).map_err(|error| unreadable(path, &error))?;
    Ok(text.trim_end().lines().map(|line| line.trim_end().to_owned()).collect())
}

/// Neighbours have as many rows and differ in one.
fn check_neighbours(left: &[String], right: &[String]) -> Result<(), String> {
    if left.len() != right.len() {
        return Err(format!(
            "neighbouring tables have the same number of rows, and these have {} and {} lines",
            left.len(),
            right.len()
        ));
    }
    match left.iter().zip(right).filter(|(a, b)| a != b).count() {
        0 => Err("these tables are equal; change one row of one of them".to_owned()),
        1 => Ok(()),
        apart => {
            Err(format!("neighbouring tables differ in one row, and these differ in {apart} lines"))
        }
    }
}

impl Mechanism for Program {
    fn run(&self, side: Side, source: &mut Noise) -> Result<Vec<f64>, AuditError> {
        let outputs = self.runs(side, 1, source)?;
        let first = outputs.iter().next().map(<[f64]>::to_vec);
        first.ok_or_else(|| AuditError::Run("the program printed nothing".to_owned()))
    }

    fn runs(&self, side: Side, count: usize, source: &mut Noise) -> Result<Outputs, AuditError> {
        let mut command = Command::new(&self.words[0]);
        command.args(&self.words[1..]).arg(&self.tables[side as usize]).arg(count.to_string());
        if source.provenance() == Provenance::TestSeed {
            // Half a word: many languages take no larger seed.
            command.env("DISCRETION_SEED", (source.word()? >> 32).to_string());
        }
        let fail = |problem: String| AuditError::Run(format!("--command: {problem}"));
        let output = command.stdin(Stdio::null()).output().map_err(|error| {
            fail(format!("{} could not be started: {}", self.words[0], reason(&error)))
        })?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            let last = said.trim_end().lines().last().unwrap_or("and says nothing").to_owned();
            return Err(fail(format!("the program failed ({}): {last}", output.status)));
        }
        let text = String::from_utf8_lossy(&output.stdout);
        let mut outputs = Outputs::default();
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            let number = |word: &str| {
                word.parse::<f64>().map_err(|_| {
                    fail(format!("the program printed {word:?}, which is not a number"))
                })
            };
            outputs.push(&line.split_whitespace().map(number).collect::<Result<Vec<f64>, _>>()?)?;
        }
        if outputs.len() != count {
            let printed = if outputs.is_empty() {
                "nothing".to_owned()
            } else {
                format!("{} lines", outputs.len())
            };
            return Err(fail(format!(
                "the program was asked for {count} outputs and printed {printed}"
            )));
        }
        Ok(outputs)
    }

    fn batch(&self) -> usize {
        self.batch.max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::check_neighbours;

    #[test]
    fn neighbours_differ_in_one_row() {
        let table =
            |lines: &[&str]| lines.iter().map(|&line| line.to_owned()).collect::<Vec<String>>();
        let check = |left: &[&str], right: &[&str]| check_neighbours(&table(left), &table(right));
        assert_eq!(check(&["a", "b"], &["a", "c"]), Ok(()));
        for (left, right, words) in [
            (&["a", "b"][..], &["a", "b"][..], "equal"),
            (&["a", "b"], &["b", "a"], "differ in 2"),
            (&["a", "b"], &["a"], "2 and 1 lines"),
        ] {
            assert!(check(left, right).unwrap_err().contains(words), "{left:?} {right:?}");
        }
    }
}
