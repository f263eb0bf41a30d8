//! A CSV file, from its bytes to rows: encoded, and as a design matrix.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use discretion_table::{Error, Purpose, Study, read_batches, read_matrix};
use std::fmt::Write;
use std::path::Path;

const ROWS: usize = 20_000;

const STUDY: &str = r#"
[data]
path = "t.csv"
account = "t"
target = "y"
positive = "yes"
negative = "any other"
[budget]
epsilon = 1
[spend]
epsilon = 1
[columns]
age   = { min = 0, max = 100 }
gain  = { min = 0, max = 1e5, scale = "log" }
score = { min = -1, max = 1 }
job   = { values = ["clerk", "nurse", "pilot"] }
note  = { drop = true }
"#;

fn table() -> String {
    let mut text = "age,gain,score,job,note,y\n".to_owned();
    for i in 0..ROWS {
        let score = ((i * 37 % 2001) as f64 - 1000.0) / 1000.0;
        let (job, y) =
            (["clerk", "nurse", "pilot", "\"cook, retired\""][i % 4], ["yes", "no"][i % 2]);
        writeln!(text, "{},{},{score},{job},\"a \"\"note\"\"\",{y}", i % 101, i * i % 99_991)
            .expect("a text grows");
    }
    text
}

fn reading(c: &mut Criterion) {
    let folder = tempfile::tempdir().expect("a folder");
    let (path, text) = (folder.path().join("t.csv"), table());
    std::fs::write(&path, &text).expect("a file");
    let schema = Study::parse(Path::new("study.toml"), STUDY).expect("a study").schema;
    let mut group = c.benchmark_group("csv");
    group.throughput(Throughput::Bytes(text.len() as u64));
    group.bench_function("encoded", |b| {
        b.iter(|| {
            read_batches(&path, &schema, Purpose::Train, &|_| {}, |_| Ok::<(), Error>(()))
                .expect("a table")
        });
    });
    group.bench_function("matrix", |b| {
        b.iter(|| read_matrix(&path, &schema, &|_| {}).expect("a table").rows())
    });
    group.finish();
}

criterion_group! { name = kernels; config = discretion_kernels::brief(); targets = reading }
criterion_main!(kernels);
