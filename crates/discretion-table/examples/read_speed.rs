//! How fast a table is read: `cargo run --release --example read_speed -- TABLE...`

use discretion_table::{Error, Purpose, Study, draft, read_batches, read_matrix};
use std::path::Path;
use std::time::Instant;

#[allow(clippy::print_stdout)] // a measuring program
fn main() -> Result<(), Error> {
    for path in std::env::args().skip(1) {
        let path = Path::new(&path);
        let study = Study::parse(Path::new("draft.toml"), &draft(path, Some("table"), true)?)?;
        for _ in 0..3 {
            let start = Instant::now();
            let (matrix, _) = read_matrix(path, &study.schema, &|_| {})?;
            let seconds = start.elapsed().as_secs_f64();
            let start = Instant::now();
            read_batches(path, &study.schema, Purpose::Train, &|_| {}, |_| Ok::<(), Error>(()))?;
            let encoding = start.elapsed().as_secs_f64();
            let megabytes = std::fs::metadata(path).map_or(0.0, |file| file.len() as f64 / 1e6);
            let (rows, d) = (matrix.rows(), matrix.layout().dimension());
            println!(
                "{}: {rows} rows, d = {d}, {seconds:.3} s, {:.0} MB/s; without the matrix {encoding:.3} s, {:.0} MB/s",
                path.display(),
                megabytes / seconds,
                megabytes / encoding
            );
        }
    }
    Ok(())
}
