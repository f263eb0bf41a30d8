//! Programs that stay: requests come as lines, and are answered by lines.

use super::program::{Program, Step};
use super::running::Running;
use crate::learner::Failed;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{ChildStdin, ChildStdout, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TryRecvError, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// Longer lines are no answers.
const LONGEST_LINE: u64 = 1 << 16;

/// Servers that wait for a request: as many as there have been at once, which is one for each core.
#[derive(Default)]
pub(super) struct Servers(Mutex<Vec<Server>>);

impl Servers {
    /// One step by whichever server is free. Only one that answered as agreed is used again.
    pub fn run(&self, program: &Program, step: &Step<'_>) -> Result<(), Failed> {
        let free = self.0.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut server = match free.filter(Server::is_silent) {
            Some(server) => server,
            None => Server::start(program)?,
        };
        let answer = server.ask(program, step)?;
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(server);
        if answer == "ok" { Ok(()) } else { Err(Failed::because(format!("the program answered: {answer}"))) }
    }
}

struct Server {
    /// Before the process, so that it is closed first.
    requests: ChildStdin,
    answers: Receiver<String>,
    running: Running,
}

impl Server {
    fn start(program: &Program) -> Result<Self, Failed> {
        let failed =
            |problem: io::Error| Failed::because(format!("the program could not be started: {problem}"));
        let mut process = program.process(&["serve".to_owned()])?;
        let mut running = Running::start(process.stdin(Stdio::piped()), true).map_err(failed)?;
        let requests = running.child.stdin.take().expect("stdin is a pipe");
        let output = running.child.stdout.take().expect("stdout is a pipe");
        // Whoever talks without being asked has to wait.
        let (sender, answers) = sync_channel(1);
        thread::spawn(move || read_lines(output, &sender));
        Ok(Self { requests, answers, running })
    }

    /// Whether nothing was said without being asked, and the process is alive.
    fn is_silent(&self) -> bool {
        matches!(self.answers.try_recv(), Err(TryRecvError::Empty))
    }

    /// The answer to a request, which is `ok` or begins with `failed`.
    fn ask(&mut self, program: &Program, step: &Step<'_>) -> Result<String, Failed> {
        let line = format!("{}\n", step.words().join("\t"));
        // A program that has gone is noticed below, where it gives no answer.
        let _ = self.requests.write_all(line.as_bytes()).and_then(|()| self.requests.flush());
        match self.answers.recv_timeout(program.timeout) {
            Ok(answer) if answer == "ok" || answer == "failed" || answer.starts_with("failed ") => Ok(answer),
            Ok(answer) => {
                Err(Failed::because(format!("the program answered neither ok nor failed, but {answer:?}")))
            }
            Err(RecvTimeoutError::Timeout) => Err(program.too_slow(&self.running.tail.shown())),
            Err(RecvTimeoutError::Disconnected) => Err(Failed::because(format!(
                "the program ended without an answer{}",
                self.running.tail.shown()
            ))),
        }
    }
}

fn read_lines(output: ChildStdout, answers: &SyncSender<String>) {
    let mut output = BufReader::new(output);
    loop {
        let mut line = Vec::new();
        let count = output.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line);
        if !matches!(count, Ok(1..)) {
            return;
        }
        let text = String::from_utf8_lossy(&line).trim_end_matches(['\n', '\r']).to_owned();
        if answers.send(text).is_err() {
            return;
        }
    }
}
