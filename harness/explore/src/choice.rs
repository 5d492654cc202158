//! The choice that binds a target in every place: whether a container's null means off or is refused
//! (`container-null-is-off`). Whoever does one here and the other there made no choice.

use cosmos_ttl_model::interpretation::ContainerNull;

use super::script::Script;
use cosmos_ttl_belief::Contradiction;
use cosmos_ttl_harness::target::Removal;

/// What a target chose, and where it showed first.
#[derive(Clone, Debug)]
pub struct Chosen {
    /// The seed of the place.
    pub seed: u64,
    /// How many requests were answered in all places before it.
    pub before: u64,
    /// What was done there until it showed.
    pub script: Script,
    /// Under which schedule of removal.
    pub removal: Option<Removal>,
    /// What was chosen.
    pub null: ContainerNull,
}

impl Chosen {
    /// How another choice differs from this one.
    pub(super) fn differs(&self, null: ContainerNull) -> Option<Contradiction> {
        (null != self.null).then(|| Contradiction {
            expected: format!("{}, as it chose before in the place of seed {}", words(self.null), self.seed),
            got: words(null).into(),
        })
    }
}

fn words(null: ContainerNull) -> &'static str {
    match null {
        ContainerNull::Off => "null taken for off",
        ContainerNull::Rejected => "null refused",
    }
}
