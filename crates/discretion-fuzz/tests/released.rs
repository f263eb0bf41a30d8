//! Published files with changed parts: each is refused, or shown, exported, predicted with and
//! described, and nothing takes more memory than files of this size need. A program of its own,
//! because memory is counted for the whole process. `DISCRETION_FUZZ_INPUTS` is how many model
//! files, up to 100,000 (`make fuzz`).

use discretion_fuzz::mutate::Mutator;
use discretion_fuzz::{Target, Verdict, corpus};
use serde_json::Value;
use std::panic::catch_unwind;

const USUAL_INPUTS: usize = 3_000;
const MOST_INPUTS: usize = 100_000;

/// How many are of each kind, for a thousand model files.
const SHARES: [(&str, usize); 3] = [("model", 1000), ("density", 90), ("evaluation", 70)];

/// More memory than this, in megabytes, no run may ever have had.
const MOST_MEGABYTES: u64 = 200;

#[test]
fn changed_files_break_nothing_and_take_little_memory() {
    let all = std::env::var("DISCRETION_FUZZ_INPUTS")
        .map_or(USUAL_INPUTS, |all| all.parse().expect("a number"))
        .min(MOST_INPUTS);
    for (name, share) in SHARES {
        let target = Target::named(name);
        let kept = corpus(name).into_iter().map(|(_, bytes)| bytes);
        let good = kept.filter(|bytes| target.try_on(bytes) == Verdict::Accepted);
        let files: Vec<Value> =
            good.map(|bytes| serde_json::from_slice(&bytes).expect("JSON")).collect();
        let mut mutator = Mutator::new(share as u64);
        let count = all * share / 1000;
        let (mut accepted, mut broken) = (0, 0);
        for _ in 0..count {
            let input = mutator.json(&files);
            match catch_unwind(|| target.try_on(&input)) {
                Ok(verdict) => accepted += usize::from(verdict == Verdict::Accepted),
                Err(_) => broken += 1,
            }
        }
        eprintln!("{name}: {count} changed files, of which {accepted} were read");
        assert_eq!(broken, 0, "{name}: so many of {count} changed files broke something");
        assert!(accepted > count / 50, "{name}: some changes leave a file that is read");
    }
    if let Some(megabytes) = most_megabytes() {
        eprintln!("{megabytes} MB of memory at most");
        assert!(megabytes <= MOST_MEGABYTES, "{megabytes} MB of memory");
    }
}

/// The most memory that this process has ever had, where the system tells.
fn most_megabytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.trim().strip_suffix(" kB")?.trim().parse().ok()?;
    Some(kilobytes / 1000)
}
