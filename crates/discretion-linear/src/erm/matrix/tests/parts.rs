//! Rows that are summed apart: as bytes, part by part, or read from a store.

use super::*;
use crate::erm::{Answer, AskOracle, Oracle, OracleError, Order, Point, Question};
use crate::loss::Logistic;
use discretion_privacy::Unit;
use discretion_privacy::noise::exact;
use discretion_privacy::trusted::Open;

/// What a stream or a cluster would do: rows of each part as bytes, summed apart, sums as bytes,
/// combined.
#[test]
fn parts_that_travel_as_bytes_combine_to_the_same_bits() {
    for (norm, rows) in
        [(Norm::Scale, 1), (Norm::Row, 4097), (Norm::Scale, 23_000), (Norm::Row, 300_001)]
    {
        let matrix = example(norm, rows);
        let d = matrix.layout().dimension();
        let theta: Vec<f64> = (0..d).map(|j| (j as f64).sin()).collect();
        let points =
            [Order::Hessian, Order::Gradient].map(|order| Point { theta: theta.clone(), order });
        let cut = Cut::new(Unit::Row, rows, matrix.layout());
        let carried = |rows: Range<usize>| {
            let part = matrix.gather(&rows.collect::<Vec<_>>());
            Matrix::from_bytes(matrix.layout().clone(), &part.to_bytes().into_inner()).unwrap()
        };
        let combined = |question: Question<'_>| {
            let sent = |part| {
                let rows = carried(cut.units_of(part));
                let answer = rows.all().part(0..rows.rows(), cut, question).unwrap();
                let bytes = answer.to_bytes().into_inner();
                PartAnswer::from_bytes(question, (d, None, 1), &bytes).unwrap()
            };
            let mut all = sent(0);
            (1..cut.parts()).for_each(|part| all.add(sent(part)).unwrap());
            all.finish(question, rows, None).unwrap()
        };
        let Answer::Sums(ours) = combined(Question::Sums { loss: &Logistic, points: &points })
        else {
            panic!("sums were asked")
        };
        let expected = matrix.all().sums_at(&Logistic, &points).unwrap();
        for (ours, whole) in ours.into_iter().zip(expected) {
            let (ours, whole) = (ours.into_inner(), whole.into_inner());
            assert_eq!(
                (ours.value, ours.gradient, ours.hessian),
                (whole.value, whole.gradient, whole.hessian)
            );
        }
        if let Some(sample) = matrix.all().sample() {
            let gathered = matrix.gather(&cut.sample().unwrap().flatten().collect::<Vec<_>>());
            assert_eq!(sample.facts(), gathered.all().facts());
            let sums = |oracle: &dyn Oracle| {
                oracle.sums(&Logistic, &theta, Order::Hessian).unwrap().into_inner()
            };
            assert_eq!(sums(&*sample).gradient, sums(&gathered.all()).gradient);
            assert_eq!(sums(&*sample).hessian, sums(&gathered.all()).hessian);
        } else {
            let big: Vec<_> = theta.iter().map(|&x| exact(x)).collect();
            let question = Question::BigGradient { loss: &Logistic, theta: &big, precision: 150 };
            let Answer::BigGradient(ours) = combined(question) else {
                panic!("a gradient was asked")
            };
            let whole = matrix.all().big_gradient(&Logistic, &big, 150).unwrap().into_inner();
            assert_eq!(ours.into_inner(), whole);
        }
    }
}

#[test]
fn bytes_are_checked_and_enforced_like_any_batch() {
    let matrix = example(Norm::Row, 100);
    let (layout, bytes) = (matrix.layout().clone(), matrix.to_bytes().into_inner());
    let refusal =
        |layout: &Layout, bytes: &[u8]| Matrix::from_bytes(layout.clone(), bytes).err().unwrap();
    let other =
        Layout::new(Norm::Row, 0.4, vec![0.4, 0.3, 0.2], vec![(4, 0.4), (299, 0.5)]).unwrap();
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
    assert!(
        damaged.numeric.iter().all(|&x| x == 0.0)
            && damaged.codes.iter().all(|&code| code == OTHER)
    );
    assert!(damaged.signed.iter().all(|y| (-2.5..0.0).contains(y)));
    let nothing = Question::Sums { loss: &Logistic, points: &[] };
    let rows = damaged.all();
    let sums = rows.part(0..100, rows.cut(), nothing).unwrap().to_bytes().into_inner();
    assert!(sums.is_empty());
    assert!(PartAnswer::from_bytes(nothing, (3, None, 1), &[1; 9]).is_none());
}

#[test]
fn a_row_is_in_the_part_that_has_it() {
    for (rows, dimension) in
        [(1, 3), (256, 3), (4097, 3), (23_000, 3), (300_001, 3), (300_001, 4000)]
    {
        let cut = Cut::in_dimension(Unit::Row, rows, dimension);
        for part in 0..cut.parts() {
            let range = cut.units_of(part);
            for row in [range.start, (range.start + range.end) / 2, range.end - 1] {
                assert_eq!(cut.part_of(row), part, "row {row} of {rows}");
            }
        }
    }
}

/// Rows that are kept as bytes, handed out one range at a time.
pub(crate) struct ByteStore(pub Layout, pub Vec<u8>, pub std::sync::atomic::AtomicUsize);

impl ByteStore {
    /// All rows of a matrix.
    pub(crate) fn of(rows: &Matrix) -> ByteStore {
        ByteStore(
            rows.layout().clone(),
            rows.row_bytes(0..rows.rows()).into_inner(),
            Default::default(),
        )
    }
}

impl Store for ByteStore {
    fn layout(&self) -> &Layout {
        &self.0
    }

    fn rows(&self) -> usize {
        self.1.len() / self.0.row_bytes()
    }

    fn with(
        &self,
        rows: Range<usize>,
        work: &mut dyn FnMut(&Matrix, usize),
    ) -> Result<(), OracleError> {
        self.2.fetch_max(rows.len(), std::sync::atomic::Ordering::Relaxed);
        let (size, mut piece) = (self.0.row_bytes(), Matrix::new(self.0.clone()));
        let bytes = self.1.get(rows.start * size..rows.end * size);
        piece.push_rows(bytes.ok_or_else(|| OracleError("the rows are gone".to_owned()))?);
        work(&piece, 0);
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
        let (stream, view) = (Rows::new(&store).view(range.clone()), matrix.view(range.clone()));
        assert_eq!(stream.facts(), view.facts());
        let same = |a: &dyn Oracle, b: &dyn Oracle, order| {
            let sums =
                |oracle: &dyn Oracle| oracle.sums(&Logistic, &theta, order).unwrap().into_inner();
            let (a, b) = (sums(a), sums(b));
            assert_eq!(
                (a.value, a.gradient, a.hessian),
                (b.value, b.gradient, b.hessian),
                "{range:?}"
            );
        };
        same(&stream, &view, Order::Curvature);
        same(&stream, &view, Order::Hessian);
        match (stream.sample(), view.sample()) {
            (Some(a), Some(b)) => same(&*a, &*b, Order::Gradient),
            (a, b) => assert!(a.is_none() && b.is_none()),
        }
        if range.len() < 100 {
            let big: Vec<_> = theta.iter().map(|&x| exact(x)).collect();
            let at = |oracle: &dyn Oracle| {
                oracle.big_gradient(&Logistic, &big, 150).unwrap().into_inner()
            };
            assert_eq!(at(&stream), at(&view));
        }
    }
    assert!(store.2.into_inner() <= 4096, "a range is read in pieces");
}

/// A store that says that it has so many rows.
struct MoreRows(ByteStore, usize);

impl Store for MoreRows {
    fn layout(&self) -> &Layout {
        self.0.layout()
    }

    fn rows(&self) -> usize {
        self.1
    }

    fn with(
        &self,
        rows: Range<usize>,
        work: &mut dyn FnMut(&Matrix, usize),
    ) -> Result<(), OracleError> {
        self.0.with(rows, work)
    }
}

#[test]
fn a_store_that_fails_is_an_error_and_nothing_else() {
    let matrix = example(Norm::Scale, 5_000);
    let store = ByteStore::of(&matrix.gather(&(0..4_000).collect::<Vec<_>>()));
    let error =
        Rows::new(MoreRows(store, 5_000)).sums(&Logistic, &vec![0.0; 308], Order::Gradient).err();
    assert_eq!(error, Some(OracleError("the rows are gone".to_owned())));
}
