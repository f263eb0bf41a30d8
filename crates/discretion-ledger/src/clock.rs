//! The time or the day of an entry, as RFC 3339 in UTC. Twenty lines do not need a calendar
//! library.

use std::time::{SystemTime, UNIX_EPOCH};

/// Now, to the millisecond. A clock before 1970 counts as 1970: a wrong clock must not stop a
/// charge.
pub fn now() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    rfc3339(since.as_secs(), since.subsec_millis())
}

/// Today. How long a run took says how many private runs random stopping made, which its price does
/// not cover; so what leaves is dated and not timed.
pub(crate) fn today() -> String {
    now()[.."0000-00-00".len()].to_owned()
}

fn rfc3339(seconds: u64, millis: u32) -> String {
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    let (year, month, day) = civil(days);
    let (hour, minute, second) = (rest / 3600, rest / 60 % 60, rest % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{millis:03}Z")
}

/// Year, month and day of a day since 1970-01-01 (Hinnant's `civil_from_days`): years start in
/// March, so that the leap day is the last.
fn civil(days: u64) -> (u64, u64, u64) {
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let march_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * march_month + 2) / 5 + 1;
    let month = if march_month < 10 { march_month + 3 } else { march_month - 9 };
    (era * 400 + year_of_era + u64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_is_the_start_of_a_time() {
        assert_eq!(today().len(), 10);
        assert!(now() >= today());
    }

    #[test]
    fn agrees_with_known_times() {
        assert_eq!(rfc3339(0, 0), "1970-01-01T00:00:00.000Z");
        assert_eq!(rfc3339(951_782_399, 999), "2000-02-28T23:59:59.999Z");
        assert_eq!(rfc3339(951_782_400, 0), "2000-02-29T00:00:00.000Z");
        assert_eq!(rfc3339(1_709_251_199, 5), "2024-02-29T23:59:59.005Z");
        assert_eq!(rfc3339(4_102_444_800, 0), "2100-01-01T00:00:00.000Z");
        assert_eq!(rfc3339(4_107_542_400, 0), "2100-03-01T00:00:00.000Z");
    }
}
