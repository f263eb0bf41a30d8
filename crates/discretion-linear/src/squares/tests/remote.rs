//! Rows that others hold: the same bound on roundings, and the same moments, number for number.

use super::{OUTCOME, random_row, table};
use crate::erm::matrix::{Cut, Rows};
use crate::erm::remote::{Ask, Cluster, Workers};
use crate::erm::{AskOracle, Oracle, OracleError, Order};
use crate::loss::{Loss, MomentsLoss};
use crate::squares::Plan;
use discretion_privacy::Budget;
use discretion_privacy::noise::Seeded;
use discretion_privacy::trusted::Open;

struct Parts(Cut, Vec<Rows<'static>>);

impl Workers for Parts {
    fn ask(&self, ask: &Ask) -> Result<Vec<Vec<u8>>, OracleError> {
        let ask = Ask::from_bytes(&ask.to_bytes()).unwrap();
        Ok(self.1.iter().map(|part| ask.answer(part, self.0).unwrap().into_inner()).collect())
    }
}

#[test]
fn the_moments_of_rows_that_others_hold_are_those_of_rows_in_memory() {
    let mut source = Seeded::new(7);
    let rows: Vec<_> = (0..9001).map(|_| random_row(&mut source)).collect();
    let here = table(&rows);
    let cut = here.all().cut();
    let part = |part| here.gather(&cut.units_of(part).collect::<Vec<_>>()).into();
    let parts: Vec<Rows<'static>> = (0..cut.parts()).map(part).collect();
    assert!(parts.len() > 1);
    let remote = Cluster::new(Box::new(Parts(cut, parts)), cut, here.layout().clone(), None);
    // Roundings are counted from these facts alone, so the noise covers those of a sum over parts.
    assert_eq!(remote.facts(), here.all().facts());
    let facts = here.all().facts();
    for budget in [Budget::Pure { epsilon: 1.0 }, Budget::Zcdp { rho: 0.1 }] {
        let plan = Plan::new(budget, facts.clone(), OUTCOME).unwrap();
        let [ours, theirs] = [&remote as &dyn Oracle, &here.all()]
            .map(|oracle| plan.run(oracle, &mut Seeded::new(1)).unwrap());
        assert_eq!(ours, theirs);
    }
}

/// A worker that counted rows by something else than 1 would make other moments than were priced.
#[test]
fn a_worker_weighs_every_row_by_one() {
    let spec = MomentsLoss.spec().unwrap();
    let written = serde_json::to_string(&spec).unwrap();
    assert_eq!(written, "\"one\"");
    let loss = serde_json::from_str::<crate::loss::LossSpec>(&written).unwrap().loss();
    assert_eq!(
        (loss.curvature(-3.0), loss.curvature(7.0), loss.slope(2.0)),
        (MomentsLoss::MOST, MomentsLoss::MOST, 0.0)
    );
    let rows = table(&[random_row(&mut Seeded::new(2))]);
    let theta = vec![0.0; rows.all().facts().dimension];
    let sums = rows.all().sums(&*loss, &theta, Order::Hessian).unwrap().into_inner();
    assert!((sums.hessian[0] - 0.16).abs() < 1e-7, "the constant's square is {}", sums.hessian[0]);
}
