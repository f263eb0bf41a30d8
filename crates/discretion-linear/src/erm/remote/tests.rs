use super::*;
use crate::erm::matrix::{Batch, Curve, Matrix, Norm, Stored};
use crate::erm::{AskOracle, Order, Point};
use crate::loss::{Bounded, Score};
use crate::loss::{Huber, HuberisedHinge, Logistic, Loss, LossKind, MomentsLoss};
use crate::loss::{Weight, Weighted};
use crate::quality::{Counting, Quality, Scoring};
use discretion_privacy::Budget;
use discretion_privacy::noise::{BigFloat, exact};
use discretion_privacy::trusted::Open;

pub(super) fn table(rows: usize) -> Matrix {
    let layout = Layout::new(Norm::Row, 0.5, vec![0.5, 0.4], vec![(3, 0.5)]).unwrap();
    let mut matrix = Matrix::new(layout);
    matrix.push(Batch {
        numeric: (0..2 * rows).map(|i| (i * 37 % 101) as f32 / 101.0 - 0.5).collect(),
        codes: (0..rows).map(|row| (row % 4) as u16).collect(),
        positive: (0..rows).map(|row| row % 7 < 3).collect(),
    });
    matrix
}

/// The parts of a table in this process, which answer through bytes.
pub(super) struct Parts(pub Cut, pub Vec<Rows<'static>>);

impl Workers for Parts {
    fn ask(&self, ask: &Ask) -> Result<Vec<Vec<u8>>, OracleError> {
        let read = Ask::from_bytes(&ask.to_bytes()).unwrap();
        assert_eq!(&read, ask);
        let answer = |part: &Rows<'_>| read.answer(part, self.0).unwrap().into_inner();
        Ok(self.1.iter().map(answer).collect())
    }
}

/// The parts of these rows, each for itself.
fn parts_of(matrix: &Matrix) -> Parts {
    let cut = matrix.all().cut();
    let part = |part| matrix.gather(&cut.units_of(part).collect::<Vec<_>>()).into();
    Parts(cut, (0..cut.parts()).map(part).collect())
}

pub(super) fn remote(matrix: &Matrix) -> Cluster {
    let sample = matrix.all().cut().sample();
    let sample = sample.map(|ranges| matrix.gather(&ranges.flatten().collect::<Vec<_>>()).into());
    let (cut, layout) = (matrix.all().cut(), matrix.layout().clone());
    Cluster::new(Box::new(parts_of(matrix)), cut, layout, sample)
}

#[test]
fn every_loss_of_a_fit_gives_the_bits_of_a_matrix_in_memory() {
    let matrix = table(25_001);
    let (remote, here) = (remote(&matrix), matrix.all());
    assert_eq!(remote.facts(), here.facts());
    let theta = |shift: f64| vec![0.3 + shift, -1.7, f64::MIN_POSITIVE, 1.0 / 3.0, shift, -0.1];
    let points = [(0.0, Order::Hessian), (1.0, Order::Gradient)]
        .map(|(shift, order)| Point { theta: theta(shift), order });
    let most = Weight::SquaredSlope.most(LossKind::Logistic, 0.7);
    let losses: [&dyn Loss; 7] = [
        &MomentsLoss,
        &Huber::default(),
        &Logistic,
        &HuberisedHinge::default(),
        &Weighted::new(LossKind::Logistic, Weight::SquaredSlope, most),
        &Weighted::new(LossKind::Hinge, Weight::Curvature, 1.0),
        &Bounded::of_margins(Score::Logistic, 1.0 / 3.0),
    ];
    let sampled = [remote.sample().unwrap(), here.sample().unwrap()];
    for loss in losses {
        let pairs: [(&dyn Oracle, &dyn Oracle); 2] =
            [(&remote, &here), (&*sampled[0], &*sampled[1])];
        for (ours, theirs) in pairs {
            assert_eq!(ours.facts(), theirs.facts());
            let both = ours
                .sums_at(loss, &points)
                .unwrap()
                .into_iter()
                .zip(theirs.sums_at(loss, &points).unwrap());
            for (ours, theirs) in both {
                let (ours, theirs) = (ours.into_inner(), theirs.into_inner());
                assert_eq!(ours.value.to_bits(), theirs.value.to_bits());
                assert_eq!((ours.gradient, ours.hessian), (theirs.gradient, theirs.hessian));
            }
        }
    }
    assert!(sampled[0].sample().is_none(), "there is no sample of a sample");
    assert!(matrix.all().into_sample().sample().is_none(), "not even of one as large as a table");
}

#[test]
fn big_floats_give_the_same_bits_too() {
    let matrix = table(9000);
    let theta: Vec<BigFloat> = (0..6)
        .map(|j| (exact(1e30) / exact(f64::from(j + 3))).with_precision(200).value())
        .collect();
    let gradient =
        |oracle: &dyn Oracle| oracle.big_gradient(&Logistic, &theta, 200).unwrap().into_inner();
    let (ours, theirs) = (gradient(&remote(&matrix)), gradient(&matrix.all()));
    assert_eq!(ours, theirs);
    assert!(ours.iter().zip(&theirs).all(|(a, b)| a.precision() == b.precision()));
}

#[test]
fn a_part_that_is_lost_or_answers_something_else_is_an_error() {
    type Change = fn(Vec<Vec<u8>>) -> Vec<Vec<u8>>;
    struct Wrong(Change, Parts);
    impl Workers for Wrong {
        fn ask(&self, ask: &Ask) -> Result<Vec<Vec<u8>>, OracleError> {
            Ok((self.0)(self.1.ask(ask)?))
        }
    }
    let matrix = table(9000);
    let layout = matrix.layout().clone();
    let wrong: [Change; 4] = [
        |mut answers| {
            answers.pop();
            answers
        },
        |mut answers| {
            answers[1].pop();
            answers
        },
        |mut answers| {
            answers[0].clear();
            answers
        },
        |mut answers| {
            let twice = answers[0].repeat(2);
            answers[0] = twice;
            answers
        },
    ];
    for change in wrong {
        let workers = Box::new(Wrong(change, parts_of(&matrix)));
        let remote = Cluster::new(workers, matrix.all().cut(), layout.clone(), None);
        assert!(remote.sums(&Logistic, &[0.0; 6], Order::Gradient).is_err());
        assert!(remote.big_gradient(&Logistic, &vec![exact(0.0); 6], 100).is_err());
    }
}

#[test]
fn a_question_about_other_coefficients_has_no_answer() {
    let ask = |count: usize| {
        let point = Point { theta: vec![0.0; count], order: Order::Gradient };
        Ask::of(Question::Sums { loss: &Logistic, points: &[point] }).unwrap()
    };
    let table = table(10);
    let (rows, cut) = (table.all(), table.all().cut());
    assert!(ask(6).answer(&rows, cut).is_some());
    assert!(ask(7).answer(&rows, cut).is_none());
    let big = Question::BigGradient { loss: &Logistic, theta: &[exact(1.0)], precision: 100 };
    assert!(Ask::of(big).unwrap().answer(&rows, cut).is_none());
    assert!(Ask::from_bytes(b"{}").is_none());
}

/// Whoever sums in another order would answer, and other bits.
#[test]
fn a_question_of_another_version_is_none() {
    let ask = Ask::of(Question::Sums { loss: &Logistic, points: &[] }).unwrap().to_bytes();
    assert!(Ask::from_bytes(&ask).is_some());
    let text = String::from_utf8(ask).unwrap();
    let other = text.replace("\"version\":2", "\"version\":1");
    assert!(other != text && Ask::from_bytes(other.as_bytes()).is_none());
    let without = text.replace("\"version\":2,", "");
    assert!(without != text && Ask::from_bytes(without.as_bytes()).is_none());
}

/// Workers of an earlier build of the same version read and write these very bytes.
#[test]
fn a_question_in_writing_stays_as_it_is() {
    let written = |question| String::from_utf8(Ask::of(question).unwrap().to_bytes()).unwrap();
    let points = [Point { theta: vec![1.0, -0.0], order: Order::Curvature }];
    assert_eq!(
        written(Question::Sums { loss: &Logistic, points: &points }),
        r#"{"version":2,"loss":{"plain":"logistic"},"of":{"sums":{"points":[{"theta":[4607182418800017408,9223372036854775808],"order":"Curvature"}]}}}"#
    );
    let theta = [exact(-35.0).with_precision(90).value()];
    assert_eq!(
        written(Question::BigGradient { loss: &Logistic, theta: &theta, precision: 100 }),
        r#"{"version":2,"loss":{"plain":"logistic"},"of":{"wide":{"theta":[["-z",0,90]],"precision":100}}}"#
    );
}

/// Persons whose rows are with several workers: every answer has the bits of persons in memory, and
/// so has the sample's.
#[test]
fn persons_elsewhere_give_the_bits_of_persons_in_memory() {
    let identifiers: Vec<u128> = (0..60_000u128).map(|row| row * 7919 % 27_001).collect();
    let here = Rows::group(table(identifiers.len()), &identifiers);
    let (cut, layout) = (here.cut(), here.layout().clone());
    let parts = (0..cut.parts()).map(|part| here.view(cut.units_of(part)));
    let sample = cut.sample_len().map(|first| here.view(0..first));
    assert!(sample.is_some() && cut.parts() > 1);
    let parts = Box::new(Parts(cut, parts.collect()));
    let remote = Cluster::new(parts, cut, layout, sample);
    assert_eq!(remote.facts(), here.facts());
    let theta = [0.3, -1.7, 0.2, 1.0 / 3.0, 0.7, -0.1];
    let answers = |oracle: &dyn Oracle| {
        let sums = oracle.sums(&Logistic, &theta, Order::Hessian).unwrap().into_inner();
        let products = oracle.products(&Logistic, &theta, 0.7).unwrap().into_inner();
        (sums.value.to_bits(), sums.gradient, sums.hessian, products)
    };
    assert_eq!(answers(&remote), answers(&here));
    let samples = [remote.sample().unwrap(), here.sample().unwrap()];
    assert_eq!(samples[0].facts(), samples[1].facts());
    assert_eq!(answers(&*samples[0]), answers(&*samples[1]));
    assert!(samples[0].sample().is_none(), "there is no sample of a sample");
}

/// Counts of scores are those of rows here. A model of other rows is refused, and so are units that
/// have no row of their own, or more than one.
#[test]
fn scores_are_counted_elsewhere_as_they_are_here() {
    let (matrix, budget) = (table(9000), Budget::Pure { epsilon: 1.0 });
    let plan = Quality { budget, groups: 4, low: -1.0, high: 1.0 }.plan(9000).unwrap();
    let vectors = vec![0.3, -1.7, 0.2, 1.0 / 3.0, 0.7, -0.1];
    let counting = Counting::Two(plan.grid().clone());
    let scoring = Scoring { vectors, counting, by: Some(0), groups: 4 };
    let counts = |oracle: &dyn Oracle| oracle.scores(&scoring).unwrap().to_numbers();
    let here = counts(&matrix.all());
    assert_eq!(counts(&remote(&matrix)), here);
    assert_eq!(here.iter().sum::<i64>(), 9000);
    assert!(here.iter().filter(|count| **count > 0).count() > 50, "in many cells, of all groups");
    let longer = Scoring { vectors: vec![0.0; 7], ..scoring.clone() };
    let beyond = Scoring { by: Some(1), ..scoring.clone() };
    let several = Scoring { counting: Counting::Several(Vec::new()), ..scoring.clone() };
    for other in [longer, beyond, several] {
        assert!(matrix.all().scores(&other).is_err() && remote(&matrix).scores(&other).is_err());
        let ask = Ask::of(Question::Scores(&other)).unwrap();
        assert!(ask.answer(&matrix.all(), matrix.all().cut()).is_none());
    }
    let persons = Rows::group(table(9000), &(0..9000).map(|row| row / 2).collect::<Vec<u128>>());
    assert!(persons.scores(&scoring).is_err());
    let mut cohort = table(9000);
    cohort.leave_out(&(0..9000).map(|row| row == 7).collect::<Vec<_>>());
    assert!(cohort.all().scores(&scoring).is_err());
}

/// Workers who have rows on a fine grid answer by the knots that are kept, and so does the sample.
#[test]
fn rows_on_a_grid_elsewhere_are_moved_to_the_knots_that_are_kept() {
    struct OnGrid(Parts);
    impl Workers for OnGrid {
        fn ask(&self, ask: &Ask) -> Result<Vec<Vec<u8>>, OracleError> {
            let ask = Ask::from_bytes(&ask.to_bytes()).unwrap();
            let Parts(cut, parts) = &self.0;
            let answer = |part: &Rows<'static>| {
                ask.answer(&part.keeping_knots(ask.kept()), *cut).unwrap().into_inner()
            };
            Ok(parts.iter().map(answer).collect())
        }
    }
    let curve = Stored::Curve(Curve { knots: 65, missing: false, value: 0.5 });
    let layout = Layout::with_curves(Norm::Scale, 0.5, vec![curve], vec![], &[]).unwrap();
    let numeric = (0..25_001).map(|row| (row * 37 % 6401) as f32 / 100.0).collect();
    let positive = (0..25_001).map(|row| row % 7 < 3).collect();
    let matrix = Matrix::of(layout.clone(), Batch { numeric, codes: vec![], positive });
    let kept = [(0, vec![0, 3, 20, 64])];
    let here = matrix.keeping_knots(&kept);
    let Parts(cut, parts) = parts_of(&matrix);
    let ranges = cut.sample().unwrap();
    let sample = matrix.gather(&ranges.flatten().collect::<Vec<_>>()).into();
    let on_grid =
        Cluster::new(Box::new(OnGrid(Parts(cut, parts))), cut, layout.clone(), Some(sample));
    let counts = |oracle: &dyn Oracle| oracle.cells(0).unwrap().into_inner();
    assert_eq!(counts(&on_grid), counts(&matrix.all()));
    let (remote, here) = (on_grid.keeping_knots(&kept), here.all());
    assert_eq!(remote.facts(), here.facts());
    let theta = [0.3, -1.7, 0.2, 1.0 / 3.0, 0.7];
    let gradient = |oracle: &dyn Oracle| {
        oracle.sums(&Logistic, &theta, Order::Gradient).unwrap().into_inner().gradient
    };
    assert_eq!(gradient(&remote), gradient(&here));
    assert_eq!(gradient(&*remote.sample().unwrap()), gradient(&*here.sample().unwrap()));
    assert!(layout.has_knots(&kept));
    for other in [vec![0, 3, 20], vec![1, 64], vec![0, 20, 3, 64], vec![0, 65]] {
        assert!(!layout.has_knots(&[(0, other)]));
    }
    assert!(!layout.has_knots(&[(1, vec![0, 64])]));
}
