//! Writes sample pages and charts to look at, each page with the numbers it was made from.
//!
//!     cargo run --release -p discretion-report --example sample_report -- DIR
//!
//! DIR gets a folder for each page (report.html and model.json), and a folder of charts. All
//! numbers are invented.

mod awkward;
mod census;
mod charts;
mod codes;
mod invent;
mod patients;

use discretion_report::Report;
use serde_json::{Value, json};
use std::path::Path;

fn main() -> std::io::Result<()> {
    let Some(folder) = std::env::args_os().nth(1) else {
        eprintln!("name the folder to write to");
        std::process::exit(2);
    };
    let folder = Path::new(&folder);
    let pages = [
        ("patients", patients::report()),
        ("patients-without-intervals", without_intervals(patients::report())),
        ("patients-not-private", not_private(patients::report())),
        ("census", census::report()),
        ("awkward", awkward::report()),
        ("codes", codes::report()),
        ("codes-without-intervals", codes::with_noise()),
    ];
    for (name, report) in pages {
        let folder = folder.join(name);
        std::fs::create_dir_all(&folder)?;
        std::fs::write(folder.join("report.html"), report.to_html())?;
        std::fs::write(folder.join("model.json"), format!("{:#}\n", model(&report)))?;
    }
    let folder = folder.join("charts");
    std::fs::create_dir_all(&folder)?;
    for (name, drawing) in charts::charts() {
        std::fs::write(folder.join(format!("{name}.svg")), drawing.standalone())?;
    }
    Ok(())
}

fn without_intervals(mut report: Report) -> Report {
    report.level = None;
    for coefficient in &mut report.coefficients {
        coefficient.encoded.interval = None;
        coefficient.p_value = None;
        if let Some(own) = &mut coefficient.own_unit {
            own.estimate.interval = None;
        }
        if let Some(effect) = &mut coefficient.effect {
            effect.estimate.interval = None;
        }
    }
    report
}

fn not_private(report: Report) -> Report {
    let mut report = without_intervals(report);
    report.not_private = Some(
        "trained without noise for the custodian's own eyes; never publish this file".to_owned(),
    );
    (report.guarantee, report.account, report.origin.charge) = (None, None, None);
    report
}

/// The part of a model file that a page shows.
fn model(report: &Report) -> Value {
    let coefficients = report.coefficients.iter().map(|coefficient| {
        let mut entry = json!({ "name": coefficient.name, "encoded": coefficient.encoded.value });
        if let Some(interval) = coefficient.encoded.interval {
            entry["interval"] = json!({ "lower": interval.lower, "upper": interval.upper });
        }
        if let Some(effect) = &coefficient.effect {
            entry["effect"] = json!({ "value": effect.estimate.value });
            if let Some(interval) = effect.estimate.interval {
                entry["effect"]["interval"] =
                    json!({ "lower": interval.lower, "upper": interval.upper });
            }
        }
        entry
    });
    json!({ "format": "sample", "coefficients": coefficients.collect::<Vec<_>>() })
}
