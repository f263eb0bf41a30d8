//! The charts: each takes plain numbers and gives back a [`Drawing`](crate::svg::Drawing).

pub mod bars;
pub mod contrast;
pub mod forest;
mod frame;
pub mod heatmap;
pub mod lines;
mod names;
pub mod steps;

pub use bars::Bars;
pub use contrast::Contrast;
pub use forest::Forest;
pub use heatmap::Heatmap;
pub use lines::Lines;
pub use steps::Steps;
