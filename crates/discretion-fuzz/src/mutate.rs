//! Changes to bytes that bring bugs to light: a small mutator for where libFuzzer is not. The same
//! seed makes the same changes.

use serde_json::{Number, Value};

/// Longer inputs are cut: they take longer and show nothing new.
const LONGEST: usize = 1 << 16;

/// Numbers in texts, at the ends of what can be read.
const NUMBERS: [&str; 14] = [
    "0",
    "-0",
    "-1",
    "1e308",
    "-1e308",
    "1e-320",
    "1e999",
    "65535",
    "65536",
    "4294967295",
    "9223372036854775807",
    "9223372036854775808",
    "18446744073709551615",
    "0.1",
];

/// A source of changes, by SplitMix64.
pub struct Mutator {
    state: u64,
}

impl Mutator {
    /// The changes of this seed.
    pub fn new(seed: u64) -> Mutator {
        Mutator { state: seed }
    }

    fn word(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.state ^ (self.state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`, 0 if that is 0.
    pub fn below(&mut self, end: usize) -> usize {
        (self.word() % end.max(1) as u64) as usize
    }

    /// A place with something behind it.
    fn range(&mut self, length: usize) -> std::ops::Range<usize> {
        let start = self.below(length);
        // Most pieces are short, some are all that is left.
        let most = if self.below(8) == 0 { length - start } else { (length - start).min(16) };
        start..start + self.below(most + 1)
    }

    /// An input of the corpus, changed once or more, with pieces of the others in it. Most are made
    /// of the good ones: what is refused at its first byte shows little.
    pub fn input(&mut self, good: &[Vec<u8>], all: &[Vec<u8>]) -> Vec<u8> {
        let from = if self.below(8) == 0 { all } else { good };
        let mut bytes = from[self.below(from.len())].clone();
        // One change in half of all inputs, two in a quarter, and so on.
        for _ in 0..=(self.word() | 1 << 4).trailing_zeros() {
            let other = &all[self.below(all.len())];
            self.change(&mut bytes, other);
        }
        bytes.truncate(LONGEST);
        bytes
    }

    fn change(&mut self, bytes: &mut Vec<u8>, other: &[u8]) {
        if bytes.is_empty() {
            return bytes.extend_from_slice(other);
        }
        let at = self.below(bytes.len());
        match self.below(16) {
            0..3 => bytes[at] ^= 1 << (self.word() % 8),
            3 => bytes[at] = self.word() as u8,
            4..7 => self.change_number(bytes, at),
            7..10 => self.change_word(bytes, at, other),
            10 => self.maximise(bytes, at),
            11 => bytes.truncate(at),
            12 => drop(bytes.drain(self.range(bytes.len()))),
            13 => {
                let piece = bytes[self.range(bytes.len())].to_vec();
                bytes.splice(at..at, piece);
            }
            14 => {
                let piece = &other[self.range(other.len())];
                bytes.splice(at..at, piece.iter().copied());
            }
            _ => {
                // The head of one and the tail of another.
                bytes.truncate(at);
                bytes.extend_from_slice(&other[self.below(other.len())..]);
            }
        }
    }

    /// Puts a word of another input in the place of the one at `at`, or leaves it out.
    fn change_word(&mut self, bytes: &mut Vec<u8>, at: usize, other: &[u8]) {
        let place = word_at(bytes, at);
        let piece = if self.below(8) == 0 {
            &[][..]
        } else {
            &other[word_at(other, self.below(other.len()))]
        };
        bytes.splice(place, piece.iter().copied());
    }

    /// Puts another number in the place of the digits nearest behind `at`.
    fn change_number(&mut self, bytes: &mut Vec<u8>, at: usize) {
        let Some(start) = bytes[at..].iter().position(u8::is_ascii_digit).map(|found| at + found)
        else {
            return;
        };
        let length = bytes[start..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let number = NUMBERS[self.below(NUMBERS.len())];
        bytes.splice(start..start + length, number.bytes());
    }

    /// Makes a number of 1, 2, 4 or 8 bytes as large or as small as it can be.
    fn maximise(&mut self, bytes: &mut [u8], at: usize) {
        let width = (1 << self.below(4)).min(bytes.len() - at);
        let (fill, first) = [(0xff, 0xff), (0xff, 0x7f), (0, 0), (0, 0x80), (0, 1)][self.below(5)];
        let number = &mut bytes[at..at + width];
        number.fill(fill);
        // The first byte or the last, for both orders of bytes.
        let end = if self.below(2) == 0 { 0 } else { width - 1 };
        number[end] = first;
    }
}

/// Whole numbers in files, at the ends of what can be counted, added up or allocated.
const WHOLE: [u64; 14] = [
    0,
    1,
    2,
    65_535,
    65_536,
    10_000_000,
    (1 << 31) - 1,
    1 << 31,
    1 << 32,
    1 << 53,
    1 << 60,
    (1 << 63) - 1,
    1 << 63,
    u64::MAX,
];

/// Numbers in files, at the ends of what can be computed with.
const REAL: [f64; 10] = [-0.0, -1.0, 0.5, 1e-320, 1e-9, 1e9, 1e300, 1e308, -1e308, f64::MAX];

/// A longer text than this is nobody's name.
const LONG_TEXT: usize = 50_000;

/// Changes of the parts of a file: what reads it sees JSON, and mostly what it expects, but for one
/// number, length or name.
impl Mutator {
    /// A file of the corpus with a few of its parts changed, left out, repeated or taken from the
    /// same place of another file.
    pub fn json(&mut self, files: &[Value]) -> Vec<u8> {
        let mut file = files[self.below(files.len())].clone();
        for _ in 0..=(self.word() | 1 << 3).trailing_zeros() {
            let other = &files[self.below(files.len())];
            let place = self.place(&file);
            self.change_part(&mut file, &place, other);
        }
        serde_json::to_vec(&file).expect("JSON can be written")
    }

    /// A part of a file, as a JSON pointer. Each part of a part is as likely as the others, however
    /// large it is.
    fn place(&mut self, file: &Value) -> String {
        let (mut place, mut part) = (String::new(), file);
        loop {
            let step = match part {
                Value::Array(items) if !items.is_empty() => self.below(items.len()).to_string(),
                Value::Object(fields) if !fields.is_empty() => {
                    let key = fields.keys().nth(self.below(fields.len())).expect("a field");
                    key.replace('~', "~0").replace('/', "~1")
                }
                _ => return place,
            };
            if !place.is_empty() && self.below(5) == 0 {
                return place;
            }
            place = format!("{place}/{step}");
            part = file.pointer(&place).expect("a part that is there");
        }
    }

    fn change_part(&mut self, file: &mut Value, place: &str, other: &Value) {
        let choice = self.below(16);
        if choice == 0 {
            return self.leave_out(file, place);
        }
        let elsewhere = match choice {
            1 => other.pointer(place).cloned(),
            2 => other.pointer(&self.place(other)).cloned(),
            _ => None,
        };
        let Some(part) = file.pointer_mut(place) else { return };
        if let Some(elsewhere) = elsewhere {
            *part = elsewhere;
            return;
        }
        if choice == 3 {
            let kinds = [Value::Null, true.into(), 0.into(), "".into(), Value::Array(Vec::new())];
            *part = kinds[self.below(kinds.len())].clone();
            return;
        }
        match part {
            Value::Number(number) => *number = self.number(number),
            Value::Bool(is) => *is = !*is,
            Value::String(text) => *text = self.text(text),
            Value::Array(items) => self.change_list(items),
            Value::Object(_) | Value::Null => {}
        }
    }

    fn leave_out(&mut self, file: &mut Value, place: &str) {
        let Some((parent, last)) = place.rsplit_once('/') else { return };
        match file.pointer_mut(parent) {
            Some(Value::Array(items)) => {
                let at = self.below(items.len());
                items.remove(at);
            }
            Some(Value::Object(fields)) => {
                fields.remove(&last.replace("~1", "/").replace("~0", "~"));
            }
            _ => {}
        }
    }

    fn number(&mut self, old: &Number) -> Number {
        match (old.as_u64(), self.below(8)) {
            (Some(whole), 0) => whole.wrapping_add(1).into(),
            (Some(whole), 1) => whole.wrapping_sub(1).into(),
            (Some(_), 2..) | (None, 0) => WHOLE[self.below(WHOLE.len())].into(),
            (None, 1) => {
                let scaled = old.as_f64().unwrap_or(1.0) * [-1.0, 1e-12, 1.5, 1e12][self.below(4)];
                Number::from_f64(scaled).unwrap_or_else(|| 0.into())
            }
            (None, 2..) => {
                Number::from_f64(REAL[self.below(REAL.len())]).expect("a number that is finite")
            }
        }
    }

    fn text(&mut self, old: &str) -> String {
        match self.below(4) {
            0 => String::new(),
            1 => format!("{old}\n\u{1b}[2J"),
            2 => "long ".repeat(LONG_TEXT / 5),
            _ => old.chars().rev().collect(),
        }
    }

    fn change_list(&mut self, items: &mut Vec<Value>) {
        if items.is_empty() {
            return;
        }
        let at = self.below(items.len());
        match self.below(4) {
            0 => items.clear(),
            1 => items.truncate(at),
            2 => items.extend_from_within(at..at + 1),
            _ => {
                let with = self.below(items.len());
                items.swap(at, with);
            }
        }
    }
}

/// The word at this place, or the next one; nothing at the end.
fn word_at(bytes: &[u8], at: usize) -> std::ops::Range<usize> {
    let is_part =
        |byte: &u8| byte.is_ascii_alphanumeric() || b"_.".contains(byte) || !byte.is_ascii();
    let inside = at + bytes[at..].iter().take_while(|byte| !is_part(byte)).count();
    let start = inside - bytes[..inside].iter().rev().take_while(|byte| is_part(byte)).count();
    start..start + bytes[start..].iter().take_while(|byte| is_part(byte)).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_makes_the_same_changes_and_most_inputs_differ() {
        let corpus = [b"{\"epsilon\": 1.5, \"rows\": 400}".to_vec(), b"".to_vec(), vec![0; 40]];
        let inputs = |seed| {
            let mut mutator = Mutator::new(seed);
            (0..500).map(|_| mutator.input(&corpus[..1], &corpus)).collect::<Vec<_>>()
        };
        assert_eq!(inputs(1), inputs(1));
        assert_ne!(inputs(1), inputs(2));
        let different: std::collections::HashSet<Vec<u8>> = inputs(1).into_iter().collect();
        assert!(different.len() > 250, "{}", different.len());
        let has = |piece: &[u8]| {
            inputs(1).iter().any(|input| input.windows(piece.len()).any(|found| found == piece))
        };
        assert!(has(b"1e308") && has(b"{\"rows\": 1.5"));
    }

    #[test]
    fn a_changed_file_is_json_and_most_of_its_parts_stay() {
        let file = serde_json::json!({"rows": 400, "noise": {"columns": [1, 2, 3]}, "who": "a"});
        let mut mutator = Mutator::new(1);
        let files = [file.clone()];
        let made: Vec<Value> = (0..300)
            .map(|_| serde_json::from_slice(&mutator.json(&files)).expect("JSON"))
            .collect();
        assert!(made.iter().filter(|made| **made != file).count() > 200);
        assert!(made.iter().any(|made| made["rows"] == u64::MAX && made["who"] == "a"));
        assert!(made.iter().any(|made| made["noise"]["columns"][1] == u64::MAX));
    }
}
