//! A store in the manner of a relational database: a table of documents, one of their own lifetimes, one of the deadlines
//! that the sweeper works through; triggers keep the three in step, and a statement for each kind of request uses them.
//!
//! | module | content |
//! |---|---|
//! | `flaw` | the mistakes and the freedoms |
//! | `tables` | the tables, and what is computed from a row |
//! | `settings` | which settings are allowed |
//! | `triggers` | what a change of the settings does to the rows |
//! | `values` | which values of `ttl` are allowed |
//! | `writes` | how a row is written |
//! | `statements` | the statements for single operations |
//! | `answers` | items as answers show them |
//! | `transaction` | batches, and how they are undone |
//! | `sweeper` | removal in the background |
//! | `views` | queries, lists, counts and pages |
//! | `session` | requests and schedules of removal |

/// Declares a table of faults: of each its name, its mistake, a sentence, the clauses that it breaks, and a script.
macro_rules! cairn_faults {
    ($table:ident: $($name:literal $flaw:ident $says:literal [$($clause:literal)*] $script:literal;)*) => {
        pub(super) const $table: &[CairnFault] = &[
            $(CairnFault {
                name: $name,
                says: $says,
                breaks: &[$($clause),*],
                shown_by: $script,
                flaw: CairnFlaw::$flaw,
            },)*
        ];
    };
}

mod answers;
mod correct;
mod faults_items;
mod faults_looks;
mod faults_settings;
mod faults_sweeper;
mod faults_triggers;
mod faults_writes;
mod flaw;
mod session;
mod settings;
mod statements;
mod sweeper;
mod tables;
mod transaction;
mod triggers;
mod values;
mod views;
mod writes;

use cosmos_ttl_harness::target::{About, Clock, Edition, Fault, Opening, Removal, Session, Target};

use self::flaw::{CairnFlaw, CairnLeave};
use self::session::CairnSession;

/// A store that is correct, or has one mistake, or takes one freedom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CairnStore {
    flaw: Option<CairnFlaw>,
    leave: Option<CairnLeave>,
}

/// A store with one mistake.
#[derive(Clone, Copy, Debug)]
pub struct CairnFault {
    /// Its name.
    pub name: &'static str,
    /// Its behaviour, in one sentence.
    pub says: &'static str,
    /// The clauses of level must that it breaks.
    pub breaks: &'static [&'static str],
    /// A short script on which it answers as no correct store does.
    pub shown_by: &'static str,
    flaw: CairnFlaw,
}

/// A store that breaks no clause of level must.
#[derive(Clone, Copy, Debug)]
pub struct CairnCorrect {
    /// Its name.
    pub name: &'static str,
    /// Its behaviour, in one sentence.
    pub says: &'static str,
    leave: Option<CairnLeave>,
}

impl CairnFault {
    /// Returns the store with this mistake.
    pub fn store(&self) -> CairnStore {
        CairnStore { flaw: Some(self.flaw), leave: None }
    }
}

impl CairnCorrect {
    /// Returns the store with this freedom.
    pub fn store(&self) -> CairnStore {
        CairnStore { flaw: None, leave: self.leave }
    }
}

/// Returns all faults.
pub fn all_faults() -> impl Iterator<Item = CairnFault> {
    [
        faults_settings::SETTING_FAULTS,
        faults_items::ITEM_FAULTS,
        faults_writes::WRITE_FAULTS,
        faults_looks::LOOK_FAULTS,
        faults_sweeper::SWEEPER_FAULTS,
        faults_triggers::TRIGGER_FAULTS,
    ]
    .into_iter()
    .flatten()
    .copied()
}

/// Returns all correct stores.
pub fn all_correct() -> impl Iterator<Item = CairnCorrect> {
    correct::CORRECT_STORES.iter().copied()
}

impl CairnStore {
    /// The store without a mistake that takes no freedom.
    pub const CORRECT: Self = Self { flaw: None, leave: None };

    fn has(self, flaw: CairnFlaw) -> bool {
        self.flaw == Some(flaw)
    }

    fn has_any(self, flaws: &[CairnFlaw]) -> bool {
        self.flaw.is_some_and(|flaw| flaws.contains(&flaw))
    }

    fn may(self, leave: CairnLeave) -> bool {
        self.leave == Some(leave)
    }

    /// Returns whether it removes items when it likes, whatever the harness asks for.
    fn follows_own_schedule(self) -> bool {
        self.may(CairnLeave::OwnSchedule) || self.may(CairnLeave::RemovesOnSight)
    }
}

impl Target for CairnStore {
    fn about(&self) -> About {
        let editions = match self.leave {
            Some(CairnLeave::NewestEditionOnly) => vec![Edition::Y2024],
            _ => vec![Edition::Y2020, Edition::Y2024],
        };
        let removals = match self.leave {
            _ if self.follows_own_schedule() => Vec::new(),
            Some(CairnLeave::NeverAlone) => vec![Removal::Never],
            _ => vec![Removal::Never, Removal::Eager, Removal::Alternate],
        };
        About {
            name: "cairn".into(),
            version: env!("CARGO_PKG_VERSION").into(),
            clock: Clock::Virtual,
            editions,
            removals,
        }
    }

    fn open(&self, opening: &Opening) -> Result<Box<dyn Session + '_>, Fault> {
        let about = self.about();
        if !about.editions.contains(&opening.edition) {
            return Err(Fault::Unsupported("it knows the newest edition only".into()));
        }
        if opening.removal.is_some_and(|removal| !about.removals.contains(&removal)) {
            return Err(Fault::Unsupported("it removes items on a schedule of its own".into()));
        }
        Ok(Box::new(CairnSession::new(*self, *opening)))
    }
}
