//! Answers that show another `ttl`, and writes that store another.

use super::{TimerFault, fault};
use crate::fourth::scope::DefaultKind::Off;
use crate::fourth::scope::TimerPath::Read;
use crate::fourth::scope::{ANY, on, with_minus_one};
use crate::fourth::slip::Slip::*;
use crate::fourth::slip::Touch;

pub(super) static FAULTS: &[TimerFault] = &[
    fault(
        "shows-default",
        "An answer shows the default as the item's `ttl`.",
        &["inherited-ttl-not-written-back"],
        "open 5; create a; read a",
        ShowsDefault,
        ANY,
    ),
    fault(
        "shows-minus-one",
        "Under a default of -1 an answer shows `ttl` -1 of an item without one.",
        &["inherited-ttl-not-written-back"],
        "open -1; create a; read a",
        ShowsMinusOne,
        ANY,
    ),
    fault(
        "shows-shorter",
        "An answer shows the default in place of a longer `ttl`.",
        &["inherited-ttl-not-written-back"],
        "open 5; create a ttl=9; read a",
        ShowsShorter,
        ANY,
    ),
    fault(
        "shows-remaining",
        "A point read shows the seconds that are left in place of `ttl`.",
        &["inherited-ttl-not-written-back"],
        "open 5; create a ttl=9; +2; read a",
        ShowsRemaining,
        on(&[Read]),
    ),
    fault(
        "shows-text",
        "A point read shows `ttl` as text.",
        &["inherited-ttl-not-written-back"],
        "open 5; create a ttl=9; read a",
        ShowsText,
        on(&[Read]),
    ),
    fault(
        "hides-minus-one",
        "An answer leaves out `ttl` -1.",
        &["inherited-ttl-not-written-back"],
        "open 5; create a ttl=-1; read a",
        HidesMinusOne,
        ANY,
    ),
    fault(
        "hides-ttl-while-off",
        "While the container is off, an answer leaves out `ttl`.",
        &["inherited-ttl-not-written-back"],
        "open off; create a ttl=9; read a",
        HidesTtl,
        ANY.under(Off),
    ),
    fault(
        "stores-default",
        "A write stores the default as the item's `ttl`, which later changes do not reach.",
        &["inherited-ttl-not-written-back", "current-settings-decide"],
        "open 5; create a; set 9; +5; read a",
        StoresTouched(Touch::WriteDefault),
        ANY,
    ),
    fault(
        "drops-ttl-while-off",
        "A write while the container is off erases the `ttl`, which does not wake later.",
        &["dormant-ttl-wakes", "inherited-ttl-not-written-back"],
        "open off; create a ttl=3; set -1; +3; read a",
        StoresTouched(Touch::RemoveTtl),
        ANY.under(Off),
    ),
    fault(
        "drops-minus-one",
        "A `ttl` of -1 is not stored, as if it were the default.",
        &["item-minus-one-overrides", "inherited-ttl-not-written-back"],
        "open 5; create a ttl=-1; +5; read a",
        StoresTouched(Touch::RemoveTtl),
        ANY.of(with_minus_one),
    ),
    fault(
        "ttl-lost-in-batch",
        "An item of a batch is stored without the property `ttl`, though it expires by it.",
        &["inherited-ttl-not-written-back"],
        "open 5; batch [create a ttl=9]; read a",
        StoresWithoutTtl,
        ANY.batched(),
    ),
];
