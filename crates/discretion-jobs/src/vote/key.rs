//! Names of sessions.

use discretion_formats::content_hash;
use discretion_table::{Study, VoteSettings};

/// A name for the session that a study's settings make with so many models. Everything in it is public.
pub fn key(study: &Study, vote: &VoteSettings, chunks: usize) -> String {
    let VoteSettings { learner, queries, unstable, score_bins, protect, .. } = vote;
    let schema = serde_json::to_string(&study.schema).expect("a schema is plain data");
    let scores = score_bins.is_some();
    let text = format!(
        "{learner:?} {chunks} {queries} {unstable} {scores} {protect:?} {:?} {} {schema}",
        vote.classes.names(),
        study.spend
    );
    content_hash(text.as_bytes())
}
