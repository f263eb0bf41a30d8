//! Thrift's compact protocol, as far as Parquet's footer and page headers need it: read in place,
//! with nothing kept.
//!
//! The library reads both again. This reader comes first because the library makes room for as much
//! as a header claims; it is stricter, and refuses whatever the two could read differently.

/// Why something cannot be read.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Unread {
    /// The bytes end before it does.
    Short,
    /// No program writes this.
    Wrong(&'static str),
}

/// What a value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Bool,
    Byte,
    Whole,
    Double,
    Bytes,
    List,
    Struct,
}

/// Structs and lists in each other: a footer has ten levels.
const DEEPEST: u32 = 32;

/// Bytes that are read from the front.
pub(super) struct Compact<'b> {
    pub rest: &'b [u8],
}

impl Compact<'_> {
    fn byte(&mut self) -> Result<u8, Unread> {
        let (&first, rest) = self.rest.split_first().ok_or(Unread::Short)?;
        self.rest = rest;
        Ok(first)
    }

    fn pass_over(&mut self, count: u64) -> Result<(), Unread> {
        let count = usize::try_from(count).map_err(|_| Unread::Short)?;
        self.rest = self.rest.get(count..).ok_or(Unread::Short)?;
        Ok(())
    }

    /// A number without a sign, seven bits a byte.
    pub fn number(&mut self) -> Result<u64, Unread> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(Unread::Wrong("a number has more than ten bytes"))
    }

    /// A number with a sign, which is in its last bit.
    pub fn whole(&mut self) -> Result<i64, Unread> {
        let number = self.number()?;
        Ok((number >> 1) as i64 ^ -((number & 1) as i64))
    }

    /// A number that counts something.
    pub fn count(&mut self) -> Result<u32, Unread> {
        let whole = self.whole()?;
        let fits = i32::try_from(whole).ok().and_then(|whole| u32::try_from(whole).ok());
        fits.ok_or(Unread::Wrong("a size or a number of values is negative or absurd"))
    }

    /// The next field of a struct: puts its number in the place of the one before, and says what it
    /// is. None at the end.
    pub fn field(&mut self, id: &mut i16) -> Result<Option<Kind>, Unread> {
        let byte = self.byte()?;
        if byte & 0xf == 0 {
            return Ok(None);
        }
        *id = match byte >> 4 {
            0 => self.whole()? as i16,
            step => {
                id.checked_add(i16::from(step)).ok_or(Unread::Wrong("a field has no number"))?
            }
        };
        kind(byte).map(Some)
    }

    /// What is in a list, and how many of it. Each takes at least a byte.
    pub fn list(&mut self) -> Result<(Kind, usize), Unread> {
        let byte = self.byte()?;
        if byte == 0 {
            // Some programs write an empty list like this.
            return Ok((Kind::Byte, 0));
        }
        let count = match byte >> 4 {
            15 => self.number()?,
            count => u64::from(count),
        };
        match (kind(byte)?, usize::try_from(count)) {
            (Kind::Bool, _) => Err(Unread::Wrong("a list holds what no footer has")),
            (kind, Ok(count)) if count <= self.rest.len() => Ok((kind, count)),
            _ => Err(Unread::Short),
        }
    }

    /// Passes over a value.
    pub fn skip(&mut self, kind: Kind) -> Result<(), Unread> {
        self.skip_within(kind, DEEPEST)
    }

    fn skip_within(&mut self, kind: Kind, depth: u32) -> Result<(), Unread> {
        let depth = depth.checked_sub(1).ok_or(Unread::Wrong("its parts are nested too deeply"))?;
        match kind {
            Kind::Bool => Ok(()),
            Kind::Byte => self.pass_over(1),
            Kind::Whole => self.number().map(drop),
            Kind::Double => self.pass_over(8),
            Kind::Bytes => {
                let length = self.number()?;
                self.pass_over(length)
            }
            Kind::List => {
                let (kind, count) = self.list()?;
                (0..count).try_for_each(|_| self.skip_within(kind, depth))
            }
            Kind::Struct => {
                let mut id = 0;
                while let Some(kind) = self.field(&mut id)? {
                    self.skip_within(kind, depth)?;
                }
                Ok(())
            }
        }
    }
}

fn kind(byte: u8) -> Result<Kind, Unread> {
    match byte & 0xf {
        1 | 2 => Ok(Kind::Bool),
        3 => Ok(Kind::Byte),
        4..=6 => Ok(Kind::Whole),
        7 => Ok(Kind::Double),
        8 => Ok(Kind::Bytes),
        9 => Ok(Kind::List),
        12 => Ok(Kind::Struct),
        // Sets, maps and identifiers: Parquet has none.
        _ => Err(Unread::Wrong("a value has an unknown type")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn skip(bytes: &[u8]) -> Result<usize, Unread> {
        let mut compact = Compact { rest: bytes };
        compact.skip(Kind::Struct)?;
        Ok(bytes.len() - compact.rest.len())
    }

    #[test]
    fn passes_over_structs_lists_and_texts() {
        // A whole number, a text, a list of three numbers, a struct that is empty, true, a double.
        let text =
            [&b"\x15\x0a\x18\x02ab\x19\x35\x02\x04\x06\x1c\x00\x11\x17"[..], &[7; 8], b"\x00rest"]
                .concat();
        assert_eq!(skip(&text), Ok(text.len() - 4));
        for end in 0..text.len() - 4 {
            assert_eq!(skip(&text[..end]), Err(Unread::Short), "{end}");
        }
    }

    #[test]
    fn refuses_what_would_take_memory_or_time() {
        // A list of 2³¹ structs, one of as many booleans, a text of 2⁶³ bytes, a number that does
        // not end.
        assert_eq!(skip(b"\x19\xfc\x80\x80\x80\x80\x08\x00"), Err(Unread::Short));
        assert!(matches!(skip(b"\x19\xf1\x80\x80\x80\x80\x08\x00"), Err(Unread::Wrong(_))));
        assert_eq!(skip(b"\x18\xff\xff\xff\xff\xff\xff\xff\xff\x7f\x00"), Err(Unread::Short));
        assert!(matches!(skip(&[[0x15].as_slice(), &[0xff; 20]].concat()), Err(Unread::Wrong(_))));
        assert!(matches!(skip(&[0x1c; 100_000]), Err(Unread::Wrong(_))), "structs in structs");
        assert!(matches!(skip(&[0x19; 100_000]), Err(Unread::Wrong(_))), "lists in lists");
        assert!(matches!(Compact { rest: b"\x01" }.count(), Err(Unread::Wrong(_))), "minus one");
        assert_eq!(Compact { rest: b"\xfe\xff\xff\xff\x0f" }.count(), Ok(i32::MAX as u32));
    }
}
