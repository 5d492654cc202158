//! Values that a store accepts or refuses wrongly.

use super::{TimerFault, fault};
use crate::fourth::slip::DefaultKind::{NoDefault, Off};
use crate::fourth::slip::Slip::*;
use crate::fourth::slip::TimerPath::{Create, Patch, Replace, Upsert};
use crate::fourth::slip::{BadValue, GoodValue, Misread, ANY, on};

pub(super) static FAULTS: &[TimerFault] = &[
    fault("item-zero-never", "An item with `ttl` 0 is stored, and never expires.", &["item-zero-rejected"], "open 5; create a ttl=0; +9; read a", Takes(BadValue::Zero, Misread::Never), ANY),
    fault("item-zero-inherits-by-replace", "A replace takes `ttl` 0 for none.", &["item-zero-rejected"], "open 5; create a ttl=3; replace a ttl=0; read a", Takes(BadValue::Zero, Misread::Absent), on(&[Replace])),
    fault("item-zero-at-once-by-upsert", "An upsert with `ttl` 0 makes an item that is expired at once.", &["item-zero-rejected"], "open 5; upsert a ttl=0; read a", Takes(BadValue::Zero, Misread::As(0)), on(&[Upsert])),
    fault("item-zero-by-patch", "A patch takes `ttl` 0 for its removal.", &["item-zero-rejected"], "open 5; create a ttl=3; patch a ttl=0; +3; read a", Takes(BadValue::Zero, Misread::Absent), on(&[Patch])),
    fault("item-zero-under-minus-one", "Under a default of -1 a `ttl` of 0 means no expiry.", &["item-zero-rejected"], "open -1; create a ttl=0; read a", Takes(BadValue::Zero, Misread::Never), ANY.under(NoDefault)),
    fault("item-zero-later-in-batch", "Only the first operation of a batch is checked for `ttl` 0.", &["item-zero-rejected"], "open 5; batch [create a | create b ttl=0]; query", Takes(BadValue::Zero, Misread::Absent), ANY.later()),
    fault("item-below-never", "Every negative `ttl` counts as -1.", &["item-below-minus-one-rejected"], "open 5; create a ttl=-2; read a", Takes(BadValue::Below, Misread::Never), ANY),
    fault("item-below-magnitude-by-patch", "A patch takes the sign off a `ttl` below -1.", &["item-below-minus-one-rejected"], "open 50; create a; patch a ttl=-7; +7; read a", Takes(BadValue::Below, Misread::Magnitude), on(&[Patch])),
    fault("item-far-below-wraps", "A `ttl` below 32 bits wraps round to a positive one.", &["item-below-minus-one-rejected"], "open 50; create a ttl=-4294967286; +10; read a", Takes(BadValue::FarBelow, Misread::Wrapped), ANY),
    fault("item-above-never", "A `ttl` above the maximum means that the item never expires.", &["item-above-maximum-rejected"], "open 5; create a ttl=3000000000; read a", Takes(BadValue::Above, Misread::Never), ANY),
    fault("item-just-above", "The check of the maximum is off by one: 2147483648 is stored.", &["item-above-maximum-rejected"], "open 5; create a ttl=2147483648; read a", Takes(BadValue::JustAbove, Misread::As(2_147_483_647)), ANY),
    fault("item-far-above-wraps", "A `ttl` above 32 bits keeps its lower 32 bits.", &["item-above-maximum-rejected"], "open -1; create a ttl=4294967306; +10; read a", Takes(BadValue::FarAbove, Misread::Wrapped), ANY),
    fault("item-huge-ignored", "A `ttl` that does not fit 64 bits counts as none.", &["item-above-maximum-rejected"], "open 5; create a ttl=18446744073709551616; read a", Takes(BadValue::Huge, Misread::Absent), ANY),
    fault("item-above-clamped-by-patch", "A patch cuts a `ttl` above the maximum down to the maximum.", &["item-above-maximum-rejected"], "open 5; create a; patch a ttl=2147483648; +5; read a", Takes(BadValue::Above, Misread::As(2_147_483_647)), on(&[Patch])),
    fault("item-null-inherits-in-2024", "An item with `ttl` null inherits in the edition of 2024, too.", &["item-null-rejected"], "open 5; create a ttl=null; read a", Takes(BadValue::Null, Misread::Absent), ANY),
    fault("item-null-never", "A create takes `ttl` null for -1.", &["item-null-rejected", "item-null-inherits"], "open 5; create a ttl=null; +9; read a", Takes(BadValue::Null, Misread::Never), on(&[Create])),
    fault("item-null-removes", "A patch with `ttl` null removes the property's effect, as merge patches do.", &["item-null-rejected"], "open 5; create a ttl=100; patch a ttl=null; +5; read a", Takes(BadValue::Null, Misread::Absent), on(&[Patch])),
    fault("item-null-refused-in-2020", "The edition of 2020 refuses `ttl` null.", &["item-null-inherits"], "2020; open 5; create a ttl=null; read a", Refuses(GoodValue::Null), ANY),
    fault("item-null-never-in-2020", "In the edition of 2020 an item with `ttl` null never expires.", &["item-null-inherits"], "2020; open 5; create a ttl=null; +5; read a", NullOf2020IsNever, ANY),
    fault("item-minus-one-refused", "An item cannot have `ttl` -1.", &["item-minus-one-allowed"], "open 5; create a ttl=-1; read a", Refuses(GoodValue::MinusOne), ANY),
    fault("item-minus-one-refused-by-patch", "A patch cannot set `ttl` to -1.", &["item-minus-one-allowed"], "open 5; create a; patch a ttl=-1; +5; read a", Refuses(GoodValue::MinusOne), on(&[Patch])),
    fault("item-one-refused", "The least `ttl` that a store accepts is 2.", &["item-seconds-range"], "open 5; create a ttl=1; read a", Refuses(GoodValue::One), ANY),
    fault("item-most-refused", "The maximum itself is refused as a `ttl`.", &["item-seconds-range"], "open 5; create a ttl=2147483647; read a", Refuses(GoodValue::Most), ANY),
    fault("item-year-refused-by-upsert", "An upsert refuses a `ttl` of more than a year.", &["item-seconds-range"], "open 5; upsert a ttl=40000000; read a", Refuses(GoodValue::OverAYear), on(&[Upsert])),
    fault("item-ttl-refused-while-off", "While the container is off, every `ttl` is refused.", &["item-seconds-range", "item-minus-one-allowed"], "open off; create a ttl=5; read a", Refuses(GoodValue::Any), ANY.under(Off)),
    fault("item-longer-than-default-refused", "A `ttl` longer than the default is refused.", &["item-seconds-range", "item-seconds-override"], "open 5; create a ttl=6; read a", Refuses(GoodValue::LongerThanDefault), ANY),
    fault("underscore-ttl-counts", "`_ttl` sets a lifetime.", &["only-root-ttl-counts"], "open -1; create a _ttl=3; +3; read a", OtherNameCounts("_ttl"), ANY),
    fault("capital-ttl-counts", "`TTL` sets a lifetime, because names are compared without case.", &["only-root-ttl-counts"], "open -1; create a TTL=3; +3; read a", OtherNameCounts("TTL"), ANY),
    fault("time-to-live-counts", "`timeToLive` sets a lifetime, as in another interface.", &["only-root-ttl-counts"], "open -1; create a timeToLive=3; +3; read a", OtherNameCounts("timeToLive"), ANY),
    fault("underscore-ttl-counts-by-patch", "A patch that sets `_ttl` sets the lifetime.", &["only-root-ttl-counts"], "open -1; create a; patch a _ttl=3; +3; read a", OtherNameCounts("_ttl"), on(&[Patch])),
];
