//! Rows of several classes that are elsewhere.

use super::tests::{Parts, remote, table};
use super::*;
use crate::erm::matrix::tests::ByteStore;
use crate::erm::matrix::{Batch, Matrix};
use crate::erm::{AskOracle, Order, Point};
use crate::loss::{Bounded, HuberisedHinge, Logistic, Score};
use discretion_privacy::noise::{BigFloat, exact};
use discretion_privacy::trusted::Open;

/// The rows of a table, each of one of three classes.
fn classed(rows: usize) -> Matrix {
    let table = table(rows);
    let mut signless = Matrix::new(table.layout().clone());
    let batch = table.to_batch().into_inner();
    signless.push(Batch { positive: vec![true; rows], ..batch });
    let classes = (0..rows).map(|row| (row * 5 % 17 % 3) as u16).collect();
    signless.with_classes(classes, 3).unwrap()
}

/// A gradient in big floats takes a millisecond a row: it is asked of small tables.
const FEW: usize = 10_000;

type ClassAnswers = (Vec<(u64, Vec<f64>, Vec<f64>)>, Vec<f64>, Vec<f64>, Vec<f64>);

/// Everything that an oracle of several classes is asked.
fn class_answers(oracle: &dyn Oracle) -> ClassAnswers {
    let theta = |shift: f64| (0..18).map(|j| (f64::from(j) + shift).sin()).collect::<Vec<f64>>();
    let points = [(0.0, Order::Hessian), (1.0, Order::Gradient), (2.0, Order::Curvature)]
        .map(|(shift, order)| Point { theta: theta(shift), order });
    let mut sums = oracle.sums_at(&Logistic, &points).unwrap();
    sums.extend(oracle.sums_at(&Bounded::of_margins(Score::Logistic, 0.7), &points[1..2]).unwrap());
    let sums = sums.into_iter().map(Open::into_inner);
    let blocks = oracle.class_blocks(&theta(0.0)).unwrap().into_inner();
    let squares = oracle.squares().unwrap().into_inner();
    let big: Vec<BigFloat> = theta(0.5).into_iter().map(exact).collect();
    // Sums of parts may be rounded once more on their way, in the last of these 120 bits.
    let big = match oracle.facts().rows {
        ..FEW => oracle.big_gradient(&Logistic, &big, 120).unwrap().into_inner(),
        _ => Vec::new(),
    };
    let big = big.iter().map(|x| x.to_f64().value()).collect();
    (
        sums.map(|sums| (sums.value.to_bits(), sums.gradient, sums.hessian)).collect(),
        blocks,
        squares,
        big,
    )
}

fn are_the_same(ours: &dyn Oracle, theirs: &dyn Oracle) {
    let (ours, theirs) = (class_answers(ours), class_answers(theirs));
    for (at, (ours, theirs)) in ours.0.iter().zip(&theirs.0).enumerate() {
        assert_eq!(ours.0, theirs.0, "value {at}");
        assert_eq!(ours.1, theirs.1, "gradient {at}");
        assert_eq!(ours.2, theirs.2, "Hessian {at}");
    }
    assert_eq!(ours.1, theirs.1, "blocks of classes");
    assert_eq!(ours.2, theirs.2, "squares");
    assert_eq!(ours.3, theirs.3, "the gradient in big floats");
}

/// With a sample, and of so few rows that curvature has to be asked of the parts.
#[test]
fn rows_of_several_classes_elsewhere_give_the_bits_of_rows_in_memory() {
    for rows in [5001, 25_001] {
        let here = classed(rows);
        assert!(here.all().cut().parts() > 1);
        assert_eq!(here.all().cut().sample().is_some(), rows > 20_000);
        let (remote, here) = (remote(&here), here.all());
        assert_eq!(remote.facts(), here.facts());
        are_the_same(&remote, &here);
        if let (Some(ours), Some(theirs)) = (remote.sample(), here.sample()) {
            assert_eq!(ours.facts(), theirs.facts());
            are_the_same(&*ours, &*theirs);
            assert!(ours.sample().is_none(), "there is no sample of a sample");
        }
        assert!(remote.products(&Logistic, &[0.0; 18], 1.0).is_err(), "rows are nobody's");
        assert!(here.into_sample().sample().is_none());
    }
}

#[test]
fn persons_of_several_classes_elsewhere_give_the_bits_of_persons_in_memory() {
    for (rows, persons) in [(60_000, 27_001), (1_500, 1_001)] {
        of_persons_elsewhere_are_the_same((0..rows).map(|row| row * 7919 % persons).collect());
    }
}

fn of_persons_elsewhere_are_the_same(identifiers: Vec<u128>) {
    let rows = identifiers.len();
    let (all, here) = (classed(rows), Rows::group(classed(rows), &identifiers));
    let cut = here.cut();
    let of_persons = |persons: std::ops::Range<usize>| {
        let own: Vec<usize> =
            (0..rows).filter(|&row| persons.contains(&(identifiers[row] as usize))).collect();
        let whose: Vec<u128> = own.iter().map(|&row| identifiers[row]).collect();
        Rows::group(all.gather(&own), &whose)
    };
    let parts = (0..cut.parts()).map(|part| of_persons(cut.units_of(part)));
    let parts = Box::new(Parts(cut, parts.collect()));
    let sample = cut.sample_len().map(|first| of_persons(0..first));
    assert!(sample.is_some() == (cut.units() > FEW) && cut.parts() > 1);
    let remote = Cluster::new(parts, cut, here.layout().clone(), sample);
    assert_eq!(remote.facts(), here.facts());
    are_the_same(&remote, &here);
    if let (Some(ours), Some(theirs)) = (remote.sample(), here.sample()) {
        are_the_same(&*ours, &*theirs);
    }
}

/// Rows as bytes, read a range at a time: of a file, with a sample and without, and of persons.
#[test]
fn rows_of_several_classes_in_a_file_give_the_bits_of_rows_in_memory() {
    for rows in [5001, 25_001] {
        let here = classed(rows);
        let store = ByteStore::of(&here);
        for range in [0..rows, 1000..rows - 700] {
            let (stream, view) = (Rows::new(&store).view(range.clone()), here.view(range.clone()));
            assert_eq!(stream.facts(), view.facts());
            are_the_same(&stream, &view);
            match (stream.sample(), view.sample()) {
                (Some(ours), Some(theirs)) => {
                    assert_eq!(ours.facts(), theirs.facts());
                    are_the_same(&*ours, &*theirs);
                    assert!(ours.sample().is_none(), "there is no sample of a sample");
                }
                (ours, theirs) => {
                    assert!(ours.is_none() && theirs.is_none() && range.len() < 20_000)
                }
            }
        }
        let hinge = HuberisedHinge::default();
        assert!(Rows::new(&store).sums(&hinge, &[0.0; 18], Order::Gradient).is_err());
    }
    for (rows, persons) in [(60_000, 27_001), (1_500, 1_001)] {
        of_persons_in_a_file_are_the_same((0..rows).map(|row| row * 7919 % persons).collect());
    }
}

fn of_persons_in_a_file_are_the_same(identifiers: Vec<u128>) {
    let here = Rows::group(classed(identifiers.len()), &identifiers);
    let (bytes, starts) = here.records().unwrap().into_inner();
    let store = ByteStore(here.layout().clone(), bytes, Default::default());
    let there = Rows::of_persons(store, starts);
    assert_eq!(there.facts(), here.facts());
    are_the_same(&there, &here);
    let most = here.facts().rows - 200;
    are_the_same(&there.view(100..most), &here.view(100..most));
    if let (Some(ours), Some(theirs)) = (there.sample(), here.sample()) {
        are_the_same(&*ours, &*theirs);
    }
}

/// Rows with weights, some of which are left out: in a file and on a cluster.
#[test]
fn rows_of_several_classes_with_weights_give_the_same_bits_elsewhere() {
    for rows in [5001, 25_001] {
        let (plain, classes) = classed(rows).into_unclassed();
        let layout = plain.layout().clone().weighted().of_classes(3);
        let mut here = Matrix::labelled(layout, plain.to_batch().into_inner(), &classes);
        here.weigh(&(0..rows).map(|row| (row % 11) as f32 / 10.0).collect::<Vec<_>>());
        here.leave_out(&(0..rows).map(|row| row % 7 == 3).collect::<Vec<_>>());
        are_the_same(&Rows::new(ByteStore::of(&here)), &here.all());
        are_the_same(&remote(&here), &here.all());
    }
}

/// What belongs to classes is asked of nobody else, and what is asked of classes has their number
/// of coefficients.
#[test]
fn a_question_about_classes_has_no_answer_of_one_margin() {
    let answer =
        |question, rows: &Matrix| Ask::of(question).unwrap().answer(&rows.all(), rows.all().cut());
    let blocks = |theta| Question::ClassBlocks { theta };
    assert!(answer(Question::Squares, &table(10)).is_none());
    assert!(answer(blocks(&[0.0; 6]), &table(10)).is_none());
    assert!(answer(Question::Squares, &classed(10)).is_some());
    assert!(answer(blocks(&[0.0; 18]), &classed(10)).is_some());
    assert!(answer(blocks(&[0.0; 6]), &classed(10)).is_none());
    let point = Point { theta: vec![0.0; 18], order: Order::Gradient };
    let hinge =
        Question::Sums { loss: &HuberisedHinge::default(), points: std::slice::from_ref(&point) };
    assert!(answer(hinge, &classed(10)).is_none(), "classes have one loss");
}
