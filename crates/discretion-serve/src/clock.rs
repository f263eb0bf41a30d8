//! The public schedule on which answers leave.

use std::time::{Duration, Instant};

/// Boundaries at a fixed distance from each other, from the start of the service on. They depend on
/// nothing that happens later.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    start: Instant,
    tick: Option<Duration>,
}

impl Clock {
    /// A schedule that begins now. Without a tick every moment is a boundary.
    pub fn new(tick: Option<Duration>) -> Clock {
        Clock { start: Instant::now(), tick }
    }

    /// The first boundary after `moment`, strictly.
    pub fn next(&self, moment: Instant) -> Instant {
        let Some(tick) = self.tick else { return moment };
        let nanos = tick.as_nanos().max(1);
        let passed = moment.saturating_duration_since(self.start).as_nanos() / nanos + 1;
        // A tick below 2⁶⁴ ns times the ticks of any life of a process.
        let since = Duration::from_nanos((passed * nanos) as u64);
        self.start + since
    }

    /// Sleeps until `boundary`.
    pub fn wait(&self, boundary: Instant) {
        std::thread::sleep(boundary.saturating_duration_since(Instant::now()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boundaries_are_multiples_of_the_tick() {
        let tick = Duration::from_millis(10);
        let clock = Clock::new(Some(tick));
        for (after, boundary) in [(0, 10), (3, 10), (10, 20), (19, 20), (1_000_004, 1_000_010)] {
            let next = clock.next(clock.start + Duration::from_millis(after));
            assert_eq!(next - clock.start, Duration::from_millis(boundary), "{after}");
        }
        let off = Clock::new(None);
        let now = Instant::now();
        assert_eq!(off.next(now), now);
    }
}
