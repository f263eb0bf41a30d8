//! The page's door and its requests, over a real socket.

mod client;
mod door;
mod runs;
mod studies;
