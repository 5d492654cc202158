//! What the model does not see, as its items have no properties: how requests are read, and how items are shown.

use std::fmt;

use cosmos_ttl_harness::literal::{Literal, LiteralKind};
use cosmos_ttl_harness::target::{
    Body, Container, Document, Fault, Item, Operation, Properties, Request, Response, Session,
};

/// The translation without one clause.
pub(super) struct Front {
    /// The clause.
    pub(super) clause: &'static str,
    /// What is done instead, in a sentence.
    pub(super) instead: &'static str,
    /// How an item that is sent is read.
    read: fn(&mut Document),
    /// How an item is shown under this default.
    show: fn(Option<&Literal>, &mut Item),
}

impl fmt::Debug for Front {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Front").field(&self.clause).finish()
    }
}

pub(super) const LIST: &[Front] = &[
    Front {
        clause: "only-root-ttl-counts",
        instead: "a property that is spelt much like `ttl` counts where there is no `ttl`, and so does a nested one",
        read: |document| {
            if document.ttl().is_none()
                && let Some(ttl) = much_like_ttl(&document.properties)
            {
                document.properties.insert("ttl".into(), ttl);
            }
        },
        show: |_, _| {},
    },
    Front {
        clause: "inherited-ttl-not-written-back",
        instead: "the default is written into every item that has no `ttl`",
        read: |_| {},
        show: |default, item| {
            if let Some(default) = default.filter(|default| default.kind() != LiteralKind::Null) {
                item.document.properties.entry("ttl".into()).or_insert_with(|| default.clone());
            }
        },
    },
];

/// A value that somebody may have meant as `ttl`.
fn much_like_ttl(properties: &Properties) -> Option<Literal> {
    let alike = |name: &String| {
        let name = name.trim_start_matches('_');
        name.eq_ignore_ascii_case("ttl") || name.eq_ignore_ascii_case("timeToLive")
    };
    let spelt = properties.iter().find(|(name, _)| alike(name)).map(|(_, value)| value.clone());
    spelt.or_else(|| properties.values().find_map(nested_ttl))
}

fn nested_ttl(value: &Literal) -> Option<Literal> {
    let value: serde_json::Value = serde_json::from_str(value.as_str()).ok()?;
    value.get("ttl").map(Literal::from)
}

/// A place behind such a translation.
pub(super) struct Fronted<S> {
    front: &'static Front,
    /// The container's default, as it was sent last and not refused.
    default: Option<Literal>,
    place: S,
}

impl<S: Session> Fronted<S> {
    pub(super) fn new(front: &'static Front, place: S) -> Self {
        Self { front, default: None, place }
    }

    fn read(&self, request: &mut Request) {
        let operations = match request {
            Request::Item(operation) => std::slice::from_mut(operation),
            Request::Batch(operations) => operations.as_mut_slice(),
            _ => &mut [],
        };
        for operation in operations {
            if let Operation::Create(document)
            | Operation::Upsert(document)
            | Operation::Replace(document, _) = operation
            {
                (self.front.read)(document);
            }
        }
    }
}

impl<S: Session> Session for Fronted<S> {
    fn send(&mut self, request: &Request) -> Result<Response, Fault> {
        let mut read = request.clone();
        self.read(&mut read);
        let mut response = self.place.send(&read)?;
        if let Request::CreateContainer(Container { default_ttl, .. })
        | Request::ReplaceContainer(Container { default_ttl, .. }) = request
            && response.status.is_success()
        {
            self.default.clone_from(default_ttl);
        }
        if let Body::Item(item) = &mut response.body {
            (self.front.show)(self.default.as_ref(), item);
        }
        Ok(response)
    }

    fn pass(&mut self, seconds: u64) -> Result<(), Fault> {
        self.place.pass(seconds)
    }

    fn purge(&mut self) -> Result<(), Fault> {
        self.place.purge()
    }
}
