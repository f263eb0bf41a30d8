//! What Prometheus may see: counts of requests and their outcomes, which clients know anyway, and what the custodian shows
//! of the session. Nothing about how long work takes: that depends on rows.

use crate::app::Published;
use crate::options::{Options, Shown};
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
    pub fn text(&self, options: &Options, published: &Published) -> String {
        let mut text = "# HELP discretion_requests_total Responses by route and status.\n\
                        # TYPE discretion_requests_total counter\n"
            .to_owned();
        for ((route, status), count) in &*self.requests.lock().unwrap_or_else(PoisonError::into_inner) {
            text += &format!("discretion_requests_total{{route=\"{route}\",status=\"{status}\"}} {count}\n");
        }
        let mut add = |name: &str, kind: &str, help: &str, value: String| {
            text += &format!("# HELP {name} {help}\n# TYPE {name} {kind}\n{name} {value}\n");
        };
        let tick = options.tick.unwrap_or_default().as_secs_f64();
        add("discretion_tick_seconds", "gauge", "The public tick.", tick.to_string());
        // How many were asked is the clients' doing; it changes at boundaries alone.
        let help = "Queries answered since the start, with an answer or with none.";
        add("discretion_queries_total", "counter", help, published.queries.to_string());
        if options.shown == Shown::Left {
            // Functions of the answers that have left.
            let left = published.queries_left.to_string();
            add("discretion_session_queries_left", "gauge", "Queries the session may still answer.", left);
            let left = published.unstable_left.to_string();
            add(
                "discretion_session_unstable_left",
                "gauge",
                "Unstable answers until the session ends.",
                left,
            );
        }
        text
    }
}
