//! Broken models, and the statements that fail under each.

use std::collections::BTreeSet;
use std::sync::LazyLock;
use std::thread;

use cosmos_ttl_checker::{CheckReport, PropertyKind, Semantics, check_with};
use cosmos_ttl_model::choices::Choose;
use cosmos_ttl_model::container::{
    Content, Etag, Index, Item, ItemId, Operation, Refusal, Request, Response, TtlChange, World,
};
use cosmos_ttl_model::rule::{Sent, Ttl};
use cosmos_ttl_model::throughput::{Throughput, Units};

use crate::REPORT;

/// Lets a look see another world than there is.
fn look(world: &mut World, request: &Request, choose: &mut dyn Choose, at: fn(&mut World)) -> Response {
    match request {
        Request::Item(Operation::Read(_)) | Request::Query => {
            let mut other = world.clone();
            at(&mut other);
            other.answer(request, choose)
        }
        _ => world.answer(request, choose),
    }
}

/// Changes each item that a client has written, given how it was visible before, in store and in the answer.
fn rewrite(
    world: &mut World,
    request: &Request,
    choose: &mut dyn Choose,
    change: fn(&Request, Option<&Item>, &mut Item),
) -> Response {
    let before = world.clone();
    let mut answer = world.answer(request, choose);
    for (id, item) in &mut world.items {
        let old = before.items.get(id);
        if old.is_none_or(|old| old.etag != item.etag) {
            change(request, before.visible(*id), item);
            retell(&mut answer, item);
        }
    }
    answer
}

fn retell(answer: &mut Response, item: &Item) {
    match answer {
        Response::Created(told) | Response::Ok(told) if told.etag == item.etag => *told = *item,
        Response::Committed(all) => all.iter_mut().for_each(|answer| retell(answer, item)),
        _ => {}
    }
}

/// Reads every `ttl` and `defaultTtl` in another way.
fn reread(request: &Request, read: fn(Sent) -> Sent) -> Request {
    let mut request = request.clone();
    match &mut request {
        Request::Configure(draft) => draft.default_ttl = read(draft.default_ttl),
        Request::Item(
            Operation::Create(draft) | Operation::Upsert(draft) | Operation::Replace { draft, .. },
        ) => draft.ttl = read(draft.ttl),
        Request::Item(Operation::Patch { ttl: TtlChange::Set(sent), .. }) => *sent = read(*sent),
        _ => {}
    }
    request
}

struct Row {
    instead: &'static str,
    /// The systems that are walked, by the start of their names.
    walked: &'static [&'static str],
    moves: Semantics,
    /// The starts of some sentences that must fail.
    fails: &'static [&'static str],
}

const ONE: &[&str] = &["one item"];
const COST: &[&str] = &["provisioned", "serverless"];

/// A row: what is done instead, where it is walked, which move is another, and what must fail.
macro_rules! rows {
    ($($instead:literal in $walked:expr, $move:ident: $broken:expr => [$($fails:literal),+ $(,)?];)+) => {
        &[$(Row {
            instead: $instead,
            walked: $walked,
            moves: Semantics { $move: $broken, ..Semantics::SHIPPED },
            fails: &[$($fails),+],
        }),+]
    };
}

#[rustfmt::skip]
const ROWS: &[Row] = rows! {
    "an expired item is seen until it is removed" in &["one item", "memory", "removal"],
        answer: |world, request, choose| look(world, request, choose, |world| world.settings.default_ttl = None)
        => ["an operation that its item does not allow", "a query lists every item", "while the default is n"];
    "the second of the deadline is the last visible one" in &["one item", "indexing"],
        answer: |world, request, choose| look(world, request, choose, |world| world.now -= 1)
        => ["a query lists every item"];
    "an item's `ttl` counts while the container is off, and a second is a `ttl` under -1" in ONE,
        answer: |world, request, choose| look(world, request, choose, |world| {
            world.settings.default_ttl = match world.settings.default_ttl {
                None => Some(Ttl::Forever),
                Some(Ttl::Forever) => Some(Ttl::Seconds(1)),
                default => default,
            };
        })
        => ["while the container is off, every stored", "while the default is -1"];
    "`ttl` -1 says nothing, and 2 as much as 1" in ONE,
        answer: |world, request, choose| look(world, request, choose, |world| {
            world.items.values_mut().for_each(|item| item.ttl = item.ttl.filter(|ttl| *ttl != Ttl::Forever).map(|_| Ttl::Seconds(1)));
        })
        => ["while the container is on, an item with `ttl` -1", "while the container is on, an item with `ttl` n", "a read returns an item whole"];
    "a write of a visible item keeps its `_ts`" in &["one item", "memory"],
        answer: |world, request, choose| rewrite(world, request, choose, |_, old, item| item.ts = old.unwrap_or(item).ts)
        => ["every write that succeeds"];
    "a write that leaves `ttl` out keeps that of the item, a patch that keeps it does not" in ONE,
        answer: |world, request, choose| rewrite(world, request, choose, |request, old, item| match request {
            Request::Item(Operation::Patch { ttl: TtlChange::Keep, .. }) => item.ttl = None,
            _ => item.ttl = item.ttl.or(old.and_then(|old| old.ttl)),
        })
        => ["a write that sets `ttl` n", "a patch that does not touch"];
    "an upsert always answers created, a count counts one more, another etag is no matter" in &["one item", "indexing"],
        answer: |world, request, choose| match request {
            Request::Item(Operation::Delete { id, .. }) => world.answer(&Request::Item(Operation::Delete { id: *id, if_match: None }), choose),
            _ => match world.answer(request, choose) {
                Response::Ok(item) if matches!(request, Request::Item(Operation::Upsert(_))) => Response::Created(item),
                Response::Count { least, most } => Response::Count { least: least + 1, most: most.map(|most| most + 1) },
                answer => answer,
            }
        }
        => ["an upsert answers created", "a count counts the visible", "an operation that its item does not allow"];
    "whatever is stored can be removed" in &["one item", "memory", "sweeper"],
        remove: |world, id| world.items.remove(&id).is_some()
        => ["the background removes only", "a delete that succeeds", "a sweeper that asks", "a sweeper picks only"];
    "time takes what is expired, and ends a second late" in ONE,
        wait: |world| {
            world.wait(2);
            let kept: Vec<_> = world.visible_ids().collect();
            world.items.retain(|id, _| kept.contains(id));
        }
        => ["a second that passes makes"];
    "what is no value counts as absent, 1 as none" in &["one item", "indexing"],
        answer: |world, request, choose| world.answer(&reread(request, |sent| match sent {
            Sent::Whole(1) => Sent::Other,
            Sent::Whole(-1 | 2) => sent,
            _ => Sent::Absent,
        }), choose)
        => ["a `defaultTtl` of 0", "a `defaultTtl` that is absent", "a `ttl` that is absent", "while the container is on, a `ttl` of 0", "every other pair of indexing"];
    "0 is 2 seconds while off, null is text, and while on every `ttl` is wrong" in ONE,
        answer: |world, request, choose| {
            let on = world.settings.default_ttl.is_some();
            let request = if on { request.clone() } else { reread(request, |sent| match sent {
                Sent::Whole(0) => Sent::Whole(2),
                Sent::Null => Sent::Other,
                _ => sent,
            }) };
            let answer = world.answer(&request, choose);
            if on { world.items.values_mut().for_each(|item| item.has_wrong_ttl = true) }
            answer
        }
        => ["while the container is off, a wrong `ttl`", "a `defaultTtl` of null", "only a write of a wrong `ttl`"];
    "a patch of `_ts` succeeds" in ONE,
        answer: |world, request, choose| {
            let mut request = request.clone();
            if let Request::Item(Operation::Patch { is_forbidden, .. }) = &mut request { *is_forbidden = false }
            world.answer(&request, choose)
        }
        => ["a patch that sets `_ts`"];
    "a patch that says nothing of `ttl` is a bad request" in ONE,
        answer: |world, request, choose| match request {
            Request::Item(Operation::Patch { ttl: TtlChange::Keep, .. }) => Response::Refused(Refusal::BadRequest),
            _ => world.answer(request, choose),
        }
        => ["a patch that leaves `ttl` alone", "an operation that its item does not allow"];
    "switching off stores an item again, a delete leaves it" in &["one item", "memory"],
        answer: |world, request, choose| {
            let before = world.items.clone();
            let answer = world.answer(request, choose);
            match request {
                Request::Item(Operation::Delete { .. }) => world.items = before,
                Request::Configure(_) if answer == Response::Configured && world.items.is_empty() => {
                    let item = Item { ttl: None, has_wrong_ttl: false, ts: world.now, etag: Etag(0), content: Content(0) };
                    world.items.insert(ItemId(0), item);
                }
                _ => {}
            }
            answer
        }
        => ["what is not stored comes into store", "a delete that succeeds", "whatever is found has"];
    "settings are taken with an index or without, no query knows of it" in &["indexing"],
        answer: |world, request, choose| {
            let before = world.clone();
            match (request, world.answer(request, choose)) {
                (Request::Configure(draft), Response::Refused(_)) => {
                    world.settings.indexing = draft.indexing;
                    Response::Configured
                }
                (Request::Configure(_), Response::Configured) => {
                    world.index = if before.index == Index::Ready { Index::Rebuilding } else { Index::Ready };
                    Response::Configured
                }
                (Request::Query, _) => Response::AnyIds,
                (_, answer) => answer,
            }
        }
        => ["no container ever has", "a query lists every item", "only a changed `defaultTtl`"];
    "an index that catches up takes what is expired" in &["indexing"],
        catch_up: |world| {
            world.catch_up();
            let kept: Vec<_> = world.visible_ids().collect();
            world.items.retain(|id, _| kept.contains(id));
        }
        => ["a lazy index that catches up"];
    "removal spends whatever it needs, and takes all that is expired" in COST,
        end_second: |metered, costs, removals| {
            metered.left = 1_000;
            let expired: Vec<_> = metered.world.expired_ids().collect();
            metered.end_second(costs, removals).inspect(|_| metered.world.items.retain(|id, _| !expired.contains(id)))
        }
        => ["what is removed when a second ends costs", "what is removed when a second ends is gone"];
    "removal is charged to the users of the next second, not to a serverless account" in COST,
        end_second: |metered, costs, removals| {
            let cost = Units::try_from(removals.len()).unwrap_or(0);
            let billed = metered.end_second(costs, removals)?;
            metered.left = metered.left.saturating_sub(cost);
            (metered.throughput != Throughput::Serverless).then_some(billed).or(Some(0))
        }
        => ["a request is refused for want", "each removal is billed"];
    "what is not removed in the second of its deadline stays" in COST,
        end_second: |metered, costs, removals| {
            let mut earlier = metered.world.clone();
            earlier.now -= 1;
            removals.iter().all(|id| earlier.expired(*id).is_none()).then_some(())?;
            metered.end_second(costs, removals)
        }
        => ["whatever is expired can still be removed"];
    "a `ttl` costs a unit more, a serverless account refuses queries" in COST,
        answer_metered: |metered, costs, request, choose| match (metered.throughput, request) {
            (Throughput::Serverless, Request::Query) => (Response::Refused(Refusal::TooManyRequests), 0),
            (_, Request::Item(Operation::Patch { ttl: TtlChange::Set(_), .. })) => {
                let (answer, billed) = metered.answer(costs, request, choose);
                (answer, billed + 1)
            }
            _ => metered.answer(costs, request, choose),
        }
        => ["a request is billed what it costs", "nobody is ever refused"];
};

/// The report about each row.
static REPORTS: LazyLock<Vec<CheckReport>> = LazyLock::new(|| {
    let walk = |row: &'static Row| {
        let is_walked = |name: &str| row.walked.iter().any(|start| name.starts_with(start));
        check_with(row.moves, is_walked)
    };
    thread::scope(|scope| {
        let walks: Vec<_> = ROWS.iter().map(|row| scope.spawn(move || walk(row))).collect();
        walks.into_iter().map(|walk| walk.join().unwrap()).collect()
    })
});

#[test]
fn each_broken_model_fails_the_statements_that_speak_of_what_it_breaks() {
    for (row, report) in ROWS.iter().zip(&*REPORTS) {
        let failed: Vec<_> = report.failures().map(|(_, property)| property.sentence).collect();
        for start in row.fails {
            let fails = failed.iter().any(|sentence| sentence.starts_with(start));
            assert!(fails, "under \"{}\": \"{start}\" holds, but not {failed:#?}", row.instead);
        }
    }
}

/// Two items are not walked: what is said of them is said of one.
#[test]
fn each_always_of_each_system_fails_under_some_broken_model() {
    let failures = REPORTS.iter().flat_map(CheckReport::failures);
    let failed: BTreeSet<_> = failures.map(|(model, property)| (model.name, property.sentence)).collect();
    for model in REPORT.models.iter().filter(|model| model.name != "two items") {
        for property in model.properties.iter().filter(|one| one.kind == PropertyKind::Always) {
            let stated = (model.name, property.sentence);
            assert!(failed.contains(&stated), "{stated:?}");
        }
    }
}
