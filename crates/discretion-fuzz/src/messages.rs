//! What members of a joint study tell each other: what is read and written again has the same
//! bytes, and whoever makes it up breaks nothing and convinces nobody.

use crate::{Verdict, one_line};
use discretion::Refusal;
use discretion::erm::Oracle;
use discretion::erm::matrix::{Batch, Layout, Matrix, Norm};
use discretion::joint::{Contribution, Holders, Joint, Plan, Sharing, Weighting};
use discretion::loss::LossKind;
use discretion::noise::Receipt;
use discretion::privacy::Budget;
use discretion_party::mailbox::fuzzing::written_again;
use discretion_party::run::fuzzing::journal;
use discretion_party::wire::{Charter, Member, SecretKey};
use discretion_party::{Aggregator, Scheme};
use std::sync::LazyLock;

pub(crate) const NAMES: [&str; 2] = ["north", "south"];
const KEY: [u8; 32] = [7; 32];

/// The numbers of a study of two holders, who are the aggregators too.
struct JointStudy {
    plan: Plan,
    scheme: Scheme,
    contributions: Vec<Contribution>,
}

static STUDY: LazyLock<JointStudy> = LazyLock::new(|| {
    let tables = [rows(40), rows(50)];
    let plan = plan(&tables);
    let contribute =
        |(j, table): (usize, &Matrix)| plan.contribute(j, &table.all()).expect("a sum");
    let contributions = tables.iter().enumerate().map(contribute).collect();
    let scheme = Scheme::new(plan.average(), b"study", &[3; 16]).expect("a scheme");
    JointStudy { plan, scheme, contributions }
});

/// What everybody in that study agrees on.
pub(crate) fn charter(coordinator: &SecretKey, members: &[SecretKey]) -> Charter {
    let member = |(name, secret): (&&str, &SecretKey)| Member {
        name: (*name).to_owned(),
        key: secret.public(),
    };
    let members = NAMES.iter().zip(members).map(member).collect();
    Charter::new(
        coordinator.public(),
        members,
        vec![0, 1],
        STUDY.plan.clone(),
        &[("[columns]", b"age".to_vec())],
    )
}

static CHARTER: LazyLock<Charter> = LazyLock::new(|| {
    let secret = || SecretKey::new().expect("a key");
    charter(&secret(), &[secret(), secret()])
});

fn rows(count: usize) -> Matrix {
    let mut matrix =
        Matrix::new(Layout::new(Norm::Scale, 0.7, vec![0.7], vec![]).expect("short rows"));
    let numeric = (0..count).map(|i| 0.02 * (i % 30) as f32).collect();
    matrix.push(Batch {
        numeric,
        codes: vec![],
        positive: (0..count).map(|i| i % 3 == 0).collect(),
    });
    matrix
}

fn plan(tables: &[Matrix]) -> Plan {
    let facts: Vec<_> = tables.iter().map(|table| table.all().facts()).collect();
    let sizes: Vec<usize> = facts.iter().map(|facts| facts.rows).collect();
    let joint = Joint {
        loss: LossKind::Logistic,
        lambda: 0.05,
        weighting: Weighting::BySize,
        sharing: Sharing::new(2, 1).expect("one of two"),
        budget: Budget::Pure { epsilon: 1.0 },
        step: None,
    };
    joint
        .plan(&Holders::new(&sizes, facts[0].dimension, facts[0].row_terms).expect("holders"))
        .expect("a plan")
}

/// What each aggregator says in an honest round: its check of holder 0's proof, and its share of
/// the sum.
static HONEST: LazyLock<[(Vec<u8>, Vec<u8>); 2]> = LazyLock::new(|| {
    let scheme = &STUDY.scheme;
    let mut aggregators = [0, 1].map(|number| Aggregator::new(scheme, number, KEY));
    let mut checks = Vec::new();
    for reports in REPORTS.iter() {
        let received = aggregators
            .iter_mut()
            .zip(reports)
            .map(|(one, report)| one.receive(report).expect("a report"));
        let received: Vec<Vec<u8>> = received.collect();
        aggregators.iter_mut().for_each(|one| one.verify(&received).expect("a proof"));
        checks.push(received);
    }
    let sums = aggregators.map(|one| one.finish(Receipt::seeded(7).noise()).expect("noise"));
    let [one, other] = sums;
    [(checks[0][0].clone(), one), (checks[0][1].clone(), other)]
});

/// Each holder's report for each aggregator.
static REPORTS: LazyLock<Vec<Vec<Vec<u8>>>> = LazyLock::new(|| {
    let report =
        |(holder, one): (usize, &Contribution)| STUDY.scheme.report(holder, one).expect("a report");
    STUDY.contributions.iter().enumerate().map(report).collect()
});

/// Honest messages of an honest round, for a corpus: a report, a check and a share of the sum.
pub fn honest_messages() -> [Vec<u8>; 3] {
    [REPORTS[0][0].clone(), HONEST[1].0.clone(), HONEST[1].1.clone()]
}

/// A message of another member.
pub fn messages(bytes: &[u8]) -> Verdict {
    let read = written_again(bytes);
    for (name, written) in &read {
        assert_eq!(written, bytes, "a {name} that is written again has the same bytes");
    }
    let is = |wanted| read.iter().any(|(name, _)| *name == wanted);
    let scheme = &STUDY.scheme;
    let mut aggregator = Aggregator::new(scheme, 0, KEY);
    match aggregator.receive_from(0, bytes) {
        Ok(check) => {
            assert!(is("report") && written_again(&check).iter().any(|(name, _)| *name == "check"))
        }
        Err(refusal) => one_line(Refusal::refused(refusal)),
    }
    if is("check") && bytes != HONEST[1].0 {
        let mut aggregator = Aggregator::new(scheme, 0, KEY);
        let own = aggregator.receive(&REPORTS[0][0]).expect("an honest report");
        let refusal =
            aggregator.verify(&[own, bytes.to_vec()]).expect_err("nobody can make up a check");
        one_line(Refusal::refused(refusal));
    }
    match scheme.open_from(&[(0, HONEST[0].1.clone()), (1, bytes.to_vec())]) {
        Ok(sum) => {
            assert!(is("sum") && sum.len() == 2 && sum.iter().all(|x| x.is_finite()), "{sum:?}")
        }
        Err(refusal) => one_line(Refusal::refused(refusal)),
    }
    let journal = journal(&CHARTER, bytes);
    if let Some(Err(refusal)) = &journal {
        one_line(Refusal::refused(refusal));
    }
    if read.is_empty() && journal.is_none() { Verdict::Refused } else { Verdict::Accepted }
}
