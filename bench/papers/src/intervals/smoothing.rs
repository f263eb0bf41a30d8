//! Over which width the corner of a hinge should be rounded: coverage and length of the key
//! setting's SVM by h.

use super::columns::{ADULT_FROM_THE_LEFT, BANK_FROM_THE_LEFT};
use super::measure::measure_ours;
use super::population::{Population, Values};
use super::setting::{self, Setting};
use crate::{Failure, Options, Progress, Results};
use discretion::loss::{HalfWidth, LossKind};
use serde_json::json;

/// The widths that are compared.
const WIDTHS: [f64; 3] = [0.5, 1.0, 2.0];

/// The parts of the budget at the key setting.
const EPSILONS: [f64; 3] = [0.5, 0.25, 0.25];

/// Measures the four SVM cells of each table for every width, or for `only` one.
pub fn smoothing(
    options: &Options,
    replicates: usize,
    only: Option<f64>,
    progress: Progress<'_>,
) -> Result<Results, Failure> {
    let widths = only.map_or(WIDTHS.to_vec(), |h| vec![h]);
    let tables = tables(options)?;
    let cells: Vec<Setting> = setting::all(EPSILONS)
        .into_iter()
        .filter(|setting| setting.loss != LossKind::Logistic)
        .collect();
    let (mut done, of) = (0, tables.len() * cells.len() * widths.len());
    let heads: String = widths.iter().map(|h| format!("{:>18}", format!("h = {h}"))).collect();
    let mut text = format!(
        "coverage, and length over the variability interval, {replicates} replicates\n{:30}{heads}\n",
        ""
    );
    let mut json = Vec::new();
    for (name, population) in &tables {
        for setting in &cells {
            text.push_str(&format!("{:30}", format!("{name}, {}", setting.name())));
            for &h in &widths {
                let loss =
                    LossKind::hinge(HalfWidth::new(h).ok_or_else(|| {
                        Failure(format!("no hinge has its corner rounded over {h}"))
                    })?);
                let setting = Setting { loss, ..*setting };
                let tally = measure_ours(
                    population,
                    &setting.training(),
                    setting.split(),
                    replicates,
                    options.seed,
                )?;
                text.push_str(&format!(
                    "{:>18}",
                    format!("{:.4} {:.3}", tally.coverage, tally.ratio())
                ));
                json.push(
                    json!({ "table": name, "setting": setting.name(), "h": h, "measured": tally }),
                );
                done += 1;
                progress(done, of);
            }
            text.push('\n');
        }
    }
    let json = serde_json::to_string_pretty(&json).map_err(|error| Failure(error.to_string()))?;
    Ok(Results { text, json, figures: Vec::new() })
}

fn tables(options: &Options) -> Result<Vec<(&'static str, Population)>, Failure> {
    if options.quick {
        return Ok(vec![(
            "made up",
            Values::made_up(4000, 4, options.seed).population(4, None, options.seed),
        )]);
    }
    let folder = options.data.as_deref();
    let folder =
        folder.ok_or_else(|| Failure("the folder with the public tables is missing".to_owned()))?;
    let read = |(name, chosen)| {
        Ok((name, Values::read(chosen, folder)?.population(10, None, options.seed)))
    };
    [("Adult", &ADULT_FROM_THE_LEFT), ("Banking", &BANK_FROM_THE_LEFT)]
        .into_iter()
        .map(read)
        .collect()
}
