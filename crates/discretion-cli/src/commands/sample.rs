//! `discretion sample`: synthetic rows from a density file. Post-processing: it spends nothing.

use crate::args::Sample;
use crate::csv::{Sink, field};
use crate::density::{DensityColumn, DensityFile};
use crate::exit::Failure;
use crate::files::{Existing, Readers};
use discretion::density::{Axis, Scale, Value};
use discretion::noise::{OperatingSystem, Source};
use discretion_table::{Kind, Scale as ColumnScale};

/// Rows that are written at once.
const AT_ONCE: usize = 4096;

/// A number is written to this share of its bin.
const GRAIN: f64 = 1e-4;

/// Draws the rows.
pub fn run(args: &Sample) -> Result<(), Failure> {
    let file = DensityFile::read(&args.density)?;
    if let Some(path) = &args.out {
        Existing::new(args.force).check(path, "name another one, or overwrite it with --force")?;
    }
    if !file.privacy.private {
        eprintln!(
            "warning: {}: this density is NOT PRIVATE, and neither is what is drawn from it",
            args.density.display()
        );
    }
    let seed = match args.seed {
        Some(seed) => seed,
        None => OperatingSystem.word().map_err(|error| Failure::Refused(error.to_string()))?,
    };
    let readers = if file.privacy.private { Readers::Anyone } else { Readers::Owner };
    let mut sink = Sink::open(args.out.as_deref(), readers)?;
    let columns: Vec<Written> = (0..file.columns.len()).map(|i| Written::new(&file, i)).collect();
    sink.write(&line(file.columns.iter().map(|column| field(&column.name))))?;
    // As many as asked for: the range of the argument is well within that of sizes.
    let mut rows = file.density.rows(seed).take(args.rows as usize);
    loop {
        let text: String = rows
            .by_ref()
            .take(AT_ONCE)
            .map(|row| line(columns.iter().zip(row).map(|(column, value)| column.field(value))))
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

/// How the values of a column are written.
enum Written<'f> {
    /// As numbers of the column's own unit. The axis runs over so many units, in so many bins.
    Number { column: &'f DensityColumn, low: f64, high: f64, bins: usize },
    /// By name, quoted for CSV.
    Name(Vec<String>),
}

impl Written<'_> {
    fn new(file: &DensityFile, i: usize) -> Written<'_> {
        let column = &file.columns[i];
        match &file.density.axes()[i] {
            &Axis { scale: Scale::Interval { low, high }, .. } => {
                Written::Number { column, low, high, bins: file.density.bins().0[i] }
            }
            Axis { scale: Scale::Categories { .. }, .. } => {
                Written::Name(column.names.iter().map(|name| field(name)).collect())
            }
        }
    }

    fn field(&self, value: Value) -> String {
        match (self, value) {
            (&Written::Number { column, low, high, bins }, Value::Number(x)) => {
                number(column, (x - low) / (high - low), bins)
            }
            (Written::Name(names), Value::Code(code)) => names[usize::from(code)].clone(),
            _ => unreachable!("a density's rows have the kinds of its axes"),
        }
    }
}

/// The number at a share of the axis, to as many decimals as its bin is worth.
fn number(column: &DensityColumn, position: f64, bins: usize) -> String {
    let Kind::Number { min, max, scale, .. } = column.kind else { panic!("{} has no numbers", column.name) };
    let value = column.at(position);
    let width = match scale {
        ColumnScale::Linear => (max - min) / bins as f64,
        // On this axis a step of one multiplies 1 + value − min by e.
        ColumnScale::Log => (1.0 + value - min) * (max - min).ln_1p() / bins as f64,
    };
    let decimals = (-(GRAIN * width).log10()).ceil().clamp(0.0, 300.0) as usize;
    let text = format!("{value:.decimals$}");
    // Rounding must not leave the declared range.
    match text.parse::<f64>() {
        Ok(rounded) if (min..=max).contains(&rounded) => text,
        _ => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use discretion_table::Column;

    #[test]
    fn numbers_are_as_long_as_their_bin_is_worth_and_stay_within_bounds() {
        let column = |min, max, scale| {
            let kind = Kind::Number { min, max, scale, missing: None };
            DensityColumn::new(&Column { name: "x".to_owned(), kind }, 10)
        };
        let linear = |min, max| column(min, max, ColumnScale::Linear);
        assert_eq!(number(&linear(0.0, 100.0), 0.123_456_789, 10), "12.346");
        assert_eq!(number(&linear(0.0, 1e9), 0.123_456_789, 10), "123456789");
        assert_eq!(number(&linear(0.0, 1e-9), 0.123_456_789, 10), "0.00000000012346");
        // To three decimals this is above its largest value.
        assert_eq!(number(&linear(0.0, 99.999_6), 1.0, 10), "99.9996");
        assert_eq!(number(&column(0.0, 1000.0, ColumnScale::Log), 0.0, 10), "0.00000");
        assert_eq!(number(&column(0.0, 1000.0, ColumnScale::Log), 1.0, 10), "1000.00");
    }
}
