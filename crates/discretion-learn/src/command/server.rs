//! Programs that stay: requests come as lines, and are answered by lines.
//!
//! A process that stays has seen other chunks. Nothing that it says late, and no way for it to end,
//! may cost a chunk its vote that did not cause it: so every request has a number, which its answer
//! repeats, and what fails in a process that has worked before is done again in a new one.

use super::process_group::ProcessGroup;
use super::program::{Program, Step};
use crate::learner::ChunkFailure;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{ChildStdin, ChildStdout, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// Longer lines are no answers.
const LONGEST_LINE: u64 = 1 << 16;

/// Has a program take a step.
pub(super) type Run<'a> = dyn FnMut(&Step<'_>) -> Result<(), ChunkFailure> + 'a;

/// Servers that wait for a request: as many as there have been at once, which is one for each core.
#[derive(Default)]
pub(super) struct Servers {
    free: Mutex<Vec<Server>>,
    /// How many requests there have been. No two have the same number, so a late line answers none.
    requests: AtomicU64,
}

impl Servers {
    /// Does a chunk's work with whichever server is free. A server is used again only if the work
    /// was done.
    ///
    /// Work that fails with a server that has worked before is done again with a new one, which has
    /// seen no other chunk.
    pub fn work<T>(
        &self,
        program: &Program,
        work: impl Fn(&mut Run<'_>) -> Result<T, ChunkFailure>,
    ) -> Result<T, ChunkFailure> {
        let free = self.free.lock().unwrap_or_else(PoisonError::into_inner).pop();
        // The first server is ended before the second one is started.
        let again = free.and_then(|server| self.work_with(server, program, &work).ok());
        again.map_or_else(|| self.work_with(Server::start(program)?, program, &work), Ok)
    }

    fn work_with<T>(
        &self,
        mut server: Server,
        program: &Program,
        work: impl Fn(&mut Run<'_>) -> Result<T, ChunkFailure>,
    ) -> Result<T, ChunkFailure> {
        let done = work(&mut |step| {
            let number = self.requests.fetch_add(1, Ordering::Relaxed) + 1;
            server.ask(program, step, number)
        })?;
        self.free.lock().unwrap_or_else(PoisonError::into_inner).push(server);
        Ok(done)
    }
}

struct Server {
    /// Before the process, so that it is closed first.
    requests: ChildStdin,
    answers: Receiver<String>,
    process: ProcessGroup,
}

impl Server {
    fn start(program: &Program) -> Result<Self, ChunkFailure> {
        let failed = |problem: io::Error| {
            ChunkFailure::because(format!("the program could not be started: {problem}"))
        };
        let mut command = program.process(&["serve".to_owned()])?;
        let mut process =
            ProcessGroup::start(command.stdin(Stdio::piped()), true).map_err(failed)?;
        let requests = process.child.stdin.take().expect("stdin is a pipe");
        let output = process.child.stdout.take().expect("stdout is a pipe");
        // Whoever talks without being asked has to wait.
        let (sender, answers) = sync_channel(1);
        thread::spawn(move || read_lines(output, &sender));
        Ok(Self { requests, answers, process })
    }

    /// Makes a request. It is done if the next line is `ok` and the request's number.
    fn ask(&mut self, program: &Program, step: &Step<'_>, number: u64) -> Result<(), ChunkFailure> {
        let line = format!("{}\t{number}\n", step.words().join("\t"));
        // A program that has gone is noticed below, where it gives no answer.
        let _ = self.requests.write_all(line.as_bytes()).and_then(|()| self.requests.flush());
        match self.answers.recv_timeout(program.timeout) {
            Ok(answer) if answer == format!("ok {number}") => Ok(()),
            // Whether it failed or broke the rules, the chunk has no answer; the custodian can read
            // which it was.
            Ok(answer) => Err(ChunkFailure::because(format!(
                "the program answered request {number}: {answer:?}"
            ))),
            Err(RecvTimeoutError::Timeout) => Err(program.too_slow(&self.process.tail.shown())),
            Err(RecvTimeoutError::Disconnected) => Err(ChunkFailure::because(format!(
                "the program ended without an answer, or its line was too long{}",
                self.process.tail.shown()
            ))),
        }
    }
}

/// Hands on whole lines. One that is too long or breaks off is the end: what came after it would be
/// read as an answer.
fn read_lines(output: ChildStdout, answers: &SyncSender<String>) {
    let mut output = BufReader::new(output);
    loop {
        let mut line = Vec::new();
        let read = output.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line);
        if read.is_err() || !line.ends_with(b"\n") {
            return;
        }
        let text = String::from_utf8_lossy(&line).trim_end_matches(['\n', '\r']).to_owned();
        if answers.send(text).is_err() {
            return;
        }
    }
}
