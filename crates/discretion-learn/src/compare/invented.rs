//! Invented rows with a known truth: of the public schema alone, so nothing is told by them.

use discretion::noise::Seeded;
use discretion_table::{Classes, Kind, NumberRange, PlainRows, Schema};
use serde::Serialize;

/// How classes follow from columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Truth {
    /// The odds rise or fall along every column.
    Straight,
    /// They rise towards both ends of a number.
    Bent,
}

/// How much the columns tell: with two classes of the same size the best guess is right nine times
/// in ten.
const STRENGTH: f64 = 4.0;

/// So many columns matter, of two classes the first one most.
const MATTER: usize = 5;

/// Draws rows of a schema.
pub(crate) struct Inventor<'s> {
    schema: &'s Schema,
    classes: usize,
    truth: Truth,
    /// Added to the second of two classes, so that it has its share.
    shift: f64,
    source: Seeded,
}

impl<'s> Inventor<'s> {
    /// Rows of which the second of two classes has this share; several classes have about the same.
    pub(crate) fn new(
        schema: &'s Schema,
        classes: &Classes,
        truth: Truth,
        share: f64,
        seed: u64,
    ) -> Self {
        let (classes, source) = (classes.count(), Seeded::new(seed));
        let mut inventor = Inventor { schema, classes, truth, shift: 0.0, source };
        let places: Vec<Vec<f64>> = (0..1000).map(|_| inventor.values().2).collect();
        let odds: Vec<f64> = places.iter().map(|places| inventor.odds(places, 1)).collect();
        let (mut low, mut high) = (-30.0, 30.0);
        for _ in 0..40 {
            let shift = 0.5 * (low + high);
            let mean =
                odds.iter().map(|odds| 1.0 / (1.0 + (-odds - shift).exp())).sum::<f64>() / 1000.0;
            (low, high) = if mean < share { (shift, high) } else { (low, shift) };
        }
        inventor.shift = low;
        inventor
    }

    /// So many rows, with their classes.
    pub(crate) fn rows(&mut self, count: usize) -> PlainRows {
        let mut rows = PlainRows::new(self.schema);
        for _ in 0..count {
            let (numbers, codes, places) = self.values();
            let class = self.class(&places);
            rows.append(numbers, codes, vec![class]);
        }
        rows
    }

    /// Numbers and codes of a row, and where each column lies from −1 to 1.
    fn values(&mut self) -> (Vec<f32>, Vec<u16>, Vec<f64>) {
        let (mut numbers, mut codes, mut places) = (Vec::new(), Vec::new(), Vec::new());
        for column in self.schema.columns() {
            match &column.kind {
                Kind::Category { values, .. } => {
                    let code = (self.source.unit() * values.len() as f64) as usize;
                    codes.push(code as u16);
                    // Not in the order of the list, so that a learner must find it.
                    let place =
                        if code.is_multiple_of(2) { code / 2 } else { values.len() - 1 - code / 2 };
                    places.push(2.0 * (place as f64 + 0.5) / values.len() as f64 - 1.0);
                }
                Kind::Dropped => {}
                kind => {
                    let NumberRange { min, max, .. } =
                        kind.range().expect("all others are numbers");
                    let unit = self.source.unit();
                    numbers.push((min + (max - min) * unit) as f32);
                    let place = 2.0 * unit - 1.0;
                    places.push(if self.truth == Truth::Bent {
                        2.0 * place.abs() - 1.0
                    } else {
                        place
                    });
                }
            }
        }
        (numbers, codes, places)
    }

    /// The odds of a class, on the scale of logarithms.
    fn odds(&self, places: &[f64], class: usize) -> f64 {
        let sizes = |column: usize| 1.0 / (1.0 + column as f64);
        let count = places.len().min(MATTER);
        let length = (0..count).map(|column| sizes(column).powi(2)).sum::<f64>().sqrt();
        let of_column = |column: usize| {
            let sign = if (column + class).is_multiple_of(2) { 1.0 } else { -1.0 };
            sign * sizes((column + count + class - 1) % count) * places[column]
        };
        // Places are uniform: their variance is 1/3.
        STRENGTH * (0..count).map(of_column).sum::<f64>() / (length * f64::sqrt(1.0 / 3.0))
    }

    fn class(&mut self, places: &[f64]) -> u16 {
        let odds: Vec<f64> = (0..self.classes)
            .map(|class| match (self.classes, class) {
                (2, 0) => 0.0,
                (2, _) => self.odds(places, 1) + self.shift,
                _ => self.odds(places, class),
            })
            .collect();
        let most = odds.iter().copied().fold(f64::MIN, f64::max);
        let weights: Vec<f64> = odds.iter().map(|odds| (odds - most).exp()).collect();
        let mut left = self.source.unit() * weights.iter().sum::<f64>();
        for (class, weight) in weights.iter().enumerate() {
            left -= weight;
            if left <= 0.0 {
                return class as u16;
            }
        }
        (self.classes - 1) as u16
    }
}
