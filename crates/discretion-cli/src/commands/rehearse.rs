//! A vote on invented rows: with every learner that is built in (`discretion plan vote
//! --rehearse`), or with the study's own beside a model that is fitted directly, for the report of
//! a student.

use discretion::Refusal;
use discretion_jobs::plan::vote::Report;
use discretion_jobs::vote::Voting;
use discretion_learn::{Beside, Comparison, InventedVote, Judged, Learner, Truth};
use discretion_report::numbers::plain::{count, short};
use discretion_report::terminal::AlignedColumns;
use discretion_table::{ClassWeights, Classes, LearnerChoice, Study, VoteSettings};

/// What came of it.
pub struct Rehearsal(Comparison);

/// Runs the vote that is planned. Everything it needs is public.
pub fn rehearse(study: &Study, voting: &Voting, rows: u64) -> Result<Rehearsal, Refusal> {
    let chunks = voting.chunks(rows)?.chunks;
    let classes = match &study.vote {
        Some(vote) => vote.classes.clone(),
        None => Classes::of(&study.schema.target().labels)
            .map_err(|problem| Refusal::bad_file(&study.path, problem.to_string()))?,
    };
    Ok(Rehearsal(invented(study, voting, &classes, (chunks, rows)).compare()))
}

fn invented<'s>(
    study: &'s Study,
    voting: &Voting,
    classes: &'s Classes,
    (chunks, rows): (usize, u64),
) -> InventedVote<'s> {
    let vote = study.vote.as_ref();
    InventedVote {
        schema: &study.schema,
        classes,
        weights: vote.map_or(ClassWeights::Equal, |vote| vote.weights),
        design: voting.design(),
        chunks,
        rows: rows as usize,
        queries: voting.numbers.queries as usize,
        share: vote.and_then(|vote| vote.expected_share).unwrap_or(0.5),
        bins: vote.and_then(|vote| vote.bins()),
        threshold: vote.and_then(|vote| vote.threshold).unwrap_or(0.5),
        budget: voting.budget(),
    }
}

/// Below this share of the rarer class it says little how many rows are right: who never names it
/// has most of them.
const RARE: f64 = 0.2;

/// What a student of this vote's answers is beside a model fitted directly for the same budget: a
/// sentence with figures, of invented rows. Nothing for a program, which would run for long.
pub fn beside(
    (study, vote): (&Study, &VoteSettings),
    voting: &Voting,
    learner: &dyn Learner,
    (chunks, rows): (usize, u64),
) -> Option<String> {
    if matches!(vote.learner, LearnerChoice::Command { .. }) {
        return None;
    }
    let found = invented(study, voting, &vote.classes, (chunks, rows)).beside(learner);
    let rare = vote.expected_share.is_some_and(|share| share < RARE);
    let shown = |judged: Judged| match judged.auc {
        Some(auc) if rare => short(auc),
        _ => percent(judged.right),
    };
    let of = |line: &Beside| {
        let where_ = match line.truth {
            Truth::Straight => "where the odds follow straight lines",
            Truth::Bent => "where they bend",
        };
        format!("{} and {} {where_}", shown(line.student), shown(line.direct))
    };
    let figures: Vec<String> = found.iter().map(of).collect();
    let what = if rare { "the AUC" } else { "the share of new rows that is right" };
    let units = voting.numbers.unit.plural();
    (!figures.is_empty()).then(|| {
        format!(
            "On invented {units} of these columns, as many as the table has, {what} of such a student and of a model fitted \
             directly was {}",
            figures.join(", ")
        )
    })
}

fn percent(share: f64) -> String {
    format!("{} %", short((1000.0 * share).round() / 10.0))
}

impl Rehearsal {
    /// The plan with the rehearsal in it, for machines.
    pub fn json(&self, report: &Report) -> String {
        let mut json = serde_json::to_value(report).expect("a plan is plain data");
        json["rehearsal"] = serde_json::to_value(&self.0).expect("a comparison is plain data");
        serde_json::to_string_pretty(&json).expect("it was just made") + "\n"
    }

    /// For people.
    pub fn text(&self) -> String {
        let Comparison { rows_per_model, learners, direct } = &self.0;
        let scores = learners.iter().any(|line| line.auc.is_some());
        let mut heading =
            vec!["truth", "learner", "one model", "most models", "agree", "answered", "right"];
        heading.extend(scores.then_some("AUC"));
        heading.push("student");
        let mut table = AlignedColumns::new(&heading);
        for line in learners {
            let shares = [line.one_model, line.majority, line.agreement, line.answered, line.right];
            let mut row = vec![named(line.truth).to_owned(), line.learner.to_owned()];
            row.extend(shares.map(percent));
            if scores {
                row.push(line.auc.map_or(String::new(), short));
            }
            row.push(line.student.map_or("-".to_owned(), percent));
            table.row(row);
        }
        let mut text = format!(
            "The same vote on invented rows of your columns, {} for each model. Your table was not read, and is not like them.\n\n{}\n",
            count(*rows_per_model),
            table.render()
        );
        for line in direct {
            text += &format!(
                "{}: a model fitted directly to {} rows, for the same budget, has {} right\n",
                named(line.truth),
                count(line.rows),
                percent(line.right)
            );
        }
        text + "A learner that is good at both is the safer choice; where the model fitted directly is as good, fit it.\n"
    }
}

fn named(truth: Truth) -> &'static str {
    match truth {
        Truth::Straight => "straight",
        Truth::Bent => "bent",
    }
}
