//! Numbers as people read them: here as they are set in type, with a true minus sign; in [`plain`]
//! as a terminal and a file have them.

pub mod plain;

/// Stands for an estimate that no row speaks of.
pub const NO_ESTIMATE: &str = "–";

/// To so many significant digits, without trailing zeros; powers of ten beyond 10⁻⁴ and 10⁷.
pub fn significant(x: f64, digits: usize) -> String {
    let rounded = rounded(x, digits);
    let size = rounded.abs();
    if !rounded.is_finite() {
        return if x.is_nan() { "not a number".to_owned() } else { with_minus(x < 0.0, "∞") };
    }
    if is_written_out(rounded) {
        return with_minus(rounded < 0.0, &grouped(&size.to_string()));
    }
    let scientific = format!("{size:e}");
    let (mantissa, exponent) = scientific.split_once('e').expect("written with an exponent");
    let power = format!("10{}", superscript(exponent));
    with_minus(rounded < 0.0, &if mantissa == "1" { power } else { format!("{mantissa}×{power}") })
}

/// The nearest number with so many significant digits.
fn rounded(x: f64, digits: usize) -> f64 {
    format!("{x:.*e}", digits.saturating_sub(1)).parse().unwrap_or(x)
}

/// Whether a number is written without a power of ten.
fn is_written_out(x: f64) -> bool {
    x == 0.0 || (1e-4..1e7).contains(&x.abs())
}

/// To three significant digits.
pub fn short(x: f64) -> String {
    significant(x, 3)
}

/// To so many significant digits, rounded up: for an upper bound, which may not look smaller than
/// it is.
pub fn at_most(x: f64, digits: usize) -> String {
    // The slack keeps 2.5 at 2.5 when 2.5/unit lands a rounding error above 25.
    towards(x, digits, |units| (units - 1e-9).ceil())
}

/// To so many significant digits, rounded down: for what is left, which may not look like more than
/// it is.
pub fn at_least(x: f64, digits: usize) -> String {
    towards(x, digits, |units| (units + 1e-9).floor())
}

fn towards(x: f64, digits: usize, whole: impl Fn(f64) -> f64) -> String {
    if x == 0.0 || !x.is_finite() {
        return significant(x, digits);
    }
    let unit = 10f64.powi(x.abs().log10().floor() as i32 + 1 - digits as i32);
    significant(whole(x / unit) * unit, digits)
}

/// With fixed decimals, so that a column of numbers lines up, unless they would hide the number.
pub fn decimal(x: f64, decimals: usize) -> String {
    let least = 0.1f64.powi(decimals as i32);
    if x == 0.0 || (least..1e6).contains(&x.abs()) {
        let size = format!("{:.decimals$}", x.abs());
        with_minus(x < 0.0, &grouped(&size))
    } else {
        significant(x, 2)
    }
}

/// With as many decimals as it takes to see how it differs from 1: one gram more changes odds very
/// little.
pub fn ratio(x: f64) -> String {
    let digits = -(x - 1.0).abs().log10();
    if digits > 2.0 && digits < 12.0 {
        format!("{x:.*}", 2 + digits as usize)
    } else {
        decimal(x, 3)
    }
}

/// A count with its thousands set apart: 32,561.
pub fn count(n: usize) -> String {
    grouped(&n.to_string())
}

/// A share of the whole, in percent. The space does not break, here and in [`equals`].
pub fn percent(share: f64) -> String {
    let percent = significant(100.0 * share, if share > 0.99 { 4 } else { 3 });
    format!("{percent}\u{a0}%")
}

/// `ε = 1`, on one line.
pub fn equals(symbol: &str, value: &str) -> String {
    format!("{symbol}\u{a0}=\u{a0}{value}")
}

/// A p-value; small ones only by a bound.
pub fn p_value(p: f64) -> String {
    if p < 0.001 { "<0.001".to_owned() } else { format!("{p:.3}") }
}

/// Commas between the thousands of a number without a sign.
fn grouped(number: &str) -> String {
    let (whole, fraction) = number.split_once('.').map_or((number, None), |(a, b)| (a, Some(b)));
    let mut text = String::new();
    for (i, digit) in whole.chars().enumerate() {
        if i > 0 && (whole.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    if let Some(fraction) = fraction {
        text.push('.');
        text.push_str(fraction);
    }
    text
}

fn with_minus(negative: bool, size: &str) -> String {
    if negative { format!("−{size}") } else { size.to_owned() }
}

fn superscript(exponent: &str) -> String {
    const DIGITS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    exponent.chars().map(|c| c.to_digit(10).map_or('⁻', |digit| DIGITS[digit as usize])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        for (x, expected) in [
            (0.0, "0"),
            (-0.0, "0"),
            (1.0f64.exp(), "2.72"),
            (0.000_123_456, "0.000123"),
            (1e-6, "10⁻⁶"),
            (-1.234e-9, "−1.23×10⁻⁹"),
            (123_456.0, "123,000"),
            (-0.999_96, "−1"),
            (5e12, "5×10¹²"),
            (f64::NEG_INFINITY, "−∞"),
        ] {
            assert_eq!(short(x), expected);
        }
    }

    #[test]
    fn a_bound_never_looks_smaller_than_it_is() {
        for (x, expected) in [
            (0.1f64.exp(), "1.11"),
            (1f64.exp(), "2.72"),
            (2.5, "2.5"),
            (1000.1, "1,010"),
            (9.999, "10"),
            (0.0, "0"),
        ] {
            assert_eq!(at_most(x, 3), expected);
        }
        assert_eq!([0.1f64.exp(), 2.5, 0.0].map(|x| at_least(x, 3)), ["1.1", "2.5", "0"]);
        for i in 1..2000 {
            let x = f64::from(i) * 0.037;
            let [least, most] =
                [at_least(x, 3), at_most(x, 3)].map(|s| s.replace(',', "").parse::<f64>().unwrap());
            assert!(
                most >= x * (1.0 - 1e-10) && most <= x * 1.0101,
                "{x} is shown as at most {most}"
            );
            assert!(
                least <= x * (1.0 + 1e-10) && least >= x * 0.9899,
                "{x} is shown as at least {least}"
            );
        }
    }

    #[test]
    fn columns_line_up_and_small_numbers_stay_visible() {
        assert_eq!(
            [1.5, -0.004, 12_345.678, 0.0].map(|x| decimal(x, 3)),
            ["1.500", "−0.004", "12,345.678", "0.000"]
        );
        assert_eq!(decimal(-0.000_02, 3), "−2×10⁻⁵");
        let ratios = [1.0, 1.194, 0.999_703, 1.000_000_2, 1.012, 35.0];
        assert_eq!(
            ratios.map(ratio),
            ["1.000", "1.194", "0.99970", "1.00000020", "1.012", "35.000"]
        );
    }

    #[test]
    fn counts_shares_and_p_values() {
        assert_eq!([0, 999, 32_561, 1_000_000].map(count), ["0", "999", "32,561", "1,000,000"]);
        assert_eq!([0.95, 0.999, 0.5].map(percent), ["95\u{a0}%", "99.9\u{a0}%", "50\u{a0}%"]);
        assert_eq!(
            [0.0, 0.000_99, 0.001, 0.25].map(p_value),
            ["<0.001", "<0.001", "0.001", "0.250"]
        );
    }
}
