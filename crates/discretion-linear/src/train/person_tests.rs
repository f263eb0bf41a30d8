//! Persons with 1, 2 and 50 rows: what is public does not tell them apart, and one of them moves
//! little.

use super::{Method, Training, not_private};
use crate::erm::Oracle;
use crate::erm::matrix::{Batch, Layout, Matrix, Norm, Rows};
use crate::fit::{Choosing, Lambda, Request, Table};
use crate::loss::{LossKind, Score};
use crate::tune::{SplitTable, TuningRule};
use discretion_privacy::noise::Seeded;
use discretion_privacy::{Budget, Unit};

/// Rows of an intercept alone, with so many rows and this label for each person.
fn rows(persons: &[(usize, bool)]) -> (Matrix, Vec<u128>) {
    let layout = Layout::new(Norm::Scale, 1.0, vec![], vec![]).unwrap();
    let positive = persons.iter().flat_map(|&(rows, label)| vec![label; rows]).collect();
    let of_row =
        (0u128..).zip(persons).flat_map(|(person, &(rows, _))| vec![person; rows]).collect();
    (Matrix::of(layout, Batch { positive, ..Batch::default() }), of_row)
}

fn grouped(persons: &[(usize, bool)]) -> Rows<'static> {
    let (matrix, of_row) = rows(persons);
    Rows::group(matrix, &of_row)
}

/// The largest move of a minimiser over persons who say one thing with 1, 2 or 50 rows and then the
/// other, in units of 2/(Nλ).
fn largest_move(minimiser: impl Fn(&[(usize, bool)]) -> f64) -> f64 {
    let sizes = [1, 2, 50];
    let others = vec![(1, true), (2, false), (50, true), (1, false), (2, true)];
    let mut largest: f64 = 0.0;
    for (before, after) in sizes.iter().flat_map(|&a| sizes.map(|b| (a, b))) {
        let at = |person| minimiser(&[vec![person], others.clone()].concat());
        largest = largest.max((at((before, true)) - at((after, false))).abs());
    }
    largest / (2.0 / (6.0 * LAMBDA))
}

const LAMBDA: f64 = 2.5;

#[test]
fn a_person_moves_a_minimiser_by_its_sensitivity_and_rows_counted_as_rows_move_it_further() {
    let loss = LossKind::Hinge;
    let of_persons = |table: &[(usize, bool)]| {
        not_private(&grouped(table), loss, LAMBDA).unwrap().into_inner()[0]
    };
    let of_rows = |table: &[(usize, bool)]| {
        not_private(&rows(table).0.all(), loss, LAMBDA).unwrap().into_inner()[0]
    };
    let most = largest_move(of_persons);
    assert!(most <= 1.0 + 1e-9 && most > 0.999, "{most}");
    assert!(largest_move(of_rows) > 1.5, "{}", largest_move(of_rows));
}

/// Every public number, and what is released of it, is the same bits for any number of rows a
/// person.
#[test]
fn the_same_persons_with_other_numbers_of_rows_have_the_same_plan_and_price() {
    let table = |rows: usize| {
        grouped(
            &(0..400).map(|person| (1 + (person * rows) % 50, person % 3 == 0)).collect::<Vec<_>>(),
        )
    };
    let choosing = |rule| {
        let (lambdas, share, validation) = (vec![0.1, 1.0], 0.3, 0.25);
        Lambda::Chosen(Choosing { lambdas, share, validation, score: Score::Brier, rule })
    };
    let lambdas = [
        Lambda::Auto,
        Lambda::Fixed(0.5),
        choosing(TuningRule::Generalised),
        choosing(TuningRule::RandomStopping),
    ];
    for budget in [Budget::Pure { epsilon: 4.0 }, Budget::Approximate { epsilon: 4.0, delta: 1e-6 }]
    {
        for (lambda, loss) in lambdas
            .iter()
            .flat_map(|lambda| [(lambda, LossKind::Logistic), (lambda, LossKind::Hinge)])
        {
            let request = Request {
                loss,
                lambda: lambda.clone(),
                method: Method::Auto,
                budget,
                intervals: None,
            };
            let public = |rows: usize| {
                let persons = table(rows);
                let (training, validation) = (persons.view(0..300), persons.view(300..400));
                let split =
                    SplitTable { training: &training, validation: &validation, all: &persons };
                let table = if request.validation().is_some() {
                    Table::Split(split)
                } else {
                    Table::Whole(&persons)
                };
                let plan = request.plan(table.facts()).unwrap();
                let released = plan.run(table, &mut Seeded::new(7)).unwrap();
                // Which λ is chosen is released, and may be another one.
                let trained = request.validation().is_none().then_some(released.training);
                (serde_json::to_string(&plan.event()).unwrap(), plan, trained)
            };
            let [few, many] = [0, 49].map(public);
            assert_eq!(few.0, many.0);
            assert!(few.1 == many.1 && few.2 == many.2, "{budget} {lambda:?}");
        }
    }
}

#[test]
fn the_price_of_a_plan_is_that_of_its_unit() {
    let training = Training {
        loss: LossKind::Logistic,
        lambda: Some(0.01),
        method: Method::Objective,
        budget: Budget::Pure { epsilon: 1.0 },
    };
    let facts = grouped(&[(3, true); 50]).facts();
    assert_eq!((facts.rows, facts.unit), (50, Unit::Person));
    let plan = training.plan(facts).unwrap();
    assert!(serde_json::to_string(&plan.event()).unwrap().contains("\"unit\":\"person\""));
}
