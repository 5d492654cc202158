//! The container keeps and compares numbers as the rule does, however great they are, in absolute time.

use cosmos_ttl_model::choices::{OpenChoice, Preferences};
use cosmos_ttl_model::container::{Operation, Request, Response};
use cosmos_ttl_model::rule::{Sent, Ttl};

use crate::worlds::{A, NOW, consistent, draft, open};

const MAX: i64 = 2_147_483_647;
const DAY: i64 = 86_400;
/// Each is a number that may be sent.
const VALUES: [Option<i64>; 8] =
    [None, Some(-1), Some(1), Some(100), Some(DAY + 1), Some(40_000_000), Some(MAX - 1), Some(MAX)];
const AGES: [i64; 14] =
    [0, 1, 99, 100, 101, DAY, DAY + 1, 2 * DAY, 40_000_000, MAX - 2, MAX - 1, MAX, MAX + 1, 1 << 33];

/// Writes an item into a container, now or before its settings, and looks at it at every age.
fn check(default: Option<i64>, ttl: Option<i64>, as_number: fn(i64) -> Sent, is_older: bool) {
    let mut choose = Preferences::default()
        .with(OpenChoice::FractionIsAccepted, true)
        .with(OpenChoice::DefaultFractionIsAccepted, true);
    let mut world = open(NOW, Sent::Absent);
    let configure = Request::Configure(consistent(default.map_or(Sent::Absent, as_number)));
    let create = Request::Item(Operation::Create(draft(A, ttl.map_or(Sent::Absent, as_number))));
    let requests = if is_older { [create, configure] } else { [configure, create] };
    for request in &requests {
        assert!(!matches!(world.answer(request, &mut choose), Response::Refused(_)), "{request:?}");
    }
    let kept = |number| if number == -1 { Ttl::Forever } else { Ttl::Seconds(number) };
    assert_eq!((world.settings.default_ttl, world.items[&A].ttl), (default.map(kept), ttl.map(kept)));
    let lives = default.map(|default| ttl.unwrap_or(default)).filter(|lives| *lives > 0);
    for age in AGES {
        let mut later = world.clone();
        later.wait(age.unsigned_abs());
        assert_eq!(later.now, world.now + age);
        let lives = lives.is_none_or(|lives| age < lives);
        let read = later.answer(&Request::Item(Operation::Read(A)), &mut choose);
        let seen = (matches!(read, Response::Found(_)), later.answer(&Request::Query, &mut choose));
        let said = format!("{default:?} {ttl:?} {age}");
        assert_eq!(seen, (lives, Response::Ids(Vec::from_iter(lives.then_some(A)))), "{said}");
        assert!(later.expired_ids().eq((!lives).then_some(A)), "{said}");
        assert_eq!(later.remove(A), !lives, "{said}");
    }
}

#[test]
fn great_numbers_are_kept_and_compared_as_they_are() {
    for default in VALUES {
        for ttl in VALUES {
            for is_older in [false, true] {
                check(default, ttl, Sent::Whole, is_older);
                check(default, ttl, Sent::WholeAsFraction, is_older);
            }
        }
    }
}

#[test]
fn a_clock_at_the_end_of_its_numbers_stands() {
    let mut world = open(i64::MAX - 1, Sent::Whole(MAX));
    world.wait(u64::MAX);
    assert_eq!(world.now, i64::MAX);
}
