//! Changes of the settings.

use super::{TimerFault, fault};
use crate::fourth::slip::DefaultKind::{Seconds};
use crate::fourth::slip::Slip::*;
use crate::fourth::slip::TimerPath::{Opening, Settings};
use crate::fourth::slip::{ANY, on};

pub(super) static FAULTS: &[TimerFault] = &[
    fault("first-setting-stays", "Timers follow the setting of the container's creation for ever.", &["current-settings-decide"], "open 5; create a; set 9; +5; read a", FirstSettingStays, ANY),
    fault("third-change-is-lost", "The tape holds three settings: later changes have no effect.", &["current-settings-decide"], "open 5; set 6; set 7; set 8; create a; +7; read a", ThirdChangeIsLost, ANY),
    fault("first-of-the-second-wins", "Of two settings in one second, the first one wins.", &["current-settings-decide"], "open 5; set 9; create a; +5; read a", FirstOfTheSecondWins, ANY),
    fault("effective-next-second", "A change takes effect when the next second begins.", &["switching-on-hides-old-items", "current-settings-decide"], "open 50; create a; +5; set 5; read a", EffectiveNextSecond, ANY),
    fault("greatest-default-stays", "The greatest default that was ever set stays in force.", &["current-settings-decide", "switching-on-hides-old-items"], "open 9; create a; set 5; +5; read a", GreatestDefaultStays, ANY),
    fault("smallest-default-stays", "The smallest default that was ever set stays in force.", &["current-settings-decide", "raising-extends"], "open 5; create a; set 9; +5; read a", SmallestDefaultStays, ANY),
    fault("minus-one-is-off", "A default of -1 is the same as off.", &["container-minus-one-is-on-without-default", "item-seconds-override"], "open -1; create a ttl=3; +3; read a", MinusOneIsOff, ANY),
    fault("minus-one-after-seconds-is-off", "A change from seconds to -1 switches off.", &["container-minus-one-is-on-without-default", "item-seconds-override"], "open 5; set -1; create a ttl=3; +3; read a", MinusOneIsOff, ANY.after(Seconds)),
    fault("off-is-minus-one", "Leaving out the default counts as -1.", &["leaving-default-out-switches-off", "off-never-expires"], "open 5; create a ttl=3; set off; +3; read a", OffIsMinusOne, ANY),
    fault("opens-with-minus-one", "A container that is created without a default has -1.", &["container-absent-is-off", "off-never-expires"], "open off; create a ttl=3; +3; read a", OpensWithMinusOne, ANY),
    fault("opens-with-an-hour", "A container that is created without a default has one of an hour.", &["container-absent-is-off", "off-never-expires"], "open off; create a; +3600; read a", OpensWithAnHour, ANY),
    fault("skips-known-default", "A default that was set before is not written to the tape again, and the container stays off.", &["current-settings-decide", "item-inherits-seconds"], "open 5; set off; set 5; create a; +5; read a", SkipsKnownDefault, ANY),
    fault("merges-absent", "A replacement without a default keeps the one before.", &["leaving-default-out-switches-off"], "open 5; create a; set off; +5; read a", MergesAbsent, ANY),
    fault("new-mode-keeps-default", "A replacement that changes the indexing mode keeps a default that is left out.", &["leaving-default-out-switches-off"], "open 5; create a; set off lazy; +5; read a", NewModeKeepsDefault, ANY),
    fault("new-mode-drops-default", "A replacement that changes the indexing mode loses its default.", &["item-inherits-seconds", "current-settings-decide"], "open 5; create a; set 5 lazy; +5; read a", NewModeDropsDefault, ANY),
    fault("refused-opening-opens", "A refused creation leaves a container behind.", &["container-rejected-leaves-container"], "open 0; open 5; create a; +5; read a", RefusedOpeningOpens, ANY),
    fault("refused-switches-off", "A refused setting switches time to live off.", &["container-rejected-leaves-container"], "open 5; create a; set 0; +5; read a", RefusedSwitchesOff, ANY),
    fault("refused-switches-to-minus-one", "A refused setting leaves the default -1.", &["container-rejected-leaves-container"], "open 5; create a; set 2147483648; +5; read a", RefusedSwitchesToMinusOne, ANY),
    fault("refused-mode-stays-with-default", "Of a refused setting with indexing mode none, the default is applied.", &["container-rejected-leaves-container"], "open 5; create a; set 9 none; +5; read a", RefusedModeStaysWithDefault, ANY),
    fault("refused-setting-restarts", "A refused setting arms all timers again.", &["container-rejected-leaves-container"], "open 5; create a; +3; set 0; +2; read a", RefusedSettingRestarts, ANY),
    fault("refused-setting-disarms", "A refused setting empties the wheel.", &["container-rejected-leaves-container"], "open 5; create a; set -2; +5; read a", RefusedSettingDisarms, ANY),
    fault("none-opens-with-default", "A container can be created with indexing mode none and a default.", &["ttl-needs-an-index"], "open 5 none; create a", NoneAllowsTtl, on(&[Opening])),
    fault("none-set-with-default", "A replacement can set indexing mode none and a default.", &["ttl-needs-an-index"], "open 5; set 5 none", NoneAllowsTtl, on(&[Settings])),
    fault("none-with-minus-one", "Indexing mode none is allowed with a default of -1.", &["ttl-needs-an-index"], "open off none; set -1 none", NoneAllowsMinusOne, ANY),
    fault("none-sticks", "A default is refused while the mode before was none, though the new one is consistent.", &["indexed-modes-allow-ttl"], "open off none; set 5; create a; +5; read a", NoneSticks, ANY),
    fault("lazy-refuses-new-default", "Under lazy indexing, a default cannot be set later.", &["indexed-modes-allow-ttl"], "open off lazy; set 5 lazy; create a; +5; read a", LazyRefusesTtl, on(&[Settings])),
    fault("direct-change-refused", "A default can change only by way of off.", &["container-seconds-range"], "open 5; set 9; create a; +5; read a", RefusesDirectChange, ANY),
];
