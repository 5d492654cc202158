//! The parts of the interface that a store may leave out, where it says so.

use std::collections::BTreeSet;
use std::fmt::{self, Display};
use std::num::NonZeroU32;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::{
    About, Body, Container, Document, Fault, Indexing, Item, Operation, PageRequest, Patch, Properties,
    Request, RequestOptions, Session, Status, Target,
};
use crate::catch_panic::catch_panic;
use crate::literal::Literal;
use crate::plain::plain;
use crate::suggest::{question, suggest};

/// A part of the interface that a store may leave out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", try_from = "String")]
pub enum Part {
    /// Patches, alone and in a batch.
    Patch,
    /// Batches.
    Batch,
    /// Upserts, alone and in a batch.
    Upsert,
    /// The feed of all items.
    List,
    /// The count of all items.
    Count,
    /// A query or a list page by page.
    Pages,
    /// Several partitions in a container.
    Partitions,
    /// Writes that depend on an etag.
    Conditions,
    /// A lazy index.
    Lazy,
    /// Other settings for a container that exists.
    ReplaceContainer,
    /// A container's settings, read back or with the answer to its creation and replacement.
    ReadContainer,
    /// The deletion of a container.
    DeleteContainer,
    /// A second container.
    Containers,
    /// Queries of other shapes than `SELECT * FROM c`.
    Select,
    /// Patches that add, replace, increment and move, and paths that lead inside a property.
    PatchOperations,
    /// Several items read by their ids at once.
    ReadMany,
    /// Reads and creates that depend on there being no such etag.
    IfNoneMatch,
    /// Upserts that depend on an etag.
    ConditionalUpsert,
}

display_as_serialized!(Part);

/// Why a word names no part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownPart(String);

impl Display for UnknownPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for UnknownPart {}

impl FromStr for Part {
    type Err = UnknownPart;

    fn from_str(word: &str) -> Result<Self, UnknownPart> {
        Self::ALL.into_iter().find(|part| part.word() == word).ok_or_else(|| {
            let words = Self::ALL.map(Self::word);
            let unknown = format!("no part is called `{}`", plain(word));
            let guess = match question(&suggest(word, words)) {
                guess if guess.is_empty() => format!("the parts are {}", words.join(", ")),
                guess => guess,
            };
            UnknownPart(format!("{unknown}; {guess}"))
        })
    }
}

impl TryFrom<String> for Part {
    type Error = UnknownPart;

    fn try_from(word: String) -> Result<Self, UnknownPart> {
        word.parse()
    }
}

impl Part {
    /// Every part, in the order of reports.
    pub const ALL: [Self; 18] = [
        Self::Patch,
        Self::Batch,
        Self::Upsert,
        Self::List,
        Self::Count,
        Self::Pages,
        Self::Partitions,
        Self::Conditions,
        Self::Lazy,
        Self::ReplaceContainer,
        Self::ReadContainer,
        Self::DeleteContainer,
        Self::Containers,
        Self::Select,
        Self::PatchOperations,
        Self::ReadMany,
        Self::IfNoneMatch,
        Self::ConditionalUpsert,
    ];

    /// Returns whether a target is asked for it only if it announces it: see [`Target::offers`].
    pub fn is_optional(self) -> bool {
        self >= Self::ReadContainer
    }

    /// Returns every optional part.
    pub fn optional() -> BTreeSet<Self> {
        Self::ALL.into_iter().filter(|part| part.is_optional()).collect()
    }

    /// The word that declares it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Patch => "patch",
            Self::Batch => "batch",
            Self::Upsert => "upsert",
            Self::List => "list",
            Self::Count => "count",
            Self::Pages => "pages",
            Self::Partitions => "partitions",
            Self::Conditions => "conditions",
            Self::Lazy => "lazy",
            Self::ReplaceContainer => "replace-container",
            Self::ReadContainer => "read-container",
            Self::DeleteContainer => "delete-container",
            Self::Containers => "containers",
            Self::Select => "select",
            Self::PatchOperations => "patch-operations",
            Self::ReadMany => "read-many",
            Self::IfNoneMatch => "if-none-match",
            Self::ConditionalUpsert => "conditional-upsert",
        }
    }

    /// Returns the parts that a request needs, without those of its options and etags.
    pub fn of_request(request: &Request) -> BTreeSet<Self> {
        let own = match request {
            Request::ReplaceContainer(_) => Some(Self::ReplaceContainer),
            Request::Batch(_) => Some(Self::Batch),
            Request::List => Some(Self::List),
            Request::Count => Some(Self::Count),
            Request::ReadContainer => Some(Self::ReadContainer),
            Request::DeleteContainer => Some(Self::DeleteContainer),
            Request::Select(_) => Some(Self::Select),
            Request::ReadMany(_) => Some(Self::ReadMany),
            Request::CreateContainer(_) | Request::Query | Request::Item(_) => None,
        };
        let operates = |operation: &Operation| matches!(operation, Operation::Patch(patch, _) if !patch.operations.is_empty());
        let operates = request.operations().iter().any(operates).then_some(Self::PatchOperations);
        let is_lazy = request.container().is_some_and(|container| container.indexing == Indexing::Lazy);
        let of_operation = |operation: &Operation| match operation {
            Operation::Patch(..) => Some(Self::Patch),
            Operation::Upsert(_) => Some(Self::Upsert),
            _ => None,
        };
        let operations = request.operations().iter().filter_map(of_operation);
        own.into_iter().chain(is_lazy.then_some(Self::Lazy)).chain(operates).chain(operations).collect()
    }

    /// Asks for this part; returns whether the answer is that of a store that offers it.
    fn is_offered(self, session: &mut dyn Session) -> Result<bool, Fault> {
        let indexing = if self == Self::Lazy { Indexing::Lazy } else { Indexing::default() };
        let container = Container { default_ttl: None, indexing };
        let created = session.send(&Request::CreateContainer(container.clone()))?;
        let document = |id: &str| Document { id: id.into(), properties: Properties::new() };
        let create = |id| Request::Item(Operation::Create(document(id)));
        let replace = |etag| Request::Item(Operation::Replace(document("a"), etag));
        let first = session.send(&create("a"))?;
        let page = Some(PageRequest { size: NonZeroU32::MIN, continuation: None });
        let answer = match self {
            Self::Lazy => created,
            Self::Patch => {
                let set = Properties::from([("value".into(), Literal::from(1_i64))]);
                let patch = Patch { set, ..Patch::of("a") };
                session.send(&Request::Item(Operation::Patch(patch, None)))?
            }
            Self::Batch => session.send(&Request::Batch(vec![Operation::Create(document("b"))]))?,
            Self::Upsert => session.send(&Request::Item(Operation::Upsert(document("a"))))?,
            Self::List => session.send(&Request::List)?,
            Self::Count => session.send(&Request::Count)?,
            Self::ReplaceContainer => session.send(&Request::ReplaceContainer(container))?,
            // Where partitions are not told apart, this is the id of another item.
            Self::Partitions => {
                let options = RequestOptions::of_partition(Some("q".into()));
                session.send_with(&create("a"), &options)?
            }
            Self::Pages => {
                session.send(&create("b"))?;
                let options = RequestOptions { page, ..RequestOptions::default() };
                let answer = session.send_with(&Request::Query, &options)?;
                return Ok(matches!(answer.body, Body::Ids(ids) if ids.len() < 2));
            }
            Self::Conditions => {
                let Body::Item(Item { etag: Some(old), .. }) = first.body else { return Ok(false) };
                session.send(&replace(None))?;
                let stale = session.send(&replace(Some(old)))?;
                return Ok(stale.status == Status::PreconditionFailed);
            }
            // A target is not asked for what it does not announce.
            _ => return Ok(false),
        };
        Ok(answer.status.is_success())
    }
}

/// Returns, for example, `without patch, batch`.
pub fn without(parts: &BTreeSet<Part>) -> String {
    format!("without {}", joined(parts, ", "))
}

/// Returns the option that declares these parts: `--without patch,batch`.
pub fn option(parts: &BTreeSet<Part>) -> String {
    format!("--without {}", joined(parts, ","))
}

/// Returns those of these parts that a target must declare missing if it does not offer them.
pub fn needed(parts: &BTreeSet<Part>) -> BTreeSet<Part> {
    parts.iter().copied().filter(|part| !part.is_optional()).collect()
}

fn joined(parts: &BTreeSet<Part>, between: &str) -> String {
    parts.iter().map(|part| part.word()).collect::<Vec<_>>().join(between)
}

/// Returns the parts that a target does not offer: those that it declares missing, after it was asked for each of them, and the
/// optional ones that it does not announce, for which it is not asked.
///
/// # Errors
///
/// [`Fault::Misuse`] if one of them is offered. Whatever else happens is for the vectors to see.
pub fn declared(target: &dyn Target) -> Result<BTreeSet<Part>, Fault> {
    let (without, offers) = catch_panic(|| Ok((target.without(), target.offers())))?;
    for part in &needed(&without) {
        let answered = catch_panic(|| {
            let mut session = target.open()?;
            let offered = part.is_offered(session.as_mut());
            session.close()?;
            offered
        });
        match answered {
            Ok(true) => {
                let why = format!("`{part}` is declared missing, and answers: declare it no longer");
                return Err(Fault::Misuse(why));
            }
            Err(Fault::Misuse(why)) => return Err(Fault::Misuse(why)),
            Ok(false) | Err(_) => {}
        }
    }
    let unannounced = Part::optional().into_iter().filter(|part| !offers.contains(part));
    Ok(without.iter().copied().chain(unannounced).collect())
}

/// A target of which somebody else says what it does not offer.
pub struct Declared<'t> {
    target: &'t dyn Target,
    without: BTreeSet<Part>,
    offers: BTreeSet<Part>,
}

impl fmt::Debug for Declared<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Declared").field("without", &self.without).finish_non_exhaustive()
    }
}

impl<'t> Declared<'t> {
    /// Returns the target without these parts, and without those that it declares itself.
    pub fn new(target: &'t dyn Target, without: &BTreeSet<Part>) -> Self {
        let offers = target.offers().into_iter().filter(|part| !without.contains(part)).collect();
        Self { target, without: &target.without() | without, offers }
    }

    /// Returns it with these optional parts, beside those that it announces itself.
    #[must_use]
    pub fn offering(self, offers: &BTreeSet<Part>) -> Self {
        let Self { target, without, offers: own } = self;
        let offers = own.union(offers).copied().filter(|part| !without.contains(part)).collect();
        Self { target, without, offers }
    }
}

impl Target for Declared<'_> {
    fn about(&self) -> About {
        self.target.about()
    }

    fn without(&self) -> BTreeSet<Part> {
        self.without.clone()
    }

    fn offers(&self) -> BTreeSet<Part> {
        self.offers.clone()
    }

    fn open(&self) -> Result<Box<dyn Session + '_>, Fault> {
        self.target.open()
    }

    fn open_reused(&self) -> Result<Box<dyn Session + '_>, Fault> {
        self.target.open_reused()
    }

    fn most_sessions(&self) -> usize {
        self.target.most_sessions()
    }

    fn replays_at_once(&self) -> usize {
        self.target.replays_at_once()
    }

    fn interrupt(&self) {
        self.target.interrupt();
    }
}
