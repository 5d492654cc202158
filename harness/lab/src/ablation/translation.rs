//! The translation between the harness and the model without a clause, for clauses that no request of the model can show.

use cosmos_ttl_harness::literal::{Literal, LiteralKind};
use cosmos_ttl_harness::target::{
    Body, Container, Document, Fault, Item, Operation, Properties, Request, RequestOptions, Response,
    Session, Status,
};

/// The translation without one clause: what the model does not see, as its items have no properties.
#[derive(Debug)]
pub(super) struct TranslationAblation {
    pub(super) clause: &'static str,
    pub(super) instead: &'static str,
    /// The only value that is insisted on, of an open clause; the answers are those of the other one.
    pub(super) insists: Option<&'static str>,
    /// How an item that is sent is read.
    read: fn(&mut Document),
    /// How an item is shown under this default.
    show: fn(Option<&Literal>, &mut Item),
    /// How options are read.
    options: fn(&mut RequestOptions),
    /// How an answer is passed on.
    answer: fn(&Request, &mut Response),
}

/// The translation with every clause.
const UNCHANGED: TranslationAblation = TranslationAblation {
    clause: "",
    instead: "",
    insists: None,
    read: |_| {},
    show: |_, _| {},
    options: |_| {},
    answer: |_, _| {},
};

pub(super) const TRANSLATIONS: &[TranslationAblation] = &[
    TranslationAblation {
        clause: "only-root-ttl-counts",
        instead: "a property that is spelt much like `ttl` counts where there is no `ttl`, and so does a nested one",
        read: |document| {
            if document.ttl().is_none()
                && let Some(ttl) = much_like_ttl(&document.properties)
            {
                document.properties.insert("ttl".into(), ttl);
            }
        },
        ..UNCHANGED
    },
    TranslationAblation {
        clause: "inherited-ttl-not-written-back",
        instead: "the default is written into every item that has no `ttl`",
        show: |default, item| {
            if let Some(default) = default.filter(|default| default.kind() != LiteralKind::Null) {
                item.document.properties.entry("ttl".into()).or_insert_with(|| default.clone());
            }
        },
        ..UNCHANGED
    },
    TranslationAblation {
        clause: "identity-is-partition-and-id",
        instead: "items with one id are one item, in whatever partition",
        options: |options| options.partition = None,
        ..UNCHANGED
    },
    TranslationAblation {
        clause: "pages-hold-living-items-once",
        instead: "the first page is the whole answer",
        answer: |_, response| response.continuation = None,
        ..UNCHANGED
    },
    TranslationAblation {
        clause: "patch-of-ts",
        instead: "a patch of `_ts` must succeed; it may not be refused",
        insists: Some("ignored"),
        answer: |request, response| {
            if let Request::Item(Operation::Patch(patch, _)) = request
                && patch.set.contains_key("_ts")
            {
                *response = Response::new(Status::BadRequest);
            }
        },
        ..UNCHANGED
    },
];

/// A value that may be meant as `ttl`.
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

/// A session behind the translation without one clause.
pub(super) struct TranslatedSession<'t> {
    translation: &'static TranslationAblation,
    /// The container's default, as it was sent last and not refused.
    default: Option<Literal>,
    session: Box<dyn Session + 't>,
}

impl<'t> TranslatedSession<'t> {
    /// Returns a session behind this translation.
    pub(super) fn new(translation: &'static TranslationAblation, session: Box<dyn Session + 't>) -> Self {
        Self { translation, default: None, session }
    }
}

impl Session for TranslatedSession<'_> {
    fn send(&mut self, request: &Request) -> Result<Response, Fault> {
        self.send_with(request, &RequestOptions::default())
    }

    fn send_with(&mut self, request: &Request, options: &RequestOptions) -> Result<Response, Fault> {
        let mut options = options.clone();
        (self.translation.options)(&mut options);
        let mut read = request.clone();
        let operations = match &mut read {
            Request::Item(operation) => std::slice::from_mut(operation),
            Request::Batch(operations) => operations.as_mut_slice(),
            _ => &mut [],
        };
        for operation in operations {
            if let Operation::Create(document)
            | Operation::Upsert(document)
            | Operation::Replace(document, _) = operation
            {
                (self.translation.read)(document);
            }
        }
        let mut response = self.session.send_with(&read, &options)?;
        (self.translation.answer)(request, &mut response);
        if let Request::CreateContainer(Container { default_ttl, .. })
        | Request::ReplaceContainer(Container { default_ttl, .. }) = request
            && response.status.is_success()
        {
            self.default.clone_from(default_ttl);
        }
        if let Body::Item(item) = &mut response.body {
            (self.translation.show)(self.default.as_ref(), item);
        }
        Ok(response)
    }

    fn pass(&mut self, seconds: u64) -> Result<(), Fault> {
        self.session.pass(seconds)
    }

    fn purge(&mut self) -> Result<(), Fault> {
        self.session.purge()
    }
}
