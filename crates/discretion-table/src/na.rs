//! Texts that mean that there is no value.

use crate::read::number;

/// The texts that are declared as such for a column, beside the empty one.
#[derive(Default)]
pub(crate) struct Na {
    texts: Vec<Box<[u8]>>,
    /// Those of them that are numbers, such as -9: as numbers, so that -9.0 is one too.
    numbers: Vec<f64>,
}

impl Na {
    pub fn new(texts: &[String]) -> Na {
        let texts: Vec<Box<[u8]>> =
            texts.iter().map(|text| crate::schema::trimmed(text.as_bytes()).into()).collect();
        let numbers = texts.iter().filter_map(|text| number::parse(text).ok().flatten()).collect();
        Na { texts, numbers }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// Whether this trimmed text means that there is no value.
    pub fn has(&self, text: &[u8]) -> bool {
        self.texts.iter().any(|known| **known == *text)
    }

    /// Whether this number does.
    pub fn has_number(&self, value: f64) -> bool {
        self.numbers.contains(&value)
    }

    /// Whether any number does: then numbers cannot be taken as they come.
    pub fn hides_numbers(&self) -> bool {
        !self.numbers.is_empty()
    }
}
