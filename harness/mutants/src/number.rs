//! Reads JSON numbers digit by digit.

/// Further digits make no difference to anybody.
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

/// The point is moved one place at a time, until nothing is left to move it over.
fn fraction(text: &str) -> Option<i128> {
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (before, after) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let mut before: Vec<char> = before.chars().collect();
    let mut after: Vec<char> = after.chars().rev().collect();
    if before.iter().chain(&after).all(|c| *c == '0') {
        return Some(0);
    }
    let negative = exponent.starts_with('-');
    // A point that moves further than this moves past every digit.
    let far = 10_000 + i64::try_from(text.len()).ok()?;
    let places = exponent.trim_start_matches(['+', '-']).parse::<i64>().unwrap_or(far).min(far);
    for _ in 0..places {
        if negative {
            after.push(before.pop().unwrap_or('0'));
        } else {
            before.push(after.pop().unwrap_or('0'));
        }
    }
    after.iter().all(|c| *c == '0').then(|| digits(&before.iter().collect::<String>()))
}
