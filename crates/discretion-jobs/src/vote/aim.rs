//! Which queries are answered, by the words that people say it with.

use discretion::Refusal;
use discretion_table::AnswerChoice;

/// What is asked for: `word` ("sure" or "all") and `confidence` go before what a study says, and
/// that before "sure".
///
/// A study's confidence stays with its "all": who says "all" again leaves it as it is.
pub fn aim(
    (word, confidence): (Option<&str>, Option<f64>),
    of_study: Option<AnswerChoice>,
) -> Result<AnswerChoice, Refusal> {
    let of_study = of_study.unwrap_or_default();
    let aim = match (word, of_study) {
        (None, aim) | (Some("all"), aim @ AnswerChoice::All { .. }) => aim,
        (Some("all"), AnswerChoice::Sure) => AnswerChoice::All { confidence: None },
        (Some("sure"), _) => AnswerChoice::Sure,
        (Some(other), _) => {
            return Err(Refusal::bad_input(format!(
                "answer is \"sure\" or \"all\", not {other:?}"
            )));
        }
    };
    match (aim, confidence) {
        (aim, None) => Ok(aim),
        (AnswerChoice::All { .. }, confidence) => Ok(AnswerChoice::All { confidence }),
        (AnswerChoice::Sure, Some(_)) => {
            Err(Refusal::bad_input("a confidence goes with answer = \"all\"").about("confidence"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: AnswerChoice = AnswerChoice::All { confidence: None };
    const NINE: AnswerChoice = AnswerChoice::All { confidence: Some(0.9) };

    #[test]
    fn words_go_before_a_study_and_a_confidence_needs_all() {
        let of = |word, confidence, study| aim((word, confidence), study).ok();
        assert_eq!(of(None, None, None), Some(AnswerChoice::Sure));
        assert_eq!(of(None, None, Some(NINE)), Some(NINE));
        assert_eq!(of(Some("all"), None, Some(NINE)), Some(NINE));
        assert_eq!(of(Some("all"), None, Some(AnswerChoice::Sure)), Some(ALL));
        assert_eq!(of(Some("sure"), None, Some(NINE)), Some(AnswerChoice::Sure));
        // Who says only how sure is asked about the study's own aim.
        assert_eq!(of(None, Some(0.9), Some(ALL)), Some(NINE));
        assert_eq!(of(None, Some(0.9), None), None);
        assert_eq!(of(Some("sure"), Some(0.9), Some(NINE)), None);
        assert_eq!(of(Some("most"), None, None), None);
    }
}
