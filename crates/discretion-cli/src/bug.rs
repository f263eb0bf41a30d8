//! What a panic says. It is always a bug, and its own message may quote a row, so that is not printed.

use std::panic::{self, PanicHookInfo};

/// From here on a panic prints one line without any value in it. The exit code stays Rust's 101.
pub fn install_hook() {
    panic::set_hook(Box::new(|info: &PanicHookInfo<'_>| {
        let place = info.location().map_or_else(|| "place unknown".to_owned(), |at| at.to_string());
        eprintln!("{}", line(&place));
    }));
}

/// Every command prepares all it has to say before it writes a file, so the middle part is true.
fn line(place: &str) -> String {
    format!(
        "error: this is a bug in discretion {} ({place}); nothing was released; please report this line",
        env!("CARGO_PKG_VERSION")
    )
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_panic_is_reported_in_one_line_with_its_place() {
        let line = super::line("src/x.rs:1:2");
        assert!(line.contains("(src/x.rs:1:2); nothing was released") && !line.contains('\n'), "{line}");
    }
}
