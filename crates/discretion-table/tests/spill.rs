//! Rows that go to a file come back as they were.

use discretion::erm::matrix::{Matrix, Store};
use discretion::tune::split;
use discretion_table::{Held, Limits, Study, read_matrix, read_within};
use std::path::Path;

const STUDY: &str = "[data]\npath = \"t.csv\"\naccount = \"a\"\ntarget = \"y\"\npositive = \"1\"\n[budget]\nepsilon = 1\n\
                     [spend]\nepsilon = 1\n[columns]\nx = { min = 0, max = 1000 }\nc = { values = [\"a\", \"b\"] }\n";

#[test]
fn rows_in_a_file_are_the_rows_of_the_table() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.csv");
    let line = |row: usize| format!("{},{},{}\n", row % 1100, ["a", "b", "?"][row % 3], row % 2);
    std::fs::write(&path, "x,c,y\n".to_owned() + &(0..70_000).map(line).collect::<String>()).unwrap();
    let study = Study::parse(Path::new("study.toml"), STUDY).unwrap();
    let all = read_matrix(&path, &study.schema, &|_| {}).unwrap();
    let bytes = |rows: &Matrix| rows.to_bytes().into_inner();
    for (memory, validation) in [(u64::MAX, None), (0, None), (100_000, Some(0.3))] {
        let limits = Limits { memory, folder: folder.path(), validation };
        let file = match read_within(&path, &study.schema, limits, &|_| {}).unwrap() {
            Held::Memory(rows) => {
                assert_eq!(memory, u64::MAX);
                assert_eq!(bytes(&rows), bytes(&all));
                continue;
            }
            Held::File(file) => file,
        };
        let (order, training) = match validation {
            None => ((0..70_000).collect(), 70_000),
            Some(share) => split::training_first(70_000, share),
        };
        assert_eq!((file.rows(), file.training_rows()), (70_000, training));
        for range in [0..70_000, 17..60_000, 69_000..69_001, training - 3..70_000] {
            let mut rows = Matrix::new(file.layout().clone());
            file.read(range.clone(), &mut rows).unwrap();
            assert_eq!(bytes(&rows), bytes(&all.gather(&order[range])));
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "the file has no name");
    }
}

#[test]
fn a_folder_that_cannot_hold_the_rows_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.csv");
    std::fs::write(&path, "x,c,y\n1,a,0\n").unwrap();
    let study = Study::parse(Path::new("study.toml"), STUDY).unwrap();
    let missing = folder.path().join("missing");
    let limits = Limits { memory: 0, folder: &missing, validation: None };
    let Err(error) = read_within(&path, &study.schema, limits, &|_| {}) else {
        panic!("there is no such folder")
    };
    assert!(error.to_string().contains("missing"), "{error}");
}
