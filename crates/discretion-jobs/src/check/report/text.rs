//! A report of a check, for people.

use super::{CheckReport, ColumnReport, WARNING};
use crate::check::verdict::{Verdict, counted_rows};

impl CheckReport {
    /// For people.
    pub fn text(&self) -> String {
        let mut lines = vec![WARNING.to_owned(), String::new()];
        let names: Vec<String> = self.columns.iter().map(ColumnReport::shown_name).collect();
        let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0).clamp(4, 30);
        let mut block = |name: &str, verdict: Verdict, sentences: &[String]| {
            let first = format!("{name:<width$}  {:<7}  ", verdict.word());
            let others = " ".repeat(first.chars().count());
            let starts = std::iter::once(&first).chain(std::iter::repeat(&others));
            lines.extend(
                starts.zip(sentences).map(|(start, sentence)| format!("{start}{sentence}")),
            );
        };
        for (name, column) in names.iter().zip(&self.columns) {
            block(name, column.verdict, &column.sentences());
        }
        let rows = &self.whole_rows.finding;
        block("rows", rows.verdict, std::slice::from_ref(&rows.sentence));
        if let Some(cohort) = self.cohort {
            lines.push(String::new());
            lines.push(format!(
                "{} of {} rows are in the cohort and count; only the number of all rows is public.",
                counted_rows(cohort),
                counted_rows(self.rows)
            ));
        }
        lines.push(String::new());
        lines.push(self.summary());
        lines.join("\n") + "\n"
    }

    /// How many of which verdict.
    pub fn summary(&self) -> String {
        let number = |verdict| {
            let columns = self.columns.iter().map(|column| column.verdict);
            columns
                .chain([self.whole_rows.finding.verdict])
                .filter(|found| *found == verdict)
                .count()
        };
        match (number(Verdict::Mistake), number(Verdict::Look)) {
            (0, 0) => "All is fine.".to_owned(),
            (0, look) => format!("Nothing is a mistake; {look} to look at."),
            (1, look) => {
                format!("1 looks like a mistake, at which a run stops; {look} more to look at.")
            }
            (mistakes, look) => {
                format!(
                    "{mistakes} look like mistakes, at which a run stops; {look} more to look at."
                )
            }
        }
    }
}

impl ColumnReport {
    fn shown_name(&self) -> String {
        if self.declared == "outcome" {
            format!("{} (outcome)", self.name)
        } else {
            self.name.clone()
        }
    }

    /// What was found, and the values that it is about: a line each.
    fn sentences(&self) -> Vec<String> {
        let mut sentences: Vec<String> =
            self.findings.iter().map(|finding| finding.sentence.clone()).collect();
        if !self.unusual.is_empty() {
            let values: Vec<String> = self
                .unusual
                .iter()
                .map(|unusual| format!("\"{}\" ({})", unusual.value, counted_rows(unusual.count)))
                .collect();
            sentences.push(format!("most frequent of these: {}", values.join(", ")));
        }
        sentences
    }
}
