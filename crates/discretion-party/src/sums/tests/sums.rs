use super::*;
use discretion::noise::{Provenance, Receipt};

/// What is opened is the sum of all contributions and of all aggregators' noise: exactly, for two
/// to six aggregators.
#[test]
fn the_opened_sum_is_the_sum_with_every_aggregators_noise() {
    let source = &mut Seeded::new(1);
    let tables = [rows(40, 3, source), rows(20, 3, source), rows(60, 3, source)];
    for (count, colluders) in [(2, 1), (3, 0), (6, 2)] {
        let plan = plan(joint(count, colluders), &tables);
        let round = plan.average();
        let scheme = Scheme::new(round, b"study", &ATTEMPT).unwrap();
        let contributions = contributions(&plan, &tables);
        let mut all = aggregators(&scheme);
        for (holder, contribution) in contributions.iter().enumerate() {
            submit(&mut all, &scheme.report(holder, contribution).unwrap()).unwrap();
        }
        let source = &mut Seeded::new(5);
        let mut sums: Vec<Vec<u8>> =
            all.into_iter().map(|one| one.finish(source).unwrap()).collect();
        // In any order.
        sums.reverse();
        let opened = scheme.open(&sums).unwrap();
        let mut expected = noise(round, count, 5);
        for numbers in contributions.iter().map(|one| one.share(&Reveal)) {
            expected.iter_mut().zip(numbers).for_each(|(sum, x)| *sum += x as i128);
        }
        assert_eq!(opened, round.open(&expected, Provenance::TestSeed));
    }
}

/// Noise from a fixed seed marks the whole sum, whoever used it.
#[test]
fn one_seeded_share_marks_the_sum() {
    let tables = [one_class(10, true), one_class(12, false)];
    let plan = plan(joint(2, 1), &tables);
    let scheme = Scheme::new(plan.average(), b"study", &ATTEMPT).unwrap();
    for (seeded, expected) in [(false, Provenance::OperatingSystem), (true, Provenance::TestSeed)] {
        let mut all = aggregators(&scheme);
        for (holder, one) in contributions(&plan, &tables).iter().enumerate() {
            submit(&mut all, &scheme.report(holder, one).unwrap()).unwrap();
        }
        let second = all.pop().unwrap();
        let first = all.pop().unwrap().finish(Receipt::nobody_remembers().noise()).unwrap();
        let second = if seeded {
            second.finish(&mut Seeded::new(1))
        } else {
            second.finish(Receipt::nobody_remembers().noise())
        };
        assert_eq!(scheme.open(&[first, second.unwrap()]).unwrap().provenance(), expected);
    }
}
