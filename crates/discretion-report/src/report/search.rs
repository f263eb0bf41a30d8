//! Search in a table of many coefficients. The field appears with the script that serves it;
//! without scripts all rows are there, and a browser finds words by itself.

use crate::markup::Element;
use discretion_formats::content_hash;

/// The script. It asks for nothing and keeps nothing.
pub const SCRIPT: &str = include_str!("search.js");

/// The field above the table.
pub fn field() -> Element {
    let field = Element::new("input")
        .set("type", "search")
        .set("autocomplete", "off")
        .set("spellcheck", "false");
    let label = Element::new("label").text("Find in the table ").child(field);
    Element::new("div")
        .class("search")
        .set("hidden", "")
        .child(label)
        .text(" ")
        .child(Element::new("output"))
}

/// What a page's policy says of the one script that may run: its SHA-256, so that nothing else
/// does.
pub fn policy() -> String {
    format!("script-src 'sha256-{}'", base64_of_hex(&content_hash(SCRIPT.as_bytes())))
}

fn base64_of_hex(hex: &str) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    // Four bits at a time into letters of six: three digits make two letters, and what is left is
    // filled up.
    let digits: Vec<u32> =
        hex.chars().map(|digit| digit.to_digit(16).expect("a hexadecimal digit")).collect();
    let mut text = String::new();
    for three in digits.chunks(3) {
        let bits =
            three.iter().fold(0, |bits, digit| (bits << 4) | digit) << (4 * (3 - three.len()));
        text.push(char::from(LETTERS[(bits >> 6) as usize]));
        if three.len() > 1 {
            text.push(char::from(LETTERS[(bits & 63) as usize]));
        }
    }
    while !text.len().is_multiple_of(4) {
        text.push('=');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_written_as_a_policy_has_them() {
        // RFC 4648, section 10.
        for (hex, expected) in [
            ("", ""),
            ("66", "Zg=="),
            ("666f", "Zm8="),
            ("666f6f", "Zm9v"),
            ("666f6f62", "Zm9vYg=="),
        ] {
            assert_eq!(base64_of_hex(hex), expected);
        }
        assert_eq!(policy().len(), "script-src 'sha256-'".len() + 44);
    }

    #[test]
    fn nothing_in_the_script_could_end_it() {
        assert!(!SCRIPT.contains("</") && !SCRIPT.contains("<!--"));
    }
}
