//! Predictions of a number, in the outcome's unit, each with an interval for a new row's outcome.

use super::{kept_fields, open};
use crate::args::Predict;
use crate::csv::field;
use discretion::Refusal;
use discretion::erm::matrix::{Batch, margins};
use discretion_formats::NumberModel;
use discretion_table::{KeptColumns, Purpose, read_batches};

/// Predicts every row of a table.
pub fn run(args: &Predict, model: &NumberModel) -> Result<(), Refusal> {
    if let Some(name) = args.keep.iter().find(|name| COLUMNS.contains(&name.as_str())) {
        return Err(Refusal::bad_input(format!(
            "--keep {name}: the output has a column `{name}` of its own; rename the one of the table"
        )));
    }
    let damaged = |sentence: String| Refusal::bad_file(&args.model, sentence);
    let solution = model.solution().map_err(damaged)?;
    let (residual, axes) =
        solution.prediction_parts().map_err(|error| Refusal::bad_file(&args.model, error.to_string()))?;
    let times = discretion_report::report::normal_quantile(model.fit.level);
    let mut opened = open(args, model.privacy.private, &model.schema)?;

    let (theta, layout, scale) = (model.theta(), model.schema.encoder().layout(), model.scale());
    // Vectors of the fit are for columns of size 1.
    let axes: Vec<Vec<f64>> =
        axes.into_iter().map(|axis| axis.into_iter().map(|x| x / model.size()).collect()).collect();
    let mut row = 0u64;
    let each = |batch: Batch| {
        let mut text = if row == 0 { heading(args) } else { String::new() };
        let mut variances = vec![residual; layout.rows_of(&batch)];
        for axis in &axes {
            let parts = margins(&layout, batch.clone(), axis);
            variances.iter_mut().zip(parts).for_each(|(variance, part)| *variance += part * part);
        }
        for (place, variance) in margins(&layout, batch, &theta).into_iter().zip(variances) {
            row += 1;
            let copied = opened.kept.as_mut().map(KeptColumns::next_row).transpose()?.unwrap_or_default();
            let half = times * variance.sqrt();
            let values = [place, place - half, place + half].map(|place| scale.value(place));
            text.push_str(&line(args, row, &copied, values));
        }
        opened.sink.write(&text)
    };
    let reading = &opened.reading;
    read_batches(&args.file, &model.schema, Purpose::Predict, &|progress| reading.update(progress), each)?;
    opened.sink.finish()
}

/// What the output calls its own columns.
const COLUMNS: [&str; 4] = ["row", "prediction", "lower", "upper"];

fn heading(args: &Predict) -> String {
    if args.json {
        return String::new();
    }
    let kept: String = args.keep.iter().map(|name| field(name) + ",").collect();
    format!("row,{kept}prediction,lower,upper\n")
}

fn line(args: &Predict, row: u64, copied: &[String], [prediction, lower, upper]: [f64; 3]) -> String {
    let kept = kept_fields(args.json, &args.keep, copied);
    if !args.json {
        return format!("{row},{kept}{prediction},{lower},{upper}\n");
    }
    format!("{{\"row\":{row},{kept}\"prediction\":{prediction},\"lower\":{lower},\"upper\":{upper}}}\n")
}
