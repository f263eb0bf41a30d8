use super::*;
use crate::erm::matrix::Matrix;
use crate::joint::average;
use crate::train::not_private;

/// Rows of one coefficient: x = 1 and one of three classes.
fn classed(classes: &[u16]) -> Matrix {
    let mut table =
        Matrix::new(Layout::new(Norm::Scale, 1.0, vec![], vec![]).unwrap().of_classes(3));
    table.push_labelled(Batch::default(), classes);
    table
}

fn holders(tables: &[Matrix]) -> Holders {
    let sizes: Vec<usize> = tables.iter().map(Matrix::rows).collect();
    Holders::new(&sizes, 1, 1).unwrap().of_classes(3)
}

fn sum(plan: &Plan, tables: &[Matrix]) -> Vec<f64> {
    let contributions: Vec<Contribution> = tables
        .iter()
        .enumerate()
        .map(|(j, table)| plan.contribute(j, &table.all()).unwrap())
        .collect();
    clear::open(plan.average(), &contributions, &[]).to_vec()
}

/// A row of another class moves the average by half of what the noise is for where λ is large: with
/// rows alike, slopes differ by √2, and others could differ by 2√2. The noise is for these.
#[test]
fn one_row_of_several_classes_moves_the_average_by_its_sensitivity() {
    let lambda = 50.0;
    let tables = |turned: bool| [classed(&[0, 0, 0, 0, u16::from(turned)]), classed(&[0, 0, 1])];
    let plan = joint(lambda, Budget::Pure { epsilon: 1.0 }).plan(&holders(&tables(false))).unwrap();
    let sensitivity = plan.average().noise().sensitivity();
    let moved = distance(&sum(&plan, &tables(false)), &sum(&plan, &tables(true)));
    assert!(moved <= sensitivity && moved > 0.49 * sensitivity, "{moved} {sensitivity}");
    let ideal = 2.0 * 2f64.sqrt() / (8.0 * lambda);
    let found = average::sensitivity(Weighting::BySize, plan.holders(), LossKind::Logistic, lambda);
    assert!(found >= ideal && found < ideal * (1.0 + 1e-6), "{found} {ideal}");
}

#[test]
fn the_sum_is_the_average_of_models_of_several_classes() {
    let tables = [classed(&[0, 0, 1, 2]), classed(&[2, 1, 1, 1, 0, 0, 2, 2])];
    let plan = joint(0.1, Budget::Zcdp { rho: 1.0 }).plan(&holders(&tables)).unwrap();
    let found = sum(&plan, &tables);
    let alone = tables
        .each_ref()
        .map(|table| not_private(&table.all(), LossKind::Logistic, 0.1).unwrap().into_inner());
    for (i, found) in found.iter().enumerate() {
        let expected = (alone[0][i] + 2.0 * alone[1][i]) / 3.0;
        assert!(
            (found - expected).abs() <= plan.average().fixed_point_error() + 1e-9,
            "{found} {expected}"
        );
    }
}

#[test]
fn classes_are_averaged_and_nothing_more() {
    let tables = [classed(&[0, 1, 2]), classed(&[0, 1, 2])];
    let budget = Budget::Approximate { epsilon: 1.0, delta: 1e-6 };
    let wanted = |step| Wanted {
        loss: LossKind::Logistic,
        lambda: None,
        sharing: Sharing::new(2, 1).unwrap(),
        budget,
        step,
    };
    let holders = holders(&tables);
    assert_eq!(wanted(Stepping::Auto).joint(&holders).unwrap().step, None);
    for step in [Stepping::Always, Stepping::ForIntervals] {
        let refused = wanted(step).joint(&holders).and_then(|joint| joint.plan(&holders));
        assert_eq!(refused.unwrap_err(), JointError::Classes);
    }
    let plan = wanted(Stepping::Never).joint(&holders).unwrap().plan(&holders).unwrap();
    assert_eq!(plan.evaluated_on(&[1, 1], 1).unwrap_err(), JointError::Classes);
    let hinge = Joint { loss: LossKind::Hinge, ..joint(0.1, budget) };
    assert!(hinge.plan(&holders).is_err());
}
