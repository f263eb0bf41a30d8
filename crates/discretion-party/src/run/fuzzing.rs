//! A door for `discretion-fuzz`: what members make of each other's journals.

use super::agreement::{Agreement, JournalSummary};
use crate::wire::Charter;

/// Takes these bytes for the journal of member 0, beside others that have nothing: whether the
/// study can go on, or why not. Nothing if they are no journal.
pub fn journal(charter: &Charter, bytes: &[u8]) -> Option<Result<(), String>> {
    let summary = JournalSummary::read(bytes)?;
    let written = serde_json::to_vec(&summary).expect("a summary is plain data");
    assert_eq!(
        JournalSummary::read(&written).as_ref(),
        Some(&summary),
        "a summary that was written is the same"
    );
    let mut summaries = vec![JournalSummary::default(); charter.members().len()];
    summaries[0] = summary;
    let agreement = match Agreement::new(charter, charter.plan().rounds(), &summaries) {
        Ok(agreement) => agreement,
        Err(why) => return Some(Err(why)),
    };
    let vouches = |member: usize, attempt: &_| agreement.can_vouch(&summaries[member], attempt);
    Some(summaries.iter().try_for_each(|one| agreement.check(charter, one, vouches)))
}
