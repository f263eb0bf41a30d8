//! How messages travel: every member calls the coordinator, nobody calls a member. The coordinator
//! keeps a mailbox for each and hands on what it cannot read.
//!
//! | path | takes | gives |
//! |---|---|---|
//! | `POST /v1/hello` | a signed greeting | a signed response: refused, whom it waits for, or everybody's greetings |
//! | `POST /v1/send` | a sealed list of pieces for others | sealed nothing |
//! | `POST /v1/collect` | sealed nothing | a sealed list of pieces from others, and whether the study was given up; waits a while for them |
//!
//! A request that is sent again, because its response was lost, gets the same response again.
//!
//! | side | files |
//! |---|---|
//! | coordinator | `server` (HTTP), `mailboxes` (who is here, what waits), `admission` (greetings), `delivery` (send and collect), `waiting` (pieces to collect) |
//! | member | `client` (messages to and from others), `inbox` (what was collected), `connection` (HTTP) |
//! | both | `message`, `request`, `greeting_response` (what the bytes mean), `error` |

mod admission;
mod client;
mod connection;
mod delivery;
mod error;
#[doc(hidden)]
pub mod fuzzing;
mod greeting_response;
mod inbox;
mod mailboxes;
mod message;
mod request;
mod server;
mod waiting;

pub use client::MailboxClient;
pub use connection::ConnectionOptions;
pub use error::MailboxError;
pub use mailboxes::Mailboxes;
pub use message::{Kind, Message};
pub use server::{MailboxServer, serve};

/// How long a request to the coordinator waits for something new.
pub(crate) const LONG_POLL: std::time::Duration = std::time::Duration::from_secs(4);

/// The largest body: a piece of a message and what is around it, with room for several.
pub(crate) const MOST_BYTES: usize = 8 << 20;
