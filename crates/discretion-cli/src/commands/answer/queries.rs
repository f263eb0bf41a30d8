//! The points of a run, and the widths of their bins if a file has them.

use discretion::Refusal;
use discretion::vote::Bins;
use discretion_jobs::vote::Queries;
use discretion_table::{PlainRows, VoteSettings, unreadable};
use std::path::Path;

/// Queries with the same bins for all, if there are any, or with those in a file.
pub fn queries(
    rows: PlainRows,
    vote: &VoteSettings,
    gammas: Option<&Path>,
) -> Result<Queries, Refusal> {
    let Some(path) = gammas else { return Ok(Queries::of(rows, vote.bins())) };
    if vote.score_bins.is_none() {
        return Err(Refusal::bad_file(
            path,
            "widths are for scores: say `scores = true` in [vote]",
        )
        .about("gammas"));
    }
    if !vote.bins_may_differ() {
        return Err(Refusal::bad_file(
            path,
            "widths are for `answer = \"sure\"`: with \"all\" a score is a mean, which has no bins; leave them out",
        )
        .about("gammas"));
    }
    let bins = widths(path, rows.count())?;
    Ok(Queries::for_scores(rows, bins))
}

/// One width a line.
fn widths(path: &Path, queries: usize) -> Result<Vec<Bins>, Refusal> {
    let text =
        discretion_disk::files::read_to_string(path).map_err(|error| unreadable(path, &error))?;
    let mut bins = Vec::new();
    for (line, width) in text.lines().enumerate() {
        let at =
            |sentence: String| Refusal::bad_file(path, format!("line {}: {sentence}", line + 1));
        let width: f64 = width
            .trim()
            .parse()
            .map_err(|_| at(format!("{width:?} is not a number; write one width a line")))?;
        bins.push(Bins::of_width(width).map_err(|error| at(error.to_string()))?);
    }
    if bins.len() != queries {
        let sentence =
            format!("there are {} widths for {queries} queries; write one for each", bins.len());
        return Err(Refusal::bad_file(path, sentence));
    }
    Ok(bins)
}
