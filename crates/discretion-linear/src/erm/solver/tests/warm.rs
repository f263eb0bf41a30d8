//! What a warm start may be used for, and what is believed of it.

use super::*;
use discretion_privacy::trusted::Open;

/// Two tables with the same facts: a start made with one is not one for the other.
#[test]
fn a_start_of_another_table_is_refused() {
    let [one, other] =
        [true, false].map(|label| table(&[([0.3, -0.2], label), ([0.1, 0.4], true)]));
    assert_eq!(one.facts(), other.facts());
    let warm = Warm::starts(&one, &Logistic, &[0.1]).unwrap().remove(0);
    let alone = |table: &Rows<'_>| {
        let problem = Problem::new(table, &Logistic, 0.1, 0.0).starting(Start::Warm(&warm));
        problem.minimise(None).map(drop)
    };
    let together = |table: &Rows<'_>| {
        let job =
            || Job { lambda: 0.1, ordinary_noise: 0.0, noise: None, start: Start::Warm(&warm) };
        minimise_all(table, &Logistic, &[job(), job()]).map(drop)
    };
    let is_refused = |search: &dyn Fn(&Rows<'_>) -> Result<(), OracleError>, table| {
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| search(table).unwrap())).is_err()
    };
    for search in [&alone as &dyn Fn(&Rows<'_>) -> Result<(), OracleError>, &together] {
        assert!(!is_refused(search, &one) && is_refused(search, &other));
    }
}

/// A start that claims to be the end is not believed: the search makes sums of its own and finds
/// the minimiser.
#[test]
fn a_certificate_does_not_rest_on_what_a_start_says() {
    let table = table(&[([0.3, -0.2], true), ([0.1, 0.4], false), ([0.5, 0.5], true)]);
    let mut warm = Warm::starts(&table, &Logistic, &[0.1]).unwrap().remove(0);
    // A gradient over rows that λθ takes back to 0, far from the minimiser.
    warm.theta = vec![1.0, -1.0, 2.0];
    warm.sums.gradient = warm.theta.iter().map(|x| -0.1 * x).collect();
    let problem = Problem::new(&table, &Logistic, 0.1, 0.0).starting(Start::Warm(&warm));
    let found = problem.minimise(None).unwrap().into_inner();
    let bound =
        exact_distance_bound(&table, &Logistic, 0.1, &[exact(0.0), exact(0.0), exact(0.0)], &found);
    assert!(bound <= problem.accuracy().tolerance, "{bound}");
}
