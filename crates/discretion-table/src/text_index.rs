//! From a text to its position in a short declared list, without allocating.

use crate::schema::trimmed;
use crate::values::usual_spelling;

/// An open-addressing hash table over declared texts. The texts are public, so nothing a row
/// holds can make a probe longer than the longest run that the declaration itself makes.
pub(crate) struct TextIndex {
    /// As declared, and in their usual spelling where that is another.
    texts: Vec<Box<[u8]>>,
    /// How many of them are as declared.
    declared: usize,
    /// A power of two, at least twice the texts, so that a free slot ends every probe.
    slots: Vec<Option<Slot>>,
}

#[derive(Clone, Copy)]
struct Slot {
    key: Key,
    text: u32,
    /// Among the declared ones.
    position: u16,
}

impl TextIndex {
    /// Panics on more than 65,535 texts; [`Schema`](crate::Schema) allows no more.
    pub fn new<'a>(texts: impl IntoIterator<Item = &'a String>) -> Self {
        let declared: Vec<&[u8]> = texts.into_iter().map(|text| trimmed(text.as_bytes())).collect();
        let position = |i| u16::try_from(i).expect("a checked schema has at most 65,534 values");
        let texts = declared.iter().enumerate().map(|(i, text)| (*text, position(i)));
        let usual = declared
            .iter()
            .enumerate()
            .filter_map(|(i, text)| Some((usual_spelling(text)?, position(i))));
        let texts: Vec<(&[u8], u16)> = texts.chain(usual).collect();
        let mut slots: Vec<Option<Slot>> = vec![None; (2 * texts.len()).next_power_of_two().max(2)];
        for (text, (bytes, position)) in (0..).zip(&texts) {
            let key = Key::of(bytes);
            let mut slot = key.slot(slots.len());
            while slots[slot].is_some() {
                slot = (slot + 1) & (slots.len() - 1);
            }
            slots[slot] = Some(Slot { key, text, position: *position });
        }
        let texts = texts.into_iter().map(|(text, _)| text.into()).collect();
        Self { texts, declared: declared.len(), slots }
    }

    /// How many texts are declared.
    pub fn len(&self) -> usize {
        self.declared
    }

    /// The position of a trimmed text in the declared list: of the text itself if it is there, else
    /// of the same value in another spelling.
    #[inline]
    pub fn position(&self, text: &[u8]) -> Option<u16> {
        match self.exactly(text) {
            Some(position) => Some(position),
            None => self.exactly(usual_spelling(text)?),
        }
    }

    #[inline]
    fn exactly(&self, text: &[u8]) -> Option<u16> {
        let key = Key::of(text);
        let mut at = key.slot(self.slots.len());
        while let Some(Slot { key: found, text: place, position }) = self.slots[at] {
            let same =
                found == key && (key.is_whole_text() || *self.texts[place as usize] == *text);
            if same {
                return Some(position);
            }
            at = (at + 1) & (self.slots.len() - 1);
        }
        None
    }
}

/// Up to 16 bytes of a text, which is all of most; a checksum of the first ones beyond that.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Key {
    length: usize,
    first: u64,
    last: u64,
}

const MIX: u64 = 0x9e37_79b9_7f4a_7c15;

impl Key {
    #[inline]
    fn of(text: &[u8]) -> Self {
        let length = text.len();
        // Two words that overlap where the text is shorter than both.
        let (first, last) = match text {
            [] => (0, 0),
            [a] => (u64::from(*a), 0),
            [a, b] => (u64::from(*a), u64::from(*b)),
            [a, b, c] => (u64::from(*a), u64::from(u16::from_le_bytes([*b, *c]))),
            [first @ .., _, _, _, _] if first.len() < 4 => {
                (half_word(text), half_word(&text[length - 4..]))
            }
            _ if length <= 16 => (word(text), word(&text[length - 8..])),
            _ => {
                let head = &text[..length - 8];
                let sum = head
                    .iter()
                    .fold(0, |sum: u64, byte| (sum ^ u64::from(*byte)).wrapping_mul(MIX));
                (sum, word(&text[length - 8..]))
            }
        };
        Self { length, first, last }
    }

    fn is_whole_text(self) -> bool {
        self.length <= 16
    }

    fn slot(self, slots: usize) -> usize {
        let mixed = (self.first ^ self.last.rotate_left(32) ^ self.length as u64).wrapping_mul(MIX);
        (mixed ^ (mixed >> 32)) as usize & (slots - 1)
    }
}

fn word(text: &[u8]) -> u64 {
    u64::from_le_bytes(*text.first_chunk().expect("at least eight bytes"))
}

fn half_word(text: &[u8]) -> u64 {
    u64::from(u32::from_le_bytes(*text.first_chunk().expect("at least four bytes")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_every_declared_text_and_no_other() {
        let long = (0..5000).map(|i| format!("value number {i}"));
        let every_length =
            (1..40).map(|length| "abcdefghijklmnopqrstuvwxyz0123456789ABCDEF"[..length].to_owned());
        let texts: Vec<String> = long.chain(every_length).collect();
        let index = TextIndex::new(&texts);
        for (i, text) in texts.iter().enumerate() {
            assert_eq!(index.position(text.as_bytes()).map(usize::from), Some(i));
        }
        for other in ["", "value", "value number 5000", "Value number 1", "b", "abd", "abcdefghi0"]
        {
            assert_eq!(index.position(other.as_bytes()), None);
        }
    }

    #[test]
    fn the_same_value_is_found_in_another_spelling() {
        let long = "10000000000000000000";
        let index =
            TextIndex::new(&["1.0", "0", "TRUE", "01", "250.0", "250", long].map(String::from));
        for (text, position) in [
            ("1", Some(0)),
            ("1.0", Some(0)),
            ("1.00", Some(0)),
            ("0.0", Some(1)),
            ("-0", Some(1)),
            ("true", Some(2)),
            ("True", Some(2)),
            ("01", Some(3)),
            ("1e0", None),
            ("false", None),
            ("001", None),
            // A text that is listed as it stands is that one, if a file of an earlier version lists
            // two spellings.
            ("250.0", Some(4)),
            ("250", Some(5)),
            ("10000000000000000000.0", Some(6)),
        ] {
            assert_eq!(index.position(text.as_bytes()), position, "{text}");
        }
    }

    #[test]
    fn declared_spaces_do_not_count() {
        let index = TextIndex::new(&[" <=50K".to_string(), String::new()]);
        assert_eq!(index.position(b"<=50K"), Some(0));
        assert_eq!(index.position(b""), Some(1));
    }
}
