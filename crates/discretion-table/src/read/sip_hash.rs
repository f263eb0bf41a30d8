//! SipHash-2-4 with 128 bits (Aumasson and Bernstein 2012): made for short messages, of which there
//! is one for every row. Libraries hash one message at a time, this one eight where registers are
//! wide.

use pulp::NullaryFnOnce;

/// The hash of a message.
pub(super) fn sip_hash(key: [u8; 16], message: &[u8]) -> u128 {
    let mut state = State::new(key);
    let (whole, rest) = message.as_chunks();
    whole.iter().for_each(|&word| state.take([u64::from_le_bytes(word)]));
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    last[7] = message.len() as u8;
    state.take([u64::from_le_bytes(last)]);
    state.finish()[0]
}

/// Puts the hash of its 16 bytes in the place of each number: of several at once, where registers
/// are so wide and can rotate.
pub(super) fn sip_hash_each(key: [u8; 16], numbers: &mut [u128]) {
    #[cfg(target_arch = "x86_64")]
    if let Some(wide) = pulp::x86::V4::try_new() {
        return wide.vectorize(Each::<8> { key, numbers });
    }
    Each::<1> { key, numbers }.call();
}

/// Hashes numbers, so many at once.
struct Each<'n, const LANES: usize> {
    key: [u8; 16],
    numbers: &'n mut [u128],
}

impl<const LANES: usize> NullaryFnOnce for Each<'_, LANES> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let (several, rest) = self.numbers.as_chunks_mut::<LANES>();
        several.iter_mut().for_each(|numbers| *numbers = of_numbers(self.key, *numbers));
        rest.iter_mut().for_each(|number| [*number] = of_numbers(self.key, [*number]));
    }
}

#[inline(always)]
fn of_numbers<const LANES: usize>(key: [u8; 16], numbers: [u128; LANES]) -> [u128; LANES] {
    let mut state = State::new(key);
    state.take(numbers.map(|number| words(number)[0]));
    state.take(numbers.map(|number| words(number)[1]));
    state.take([16 << 56; LANES]);
    state.finish()
}

fn words(of: u128) -> [u64; 2] {
    [of as u64, (of >> 64) as u64]
}

/// Of several hashes under one key.
struct State<const LANES: usize>([[u64; LANES]; 4]);

impl<const LANES: usize> State<LANES> {
    #[inline(always)]
    fn new(key: [u8; 16]) -> State<LANES> {
        let [k0, k1] = words(u128::from_le_bytes(key));
        State([
            [k0 ^ 0x736f_6d65_7073_6575; LANES],
            [k1 ^ 0x646f_7261_6e64_6f6d ^ 0xee; LANES],
            [k0 ^ 0x6c79_6765_6e65_7261; LANES],
            [k1 ^ 0x7465_6462_7974_6573; LANES],
        ])
    }

    #[inline(always)]
    fn take(&mut self, words: [u64; LANES]) {
        (0..LANES).for_each(|k| self.0[3][k] ^= words[k]);
        self.rounds(2);
        (0..LANES).for_each(|k| self.0[0][k] ^= words[k]);
    }

    #[inline(always)]
    fn rounds(&mut self, count: usize) {
        let [mut a, mut b, mut c, mut d] = self.0;
        for _ in 0..count {
            for k in 0..LANES {
                a[k] = a[k].wrapping_add(b[k]);
                c[k] = c[k].wrapping_add(d[k]);
                b[k] = b[k].rotate_left(13) ^ a[k];
                d[k] = d[k].rotate_left(16) ^ c[k];
                a[k] = a[k].rotate_left(32).wrapping_add(d[k]);
                c[k] = c[k].wrapping_add(b[k]);
                d[k] = d[k].rotate_left(21) ^ a[k];
                b[k] = b[k].rotate_left(17) ^ c[k];
                c[k] = c[k].rotate_left(32);
            }
        }
        self.0 = [a, b, c, d];
    }

    #[inline(always)]
    fn finish(mut self) -> [u128; LANES] {
        (0..LANES).for_each(|k| self.0[2][k] ^= 0xee);
        self.rounds(4);
        let first = self.all();
        (0..LANES).for_each(|k| self.0[1][k] ^= 0xdd);
        self.rounds(4);
        let second = self.all();
        std::array::from_fn(|k| u128::from(first[k]) | u128::from(second[k]) << 64)
    }

    #[inline(always)]
    fn all(&self) -> [u64; LANES] {
        std::array::from_fn(|k| self.0.iter().fold(0, |all, words| all ^ words[k]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The reference implementation's own vectors: bytes that count up from 0.
    #[test]
    fn the_hash_is_that_of_its_authors() {
        let counting: Vec<u8> = (0..63).collect();
        for (length, expected) in [
            (0, 0xa381_7f04_ba25_a8e6_6df6_7214_c755_0293),
            (1, 0xda87_c1d8_6b99_af44_3476_5911_9b22_fc45),
            (8, 0x3b62_a9ba_6258_f561_0f83_e264_f314_97b4),
            (15, 0x5493_e999_33b0_a811_7e08_ec0f_97cf_c3d9),
            (16, 0x6ee2_a4ca_67b0_54bb_fd33_15bf_8523_0577),
            (63, 0x5150_d177_2f50_834a_503e_069a_973f_bd7cu128),
        ] {
            let key = *counting.first_chunk().unwrap();
            assert_eq!(
                sip_hash(key, &counting[..length]).to_le_bytes(),
                expected.to_be_bytes(),
                "{length}"
            );
        }
    }

    /// However many there are, and however many at once.
    #[test]
    fn several_at_once_have_the_hashes_that_each_has_alone() {
        let key = *b"a key of theirs.";
        for count in 0..20u128 {
            let numbers: Vec<u128> = (0..count).map(|k| (k + 3).wrapping_pow(30)).collect();
            let alone: Vec<u128> =
                numbers.iter().map(|number| sip_hash(key, &number.to_le_bytes())).collect();
            let [mut each, mut one, mut eight] = [(); 3].map(|()| numbers.clone());
            sip_hash_each(key, &mut each);
            Each::<1> { key, numbers: &mut one }.call();
            Each::<8> { key, numbers: &mut eight }.call();
            assert!(each == alone && one == alone && eight == alone, "{count}");
        }
    }
}
