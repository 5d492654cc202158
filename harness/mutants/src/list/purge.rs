//! Mutants whose background takes what it should not, or can be told from one that takes nothing.

use super::Mutant;
use crate::mutation::{Mutation as M, Sweep};

#[rustfmt::skip]
pub(super) const LIST: &[Mutant] = &[
    Mutant::new("removal-takes-the-youngest", &["purge-only-expired"], M::Sweeps(Sweep::TakesYoungest),
        "Removal takes one item too many."),
    Mutant::new("removal-is-early", &["purge-only-expired", "visible-before-deadline"], M::Sweeps(Sweep::TakesEarly),
        "Removal comes a second before the deadline."),
    Mutant::new("removal-knows-only-the-default", &["purge-only-expired", "item-minus-one-overrides"],
        M::Sweeps(Sweep::ByDefaultOnly),
        "Removal goes by the default, whatever items say."),
    Mutant::new("removal-keeps-to-the-first-deadline", &["purge-only-expired"], M::Sweeps(Sweep::ByFirstDeadline),
        "Removal is planned when an item is created, and not planned anew."),
    Mutant::new("removal-takes-minus-one", &["purge-only-expired", "item-minus-one-overrides"], M::Sweeps(Sweep::IgnoresMinusOne),
        "Removal takes `ttl` -1 for none."),
    Mutant::new("removal-works-from-a-list", &["purge-spares-recreated", "purge-only-expired"], M::Sweeps(Sweep::TakesWhatWasPicked),
        "Removal notes ids, and takes whatever has them the next time."),
    Mutant::new("removal-trusts-the-etag", &["purge-only-expired", "reappearance"],
        M::Sweeps(Sweep::TakesWhatWasPickedIfUnwritten),
        "Removal notes ids and etags, and does not ask again whether the item is expired under new settings."),
    Mutant::new("removal-works-while-off", &["purge-only-expired", "leaving-default-out-switches-off"], M::Sweeps(Sweep::WhileOff),
        "Removal goes on by the last settings while the container is off."),
    Mutant {
        equivalent: Some("what it takes had expired before, and may be gone for all that anybody can see (`reappearance`): \
            it and a right store answer alike in all 7382 states that they reach together with up to two items, \
            lives of 1 and 2 s, every setting and every schedule of removal"),
        ..Mutant::new("removal-finishes-when-switched-off", &["off-stops-purge"], M::Sweeps(Sweep::WhenSwitchedOff),
            "Switching off lets removal finish what it had begun.")
    },
    Mutant::new("removed-ids-stay-taken", &["purge-invisible", "expired-id-is-free"], M::Sweeps(Sweep::LeavesIdTaken),
        "The id of a removed item is never free again."),
    Mutant::new("removed-items-answer-gone", &["purge-invisible", "expired-read-not-found"], M::Sweeps(Sweep::AnswersGone),
        "A point read answers something else once the item is removed."),
    Mutant::new("removal-touches-survivors", &["purge-only-expired", "counted-from-last-write"], M::Sweeps(Sweep::TouchesSurvivors),
        "Removal rewrites the items that stay, with a new `_ts`."),
    Mutant::new("removal-renews-etags", &["purge-only-expired"], M::Sweeps(Sweep::NewEtags),
        "Removal rewrites the items that stay, with a new etag."),
    Mutant::new("removal-cuts-content", &["reappearance"], M::Sweeps(Sweep::CutsContent),
        "Removal takes the content and leaves a husk, which settings can make visible again."),
];
