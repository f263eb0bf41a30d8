//! Predictions of a number, in the outcome's unit, each with an interval for a new row's outcome.

use super::{Prediction, Says};
use discretion::Refusal;
use discretion::erm::matrix::{Batch, Layout, margins};
use discretion_formats::NumberModel;
use discretion_report::report::normal_quantile;

pub struct Numbers<'m> {
    model: &'m NumberModel,
    layout: Layout,
    theta: Vec<f64>,
    json: bool,
    /// The variance of residuals, and vectors whose squared products with a row are the rest of its variance.
    residual: f64,
    axes: Vec<Vec<f64>>,
    /// How many deviations an interval reaches.
    times: f64,
}

impl<'m> Numbers<'m> {
    pub fn new(model: &'m NumberModel, asked: &Prediction<'_>) -> Result<Numbers<'m>, Refusal> {
        let damaged = |sentence: String| Refusal::bad_file(asked.model_file, sentence);
        let solution = model.solution().map_err(damaged)?;
        let (residual, axes) = solution.prediction_parts().map_err(|error| damaged(error.to_string()))?;
        // Vectors of the fit are for columns of size 1.
        let divided = |axis: Vec<f64>| axis.into_iter().map(|x| x / model.size()).collect();
        Ok(Numbers {
            model,
            layout: model.schema.encoder().layout(),
            theta: model.theta(),
            json: asked.json,
            residual,
            axes: axes.into_iter().map(divided).collect(),
            times: normal_quantile(model.fit.level),
        })
    }
}

impl Says for Numbers<'_> {
    fn columns(&self) -> Vec<String> {
        ["prediction", "lower", "upper"].map(str::to_owned).to_vec()
    }

    fn fields(&self, batch: Batch) -> Vec<String> {
        let scale = self.model.scale();
        let mut variances = vec![self.residual; self.layout.rows_of(&batch)];
        for axis in &self.axes {
            let parts = margins(&self.layout, batch.clone(), axis);
            variances.iter_mut().zip(parts).for_each(|(variance, part)| *variance += part * part);
        }
        let fields = |(place, variance): (f64, f64)| {
            let half = self.times * variance.sqrt();
            let [prediction, lower, upper] =
                [place, place - half, place + half].map(|place| scale.value(place));
            match self.json {
                true => format!("\"prediction\":{prediction},\"lower\":{lower},\"upper\":{upper}"),
                false => format!("{prediction},{lower},{upper}"),
            }
        };
        margins(&self.layout, batch, &self.theta).into_iter().zip(variances).map(fields).collect()
    }
}
