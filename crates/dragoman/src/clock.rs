//! Times for people: dates out of milliseconds, without a library for it.

use std::time::{SystemTime, UNIX_EPOCH};

/// `2026-11-15 22:36:01`, in UTC.
pub fn utc(ms_since_1970: i64) -> String {
    let seconds = ms_since_1970.div_euclid(1000);
    let (year, month, day) = date(seconds.div_euclid(86_400));
    let of_day = seconds.rem_euclid(86_400);
    let (hour, minute, second) = (of_day / 3600, of_day / 60 % 60, of_day % 60);
    format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}")
}

/// Milliseconds since 1970.
pub fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_millis() as u64)
}

/// A name for a session that nobody named: when, and something nobody else has.
pub fn new_name(prefix: &str) -> String {
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    let stamp: String = utc(now.as_millis() as i64)
        .chars()
        .filter(char::is_ascii_digit)
        .collect();
    let unique = (u64::from(std::process::id()) << 32) ^ u64::from(now.subsec_nanos());
    format!("{prefix}-{stamp}-{unique:x}")
}

/// Days since 1970 as a date of the Gregorian calendar (Hinnant's days-to-civil).
fn date(days: i64) -> (i64, i64, i64) {
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates() {
        assert_eq!(utc(0), "1970-01-01 00:00:00");
        assert_eq!(utc(951_782_399_999), "2000-02-28 23:59:59");
        assert_eq!(utc(951_782_400_000), "2000-02-29 00:00:00");
        assert_eq!(utc(1_794_782_161_000), "2026-11-15 22:36:01");
    }
}
