//! Vectors derived from the graph that the checker walks: every transition of a client's view, each with a look at the
//! remaining life afterwards.
//!
//! What is derived is only written here, never judged: the vectors are loaded and replayed like any other.

mod bounds;
mod certificate;
mod cite;
mod crossings;
mod name;
mod page;
mod project;
mod refusals;
mod story;
mod tours;
mod track;
mod walk;

use std::collections::BTreeMap;

use cosmos_ttl_checker::client::Client;

pub use certificate::certify;
pub use crossings::{Crossing, crossings};

use story::Story;

/// The longest lifetime of the scope, in seconds.
const LONGEST_S: u8 = 2;

/// The file that says what the derived vectors cover.
pub use cosmos_ttl_harness::vector::CERTIFICATE_FILE;

/// Every file of derived vectors by its name, without the certificate.
pub fn derive() -> BTreeMap<String, String> {
    let client = Client::new(1, LONGEST_S);
    let mut sections: BTreeMap<&str, Vec<Story>> = BTreeMap::new();
    let stories = tours::tours(&client).into_iter().chain(refusals::refusals()).chain(bounds::bounds());
    for story in stories.chain(crossings::stories()) {
        sections.entry(story.section).or_default().push(story);
    }
    let page =
        |(section, stories): (&str, Vec<Story>)| (format!("{section}.yaml"), page::page(section, &stories));
    sections.into_iter().map(page).collect()
}
