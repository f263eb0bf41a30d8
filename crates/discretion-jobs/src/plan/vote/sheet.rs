//! What both kinds of plans look like for people: lines of facts, and a table of designs.

use discretion_report::numbers::plain::count;
use discretion_report::terminal::AlignedColumns;

/// Facts, one below the other, and designs.
pub(super) struct Sheet<'r> {
    pub statement: &'r str,
    /// A name and what is said of it.
    pub lines: Vec<(&'static str, String)>,
    /// What the votes in a design's row are.
    pub votes: &'static str,
    /// A name, votes and models of each design; the first one is taken.
    pub designs: Vec<(&'static str, Option<u64>, Option<u64>)>,
    /// What the models are for.
    pub models_for: String,
    pub advice: Option<&'r str>,
}

impl Sheet<'_> {
    pub(super) fn text(self) -> String {
        let mut table = AlignedColumns::new(&["design", self.votes, "models", ""]);
        for (place, (name, votes, chunks)) in self.designs.into_iter().enumerate() {
            table.row(vec![
                name.to_owned(),
                votes.map_or(String::new(), thousands),
                chunks.map_or("-".to_owned(), thousands),
                if place == 0 { "taken" } else { "" }.to_owned(),
            ]);
        }
        let lines: String =
            self.lines.iter().map(|(name, said)| format!("{name:<17}{said}\n")).collect();
        let advice = self.advice.map_or(String::new(), |advice| format!("\n{advice}\n"));
        format!("{}\n\n{lines}\n{}\n{}\n{advice}", self.statement, table.render(), self.models_for)
    }
}

pub(super) fn thousands(n: u64) -> String {
    count(n as usize)
}
