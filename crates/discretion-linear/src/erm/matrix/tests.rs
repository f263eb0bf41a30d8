use super::*;
use crate::erm::{AskOracle, Oracle, OracleError, Order};
use crate::loss::{Logistic, Loss};
use discretion_privacy::noise::exact;
use discretion_privacy::trusted::Open;
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
            matrix.terms(row).into_iter().for_each(|(j, value)| x[j] = f64::from(matrix.signed[row]) * value);
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
fn sums_from_codes_equal_sums_from_blown_up_rows() {
    for norm in [Norm::Scale, Norm::Row] {
        let matrix = example(norm, 777);
        let d = matrix.layout().dimension();
        let theta: Vec<f64> = (0..d).map(|j| (j as f64 * 0.7).sin()).collect();
        let sums = matrix.sums(&Logistic, &theta, Order::Hessian).unwrap().into_inner();
        let rows = dense(&matrix);
        let (mut value, mut gradient, mut hessian) = (0.0, vec![0.0; d], vec![0.0; d * d]);
        for x in &rows {
            let m: f64 = x.iter().zip(&theta).map(|(a, b)| a * b).sum();
            value += Logistic.value(m) / 777.0;
            for i in 0..d {
                gradient[i] += Logistic.slope(m) * x[i] / 777.0;
                for j in 0..=i {
                    hessian[i * d + j] += Logistic.curvature(m) * x[i] * x[j] / 777.0;
                }
            }
        }
        assert!((sums.value - value).abs() < 1e-13);
        assert!(sums.gradient.iter().zip(&gradient).all(|(a, b)| (a - b).abs() < 1e-14));
        for i in 0..d {
            for j in 0..=i {
                assert!((sums.hessian[i * d + j] - hessian[i * d + j]).abs() < 1e-14, "{i} {j}");
            }
        }
        let big: Vec<_> = theta.iter().map(|&t| exact(t)).collect();
        let big = matrix.big_gradient(&Logistic, &big, 200).unwrap().into_inner();
        assert!(big.iter().zip(&gradient).all(|(a, b)| (a.to_f64().value() - b).abs() < 1e-15));
    }
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let matrix = example(Norm::Scale, 20_000);
    let theta: Vec<f64> = (0..matrix.layout().dimension()).map(|j| (j as f64).cos()).collect();
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| matrix.sums(&Logistic, &theta, Order::Hessian).unwrap().into_inner())
    };
    let one = with(1);
    for threads in [2, 3, 7] {
        let many = with(threads);
        assert_eq!(one.value.to_bits(), many.value.to_bits());
        assert_eq!(one.gradient, many.gradient);
        assert_eq!(one.hessian, many.hessian);
    }
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
    assert!(matches!(Layout::new(Norm::Scale, 0.8, vec![0.7], vec![]), Err(LayoutError::TooLong(_))));
    assert!(matches!(Layout::new(Norm::Scale, 1.0, vec![1e-14], vec![]), Err(LayoutError::TooLong(_))));
    assert!(matches!(Layout::new(Norm::Row, 1e-39, vec![1.0], vec![]), Err(LayoutError::Constant(_))));
    assert!(matches!(Layout::new(Norm::Row, 0.0, vec![], vec![]), Err(LayoutError::Constant(_))));
    assert!(matches!(Layout::new(Norm::Scale, 0.1, vec![f32::NAN], vec![]), Err(LayoutError::Constant(_))));
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
            let factor = dashu::rational::RBig::try_from(matrix.signed[row]).unwrap();
            let squared = matrix.terms(row).iter().fold(dashu::rational::RBig::ZERO, |sum, &(_, x)| {
                sum + (dashu::rational::RBig::try_from(x).unwrap() * &factor).sqr()
            });
            prop_assert!(squared <= dashu::rational::RBig::ONE);
        }
    }
}

/// A view is the matrix of its rows, and a count is that many copies.
#[test]
fn views_and_counts_sum_what_copies_would() {
    let matrix = example(Norm::Row, 1500);
    let theta: Vec<f64> = (0..matrix.layout().dimension()).map(|j| (j as f64 * 0.3).cos()).collect();
    let sums = |oracle: &dyn Oracle| oracle.sums(&Logistic, &theta, Order::Hessian).unwrap().into_inner();
    let close =
        |a: &[f64], b: &[f64]| a.len() == b.len() && a.iter().zip(b).all(|(x, y)| (x - y).abs() < 1e-14);

    let (view, copy) = (matrix.view(300..1100), matrix.gather(&(300..1100).collect::<Vec<_>>()));
    assert_eq!(view.facts(), copy.facts());
    assert_eq!(sums(&view).gradient, sums(&copy).gradient);
    assert_eq!(sums(&view).hessian, sums(&copy).hessian);

    let counts: Vec<u32> = (0..1500u32).map(|row| (row * 7919) % 4).collect();
    let repeated: Vec<usize> = counts
        .iter()
        .enumerate()
        .flat_map(|(row, &count)| std::iter::repeat_n(row, count as usize))
        .collect();
    let (counted, copy) = (matrix.counted(&counts), matrix.gather(&repeated));
    assert_eq!(counted.facts().rows, copy.rows());
    let (ours, theirs) = (sums(&counted), sums(&copy));
    assert!((ours.value - theirs.value).abs() < 1e-13);
    assert!(close(&ours.gradient, &theirs.gradient) && close(&ours.hessian, &theirs.hessian));
    let big: Vec<_> = theta.iter().map(|&x| exact(x)).collect();
    let big = counted.big_gradient(&Logistic, &big, 200).unwrap().into_inner();
    let big: Vec<f64> = big.iter().map(|x| x.to_f64().value()).collect();
    assert!(close(&big, &ours.gradient));
}

#[test]
fn one_pass_for_several_points_gives_what_each_would_get_alone() {
    use crate::erm::Point;
    let matrix = example(Norm::Scale, 9000);
    let point = |shift: f64, order| {
        let theta = (0..matrix.layout().dimension()).map(|j| (j as f64 + shift).sin()).collect();
        Point { theta, order }
    };
    let orders = [Order::Hessian, Order::Gradient, Order::Curvature];
    let points: Vec<_> = (0..19).map(|i| point(i as f64, orders[i % 3])).collect();
    // Alone, side by side, and both in one pass.
    for count in [2, 3, 4, 8, 9, 19] {
        let together = matrix.sums_at(&Logistic, &points[..count]).unwrap();
        for (point, sums) in points[..count].iter().zip(together) {
            let alone = matrix.sums(&Logistic, &point.theta, point.order).unwrap().into_inner();
            let sums = sums.into_inner();
            assert_eq!(
                (sums.value, sums.gradient, sums.hessian),
                (alone.value, alone.gradient, alone.hessian)
            );
        }
    }
}

/// What a stream or a cluster would do: rows of each part as bytes, summed apart, sums as bytes, combined.
#[test]
fn parts_that_travel_as_bytes_combine_to_the_same_bits() {
    use crate::erm::Point;
    for (norm, rows) in [(Norm::Scale, 1), (Norm::Row, 4097), (Norm::Scale, 23_000), (Norm::Row, 300_001)] {
        let matrix = example(norm, rows);
        let d = matrix.layout().dimension();
        let theta: Vec<f64> = (0..d).map(|j| (j as f64).sin()).collect();
        let points = [Order::Hessian, Order::Gradient].map(|order| Point { theta: theta.clone(), order });
        let cut = Cut::of(rows, matrix.layout());
        let carried = |rows: std::ops::Range<usize>| {
            let part = matrix.gather(&rows.collect::<Vec<_>>());
            Matrix::from_bytes(matrix.layout().clone(), &part.to_bytes().into_inner()).unwrap()
        };
        let partial = |part| carried(cut.rows_of(part)).partial(&Logistic, &points);
        let sent = |part| Partial::from_bytes(d, &partial(part).to_bytes().into_inner()).unwrap();
        let combined = combine((0..cut.parts()).map(sent), rows);
        let expected = matrix.sums_at(&Logistic, &points).unwrap();
        for (ours, whole) in combined.into_iter().zip(expected) {
            let (ours, whole) = (ours.into_inner(), whole.into_inner());
            assert_eq!(
                (ours.value, ours.gradient, ours.hessian),
                (whole.value, whole.gradient, whole.hessian)
            );
        }
        if let Some(sample) = matrix.sample() {
            let gathered = matrix.gather(&Cut::sample(rows).unwrap().flatten().collect::<Vec<_>>());
            assert_eq!(sample.facts(), gathered.facts());
            let sums =
                |oracle: &dyn Oracle| oracle.sums(&Logistic, &theta, Order::Hessian).unwrap().into_inner();
            assert_eq!(sums(&*sample).gradient, sums(&gathered).gradient);
            assert_eq!(sums(&*sample).hessian, sums(&gathered).hessian);
        } else {
            let big: Vec<_> = theta.iter().map(|&x| exact(x)).collect();
            let part = |part| carried(cut.rows_of(part)).big_partial(&Logistic, &big, 150);
            let combined = combine_big((0..cut.parts()).map(part), rows, 150).into_inner();
            assert_eq!(combined, matrix.big_gradient(&Logistic, &big, 150).unwrap().into_inner());
        }
    }
}

#[test]
fn bytes_are_checked_and_enforced_like_any_batch() {
    let matrix = example(Norm::Row, 100);
    let (layout, bytes) = (matrix.layout().clone(), matrix.to_bytes().into_inner());
    let refusal = |layout: &Layout, bytes: &[u8]| Matrix::from_bytes(layout.clone(), bytes).err().unwrap();
    let other = Layout::new(Norm::Row, 0.4, vec![0.4, 0.3, 0.2], vec![(4, 0.4), (299, 0.5)]).unwrap();
    assert_eq!(refusal(&other, &bytes), BytesError::OtherLayout);
    assert_eq!(refusal(&layout, &bytes[1..]), BytesError::Version);
    assert_eq!(refusal(&layout, &bytes[..10]), BytesError::Length);
    assert_eq!(refusal(&layout, &bytes[..bytes.len() - 1]), BytesError::Length);
    let mut longer = bytes.clone();
    longer[16..24].fill(255);
    assert_eq!(refusal(&layout, &longer), BytesError::Length);
    // Numbers, codes and labels of all ones: NaN, no such category, not the label 1.
    let mut damaged = bytes;
    damaged[24..].fill(255);
    let damaged = Matrix::from_bytes(layout, &damaged).unwrap();
    assert!(damaged.numeric.iter().all(|&x| x == 0.0) && damaged.codes.iter().all(|&code| code == OTHER));
    assert!(damaged.signed.iter().all(|y| (-2.5..0.0).contains(y)));
    let sums = Matrix::partial(&damaged, &Logistic, &[]).to_bytes().into_inner();
    assert!(sums.is_empty());
    assert_eq!(Partial::from_bytes(3, &[1; 9]).err(), Some(BytesError::Length));
}

/// The cheaper Hessian is the other one up to the rounding that it promises, at every shape of the dense corner, and
/// the corner is what a plain loop gives.
#[test]
fn curvature_is_the_hessian_to_its_bound_at_every_width() {
    for width in [0, 1, 6, 7, 8, 9, 15, 16, 23, 40] {
        let layout = Layout::new(Norm::Row, 0.7, vec![0.9; width], vec![(3, 0.4)]).unwrap();
        let mut matrix = Matrix::new(layout);
        let rows = 1000 + width;
        let value = |i: usize| ((i * 7919) % 1009) as f32 / 504.5 - 1.0;
        matrix.push(Batch {
            numeric: (0..rows * width).map(value).collect(),
            codes: (0..rows).map(|row| (row % 5) as u16).collect(),
            positive: (0..rows).map(|row| row % 3 == 0).collect(),
        });
        let d = matrix.layout().dimension();
        let theta: Vec<f64> = (0..d).map(|j| (j as f64).cos()).collect();
        let at = |order| matrix.sums(&Logistic, &theta, order).unwrap().into_inner();
        let (exact, rounded, gradient) = (at(Order::Hessian), at(Order::Curvature), at(Order::Gradient));
        assert_eq!((exact.value, &exact.gradient), (rounded.value, &rounded.gradient));
        assert_eq!((exact.value, &exact.gradient), (gradient.value, &gradient.gradient));
        assert!(gradient.hessian.is_empty());
        let (mut plain, mut absolute) = (vec![0.0; d * d], vec![0.0; d * d]);
        for x in dense(&matrix) {
            let m: f64 = x.iter().zip(&theta).map(|(a, b)| a * b).sum();
            for i in 0..d {
                for j in 0..=i {
                    let term = Logistic.curvature(m) * x[i] * x[j] / rows as f64;
                    plain[i * d + j] += term;
                    absolute[i * d + j] += term.abs();
                }
            }
        }
        for i in 0..d * d {
            assert!((exact.hessian[i] - plain[i]).abs() <= 1e-13 * absolute[i], "{width} {i}");
            let bound = absolute[i] / f64::from(1 << 15);
            assert!((rounded.hessian[i] - plain[i]).abs() <= bound, "{width} {i}");
        }
    }
}

/// What the widest registers compute is what plain code computes, bit for bit.
#[test]
fn every_instruction_set_gives_the_same_bits() {
    use super::block::{AddBlock, PartialSum};
    use crate::erm::Point;
    use pulp::{Arch, Scalar, WithSimd};
    let matrix = example(Norm::Row, 250);
    let counts: Vec<u32> = (0..250).map(|row| row % 3).collect();
    let orders = [Order::Hessian, Order::Curvature, Order::Gradient];
    let point = |i: usize| {
        let theta = (0..matrix.layout().dimension()).map(|j| ((i + j) as f64).sin()).collect();
        Point { theta, order: orders[i % 3] }
    };
    let points: Vec<_> = (0..9).map(point).collect();
    for counts in [None, Some(&counts[..])] {
        let sum = || PartialSum::new(matrix.layout(), &Logistic, &points);
        let (mut wide, mut plain) = (sum(), sum());
        let block = |sum| AddBlock { sum, matrix: &matrix, rows: 0..250, counts };
        Arch::new().dispatch(block(&mut wide));
        block(&mut plain).with_simd(Scalar::new());
        let bytes = |sum: PartialSum<'_>| sum.finish().to_bytes().into_inner();
        assert_eq!(bytes(wide), bytes(plain));
    }
}

/// Rows that are kept as bytes, handed out one range at a time.
struct ByteStore(Layout, Vec<u8>, std::sync::atomic::AtomicUsize);

impl Store for ByteStore {
    fn layout(&self) -> &Layout {
        &self.0
    }

    fn rows(&self) -> usize {
        self.1.len() / self.0.row_bytes()
    }

    fn read(&self, rows: std::ops::Range<usize>, into: &mut Matrix) -> Result<(), OracleError> {
        self.2.fetch_max(rows.len(), std::sync::atomic::Ordering::Relaxed);
        let size = self.0.row_bytes();
        let bytes = self.1.get(rows.start * size..rows.end * size);
        into.push_rows(bytes.ok_or_else(|| OracleError("the rows are gone".to_owned()))?);
        Ok(())
    }
}

#[test]
fn a_stream_gives_the_bits_of_a_matrix_and_holds_few_rows() {
    let matrix = example(Norm::Row, 60_123);
    let store = ByteStore(
        matrix.layout().clone(),
        matrix.row_bytes(0..matrix.rows()).into_inner(),
        Default::default(),
    );
    let theta: Vec<f64> = (0..matrix.layout().dimension()).map(|j| (j as f64).sin()).collect();
    for range in [0..60_123, 1_000..60_000, 60_100..60_123] {
        let (stream, view) = (Streamed::new(&store, range.clone()), matrix.view(range.clone()));
        assert_eq!(stream.facts(), view.facts());
        let same = |a: &dyn Oracle, b: &dyn Oracle, order| {
            let sums = |oracle: &dyn Oracle| oracle.sums(&Logistic, &theta, order).unwrap().into_inner();
            let (a, b) = (sums(a), sums(b));
            assert_eq!((a.value, a.gradient, a.hessian), (b.value, b.gradient, b.hessian), "{range:?}");
        };
        same(&stream, &view, Order::Curvature);
        same(&stream, &view, Order::Hessian);
        match (stream.sample(), view.sample()) {
            (Some(a), Some(b)) => same(&*a, &*b, Order::Gradient),
            (a, b) => assert!(a.is_none() && b.is_none()),
        }
        if range.len() < 100 {
            let big: Vec<_> = theta.iter().map(|&x| exact(x)).collect();
            let at = |oracle: &dyn Oracle| oracle.big_gradient(&Logistic, &big, 150).unwrap().into_inner();
            assert_eq!(at(&stream), at(&view));
        }
    }
    assert!(store.2.into_inner() <= 4096, "a range is read in pieces");
}

#[test]
fn a_store_that_fails_is_an_error_and_nothing_else() {
    let matrix = example(Norm::Scale, 5_000);
    let store =
        ByteStore(matrix.layout().clone(), matrix.row_bytes(0..4_000).into_inner(), Default::default());
    let error = Streamed::new(&store, 0..5_000).sums(&Logistic, &vec![0.0; 308], Order::Gradient).err();
    assert_eq!(error, Some(OracleError("the rows are gone".to_owned())));
}

/// A value or a gradient that meets many others alone is more than its last digits off. Here each of them is lost if it is added
/// on its own, and none if those of a block are added first: so the error counts additions.
#[test]
fn no_number_takes_part_in_more_additions_than_the_facts_say() {
    use discretion_privacy::noise::BigFloat;
    /// 1 at large margins, nearly half of the last digit of 1 at small ones, 0 at 0; slopes alike.
    struct Lost;
    const SMALL: f64 = 0.4999 * f64::EPSILON;
    impl Loss for Lost {
        fn value(&self, m: f64) -> f64 {
            if m.abs() > 0.5 {
                1.0
            } else if m != 0.0 {
                SMALL
            } else {
                0.0
            }
        }
        fn slope(&self, m: f64) -> f64 {
            -self.value(m)
        }
        fn curvature(&self, _: f64) -> f64 {
            0.0
        }
        fn curvature_bound(&self) -> f64 {
            0.25
        }
        fn big_slope(&self, _: &BigFloat) -> BigFloat {
            unreachable!("noise is ordinary")
        }
    }
    // More than a hundred blocks in a part. The first row is the large one, and a small one leads every so many rows.
    let rows = 2_300_000;
    for every in [16, 64, 128, 256] {
        let layout = Layout::new(Norm::Scale, 0.1, vec![0.9], vec![]).unwrap();
        let mut matrix = Matrix::new(layout);
        let value = |row: usize| match row {
            0 => 0.9,
            row if row.is_multiple_of(every) => 0.1,
            _ => 0.0,
        };
        matrix.push(Batch {
            numeric: (0..rows).map(value).collect(),
            codes: vec![],
            positive: vec![true; rows],
        });
        let facts = matrix.facts();
        let small = (rows.div_ceil(every) - 1) as f64;
        let sums = matrix.sums(&Lost, &[0.0, 1.0], Order::Gradient).unwrap().into_inner();
        let (n, unit) = (rows as f64, f64::EPSILON / 2.0);
        // Sums below 2, so one addition is off by half of the last digit of 1 at most; the means by one rounding more.
        let bound = (facts.summation_depth as f64 + 2.0) * unit * (1.0 + small * SMALL);
        let off = sums.value * n - 1.0 - small * SMALL;
        assert!(off.abs() <= bound, "{every}: {} units, {} additions", off / unit, facts.summation_depth);
        let slopes = sums.gradient[0] * n / f64::from(0.1f32) + 1.0 + small * SMALL;
        assert!(slopes.abs() <= bound + 4.0 * unit, "{every}: {} units", slopes / unit);
    }
}

#[test]
fn a_row_is_in_the_part_that_has_it() {
    for (rows, dimension) in [(1, 3), (256, 3), (4097, 3), (23_000, 3), (300_001, 3), (300_001, 4000)] {
        let cut = Cut::new(rows, dimension);
        for part in 0..cut.parts() {
            let range = cut.rows_of(part);
            for row in [range.start, (range.start + range.end) / 2, range.end - 1] {
                assert_eq!(cut.part_of(row), part, "row {row} of {rows}");
            }
        }
    }
}
