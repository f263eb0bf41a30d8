//! What aggregators see of a holder: uniform bytes, whatever its rows are (PROOF.md).

use super::*;

/// Bytes counted by value.
struct Bytes([u64; 256]);

impl Bytes {
    fn new() -> Bytes {
        Bytes([0; 256])
    }

    fn add(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.0[usize::from(byte)] += 1);
    }

    /// χ² against the uniform law is above this with probability 1e-7 (255 degrees; Wilson &
    /// Hilferty's cube, z = 5.2).
    fn is_uniform(&self) -> bool {
        let total: u64 = self.0.iter().sum();
        assert!(total > 20_000, "too few bytes to say anything: {total}");
        let expected = total as f64 / 256.0;
        let chi: f64 =
            self.0.iter().map(|&count| (count as f64 - expected).powi(2) / expected).sum();
        let v = 2.0 / (9.0 * 255.0);
        let limit = 255.0 * (1.0 - v + 5.2 * f64::sqrt(v)).powi(3);
        chi < limit
    }
}

/// The last part of a message: its length stands in the eight bytes before it.
fn last_part(message: &[u8], parts: usize) -> &[u8] {
    let mut rest = &message[13..];
    for _ in 1..parts {
        let length = u64::from_be_bytes(rest[..8].try_into().unwrap()) as usize;
        rest = &rest[8 + length..];
    }
    &rest[8..]
}

/// Every share that an aggregator gets of a holder, every check that it sends and every share of
/// the sum that it lets go is uniform, whether all of the holder's rows are positive or all are
/// negative; the contribution itself is far from it. 20 tests with 1e-7 each: a false alarm once in
/// 500,000 runs.
#[test]
fn what_is_seen_of_a_holder_is_uniform_whatever_its_rows() {
    for positive in [true, false] {
        for count in [2usize, 3] {
            let tables = [one_class(10, positive), one_class(12, false)];
            let plan = plan(joint(count, 1), &tables);
            let scheme = Scheme::new(plan.average(), b"study", &ATTEMPT).unwrap();
            let contributions = contributions(&plan, &tables);
            let mut reports: Vec<Bytes> = (0..count).map(|_| Bytes::new()).collect();
            let mut checks: Vec<Bytes> = (0..count).map(|_| Bytes::new()).collect();
            let mut sums: Vec<Bytes> = (0..count).map(|_| Bytes::new()).collect();
            let mut clear = Bytes::new();
            let source = &mut Seeded::new(17);
            for _ in 0..800 {
                let mut all = aggregators(&scheme);
                let messages = scheme.report(0, &contributions[0]).unwrap();
                let sent = submit(&mut all, &messages).unwrap();
                for number in 0..count {
                    reports[number].add(last_part(&messages[number], 3));
                    checks[number].add(last_part(&sent[number], 1));
                }
                submit(&mut all, &scheme.report(1, &contributions[1]).unwrap()).unwrap();
                for (number, aggregator) in all.into_iter().enumerate() {
                    sums[number].add(last_part(&aggregator.finish(source).unwrap(), 2));
                }
                for number in contributions[0].share(&Reveal) {
                    clear.add(&number.to_le_bytes());
                }
            }
            let seen = reports.iter().chain(&checks).chain(&sums);
            assert!(seen.into_iter().all(Bytes::is_uniform), "{positive} {count}");
            assert!(!clear.is_uniform(), "the test would not notice a contribution in the clear");
        }
    }
}

/// Two reports of the same contribution have nothing in common that an aggregator could recognise.
#[test]
fn reports_are_made_anew() {
    let tables = [one_class(10, true), one_class(12, false)];
    let plan = plan(joint(2, 1), &tables);
    let scheme = Scheme::new(plan.average(), b"study", &ATTEMPT).unwrap();
    let contribution = &contributions(&plan, &tables)[0];
    let (a, b) = (scheme.report(0, contribution).unwrap(), scheme.report(0, contribution).unwrap());
    for (a, b) in a.iter().zip(&b) {
        let (a, b) = (last_part(a, 3), last_part(b, 3));
        let same = a.chunks(16).zip(b.chunks(16)).filter(|(a, b)| a == b).count();
        assert_eq!(same, 0);
    }
}
