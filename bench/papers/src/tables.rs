//! The public tables, by the names they have in the data folder.

use crate::Failure;
use discretion::erm::matrix::Matrix;
use discretion_table::{Schema, Study, read_matrix};
use std::path::{Path, PathBuf};

/// A public table: its file and its study, of which only the columns count.
pub struct PublicTable {
    /// As people call it.
    pub name: &'static str,
    file: &'static str,
    study: &'static str,
}

/// UCI Adult.
pub const ADULT: PublicTable = PublicTable {
    name: "Adult",
    file: "adult_all.csv.gz",
    study: include_str!("../../studies/adult.toml"),
};
/// UCI MAGIC gamma telescope.
pub const MAGIC: PublicTable = PublicTable {
    name: "MAGIC",
    file: "magic04.csv.gz",
    study: include_str!("../../studies/magic.toml"),
};
/// UCI Bank Marketing.
pub const BANK: PublicTable = PublicTable {
    name: "Banking",
    file: "bank-full.csv.gz",
    study: include_str!("../../studies/bank.toml"),
};
/// UCI KDD Cup 1999, the 10 % file.
pub const KDD: PublicTable = PublicTable {
    name: "KDD Cup",
    file: "kddcup_10_percent.csv.gz",
    study: include_str!("../../studies/kdd.toml"),
};

impl PublicTable {
    /// Reads and encodes all rows.
    pub fn read(&self, folder: &Path) -> Result<Matrix, Failure> {
        let (path, schema) = self.find(folder)?;
        read_matrix(&path, &schema, &|_| {})
            .map(|(rows, _)| rows)
            .map_err(|error| Failure(error.to_string()))
    }

    /// Where the file is, and its schema.
    pub(crate) fn find(&self, folder: &Path) -> Result<(PathBuf, Schema), Failure> {
        let path = folder.join(self.file);
        if !path.is_file() {
            return Err(Failure(format!(
                "{} is not there; --data takes the folder with the public tables, bench/README.md lists them",
                path.display()
            )));
        }
        let study = Study::parse(&path, self.study).map_err(|error| Failure(error.to_string()))?;
        Ok((path, study.schema))
    }
}
