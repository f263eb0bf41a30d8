//! Bins of whole numbers and of days, as people say them.

use discretion_table::Kind;

/// What bins with these ends hold, of a column of whole numbers or of days: `3`, `4 to 7`,
/// `2015-01-01 to 2015-01-21`. Nothing for other columns, whose bins have the ends themselves.
pub fn whole_bins(kind: &Kind, edges: &[f64]) -> Option<Vec<String>> {
    let range = kind.range()?;
    let shown =
        |value: f64| kind.date(value).map_or_else(|| value.to_string(), |date| date.to_string());
    match kind {
        // A time of day is written to the second.
        Kind::Date { .. } if !range.integer => {
            let ends: Vec<String> = edges.iter().map(|&edge| shown(edge)).collect();
            Some(ends.windows(2).map(|pair| format!("{} to {}", pair[0], pair[1])).collect())
        }
        _ if !range.integer => None,
        _ => {
            let bin = |pair: &[f64]| match (shown(pair[0] + 0.5), shown(pair[1] - 0.5)) {
                (first, last) if first == last => first,
                (first, last) => format!("{first} to {last}"),
            };
            Some(edges.windows(2).map(bin).collect())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use discretion_table::Scale;

    #[test]
    fn whole_numbers_and_days_are_named_by_the_first_and_the_last() {
        let edges = [-0.5, 0.5, 3.5, 31.5];
        let count = Kind::Number {
            min: 0.0,
            max: 31.0,
            scale: Scale::Linear,
            missing: None,
            integer: true,
        };
        assert_eq!(whole_bins(&count, &edges).unwrap(), ["0", "1 to 3", "4 to 31"]);
        assert_eq!(whole_bins(&Kind::number(0.0, 31.0), &edges), None);
        let date = |min: &str, max: &str| Kind::Date {
            min: min.parse().unwrap(),
            max: max.parse().unwrap(),
            missing: None,
        };
        assert_eq!(
            whole_bins(&date("2020-01-01", "2020-02-01"), &edges).unwrap(),
            ["2020-01-01", "2020-01-02 to 2020-01-04", "2020-01-05 to 2020-02-01"]
        );
        assert_eq!(
            whole_bins(&date("2020-01-01T00:00", "2020-01-02"), &[0.0, 0.5, 1.0]).unwrap(),
            ["2020-01-01T00:00 to 2020-01-01T12:00", "2020-01-01T12:00 to 2020-01-02T00:00"]
        );
    }
}
