//! A process that can be ended with all its descendants, and whose output does not flood the
//! terminal.

use super::signals::{cleanup_list, kill};
use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
use std::collections::VecDeque;
use std::io::{self, Read};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// How much of a program's output is kept: its end.
const TAIL: usize = 2048;

/// How long the last output of a process that was ended is waited for.
pub(super) const LAST_WORDS: Duration = Duration::from_millis(200);

/// Bytes that came last.
#[derive(Clone, Default)]
pub(super) struct Tail(Arc<Mutex<VecDeque<u8>>>);

impl Tail {
    /// Reads to the end in a thread of its own.
    fn follow(&self, mut output: impl Read + Send + 'static) -> JoinHandle<()> {
        let tail = self.clone();
        thread::spawn(move || {
            let mut block = [0; 4096];
            while let Ok(count @ 1..) = output.read(&mut block) {
                tail.push(&block[..count]);
            }
        })
    }

    pub fn push(&self, bytes: &[u8]) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend(bytes);
        let surplus = kept.len().saturating_sub(TAIL);
        kept.drain(..surplus);
    }

    /// The last lines, as a sentence's end.
    pub fn shown(&self) -> String {
        let kept: Vec<u8> =
            self.0.lock().unwrap_or_else(PoisonError::into_inner).iter().copied().collect();
        match String::from_utf8_lossy(&kept).trim() {
            "" => "; it said nothing".to_owned(),
            text => format!("; the last it said was:\n{text}"),
        }
    }
}

/// A running process and its group, which ends with it.
pub(super) struct ProcessGroup {
    pub child: Child,
    group: Pid,
    pub tail: Tail,
    readers: Vec<JoinHandle<()>>,
}

impl ProcessGroup {
    /// Starts a process as the head of a group of its own. With `keep_stdout` its standard output
    /// is for the caller; otherwise the end of it is kept, as of its standard error.
    pub fn start(command: &mut Command, keep_stdout: bool) -> io::Result<Self> {
        command.process_group(0).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut list = cleanup_list();
        let mut child = command.spawn()?;
        let group = Pid::from_child(&child);
        list.groups.insert(group);
        drop(list);
        let tail = Tail::default();
        let mut readers = Vec::new();
        readers.extend(child.stderr.take().map(|output| tail.follow(output)));
        if !keep_stdout {
            readers.extend(child.stdout.take().map(|output| tail.follow(output)));
        }
        Ok(Self { child, group, tail, readers })
    }

    /// Waits for the process until the time is over, and then ends it and all its descendants.
    pub fn wait(mut self, timeout: Duration) -> (Option<ExitStatus>, Tail) {
        let started = Instant::now();
        let mut pause = Duration::from_millis(1);
        let in_time = loop {
            if self.has_ended() {
                break true;
            }
            let Some(left) = timeout.checked_sub(started.elapsed()) else { break false };
            thread::sleep(pause.min(left));
            pause = (pause * 2).min(Duration::from_millis(20));
        };
        let status = self.end();
        (status.filter(|_| in_time), self.tail.clone())
    }

    /// Whether the process has ended. It is not reaped by that, so its number still is its own.
    fn has_ended(&self) -> bool {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        !matches!(waitid(WaitId::Pid(self.group), options), Ok(None))
    }

    fn end(&mut self) -> Option<ExitStatus> {
        // Killed before it is reaped: until then nobody else can have its number.
        kill(self.group);
        let status = self.child.wait().ok();
        cleanup_list().groups.remove(&self.group);
        // A descendant that left the group may hold the pipes open; it is not waited for.
        let patience = Instant::now() + LAST_WORDS;
        while self.readers.iter().any(|reader| !reader.is_finished()) && Instant::now() < patience {
            thread::sleep(Duration::from_millis(1));
        }
        status
    }
}

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        if cleanup_list().groups.contains(&self.group) {
            self.end();
        }
    }
}
