//! Which rows train and which validate: a rule about positions, never about values.
//!
//! Row i validates if ⌊(i+1)·v⌋ > ⌊i·v⌋. So validation rows are spread evenly, a sorted table does
//! no harm, and how many there are is known from the number of rows alone. The share is read to six
//! decimals and the rest is whole numbers: 0.3 of ten rows is three, although the double 0.3 is
//! below three tenths.

/// A share is this many parts of one.
const PARTS: u128 = 1_000_000;

/// Whether the row at `position`, counted from 0, belongs to the validation rows.
pub fn is_validation(position: usize, share: f64) -> bool {
    validation_rows(position + 1, share) > validation_rows(position, share)
}

/// How many of the first `rows` rows validate: ⌊rows·share⌋.
pub fn validation_rows(rows: usize, share: f64) -> usize {
    let before = rows as u128 * parts(share) / PARTS;
    usize::try_from(before).expect("a share of the rows is at most all of them")
}

/// The positions of `rows` rows, those that train first, and how many those are.
pub fn training_first(rows: usize, share: f64) -> (Vec<usize>, usize) {
    let (mut order, validating): (Vec<usize>, Vec<usize>) =
        (0..rows).partition(|&position| !is_validation(position, share));
    let training = order.len();
    order.extend(validating);
    (order, training)
}

/// Whether this is a share that rows can be split by: above 0 and below 1, to six decimals.
pub fn is_share(share: f64) -> bool {
    let parts = (share * PARTS as f64).round();
    parts >= 1.0 && parts < PARTS as f64
}

fn parts(share: f64) -> u128 {
    assert!(is_share(share), "a validation share is between 0 and 1, not {share}");
    (share * PARTS as f64).round() as u128
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_count_is_known_in_advance_and_the_rows_are_spread_evenly() {
        for share in [1e-6, 0.1, 0.3, 1.0 / 3.0, 0.5, 0.7, 0.999_999] {
            let mut seen = 0;
            for position in 0..10_000 {
                assert_eq!(seen, validation_rows(position, share));
                seen += usize::from(is_validation(position, share));
                let even = (position + 1) as f64 * share;
                assert!((seen as f64 - even).abs() < 1.01, "{seen} of {even} at {position}");
            }
        }
    }

    #[test]
    fn training_rows_come_first_and_no_row_is_lost() {
        let (order, training) = training_first(10, 0.3);
        assert_eq!((order, training), (vec![0, 1, 2, 4, 5, 7, 8, 3, 6, 9], 7));
    }

    #[test]
    fn a_decimal_means_what_it_says() {
        for (rows, share, expected) in
            [(10, 0.3, 3), (10, 0.7, 7), (5, 0.2, 1), (1000, 0.001, 1), (3, 0.5, 1)]
        {
            assert_eq!(validation_rows(rows, share), expected, "{share} of {rows}");
        }
        assert_eq!(validation_rows(usize::MAX, 0.5), usize::MAX / 2, "no overflow");
    }

    #[test]
    fn only_a_proper_share_is_one() {
        for share in [0.0, -0.5, 1.0, 2.0, f64::NAN, f64::INFINITY, 1e-9, 1.0 - 1e-9] {
            assert!(!is_share(share), "{share}");
        }
        assert!(is_share(0.2));
    }
}
