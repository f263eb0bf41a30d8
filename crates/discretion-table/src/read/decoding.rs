//! Libraries that decode what other programs wrote, and panic where it is damaged.
//!
//! What we know to do so is refused before (`parquet/`). But they index into pages by what is in
//! the pages, so a byte that is wrong somewhere can still end there. To a user that is a damaged
//! file and no bug, and an error has to say so.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

thread_local! {
    static DECODING: Cell<bool> = const { Cell::new(false) };
}

/// Whether this thread is decoding a file. A panic then is the file's: it is caught, and the file
/// refused.
///
/// A panic hook runs before that. One that tells people of a bug asks here first and says nothing.
pub fn is_decoding() -> bool {
    DECODING.get()
}

/// Decodes something, or says why not.
pub(crate) fn decoding<T>(decode: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    let before = DECODING.replace(true);
    // Whatever was being decoded is not used again.
    let decoded = catch_unwind(AssertUnwindSafe(decode));
    DECODING.set(before);
    decoded.unwrap_or_else(|_| Err("its values do not fit together".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_an_error_and_known_as_one() {
        assert!(!is_decoding());
        assert_eq!(decoding(|| Ok(is_decoding())), Ok(true));
        let panicked = decoding(|| -> Result<(), String> { panic!("in the library") });
        assert!(panicked.unwrap_err().contains("do not fit"));
        assert!(!is_decoding());
    }
}
