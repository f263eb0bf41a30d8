//! Predictions of a number, in the outcome's unit, each with an interval for a new row's outcome.

use super::{Prediction, Says};
use discretion::Refusal;
use discretion::erm::matrix::{Batch, Layout, all_margins};
use discretion_formats::NumberModel;
use discretion_report::report::normal_quantile;

pub struct Numbers<'m> {
    model: &'m NumberModel,
    layout: Layout,
    /// The coefficients; behind them vectors whose squared products with a row are what its variance is above that of residuals.
    thetas: Vec<f64>,
    json: bool,
    residual: f64,
    /// How many deviations an interval reaches. Nothing without a model of residuals.
    times: Option<f64>,
}

impl<'m> Numbers<'m> {
    pub fn new(model: &'m NumberModel, asked: &Prediction<'_>) -> Result<Numbers<'m>, Refusal> {
        let damaged = |sentence: String| Refusal::bad_file(asked.model_file, sentence);
        let (residual, axes) = match model.solution().map_err(damaged)? {
            Some(solution) => solution.prediction_parts().map_err(|error| damaged(error.to_string()))?,
            None => (0.0, Vec::new()),
        };
        // Vectors of the fit are for columns of size 1.
        let axes = axes.into_iter().flatten().map(|x| x / model.size());
        Ok(Numbers {
            model,
            layout: model.schema.encoder().layout(),
            thetas: model.theta().into_iter().chain(axes).collect(),
            json: asked.json,
            residual,
            times: model.fit.squares.as_ref().map(|fit| normal_quantile(fit.level)),
        })
    }
}

impl Says for Numbers<'_> {
    fn columns(&self) -> Vec<String> {
        let columns = ["prediction", "lower", "upper"];
        let said = if self.times.is_some() { &columns[..] } else { &columns[..1] };
        said.iter().map(|&name| name.to_owned()).collect()
    }

    fn fields(&self, batch: Batch) -> Vec<String> {
        let scale = self.model.scale();
        let fields = |parts: Vec<f64>| {
            let (&place, parts) = parts.split_first().expect("there are coefficients");
            let Some(times) = self.times else {
                let prediction = scale.value(place);
                return if self.json {
                    format!("\"prediction\":{prediction}")
                } else {
                    prediction.to_string()
                };
            };
            let half = times * parts.iter().fold(self.residual, |sum, part| sum + part * part).sqrt();
            let [prediction, lower, upper] =
                [place, place - half, place + half].map(|place| scale.value(place));
            match self.json {
                true => format!("\"prediction\":{prediction},\"lower\":{lower},\"upper\":{upper}"),
                false => format!("{prediction},{lower},{upper}"),
            }
        };
        all_margins(&self.layout, batch, &self.thetas).into_iter().map(fields).collect()
    }
}
