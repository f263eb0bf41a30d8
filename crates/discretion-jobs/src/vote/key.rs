//! Names of sessions.

use discretion_formats::content_hash;
use discretion_table::{AnswerChoice, ClassWeights, Study, VoteSettings};

/// A name for the session that a study's settings make with so many models. Everything in it is
/// public.
pub fn key(study: &Study, vote: &VoteSettings, chunks: usize) -> String {
    let VoteSettings {
        learner,
        queries,
        unstable,
        score_bins,
        protect,
        answer,
        weights,
        lambda,
        ..
    } = vote;
    let schema = serde_json::to_string(&study.schema).expect("a schema is plain data");
    let scores = score_bins.is_some();
    // Settings that later versions added are named where they are not as ever, so that old sessions
    // are found again.
    let mut newer = String::new();
    if *answer != AnswerChoice::Sure {
        newer += &format!(" {answer:?} {score_bins:?}");
    }
    if *weights != ClassWeights::Equal {
        newer += &format!(" {weights:?}");
    }
    if let Some(lambda) = lambda {
        newer += &format!(" λ {lambda}");
    }
    let text = format!(
        "{learner:?} {chunks} {queries} {unstable} {scores} {protect:?} {:?} {} {schema}{newer}",
        vote.classes.names(),
        study.spend
    );
    content_hash(text.as_bytes())
}
