//! The service as its clients see it, over real sockets.

mod bodies;
mod client;
mod keys;
mod load;
mod place;
mod tls;
mod tokens;
