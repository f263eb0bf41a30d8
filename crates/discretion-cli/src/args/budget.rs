//! Caps and budgets on the command line.

use clap::Args as ClapArgs;
use discretion::Refusal;
use discretion::privacy::Budget;
use discretion::privacy::account::Cap;

/// An account's cap on the command line.
#[derive(Debug, ClapArgs)]
pub struct CapFlags {
    /// The cap's ε
    #[arg(long, value_name = "E", allow_negative_numbers = true)]
    pub epsilon: Option<f64>,
    /// The cap's δ, beside ε or ρ
    #[arg(long, value_name = "D", allow_negative_numbers = true)]
    pub delta: Option<f64>,
    /// A zero-concentrated cap ρ
    #[arg(long, value_name = "R", allow_negative_numbers = true, conflicts_with = "epsilon")]
    pub rho: Option<f64>,
}

impl CapFlags {
    /// The cap.
    pub fn cap(&self) -> Result<Cap, Refusal> {
        Cap::new(self.epsilon, self.delta, self.rho)
            .map_err(|error| Refusal::bad_input(format!("--epsilon, --delta, --rho: {error}")))
    }
}

/// A budget on the command line.
#[derive(Debug, ClapArgs)]
pub struct BudgetFlags {
    /// The budget ε
    #[arg(long, value_name = "E", allow_negative_numbers = true)]
    pub epsilon: Option<f64>,
    /// The budget's δ
    #[arg(long, value_name = "D", allow_negative_numbers = true, requires = "epsilon")]
    pub delta: Option<f64>,
    /// A zero-concentrated budget ρ
    #[arg(long, value_name = "R", allow_negative_numbers = true, conflicts_with = "epsilon")]
    pub rho: Option<f64>,
}

impl BudgetFlags {
    /// Whether any of it was given.
    pub fn is_given(&self) -> bool {
        self.epsilon.is_some() || self.delta.is_some() || self.rho.is_some()
    }

    /// The budget.
    pub fn budget(&self) -> Result<Budget, Refusal> {
        Budget::new(self.epsilon, self.delta, self.rho)
            .map_err(|error| Refusal::bad_input(format!("--epsilon, --delta, --rho: {error}")))
    }
}
