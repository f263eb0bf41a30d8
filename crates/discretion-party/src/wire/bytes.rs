//! Numbers and parts as bytes. What is read must be there, and at the end nothing may be left.

/// Appends a part with its length.
pub(crate) fn put_bytes(to: &mut Vec<u8>, part: &[u8]) {
    to.extend((part.len() as u64).to_be_bytes());
    to.extend(part);
}

/// What is left to read. Nothing is allocated for a length that is not there.
pub(crate) struct Reader<'b> {
    rest: &'b [u8],
}

impl<'b> Reader<'b> {
    pub(crate) fn new(bytes: &'b [u8]) -> Reader<'b> {
        Reader { rest: bytes }
    }

    pub(crate) fn take(&mut self, count: usize) -> Option<&'b [u8]> {
        let (taken, left) = self.rest.split_at_checked(count)?;
        self.rest = left;
        Some(taken)
    }

    pub(crate) fn byte(&mut self) -> Option<u8> {
        self.take(1).map(|taken| taken[0])
    }

    pub(crate) fn u32(&mut self) -> Option<u32> {
        self.take(4).map(|taken| u32::from_be_bytes(taken.try_into().expect("four bytes")))
    }

    pub(crate) fn u64(&mut self) -> Option<u64> {
        self.take(8).map(|taken| u64::from_be_bytes(taken.try_into().expect("eight bytes")))
    }

    /// A part with its length in front.
    pub(crate) fn bytes(&mut self) -> Option<&'b [u8]> {
        let length = self.u64()?;
        self.take(usize::try_from(length).ok()?)
    }

    /// Everything that is left.
    pub(crate) fn rest(self) -> &'b [u8] {
        self.rest
    }

    /// Whether nothing is left.
    pub(crate) fn is_at_end(&self) -> bool {
        self.rest.is_empty()
    }
}
