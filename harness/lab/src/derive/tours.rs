//! Every transition of one item's graph: the way to a view, what is asked there, and then a look at the remaining life,
//! second by second.
//!
//! Requests that change nothing are asked together. Requests of one kind that lead to the same view are asked of one item
//! each, which share the way and the countdown: each item beside its container is a walk of its own.

use cosmos_ttl_checker::client::{Client, View};
use cosmos_ttl_model::client_knowledge::ClientKnowledge;
use cosmos_ttl_model::container::{Operation, Request, SettingsDraft, TtlChange};

use super::captions::{self, Doing};
use super::draft::{BeliefPath, PathAnswer, PathWriter, REAPPEARANCE, VectorDraft, lists};
use super::{ITEM, LONGEST_S};

/// A view and a shortest way to it on which nobody looks.
#[derive(Clone, Debug)]
struct ReachedView {
    opening: SettingsDraft,
    start: View,
    /// The requests on the way; `None` is a second that passes.
    way: Vec<Option<Request>>,
    view: View,
}

pub(super) fn tours(client: &Client) -> Vec<VectorDraft> {
    reached(client).iter().flat_map(|reached| from(client, reached)).collect()
}

fn reached(client: &Client) -> Vec<ReachedView> {
    let new = |(opening, view): (_, View)| ReachedView { opening, start: view.clone(), way: vec![], view };
    let mut all: Vec<ReachedView> = client.openings().into_iter().map(new).collect();
    let mut at = 0;
    while let Some(from) = all.get(at).cloned() {
        let requests =
            client.requests(&from.view).into_iter().filter_map(|request| {
                match BeliefPath::Sure(from.view.clone()).ask(client, &request)? {
                    (_, BeliefPath::Sure(view)) => Some((Some(request), view)),
                    (_, BeliefPath::Split { .. }) => None,
                }
            });
        for (did, view) in requests.chain([(None, client.pass(&from.view))]) {
            if !all.iter().any(|reached| reached.view == view) {
                let way = from.way.iter().cloned().chain([did]).collect();
                all.push(ReachedView { way, view, ..from.clone() });
            }
        }
        at += 1;
    }
    all
}

/// Everything that may be asked in one view.
fn from(client: &Client, reached: &ReachedView) -> Vec<VectorDraft> {
    let start = BeliefPath::Sure(reached.view.clone());
    let mut groups: Vec<(Doing, BeliefPath, Vec<Request>)> = Vec::new();
    for request in client.requests(&reached.view) {
        let Some((_, after)) = start.ask(client, &request) else { continue };
        let doing = if after == start { Doing::idle(&request) } else { Doing::of(&reached.view, &request) };
        match groups.iter_mut().find(|(known, belief, _)| *known == doing && *belief == after) {
            Some((_, _, requests)) => requests.push(request),
            None => groups.push((doing, after, vec![request])),
        }
    }
    if matches!(reached.view.known(ITEM), ClientKnowledge::Open { .. }) {
        groups.push((Doing::Wait, start.pass(client), Vec::new()));
    }
    groups.iter().map(|(doing, after, requests)| draft(client, reached, *doing, after, requests)).collect()
}

fn draft(
    client: &Client,
    reached: &ReachedView,
    doing: Doing,
    after: &BeliefPath,
    requests: &[Request],
) -> VectorDraft {
    let items = items(doing, requests);
    let path = PathWriter::new(client, reached.opening, reached.start.clone());
    let mut tour = Tour { items: &items, path };
    for did in &reached.way {
        match did {
            None => tour.path.pass(),
            Some(request) if matches!(request, Request::Item(_)) => {
                tour.ask_each(&vec![request; items.len()]);
            }
            Some(request) => tour.ask_each(&[request]),
        }
    }
    tour.ask_each(&requests.iter().collect::<Vec<_>>());
    match doing {
        // Whoever looked before the second passed would know which of the two it is.
        Doing::Wait => tour.path.pass(),
        _ => tour.path.belief = after.clone(),
    }
    tour.count_down();
    let PathWriter { steps, mut clauses, .. } = tour.path;
    clauses.extend(captions::clauses(&reached.view, requests, after));
    VectorDraft {
        section: captions::section(&reached.view, requests),
        id: captions::id(&reached.view, doing),
        title: captions::title(client, &reached.view, doing, after),
        clauses,
        edition: None,
        steps,
    }
}

/// One item for each request, named by what happens to it; a single one where a single one will do.
fn items(doing: Doing, requests: &[Request]) -> Vec<String> {
    if requests.len() < 2 || matches!(doing, Doing::Looks | Doing::Idle) {
        return vec!["a".into()];
    }
    requests.iter().map(|request| fate(request).into()).collect()
}

fn fate(request: &Request) -> &'static str {
    match request {
        Request::Item(Operation::Create(_)) => "created",
        Request::Item(Operation::Upsert(_)) => "upserted",
        Request::Item(Operation::Replace { .. }) => "replaced",
        Request::Item(Operation::Patch { ttl: TtlChange::Set(_), .. }) => "patched",
        Request::Item(Operation::Patch { ttl: TtlChange::Remove, .. }) => "stripped",
        Request::Item(Operation::Patch { .. }) => "touched",
        Request::Item(Operation::Delete { .. }) => "deleted",
        _ => "a",
    }
}

/// A vector that is being written about items that share one fate.
struct Tour<'a> {
    items: &'a [String],
    path: PathWriter<'a>,
}

impl Tour<'_> {
    /// Asks each request under the same view: of an item of its own, as long as there are any left.
    fn ask_each(&mut self, requests: &[&Request]) {
        let before = self.path.belief.clone();
        for (number, request) in requests.iter().enumerate() {
            let number = number.min(self.items.len() - 1);
            let after = std::mem::replace(&mut self.path.belief, before.clone());
            match self.path.ask(request, self.items.get(number..).unwrap_or(&[])) {
                Some(answer) => self.note(&answer),
                None => self.path.belief = after,
            }
        }
    }

    fn note(&mut self, answer: &PathAnswer) {
        let PathAnswer::Open { clause, .. } = answer else { return };
        if !self.path.clauses.insert(clause) && *clause == REAPPEARANCE {
            self.path.clauses.insert("removed-never-returns");
        }
    }

    /// Looks now and every second until the item is gone, or as long as the longest lifetime.
    fn count_down(&mut self) {
        let mut there = self.look();
        for _ in 0..LONGEST_S {
            self.path.clauses.extend(self.path.belief.views().map(captions::life_clause));
            self.path.pass();
            let still = self.look();
            if there && !still {
                self.path.clauses.extend(["gone-at-deadline", "visible-before-deadline"]);
            }
            there = still;
            if !there {
                break;
            }
        }
    }

    /// Whether anything of the scope may be there.
    fn look(&mut self) -> bool {
        let Some(answer) = self.path.look(self.items) else { return false };
        self.note(&answer);
        !matches!(&answer, PathAnswer::One(response) if !lists(response))
    }
}
