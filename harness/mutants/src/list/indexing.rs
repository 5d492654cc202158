//! Mutants that do not mind the index.

use super::Mutant;
use crate::mutation::{Index, Mutation as M};

#[rustfmt::skip]
pub(super) const LIST: &[Mutant] = &[
    Mutant::new("no-index-is-fine", &["ttl-needs-an-index"], M::Index(Index::NoneIsFine),
        "Time to live does not ask for an index."),
    Mutant::new("no-index-is-fine-at-creation", &["ttl-needs-an-index"], M::Index(Index::NoneIsFineAtCreation),
        "A container may be created without an index and with a default."),
    Mutant::new("no-index-is-fine-later", &["ttl-needs-an-index"], M::Index(Index::NoneIsFineLater),
        "A container may lose its index, or get a default without one."),
    Mutant::new("no-index-is-fine-with-minus-one", &["ttl-needs-an-index"], M::Index(Index::NoneIsFineWithMinusOne),
        "Without an index -1 is allowed, as there is nothing to look for."),
    Mutant::new("no-index-is-refused", &["ttl-needs-an-index"], M::Index(Index::NoneIsRefused),
        "A container must have an index, with time to live or without."),
    Mutant::new("no-index-switches-off", &["ttl-needs-an-index"], M::Index(Index::NoneSwitchesOff),
        "Without an index a default is taken and ignored."),
    Mutant::new("no-index-keeps-the-default", &["ttl-needs-an-index", "leaving-default-out-switches-off"],
        M::Index(Index::NoneKeepsDefault),
        "Who gives up the index together with the default keeps the default."),
    Mutant::new("no-index-is-for-good", &["ttl-needs-an-index", "indexed-modes-allow-ttl"], M::Index(Index::NoneForGood),
        "A container that had no index can never have a default."),
    Mutant::new("lazy-is-taken-for-none", &["indexed-modes-allow-ttl"], M::Index(Index::LazyIsRefused),
        "A lazy index is none, and a default beside it is refused."),
    Mutant::new("lazy-never-expires", &["indexed-modes-allow-ttl"], M::Index(Index::LazyNeverExpires),
        "Under a lazy index nothing expires."),
    Mutant::new("consistent-index-lags", &["indexed-modes-allow-ttl"], M::Index(Index::ConsistentLags),
        "Queries find nothing after time to live was switched on, also under a consistent index."),
];
