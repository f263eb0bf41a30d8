//! Names of sessions.

use crate::identity::{self, VERSION, canonical, earlier};
use discretion_formats::content_hash;
use discretion_ledger::SettingsName;
use discretion_table::{AnswerChoice, ClassWeights, Protect, Study, VoteSettings};
use serde_json::json;

/// A name for the session that a study's settings make with so many models. Everything in it is
/// public.
pub fn key(study: &Study, vote: &VoteSettings, chunks: usize) -> SettingsName {
    let VoteSettings {
        learner,
        queries,
        unstable,
        score_bins,
        protect,
        answer,
        weights,
        lambda,
        classes,
        ..
    } = vote;
    // Where only sure answers are given, each query can have bins of its own.
    let (answer_name, confidence, bins) = match answer {
        AnswerChoice::Sure => ("sure", None, None),
        AnswerChoice::All { confidence } => ("all", *confidence, *score_bins),
    };
    let value = json!({
        "version": VERSION,
        "session": "vote",
        "schema": study.schema,
        "budget": study.spend,
        "learner": identity::learner(learner),
        "lambda": lambda,
        "weights": match weights {
            ClassWeights::Equal => "equal",
            ClassWeights::Balanced => "balanced",
        },
        "chunks": chunks,
        "queries": queries,
        "unstable": unstable,
        "answer": answer_name,
        "confidence": confidence,
        "scores": score_bins.is_some(),
        "bins": bins,
        "protect": match protect {
            Protect::Rows => "rows",
            Protect::Labels => "labels",
        },
        "classes": classes.names(),
    });
    let name = content_hash(canonical(&value).as_bytes());
    SettingsName::new(name, vec![earlier_key(study, vote, chunks)])
}

/// The name that builds before version 2 of names gave.
fn earlier_key(study: &Study, vote: &VoteSettings, chunks: usize) -> String {
    let schema = serde_json::to_string(&study.schema).expect("a schema is plain data");
    // What was added after the first of them is named where it is not as ever.
    let mut newer = String::new();
    if vote.answer != AnswerChoice::Sure {
        newer += &format!(" {} {:?}", earlier::answer(vote.answer), vote.score_bins);
    }
    if vote.weights != ClassWeights::Equal {
        newer += &format!(" {}", earlier::weights(vote.weights));
    }
    if let Some(lambda) = vote.lambda {
        newer += &format!(" λ {lambda}");
    }
    let text = format!(
        "{} {chunks} {} {} {} {} {:?} {} {schema}{newer}",
        earlier::learner(&vote.learner),
        vote.queries,
        vote.unstable,
        vote.score_bins.is_some(),
        earlier::protect(vote.protect),
        vote.classes.names(),
        earlier::budget_in_words(study.spend)
    );
    content_hash(text.as_bytes())
}
