//! Two items in one container, each of which must live its own life.

use std::collections::BTreeSet;

use cosmos_ttl_explore::write::Focus;
use cosmos_ttl_explore::write::clauses::of_cell;
use cosmos_ttl_harness::target::{Container, Document, Operation, Request};
use cosmos_ttl_harness::vector::{DERIVED, Step, Vector};
use cosmos_ttl_model::rule::{DefaultTtl, Edition, ItemTtl, Wire};
use cosmos_ttl_reference::translate;

use super::script_builder::{ScriptBuilder, lines};
use super::words::{default_slug, default_words, ttl_slug, ttl_words};
use super::{LONGEST_S, VectorDraft, WITNESS};

/// The ids of the items.
const FIRST: &str = "a";
const SECOND: &str = "b";

/// Two items that are written, one of which may be written again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Interleaving {
    /// The container's `defaultTtl`.
    pub default_ttl: Wire,
    /// The `ttl` of item `a`.
    pub first: Wire,
    /// The `ttl` of item `b`.
    pub second: Wire,
    /// How many seconds after `a` item `b` is written.
    pub apart_s: u64,
    /// Whether `a` is upserted a second after that.
    pub again: bool,
}

/// Returns every interleaving: each default that is on, each `ttl` of either item, together or a second apart, `a` left
/// alone or written again.
pub fn two_item_interleavings() -> Vec<Interleaving> {
    let seconds = || (1..=i64::from(LONGEST_S)).map(Wire::Whole);
    let mut all = Vec::new();
    for default_ttl in [Wire::Whole(-1)].into_iter().chain(seconds()) {
        let ttls = || [Wire::Absent, Wire::Whole(-1)].into_iter().chain(seconds());
        for (first, second) in ttls().flat_map(|first| ttls().map(move |second| (first, second))) {
            for (apart_s, again) in [(0, false), (0, true), (1, false), (1, true)] {
                all.push(Interleaving { default_ttl, first, second, apart_s, again });
            }
        }
    }
    all
}

pub(super) fn drafts() -> Vec<VectorDraft> {
    two_item_interleavings().iter().filter_map(Interleaving::draft).collect()
}

impl Interleaving {
    fn draft(&self) -> Option<VectorDraft> {
        let annotated = self.script().annotated().ok()?;
        let steps = lines(&annotated).ok()?;
        // The looks show more clauses, but the vector is about which life each item lives.
        let mut clauses = BTreeSet::from(["counted-from-last-write"]);
        if annotated.clauses.contains("expired-upsert-status") {
            clauses.extend(["expired-upsert-status", "expired-upsert-creates"]);
        } else if self.again {
            clauses.insert("write-restarts-count");
        }
        for ttl in [self.first, self.second] {
            let default_ttl = DefaultTtl::from_wire(self.default_ttl).ok()?;
            clauses.insert(of_cell(default_ttl, ItemTtl::from_wire(ttl, Edition::Y2024).ok()?));
        }
        let (id, title) = (self.id(), self.title());
        Some(VectorDraft { section: "clock", id, title, clauses, edition: None, steps })
    }

    /// Writes both items, and looks in each second.
    fn script(&self) -> ScriptBuilder {
        let default_ttl = translate::literal(self.default_ttl);
        let mut path = ScriptBuilder::new(Container { default_ttl, ..Container::default() });
        for second in 0..=self.end_s() {
            if second > 0 {
                path.pass();
            }
            for (_, write) in self.writes().iter().filter(|(at_s, _)| *at_s == second) {
                path.ask(Focus::Way, write.clone(), Vec::new());
            }
            if second >= self.apart_s {
                path.ask(Focus::Answer, Request::Query, Vec::new());
            }
        }
        path
    }

    fn id(&self) -> String {
        let when = if self.apart_s == 0 { "beside" } else { "before" };
        let again = if self.again { "-then-again" } else { "" };
        let (first, second) = (ttl_slug(self.first), ttl_slug(self.second));
        format!("{DERIVED}{first}-{when}-{second}{again}-under-{}", default_slug(self.default_ttl))
    }

    fn title(&self) -> String {
        let when = if self.apart_s == 0 { "in the same second" } else { "a second later" };
        let again = if self.again { ", the first upserted once more a second after that," } else { "" };
        let (first, second) = (ttl_words(self.first), ttl_words(self.second));
        let default = default_words(self.default_ttl);
        format!("An item {first} and one {second} {when}{again} each live their own life under {default}")
    }

    /// The second in which the last item is watched to its end.
    fn end_s(&self) -> u64 {
        self.apart_s + u64::from(self.again) + u64::from(LONGEST_S)
    }

    fn writes(&self) -> Vec<(u64, Request)> {
        let document = |id: &str, ttl| {
            let properties = translate::literal(ttl).map(|ttl| ("ttl".to_owned(), ttl)).into_iter().collect();
            Document { id: id.into(), properties }
        };
        let create = |id, ttl| Request::Item(Operation::Create(document(id, ttl)));
        let upsert = Request::Item(Operation::Upsert(document(FIRST, self.first)));
        let both = [(0, create(FIRST, self.first)), (self.apart_s, create(SECOND, self.second))];
        both.into_iter().chain(self.again.then_some((self.apart_s + 1, upsert))).collect()
    }

    /// Returns the interleaving of a vector, if it writes two items and watches them every second to the end.
    pub(super) fn of(vector: &Vector) -> Option<Self> {
        let Request::CreateContainer(container) = &vector.steps.first()?.request else { return None };
        let default_ttl = translate::wire(container.default_ttl.as_ref());
        let of_these = |step: &&Step| step.request.operations().iter().any(|one| one.id() != WITNESS);
        let asked = vector.steps.iter().filter(of_these).map(|step| (step.at_s, step.request.clone()));
        let asked: Vec<_> = asked.collect();
        let mut all = two_item_interleavings().into_iter();
        let shown = all.find(|one| one.default_ttl == default_ttl && one.writes() == asked)?;
        let looks = |at_s| {
            let look = |step: &Step| step.at_s == at_s && step.request == Request::Query;
            vector.steps.iter().any(look)
        };
        (shown.apart_s..=shown.end_s()).all(looks).then_some(shown)
    }
}
