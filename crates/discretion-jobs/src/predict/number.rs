//! Predictions of a number, in the outcome's unit, each with an interval for a new row's outcome.
//! Of several outcomes the columns have their names.

use super::{Prediction, Predictions, json_text};
use discretion::Refusal;
use discretion::erm::matrix::{Batch, Layout, all_margins};
use discretion_formats::{NumberModel, PredictionParts};
use discretion_report::report::normal_quantile;
use discretion_table::OutcomeScale;

pub struct Numbers {
    outcomes: Vec<OneNumber>,
    json: bool,
}

/// What is said of one outcome.
struct OneNumber {
    scale: OutcomeScale,
    /// What its columns are called.
    names: Vec<String>,
    layout: Layout,
    /// The coefficients; behind them vectors whose squared products with a row are what its
    /// variance is above that of residuals.
    thetas: Vec<f64>,
    residual: f64,
    /// How many deviations an interval reaches. Nothing without a model of residuals.
    times: Option<f64>,
}

impl Numbers {
    pub fn new(model: &NumberModel, asked: &Prediction<'_>) -> Result<Numbers, Refusal> {
        let damaged = |sentence: String| Refusal::bad_file(asked.model_file, sentence);
        let outcome = |(model, names): (&NumberModel, Vec<String>)| {
            let PredictionParts { vectors, residual } =
                model.prediction_parts().map_err(damaged)?;
            Ok(OneNumber {
                scale: model.scale(),
                names,
                layout: model.schema.encoder().layout(),
                thetas: vectors.concat(),
                residual,
                times: model.fit.squares.as_ref().map(|fit| normal_quantile(fit.level)),
            })
        };
        let outcomes =
            model.each().iter().zip(model.said()).map(outcome).collect::<Result<_, Refusal>>()?;
        Ok(Numbers { outcomes, json: asked.json })
    }
}

impl OneNumber {
    /// The numbers of each row, one for each name.
    fn values(&self, batch: Batch) -> impl Iterator<Item = Vec<f64>> {
        let values = |parts: Vec<f64>| {
            let (&place, parts) = parts.split_first().expect("there are coefficients");
            let Some(times) = self.times else { return vec![self.scale.value(place)] };
            let half =
                times * parts.iter().fold(self.residual, |sum, part| sum + part * part).sqrt();
            [place, place - half, place + half].map(|place| self.scale.value(place)).to_vec()
        };
        all_margins(&self.layout, batch, &self.thetas).into_iter().map(values)
    }
}

impl Predictions for Numbers {
    fn columns(&self) -> Vec<String> {
        self.outcomes.iter().flat_map(|outcome| outcome.names.clone()).collect()
    }

    fn fields(&self, batch: Batch) -> Vec<String> {
        let rows = self.outcomes.iter().map(|outcome| outcome.values(batch.clone()));
        let mut rows: Vec<_> = rows.collect();
        let names: Vec<String> = self.columns().iter().map(|name| json_text(name)).collect();
        let mut fields = Vec::new();
        while let Some(values) = rows.iter_mut().map(Iterator::next).collect::<Option<Vec<_>>>() {
            let values = values.into_iter().flatten();
            let said: Vec<String> = match self.json {
                true => names
                    .iter()
                    .zip(values)
                    .map(|(name, value)| format!("{name}:{value}"))
                    .collect(),
                false => values.map(|value| value.to_string()).collect(),
            };
            fields.push(said.join(","));
        }
        fields
    }
}
