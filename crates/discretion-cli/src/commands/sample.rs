//! `discretion sample`: synthetic rows from a density file. Post-processing: it spends nothing.

use crate::args::Sample;
use crate::csv::{Sink, field};
use crate::files::{self, Existing, Readers};
use discretion::noise::random_word;
use discretion::{Refusal, RefusalKind, Remedy};
use discretion_formats::{DensityFile, Drawn};
use discretion_jobs::predict::NOT_PRIVATE;

/// Rows that are written at once.
const AT_ONCE: usize = 4096;

/// Draws the rows.
pub fn run(args: &Sample) -> Result<(), Refusal> {
    let file = DensityFile::read(&args.density)?;
    if let Some(path) = &args.out {
        Existing::new(args.force).check(path, &[Remedy::AnotherFile, Remedy::Overwrite])?;
        files::keep_input(path, &args.density)?;
    }
    if !file.privacy.private {
        eprintln!(
            "warning: {}: this density is NOT PRIVATE, and neither is what is drawn from it",
            args.density.display()
        );
    }
    let seed = match args.seed {
        Some(seed) => seed,
        None => random_word().map_err(|error| Refusal::from_error(RefusalKind::Refused, error))?,
    };
    let readers = if file.privacy.private { Readers::Anyone } else { Readers::Owner };
    let mut sink = Sink::open(args.out.as_deref(), readers)?;
    // A column of its own marks every row.
    let marked = !file.privacy.private;
    let mark = |text: &str| marked.then(|| text.to_owned());
    let names = file.columns.iter().map(|column| field(&column.name));
    sink.write(&line(names.chain(mark(NOT_PRIVATE))))?;
    // As many as asked for: the range of the argument is well within that of sizes.
    let mut rows = file.draw(seed).take(args.rows as usize);
    loop {
        let text: String = rows
            .by_ref()
            .take(AT_ONCE)
            .map(|row| line(row.into_iter().map(written).chain(mark("true"))))
            .collect();
        if text.is_empty() {
            return sink.finish();
        }
        sink.write(&text)?;
    }
}

fn line(fields: impl Iterator<Item = String>) -> String {
    fields.collect::<Vec<_>>().join(",") + "\n"
}

fn written(value: Drawn<'_>) -> String {
    match value {
        Drawn::Number(text) => text,
        Drawn::Date(text) => field(&text),
        Drawn::Name(name) => field(name),
    }
}
