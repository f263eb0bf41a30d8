//! Footers and page headers of Parquet files, written again with some numbers changed.

/// Where a number is: the numbers of the fields and places in lists that lead to it.
pub type Path = Vec<i64>;

/// Copies a struct of thrift's compact protocol, with every number as `change` wants it. Returns
/// the copy and how many bytes the original took.
pub fn rewrite(bytes: &[u8], change: &mut impl FnMut(&Path, i64) -> i64) -> (Vec<u8>, usize) {
    let mut copy = Copy { bytes, at: 0, into: Vec::new(), path: Vec::new(), change };
    copy.value(12);
    (copy.into, copy.at)
}

/// Every number in a struct, with its path.
pub fn numbers(bytes: &[u8]) -> Vec<(Path, i64)> {
    let mut found = Vec::new();
    rewrite(bytes, &mut |path, number| {
        found.push((path.clone(), number));
        number
    });
    found
}

struct Copy<'b, F> {
    bytes: &'b [u8],
    at: usize,
    into: Vec<u8>,
    path: Path,
    change: &'b mut F,
}

impl<F: FnMut(&Path, i64) -> i64> Copy<'_, F> {
    fn byte(&mut self) -> u8 {
        let byte = self.bytes[self.at];
        self.at += 1;
        self.into.push(byte);
        byte
    }

    fn raw(&mut self, count: usize) {
        (0..count).for_each(|_| {
            self.byte();
        });
    }

    /// A number without a sign, which says how long something is and is left alone.
    fn length(&mut self) -> usize {
        let (mut length, mut shift) = (0, 0);
        loop {
            let byte = self.byte();
            length |= usize::from(byte & 0x7f) << shift;
            shift += 7;
            if byte < 0x80 {
                return length;
            }
        }
    }

    fn number(&mut self) {
        let start = self.into.len();
        let zigzag = self.length() as u64;
        self.into.truncate(start);
        let number = (zigzag >> 1) as i64 ^ -((zigzag & 1) as i64);
        let number = (self.change)(&self.path, number);
        let mut zigzag = ((number << 1) ^ (number >> 63)) as u64;
        while zigzag >= 0x80 {
            self.into.push(zigzag as u8 | 0x80);
            zigzag >>= 7;
        }
        self.into.push(zigzag as u8);
    }

    fn value(&mut self, kind: u8) {
        match kind {
            1 | 2 => {}
            3 => self.raw(1),
            4..=6 => self.number(),
            7 => self.raw(8),
            8 => {
                let length = self.length();
                self.raw(length);
            }
            9 => {
                let head = self.byte();
                let count = if head >> 4 == 15 { self.length() } else { usize::from(head >> 4) };
                for place in 0..count {
                    self.path.push(place as i64);
                    self.value(head & 0xf);
                    self.path.pop();
                }
            }
            12 => {
                let mut id = 0;
                loop {
                    let head = self.byte();
                    if head & 0xf == 0 {
                        return;
                    }
                    assert!(head >> 4 != 0, "our files have small steps between fields");
                    id += i64::from(head >> 4);
                    self.path.push(id);
                    self.value(head & 0xf);
                    self.path.pop();
                }
            }
            _ => panic!("our files have no value of kind {kind}"),
        }
    }
}
