mod curves;
mod left_out;
mod parts;
mod person_deal;
mod persons;
mod sums;

pub(crate) use parts::ByteStore;

use super::*;
use proptest::prelude::*;

/// A table of `rows` pseudo-random rows: 3 numbers, columns of 4 and 300 categories.
fn example(norm: Norm, rows: usize) -> Matrix {
    let layout = Layout::new(norm, 0.4, vec![0.4, 0.3, 0.2], vec![(4, 0.4), (300, 0.5)]).unwrap();
    let mut matrix = Matrix::new(layout);
    let mut state = 1u64;
    let mut next = move || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as f32 / (1u64 << 31) as f32
    };
    let mut batch = Batch::default();
    for _ in 0..rows {
        batch.numeric.extend((0..3).map(|_| 2.0 * next() - 1.0));
        batch.codes.extend([(next() * 5.0) as u16, (next() * 310.0) as u16]);
        batch.positive.push(next() < 0.5);
    }
    matrix.push(batch);
    matrix
}

/// The rows blown up, with label and factor applied: only a test may do this.
fn dense(matrix: &Matrix) -> Vec<Vec<f64>> {
    (0..matrix.rows())
        .map(|row| {
            let mut x = vec![0.0; matrix.layout().dimension()];
            matrix
                .terms(row)
                .into_iter()
                .for_each(|(j, value)| x[j] = f64::from(matrix.signed[row]) * value);
            x
        })
        .collect()
}

#[test]
fn rows_that_are_appended_come_after_the_others_and_leave_no_trace_in_their_memory() {
    for norm in [Norm::Scale, Norm::Row] {
        let (mut rows, more) = (example(norm, 5), example(norm, 3));
        let expected = [dense(&rows), dense(&more)].concat();
        rows.append(&more);
        assert_eq!(dense(&rows), expected);
        let memory = more.into_memory();
        assert!(memory.numeric.is_empty() && memory.codes.is_empty() && memory.positive.is_empty());
        assert!(memory.numeric.capacity() >= 9, "the memory can be used again");
    }
}

#[test]
#[should_panic(expected = "rows of one layout")]
fn rows_of_another_layout_are_not_appended() {
    example(Norm::Scale, 5).append(&example(Norm::Row, 3));
}

#[test]
fn a_row_is_a_few_numbers_never_its_one_hot_form() {
    let matrix = example(Norm::Scale, 1000);
    let bytes = 4 * matrix.numeric.len() + 2 * matrix.codes.len() + 4 * matrix.signed.len();
    assert_eq!(bytes, 1000 * (3 * 4 + 2 * 2 + 4));
    assert_eq!(matrix.layout().dimension(), 308);
}

#[test]
fn layouts_that_could_exceed_the_unit_ball_are_refused() {
    assert!(matches!(
        Layout::new(Norm::Scale, 0.8, vec![0.7], vec![]),
        Err(LayoutError::TooLong(_))
    ));
    assert!(matches!(
        Layout::new(Norm::Scale, 1.0, vec![1e-14], vec![]),
        Err(LayoutError::TooLong(_))
    ));
    assert!(matches!(
        Layout::new(Norm::Row, 1e-39, vec![1.0], vec![]),
        Err(LayoutError::Constant(_))
    ));
    assert!(matches!(Layout::new(Norm::Row, 0.0, vec![], vec![]), Err(LayoutError::Constant(_))));
    assert!(matches!(
        Layout::new(Norm::Scale, 0.1, vec![f32::NAN], vec![]),
        Err(LayoutError::Constant(_))
    ));
    assert!(Layout::new(Norm::Scale, 1.0, vec![], vec![]).is_ok());
    assert!(Layout::new(Norm::Row, 1.0, vec![1.0; 20], vec![(3, 1.0)]).is_ok());
}

#[test]
fn margins_without_labels_agree_with_the_oracle_s_rows() {
    let layout = Layout::new(Norm::Row, 1.0, vec![1.0], vec![(2, 1.0)]).unwrap();
    let batch = Batch { numeric: vec![0.5, -1.0], codes: vec![1, OTHER], positive: vec![] };
    let got = margins(&layout, batch, &[1.0, 2.0, 3.0, 4.0]);
    let expected = [(1.0 + 1.0 + 4.0) / (1.0f64 + 0.25 + 1.0).sqrt(), (1.0 - 2.0) / 2f64.sqrt()];
    assert!(got.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-5), "{got:?}");
}

proptest! {
    /// Whatever is pushed, no stored row is longer than 1: exactly, in rational arithmetic.
    #[test]
    fn no_row_is_longer_than_one(
        values in prop::collection::vec(prop::num::f32::ANY, 8),
        codes in prop::collection::vec(any::<u16>(), 8),
        row_norm in any::<bool>(),
    ) {
        let norm = if row_norm { Norm::Row } else { Norm::Scale };
        let layout = Layout::new(norm, 0.5, vec![0.5, 0.4], vec![(3, 0.4), (60_000, 0.4)]).unwrap();
        let mut matrix = Matrix::new(layout);
        matrix.push(Batch { numeric: values, codes, positive: vec![true, false, true, false] });
        for row in 0..4 {
            let factor = dashu_ratio::RBig::try_from(matrix.signed[row]).unwrap();
            let squared = matrix.terms(row).iter().fold(dashu_ratio::RBig::ZERO, |sum, &(_, x)| {
                sum + (dashu_ratio::RBig::try_from(x).unwrap() * &factor).sqr()
            });
            prop_assert!(squared <= dashu_ratio::RBig::ONE);
        }
    }
}
