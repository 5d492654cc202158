//! The rule, by exhaustion: the nine cells, and values around each bound with ages around each.

use cosmos_ttl_model::rule::{BadRequest, MAX_S, Sent, Ttl, is_expired, lifetime, read};

/// The numbers around each bound: of what is allowed, of 32 bits, of what a double holds, of 64 bits.
fn around() -> impl Iterator<Item = i64> {
    let bounds = [i64::MIN + 1, i64::from(i32::MIN), -1, 0, 1, 2_147_483_647, 1 << 32, 1 << 53, i64::MAX - 1];
    bounds.into_iter().flat_map(|bound| [bound - 1, bound, bound + 1])
}

#[test]
fn off_is_forever_and_on_is_the_items_word_or_else_the_containers() {
    let (forever, one, two) = (Ttl::Forever, Ttl::Seconds(1000), Ttl::Seconds(2000));
    for (container, cells) in
        [(None, [forever; 3]), (Some(forever), [forever, forever, two]), (Some(one), [one, forever, two])]
    {
        for (item, expected) in [None, Some(forever), Some(two)].into_iter().zip(cells) {
            assert_eq!(lifetime(container, item), expected, "{container:?} {item:?}");
        }
    }
}

#[test]
fn a_value_is_read_as_it_is_or_refused() {
    for number in around() {
        let expected = match number {
            -1 => Ok(Some(Ttl::Forever)),
            number if number > 0 && number <= 0x7fff_ffff => Ok(Some(Ttl::Seconds(number))),
            _ => Err(BadRequest),
        };
        assert_eq!(read(Sent::Whole(number)), expected, "{number}");
        assert_eq!(read(Sent::WholeAsFraction(number)), Err(BadRequest));
    }
    assert_eq!(read(Sent::Absent), Ok(None));
    assert_eq!((read(Sent::Null), read(Sent::Other)), (Err(BadRequest), Err(BadRequest)));
    assert_eq!(MAX_S, 0x7fff_ffff);
}

#[test]
fn an_item_is_expired_exactly_from_its_deadline_on() {
    for age in around() {
        assert!(!is_expired(Ttl::Forever, age), "{age}");
        for seconds in around().filter(|seconds| (1..=MAX_S).contains(seconds)) {
            // By differences that cannot overflow in 128 bits.
            let left = i128::from(seconds) - i128::from(age);
            assert_eq!(is_expired(Ttl::Seconds(seconds), age), left <= 0, "{seconds} {age}");
        }
    }
}
