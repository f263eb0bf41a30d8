//! Many words at once. The operating system takes as long for one word as for a dozen.

use super::source::{NoiseError, Provenance, Source, sealed::Sealed};

/// How many words are asked for at once.
const AT_ONCE: usize = 64;

/// Another source, read ahead for one release. What is left over is forgotten with it, so no other
/// release, no other thread and no forked process ever gets a word that was read here.
pub struct ReadAhead<'s> {
    source: &'s mut dyn Source,
    words: [u64; AT_ONCE],
    /// `words[next..end]` have not been used.
    next: usize,
    end: usize,
}

impl<'s> ReadAhead<'s> {
    /// Nothing is read yet.
    pub fn of(source: &'s mut dyn Source) -> ReadAhead<'s> {
        ReadAhead { source, words: [0; AT_ONCE], next: 0, end: 0 }
    }
}

impl Sealed for ReadAhead<'_> {}

impl Source for ReadAhead<'_> {
    fn provenance(&self) -> Provenance {
        self.source.provenance()
    }

    fn fill(&mut self, words: &mut [u64]) -> Result<usize, NoiseError> {
        if self.next == self.end {
            self.end = self.source.fill(&mut self.words)?;
            self.next = 0;
        }
        let count = words.len().min(self.end - self.next);
        words[..count].copy_from_slice(&self.words[self.next..self.next + count]);
        self.next += count;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::Seeded;

    /// 0, 1, 2, …, as many at once as there is room for.
    struct Counting(u64);

    impl Sealed for Counting {}

    impl Source for Counting {
        fn provenance(&self) -> Provenance {
            Provenance::TestSeed
        }

        fn fill(&mut self, words: &mut [u64]) -> Result<usize, NoiseError> {
            words.iter_mut().zip(self.0..).for_each(|(word, number)| *word = number);
            self.0 += words.len() as u64;
            Ok(words.len())
        }
    }

    #[test]
    fn every_word_is_handed_out_once_and_in_order() {
        let mut source = Counting(0);
        let mut ahead = ReadAhead::of(&mut source);
        for number in 0..200 {
            assert_eq!(ahead.word(), Ok(number));
        }
        let (mut some, mut next) = ([0; 40], 200);
        while next < 500 {
            let count = ahead.fill(&mut some).unwrap();
            assert!(count > 0);
            for word in &some[..count] {
                assert_eq!(*word, next);
                next += 1;
            }
        }
        assert!(source.word().unwrap() >= next, "what was read ahead is not read again");
    }

    #[test]
    fn reading_ahead_of_a_seed_changes_nothing() {
        let (mut plain, mut source) = (Seeded::new(1), Seeded::new(1));
        for _ in 0..3 {
            let mut ahead = ReadAhead::of(&mut source);
            for _ in 0..100 {
                assert_eq!(ahead.word(), plain.word());
            }
        }
        assert_eq!(source.word(), plain.word());
    }
}
