//! Laws of noise in plain words.

use crate::numbers::plain::short;
use discretion::interval::MatrixNoise;
use discretion::noise::ClassNoise;
use discretion::privacy::account::{Law, ShapedLaw, TrainingLaw};

/// Groups that are named one by one; more are counted.
const MOST_GROUPS: usize = 6;

/// The law's name, for a table.
pub fn law(noise: &TrainingLaw) -> &'static str {
    match noise {
        TrainingLaw::Round(Law::Spherical { .. }) => "spherical",
        TrainingLaw::Round(Law::Gaussian { .. }) => "Gaussian",
        TrainingLaw::Shaped(ShapedLaw::Groups { .. }) => "shaped (groups)",
        TrainingLaw::Shaped(ShapedLaw::RowNorm { .. }) => "shaped (row)",
        TrainingLaw::Shaped(ShapedLaw::ColumnGaussian { .. }) => "Gaussian (columns)",
    }
}

/// The standard deviation of the noise at a coefficient: one number, or the smallest and the
/// largest.
pub fn deviation(noise: &TrainingLaw, dimension: usize) -> String {
    let deviations: Vec<f64> = match noise {
        TrainingLaw::Round(law) => vec![law.typical_length(dimension) / (dimension as f64).sqrt()],
        // Of several classes the law has the columns of one.
        TrainingLaw::Shaped(law) if law.columns().dimension() < dimension => {
            let each = law.columns().dimension();
            let of_classes = ClassNoise::new(noise, dimension / each, each);
            of_classes.variances().into_iter().map(f64::sqrt).collect()
        }
        TrainingLaw::Shaped(law) => law.variances().into_iter().map(f64::sqrt).collect(),
    };
    let least = deviations.iter().copied().fold(f64::INFINITY, f64::min);
    let most = deviations.iter().copied().fold(0.0, f64::max);
    match (short(least), short(most)) {
        (least, most) if least == most => least,
        (least, most) => format!("{least} to {most}"),
    }
}

/// The law of the noise in a matrix of moments, in a sentence without its full stop.
pub fn matrix_noise(noise: MatrixNoise) -> String {
    match noise {
        MatrixNoise::Spherical { .. } => "spherical, the same in all directions",
        MatrixNoise::Shaped { .. } => "with the shape of the rows, by pairs of columns",
        MatrixNoise::Gaussian { .. } => "Gaussian, in coordinates that follow the columns",
    }
    .to_owned()
}

/// The law of the noise in counts.
pub fn count_noise(laplace: bool) -> &'static str {
    if laplace { "discrete Laplace" } else { "Gaussian" }
}

/// The whole law, in a sentence without its full stop.
pub fn noise(noise: &TrainingLaw, dimension: usize) -> String {
    let deviation = deviation(noise, dimension);
    let what = match noise {
        TrainingLaw::Round(Law::Spherical { .. }) => "spherical, the same in all directions".to_owned(),
        TrainingLaw::Round(Law::Gaussian { .. }) => "Gaussian, the same for every coefficient".to_owned(),
        TrainingLaw::Shaped(ShapedLaw::Groups { group_of, epsilons, .. }) => {
            format!("with the shape of the rows: {}", groups(group_of, epsilons))
        }
        TrainingLaw::Shaped(ShapedLaw::RowNorm { .. }) => {
            "with the shape of the rows: one norm for all columns, in which the values of a category count as one".to_owned()
        }
        TrainingLaw::Shaped(ShapedLaw::ColumnGaussian { .. }) => {
            "Gaussian, with a deviation for each column".to_owned()
        }
    };
    format!("{what}; standard deviation {deviation} in the sum of gradients")
}

fn groups(group_of: &[usize], epsilons: &[f64]) -> String {
    let columns =
        |count: usize| if count == 1 { "1 column".to_owned() } else { format!("{count} columns") };
    if epsilons.len() == 1 {
        return format!("all {} in one group", columns(group_of.len()));
    }
    let total: f64 = epsilons.iter().sum();
    let members = |group: usize| group_of.iter().filter(|&&of| of == group).count();
    let share = |group: usize| {
        format!("{} with {} %", columns(members(group)), short(100.0 * epsilons[group] / total))
    };
    let named: Vec<String> = (0..epsilons.len().min(MOST_GROUPS)).map(share).collect();
    let more = match epsilons.len().checked_sub(MOST_GROUPS) {
        Some(more) if more > 0 => format!(", and {more} more"),
        _ => String::new(),
    };
    format!(
        "{} in {} groups, {} of epsilon{more}",
        columns(group_of.len()),
        epsilons.len(),
        named.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use discretion::privacy::account::{Column, Columns};

    #[test]
    fn laws_are_said_in_words() {
        let column = |coefficients| Column { coefficients, size: 0.5 };
        let columns = Columns::new(vec![column(1), column(1), column(3)]).unwrap();
        let grouped = ShapedLaw::Groups {
            columns: columns.clone(),
            group_of: vec![0, 0, 1],
            epsilons: vec![0.6, 0.2],
        };
        assert_eq!(
            noise(&grouped.into(), 5),
            "with the shape of the rows: 3 columns in 2 groups, 2 columns with 75 %, 1 column with 25 % of epsilon; \
             standard deviation 3.33 to 7.07 in the sum of gradients"
        );
        let one = ShapedLaw::Groups { columns, group_of: vec![0, 0, 0], epsilons: vec![0.8] };
        assert!(noise(&one.into(), 5).contains("all 3 columns in one group"));
        let round = TrainingLaw::from(Law::Gaussian { sigma: 3.0 });
        assert_eq!(deviation(&round, 5), "3");
    }
}
