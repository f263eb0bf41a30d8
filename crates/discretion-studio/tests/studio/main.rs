//! The page's door and its requests, over a real socket.

mod client;
mod door;
mod plans;
mod runs;
mod studies;
