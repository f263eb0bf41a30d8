//! Which parts of a run have privacy losses that can be compared in convex order (`PROOF.md`,
//! "Convex order").

use super::optimal::RandomisedResponses;
use super::part::Part;
use super::rounding::{add_up, formula_up, sum_up, times_up};
use super::spend::Spend;
use crate::Losses;
use crate::losses::lattice_square;

/// With more outcomes than this, what is pure counts with its sum.
const MOST_OUTCOMES: u64 = 64;

/// Each lattice adds a little to δ; so many are paid for.
const MOST_LATTICES: u64 = 64;

/// The losses of a run's parts, and the parts that have none to compare; nothing if only those and
/// pure ones are there, more than one training, or random stopping.
pub(super) fn compared<'s>(
    spend: &'s Spend,
    pure: &[(f64, u64)],
) -> Option<(Losses, Vec<(&'s Part, u64)>)> {
    let (mut squares, mut lattices, mut others) = (0.0, 0, Vec::new());
    let mut losses = with_pure(pure);
    let mut is_any = false;
    for (part, count) in spend.parts() {
        let square = match *part {
            Part::Pure { .. } | Part::Failure { .. } => continue,
            Part::Gaussian { mu } => formula_up(mu * mu),
            Part::Lattice { rho, sigma } => {
                let is_fine = |_: &f64| count <= MOST_LATTICES - lattices;
                let Some(square) = lattice_square(rho, sigma).filter(is_fine) else {
                    others.push((part, count));
                    continue;
                };
                lattices += count;
                square
            }
            Part::GaussianObjective { .. }
            | Part::GaussianLogistic { .. }
            | Part::GaussianClasses { .. }
            | Part::GaussianResiduals { .. } => {
                losses = losses.and_training(&part.bent()?).filter(|_| count == 1)?;
                0.0
            }
            Part::Concentrated { .. } => {
                others.push((part, count));
                continue;
            }
            // Their curves take so long that they are asked once, by the rules that need nothing
            // else.
            Part::Stopped { .. } | Part::Parallel { .. } | Part::OneOf { .. } => return None,
        };
        is_any = true;
        squares = add_up(squares, times_up(count, square));
    }
    is_any.then(|| (losses.and_gaussian(squares), others))
}

fn with_pure(pure: &[(f64, u64)]) -> Losses {
    let few = pure.iter().try_fold(1u64, |product, &(_, count)| {
        product.checked_mul(count.checked_add(1)?).filter(|&product| product <= MOST_OUTCOMES)
    });
    match few.and_then(|_| RandomisedResponses::new(pure)) {
        Some(responses) => Losses::default().and_responses(responses.into_outcomes()),
        None => Losses::default().and_at_most(sum_up(pure.iter().copied())),
    }
}
