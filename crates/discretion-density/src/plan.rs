//! A density, planned from public numbers before a row is looked at.

use super::{Axis, Bins, Density, DensityError, Histograms, Points, Wanted, default_candidates};
use discretion_choose::split::{is_share, validation_rows};
use discretion_choose::{Procedure, Rows, Rule, Trainer, TuneError, Validation};
use discretion_privacy::account::Event;
use discretion_privacy::noise::{IntegerNoise, Released, Source};
use discretion_privacy::{Budget, ROUNDING_SLACK, Zcdp};

// `cargo run --release -p discretion --example density_shares` is the measurement behind these
// three.

/// The share of the budget that pays for choosing the bins.
pub const SELECTION_SHARE: f64 = 0.5;

/// The share of the rows that scores the candidates.
pub const VALIDATION_SHARE: f64 = 0.3;

/// The highest density that scores see, as a multiple of the even one.
pub const CEILING: u32 = 32;

/// What density is wanted, and what it may cost.
#[derive(Clone, Debug, PartialEq)]
pub struct Histogram {
    /// The columns.
    pub axes: Vec<Axis>,
    /// What to choose from; `None` takes [`default_candidates`]. With one candidate there is no
    /// choice to pay for.
    pub candidates: Option<Vec<Bins>>,
    /// What this run may spend. A δ is not used.
    pub budget: Budget,
    /// The share of the budget for the choice.
    pub selection_share: f64,
    /// The share of the rows that scores the candidates.
    pub validation_share: f64,
    /// How the choice is made.
    pub rule: Rule,
    /// Candidates are compared by densities up to this many times the even one: what is higher
    /// counts as that high. A low ceiling makes scores stable and the choice sharp; it does not cut
    /// off what is published.
    pub ceiling: u32,
}

/// Everything public about a density's run.
pub struct HistogramPlan {
    rows: usize,
    budget: Budget,
    histograms: Histograms,
    choice: Option<PlannedChoice>,
}

#[derive(Clone, Copy)]
struct PlannedChoice {
    epsilon: f64,
    rule: Rule,
    validation_share: f64,
    rows: Rows,
}

impl Histogram {
    /// The density of these columns with the default shares.
    pub fn new(axes: Vec<Axis>, budget: Budget) -> Histogram {
        Histogram {
            axes,
            candidates: None,
            budget,
            selection_share: SELECTION_SHARE,
            validation_share: VALIDATION_SHARE,
            rule: Rule::Uniform { doubt: 0.05 },
            ceiling: CEILING,
        }
    }

    /// Checks the request and fixes every public number of the run.
    pub fn plan(&self, rows: usize) -> Result<HistogramPlan, DensityError> {
        self.budget.checked()?;
        for (what, share) in
            [("selection", self.selection_share), ("validation", self.validation_share)]
        {
            if !is_share(share) {
                return Err(DensityError::Share { what, share });
            }
        }
        let counts_share = (1.0 - self.selection_share) * (1.0 - ROUNDING_SLACK);
        let for_counts = count_noise(self.budget, counts_share);
        if let Some(candidates) = &self.candidates {
            return self.plan_with(candidates.clone(), rows, for_counts);
        }
        let mut candidates = default_candidates(&self.axes, rows, for_counts.deviation());
        loop {
            match self.plan_with(candidates.clone(), rows, for_counts) {
                // Nobody asked for the finest one.
                Err(DensityError::TooFewRows { .. }) if candidates.len() > 1 => candidates.pop(),
                other => return other,
            };
        }
    }

    fn plan_with(
        &self,
        candidates: Vec<Bins>,
        rows: usize,
        for_counts: IntegerNoise,
    ) -> Result<HistogramPlan, DensityError> {
        let is_a_choice = candidates.len() > 1;
        let noise = if is_a_choice { for_counts } else { count_noise(self.budget, 1.0) };
        let histograms =
            Histograms::new(self.axes.clone(), candidates, noise, self.rule.doubt(), self.ceiling)?;
        let validating =
            |rows| if is_a_choice { validation_rows(rows, self.validation_share) } else { 0 };
        self.check_rows(&histograms, rows, |rows| rows - validating(rows))?;
        let choice = is_a_choice.then(|| PlannedChoice {
            epsilon: scaled(self.budget, self.selection_share).as_pure().epsilon,
            rule: self.rule,
            validation_share: self.validation_share,
            rows: Rows { training: rows - validating(rows), validation: validating(rows) },
        });
        let plan = HistogramPlan { rows, budget: self.budget, histograms, choice };
        // What selection refuses, it refuses now.
        plan.validation().transpose()?;
        Ok(plan)
    }

    /// n ≥ 1 + νn for the finest candidate.
    fn check_rows(
        &self,
        histograms: &Histograms,
        rows: usize,
        training: impl Fn(usize) -> usize,
    ) -> Result<(), DensityError> {
        let cells = histograms.candidates().iter().map(Bins::cells).max().unwrap_or(1);
        let below = histograms.noise_below(cells);
        let enough = |rows: usize| training(rows) as f64 >= 1.0 + below;
        if enough(rows) {
            return Ok(());
        }
        let mut needed = 1;
        while !enough(needed) && needed < usize::MAX / 4 {
            needed *= 2;
        }
        let mut too_few = needed / 2;
        while needed - too_few > 1 {
            let middle = too_few + (needed - too_few) / 2;
            if enough(middle) {
                needed = middle;
            } else {
                too_few = middle;
            }
        }
        // νn is proportional to 1/ε or 1/√ρ.
        let times = below / (training(rows) as f64 - 1.0) * (1.0 + 1e-9);
        let larger = match self.budget {
            Budget::Pure { epsilon } => Budget::Pure { epsilon: epsilon * times },
            Budget::Approximate { epsilon, delta } => {
                Budget::Approximate { epsilon: epsilon * times, delta }
            }
            Budget::Zcdp { rho } => Budget::Zcdp { rho: rho * times * times },
        };
        let smallest = if times > 0.0 { larger.checked().ok() } else { None };
        Err(DensityError::TooFewRows { rows, budget: self.budget, cells, needed, smallest })
    }
}

impl HistogramPlan {
    /// The public number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// What is chosen from.
    pub fn candidates(&self) -> &[Bins] {
        self.histograms.candidates()
    }

    /// What the run may spend.
    pub fn budget(&self) -> Budget {
        self.budget
    }

    /// What is added to the counts.
    pub fn noise(&self) -> IntegerNoise {
        self.histograms.noise()
    }

    /// What running this plan does to the table, for an account.
    pub fn event(&self) -> Event {
        match self.validation() {
            Some(validation) => validation.expect("planned before").event_with_training(),
            None => self.histograms.price(self.rows),
        }
    }

    /// What has to be counted where others hold the rows.
    pub fn wanted(&self) -> Wanted {
        Wanted::new(self.candidates(), self.choice.map(|choice| choice.validation_share))
    }

    /// Chooses the bins and releases the density.
    ///
    /// Postcondition: the released density satisfies [`HistogramPlan::budget`] for replace-one
    /// neighbours, if `source` is the operating system.
    pub fn run(
        &self,
        points: &Points,
        source: &mut dyn Source,
    ) -> Result<Released<Density>, DensityError> {
        if points.rows() != self.rows || points.axes() != self.histograms.axes() {
            return Err(DensityError::OtherTable { planned: self.rows, found: points.rows() });
        }
        match (self.choice, self.validation()) {
            (Some(choice), Some(validation)) => {
                let (training, scoring) = points.split(choice.validation_share);
                let tuned = validation?.validate_then_train(&training, &scoring, points, source);
                match tuned {
                    Ok(tuned) => Ok(tuned.output),
                    Err(TuneError::Noise(error) | TuneError::Procedure(error)) => Err(error.into()),
                    Err(TuneError::Rows { .. } | TuneError::Union { .. }) => {
                        unreachable!("split as planned")
                    }
                }
            }
            _ => Ok(self.histograms.release(points, &self.candidates()[0], source)?),
        }
    }

    fn validation(&self) -> Option<Result<Validation<'_, Histograms>, DensityError>> {
        self.choice.map(|choice| {
            Ok(Validation::plan(&self.histograms, choice.rows, choice.rule, choice.epsilon)?)
        })
    }
}

/// The noise on counts that a share of the budget pays for: one row takes 1 from one count and adds
/// it to another.
fn count_noise(budget: Budget, share: f64) -> IntegerNoise {
    match scaled(budget, share) {
        Budget::Zcdp { rho } => {
            IntegerNoise::Gaussian { squared_sensitivity: 2, budget: Zcdp { rho } }
        }
        // Under (ε, δ) too: for two counts that move by 1 Gaussian noise would be larger.
        pure => IntegerNoise::Laplace { sensitivity: 2, budget: pure.as_pure() },
    }
}

/// A share of ε or ρ.
fn scaled(budget: Budget, share: f64) -> Budget {
    match budget {
        Budget::Pure { epsilon } => Budget::Pure { epsilon: epsilon * share },
        Budget::Approximate { epsilon, delta } => {
            Budget::Approximate { epsilon: epsilon * share, delta }
        }
        Budget::Zcdp { rho } => Budget::Zcdp { rho: rho * share },
    }
}
