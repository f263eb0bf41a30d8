//! A plan where nobody says how many rows there are: for plausible numbers of them.

use super::{Report, Row, TrainingPlanRequest};
use crate::arguments::Arguments;
use discretion::Refusal;
use discretion::privacy::{Budget, Unit};
use discretion_report::numbers::plain::{count, short, significant};
use discretion_report::terminal::AlignedColumns;
use discretion_report::words;
use serde_json::{Value, json};

/// From a small study to a register of a country.
const PLAUSIBLE: [usize; 5] = [1_000, 10_000, 100_000, 1_000_000, 10_000_000];

/// Plans for several numbers of rows, or why there is none.
pub struct SeveralPlans {
    plans: Vec<(usize, Result<Report, Refusal>)>,
    /// How the number of rows is said, and counted if there is a table.
    advice: String,
}

impl TrainingPlanRequest<'_> {
    /// The same for plausible numbers of rows, whatever `rows` says. What none of them allows is
    /// refused.
    pub fn plan_several(&self) -> Result<SeveralPlans, Refusal> {
        let plan = |rows: usize| (rows, TrainingPlanRequest { rows, ..*self }.plan());
        let plans: Vec<(usize, Result<Report, Refusal>)> =
            PLAUSIBLE.map(plan).into_iter().collect();
        match plans.iter().any(|(_, plan)| plan.is_ok()) {
            true => Ok(SeveralPlans { plans, advice: self.how_to_say_rows() }),
            // The one for the most rows: what is left to complain about then is not their number.
            false => Err(plans
                .into_iter()
                .rev()
                .find_map(|(_, plan)| plan.err())
                .expect("all were refused")),
        }
    }

    fn how_to_say_rows(&self) -> String {
        let said = match (self.arguments, self.unit()) {
            (Arguments::Flags, Unit::Row) => "--rows N gives",
            (Arguments::Flags, Unit::Person) => "--persons N gives",
            (Arguments::Keywords, _) => "rows=N gives",
            (Arguments::Fields, _) => "write it down for",
        };
        let counted = match (self.arguments, self.study) {
            (Arguments::Flags, Some(study)) => format!(
                "; `discretion fit {} --dry-run` counts those of {}, and charges nothing",
                study.path.display(),
                study.data.path.display()
            ),
            _ => String::new(),
        };
        format!(
            "Nobody said how many {} there are, which is a public number: {said} the whole plan{counted}.",
            self.unit().plural()
        )
    }
}

impl SeveralPlans {
    /// As JSON.
    pub fn json(&self) -> String {
        let plan = |(rows, plan): &(usize, Result<Report, Refusal>)| match plan {
            Ok(report) => serde_json::to_value(report).expect("a plan is plain data"),
            Err(refusal) => json!({ "rows": rows, "refused": refusal.to_string() }),
        };
        let plans: Vec<Value> = self.plans.iter().map(plan).collect();
        serde_json::to_string_pretty(&json!({ "plans": plans })).expect("plans are plain data")
            + "\n"
    }

    /// For people.
    pub fn text(&self) -> String {
        let first =
            self.plans.iter().find_map(|(_, plan)| plan.as_ref().ok()).expect("there is a plan");
        let mut table = AlignedColumns::new(&[
            first.unit.plural(),
            "lambda",
            "mechanism",
            "noise",
            "expected error",
            "worst error",
            "",
        ]);
        for (rows, plan) in &self.plans {
            table.row(match plan {
                Ok(report) => line(*rows, report),
                Err(_) => {
                    let mut cells = vec![String::new(); 7];
                    (cells[0], cells[2]) = (count(*rows), "too few".to_owned());
                    cells
                }
            });
        }
        format!(
            "{}\n\ncoefficients     {}\nloss             {}\n\n{}\n{}\n",
            first.statement,
            count(first.dimension),
            first.loss,
            table.render(),
            self.advice
        )
    }
}

fn line(rows: usize, report: &Report) -> Vec<String> {
    let Row { mechanism, noise, expected_error, worst_error, .. } = &report.mechanisms[0];
    let remark = match report.budget {
        Budget::Approximate { delta, .. } if delta * rows as f64 >= 1.0 => {
            "delta is too large for so many"
        }
        _ => "",
    };
    vec![
        count(rows),
        significant(report.lambda, 3),
        words::mechanism(*mechanism).to_owned(),
        words::law(noise).to_owned(),
        short(*expected_error),
        short(*worst_error),
        remark.to_owned(),
    ]
}
