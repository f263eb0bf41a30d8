//! Models that are kept, and found again.

use crate::common::{rows, two};
use discretion_learn::{Cache, CacheError, ChunkFailure, Learner, PreparedQueries, train_all};
use discretion_table::PlainRows;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Counts how often it trains. Chunk 2 fails.
#[derive(Default)]
struct Counting(AtomicUsize);

impl Learner for Counting {
    fn train(&self, rows: &PlainRows, seed: u64) -> Result<Vec<u8>, ChunkFailure> {
        self.0.fetch_add(1, Ordering::Relaxed);
        if seed == 2 {
            Err(ChunkFailure::because("two"))
        } else {
            Ok(vec![seed as u8; rows.count()])
        }
    }

    fn prepare<'a>(&'a self, queries: &'a PlainRows) -> io::Result<Box<dyn PreparedQueries + 'a>> {
        Ok(Box::new(ByModel(queries.count())))
    }
}

struct ByModel(usize);

impl PreparedQueries for ByModel {
    fn classes(&self, model: &[u8]) -> Result<Vec<u16>, ChunkFailure> {
        assert_eq!(model.len(), 10, "a whole model");
        Ok(vec![u16::from(model[0] % 2); self.0])
    }

    fn scores(&self, _: &[u8]) -> Result<Vec<f32>, ChunkFailure> {
        Err(ChunkFailure::because("classes only"))
    }
}

/// Other tests of this program start programs of their own, and between fork and exec each holds
/// all locks of this one.
fn opened(folder: &Path, key: &str) -> Cache {
    loop {
        match Cache::open(folder, key) {
            Err(CacheError::InUse(_)) => std::thread::yield_now(),
            opened => return opened.unwrap(),
        }
    }
}

/// How many chunks of 6 are trained, and the votes.
fn run(folder: &Path, key: &str) -> (usize, Vec<u32>) {
    let (learner, cache) = (Counting::default(), opened(folder, key));
    let trained = train_all(&learner, &rows(60, &two()).into(), 6, Some(&cache), &|_| {});
    let votes =
        trained.votes(&learner, &two(), &rows(1, &two()).without_classes(), &|_| {}).unwrap();
    (learner.0.into_inner(), votes.counts(0).not_private().into_inner())
}

fn file(folder: &Path) -> PathBuf {
    let mut files = fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    files.find(|path| path.file_name().unwrap().to_string_lossy().starts_with("models-")).unwrap()
}

#[test]
fn models_are_found_again_and_failures_are_tried_again() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(run(folder.path(), "a"), (6, vec![3, 3]));
    assert_eq!(run(folder.path(), "a"), (1, vec![3, 3]));
    assert_eq!(run(folder.path(), "b"), (6, vec![3, 3]), "another key is another run");
}

#[test]
fn every_file_says_what_it_is_in_its_first_line() {
    let folder = tempfile::tempdir().unwrap();
    let inner = folder.path().join("new").join("cache");
    run(&inner, "a");
    assert!(inner.join("NOT_PRIVATE.txt").exists());
    for path in fs::read_dir(&inner).unwrap().map(|file| file.unwrap().path()) {
        assert!(fs::read(&path).unwrap().starts_with(b"NOT PRIVATE"), "{path:?}");
    }
}

#[test]
fn a_killed_run_keeps_what_was_finished() {
    let folder = tempfile::tempdir().unwrap();
    run(folder.path(), "a");
    let path = file(folder.path());
    let whole = fs::read(&path).unwrap();
    let first_line = whole.iter().position(|byte| *byte == b'\n').unwrap() + 1;
    let record = (whole.len() - first_line) / 5;
    for cut in 0..=whole.len() {
        fs::write(&path, &whole[..cut]).unwrap();
        let kept = cut.saturating_sub(first_line) / record;
        assert_eq!(run(folder.path(), "a"), (6 - kept, vec![3, 3]), "cut at {cut}");
        assert_eq!(run(folder.path(), "a"), (1, vec![3, 3]), "whole again after a cut at {cut}");
    }
}

#[test]
fn damaged_models_are_trained_again() {
    let folder = tempfile::tempdir().unwrap();
    run(folder.path(), "a");
    let path = file(folder.path());
    let whole = fs::read(&path).unwrap();
    for at in 0..whole.len() {
        let mut damaged = whole.clone();
        damaged[at] ^= 0x20;
        fs::write(&path, &damaged).unwrap();
        let (trained, votes) = run(folder.path(), "a");
        assert!(trained >= 2 && votes == [3, 3], "byte {at}: {trained} {votes:?}");
    }
    // A model's own bytes damage nothing else.
    let mut damaged = whole.clone();
    *damaged.last_mut().unwrap() ^= 1;
    fs::write(&path, &damaged).unwrap();
    assert_eq!(run(folder.path(), "a").0, 2);
}

#[test]
fn one_run_at_a_time() {
    let folder = tempfile::tempdir().unwrap();
    let first = Cache::open(folder.path(), "a").unwrap();
    assert!(matches!(Cache::open(folder.path(), "a"), Err(CacheError::InUse(_))));
    drop(first);
    opened(folder.path(), "a");
    fs::write(folder.path().join("file"), "").unwrap();
    assert!(matches!(Cache::open(&folder.path().join("file"), "a"), Err(CacheError::File { .. })));
}
