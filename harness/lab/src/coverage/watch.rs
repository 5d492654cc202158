//! Replays a vector on the model, and notes in which state each request finds container and items.

use std::collections::{BTreeMap, BTreeSet};

use cosmos_ttl_harness::replay::replay;
use cosmos_ttl_harness::target::{
    Body, Edition, Fault, Id, Opening, PartitionKey, Removal, Request, RequestOptions, Response, Session,
};
use cosmos_ttl_harness::vector::{Pages, Vector};
use cosmos_ttl_harness::verdict::Verdict;
use cosmos_ttl_model::World;
use cosmos_ttl_model::container::Item;
use cosmos_ttl_model::interpretation::Interpretation;
use cosmos_ttl_model::semantics::Shipped;
use cosmos_ttl_reference::ModelSession;

use super::states::{AskedPath, BatchEnding, ContainerState, DefaultChange, FoundItem, WrittenBy};
use crate::args::Dimension;

/// The values that one step shows together, at most one of each dimension.
pub(super) type Point = BTreeMap<Dimension, String>;

/// The state that one operation of a request met.
struct Found {
    path: AskedPath,
    /// None where there was no container, and none after the request either.
    container: Option<ContainerState>,
    /// Each item that it was about.
    items: BTreeSet<(FoundItem, Option<WrittenBy>)>,
}

/// A request as it was sent, and what each of its operations found.
struct WatchedRequest {
    request: Request,
    continues: bool,
    found: Vec<Found>,
}

/// One writing of an item: partition, id and etag.
type Writing = (Option<PartitionKey>, Id, u32);

/// A session with the model that notes what each request finds.
struct Watch {
    session: ModelSession,
    changes: Vec<DefaultChange>,
    was_expired: BTreeSet<Writing>,
    written: BTreeMap<Writing, WrittenBy>,
    sent: Vec<WatchedRequest>,
}

/// Returns what each step of a vector shows in this edition.
pub(super) fn points(vector: &Vector, edition: Edition) -> Result<Vec<Point>, Fault> {
    let opening = Opening::new(edition, Some(Removal::Never));
    let mut watch = Watch {
        session: ModelSession::new(Shipped, Interpretation::default(), opening),
        changes: Vec::new(),
        was_expired: BTreeSet::new(),
        written: BTreeMap::new(),
        sent: Vec::new(),
    };
    let result = replay(vector, &mut watch)?;
    if result.verdict != Verdict::Pass {
        return Err(Fault::Misuse(format!("{} fails on the model", vector.name)));
    }
    let mut points = Vec::new();
    let mut sent = watch.sent.iter().peekable();
    for step in &vector.steps {
        let shows = &step.shows;
        let continues = step.pages == Some(Pages::Rest);
        let mut first = true;
        while let Some(one) =
            sent.next_if(|one| if continues { one.continues && one.request == step.request } else { first })
        {
            first = false;
            points.extend(one.found.iter().flat_map(|found| found.points(shows, edition)));
        }
    }
    Ok(points)
}

impl Found {
    fn points(&self, shows: &[String], edition: Edition) -> Vec<Point> {
        let mut point = Point::from(self.path.values());
        point.insert(Dimension::Edition, edition.to_string());
        point.extend(self.container.into_iter().flat_map(ContainerState::values));
        let of_item = |(item, written): &(FoundItem, Option<WrittenBy>)| {
            let mut point = point.clone();
            point.extend(item.values());
            point.extend(written.map(|written| (Dimension::Written, written.to_string())));
            point
        };
        let mut points: Vec<_> = self.items.iter().map(of_item).collect();
        if points.is_empty() {
            points.push(point.clone());
        }
        let of_clause = |point: &Point, clause: &String| {
            let mut point = point.clone();
            point.insert(Dimension::Clause, clause.clone());
            point
        };
        let of_clauses: Vec<_> = points
            .iter()
            .flat_map(|point| shows.iter().map(move |clause| of_clause(point, clause)))
            .collect();
        [points, of_clauses].concat()
    }
}

impl Session for Watch {
    fn send(&mut self, request: &Request) -> Result<Response, Fault> {
        self.send_with(request, &RequestOptions::default())
    }

    fn send_with(&mut self, request: &Request, options: &RequestOptions) -> Result<Response, Fault> {
        let partition = &options.partition;
        self.note_expired();
        let before = self.session.clone();
        let response = self.session.send_with(request, options)?;
        let place = match &response.body {
            Body::Aborted { .. } => BatchEnding::Aborted,
            Body::Committed(_) => BatchEnding::Committed,
            _ => BatchEnding::Alone,
        };
        let path = |word, conditional| AskedPath { word, conditional, place };
        let mut found = Vec::new();
        match request {
            Request::CreateContainer(_) | Request::ReplaceContainer(_) => {
                let known = before.world(None).or_else(|| self.session.world(None));
                let container = known.map(|world| self.container(world));
                self.note_change(&before);
                let items = self.all_items(&before, None);
                found.push(Found { path: path(request.word(), false), container, items });
            }
            Request::Query | Request::List | Request::Count => {
                let container = before.world(None).map(|world| self.container(world));
                let mut items = self.all_items(&before, partition.as_ref());
                if items.is_empty() {
                    items.insert((FoundItem::Absent, None));
                }
                found.push(Found { path: path(request.word(), false), container, items });
            }
            Request::Item(_) | Request::Batch(_) => {
                let last = if let Body::Aborted { at } = response.body { at } else { usize::MAX };
                let mut scratch = before.clone();
                for operation in request.operations().iter().take(last.saturating_add(1)) {
                    let path = path(operation.word(), operation.etag().is_some());
                    let container = scratch.world(None).map(|world| self.container(world));
                    let item = self.item(&scratch, partition.as_ref(), operation.id());
                    found.push(Found { path, container, items: BTreeSet::from([item]) });
                    scratch.send_with(&Request::Item(operation.clone()), options)?;
                }
                if response.status.is_success() {
                    for operation in request.operations() {
                        let written = path(operation.word(), operation.etag().is_some()).writes();
                        let writing = writing(&self.session, partition.as_ref(), operation.id());
                        self.written.extend(writing.zip(written));
                    }
                }
            }
        }
        let continues = options.page.as_ref().is_some_and(|page| page.continuation.is_some());
        self.sent.push(WatchedRequest { request: request.clone(), continues, found });
        Ok(response)
    }

    fn pass(&mut self, seconds: u64) -> Result<(), Fault> {
        self.session.pass(seconds)
    }
}

impl Watch {
    /// Notes every item that is expired now: new settings may show it again.
    fn note_expired(&mut self) {
        for (partition, world) in self.session.worlds() {
            for (id, item) in world.items.iter().filter(|(_, item)| world.is_expired(item)) {
                let id = self.session.names().name(*id).to_owned();
                self.was_expired.insert((partition.cloned(), id, item.etag.0));
            }
        }
    }

    fn note_change(&mut self, before: &ModelSession) {
        if let (Some(before), Some(after)) = (before.world(None), self.session.world(None)) {
            let (old, new) = (before.settings.default_ttl, after.settings.default_ttl);
            self.changes.extend((old != new).then_some((after.now, old, new)));
        }
    }

    fn container(&self, world: &World) -> ContainerState {
        ContainerState::of(world.settings.default_ttl, &self.changes)
    }

    fn all_items(
        &self,
        session: &ModelSession,
        partition: Option<&PartitionKey>,
    ) -> BTreeSet<(FoundItem, Option<WrittenBy>)> {
        let ids = session.world(partition).into_iter().flat_map(|world| world.items.keys());
        ids.map(|id| self.item(session, partition, session.names().name(*id))).collect()
    }

    fn item(
        &self,
        session: &ModelSession,
        partition: Option<&PartitionKey>,
        id: &str,
    ) -> (FoundItem, Option<WrittenBy>) {
        let (Some((world, item)), Some(writing)) =
            (stored(session, partition, id), writing(session, partition, id))
        else {
            return (FoundItem::Absent, None);
        };
        let state = FoundItem::of(world, item, self.was_expired.contains(&writing));
        (state, self.written.get(&writing).copied())
    }
}

fn stored<'s>(
    session: &'s ModelSession,
    partition: Option<&PartitionKey>,
    id: &str,
) -> Option<(&'s World, &'s Item)> {
    let world = session.world(partition)?;
    Some((world, world.items.get(&session.names().number(id)?)?))
}

fn writing(session: &ModelSession, partition: Option<&PartitionKey>, id: &str) -> Option<Writing> {
    let (_, item) = stored(session, partition, id)?;
    Some((partition.cloned(), id.to_owned(), item.etag.0))
}
