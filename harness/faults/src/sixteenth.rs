//! A store of actors: each partition is an actor with a mailbox, its own copy of the settings, its items and an index of
//! them. A gateway checks settings and tells them to the actors; a sweeper visits the actors in the background.
//!
//! | module | content |
//! |---|---|
//! | `slip` | the mistakes |
//! | `liberty` | the freedoms |
//! | `values` | which settings and values of `ttl` are allowed |
//! | `misread` | how mistakes read them |
//! | `life` | when an item is expired |
//! | `actor` | the state of a partition, and its sweeper |
//! | `handle` | operations on items |
//! | `stamp` | what a write makes of an item |
//! | `told` | what a change of the settings does to an actor |
//! | `feed` | queries, lists, counts and pages |
//! | `session` | the gateway: requests, batches and schedules of removal |

/// Declares a table of faults: of each its name, its mistake, a sentence, the clauses that it breaks, and a script.
macro_rules! hive_faults {
    ($table:ident: $($name:literal $slip:ident $says:literal [$($clause:literal)*] $script:literal;)*) => {
        pub(super) const $table: &[HiveFault] = &[
            $(HiveFault {
                name: concat!("sixteenth-", $name),
                says: $says,
                breaks: &[$($clause),*],
                shown_by: $script,
                slip: HiveSlip::$slip,
            },)*
        ];
    };
}

mod actor;
mod correct;
mod faults_clock;
mod faults_items;
mod faults_settings;
mod faults_values;
mod feed;
mod handle;
mod liberty;
mod life;
mod misread;
mod session;
mod slip;
mod stamp;
mod told;
mod values;

use cosmos_ttl_harness::target::{About, Clock, Edition, Fault, Opening, Removal, Session, Target};

use self::liberty::HiveLiberty;
use self::session::HiveSession;
use self::slip::HiveSlip;

/// A store that is correct, or has one mistake, or takes one freedom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HiveStore {
    slip: Option<HiveSlip>,
    liberty: Option<HiveLiberty>,
}

/// A store with one mistake.
#[derive(Clone, Copy, Debug)]
pub struct HiveFault {
    /// Its name.
    pub name: &'static str,
    /// Its behaviour, in one sentence.
    pub says: &'static str,
    /// The clauses of level must that it breaks.
    pub breaks: &'static [&'static str],
    /// A short script on which it answers as no correct store does.
    pub shown_by: &'static str,
    slip: HiveSlip,
}

/// A store that breaks no clause of level must.
#[derive(Clone, Copy, Debug)]
pub struct HiveCorrect {
    /// Its name.
    pub name: &'static str,
    /// Its behaviour, in one sentence.
    pub says: &'static str,
    liberty: Option<HiveLiberty>,
}

impl HiveFault {
    /// Returns the store with this mistake.
    pub fn store(&self) -> HiveStore {
        HiveStore { slip: Some(self.slip), liberty: None }
    }
}

impl HiveCorrect {
    /// Returns the store with this freedom.
    pub fn store(&self) -> HiveStore {
        HiveStore { slip: None, liberty: self.liberty }
    }
}

/// Returns all faults.
pub fn all_faults() -> impl Iterator<Item = HiveFault> {
    [
        faults_values::VALUE_FAULTS,
        faults_settings::SETTING_FAULTS,
        faults_clock::CLOCK_FAULTS,
        faults_items::ITEM_FAULTS,
    ]
    .into_iter()
    .flatten()
    .copied()
}

/// Returns all correct stores.
pub fn all_correct() -> impl Iterator<Item = HiveCorrect> {
    correct::CORRECT_STORES.iter().copied()
}

impl HiveStore {
    /// The store without a mistake that takes no freedom.
    pub const CORRECT: Self = Self { slip: None, liberty: None };

    fn has(self, slip: HiveSlip) -> bool {
        self.slip == Some(slip)
    }

    fn may(self, liberty: HiveLiberty) -> bool {
        self.liberty == Some(liberty)
    }
}

impl Target for HiveStore {
    fn about(&self) -> About {
        let editions = match self.liberty {
            Some(HiveLiberty::Only2024) => vec![Edition::Y2024],
            Some(HiveLiberty::Only2020) => vec![Edition::Y2020],
            _ => vec![Edition::Y2020, Edition::Y2024],
        };
        let removals = match self.liberty {
            Some(HiveLiberty::SweepsByItself | HiveLiberty::SweepsOneByItself) => Vec::new(),
            Some(HiveLiberty::NeverAlone | HiveLiberty::PurgeDoesNothing) => vec![Removal::Never],
            Some(HiveLiberty::EagerAlone) => vec![Removal::Eager],
            _ => vec![Removal::Never, Removal::Eager, Removal::Alternate],
        };
        About {
            name: "hive".into(),
            version: env!("CARGO_PKG_VERSION").into(),
            clock: Clock::Virtual,
            editions,
            removals,
        }
    }

    fn open(&self, opening: &Opening) -> Result<Box<dyn Session + '_>, Fault> {
        let about = self.about();
        if !about.editions.contains(&opening.edition) {
            return Err(Fault::Unsupported("it knows one edition only".into()));
        }
        if opening.removal.is_some_and(|removal| !about.removals.contains(&removal)) {
            return Err(Fault::Unsupported("its sweeper follows another schedule".into()));
        }
        Ok(Box::new(HiveSession::new(*self, *opening)))
    }
}
