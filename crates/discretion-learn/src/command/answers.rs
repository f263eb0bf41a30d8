//! What a program wrote about the queries: one line for each, and nothing else.

use crate::learner::ChunkFailure;
use discretion_table::Classes;

pub(super) fn classes(
    text: &[u8],
    count: usize,
    classes: &Classes,
) -> Result<Vec<u16>, ChunkFailure> {
    lines(text, count)?
        .into_iter()
        .map(|line| {
            classes
                .index(line)
                .ok_or_else(|| ChunkFailure::because(format!("{line:?} is no class")))
        })
        .collect()
}

pub(super) fn scores(text: &[u8], count: usize) -> Result<Vec<f32>, ChunkFailure> {
    let score = |line: &str| {
        let score = line.trim().parse().ok().filter(|score| (0.0..=1.0).contains(score));
        score.ok_or_else(|| ChunkFailure::because(format!("{line:?} is no score from 0 to 1")))
    };
    lines(text, count)?.into_iter().map(score).collect()
}

fn lines(text: &[u8], count: usize) -> Result<Vec<&str>, ChunkFailure> {
    let text =
        str::from_utf8(text).map_err(|_| ChunkFailure::because("the answers are no UTF-8 text"))?;
    let lines: Vec<&str> = text.lines().collect();
    if lines.len() != count {
        return Err(ChunkFailure::because(format!("{} answers to {count} queries", lines.len())));
    }
    Ok(lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn three() -> Classes {
        Classes::listed(["a", "b c", "d"].map(String::from).to_vec()).unwrap()
    }

    #[test]
    fn one_line_for_each_query() {
        assert_eq!(classes(b"d\nb c\r\n a\n", 3, &three()).ok(), Some(vec![2, 1, 0]));
        assert_eq!(classes(b"a\na", 2, &three()).ok(), Some(vec![0, 0]));
        assert_eq!(scores(b"0\n1e-3\n 1.0 \n", 3).ok(), Some(vec![0.0, 0.001, 1.0]));
    }

    #[test]
    fn everything_else_fails() {
        for text in ["", "a", "a\na\na", "a\nx", "a\n", "a\n\n", "a\n0", "a\n\u{fffd}"] {
            assert!(classes(text.as_bytes(), 2, &three()).is_err(), "{text:?}");
        }
        assert!(classes(b"a\n\xff", 2, &three()).is_err());
        for text in [
            "",
            "0.5",
            "0.5\nNaN",
            "0.5\n-0.1",
            "0.5\n1.01",
            "0.5\ninf",
            "0.5\nhalf",
            "0.5\n0.5\n0.5",
        ] {
            assert!(scores(text.as_bytes(), 2).is_err(), "{text:?}");
        }
    }
}
