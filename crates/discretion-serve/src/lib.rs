//! Private answers over HTTP: a voting session that is asked online, by people who must not see the
//! rows.
//!
//! | module | is |
//! |---|---|
//! | [`service`] | the whole: a study becomes a running service, and ends |
//! | [`voters`] | what casts the votes: the study's models, or anything else |
//! | `opening` | the way there: the ledger, the lock, the charge, the models |
//! | `request_queue` | where requests wait for the next tick |
//! | `writer` | the one thread that owns session and state; it works tick by tick |
//! | [`clock`] | the public schedule on which answers leave |
//! | [`store`] | what must outlive the process beside the ledger: tokens, counts, answered requests |
//! | `state_files` | where the files are: beside the ledger itself |
//! | [`tokens`] | who may ask |
//! | `http` | routes, bodies, the page, the OpenAPI document |
//! | `signals` | how it is told to end; sockets are `discretion-http`'s |
//!
//! What a service would do, before it does it:
//!
//! ```
//! use discretion_serve::{Options, PreparedService};
//! use discretion_table::Study;
//!
//! # let folder = tempfile::tempdir()?;
//! # let folder = folder.path();
//! let row = |number| format!("{},{}\n", number % 80, if number % 80 > 50 { "yes" } else { "no" });
//! let rows: String = (0..60_000).map(row).collect();
//! std::fs::write(folder.join("patients.csv"), format!("age,readmitted\n{rows}"))?;
//! let study = r#"
//!     [data]
//!     path     = "patients.csv"
//!     account  = "patients"
//!     target   = "readmitted"
//!     positive = "yes"
//!     negative = "no"
//!     [budget]
//!     epsilon = 3.0
//!     delta   = 1e-6
//!     [spend]
//!     epsilon = 1.0
//!     delta   = 1e-7
//!     [columns]
//!     age = { min = 0, max = 100 }
//!     [vote]
//!     queries  = 100
//!     unstable = 5
//! "#;
//! let study = Study::parse(&folder.join("study.toml"), study)?;
//! let service = PreparedService::new(study, Options::new(folder.join("ledger.sqlite")))?;
//! let says = service.check()?; // `start` would charge, train, and listen
//! assert!(says.ends_with("all is well; nothing was charged\n"), "{says}");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! `PROOF.md` beside this crate says what leaves the service and what it depends on.

mod app;
pub mod clock;
mod http;
mod lock;
mod log;
mod metrics;
mod opening;
pub mod options;
mod request_queue;
pub mod service;
mod signals;
mod state_files;
pub mod store;
pub mod tokens;
pub mod voters;
mod writer;

#[doc(hidden)]
pub use http::check_body;
pub use log::{error, note};
pub use options::{BudgetView, Options};
pub use service::{PreparedService, RunningService};
