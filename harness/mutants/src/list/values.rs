//! Mutants that take a value for what it is not.

use crate::mutation::{Effect, Event, Given, Leftover, On, Taken, Via};
use cosmos_ttl_harness::target::Status;

use Effect::{DropsDefault, LosesItems, RestartsAll, SwitchesOff};
use Event::{RefusedSettings, SecondCreation};
use Given::{
    AboveMaximum, Anything, BelowMinusOne, Fraction, Infinite, List, LongerThanDefault, Maximum, MinusOne,
    Null, Object, One, Text, Truth, WholeFraction, Zero,
};
use On::{Container, Item};
use Taken::{Absent, AtOnce, Before, Greatest, Last32, Last64, Never, Number};
use Via::Any;

mutants! {
    // The container's values.
    "absent-default-is-minus-one" breaks ["container-absent-is-off"] => AbsentDefault(Never),
        "A container that says nothing is on without a default, so that an item's own `ttl` counts.";
    "absent-default-is-no-time" breaks ["container-absent-is-off"] => AbsentDefault(AtOnce),
        "A container that says nothing gives its items zero seconds.";
    "null-default-is-minus-one" breaks ["container-null-is-off"] => Takes(Container, Any, Null, Never),
        "Null as `defaultTtl` switches time to live on without a default.";
    "null-default-is-no-time" breaks ["container-null-is-off"] => Takes(Container, Any, Null, AtOnce),
        "Null as `defaultTtl` is read as the number 0, and everything is over at once.";
    "null-default-keeps-the-old" breaks ["container-null-is-off"] => Takes(Container, Any, Null, Before),
        "Null as `defaultTtl` says ok and leaves the setting as it was, as in a merge.";
    "container-minus-one-is-off" breaks ["container-minus-one-is-on-without-default"] => Takes(Container, Any, MinusOne, Absent),
        "`defaultTtl` -1 is another way to write off.";
    "container-minus-one-is-refused" breaks ["container-minus-one-is-on-without-default"] =>
        Refuses(Container, Via::Create, MinusOne),
        "A container cannot be created with `defaultTtl` -1.";
    "container-minus-one-is-refused-later" breaks ["container-minus-one-is-on-without-default"] =>
        Refuses(Container, Via::Replace, MinusOne),
        "A container cannot be changed to `defaultTtl` -1.";
    "container-maximum-is-refused" breaks ["container-seconds-range"] => Refuses(Container, Via::Create, Maximum),
        "The greatest `defaultTtl` is taken for one too many.";
    "container-maximum-is-refused-later" breaks ["container-seconds-range"] => Refuses(Container, Via::Replace, Maximum),
        "The greatest `defaultTtl` is taken for one too many when a container is replaced.";
    "container-maximum-is-never" breaks ["container-seconds-range", "deadline-does-not-overflow"] =>
        Takes(Container, Any, Maximum, Never),
        "The greatest `defaultTtl` means forever.";
    "container-one-is-refused" breaks ["container-seconds-range"] => Refuses(Container, Via::Create, One),
        "A `defaultTtl` of one second is too short.";
    "container-zero-is-never" breaks ["container-zero-rejected"] => Takes(Container, Any, Zero, Never),
        "`defaultTtl` 0 is accepted and means never; seen in an emulator.";
    "container-zero-is-at-once" breaks ["container-zero-rejected"] => Takes(Container, Any, Zero, AtOnce),
        "`defaultTtl` 0 is accepted and everything expires at once; seen in an emulator.";
    "container-zero-is-off" breaks ["container-zero-rejected"] => Takes(Container, Any, Zero, Absent),
        "`defaultTtl` 0 is accepted and means off.";
    "container-below-minus-one-is-never" breaks ["container-below-minus-one-rejected"] =>
        Takes(Container, Any, BelowMinusOne, Never),
        "Any negative `defaultTtl` means never.";
    "container-below-minus-one-is-at-once" breaks ["container-below-minus-one-rejected"] =>
        Takes(Container, Any, BelowMinusOne, Number),
        "A `defaultTtl` of -2 is a number of seconds that is over before it began.";
    "container-below-minus-one-is-off" breaks ["container-below-minus-one-rejected"] =>
        Takes(Container, Any, BelowMinusOne, Absent),
        "A `defaultTtl` below -1 switches off without a word.";
    "container-above-maximum-is-cut" breaks ["container-above-maximum-rejected"] => Takes(Container, Any, AboveMaximum, Greatest),
        "A `defaultTtl` that is too great is cut to the greatest.";
    "container-above-maximum-wraps" breaks ["container-above-maximum-rejected"] => Takes(Container, Any, AboveMaximum, Last32),
        "A `defaultTtl` that is too great keeps its last 32 bits.";
    "container-above-maximum-is-seconds" breaks ["container-above-maximum-rejected"] => Takes(Container, Any, AboveMaximum, Number),
        "A `defaultTtl` may be as great as it likes.";
    "container-above-maximum-wraps-at-64-bits" breaks ["container-above-maximum-rejected"] =>
        Takes(Container, Any, AboveMaximum, Last64),
        "A `defaultTtl` that is too great keeps its last 64 bits, and is a setting whatever they say.";
    "container-infinity-is-never" breaks ["container-above-maximum-rejected"] => Takes(Container, Any, Infinite, Never),
        "`defaultTtl` 1e400 is read as infinity and means never.";
    "container-fraction-is-cut" breaks ["container-not-an-integer-rejected"] => Takes(Container, Any, Fraction, Number),
        "`defaultTtl` 2.5 is 2.";
    "container-text-counts" breaks ["container-not-an-integer-rejected"] => Takes(Container, Any, Text, Number),
        "`defaultTtl` \"10\" is 10.";
    "container-truth-counts" breaks ["container-not-an-integer-rejected"] => Takes(Container, Any, Truth, Number),
        "`defaultTtl` true is 1, and false is 0.";
    "container-truth-is-off" breaks ["container-not-an-integer-rejected"] => Takes(Container, Any, Truth, Absent),
        "`defaultTtl` false switches off, and so does true.";
    "container-list-counts" breaks ["container-not-an-integer-rejected"] => Takes(Container, Any, List, Number),
        "`defaultTtl` [10] is 10.";
    "container-object-is-off" breaks ["container-not-an-integer-rejected"] => Takes(Container, Any, Object, Absent),
        "A `defaultTtl` that is an object is passed over.";
    "container-object-is-off-at-creation" breaks ["container-not-an-integer-rejected"] =>
        Takes(Container, Via::Create, Object, Absent),
        "A container may be created with a `defaultTtl` that is an object, which is passed over.";
    "refused-settings-switch-off" breaks ["container-rejected-leaves-container"] => After(RefusedSettings, SwitchesOff),
        "Settings are cleared before the new ones are looked at.";
    "refused-settings-drop-the-default" breaks ["container-rejected-leaves-container"] => After(RefusedSettings, DropsDefault),
        "A refused setting leaves the container on without a default.";
    "refused-settings-empty-the-container" breaks ["container-rejected-leaves-container"] => After(RefusedSettings, LosesItems),
        "A refused setting costs the container its items.";
    "refused-settings-touch-ts" breaks ["container-rejected-leaves-container"] => After(RefusedSettings, RestartsAll),
        "A refused setting restarts the count of every item.";
    "refused-container-exists" breaks ["container-zero-rejected", "container-below-minus-one-rejected", "ttl-needs-an-index"] =>
        RefusedMakesContainer,
        "A creation that is refused for its `defaultTtl` leaves a container behind that is off.";
    "second-creation-changes-the-default" breaks ["container-rejected-leaves-container"] => SecondCreationSettles,
        "A second creation of a container is a conflict, and its settings take effect.";
    "second-creation-empties-the-container" breaks ["container-rejected-leaves-container"] => After(SecondCreation, LosesItems),
        "A second creation of a container is a conflict, and costs the container its items.";
    "second-creation-touches-ts" breaks ["container-rejected-leaves-container"] => After(SecondCreation, RestartsAll),
        "A second creation of a container is a conflict, and restarts the count of every item.";

    // The item's values.
    "item-ttl-is-never-checked" breaks [
        "item-null-rejected",
        "item-zero-rejected",
        "item-below-minus-one-rejected",
        "item-above-maximum-rejected",
        "item-not-an-integer-rejected"
    ] => Takes(Item, Any, Anything, Number),
        "No write looks at a `ttl`, and whatever number can be read out of it counts; seen in an emulator.";
    "item-minus-one-is-refused" breaks ["item-minus-one-allowed"] => Refuses(Item, Via::Create, MinusOne),
        "No item can be created with `ttl` -1.";
    "upsert-refuses-minus-one" breaks ["item-minus-one-allowed"] => Refuses(Item, Via::Upsert, MinusOne),
        "No item can be upserted with `ttl` -1.";
    "replace-refuses-minus-one" breaks ["item-minus-one-allowed"] => Refuses(Item, Via::Replace, MinusOne),
        "No item can be replaced by one with `ttl` -1.";
    "item-maximum-is-refused" breaks ["item-seconds-range"] => Refuses(Item, Via::Create, Maximum),
        "The greatest `ttl` is taken for one too many.";
    "upsert-refuses-the-maximum" breaks ["item-seconds-range"] => Refuses(Item, Via::Upsert, Maximum),
        "The greatest `ttl` is taken for one too many by an upsert.";
    "replace-refuses-the-maximum" breaks ["item-seconds-range"] => Refuses(Item, Via::Replace, Maximum),
        "The greatest `ttl` is taken for one too many by a replace.";
    "item-maximum-is-never" breaks ["item-seconds-range", "deadline-does-not-overflow"] => Takes(Item, Any, Maximum, Never),
        "The greatest `ttl` means forever.";
    "item-one-is-refused" breaks ["item-seconds-range"] => Refuses(Item, Via::Create, One),
        "A `ttl` of one second is too short.";
    "longer-than-the-default-is-refused" breaks ["item-seconds-range", "item-seconds-override"] =>
        Refuses(Item, Via::Create, LongerThanDefault),
        "An item's `ttl` must not be longer than the default.";
    "upsert-refuses-one" breaks ["item-seconds-range"] => Refuses(Item, Via::Upsert, One),
        "A `ttl` of one second is too short for an upsert.";
    "batch-refuses-one" breaks ["item-seconds-range"] => Refuses(Item, Via::Batch, One),
        "A `ttl` of one second is too short for a batch.";
    "patch-refuses-the-maximum" breaks ["item-seconds-range"] => Refuses(Item, Via::Patch, Maximum),
        "The greatest `ttl` is taken for one too many by a patch.";
    "batch-refuses-the-maximum" breaks ["item-seconds-range"] => Refuses(Item, Via::Batch, Maximum),
        "The greatest `ttl` is taken for one too many by a batch.";
    "batch-refuses-longer-than-the-default" breaks ["item-seconds-range"] => Refuses(Item, Via::Batch, LongerThanDefault),
        "In a batch an item's `ttl` must not be longer than the default.";
    "null-inherits-for-ever" breaks ["item-null-rejected"] => Takes(Item, Any, Null, Absent),
        "The tables of 2019 and 2020 still hold: null inherits; seen in a fake.";
    "null-is-never" breaks ["item-null-rejected", "item-null-inherits"] => Takes(Item, Any, Null, Never),
        "An item with a null `ttl` never expires, as one of those tables can be read.";
    "create-takes-null" breaks ["item-null-rejected"] => Takes(Item, Via::Create, Null, Absent),
        "Only creates take a null `ttl`, as none.";
    "upsert-takes-null" breaks ["item-null-rejected"] => Takes(Item, Via::Upsert, Null, Absent),
        "Only upserts take a null `ttl`, as none.";
    "replace-takes-null" breaks ["item-null-rejected"] => Takes(Item, Via::Replace, Null, Absent),
        "Only replaces take a null `ttl`, as none.";
    "batch-takes-null" breaks ["item-null-rejected"] => Takes(Item, Via::Batch, Null, Absent),
        "Only batches take a null `ttl`, as none.";
    "patch-to-null-removes" breaks ["item-null-rejected"] => Takes(Item, Via::Patch, Null, Absent),
        "A patch of `ttl` to null removes it.";
    "null-is-refused-in-2020" breaks ["item-null-inherits"] => Refuses(Item, Via::Create, Null),
        "A null `ttl` was always refused.";
    "replace-refuses-null-in-2020" breaks ["item-null-inherits"] => Refuses(Item, Via::Replace, Null),
        "A null `ttl` was always refused where an item is there already.";
    "item-zero-is-never" breaks ["item-zero-rejected"] => Takes(Item, Any, Zero, Never),
        "`ttl` 0 is accepted and means never; seen in a fake.";
    "item-zero-is-at-once" breaks ["item-zero-rejected"] => Takes(Item, Any, Zero, AtOnce),
        "`ttl` 0 is accepted and the item is gone at once; seen in a fake.";
    "item-zero-inherits" breaks ["item-zero-rejected"] => Takes(Item, Any, Zero, Absent),
        "`ttl` 0 is the same as none.";
    "create-takes-zero" breaks ["item-zero-rejected"] => Takes(Item, Via::Create, Zero, Absent),
        "Only creates do not look at `ttl`.";
    "upsert-takes-zero" breaks ["item-zero-rejected"] => Takes(Item, Via::Upsert, Zero, Absent),
        "Only upserts do not look at `ttl`.";
    "replace-takes-zero" breaks ["item-zero-rejected"] => Takes(Item, Via::Replace, Zero, Absent),
        "Only replaces do not look at `ttl`.";
    "patch-takes-zero" breaks ["item-zero-rejected"] => Takes(Item, Via::Patch, Zero, Absent),
        "Only patches do not look at `ttl`.";
    "batch-takes-zero" breaks ["item-zero-rejected"] => Takes(Item, Via::Batch, Zero, Absent),
        "Only batches do not look at `ttl`.";
    "item-below-minus-one-is-never" breaks ["item-below-minus-one-rejected"] => Takes(Item, Any, BelowMinusOne, Never),
        "Any negative `ttl` means never; seen in a fake.";
    "item-below-minus-one-is-at-once" breaks ["item-below-minus-one-rejected"] => Takes(Item, Any, BelowMinusOne, Number),
        "A `ttl` of -2 is accepted, and over before it began; seen in a fake.";
    "item-below-minus-one-wraps" breaks ["item-below-minus-one-rejected"] => Takes(Item, Any, BelowMinusOne, Last32),
        "A `ttl` far below zero keeps its last 32 bits.";
    "patch-takes-below-minus-one" breaks ["item-below-minus-one-rejected"] => Takes(Item, Via::Patch, BelowMinusOne, Absent),
        "A patch sets a `ttl` below -1, which then counts for nothing.";
    "item-above-maximum-wraps" breaks ["item-above-maximum-rejected"] => Takes(Item, Any, AboveMaximum, Last32),
        "`ttl` 2147483648 keeps its last 32 bits and turns negative; seen in a fake.";
    "item-above-maximum-is-cut" breaks ["item-above-maximum-rejected"] => Takes(Item, Any, AboveMaximum, Greatest),
        "A `ttl` that is too great is cut to the greatest.";
    "item-above-maximum-is-never" breaks ["item-above-maximum-rejected"] => Takes(Item, Any, AboveMaximum, Never),
        "A `ttl` that is too great means never.";
    "item-above-maximum-wraps-at-64-bits" breaks ["item-above-maximum-rejected"] => Takes(Item, Any, AboveMaximum, Last64),
        "A `ttl` that is too great keeps its last 64 bits.";
    "item-infinity-is-never" breaks ["item-above-maximum-rejected"] => Takes(Item, Any, Infinite, Never),
        "`ttl` 1e400 is read as infinity and means never.";
    "patch-takes-above-maximum" breaks ["item-above-maximum-rejected"] => Takes(Item, Via::Patch, AboveMaximum, Greatest),
        "A patch sets a `ttl` that is too great, and cuts it.";
    "item-fraction-is-cut" breaks ["item-not-an-integer-rejected"] => Takes(Item, Any, Fraction, Number),
        "`ttl` 1.5 is 1.";
    "item-fraction-inherits" breaks ["item-not-an-integer-rejected"] => Takes(Item, Any, Fraction, Absent),
        "`ttl` 1.5 falls back to the default; seen in a fake.";
    "item-text-counts" breaks ["item-not-an-integer-rejected"] => Takes(Item, Any, Text, Number),
        "`ttl` \"10\" is 10; seen in a fake.";
    "item-text-inherits" breaks ["item-not-an-integer-rejected"] => Takes(Item, Any, Text, Absent),
        "A `ttl` in quotes falls back to the default.";
    "item-truth-counts" breaks ["item-not-an-integer-rejected"] => Takes(Item, Any, Truth, Number),
        "`ttl` true is 1, and false is 0.";
    "item-list-counts" breaks ["item-not-an-integer-rejected"] => Takes(Item, Any, List, Number),
        "`ttl` [10] is 10.";
    "item-object-inherits" breaks ["item-not-an-integer-rejected"] => Takes(Item, Any, Object, Absent),
        "A `ttl` that is an object falls back to the default; seen in a fake.";
    "patch-takes-text" breaks ["item-not-an-integer-rejected"] => Takes(Item, Via::Patch, Text, Number),
        "A patch of `ttl` to \"10\" sets 10.";
    "upsert-takes-fractions" breaks ["item-not-an-integer-rejected"] => Takes(Item, Via::Upsert, Fraction, Absent),
        "Only upserts take `ttl` 1.5, which then counts for nothing.";
    "upsert-takes-text" breaks ["item-not-an-integer-rejected"] => Takes(Item, Via::Upsert, Text, Absent),
        "Only upserts take `ttl` \"10\", which then counts for nothing.";
    "upsert-takes-truth" breaks ["item-not-an-integer-rejected"] => Takes(Item, Via::Upsert, Truth, Absent),
        "Only upserts take `ttl` true, which then counts for nothing.";
    "upsert-takes-lists" breaks ["item-not-an-integer-rejected"] => Takes(Item, Via::Upsert, List, Absent),
        "Only upserts take `ttl` [10], which then counts for nothing.";
    "upsert-takes-objects" breaks ["item-not-an-integer-rejected"] => Takes(Item, Via::Upsert, Object, Absent),
        "Only upserts take `ttl` an object, which then counts for nothing.";
    "replace-takes-fractions" breaks ["item-not-an-integer-rejected"] => Takes(Item, Via::Replace, Fraction, Absent),
        "Only replaces take `ttl` 1.5, which then counts for nothing.";
    "replace-takes-text" breaks ["item-not-an-integer-rejected"] => Takes(Item, Via::Replace, Text, Absent),
        "Only replaces take `ttl` \"10\", which then counts for nothing.";
    "replace-takes-truth" breaks ["item-not-an-integer-rejected"] => Takes(Item, Via::Replace, Truth, Absent),
        "Only replaces take `ttl` true, which then counts for nothing.";
    "replace-takes-lists" breaks ["item-not-an-integer-rejected"] => Takes(Item, Via::Replace, List, Absent),
        "Only replaces take `ttl` [10], which then counts for nothing.";
    "replace-takes-objects" breaks ["item-not-an-integer-rejected"] => Takes(Item, Via::Replace, Object, Absent),
        "Only replaces take `ttl` an object, which then counts for nothing.";
    "patch-takes-fractions" breaks ["item-not-an-integer-rejected"] => Takes(Item, Via::Patch, Fraction, Absent),
        "Only patches take `ttl` 1.5, which then counts for nothing.";
    "patch-takes-truth" breaks ["item-not-an-integer-rejected"] => Takes(Item, Via::Patch, Truth, Absent),
        "Only patches take `ttl` true, which then counts for nothing.";
    "patch-takes-lists" breaks ["item-not-an-integer-rejected"] => Takes(Item, Via::Patch, List, Absent),
        "Only patches take `ttl` [10], which then counts for nothing.";
    "patch-takes-objects" breaks ["item-not-an-integer-rejected"] => Takes(Item, Via::Patch, Object, Absent),
        "Only patches take `ttl` an object, which then counts for nothing.";
    "batch-takes-fractions" breaks ["item-not-an-integer-rejected"] => Takes(Item, Via::Batch, Fraction, Absent),
        "Only batches take `ttl` 1.5, which then counts for nothing.";
    "batch-takes-text" breaks ["item-not-an-integer-rejected"] => Takes(Item, Via::Batch, Text, Absent),
        "Only batches take `ttl` \"10\", which then counts for nothing.";
    "batch-takes-truth" breaks ["item-not-an-integer-rejected"] => Takes(Item, Via::Batch, Truth, Absent),
        "Only batches take `ttl` true, which then counts for nothing.";
    "batch-takes-lists" breaks ["item-not-an-integer-rejected"] => Takes(Item, Via::Batch, List, Absent),
        "Only batches take `ttl` [10], which then counts for nothing.";
    "batch-takes-objects" breaks ["item-not-an-integer-rejected"] => Takes(Item, Via::Batch, Object, Absent),
        "Only batches take `ttl` an object, which then counts for nothing.";
    "batch-takes-below-minus-one" breaks ["item-below-minus-one-rejected"] => Takes(Item, Via::Batch, BelowMinusOne, Never),
        "Only batches take a `ttl` below -1, as never.";
    "batch-takes-above-maximum" breaks ["item-above-maximum-rejected"] => Takes(Item, Via::Batch, AboveMaximum, Greatest),
        "Only batches take a `ttl` that is too great, and cut it.";
    "patch-takes-anything" breaks ["item-not-an-integer-rejected", "item-zero-rejected"] =>
        Takes(Item, Via::Patch, Anything, Number),
        "What a patch sets is never looked at, though it counts.";
    "whole-fraction-inherits" breaks ["item-integral-fraction"] => Takes(Item, Any, WholeFraction, Absent),
        "`ttl` 10.0 is stored, but counts for nothing.";
    "whole-fraction-is-never" breaks ["item-integral-fraction"] => Takes(Item, Any, WholeFraction, Never),
        "`ttl` 10.0 is stored and keeps the item forever.";
    "whole-fraction-loses-its-exponent" breaks ["item-integral-fraction"] => Takes(Item, Any, WholeFraction, Number),
        "`ttl` 1e1 is read up to the first letter and is 1.";
    "invalid-while-off-is-forgotten" breaks ["item-invalid-while-off"] => ForgetsInvalidWhileOff,
        "While the container is off an item with a bad `ttl` is said to be stored, and is not.";
    "refused-writes-are-kept" breaks ["item-rejected-stores-nothing"] => Leaves(Status::BadRequest, Leftover::Content),
        "The item is stored first and its `ttl` looked at then.";
    "refused-writes-make-items" breaks ["item-rejected-stores-nothing"] => Leaves(Status::BadRequest, Leftover::NewItem),
        "A refused write stores an item where there was none.";
    "refused-patches-set-the-rest" breaks ["item-rejected-stores-nothing"] => Leaves(Status::BadRequest, Leftover::RestOfPatch),
        "A refused patch sets everything but the `ttl`.";
    "refused-writes-touch-ts" breaks ["item-rejected-stores-nothing"] => Leaves(Status::BadRequest, Leftover::Restart),
        "A write that is refused for its `ttl` restarts the count of the item.";
    "refused-writes-touch-every-ts" breaks ["item-rejected-stores-nothing"] => Leaves(Status::BadRequest, Leftover::RestartOfAll),
        "A write that is refused for its `ttl` restarts the count of every item.";
    "refused-writes-delete" breaks ["item-rejected-stores-nothing"] => Leaves(Status::BadRequest, Leftover::Nothing),
        "A write that is refused for its `ttl` costs the item that was there.";
    "two-refusals-are-an-error" breaks ["refusal-order"] => TwoRefusalsAreAnError,
        "A write that is refused for its `ttl` and for its item is answered 500.";
    "batch-blames-its-first-operation" breaks ["refusal-order"] => BatchBlamesFirst,
        "An aborted batch blames its first operation, whichever was refused.";

    // Names.
    "underscored-ttl-counts" breaks ["only-root-ttl-counts"] => Alias("_ttl"),
        "`_ttl` is honoured where there is no `ttl`; seen in a fake.";
    "underscored-ttl-wins" breaks ["only-root-ttl-counts"] => AliasFirst("_ttl"),
        "`_ttl` is honoured before `ttl`.";
    "upper-case-ttl-counts" breaks ["only-root-ttl-counts"] => Alias("TTL"),
        "Case does not matter: `TTL` counts.";
    "time-to-live-counts" breaks ["only-root-ttl-counts"] => Alias("timeToLive"),
        "The property's name in the SDKs, `timeToLive`, counts.";
    "time-to-live-with-a-capital-counts" breaks ["only-root-ttl-counts"] => Alias("TimeToLive"),
        "The property's name in the SDKs, `TimeToLive`, counts.";
    "default-on-an-item-counts" breaks ["only-root-ttl-counts"] => Alias("defaultTtl"),
        "An item's `defaultTtl` counts.";
    "nested-ttl-counts" breaks ["only-root-ttl-counts"] => NestedCounts,
        "A `ttl` somewhere in the item counts.";
}
