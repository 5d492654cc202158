//! Vectors derived from the machine of the complete suite: every transition, each with a look at the remaining life
//! afterwards; two items that share a container; values that are refused, and the ends of the range; combinations of features;
//! pages; requests drawn by chance.
//!
//! Derived vectors are only written here, never judged: they are loaded and replayed like any other. `transitions` says what
//! is sent at each `station`, a state with a way to it, and `combinations` lets `features` and `histories` meet. `script_builder` writes
//! requests as a vector, and `words` are those of ids and titles. `certificate` counts what the vectors cover, and `comparison`
//! compares the machine with the checker's graph.

mod certificate;
mod combinations;
mod comparison;
mod covering_array;
mod drawn_scripts;
mod features;
mod histories;
mod pages;
mod script_builder;
mod station;
mod transitions;
mod two_item_interleavings;
mod values;
mod words;

use std::collections::{BTreeMap, BTreeSet};

use cosmos_ttl_explore::write::WITNESS;
use cosmos_ttl_harness::vector::render::{self, VectorText};
use cosmos_ttl_harness::vector::{DERIVED, SHOWS_FILE};

use script_builder::StepLines;

pub use certificate::certify;
pub use comparison::{CoveredInput, GraphComparison};
pub use two_item_interleavings::{Interleaving, two_item_interleavings};

pub(crate) use words::wire;

/// The longest lifetime of the scope, in seconds.
const LONGEST_S: u8 = 2;

/// Vectors that were published with an expectation that no clause states: a new etag after a patch that changes nothing. They
/// are retired, and their successors end in `-revised`.
const REVISED: [&str; 26] = [
    "combined-under-default-3-part-12",
    "combined-under-lazy-switched-off-part-10",
    "combined-under-lowered-later-part-15",
    "combined-under-off-and-on-part-12",
    "combined-under-refused-settings-part-13",
    "combined-under-second-creation-while-off-part-11",
    "each-patch-over-never-aged-0-under-default-1",
    "each-patch-over-never-aged-0-under-default-2",
    "each-patch-over-never-aged-0-under-no-default",
    "each-patch-over-never-aged-0-under-off",
    "each-patch-over-ttl-1-aged-0-under-default-1",
    "each-patch-over-ttl-1-aged-0-under-default-2",
    "each-patch-over-ttl-1-aged-0-under-no-default",
    "each-patch-over-ttl-1-aged-0-under-off",
    "each-patch-over-ttl-1-aged-1-under-off",
    "each-patch-over-ttl-1-aged-1-under-off-since-a-change",
    "each-patch-over-ttl-2-aged-0-under-default-1",
    "each-patch-over-ttl-2-aged-0-under-default-2",
    "each-patch-over-ttl-2-aged-0-under-no-default",
    "each-patch-over-ttl-2-aged-0-under-off",
    "each-patch-over-ttl-2-aged-1-under-default-1",
    "each-patch-over-ttl-2-aged-1-under-default-2",
    "each-patch-over-ttl-2-aged-1-under-no-default",
    "each-patch-over-ttl-2-aged-1-under-off",
    "each-patch-over-ttl-2-aged-2-under-off",
    "each-patch-over-ttl-2-aged-2-under-off-since-a-change",
];

/// Returns every file of derived vectors by its name, and what their requests show; without the certificate.
pub fn derive() -> BTreeMap<String, String> {
    let transitions = transitions::drafts(&transitions::machine()).into_iter();
    let values = values::sent_values().into_iter().chain(values::boundary_values());
    let mut sections: BTreeMap<&str, Vec<VectorDraft>> = BTreeMap::new();
    let others =
        two_item_interleavings::drafts().into_iter().chain(combinations::drafts()).chain(pages::drafts());
    let others = others.chain(drawn_scripts::drafts());
    for mut draft in transitions.chain(values).chain(others) {
        if draft.id.strip_prefix(DERIVED).is_some_and(|id| REVISED.contains(&id)) {
            draft.id.push_str("-revised");
        }
        sections.entry(draft.section).or_default().push(draft);
    }
    let shows = (SHOWS_FILE.to_owned(), shows_page(sections.values().flatten()));
    let pages =
        sections.iter().map(|(section, drafts)| (format!("{section}.yaml"), yaml_page(section, drafts)));
    pages.chain([shows]).collect()
}

/// A vector, as text save for its layout.
#[derive(Clone, Debug)]
struct VectorDraft {
    section: &'static str,
    id: String,
    title: String,
    clauses: BTreeSet<&'static str>,
    /// `2024`, where the rule differs.
    edition: Option<&'static str>,
    steps: StepLines,
}

const NOTE: &str = "\
# Written by `cargo lab derive`; never edited. Transitions and values come from the machine of the complete suite; combinations,
# pages and drawn requests from lists of features and from a seed. The model gives every expectation. `certificate.yaml` says
# what the vectors cover.
";

fn yaml_page(section: &str, drafts: &[VectorDraft]) -> String {
    let mut page = render::head("../schema.json", NOTE, section);
    for draft in drafts {
        let clauses: Vec<&str> = draft.clauses.iter().copied().collect();
        let VectorDraft { id, title, edition, steps, .. } = draft;
        let text = VectorText { id, title, clauses: &clauses, edition: *edition, steps: &steps.lines };
        page = page + "\n" + &render::vector(&text).join("\n") + "\n";
    }
    page
}

const SHOWS_HEAD: &str = "\
# Which clauses each request of a derived vector shows: a word for each request, with the places of the clauses in the list of
# the vector, from 0; `-` is none. Written by `cargo lab derive`; never edited.
format: 1
vectors:
";

fn shows_page<'d>(drafts: impl Iterator<Item = &'d VectorDraft>) -> String {
    SHOWS_HEAD.to_owned() + &drafts.map(VectorDraft::shows_line).collect::<String>()
}

impl VectorDraft {
    /// Returns the line of this vector in the file of what is shown.
    ///
    /// A clause that no single request shows is a question of the whole vector: each look in question shows it, or each request
    /// where there is no look.
    fn shows_line(&self) -> String {
        let steps = &self.steps.shows;
        let shows = |clause: &str| steps.iter().any(|(shown, _)| shown.iter().any(|one| one == clause));
        let of_all: BTreeSet<&str> = self.clauses.iter().copied().filter(|clause| !shows(clause)).collect();
        let has_looks = steps.iter().any(|(shown, is_look)| *is_look && !shown.is_empty());
        let word = |(shown, is_look): &(Vec<String>, bool)| {
            let is_shown = |clause: &str| {
                shown.iter().any(|one| one == clause) || (*is_look || !has_looks) && of_all.contains(clause)
            };
            let places = self.clauses.iter().enumerate().filter(|(_, clause)| is_shown(clause));
            let places: Vec<String> = places.map(|(place, _)| place.to_string()).collect();
            if shown.is_empty() || places.is_empty() { "-".to_owned() } else { places.join(",") }
        };
        let words: Vec<String> = steps.iter().map(word).collect();
        format!("- {{vector: {}/{}, steps: \"{}\"}}\n", self.section, self.id, words.join(" "))
    }
}
