//! How the page is told to end from outside.

/// Ctrl-C and, where there is one, SIGTERM: caught from here on. Called within a runtime.
#[cfg(unix)]
pub fn interrupted() -> std::io::Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};
    let (mut terminate, mut interrupt) =
        (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    Ok(async move {
        tokio::select! { _ = terminate.recv() => {}, _ = interrupt.recv() => {} }
    })
}

/// Elsewhere there is Ctrl-C.
#[cfg(not(unix))]
pub fn interrupted() -> std::io::Result<impl Future<Output = ()>> {
    Ok(async {
        let _ = tokio::signal::ctrl_c().await;
    })
}
