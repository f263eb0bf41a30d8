mod all;
mod all_laws;
mod distance;
mod exact;
mod law;
mod planner;
mod session;

use crate::Design;

/// The cut of a design that tests.
fn cut(design: &Design) -> u64 {
    match design {
        Design::Sparse(sparse) => sparse.cut,
        Design::Gaussian(gaussian) => gaussian.cut,
        _ => unreachable!("designs without tests have no cut"),
    }
}
