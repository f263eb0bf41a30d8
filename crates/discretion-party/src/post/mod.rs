//! How messages travel: every member calls the coordinator, nobody calls a member. The coordinator keeps a mailbox for each and hands
//! on what it cannot read.
//!
//! | path | takes | gives |
//! |---|---|---|
//! | `POST /v1/hello` | a signed greeting | a signed reply: refused, whom it waits for, or everybody's greetings |
//! | `POST /v1/send` | a sealed list of pieces for others | sealed nothing |
//! | `POST /v1/collect` | sealed nothing | a sealed list of pieces from others, and whether the study was given up; waits a while for them |
//!
//! A request that is sent again, because its answer was lost, gets the same answer again.

mod counter;
mod exchange;
mod member;
mod message;
mod office;
mod reply;
mod routes;
mod way;

pub use member::Post;
pub use message::{Kind, Message};
pub use office::Office;
pub use routes::open;
pub use way::Call;

/// How long a question to the coordinator waits for something new.
pub(crate) const LONG_POLL: std::time::Duration = std::time::Duration::from_secs(4);

/// The largest body: a piece of a message and what is around it, with room for several.
pub(crate) const MOST_BYTES: usize = 8 << 20;
