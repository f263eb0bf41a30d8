//! Pieces of work that are taken up in order, done on all cores, and delivered in order.

use std::any::Any;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Mutex, mpsc};
use std::thread;

/// A place for a piece, its number, and what went wrong with the work on it.
struct Done<T> {
    number: usize,
    place: T,
    panic: Option<Box<dyn Any + Send>>,
}

/// Fills `places`, one after the other, with what `take` puts into them, until it says that there is nothing left. Several
/// threads `work` on them, and the calling thread hands them to `deliver` in the order in which they were filled. A place
/// is filled again when it was delivered: there are never more pieces in memory than places.
///
/// Threads of its own rather than the pool's: the calling thread waits for them, and may itself be one of the pool.
pub(crate) fn in_order<T: Send, E>(
    places: Vec<T>,
    take: impl FnMut(&mut T) -> bool + Send,
    work: impl Fn(&mut T) + Sync,
    mut deliver: impl FnMut(&mut T) -> Result<(), E>,
) -> Result<(), E> {
    let threads = rayon::current_num_threads().min(places.len());
    let (release, free) = mpsc::channel();
    let (finish, finished) = mpsc::channel();
    places.into_iter().for_each(|place| release.send(place).expect("its receiver is here"));
    let next = Mutex::new((0, free, take));
    // Whoever takes a piece has a place for it first. So the piece that is to be delivered next is always worked on.
    let next = || {
        let mut next = next.lock().ok()?;
        let (number, free, take) = &mut *next;
        let mut place = free.recv().ok()?;
        *number += 1;
        take(&mut place).then_some((*number, place))
    };
    thread::scope(|scope| {
        for _ in 0..threads {
            let (finish, next, work) = (finish.clone(), &next, &work);
            scope.spawn(move || {
                while let Some((number, mut place)) = next() {
                    let panic = catch_unwind(AssertUnwindSafe(|| work(&mut place))).err();
                    if finish.send(Done { number, place, panic }).is_err() {
                        break;
                    }
                }
            });
        }
        drop(finish);
        // Both ends of the calling thread go with this block: without them, the others stop.
        let (release, finished) = (release, finished);
        let mut waiting = BTreeMap::new();
        let mut number = 1;
        for done in finished {
            waiting.insert(done.number, done);
            while let Some(mut done) = waiting.remove(&number) {
                if let Some(panic) = done.panic {
                    resume_unwind(panic);
                }
                deliver(&mut done.place)?;
                number += 1;
                // Nobody takes places any more once there is nothing left.
                let _ = release.send(done.place);
            }
        }
        Ok(())
    })
}
