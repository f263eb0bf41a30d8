//! When a contribution leaves: how long its holder worked on it depends on its rows, and must not
//! be seen.

use std::thread;
use std::time::{Duration, Instant};

/// One second, two, four, eight …: a contribution leaves at the first of them that has not passed.
/// Whoever watches sees that one, out of few, and nothing finer.
pub(super) struct TimePadding {
    began: Instant,
}

impl TimePadding {
    pub(super) fn begin() -> TimePadding {
        TimePadding { began: Instant::now() }
    }

    pub(super) fn wait(self) {
        let due = due(self.began.elapsed());
        thread::sleep(due.saturating_sub(self.began.elapsed()));
    }
}

fn due(taken: Duration) -> Duration {
    let mut due = Duration::from_secs(1);
    while due < taken {
        due *= 2;
    }
    due
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_times_are_left() {
        let millis = [0, 1, 999, 1000, 1001, 1999, 2000, 2001, 100_000];
        let due = millis.map(|millis| due(Duration::from_millis(millis)).as_secs());
        assert_eq!(due, [1, 1, 1, 1, 2, 2, 2, 4, 128]);
    }
}
