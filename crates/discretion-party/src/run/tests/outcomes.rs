use super::*;
use crate::sums::tests::contributions;

/// Everybody opens the same numbers, and they are the weighted average of what each would have trained alone, up to noise whose length is
/// exceeded once in e²⁰ runs.
#[test]
fn everybody_gets_the_same_average_for_one_charge_each() {
    let study = TestStudy::new(joint(3, 1), vec![0, 1, 2]);
    let results = study.run(&[]);
    let outcome = results.coordinator.unwrap();
    assert!(results.members.iter().all(|member| member.as_ref().unwrap().outcome == outcome));
    assert_eq!(study.charges(), [1, 1, 1]);
    let round = study.charter.plan().average();
    let mut sum = vec![0i128; round.lattice().dimension()];
    for contribution in contributions(study.charter.plan(), &study.tables) {
        let numbers = contribution.share(&crate::sums::tests::Reveal);
        sum.iter_mut().zip(numbers).for_each(|(sum, x)| *sum += x as i128);
    }
    let exact = round.open(&sum, outcome.average.provenance());
    let apart = exact.iter().zip(outcome.average.iter()).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
    assert!(apart > 0.0, "there is noise");
    assert!(apart <= round.noise().length_exceeded_by(20.0), "{apart}");
}

/// Two of three add the noise; the third is a holder like any other, and all of its rows have one class.
#[test]
fn a_step_and_its_intervals_among_two_aggregators() {
    let source = &mut Seeded::new(6);
    let tables = vec![rows(40, 1, source), rows(60, 1, source), one_class(30, true)];
    let study = TestStudy::of(with_step(), vec![2, 0], tables);
    let results = study.run(&[]);
    let outcome = results.coordinator.unwrap();
    assert!(outcome.stepped.as_ref().unwrap().evidence.is_some());
    assert!(results.members.iter().all(|member| member.as_ref().unwrap().outcome == outcome));
    // Once more: everything is there, and nothing is charged.
    let again = study.run(&[]);
    assert_eq!(again.coordinator.unwrap(), outcome);
    assert_eq!(study.charges(), [1, 1, 1]);
}
