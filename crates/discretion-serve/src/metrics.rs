//! What Prometheus may see: counts of requests and their outcomes, which clients know anyway.
//! Nothing about how long work takes, which depends on rows, and nothing about how far the session
//! is, which tells what was asked before.

use crate::options::Options;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// Requests by route and status.
#[derive(Default)]
pub struct Metrics {
    requests: Mutex<BTreeMap<(&'static str, u16), u64>>,
}

impl Metrics {
    /// Counts a response.
    pub fn count(&self, route: &'static str, status: u16) {
        let mut requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        *requests.entry((route, status)).or_default() += 1;
    }

    /// In the text format of Prometheus.
    pub fn text(&self, options: &Options, queries: u64) -> String {
        let mut text = "# HELP discretion_requests_total Responses by route and status.\n\
                        # TYPE discretion_requests_total counter\n"
            .to_owned();
        for ((route, status), count) in
            &*self.requests.lock().unwrap_or_else(PoisonError::into_inner)
        {
            text += &format!(
                "discretion_requests_total{{route=\"{route}\",status=\"{status}\"}} {count}\n"
            );
        }
        let mut add = |name: &str, kind: &str, help: &str, value: String| {
            text += &format!("# HELP {name} {help}\n# TYPE {name} {kind}\n{name} {value}\n");
        };
        let tick = options.tick.unwrap_or_default().as_secs_f64();
        add("discretion_tick_seconds", "gauge", "The public tick.", tick.to_string());
        // How many were asked is the clients' doing; it changes at boundaries alone.
        let help = "Queries answered since the start, with an answer or with none.";
        add("discretion_queries_total", "counter", help, queries.to_string());
        text
    }
}
