//! A joint study with its sums in the clear, for tables that are public anyway. The noise is the
//! real one, and a test shows that secret shares would have given the same numbers.

use discretion::erm::Oracle;
use discretion::erm::matrix::Matrix;
use discretion::joint::{Contribution, Holders, Joint, JointError, Plan, Round, Stepped, clear};
use discretion::noise::{Released, Seeded};

/// A study whose holders have trained.
pub struct ClearStudy<'t> {
    /// Its public numbers.
    pub plan: Plan,
    tables: &'t [Matrix],
    models: Vec<Contribution>,
}

/// What a study released.
pub struct Release {
    /// The average.
    pub average: Released<Vec<f64>>,
    /// The step, if there is one.
    pub stepped: Option<Stepped>,
}

impl Release {
    /// The model.
    pub fn model(&self) -> &[f64] {
        self.stepped.as_ref().map_or(&self.average, |stepped| &stepped.coefficients)
    }
}

/// Who holds these tables.
pub fn holders(tables: &[Matrix]) -> Result<Holders, JointError> {
    let sizes: Vec<usize> = tables.iter().map(Matrix::rows).collect();
    let facts = tables.first().ok_or(JointError::NoHolders)?.all().facts();
    Holders::new(&sizes, facts.dimension, facts.row_terms)
}

impl<'t> ClearStudy<'t> {
    /// Every holder trains, once for any number of runs.
    pub fn new(joint: &Joint, tables: &'t [Matrix]) -> Result<ClearStudy<'t>, JointError> {
        let plan = joint.plan(&holders(tables)?)?;
        let models = tables.iter().enumerate().map(|(j, table)| plan.contribute(j, &table.all()));
        let models = models.collect::<Result<_, _>>()?;
        Ok(ClearStudy { plan, tables, models })
    }

    /// All rounds, with noise of their own.
    pub fn run(&self, source: &mut Seeded) -> Result<Release, JointError> {
        let average = open(self.plan.average(), &self.models, source)?;
        let Some(step) = self.plan.step(&average)? else {
            return Ok(Release { average, stepped: None });
        };
        let mut sums: Vec<Vec<Contribution>> = step.rounds().iter().map(|_| Vec::new()).collect();
        for (j, table) in self.tables.iter().enumerate() {
            sums.iter_mut().zip(step.contribute(j, &table.all())?).for_each(|(sum, one)| sum.push(one));
        }
        let opened =
            step.rounds().into_iter().zip(&sums).map(|(round, sum)| open(&round, sum, source));
        let stepped = step.finish(opened.collect::<Result<_, _>>()?)?;
        Ok(Release { average, stepped: Some(stepped) })
    }
}

/// One round.
fn open(
    round: &Round,
    contributions: &[Contribution],
    source: &mut Seeded,
) -> Result<Released<Vec<f64>>, JointError> {
    let share = |_| round.noise_share(source);
    let noise =
        (0..round.noise().sharing().aggregators()).map(share).collect::<Result<Vec<_>, _>>()?;
    Ok(clear::open(round, contributions, &noise))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tuning::made_up;
    use discretion::joint::{Sharing, Step, Weighting};
    use discretion::loss::LossKind;
    use discretion::privacy::Budget;
    use discretion_party::{deal, simulate};

    /// Under one seed secret shares and sums in the clear give the same numbers, bit by bit.
    #[test]
    fn secret_shares_would_have_given_the_same_numbers() {
        let table = made_up::census(300, 1);
        let sizes = [50, 100, 150];
        let tables: Vec<Matrix> = deal(&sizes).iter().map(|hand| table.gather(hand)).collect();
        let step =
            Step { lambda: Some(0.05), gradient: 0.3, hessian: 0.3, covariance: 0.0, damping: 1.0 };
        for budget in
            [Budget::Pure { epsilon: 2.0 }, Budget::Approximate { epsilon: 2.0, delta: 1e-6 }]
        {
            let joint = Joint {
                loss: LossKind::Logistic,
                lambda: 0.1,
                weighting: Weighting::BySize,
                sharing: Sharing::new(3, 1).unwrap(),
                budget,
                step: Some(step),
            };
            let shared = simulate(&joint, &table, &sizes, &mut Seeded::new(7)).unwrap();
            let clear = ClearStudy::new(&joint, &tables).unwrap().run(&mut Seeded::new(7)).unwrap();
            assert_eq!(*shared.average, *clear.average, "{budget}");
            assert_eq!(**shared.coefficients(), *clear.model(), "{budget}");
        }
    }
}
