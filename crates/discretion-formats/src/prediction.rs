//! What predictions of a number are made of, for whoever makes them.

use crate::number::NumberModel;

/// What is said of an outcome: its prediction, and what a new row's outcome lies between.
const SAID: [&str; 3] = ["prediction", "lower", "upper"];

/// What predictions of one outcome are made of.
pub struct PredictionParts {
    /// The coefficients; behind them vectors whose squared products with a row are what its
    /// variance is above that of residuals.
    pub vectors: Vec<Vec<f64>>,
    /// The variance of residuals.
    pub residual: f64,
}

impl NumberModel {
    /// What predictions of the first outcome are made of.
    pub fn prediction_parts(&self) -> Result<PredictionParts, String> {
        let (residual, axes) = match self.solution()? {
            Some(solution) => solution.prediction_parts().map_err(|error| error.to_string())?,
            None => (0.0, Vec::new()),
        };
        // Vectors of the fit are for columns of size 1.
        let axes = axes.into_iter().map(|axis| axis.into_iter().map(|x| x / self.size()).collect());
        Ok(PredictionParts {
            vectors: std::iter::once(self.theta()).chain(axes).collect(),
            residual,
        })
    }

    /// What is said of a row: its prediction and, if there is a model of residuals, the ends of an
    /// interval. Of several outcomes each has its own.
    pub fn said(&self) -> Vec<Vec<String>> {
        let each = self.each();
        let names = |model: &NumberModel| {
            let said = if model.fit.squares.is_some() { &SAID[..] } else { &SAID[..1] };
            let column = &model.schema.target().column;
            let name = |said: &&str| match each.len() {
                1 => (*said).to_owned(),
                _ => format!("{said}_{column}"),
            };
            said.iter().map(name).collect()
        };
        each.iter().map(names).collect()
    }
}
