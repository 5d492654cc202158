//! Pages of a query or of a list, in each partition: no later page holds an item that is gone since the first one.

use cosmos_ttl_explore::write::{Focus, WITNESS};
use cosmos_ttl_harness::literal::Literal;
use cosmos_ttl_harness::target::{Container, Document, Operation, PartitionKey, Request};
use cosmos_ttl_harness::vector::{DERIVED, Pages};
use std::num::NonZeroU32;

use super::VectorDraft;
use super::features::PARTITION;
use super::script_builder::{ScriptBuilder, lines};

/// The items of a partition.
const ITEMS: [&str; 5] = ["a", "b", "c", "d", "e"];

/// The reason why items are gone between two pages.
#[derive(Clone, Copy, Debug)]
enum PageEnding {
    Default,
    OwnTtl,
    Lowered,
    SwitchedOn,
    Deleted,
    /// Some are expired before the first page, and none after it.
    Before,
}

impl PageEnding {
    const ALL: [Self; 6] =
        [Self::Default, Self::OwnTtl, Self::Lowered, Self::SwitchedOn, Self::Deleted, Self::Before];

    fn slug(self) -> &'static str {
        match self {
            Self::Default => "items-that-inherit-expire",
            Self::OwnTtl => "items-with-ttl-expire",
            Self::Lowered => "the-default-is-lowered",
            Self::SwitchedOn => "the-container-is-switched-on",
            Self::Deleted => "items-are-deleted",
            Self::Before => "some-items-are-expired",
        }
    }

    fn words(self) -> &'static str {
        match self {
            Self::Default => "items that inherit expire after the first page",
            Self::OwnTtl => "items with `ttl` expire after the first page",
            Self::Lowered => "a lower default hides items after the first page",
            Self::SwitchedOn => "items are hidden as the container is switched on after the first page",
            Self::Deleted => "items are deleted after the first page",
            Self::Before => "some items are expired before the first page",
        }
    }
}

/// Returns a vector for each kind of feed, partition and ending.
pub(super) fn drafts() -> Vec<VectorDraft> {
    let kinds = [(Request::Query, "query"), (Request::List, "list")];
    let places = [(None, "", ""), (Some(PARTITION.to_owned()), "-elsewhere", " in another partition")];
    let mut all = Vec::new();
    for (request, word) in &kinds {
        for (partition, slug, place) in &places {
            for ending in PageEnding::ALL {
                let title = format!(
                    "If {}, the later pages of a {word}{place} hold the items that are left",
                    ending.words()
                );
                let id = format!("{DERIVED}pages-of-a-{word}{slug}-while-{}", ending.slug());
                all.extend(draft(request, partition.as_ref(), ending, id, title));
            }
        }
    }
    all
}

fn draft(
    request: &Request,
    partition: Option<&PartitionKey>,
    ending: PageEnding,
    id: String,
    title: String,
) -> Option<VectorDraft> {
    let container =
        |default: Option<i64>| Container { default_ttl: default.map(Literal::from), ..Container::default() };
    let first = match ending {
        PageEnding::Default | PageEnding::Before => Some(2),
        PageEnding::OwnTtl | PageEnding::Deleted => Some(-1),
        PageEnding::Lowered => Some(9),
        PageEnding::SwitchedOn => None,
    };
    let mut builder = ScriptBuilder::empty(container(first));
    let other = if partition.is_some() { None } else { Some(PARTITION.to_owned()) };
    let own = partition;
    builder.create_forever(other.as_ref(), WITNESS);
    for (number, item) in ITEMS.iter().enumerate() {
        let ttl = match ending {
            PageEnding::OwnTtl => Some(2),
            PageEnding::Before => (number % 2 == 0).then_some(9),
            _ => None,
        };
        let properties = ttl.map(|ttl| ("ttl".to_owned(), Literal::from(ttl))).into_iter().collect();
        let create = Operation::Create(Document { id: (*item).into(), properties });
        builder.ask_in(own, Focus::Way, Request::Item(create), Vec::new());
    }
    builder.pass();
    if matches!(ending, PageEnding::Before) {
        builder.pass();
    }
    builder.ask_page(own, request.clone(), Pages::First(NonZeroU32::new(2)?));
    match ending {
        PageEnding::Default | PageEnding::OwnTtl => builder.pass(),
        PageEnding::Lowered | PageEnding::SwitchedOn => {
            builder.ask(Focus::Answer, Request::ReplaceContainer(container(Some(1))), Vec::new());
        }
        PageEnding::Deleted => {
            for item in ITEMS {
                let delete = Request::Item(Operation::Delete(item.into(), None));
                builder.ask_in(own, Focus::Way, delete, Vec::new());
            }
        }
        PageEnding::Before => {}
    }
    builder.ask_page(own, request.clone(), Pages::Rest);
    builder.ask_in(own, Focus::Answer, Request::Item(Operation::Read("a".into())), Vec::new());
    builder.ask_in(other.as_ref(), Focus::Answer, Request::Item(Operation::Read(WITNESS.into())), Vec::new());
    let script = builder.annotated().ok()?;
    let steps = lines(&script).ok()?;
    let mut clauses = script.clauses;
    clauses.insert("identity-is-partition-and-id");
    Some(VectorDraft { section: "paging", id, title, clauses, edition: None, steps })
}
