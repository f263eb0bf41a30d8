//! Several columns that are one category, looked at row by row.

use super::spread::{Sample, hash};
use super::{CheckedColumn, Found};
use crate::category::CategoryCode;
use crate::one_of::NO_ONE_YET;
use crate::read::CategoryTally;
use std::collections::VecDeque;

/// Puts the indicators of each row together, whether they come row by row or a column of some rows
/// at a time.
pub(super) struct OneOfRows<'s> {
    code: &'s CategoryCode,
    /// How many indicators of a row were seen, and what they say so far.
    begun: VecDeque<(usize, u16)>,
    /// The row that the first of them belongs to.
    first: u64,
    tally: CategoryTally,
    spread: Sample,
}

impl<'s> OneOfRows<'s> {
    pub fn new(code: &'s CategoryCode) -> Self {
        let spread = Sample::new(code.values.len() + 2);
        Self { code, begun: VecDeque::new(), first: 1, tally: CategoryTally::default(), spread }
    }

    /// Takes the text of an indicator in a row, counted from 1. What cannot be read is told
    /// elsewhere, and counts as 0.
    pub fn see(&mut self, row: u64, place: u16, text: &[u8]) {
        let at = (row - self.first) as usize;
        if at == self.begun.len() {
            self.begun.push_back((0, NO_ONE_YET));
        }
        let (seen, code) = &mut self.begun[at];
        *seen += 1;
        let _ = self.code.indicate(place, text, code);
        while let Some((seen, code)) = self.begun.front()
            && *seen == self.code.one_of.len()
        {
            let code = self.code.indicated(*code, &mut self.tally);
            self.spread.see(hash(&code.to_le_bytes()));
            self.begun.pop_front();
            self.first += 1;
        }
    }

    pub fn checked(self) -> CheckedColumn {
        CheckedColumn {
            name: self.code.name.clone(),
            found: Found::Used(self.code.lost(self.tally)),
            spread: self.spread.spread(),
            unusual: Vec::new(),
            refused: None,
        }
    }
}
