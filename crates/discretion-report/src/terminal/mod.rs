//! What is said about a file on a terminal: the same public numbers as on its page.

mod brief;
mod columns;
mod density;
mod model;
mod number;
mod quality;

pub use brief::summary as brief;
pub use columns::AlignedColumns;
pub use density::summary as density;
pub use model::summary as model;
pub(crate) use number::own as number_of;
pub use number::summary as number;
pub use quality::evaluation;
pub(crate) use quality::noise as evaluation_noise;
