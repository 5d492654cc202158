//! Vectors derived from the graph that the checker walks: every transition of a client's view, each with a look at the
//! remaining life afterwards.
//!
//! What is derived is only written here, never judged: the vectors are loaded and replayed like any other.

mod captions;
mod certificate;
mod draft;
mod tours;
mod two_item_interleavings;
mod values;

use std::collections::BTreeMap;

use cosmos_ttl_checker::client::Client;
use cosmos_ttl_model::container::ItemId;

pub use certificate::certify;
pub use two_item_interleavings::{Interleaving, two_item_interleavings};

pub(crate) use captions::wire;
use draft::VectorDraft;

/// The longest lifetime of the scope, in seconds.
const LONGEST_S: u8 = 2;

/// The item of the scope.
const ITEM: ItemId = ItemId(0);

/// Returns every file of derived vectors by its name, without the certificate.
pub fn derive() -> BTreeMap<String, String> {
    let tours = tours::tours(&Client::new(1, LONGEST_S)).into_iter();
    let values = values::invalid_values().into_iter().chain(values::boundary_values());
    let mut sections: BTreeMap<&str, Vec<VectorDraft>> = BTreeMap::new();
    for draft in tours.chain(values).chain(two_item_interleavings::drafts()) {
        sections.entry(draft.section).or_default().push(draft);
    }
    let pages = sections.into_iter();
    pages.map(|(section, drafts)| (format!("{section}.yaml"), draft::yaml_page(section, &drafts))).collect()
}
