//! Defaults that a container accepts or refuses wrongly.

use super::{TimerFault, fault};
use crate::fourth::scope::DefaultKind::Seconds;
use crate::fourth::scope::TimerPath::{Opening, Settings};
use crate::fourth::scope::{ANY, on};
use crate::fourth::slip::Slip::*;
use crate::fourth::slip::{BadValue, GoodValue, Misread};

pub(super) static FAULTS: &[TimerFault] = &[
    fault(
        "default-zero-off",
        "A container is created with `defaultTtl` 0, which counts as off.",
        &["container-zero-rejected"],
        "open 0; create a; read a",
        TakesDefault(BadValue::Zero, Misread::Absent),
        on(&[Opening]),
    ),
    fault(
        "default-zero-minus-one",
        "A change of `defaultTtl` to 0 counts as -1.",
        &["container-zero-rejected"],
        "open 5; set 0; create a; +5; read a",
        TakesDefault(BadValue::Zero, Misread::Never),
        on(&[Settings]),
    ),
    fault(
        "default-zero-at-once",
        "A change of `defaultTtl` to 0 expires every item without `ttl`.",
        &["container-zero-rejected"],
        "open 5; create a; set 0; read a",
        TakesDefault(BadValue::Zero, Misread::As(0)),
        on(&[Settings]),
    ),
    fault(
        "default-zero-switches-off",
        "A change of `defaultTtl` to 0 is accepted as a way to switch off.",
        &["container-zero-rejected"],
        "open 5; create a; set 0; +5; read a",
        TakesDefault(BadValue::Zero, Misread::Absent),
        on(&[Settings]),
    ),
    fault(
        "default-below-minus-one",
        "Every negative `defaultTtl` counts as -1.",
        &["container-below-minus-one-rejected"],
        "open -2; create a; read a",
        TakesDefault(BadValue::Below, Misread::Never),
        ANY,
    ),
    fault(
        "default-just-above",
        "The check of the greatest default is off by one.",
        &["container-above-maximum-rejected"],
        "open 2147483648; create a; read a",
        TakesDefault(BadValue::JustAbove, Misread::As(2_147_483_647)),
        ANY,
    ),
    fault(
        "default-above-minus-one",
        "A change to a `defaultTtl` above the maximum counts as -1.",
        &["container-above-maximum-rejected"],
        "open 5; set 2147483648; create a; +5; read a",
        TakesDefault(BadValue::Above, Misread::Never),
        on(&[Settings]),
    ),
    fault(
        "default-far-above-wraps",
        "A `defaultTtl` above 32 bits keeps its lower 32 bits.",
        &["container-above-maximum-rejected"],
        "open 4294967301; create a; +5; read a",
        TakesDefault(BadValue::FarAbove, Misread::Wrapped),
        ANY,
    ),
    fault(
        "default-huge-off",
        "A `defaultTtl` that does not fit 64 bits is dropped, and the container is off.",
        &["container-above-maximum-rejected"],
        "open 1e400; create a ttl=3; read a",
        TakesDefault(BadValue::Huge, Misread::Absent),
        ANY,
    ),
    fault(
        "default-minus-one-refused",
        "A container cannot be created with `defaultTtl` -1.",
        &["container-minus-one-is-on-without-default"],
        "open -1; create a ttl=3; read a",
        RefusesDefault(GoodValue::MinusOne),
        on(&[Opening]),
    ),
    fault(
        "default-minus-one-refused-later",
        "A container with a default in seconds cannot change to -1.",
        &["container-minus-one-is-on-without-default"],
        "open 5; set -1; create a; +5; read a",
        RefusesDefault(GoodValue::MinusOne),
        on(&[Settings]).under(Seconds),
    ),
    fault(
        "default-one-refused",
        "The least default that a store accepts is 2.",
        &["container-seconds-range"],
        "open 1; create a; read a",
        RefusesDefault(GoodValue::One),
        ANY,
    ),
    fault(
        "default-most-refused",
        "The maximum itself is refused as a default.",
        &["container-seconds-range"],
        "open 2147483647; create a; read a",
        RefusesDefault(GoodValue::Most),
        ANY,
    ),
    fault(
        "default-24-bits",
        "A default must fit 24 bits when it changes.",
        &["container-seconds-range"],
        "open 5; set 16777216; create a; +5; read a",
        RefusesDefault(GoodValue::Over24Bits),
        on(&[Settings]),
    ),
];
