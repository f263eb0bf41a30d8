//! Which loss, where nobody says so: from the number of rows and coefficients and the budget, all
//! public.
//!
//! Least squares release d² sums and serve more: intervals, R², every λ. Huber's loss releases d
//! coefficients with far less noise. So the sums are taken where their noise hardly matters.

use super::{NumberError, NumberJob, Planned, huber};
use discretion::erm::Facts;
use discretion::squares;
use discretion_table::{NumberLoss, Study};

/// Least squares are taken up to so much noise: the deviation in a mean product, times the root of
/// the number of coefficients. Chosen on nine outcomes of four tables (docs/numbers.md).
const MOST_NOISE: f64 = 0.005;

/// Past so many times that noise it is said to whoever chose least squares.
const LOUD: f64 = 4.0;

/// The loss that a study asks for: by name, or by asking for what only one of them has.
pub(crate) fn asked(study: &Study) -> Option<NumberLoss> {
    let needs_sums = study.intervals.is_some() || study.schema.outcome_scales().len() > 1;
    study.number_loss.or(needs_sums.then_some(NumberLoss::Squares))
}

/// The plan for so many rows, or persons.
pub(super) fn planned(job: &NumberJob, rows: usize) -> Result<Planned, NumberError> {
    let (layout, outcome) = job.schema.layout_with_outcome();
    let facts = Facts::of_units(job.unit, rows, &layout);
    let squares = || -> Result<squares::Plan, NumberError> {
        Ok(squares::Plan::new(job.spend, facts.clone(), job.schema.outcome_columns())?)
    };
    let huber = || -> Result<Planned, NumberError> {
        Ok(Planned::Huber(huber::plan(job, facts.clone(), outcome)?))
    };
    match job.loss {
        Some(NumberLoss::Squares) => squares().map(Planned::Squares),
        Some(NumberLoss::Huber) => huber(),
        None => match squares() {
            Ok(plan) if noise(&plan) <= MOST_NOISE => Ok(Planned::Squares(plan)),
            // What one refuses the other may still do.
            squares => huber().or_else(|_| squares.map(Planned::Squares)),
        },
    }
}

fn noise(plan: &squares::Plan) -> f64 {
    plan.mean_deviation() * (plan.facts().dimension as f64).sqrt()
}

/// The loss for so many rows. A study that cannot be planned is refused elsewhere.
pub(super) fn settled(job: &NumberJob, rows: usize) -> NumberLoss {
    match planned(job, rows) {
        Ok(Planned::Huber(_)) => NumberLoss::Huber,
        Ok(Planned::Squares(_)) => NumberLoss::Squares,
        Err(_) => job.loss.unwrap_or(NumberLoss::Squares),
    }
}

/// What is said of a choice that nobody made, or of one that is much worse for predictions.
pub(super) fn about(job: &NumberJob, plan: &Planned) -> Option<String> {
    let said = match (job.loss, plan) {
        (None, Planned::Squares(_)) => {
            "loss = \"auto\": least squares, because rows and budget make the noise of their sums small"
        }
        (None, Planned::Huber(_)) => {
            "loss = \"auto\": Huber's, because the sums of least squares would be too noisy with these rows, columns \
             and budget; intervals and R² need loss = \"squares\""
        }
        (Some(_), Planned::Squares(plan))
            if plan.outcomes() == 1 && noise(plan) > LOUD * MOST_NOISE =>
        {
            "the sums of least squares are noisy with these rows, columns and budget; Huber's loss would predict \
             better, without intervals (loss = \"huber\" in a study, HuberRegressor in Python)"
        }
        (Some(_), _) => return None,
    };
    Some(said.to_owned())
}

impl NumberJob {
    /// The same with the loss that suits so many rows, or persons.
    pub fn with_loss_for(&self, rows: usize) -> NumberJob {
        NumberJob { loss: Some(settled(self, rows)), ..self.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::Job;
    use std::path::Path;

    fn job(more: &str) -> NumberJob {
        let text = format!(
            "[data]\npath = \"t.csv\"\naccount = \"a\"\noutcome = {{ column = \"y\", min = 0, max = 10 }}\n\
             [budget]\nepsilon = 9\ndelta = 1e-3\n[spend]\nepsilon = 1\ndelta = 1e-6\n[columns]\n\
             a = {{ min = 0, max = 1 }}\nb = {{ values = [\"u\", \"v\", \"w\"] }}\n{more}"
        );
        let study = Study::parse(Path::new("study.toml"), &text).unwrap();
        NumberJob::of(&study).unwrap().unwrap()
    }

    fn is_huber(job: &NumberJob, rows: usize) -> bool {
        matches!(job.plan(rows).unwrap(), Planned::Huber(_))
    }

    #[test]
    fn sums_are_taken_where_their_noise_is_small() {
        let auto = job("");
        assert!(is_huber(&auto, 1_000) && !is_huber(&auto, 100_000));
        // The noise of means falls as rows grow, so there is one number of rows from which on it is
        // squares.
        let change = (1..200).map(|k| k * 100).find(|&rows| !is_huber(&auto, rows)).unwrap();
        assert!((1..200).all(|k| is_huber(&auto, k * 100) == (k * 100 < change)), "{change}");
        let noise_at = |rows| {
            noise(
                &squares::Plan::new(auto.spend, facts(&auto, rows), auto.schema.outcome_columns())
                    .unwrap(),
            )
        };
        assert!(noise_at(change) <= MOST_NOISE && noise_at(change - 100) > MOST_NOISE);
        for (loss, rows) in [("squares", 1_000), ("huber", 100_000)] {
            let asked = job(&format!("[model]\nloss = \"{loss}\"\n"));
            assert_eq!(is_huber(&asked, rows), loss == "huber");
        }
        assert!(!is_huber(&job("[model]\nloss = \"auto\"\n[intervals]\nlevel = 0.9\n"), 1_000));
    }

    fn facts(job: &NumberJob, rows: usize) -> Facts {
        Facts::of_units(job.unit, rows, &job.schema.layout_with_outcome().0)
    }

    #[test]
    fn the_choice_is_told_and_so_is_a_noisy_one() {
        let said = |job: &NumberJob, rows| about(job, &job.plan(rows).unwrap());
        assert!(said(&job(""), 1_000).unwrap().contains("need loss = \"squares\""));
        assert!(said(&job(""), 100_000).unwrap().contains("least squares, because"));
        let squares = job("[model]\nloss = \"squares\"\n");
        assert!(said(&squares, 300).unwrap().contains("would predict better"));
        assert_eq!(said(&squares, 100_000), None);
    }
}
