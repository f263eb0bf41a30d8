//! Tables, figures and JSON.

use super::all::{self, RareLine};
use super::methods::Method;
use super::sessions::Line;
use super::{DELTA, TableResults, needs};
use crate::{Failure, Results};
use discretion_report::Lines;
use discretion_report::chart::lines::{Point, Series, Spread};
use discretion_report::svg::{Axis, Layout};
use serde_json::json;

/// Everything that was measured.
pub fn results(measured: &[TableResults], rare: &RareLine) -> Result<Results, Failure> {
    let mut text = format!(
        "Queries answered by a vote of models trained on disjoint chunks (logistic learner, δ = {DELTA:e}).\n\
         answered: of all queries. right: of the answers. An experiment on public tables under fixed seeds; nothing here \
         is private.\n"
    );
    let needs = needs::lines();
    text.push_str(&needs_text(&needs));
    for table in measured {
        text.push_str(&table_text(table));
    }
    text.push_str(&rare_text(rare));
    let tables: Vec<serde_json::Value> = measured
        .iter()
        .map(|table| {
            json!({ "table": table.table, "rows": table.rows, "sessions": table.lines, "smallest": table.smallest,
                    "students": table.students, "all": table.all })
        })
        .collect();
    let json = json!({ "chunks": needs, "tables": tables, "rare": rare });
    let json = serde_json::to_string_pretty(&json).map_err(|error| Failure(error.to_string()))?;
    Ok(Results { text, json: json + "\n", figures: measured.iter().map(figure).collect() })
}

fn needs_text(lines: &[needs::Line]) -> String {
    let mut text = format!(
        "\nChunks needed at 5/6 agreement, β = 0.05\n{:>4} {:>7} {:>5} {:>9} {:>9} {:>14} {:>15} {:>9}\n",
        "ε", "queries", "T", "printed", "Laplace", "one threshold", "new thresholds", "Gaussian"
    );
    for line in lines {
        text.push_str(&format!(
            "{:>4} {:>7} {:>5} {:>9} {:>9} {:>14} {:>15} {:>9}\n",
            line.epsilon,
            line.queries,
            line.unstable,
            line.printed,
            line.laplace,
            line.one_threshold,
            line.new_thresholds,
            line.gaussian
        ));
    }
    text
}

fn table_text(table: &TableResults) -> String {
    let mut text = format!(
        "\n{}, {} rows\n{:<28} {:>6} {:>4} {:>7} {:>6} {:>10} {:>9} {:>8}\n",
        table.table,
        table.rows,
        "method",
        "ε",
        "T",
        "chunks",
        "rows",
        "agreement",
        "answered",
        "right"
    );
    for line in &table.lines {
        let agreement = match (line.agreement_needed, line.method) {
            (Some(share), _) => percent(share),
            (None, Method::Ours | Method::Scores) => "none".to_owned(),
            (None, _) => String::new(),
        };
        text.push_str(&format!(
            "{:<28} {:>6} {:>4} {:>7} {:>6} {:>10} {:>9} {:>8}\n",
            line.method.name(),
            line.epsilon,
            line.unstable_allowed,
            line.chunks,
            line.rows_per_chunk,
            agreement,
            percent(line.answered),
            percent(line.right)
        ));
    }
    if let Some(line) = &table.smallest {
        text.push_str(&format!(
            "\nAt least 95 % of the queries are answered down to ε = {:.3} (T = {}, {} chunks of {} rows): {} answered, {} \
             of them right.\n",
            line.epsilon,
            line.unstable_allowed,
            line.chunks,
            line.rows_per_chunk,
            percent(line.answered),
            percent(line.right)
        ));
    } else {
        text.push_str("\nAt ε = 1 fewer than 95 % of the queries are answered.\n");
    }
    text.push_str(&format!(
        "\n{:<28} {:>6} {:>8} {:>9} {:>16} {:>14}\n",
        "held-back rows told right", "ε", "answers", "student", "private model", "without noise"
    ));
    for line in &table.students {
        text.push_str(&format!(
            "{:<28} {:>6} {:>8} {:>9} {:>16} {:>14}\n",
            "",
            line.epsilon,
            line.answers,
            line.student.map_or("-".to_owned(), percent),
            percent(line.direct),
            percent(line.without_noise)
        ));
    }
    text.push_str(&all_text(&table.all));
    text
}

/// Sessions in which every query is answered.
fn all_text(lines: &[all::Line]) -> String {
    let mut text = format!(
        "\n{:<28} {:>6} {:>7} {:>6} {:>9} {:>8} {:>8} {:>11}\n",
        "every query answered", "ε", "chunks", "rows", "answered", "right", "sure", "right if so"
    );
    for line in lines {
        let (sure, sure_right) = match line.sure {
            Some((share, right)) => (percent(share), percent(right)),
            None => Default::default(),
        };
        text.push_str(&format!(
            "{:<28} {:>6} {:>7} {:>6} {:>9} {:>8} {:>8} {:>11}\n",
            line.design,
            line.epsilon,
            line.chunks,
            line.rows_per_chunk,
            percent(line.answered),
            percent(line.right),
            sure,
            sure_right
        ));
    }
    text
}

fn rare_text(line: &RareLine) -> String {
    format!(
        "\nmade-up census, {} rows, {} positive, ε = {}: a majority of {} models calls {} of the queries positive. Scores of \
         models whose classes count the same, told for every query: AUC {:.3} ({:.3} without noise).\n",
        line.rows,
        percent(line.positives),
        line.epsilon,
        line.chunks,
        percent(line.voted_positive),
        line.auc,
        line.auc_without_noise
    )
}

fn percent(share: f64) -> String {
    if share.is_nan() { "-".to_owned() } else { format!("{:.1} %", 100.0 * share) }
}

/// Answers against ε: answered, and right among all queries.
fn figure(table: &TableResults) -> (String, String) {
    let series = Method::LABELS.map(|method| {
        let lines: Vec<&Line> = table.lines.iter().filter(|line| line.method == method).collect();
        let right =
            |line: &&Line| if line.answered > 0.0 { line.answered * line.right } else { 0.0 };
        Series {
            name: method.name().to_owned(),
            points: lines
                .iter()
                .map(|line| Point { x: line.epsilon, y: 100.0 * right(line), range: None })
                .collect(),
            spread: Spread::Bars,
        }
    });
    let lines = Lines {
        title: format!("Queries answered rightly: {}", table.table),
        description:
            "Share of all queries that got the right label, against ε, for four ways to answer from the same \
                      votes."
                .to_owned(),
        size: [640.0, 420.0],
        x: Axis { label: format!("ε (δ = {DELTA:e})"), layout: Layout::Log },
        y: Axis { label: "queries answered rightly, %".to_owned(), layout: Layout::Linear },
        series: series.into(),
        reference: None,
    };
    let name = table.table.to_lowercase().replace(' ', "-");
    (format!("voting-{name}.svg"), lines.draw().standalone())
}
