//! The piece of somebody's text that a message shows.

use std::fmt;

/// Text from a file, made safe to print: lossy UTF-8, control characters escaped, cut short. Every
/// message that quotes a file shows one, so that nobody's file fills a terminal or a log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Excerpt(String);

impl Excerpt {
    /// Characters that are shown at most; a cut text ends in one more, "…".
    pub const LONGEST: usize = 60;

    /// The beginning of a text.
    pub fn of(text: impl AsRef<[u8]>) -> Excerpt {
        let bytes = text.as_ref();
        // A character is at most 4 bytes, so this prefix holds all that could be shown.
        let prefix = &bytes[..bytes.len().min(4 * Self::LONGEST + 4)];
        let text = String::from_utf8_lossy(prefix);
        let mut shown = String::new();
        for (i, c) in text.chars().enumerate() {
            if i == Self::LONGEST {
                shown.push('…');
                break;
            }
            if c.is_control() { shown.extend(c.escape_default()) } else { shown.push(c) }
        }
        Excerpt(shown)
    }
}

impl fmt::Display for Excerpt {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn excerpts_are_short_and_printable() {
        assert_eq!(Excerpt::of(b"a\nb\xffc").to_string(), "a\\nb\u{fffd}c");
        assert_eq!(Excerpt::of([b'x'; 1_000_000]).to_string().chars().count(), 61);
        assert_eq!(Excerpt::of("é".repeat(500)).to_string().chars().count(), 61);
    }
}
