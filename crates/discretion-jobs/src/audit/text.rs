//! What an audit prints.

use super::{Found, Line};
use discretion::audit::{Claim, Settings, Side, Verdict};
use discretion_report::numbers::plain::{count, short, significant};
use discretion_report::terminal::AlignedColumns;

/// A claim as people write it.
fn claim(claim: Claim) -> String {
    if claim.delta > 0.0 {
        format!("ε = {}, δ = {}", significant(claim.epsilon, 4), short(claim.delta))
    } else {
        format!("ε = {}", significant(claim.epsilon, 4))
    }
}

/// One line of the message about refuted claims.
pub(super) fn refutation(line: &Line) -> String {
    let (at_least, how) = match &line.found {
        Found::Sampling(finding) => (finding.epsilon_at_least, "at least "),
        Found::Law(finding) => (finding.epsilon, ""),
    };
    let claimed = claim(line.claim());
    format!(
        "{}: the claim {claimed} is violated: ε is {how}{}",
        line.mechanism,
        significant(at_least, 4)
    )
}

pub(super) fn table(lines: &[Line], settings: Settings) -> String {
    let mut table =
        AlignedColumns::new(&["mechanism", "budget", "claim", "found", "share", "verdict"]);
    let mut notes = String::new();
    for line in lines {
        let found = match &line.found {
            Found::Sampling(finding) => format!("ε ≥ {}", significant(finding.epsilon_at_least, 4)),
            Found::Law(finding) => format!("ε = {}", significant(finding.epsilon, 4)),
        };
        let verdict = match line.verdict() {
            Verdict::Consistent => "consistent",
            Verdict::Violated => "VIOLATED",
        };
        table.row(vec![
            line.mechanism.clone(),
            line.budget.to_string(),
            claim(line.claim()),
            found,
            format!("{:.0} %", 100.0 * line.share),
            verdict.to_owned(),
        ]);
        notes += &note(line);
    }
    let is_exact = lines.iter().all(|line| matches!(line.found, Found::Law(_)));
    let how = if is_exact {
        "Exact laws on a grid; no sampling.".to_owned()
    } else {
        format!(
            "{} runs on each table, half to choose the event and half to measure it; a bound holds with probability {}.",
            count(settings.trials),
            settings.confidence
        )
    };
    format!("{}\n{how}\n\n{notes}", table.render())
}

fn note(line: &Line) -> String {
    let mut text = format!("{}, {}\n  tables: {}\n", line.mechanism, line.budget, line.neighbours);
    match &line.found {
        Found::Sampling(finding) => {
            let [ours, theirs] = finding.happened.map(count);
            let (one, other) = if finding.likelier_on == Side::Left {
                ("first", "second")
            } else {
                ("second", "first")
            };
            text += &format!(
                "  event: {}; {ours} times on the {one}, {theirs} on the {other} of {} each\n",
                finding.event,
                count(finding.measured)
            );
        }
        Found::Law(finding) => text += &format!("  points: {}\n", count(finding.points)),
    }
    if let Some(ceiling) = line.ceiling {
        text += &format!("  why less than 100 %: {ceiling}\n");
    }
    text
}
