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

/// The heading of a budget that goes before the study's, in a help text.
pub const IN_PLACE_OF_SPEND: &str = "What the run spends, in place of [spend] in the study";

/// The heading of what follows such a budget: that of all other options.
pub const ORDINARY: Option<&str> = None;

/// A budget on the command line.
#[derive(Debug, Default, ClapArgs)]
pub struct BudgetFlags {
    /// The budget ε
    #[arg(long, value_name = "E", allow_negative_numbers = true)]
    pub epsilon: Option<f64>,
    /// Its δ: well below 1 over the number of rows, such as 1e-6
    #[arg(long, value_name = "D", allow_negative_numbers = true, requires = "epsilon")]
    pub delta: Option<f64>,
    /// Or a zero-concentrated budget ρ
    #[arg(long, value_name = "R", allow_negative_numbers = true, conflicts_with = "epsilon")]
    pub rho: Option<f64>,
}

impl BudgetFlags {
    /// The budget, if any of it was given.
    pub fn given(&self) -> Result<Option<Budget>, Refusal> {
        match (self.epsilon, self.delta, self.rho) {
            (None, None, None) => Ok(None),
            _ => self.budget().map(Some),
        }
    }

    /// The budget.
    pub fn budget(&self) -> Result<Budget, Refusal> {
        Budget::new(self.epsilon, self.delta, self.rho)
            .map_err(|error| Refusal::bad_input(format!("--epsilon, --delta, --rho: {error}")))
    }
}
