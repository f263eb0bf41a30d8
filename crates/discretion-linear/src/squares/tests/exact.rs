//! Without noise: the normal equations, scikit-learn's Ridge by another way, and files.

use super::{OUTCOME, Row, random_row, table};
use crate::squares::{Moments, Penalty, SquaresError, not_private};
use discretion_privacy::noise::Seeded;

fn rows() -> Vec<Row> {
    let mut source = Seeded::new(8);
    let mut rows: Vec<Row> = (0..400).map(|_| random_row(&mut source)).collect();
    for row in &mut rows {
        let of_code = if row.codes[0] == 1 { 0.4 } else { -0.1 };
        row.numbers[1] = (0.5 * row.numbers[0] + of_code + 0.1 * row.numbers[1]).clamp(-1.0, 1.0);
    }
    rows
}

/// (1/n)Σ u(y − u·β) = penalty·β, where u is a row whose columns have size 1.
#[test]
fn coefficients_solve_the_normal_equations() {
    let rows = rows();
    let moments = not_private(&table(&rows).all(), OUTCOME).unwrap().into_inner();
    for penalty in [1e-6, 1e-2, 1.0] {
        let solution = moments.solve(Penalty::Fixed(penalty)).unwrap();
        let beta = solution.coefficients();
        assert_eq!(beta.len(), 7);
        let mut gradient = vec![0.0; 7];
        let mut squares = 0.0;
        for row in &rows {
            let mut u = [1.0, f64::from(row.numbers[0]), 0.0, 0.0, 0.0, 0.0, 0.0];
            if row.codes[0] < 3 {
                u[2 + usize::from(row.codes[0])] = 1.0;
            }
            if row.codes[1] < 2 {
                u[5 + usize::from(row.codes[1])] = 1.0;
            }
            let residual =
                f64::from(row.numbers[1]) - u.iter().zip(beta).map(|(x, b)| x * b).sum::<f64>();
            u.iter().zip(&mut gradient).for_each(|(x, g)| *g += x * residual / rows.len() as f64);
            squares += residual * residual / rows.len() as f64;
        }
        for (found, beta) in gradient.iter().zip(beta) {
            assert!((found - penalty * beta).abs() < 1e-6, "{penalty}: {found} {}", penalty * beta);
        }
        let deviation = solution.residual_deviation();
        assert!(
            (deviation - squares.sqrt()).abs() < 1e-5 || penalty == 1.0,
            "{deviation} {}",
            squares.sqrt()
        );
    }
    let solution = moments.solve(Penalty::Auto).unwrap();
    assert!(solution.explained() > 0.8 && solution.explained() < 1.0, "{}", solution.explained());
    assert!(matches!(moments.solve(Penalty::Fixed(0.0)), Err(SquaresError::Lambda(_))));
}

#[test]
fn moments_are_written_and_read() {
    let moments = not_private(&table(&rows()).all(), OUTCOME).unwrap().into_inner();
    let json = serde_json::to_string(&moments).unwrap();
    assert_eq!(serde_json::from_str::<Moments>(&json).unwrap(), moments);
    for (from, to) in [
        ("\"rows\":400", "\"rows\":0"),
        ("\"outcome\":2", "\"outcome\":0"),
        ("\"outcome\":2", "\"outcome\":3"),
        ("\"outcome\":2", "\"outcome\":77"),
        ("\"deviations\":[0.0,", "\"deviations\":[-1.0,"),
        ("\"deviations\":[0.0,", "\"deviations\":["),
        ("\"matrix\":[", "\"matrix\":[1.0,"),
    ] {
        assert!(json.contains(from), "{from} {json}");
        assert!(serde_json::from_str::<Moments>(&json.replace(from, to)).is_err(), "{to}");
    }
}
