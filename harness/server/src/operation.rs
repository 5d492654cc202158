//! One operation on an item, as a request of its own or as one of a batch: what is asked, and what the store is to do.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use cosmos_ttl_harness::target::{Document, Item, Operation, Patch, Properties, Status};

use crate::account::CosmosContainer;
use crate::answer::RestRefusal;
use crate::body::shortened;
use crate::item_parts::{ItemPlace, document};
use crate::item_store::{ItemKey, MOST_BATCH_BYTES, MOST_ITEM_BYTES, text_bytes};
use crate::partition::PartitionValue;
use crate::patch::ParsedPatch;
use crate::query::QueriedItem;

/// What a client asks of an item.
#[derive(Debug)]
pub(crate) struct AskedOperation<'a> {
    pub(crate) kind: OperationKind,
    /// Absent where the body says it.
    pub(crate) id: Option<&'a str>,
    pub(crate) if_match: Option<&'a str>,
    pub(crate) if_none_match: Option<&'a str>,
    pub(crate) body: &'a str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OperationKind {
    Create,
    Upsert,
    Read,
    Replace,
    Patch,
    Delete,
}

/// The items of a partition as the operations of one request find them: each is read once, and then changed here as the
/// earlier operations change it.
pub(crate) struct ItemsInRequest<'a> {
    now_s: i64,
    place: &'a ItemPlace,
    partition: &'a PartitionValue,
    items: BTreeMap<String, Option<Item>>,
    /// The bytes of all items in the answer.
    answer_bytes: usize,
}

impl<'a> ItemsInRequest<'a> {
    pub(crate) fn new(now_s: i64, place: &'a ItemPlace, partition: &'a PartitionValue) -> Self {
        Self { now_s, place, partition, items: BTreeMap::new(), answer_bytes: 0 }
    }

    fn item(&mut self, container: &mut CosmosContainer, id: &str) -> Result<&mut Option<Item>, RestRefusal> {
        Ok(match self.items.entry(id.to_owned()) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(place) => {
                let key = ItemKey { partition: self.partition.clone(), id: id.to_owned() };
                place.insert(container.store.visible(self.now_s, &key)?)
            }
        })
    }

    /// Returns the operation for the store.
    pub(crate) fn prepared(
        &mut self,
        container: &mut CosmosContainer,
        asked: &AskedOperation<'_>,
    ) -> Result<Operation, RestRefusal> {
        use OperationKind as Kind;
        let AskedOperation { kind, id, if_match, if_none_match, body } = *asked;
        let refused = match kind {
            Kind::Create | Kind::Read if if_match.is_some() => Some("if-match"),
            Kind::Create | Kind::Upsert if if_none_match.is_some_and(|etag| etag != "*") => {
                Some("if-none-match")
            }
            Kind::Replace | Kind::Patch | Kind::Delete if if_none_match.is_some() => Some("if-none-match"),
            _ => None,
        };
        if let Some(header) = refused {
            return Err(RestRefusal::not_offered(format_args!("`{header}` on {kind:?}")));
        }
        // `*` is met by every item that exists, as no condition is.
        let etag = if_match.filter(|etag| *etag != "*").map(str::to_owned);
        let id = || id.map(str::to_owned).ok_or_else(|| RestRefusal::bad("an operation has no `id`"));
        let document = || document(body, &container.paths, self.partition);
        Ok(match kind {
            Kind::Create => Operation::Create(document()?),
            Kind::Upsert => {
                let document = document()?;
                if let Some(item) = self.item(container, &document.id)? {
                    // An item that this batch wrote has no etag yet, so that none is the same.
                    let differs = etag.is_some() && item.etag != etag;
                    if if_none_match.is_some() || differs {
                        let why = if differs {
                            "the item's etag is another one"
                        } else {
                            "an item with this id is visible"
                        };
                        return Err(RestRefusal::new(412, why));
                    }
                }
                Operation::Upsert(document)
            }
            Kind::Replace => {
                let document = document()?;
                if document.id != id()? {
                    return Err(RestRefusal::bad("the body has another `id` than the path or the operation"));
                }
                Operation::Replace(document, etag)
            }
            Kind::Read => Operation::Read(id()?),
            Kind::Delete => Operation::Delete(id()?, etag),
            Kind::Patch => {
                let (id, patch) = (id()?, ParsedPatch::parse(body, &container.paths)?);
                Operation::Patch(self.patched(container, &id, etag.as_deref(), &patch)?, etag)
            }
        })
    }

    /// Returns what a patch does, as a patch of whole properties.
    fn patched(
        &mut self,
        container: &mut CosmosContainer,
        id: &str,
        etag: Option<&str>,
        patch: &ParsedPatch,
    ) -> Result<Patch, RestRefusal> {
        let (place, partition) = (self.place, self.partition);
        let Some(item) = self.item(container, id)? else {
            // The store says that it does not exist, or that the `ttl` is wrong.
            return Ok(patch.apply(id, &mut Properties::new()).0);
        };
        if etag.is_some() && item.etag.is_some() && etag != item.etag.as_deref() {
            return Ok(patch.apply(id, &mut item.document.properties.clone()).0);
        }
        if !(QueriedItem { place, partition, item }).is_found(patch.condition.as_ref()) {
            return Err(RestRefusal::new(412, "the `condition` of the patch is not true of the item"));
        }
        let (patch, done) = patch.apply(id, &mut item.document.properties);
        done?;
        if text_bytes(&item.document) > MOST_ITEM_BYTES {
            return Err(RestRefusal::new(
                413,
                format!("the item would have more than {MOST_ITEM_BYTES} bytes, which is the limit"),
            ));
        }
        Ok(patch)
    }

    /// Takes note of an operation of a batch.
    /// The refusal is 413 if the answer becomes too large, should all operations succeed.
    pub(crate) fn note(
        &mut self,
        container: &mut CosmosContainer,
        operation: &Operation,
    ) -> Result<(), RestRefusal> {
        let written = |document: &Document| Some(Item { document: document.clone(), ts: None, etag: None });
        let new = match operation {
            Operation::Create(document) | Operation::Upsert(document) | Operation::Replace(document, _) => {
                written(document)
            }
            Operation::Delete(..) => None,
            Operation::Read(id) => self.item(container, id)?.clone(),
            Operation::Patch(patch, _) => {
                let mut item = self.item(container, &patch.id)?.take();
                if let Some(item) = &mut item {
                    item.etag = None;
                }
                item
            }
        };
        let bytes = new.as_ref().map_or(0, |item| text_bytes(&item.document));
        self.items.insert(operation.id().to_owned(), new);
        self.answer_bytes = self.answer_bytes.saturating_add(bytes);
        if self.answer_bytes > MOST_BATCH_BYTES {
            return Err(RestRefusal::new(
                413,
                format!(
                    "the answer to the batch would have more than {MOST_BATCH_BYTES} bytes: send fewer operations"
                ),
            ));
        }
        Ok(())
    }
}

/// Returns the refusal that a store's status for an operation means.
pub(crate) fn refusal(status: Status, operation: &Operation, detail: Option<String>) -> RestRefusal {
    let ttl = operation.ttl().filter(|_| status == Status::BadRequest);
    let why = ttl.map(|ttl| {
        format!(
            "the item's `ttl` is {}; accepted are whole numbers from 1 to 2147483647, and -1 for never",
            shortened(ttl)
        )
    });
    RestRefusal::of_status(status, detail.or(why))
}
