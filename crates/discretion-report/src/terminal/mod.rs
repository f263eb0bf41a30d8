//! What is said about a file on a terminal: the same public numbers as on its page.

mod columns;
mod density;
mod model;
mod quality;

pub use columns::AlignedColumns;
pub use density::summary as density;
pub use model::summary as model;
pub use quality::evaluation;
