use super::*;
use crate::sums::tests::contributions;
use discretion::erm::matrix::Batch;
use discretion::privacy::account::Event;
use discretion_jobs::evaluate::HeldOutReader;
use discretion_jobs::joint::JointEvaluation;
use discretion_ledger::Purchase;
use discretion_table::{EvaluateSettings, Study};
use std::path::Path;

/// Everybody opens the same numbers, and they are the weighted average of what each would have
/// trained alone, up to noise whose length is exceeded once in e²⁰ runs.
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
    let apart =
        exact.iter().zip(outcome.average.iter()).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
    assert!(apart > 0.0, "there is noise");
    assert!(apart <= round.noise().length_exceeded_by(20.0), "{apart}");
}

/// A study that was charged by a build with another name for it goes on, and nobody pays twice.
#[test]
fn a_journal_of_an_earlier_build_is_found() {
    let mut study = TestStudy::new(joint(2, 1), vec![0, 1]);
    let earlier = [("[columns]", b"years".to_vec()), ("[spend]", b"one".to_vec())];
    study.charter = study.charter.clone().known_earlier_by(&earlier);
    for member in 0..NAMES.len() {
        let names = study.charter.journal_name(member);
        let [now, before] = names.all().collect::<Vec<_>>().try_into().unwrap();
        assert_ne!(now, before);
        let ledger = Ledger::open(&study.ledger(member)).unwrap();
        let account = ledger.account("rows", Budget::Pure { epsilon: 1.5 }).unwrap();
        let mut table = account.fingerprint();
        table.update(&[member as u8]);
        let table = table.finish();
        let event = study.charter.plan().event();
        let purchase = Purchase::new(&event, "test").on(&table);
        let purchase = purchase.with_only_session(before, r#"{"contributed":null,"shares":[]}"#);
        account.charge(&purchase).unwrap();
    }
    let results = study.run(&[]);
    assert!(results.coordinator.is_ok(), "{:?}", results.coordinator);
    assert_eq!(study.charges(), [1, 1, 1]);
}

/// Two of three add the noise; the third is a holder like any other, and all of its rows have one
/// class.
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

/// Holders that hold rows out release counts of them, in a round of its own and for the same
/// charge: everybody has the same, and they are the rows' own up to noise whose length is exceeded
/// once in e²⁰ runs.
#[test]
fn rows_that_are_held_out_are_counted_in_the_last_round() {
    let text = "[data]\npath = 't.csv'\naccount = 'a'\ntarget = 'y'\npositive = '1'\nnegative = '0'\n[budget]\nepsilon = 9\n\
                [spend]\nepsilon = 9\n[columns]\nx = { min = 0, max = 1 }\n";
    let schema = Study::parse(Path::new("study.toml"), text).unwrap().schema;
    let source = &mut Seeded::new(8);
    let mut both = |trains: usize, held_out: usize| {
        let mut reader = HeldOutReader::new(&schema, 0.5);
        assert_eq!(trains, held_out);
        let x: Vec<f32> = (0..trains + held_out).map(|_| source.unit() as f32 - 0.5).collect();
        let positive = x.iter().map(|x| x + 0.1 * (source.unit() as f32) > 0.05).collect();
        reader.push(&Batch { numeric: x, codes: Vec::new(), positive }, &[]);
        reader.into_parts().into()
    };
    let (tables, held_out): (Vec<Matrix>, Vec<Matrix>) =
        [400, 500, 300].map(|rows| both(rows, rows)).into_iter().unzip();
    let settings = EvaluateSettings { share: 0.5, by: None };
    let about =
        JointEvaluation::new(&schema, discretion::loss::LossKind::Logistic, &settings).unwrap();
    let held_out: Vec<HeldOutCounts> =
        held_out.into_iter().map(|rows| HeldOutCounts::new(about.clone(), rows)).collect();
    let plan = plan(joint(3, 1), &tables).evaluated_on(&[400, 500, 300], 1).unwrap();
    assert_eq!(plan.rounds(), 2);
    assert!(matches!(plan.event(), Event::Parallel { .. }));
    let study = TestStudy::planned(plan, vec![0, 1, 2], tables, Some(held_out));
    let results = study.run(&[]);
    let outcome = results.coordinator.unwrap();
    assert!(results.members.iter().all(|member| member.as_ref().unwrap().outcome == outcome));
    assert_eq!(study.charges(), [1, 1, 1]);
    let counts = outcome.counts.as_ref().unwrap();
    let plan = study.charter.plan().counts().unwrap();
    let mut sum = vec![0i128; plan.round().lattice().dimension()];
    for (holder, rows) in study.held_out.as_ref().unwrap().iter().enumerate() {
        let tally = rows.tally(plan, outcome.coefficients());
        let numbers = plan.contribute(holder, &tally).unwrap().share(&crate::sums::tests::Reveal);
        sum.iter_mut().zip(numbers).for_each(|(sum, x)| *sum += x as i128);
    }
    let exact = plan.round().open(&sum, counts.provenance());
    assert_eq!(exact.iter().sum::<f64>(), 1_200.0, "every row that is held out is counted once");
    let apart = exact.iter().zip(counts.iter()).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
    assert!(apart > 0.0 && apart <= plan.round().noise().length_exceeded_by(20.0), "{apart}");
    // Once more: everything is there, and nothing is charged.
    assert_eq!(study.run(&[]).coordinator.unwrap(), outcome);
    assert_eq!(study.charges(), [1, 1, 1]);
}
