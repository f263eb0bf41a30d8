//! Draws of a discrete law, a line each. tests/peer/test_samplers.py compares them with OpenDP's.
//!
//! cargo run --release -p discretion --example draws -- laplace 0.37 20000

use dashu_ratio::RBig;
use discretion::noise::{Receipt, discrete_gaussian, discrete_laplace};

#[allow(clippy::print_stdout)]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [law, scale, count] = arguments.as_slice() else {
        return Err("say which law, its scale and how many draws: laplace 0.37 20000".into());
    };
    let scale = RBig::try_from(scale.parse::<f64>()?)?;
    let mut receipt = Receipt::nobody_remembers();
    for _ in 0..count.parse::<usize>()? {
        let draw = match law.as_str() {
            "laplace" => discrete_laplace(&scale, receipt.noise())?,
            "gaussian" => discrete_gaussian(&scale, receipt.noise())?,
            _ => return Err(format!("{law} is neither laplace nor gaussian").into()),
        };
        println!("{draw}");
    }
    Ok(())
}
