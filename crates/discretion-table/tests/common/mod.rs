//! A folder with a table in it, and the schema to read it by.
#![allow(dead_code)] // each test program uses a part of it

use discretion::erm::matrix::Batch;
use discretion_table::{Error, Purpose, Schema, Study, read_batches};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use tempfile::TempDir;

/// Two numbers, which may be missing and are then in the middle of their ranges, a category and a
/// dropped column.
pub const COLUMNS: &str = r#"
age  = { min = 0, max = 100, missing = 50 }
gain = { min = 0, max = 1000, scale = "log", missing = 30.63858403911275 }
job  = { values = ["clerk", "nurse"] }
note = { drop = true }
"#;

pub struct Table {
    folder: TempDir,
    pub path: PathBuf,
}

/// What a reader delivers, for comparison.
#[derive(Debug, PartialEq, Default)]
pub struct RowValues {
    pub numeric: Vec<f32>,
    pub codes: Vec<u16>,
    pub positive: Vec<bool>,
}

impl RowValues {
    pub fn add(&mut self, batch: Batch) -> Result<(), Error> {
        self.numeric.extend(batch.numeric);
        self.codes.extend(batch.codes);
        self.positive.extend(batch.positive);
        Ok(())
    }
}

impl Table {
    pub fn new(name: &str, bytes: impl AsRef<[u8]>) -> Table {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        Table { folder, path }
    }

    pub fn read(&self) -> Result<RowValues, String> {
        // Read once: thousands of damaged files are read by it.
        static SCHEMA: LazyLock<Schema> = LazyLock::new(|| schema("negative = \"no\""));
        self.read_as(&SCHEMA, Purpose::Train)
    }

    pub fn read_as(&self, schema: &Schema, purpose: Purpose) -> Result<RowValues, String> {
        let mut rows = RowValues::default();
        let result = read_batches(&self.path, schema, purpose, &|_| {}, |batch| rows.add(batch));
        // Without the folder, messages are the same on every machine.
        let folder = format!("{}/", self.folder.path().display());
        result.map(|_| rows).map_err(|error| error.to_string().replace(&folder, ""))
    }

    pub fn refusal(&self) -> String {
        self.read().expect_err("this table should be refused")
    }
}

pub fn schema(more_data: &str) -> Schema {
    let text = format!(
        "[data]\npath = \"t.csv\"\naccount = \"t\"\ntarget = \"y\"\npositive = \"yes\"\n{more_data}\n\
         [budget]\nepsilon = 1\n[spend]\nepsilon = 1\n[model]\nnorm = \"row\"\n[columns]{COLUMNS}"
    );
    Study::parse(Path::new("study.toml"), &text).unwrap().schema
}

/// A CSV table with the usual header and these lines.
pub fn csv(lines: &str) -> Table {
    Table::new("t.csv", format!("age,gain,job,note,y\n{lines}"))
}

/// What the system says about this process: `VmHWM` is the most memory it used, `VmPeak` the most
/// it asked for.
pub fn kilobytes(line: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|text| text.strip_prefix(line)).unwrap();
    line.trim_matches([':', ' ', '\t']).strip_suffix(" kB").unwrap().trim().parse().unwrap()
}
