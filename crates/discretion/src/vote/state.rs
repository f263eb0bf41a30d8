//! What must outlive the process.

/// How many queries were asked, how many tests failed, and the noise on the threshold in force, which is **as secret as
/// the rows**: hence no public fields and no `Debug`.
#[derive(Clone, Default)]
pub struct State {
    pub(super) asked: u64,
    pub(super) paid: u64,
    pub(super) threshold: Option<Threshold>,
}

#[derive(Clone, Copy)]
pub(super) struct Threshold {
    pub noise: u64,
    /// Tests that failed under it.
    pub paid: u64,
}

impl State {
    /// How many queries were asked. Public: anyone can count the answers.
    pub fn asked(&self) -> u64 {
        self.asked
    }

    /// How many tests failed. Public for the same reason.
    pub fn paid(&self) -> u64 {
        self.paid
    }

    /// The state as text, to be kept where the rows are kept.
    pub fn to_secret_text(&self) -> String {
        let counts = format!("asked {} paid {}", self.asked, self.paid);
        match self.threshold {
            Some(Threshold { noise, paid }) => format!("{counts} threshold {noise} under {paid}"),
            None => counts,
        }
    }

    /// The state that [`State::to_secret_text`] wrote.
    pub fn from_secret_text(text: &str) -> Option<State> {
        let number = |text: &str| text.parse::<u64>().ok();
        let words: Vec<&str> = text.split(' ').collect();
        let (asked, paid, threshold) = match words[..] {
            ["asked", asked, "paid", paid] => (asked, paid, None),
            ["asked", asked, "paid", paid, "threshold", noise, "under", under] => {
                (asked, paid, Some(Threshold { noise: number(noise)?, paid: number(under)? }))
            }
            _ => return None,
        };
        Some(State { asked: number(asked)?, paid: number(paid)?, threshold })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_reads_back_as_it_was_written() {
        let threshold = Some(Threshold { noise: 57, paid: 1 });
        for state in [State::default(), State { asked: 12, paid: 3, threshold }] {
            let text = state.to_secret_text();
            assert_eq!(State::from_secret_text(&text).unwrap().to_secret_text(), text);
        }
        for damaged in ["", "asked", "asked 1 paid", "asked 1 paid x", "asked 1 paid 1 threshold -2 under 0"]
        {
            assert!(State::from_secret_text(damaged).is_none(), "{damaged}");
        }
    }
}
