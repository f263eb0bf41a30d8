//! What the page shows beside forms: what is in the folder, how a table looks to its custodian,
//! plans, accounts.

mod curves;
pub mod history;
pub mod look;
pub mod plan;
pub mod state;
