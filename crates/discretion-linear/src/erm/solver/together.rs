//! Several problems over the same rows, solved side by side so that one pass over the rows serves them all.

use super::{Problem, Start};
use crate::erm::{Facts, Oracle, OracleError, Order, Point, Sums};
use crate::loss::Loss;
use discretion_privacy::noise::{BigFloat, NoiseVector, Sensitive};
use std::sync::{Condvar, Mutex};

/// One of several problems that differ in λ, in b, or in where the search starts.
pub struct Job<'a> {
    /// λ.
    pub lambda: f64,
    /// ‖b‖ is ordinarily no longer than this.
    pub ordinary_noise: f64,
    /// b, if there is one.
    pub noise: Option<&'a NoiseVector>,
    /// Where the search starts; it changes how long it takes and nothing that is promised.
    pub start: Start<'a>,
}

/// The minimiser of every job, each as [`Problem::minimise`] would find it alone, bit for bit. Panics if a job starts where
/// another table's would.
pub fn minimise_all(
    oracle: &dyn Oracle,
    loss: &dyn Loss,
    jobs: &[Job<'_>],
) -> Result<Vec<Sensitive<Vec<BigFloat>>>, OracleError> {
    jobs.iter().for_each(|job| job.start.check(oracle));
    // A worker of rayon's must not wait for threads that need rayon's workers to sum: if all of them did, none would
    // be left. There, and where there is nothing to share, one job follows the other.
    if jobs.len() == 1 || rayon::current_thread_index().is_some() {
        return jobs.iter().map(|job| solve(oracle, loss, job)).collect();
    }
    let table = Table {
        oracle,
        desk: Mutex::new(Desk { seated: jobs.len(), waiting: Vec::new(), served: Vec::new() }),
        bell: Condvar::new(),
    };
    // All seats are taken before the first solver asks: a pass waits for everyone who may still ask.
    let seats: Vec<Seat<'_>> = (0..jobs.len()).map(|number| Seat { table: &table, number }).collect();
    std::thread::scope(|scope| {
        let solvers: Vec<_> =
            jobs.iter().zip(seats).map(|(job, seat)| scope.spawn(move || solve(&seat, loss, job))).collect();
        solvers.into_iter().map(|solver| solver.join().expect("a solver does not panic")).collect()
    })
}

fn solve(
    oracle: &dyn Oracle,
    loss: &dyn Loss,
    job: &Job<'_>,
) -> Result<Sensitive<Vec<BigFloat>>, OracleError> {
    // The start was checked against the oracle behind this one's seat.
    let problem = Problem::new(oracle, loss, job.lambda, job.ordinary_noise);
    Problem { start: job.start, ..problem }.minimise(job.noise)
}

/// Where solvers that share an oracle meet. All of them use one loss.
struct Table<'a> {
    oracle: &'a dyn Oracle,
    desk: Mutex<Desk>,
    bell: Condvar,
}

struct Desk {
    /// Solvers that may still ask.
    seated: usize,
    waiting: Vec<(usize, Point)>,
    served: Vec<(usize, Result<Sensitive<Sums>, OracleError>)>,
}

/// One solver's place at the table. It leaves when it is done.
struct Seat<'a> {
    table: &'a Table<'a>,
    number: usize,
}

impl Table<'_> {
    /// Makes the pass if everyone who is seated waits for it.
    fn serve(&self, desk: &mut Desk, loss: &dyn Loss) {
        if desk.waiting.is_empty() || desk.waiting.len() < desk.seated {
            return;
        }
        let (numbers, points): (Vec<usize>, Vec<Point>) = desk.waiting.drain(..).unzip();
        match self.oracle.sums_at(loss, &points) {
            Ok(sums) => desk.served.extend(numbers.into_iter().zip(sums.into_iter().map(Ok))),
            Err(error) => {
                desk.served.extend(numbers.into_iter().map(|number| (number, Err(error.clone()))));
            }
        }
        self.bell.notify_all();
    }
}

impl Oracle for Seat<'_> {
    fn facts(&self) -> Facts {
        self.table.oracle.facts()
    }

    fn sums(&self, loss: &dyn Loss, theta: &[f64], order: Order) -> Result<Sensitive<Sums>, OracleError> {
        let mut desk = self.table.desk.lock().expect("no solver panics at the desk");
        desk.waiting.push((self.number, Point { theta: theta.to_vec(), order }));
        loop {
            // Also after someone left: whoever wakes first makes the pass.
            self.table.serve(&mut desk, loss);
            if let Some(at) = desk.served.iter().position(|(number, _)| *number == self.number) {
                return desk.served.swap_remove(at).1;
            }
            desk = self.table.bell.wait(desk).expect("no solver panics at the desk");
        }
    }

    fn sample(&self) -> Option<Box<dyn Oracle + '_>> {
        self.table.oracle.sample()
    }

    fn big_gradient(
        &self,
        loss: &dyn Loss,
        theta: &[BigFloat],
        precision: usize,
    ) -> Result<Sensitive<Vec<BigFloat>>, OracleError> {
        self.table.oracle.big_gradient(loss, theta, precision)
    }
}

impl Drop for Seat<'_> {
    fn drop(&mut self) {
        if let Ok(mut desk) = self.table.desk.lock() {
            desk.seated -= 1;
            self.table.bell.notify_all();
        }
    }
}
