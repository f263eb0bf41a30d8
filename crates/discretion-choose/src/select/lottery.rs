//! argminᵢ (aᵢ − Xᵢ) for exact aᵢ and standard exponential Xᵢ, decided without rounding.

use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;
use discretion_privacy::noise::{NoiseError, Real, Source};

/// Bits after the point that are looked at first. Two contenders nearer than that are rare.
const FIRST_BITS: usize = 64;

/// The index i that minimises aᵢ − Xᵢ, the Xᵢ independent standard exponentials.
///
/// Each Xᵢ is known as an interval of width 2^−bits. Whoever is certainly above someone else is
/// out; the others are refined until one is left. Two of them are equal with probability 0.
pub(super) fn least(penalties: &[RBig], source: &mut dyn Source) -> Result<usize, NoiseError> {
    let mut noise =
        penalties.iter().map(|_| Real::exponential(source)).collect::<Result<Vec<_>, _>>()?;
    let mut contenders: Vec<usize> = (0..penalties.len()).collect();
    let mut bits = FIRST_BITS;
    while contenders.len() > 1 {
        let unit = UBig::ONE << bits;
        let mut highest = Vec::with_capacity(contenders.len());
        for &i in &contenders {
            let cut: IBig = noise[i].cut(bits, source)?;
            highest.push(&penalties[i] - RBig::from_parts(cut, unit.clone()));
        }
        let least = highest.iter().min().expect("contenders are left").clone();
        let width = RBig::from_parts(IBig::ONE, unit);
        let mut highest = highest.into_iter();
        contenders.retain(|_| highest.next().expect("one for each") - &width < least);
        bits *= 2;
    }
    Ok(contenders[0])
}
