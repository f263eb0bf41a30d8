//! How a service is told to end.

/// SIGTERM and Ctrl-C, caught from the moment this is made.
pub struct Signals {
    #[cfg(unix)]
    caught: [tokio::signal::unix::Signal; 2],
}

impl Signals {
    /// Catches them. Called within a runtime.
    #[cfg(unix)]
    pub fn catch() -> std::io::Result<Signals> {
        use tokio::signal::unix::{SignalKind, signal};
        let caught = [signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?];
        // From here on an end lets answers out, and the learners that make them have to live until
        // then.
        discretion_learn::leave_signals_to_others();
        Ok(Signals { caught })
    }

    /// Waits for one of them.
    #[cfg(unix)]
    pub async fn wait(mut self) {
        let [terminate, interrupt] = &mut self.caught;
        tokio::select! { _ = terminate.recv() => {}, _ = interrupt.recv() => {} }
    }

    /// Elsewhere there is Ctrl-C.
    #[cfg(not(unix))]
    pub fn catch() -> std::io::Result<Signals> {
        Ok(Signals {})
    }

    /// Waits for it.
    #[cfg(not(unix))]
    pub async fn wait(self) {
        let _ = tokio::signal::ctrl_c().await;
    }
}
