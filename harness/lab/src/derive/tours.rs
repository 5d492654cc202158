//! Every transition of one item's graph: the way to a view, what is asked there, and then a look at the remaining life,
//! second by second.
//!
//! Requests that change nothing are asked together. Requests of one kind that lead to the same view are asked of one item
//! each, which share the way and the countdown: each item beside its container is a walk of its own.

use std::collections::{BTreeMap, BTreeSet};

use cosmos_ttl_checker::client::{Client, View};
use cosmos_ttl_model::container::{Operation, Request, SettingsDraft, TtlChange};
use cosmos_ttl_model::knowledge::Known;

use super::LONGEST_S;
use super::cite;
use super::name::{self, Doing};
use super::project::{self, ITEM};
use super::story::Story;
use super::track::{Answer, Track};
use cosmos_ttl_explore::draft::Line;

/// A move on the way to a view.
#[derive(Clone, Debug)]
enum Move {
    Ask(Request),
    Pass,
}

/// A view and a shortest way to it on which nobody looks.
#[derive(Clone, Debug)]
struct Reached {
    opening: SettingsDraft,
    way: Vec<Move>,
    view: View,
}

/// Every transition.
pub(super) fn tours(client: &Client) -> Vec<Story> {
    reached(client).iter().flat_map(|reached| from(client, reached)).collect()
}

fn reached(client: &Client) -> Vec<Reached> {
    let openings = client.openings().into_iter();
    let mut all: Vec<Reached> =
        openings.map(|(opening, view)| Reached { opening, way: Vec::new(), view }).collect();
    let mut at: usize = 0;
    while let Some(from) = all.get(at).cloned() {
        let requests = client.requests(&from.view).into_iter().filter_map(|request| {
            match Track::Sure(from.view.clone()).ask(client, &request)? {
                (_, Track::Sure(view)) => Some((Move::Ask(request), view)),
                (_, Track::Split { .. }) => None,
            }
        });
        for (did, view) in requests.chain([(Move::Pass, client.pass(&from.view))]) {
            if !all.iter().any(|reached| reached.view == view) {
                let way = from.way.iter().cloned().chain([did]).collect();
                all.push(Reached { opening: from.opening, way, view });
            }
        }
        at = at.saturating_add(1);
    }
    all
}

/// Everything that may be asked in one view.
fn from(client: &Client, reached: &Reached) -> Vec<Story> {
    let start = Track::Sure(reached.view.clone());
    let mut groups: Vec<(Doing, Track, Vec<Request>)> = Vec::new();
    for request in client.requests(&reached.view) {
        let Some((_, after)) = start.ask(client, &request) else { continue };
        let doing = if after == start { Doing::idle(&request) } else { Doing::of(&reached.view, &request) };
        match groups.iter_mut().find(|(known, track, _)| *known == doing && *track == after) {
            Some((_, _, requests)) => requests.push(request),
            None => groups.push((doing, after, vec![request])),
        }
    }
    if matches!(reached.view.known(ITEM), Known::Open { .. }) {
        groups.push((Doing::Wait, start.pass(client), Vec::new()));
    }
    groups.iter().map(|(doing, after, requests)| story(client, reached, doing, after, requests)).collect()
}

fn story(client: &Client, reached: &Reached, doing: &Doing, after: &Track, requests: &[Request]) -> Story {
    let items = items(doing, requests);
    let mut teller = Teller::new(client, reached, &items);
    for did in &reached.way {
        teller.go(did);
    }
    let before = teller.track.clone();
    for (number, request) in requests.iter().enumerate() {
        let number = number.min(items.len().saturating_sub(1));
        teller.ask_one(&before, request, items.get(number..).unwrap_or(&[]));
    }
    match doing {
        // Whoever looked before the second passed would know which of the two it is.
        Doing::Wait => teller.pass(),
        _ => teller.track = after.clone(),
    }
    teller.count_down();
    let mut clauses = teller.cited;
    clauses.extend(cite::of_move(&reached.view, requests, after));
    Story {
        section: cite::section(&reached.view, requests),
        id: name::id(&reached.view, doing),
        title: name::title(client, &reached.view, doing, after),
        clauses,
        edition: None,
        lines: teller.lines,
    }
}

/// One item for each request, named by what happens to it; a single one where a single one will do.
fn items(doing: &Doing, requests: &[Request]) -> Vec<String> {
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

/// Writes lines while it follows what is known.
struct Teller<'a> {
    client: &'a Client,
    items: &'a [String],
    track: Track,
    now: u64,
    /// The second that the lines have come to.
    told: u64,
    lines: Vec<Line>,
    cited: BTreeSet<&'static str>,
    fates: u32,
}

impl<'a> Teller<'a> {
    fn new(client: &'a Client, reached: &Reached, items: &'a [String]) -> Self {
        let opening = client.openings().into_iter().find(|(opening, _)| *opening == reached.opening);
        let view = opening.map_or_else(|| reached.view.clone(), |(_, view)| view);
        let fields = project::field("defaultTtl", reached.opening.default_ttl);
        let lines = vec![Line::ask("create-container", fields, "created"), Line::witness()];
        let cited = BTreeSet::new();
        Self { client, items, track: Track::Sure(view), now: 0, told: 0, lines, cited, fates: 0 }
    }

    fn go(&mut self, did: &Move) {
        match did {
            Move::Pass => self.pass(),
            Move::Ask(request) => {
                let before = self.track.clone();
                let each = if matches!(request, Request::Item(_)) { self.items.len() } else { 1 };
                for number in 0..each {
                    self.ask_one(&before, request, self.items.get(number..).unwrap_or(&[]));
                }
            }
        }
    }

    fn pass(&mut self) {
        self.now = self.now.saturating_add(1);
        self.track = self.track.pass(self.client);
    }

    fn push(&mut self, line: Line) {
        if self.told < self.now {
            self.told = self.now;
            self.lines.push(Line::At(self.now));
        }
        self.lines.push(line);
    }

    /// Asks of the first of these.
    fn ask_one(&mut self, before: &Track, request: &Request, names: &[String]) {
        let Some((answer, after)) = before.ask(self.client, request) else { return };
        self.note(&answer);
        self.push(project::line(request, names, &answer));
        self.track = after;
    }

    fn note(&mut self, answer: &Answer) {
        match answer {
            Answer::One(_) => {}
            Answer::Upsert { .. } => {
                self.cited.insert("expired-upsert-status");
            }
            Answer::Fate { .. } => {
                self.cited.insert("reappearance");
                self.fates = self.fates.saturating_add(1);
                if 1 < self.fates {
                    self.cited.insert("removed-never-returns");
                }
            }
        }
    }

    /// Looks now and every second until the item is gone, or as long as the longest lifetime.
    fn count_down(&mut self) {
        let mut there = self.look();
        for _ in 0..LONGEST_S {
            let clauses = self.track.views().map(cite::of_life).collect::<Vec<_>>();
            self.cited.extend(clauses);
            self.pass();
            let still = self.look();
            if there && !still {
                self.cited.extend(["gone-at-deadline", "visible-before-deadline"]);
            }
            there = still;
            if !there {
                break;
            }
        }
    }

    /// Whether anything of the scope may be there.
    fn look(&mut self) -> bool {
        let Some((answer, after)) = self.track.ask(self.client, &Request::Query) else { return false };
        self.note(&answer);
        let seen = !matches!(&answer, Answer::One(response) if !project::lists(response));
        let line = match &answer {
            Answer::One(response) if project::lists(response) => Line::query(self.items),
            Answer::One(_) => Line::query(&[]),
            _ => project::line(&Request::Query, self.items, &answer),
        };
        self.push(line);
        self.track = after;
        seen
    }
}

/// Which views there are and by how many transitions they hang together, for the certificate.
pub(super) fn transitions(client: &Client) -> BTreeMap<View, Vec<Request>> {
    client.walk().into_iter().map(|view| (view.clone(), client.requests(&view))).collect()
}
