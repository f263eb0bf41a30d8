//! What a query is told.

use std::fmt;
use std::str::FromStr;

/// What a query is told.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Answer {
    /// The winning label, by its position.
    Label(usize),
    /// A label whose lead is within the noise, where a session tells the two apart.
    Unsure(usize),
    /// The middle of the winning bin of scores, or their noisy mean.
    Score(f64),
    /// ⊥: the voters disagree too much.
    Unstable,
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Answer::Label(label) => write!(f, "label {label}"),
            Answer::Unsure(label) => write!(f, "unsure {label}"),
            Answer::Score(score) => write!(f, "score {score}"),
            Answer::Unstable => f.write_str("unstable"),
        }
    }
}

/// A text that no [`Answer`] writes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no answer to a query")]
pub struct NoAnswer(String);

impl FromStr for Answer {
    type Err = NoAnswer;

    fn from_str(text: &str) -> Result<Answer, NoAnswer> {
        let answer = match text.split_once(' ') {
            Some(("label", label)) => label.parse().ok().map(Answer::Label),
            Some(("unsure", label)) => label.parse().ok().map(Answer::Unsure),
            Some(("score", score)) => score.parse().ok().map(Answer::Score),
            _ => (text == "unstable").then_some(Answer::Unstable),
        };
        answer.ok_or_else(|| NoAnswer(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_reads_back_as_it_was_written() {
        for answer in [Answer::Label(17), Answer::Score(0.1 + 0.2), Answer::Unstable] {
            assert_eq!(answer.to_string().parse(), Ok(answer));
        }
        assert!("label".parse::<Answer>().is_err() && "label x".parse::<Answer>().is_err());
    }
}
