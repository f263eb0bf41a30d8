//! What a vote does with a class that few rows have. From declared numbers alone.

use discretion::privacy::Unit;
use discretion_report::numbers::plain::{count, short};
use discretion_table::{AnswerChoice, ClassWeights, VoteSettings};

/// A model that sees fewer rows of a class than this learns little about it.
const ENOUGH_OF_A_CLASS: f64 = 10.0;

/// Of a class rarer than this a model hardly ever says that it is the more probable one.
const RARE: f64 = 0.2;

/// What is said about a vote's outcome.
#[derive(Clone, Copy, Debug)]
pub struct Expected {
    /// What share of the rows is thought to have the rarer class.
    pub share: Option<f64>,
    /// Which queries are answered.
    pub answer: AnswerChoice,
    /// Whether answers are scores.
    pub scores: bool,
    /// How models weigh classes.
    pub weights: ClassWeights,
}

impl From<&VoteSettings> for Expected {
    fn from(vote: &VoteSettings) -> Expected {
        let VoteSettings { expected_share: share, answer, weights, .. } = *vote;
        Expected { share, answer, scores: vote.score_bins.is_some(), weights }
    }
}

/// What a vote must do with a class that is rarer than a chunk can learn; nothing if the study says
/// of none.
pub fn rare(vote: &Expected, chunks: u64, (unit, rows): (Unit, u64)) -> Option<String> {
    let share = vote.share?;
    let each = rows as f64 / chunks as f64;
    let (seen, none) = (share * each, (1.0 - share).powf(each));
    let few = seen < ENOUGH_OF_A_CLASS;
    let labels = !vote.scores;
    let drowned = labels && share < RARE && vote.weights == ClassWeights::Equal;
    let soft = vote.answer != AnswerChoice::Sure && !labels;
    let mut said = Vec::new();
    if few {
        let without = if none >= 0.01 {
            format!(", and {} % have none at all", short(100.0 * none))
        } else {
            String::new()
        };
        said.push(format!(
            "with an expected share of {}, each of {} models sees about {} {} of the rarer class{without}; from so few \
             little can be learned",
            short(share),
            count(chunks as usize),
            short(seen),
            unit.plural()
        ));
    }
    if drowned {
        said.push(format!(
            "a majority names the more probable class, and at a share of {} that is nearly always the other one: expect \
             nearly every answer to be that one, {} % of them right, and of no use",
            short(share),
            short(100.0 * (1.0 - share))
        ));
    }
    if said.is_empty() {
        return None;
    }
    let mut ways = Vec::new();
    if !soft {
        ways.push("scores, by which queries can be ranked or cut where you like (`answer = \"all\"`, `scores = true`)");
    }
    if vote.weights == ClassWeights::Equal {
        ways.push("classes that count the same (`weights = \"balanced\"`)");
    }
    if few {
        ways.push("fewer `chunks`, at more noise");
    }
    Some(format!("{}. What helps: {}", said.join("; and "), ways.join("; ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use discretion_table::Study;

    fn vote(lines: &str) -> VoteSettings {
        let text = format!(
            "[data]\npath = 't.csv'\naccount = 'a'\ntarget = 'y'\npositive = '1'\nnegative = '0'\n[budget]\nepsilon = 1\n\
             delta = 1e-6\n[spend]\nepsilon = 1\ndelta = 1e-6\n[columns]\nx = {{ min = 0, max = 1 }}\n[vote]\n\
             queries = 10\n{lines}"
        );
        Study::parse(std::path::Path::new("s.toml"), &text).unwrap().vote.unwrap()
    }

    #[test]
    fn a_rare_class_is_spoken_of_where_its_share_is_declared() {
        assert_eq!(rare(&(&vote("")).into(), 100, (Unit::Row, 1_000)), None);
        assert_eq!(rare(&(&vote("expected_share = 0.4")).into(), 100, (Unit::Row, 10_000)), None);
        let both = rare(&(&vote("expected_share = 0.06")).into(), 100, (Unit::Row, 5_000)).unwrap();
        assert!(
            both.contains("sees about 3 rows of the rarer class, and 4.53 % have none at all"),
            "{both}"
        );
        assert!(both.contains("94 % of them right, and of no use"), "{both}");
        assert!(both.contains("scores = true") && both.contains("balanced"), "{both}");
        let majority =
            rare(&(&vote("expected_share = 0.06")).into(), 100, (Unit::Row, 100_000)).unwrap();
        assert!(majority.starts_with("a majority names the more probable class"), "{majority}");
        let soft = "expected_share = 0.06\nanswer = \"all\"\nscores = true\nweights = \"balanced\"";
        assert_eq!(rare(&(&vote(soft)).into(), 100, (Unit::Row, 100_000)), None);
        let few = rare(&(&vote(soft)).into(), 100, (Unit::Row, 5_000)).unwrap();
        assert!(few.ends_with("What helps: fewer `chunks`, at more noise"), "{few}");
    }
}
