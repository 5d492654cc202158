//! Reads numbers digit by digit, and not as the harness does.

/// Further digits make no difference.
const MANY: usize = 30;

/// Returns the whole number that this JSON text is; `None` if it is something else.
///
/// Written with a fraction or an exponent it counts only if `fractions` do. What 128 bits cannot hold comes out as a
/// number that is far too great, or far too small.
pub fn whole(text: &str, fractions: bool) -> Option<i128> {
    let (sign, unsigned) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text),
    };
    if !unsigned.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    if unsigned.chars().all(|c| c.is_ascii_digit()) {
        return Some(digits(unsigned) * sign);
    }
    fractions.then(|| fraction(unsigned)).flatten().map(|number| number * sign)
}

fn digits(text: &str) -> i128 {
    let text = text.trim_start_matches('0');
    if text.len() > MANY {
        10_i128.pow(36)
    } else {
        text.chars().fold(0, |sum, c| sum * 10 + c.to_digit(10).map_or(0, i128::from))
    }
}

/// Zeros at the end are counted, and the exponent and the point say how many there would be without a point.
fn fraction(text: &str) -> Option<i128> {
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (before, after) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all = [before, after].concat();
    let significant = all.trim_end_matches('0');
    if significant.is_empty() {
        return Some(0);
    }
    // An exponent that is no number of this size goes past every digit.
    let past = if exponent.starts_with('-') { i64::MIN } else { i64::MAX };
    let places = exponent.parse().unwrap_or(past).saturating_sub(i64::try_from(after.len()).ok()?);
    let zeros = places.saturating_add(i64::try_from(all.len() - significant.len()).ok()?);
    let zeros = usize::try_from(zeros).ok()?.min(MANY);
    Some(digits(&(significant.to_owned() + &"0".repeat(zeros))))
}
