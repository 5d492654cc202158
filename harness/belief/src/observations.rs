//! What the target showed so far, and what the model's numbers stand for.

use std::collections::BTreeMap;

use cosmos_ttl_model::container::{self as model, Content, Draft, ItemId, TtlChange, World};
use cosmos_ttl_model::rule::Wire;

use super::hypothesis::MOST_IDS;
use cosmos_ttl_harness::target::{Etag, Operation, Patch, Properties};
use cosmos_ttl_harness::vector::Condition;
use cosmos_ttl_reference::translate::wire;

/// What does not differ from world to world.
#[derive(Clone, Debug, Default)]
pub(super) struct Observations {
    ids: Vec<String>,
    contents: Vec<Properties>,
    /// Of each write that took effect: the etag that was shown for it last. Every world has made the same writes, so its
    /// number of a write is also everybody else's.
    writes: Vec<Option<Etag>>,
    /// Each item's etags, as they were seen.
    seen: BTreeMap<ItemId, Vec<Etag>>,
    /// What the target's clock shows at the model's second 0.
    pub(super) origin: Option<i64>,
    /// The target took a lazy index before.
    pub(super) offers_lazy: bool,
}

/// What an operation is in the model, as far as that is the same in all worlds.
#[derive(Debug, Default)]
pub(super) struct Translated {
    content: Option<Content>,
    /// What a patch makes of what.
    patched: Vec<(Option<Content>, Content)>,
}

impl Observations {
    /// Nothing, or only the clock.
    pub(super) fn since(origin: Option<i64>) -> Self {
        Self { origin, ..Self::default() }
    }

    /// The number of an id; `None` where there are too many.
    pub(super) fn number(&mut self, name: &str) -> Option<ItemId> {
        if let Some(id) = self.id(name) {
            return Some(id);
        }
        if MOST_IDS <= self.ids.len() {
            return None;
        }
        self.ids.push(name.into());
        self.id(name)
    }

    /// The number of an id that was asked for before.
    pub(super) fn id(&self, name: &str) -> Option<ItemId> {
        let number = self.ids.iter().position(|known| known == name)?;
        u32::try_from(number).ok().map(ItemId)
    }

    pub(super) fn name(&self, id: ItemId) -> &str {
        usize::try_from(id.0).ok().and_then(|number| self.ids.get(number)).map_or("", String::as_str)
    }

    pub(super) fn properties(&self, content: Content) -> Option<&Properties> {
        usize::try_from(content.0).ok().and_then(|number| self.contents.get(number))
    }

    fn keep(&mut self, mut properties: Properties) -> Content {
        // The service sets these, whatever a client sends.
        properties.retain(|name, _| !matches!(name.as_str(), "_ts" | "_etag"));
        self.contents.push(properties);
        Content(u32::try_from(self.contents.len().saturating_sub(1)).unwrap_or(u32::MAX))
    }

    /// The operation in this world, without a condition.
    pub(super) fn operation(
        &mut self,
        world: &World,
        id: ItemId,
        operation: &Operation,
        translated: &mut Translated,
    ) -> model::Operation {
        match operation {
            Operation::Create(document) | Operation::Upsert(document) | Operation::Replace(document, _) => {
                let content =
                    *translated.content.get_or_insert_with(|| self.keep(document.properties.clone()));
                let draft = Draft { id, ttl: wire(document.ttl()), content };
                match operation {
                    Operation::Create(_) => model::Operation::Create(draft),
                    Operation::Upsert(_) => model::Operation::Upsert(draft),
                    _ => model::Operation::Replace { draft, if_match: None },
                }
            }
            Operation::Patch(patch, _) => {
                let content = Some(self.patched(world, id, patch, translated));
                let ttl = match patch.set.get("ttl") {
                    Some(ttl) => TtlChange::Set(wire(Some(ttl))),
                    None if patch.remove.iter().any(|name| name == "ttl") => TtlChange::Remove,
                    None => TtlChange::Keep,
                };
                model::Operation::Patch { id, ttl, content, if_match: None }
            }
            Operation::Read(_) => model::Operation::Read(id),
            Operation::Delete(..) => model::Operation::Delete { id, if_match: None },
        }
    }

    fn patched(&mut self, world: &World, id: ItemId, patch: &Patch, translated: &mut Translated) -> Content {
        let old = world.visible(id).map(|item| item.content);
        if let Some((_, content)) = translated.patched.iter().find(|(of, _)| *of == old) {
            return *content;
        }
        let mut properties = old.and_then(|content| self.properties(content)).cloned().unwrap_or_default();
        properties.extend(patch.set.iter().map(|(name, value)| (name.clone(), value.clone())));
        properties.retain(|name, _| !patch.remove.contains(name));
        let content = self.keep(properties);
        translated.patched.push((old, content));
        content
    }

    /// The etag that was last shown for this write.
    pub(super) fn shown(&self, write: model::Etag) -> Option<&Etag> {
        usize::try_from(write.0).ok().and_then(|number| self.writes.get(number)).and_then(Option::as_ref)
    }

    /// Remembers the etag that came with an item.
    pub(super) fn show(&mut self, id: ItemId, write: model::Etag, etag: &Etag) {
        let Ok(number) = usize::try_from(write.0) else { return };
        if self.writes.len() <= number {
            self.writes.resize(number.saturating_add(1), None);
        }
        if let Some(shown) = self.writes.get_mut(number)
            && shown.as_ref() != Some(etag)
        {
            *shown = Some(etag.clone());
        }
        let seen = self.seen.entry(id).or_default();
        if seen.last() != Some(etag) {
            seen.push(etag.clone());
        }
    }

    /// The etag that a condition means; `None` where the target has shown none such.
    pub(super) fn meant(&self, name: &str, condition: Condition) -> Option<&Etag> {
        condition.among(self.seen.get(&self.id(name)?)?)
    }

    /// The `ttl` that a write sends.
    pub(super) fn sent(operation: &model::Operation) -> Option<Wire> {
        match operation {
            model::Operation::Create(draft)
            | model::Operation::Upsert(draft)
            | model::Operation::Replace { draft, .. } => Some(draft.ttl),
            model::Operation::Patch { ttl: TtlChange::Set(wire), .. } => Some(*wire),
            _ => None,
        }
    }
}
