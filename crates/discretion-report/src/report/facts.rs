//! What a report is made of: plain data.

/// The column that was to be predicted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// Its name.
    pub column: String,
    /// The values that count as positive.
    pub positive: Vec<String>,
    /// The values that count as negative; without a list, all that are not positive.
    pub negative: Option<Vec<String>>,
    /// What the positive class is called, if not by its values.
    pub label: Option<String>,
}

/// The strength of the regularisation.
#[derive(Clone, Debug, PartialEq)]
pub struct Lambda {
    /// λ.
    pub value: f64,
    /// How it was chosen or tuned, a sentence each.
    pub chosen: Vec<String>,
    /// Said beside the intervals where λ is so large that it matters to them.
    pub warning: Option<String>,
}

/// One coefficient.
#[derive(Clone, Debug, PartialEq)]
pub struct Coefficient {
    /// Its name in the model file.
    pub name: String,
    /// What it belongs to.
    pub place: Place,
    /// On the encoded scale, where rows have length at most 1.
    pub encoded: Estimate,
    /// In the column's own unit; none where rows were divided by their own length.
    pub own_unit: Option<OwnUnit>,
    /// What a person asks of it; none for the intercept and for the value that a column's others
    /// are compared with.
    pub effect: Option<Effect>,
    /// Two-sided, for "no effect".
    pub p_value: Option<f64>,
    /// Where there is no interval: where the rows say nothing, noise for privacy alone keeps this
    /// and all other effects within as much around 0, in 19 of 20 runs.
    pub noise: Option<f64>,
}

/// How the margin changes from the middle of a number's range to its end, or from a column's first
/// category to this one.
#[derive(Clone, Debug, PartialEq)]
pub struct Effect {
    /// The category it is compared with.
    pub against: Option<String>,
    /// The estimate.
    pub estimate: Estimate,
}

/// What a coefficient belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// Every row alike.
    Intercept,
    /// A column of numbers.
    Number {
        /// Its name.
        column: String,
    },
    /// A value of a column of categories.
    Category {
        /// The column's name.
        column: String,
        /// The value.
        value: String,
    },
}

/// A coefficient in the unit of its column.
#[derive(Clone, Debug, PartialEq)]
pub struct OwnUnit {
    /// What it multiplies, such as `ln(1 + days)`.
    pub of: String,
    /// The estimate for one more of it.
    pub estimate: Estimate,
}

/// An estimate, with its interval if there is one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The estimate; NaN if only the declared bound speaks.
    pub value: f64,
    /// The interval at the report's level.
    pub interval: Option<Interval>,
}

/// A confidence interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// Its lower end.
    pub lower: f64,
    /// Its upper end.
    pub upper: f64,
    /// Half the width that an interval at the same level would have without the noise for privacy.
    pub sampling_half_width: Option<f64>,
    /// And with no noise but that in the matrices which widths are computed from, if rows were no
    /// sample.
    pub matrices_half_width: Option<f64>,
    /// Where what the penalty can have taken is in it.
    pub bound: Option<Bound>,
}

/// Intervals of ordinary coefficients.
#[derive(Clone, Debug, PartialEq)]
pub struct Ordinary {
    /// Effects by what their intervals say, each with a heading.
    pub findings: Vec<(&'static str, String)>,
    /// What they cover.
    pub covers: String,
    /// Why widths are only roughly known, if they are.
    pub rough: Option<String>,
}

/// What the declared bound does to an interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bound {
    /// Half the width that the interval would have without it.
    pub half_width_without: f64,
    /// The shares of sampling, of noise for privacy and of the bound, by their squares.
    pub shares: [f64; 3],
}

impl Interval {
    /// Half its width.
    pub(crate) fn half_width(&self) -> f64 {
        (self.upper - self.lower) / 2.0
    }

    /// The part of its width that would be left without the noise for privacy.
    pub(super) fn sampling_share(&self) -> Option<f64> {
        let share = self.sampling_half_width? / self.half_width();
        // Quantiles of random draws can be off by a little; a part is never more than the whole.
        share.is_finite().then_some(share.clamp(0.0, 1.0))
    }

    /// The shares of sampling, of the noise in the coefficients and of the noise in the matrices in
    /// the squared width.
    pub(super) fn shares(&self) -> Option<[f64; 3]> {
        let sampling = self.sampling_share()?.powi(2);
        let matrices = (self.matrices_half_width? / self.half_width()).powi(2).min(1.0 - sampling);
        Some([sampling, 1.0 - sampling - matrices, matrices])
    }

    /// Whether it contains "no effect".
    pub(super) fn contains_zero(&self) -> bool {
        (self.lower..=self.upper).contains(&0.0)
    }
}

/// An account of a ledger, after this run.
#[derive(Clone, Debug, PartialEq)]
pub struct Account {
    /// Its name.
    pub name: String,
    /// What it is counted in: ε or ρ.
    pub symbol: String,
    /// What this run costs alone.
    pub run: f64,
    /// What all runs cost together, this one included.
    pub spent: f64,
    /// What may be spent in all.
    pub cap: f64,
    /// The δ of an (ε, δ) cap.
    pub delta: Option<f64>,
}

/// Where a page comes from, and how to check it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// Name and version of the program that trained the model.
    pub program: String,
    /// The model file that the page was made from.
    pub model_file: String,
    /// Its SHA-256 in hexadecimal digits.
    pub sha256: Option<String>,
    /// The charge that paid for it.
    pub charge: Option<Charge>,
}

/// An entry of a ledger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Charge {
    /// The account.
    pub account: String,
    /// The number of the entry.
    pub number: u64,
    /// The ledger's file, if it is not where the program looks by itself.
    pub ledger: Option<String>,
}

impl Coefficient {
    /// What the picture and the words are about: the effect, or the encoded coefficient in a report
    /// without effects.
    pub(super) fn estimate(&self) -> Estimate {
        self.effect.as_ref().map_or(self.encoded, |effect| effect.estimate)
    }

    /// The estimate in the column's own unit; a category's is its difference from the one it is
    /// compared with.
    pub(crate) fn in_own_unit(&self) -> Option<Estimate> {
        match &self.effect {
            Some(Effect { against: Some(_), estimate }) => Some(*estimate),
            _ => self.own_unit.as_ref().map(|own| own.estimate),
        }
    }

    /// What a person reads where it does not stand under its column's name.
    pub(crate) fn full_label(&self) -> String {
        match self.heading_and_label() {
            (Some(column), value) => format!("{column}: {value}"),
            (None, label) => label.to_owned(),
        }
    }

    /// Its column and what a person reads beside it.
    pub(crate) fn heading_and_label(&self) -> (Option<&str>, &str) {
        match &self.place {
            Place::Intercept => (None, "intercept"),
            Place::Number { column } => (None, visible(column)),
            Place::Category { column, value } => (Some(visible(column)), visible(value)),
        }
    }
}

/// A name as it is, or a word where nothing would be seen.
pub(super) fn visible(name: &str) -> &str {
    if name.trim().is_empty() { "(empty)" } else { name }
}
