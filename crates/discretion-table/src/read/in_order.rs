//! Pieces of a table that are taken up in order, worked on by all cores, and delivered in order.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Mutex, mpsc};
use std::thread;

/// Room for a piece: what it comes in as, and memory for what is made of it. Both are used again
/// and again.
struct PieceSlot<I, M> {
    input: I,
    memory: M,
}

/// Lets `take` read one piece after the other, until it says that there is none left, or fails.
/// Several threads `work` on them, and the calling thread hands the results to `deliver` in the
/// order in which they were taken, and a failure after those before it. There are never more pieces
/// in memory than `places`; what `deliver` returns is memory for the work to come.
///
/// Threads of its own rather than the pool's: the calling thread waits for them, and may itself be
/// one of the pool.
pub(crate) fn in_order<I: Default + Send, M: Default + Send, O: Send, P: Send, E>(
    places: usize,
    take: impl FnMut(&mut I) -> Result<bool, P> + Send,
    work: impl Fn(&mut I, M) -> O + Sync,
    mut deliver: impl FnMut(Result<O, P>) -> Result<M, E>,
) -> Result<(), E> {
    let (release, free) = mpsc::channel();
    let (finish, finished) = mpsc::channel();
    for _ in 0..places {
        release
            .send(PieceSlot { input: I::default(), memory: M::default() })
            .expect("its receiver is here");
    }
    let next = Mutex::new((0, free, take));
    // Whoever takes a piece has a place for it first. So the one that is to be delivered next is
    // always worked on.
    let next = || {
        let mut next = next.lock().ok()?;
        let (number, free, take) = &mut *next;
        let mut place = free.recv().ok()?;
        *number += 1;
        let taken = take(&mut place.input).map(|more| more.then_some(())).transpose()?;
        Some((*number, place, taken))
    };
    let run = |finish: mpsc::Sender<_>| {
        while let Some((number, PieceSlot { mut input, memory }, taken)) = next() {
            let work = || taken.map(|()| work(&mut input, memory));
            let result = catch_unwind(AssertUnwindSafe(work));
            if finish.send((number, input, result)).is_err() {
                break;
            }
        }
    };
    thread::scope(|scope| {
        for _ in 0..rayon::current_num_threads().min(places) {
            let (finish, run) = (finish.clone(), &run);
            scope.spawn(move || run(finish));
        }
        drop(finish);
        // The calling thread's ends of the channels go with this block, and without them the others
        // stop.
        let (release, finished) = (release, finished);
        let (mut waiting, mut number) = (BTreeMap::new(), 1);
        for (done, input, result) in finished {
            waiting.insert(done, (input, result));
            while let Some((input, result)) = waiting.remove(&number) {
                let memory = deliver(result.unwrap_or_else(|panic| resume_unwind(panic)))?;
                number += 1;
                // Nobody wants a place any more once there is nothing left.
                let _ = release.send(PieceSlot { input, memory });
            }
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::in_order;
    use std::time::Duration;

    /// Numbers up to `end`, of which `bad` cannot be taken; some take longer than others.
    fn delivered(end: u64, bad: u64, stop: u64) -> (Vec<u64>, Result<(), String>) {
        let (mut taken, mut seen) = (0, Vec::new());
        let take = |input: &mut u64| {
            taken += 1;
            *input = taken;
            if taken == bad { Err(format!("{bad} cannot be taken")) } else { Ok(taken < end) }
        };
        let work = |input: &mut u64, memory: Vec<u64>| {
            std::thread::sleep(Duration::from_micros(*input * 7919 % 300));
            (*input, memory)
        };
        let result = in_order(5, take, work, |result| {
            let (number, mut memory) = result?;
            memory.push(number);
            seen.push(number);
            if number == stop { Err(format!("stopped at {stop}")) } else { Ok(memory) }
        });
        (seen, result)
    }

    #[test]
    fn results_come_in_order_and_failures_after_what_precedes_them() {
        assert_eq!(delivered(1, 0, 0), (vec![], Ok(())));
        assert_eq!(delivered(200, 0, 0), ((1..200).collect(), Ok(())));
        assert_eq!(
            delivered(200, 90, 0),
            ((1..90).collect(), Err("90 cannot be taken".to_owned()))
        );
        assert_eq!(delivered(200, 90, 50), ((1..=50).collect(), Err("stopped at 50".to_owned())));
    }

    #[test]
    #[should_panic(expected = "the work failed")]
    fn a_panic_of_the_work_is_one_of_the_caller() {
        let mut taken = 0;
        let take = |input: &mut u64| {
            taken += 1;
            *input = taken;
            Ok::<bool, ()>(taken < 100)
        };
        let work = |input: &mut u64, (): ()| assert!(*input != 7, "the work failed");
        let _ = in_order(3, take, work, |result| result);
    }
}
