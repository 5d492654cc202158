//! Lifetimes that are computed wrongly.

use super::{TimerFault, fault};
use crate::fourth::slip::DefaultKind::{NoDefault, Off, Seconds};
use crate::fourth::slip::Slip::*;
use crate::fourth::slip::TimerPath::{Create, Settings, Upsert};
use crate::fourth::slip::{ANY, on};

pub(super) static FAULTS: &[TimerFault] = &[
    fault("off-honours-ttl", "While the container is off, items expire by their own `ttl`.", &["off-never-expires"], "open off; create a ttl=3; +3; read a", OffHonoursTtl, ANY),
    fault("off-honours-ttl-after-default", "A container that was on once still expires items by their own `ttl` while it is off.", &["off-never-expires", "leaving-default-out-switches-off"], "open 5; set off; create a ttl=3; +3; read a", OffHonoursTtl, ANY.after(Seconds)),
    fault("off-keeps-default", "Switching off does not reach items that inherit: they expire by the old default.", &["leaving-default-out-switches-off", "off-never-expires"], "open 5; create a; set off; +5; read a", OffKeepsDefault, ANY),
    fault("off-keeps-default-for-new", "Items that are created while the container is off live by the default before.", &["leaving-default-out-switches-off", "off-never-expires"], "open 5; set off; create a; +5; read a", OffKeepsDefault, on(&[Create])),
    fault("ttl-ignored-under-minus-one", "Under a default of -1 no item expires.", &["item-seconds-override", "container-minus-one-is-on-without-default"], "open -1; create a ttl=3; +3; read a", TtlIgnored, ANY.under(NoDefault)),
    fault("ttl-ignored-under-default", "Under a default in seconds every item lives by the default.", &["item-seconds-override"], "open 5; create a ttl=3; +3; read a", TtlIgnored, ANY.under(Seconds)),
    fault("ttl-ignored-under-lazy", "Under lazy indexing, every item lives by the default.", &["item-seconds-override"], "open 9 lazy; create a ttl=3; +3; read a", TtlIgnored, ANY.lazy()),
    fault("ttl-never-after-off", "A `ttl` sets no lifetime any more once the container has been off.", &["dormant-ttl-wakes", "item-seconds-override"], "open 9; create a ttl=3; set off; set 9; +3; read a", TtlIsNever, ANY.after(Off)),
    fault("shorter-wins", "The shorter of `ttl` and default counts.", &["item-seconds-override"], "open 3; create a ttl=9; +3; read a", ShorterWins, ANY),
    fault("longer-wins", "The longer of `ttl` and default counts.", &["item-seconds-override"], "open 9; create a ttl=3; +3; read a", LongerWins, ANY),
    fault("ttl-is-added", "An item's `ttl` is added to the default.", &["item-seconds-override"], "open 5; create a ttl=3; +3; read a", TtlIsAdded, ANY),
    fault("minus-one-inherits", "An item with `ttl` -1 lives by the default.", &["item-minus-one-overrides"], "open 5; create a ttl=-1; +5; read a", MinusOneInherits, ANY),
    fault("minus-one-inherits-after-change", "A change of the default makes items with `ttl` -1 live by it.", &["item-minus-one-overrides"], "open 50; create a ttl=-1; set 5; +5; read a", MinusOneInherits, on(&[Settings])),
    fault("absent-is-never", "Under a default in seconds, an item without `ttl` never expires.", &["item-inherits-seconds", "item-absent-inherits"], "open 5; create a; +5; read a", AbsentIsNever, ANY),
    fault("absent-is-never-by-upsert", "An upserted item without `ttl` never expires.", &["item-inherits-seconds", "item-absent-inherits"], "open 5; upsert a; +5; read a", AbsentIsNever, on(&[Upsert])),
    fault("minus-one-keeps-default", "A change of the default to -1 leaves the default before in force.", &["item-inherits-no-default", "current-settings-decide"], "open 5; create a; set -1; +5; read a", NoDefaultKeepsDefault, ANY),
    fault("parts-expire", "A property with a `ttl` inside is left out of answers after that many seconds.", &["whole-item-expires", "only-root-ttl-counts"], "open -1; create a part={\"ttl\":3}; +3; read a", PartsExpire, ANY),
];
