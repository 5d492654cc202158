//! Every transition of one item's graph: the way to a view, what is asked there, and then a look at the remaining life,
//! second by second; and what such a vector is called, the sentence over it, and what it shows.
//!
//! Requests that change nothing are asked together. Requests of one kind that lead to the same view are asked of one item
//! each, which share the way and the countdown: each item with its container is a walk of its own.

use std::collections::BTreeSet;

use cosmos_ttl_checker::client::{Client, View};
use cosmos_ttl_explore::write::clauses::{of_cell, of_change, of_operation, ttl_known};
use cosmos_ttl_harness::vector::DERIVED;
use cosmos_ttl_model::client_knowledge::ClientKnowledge;
use cosmos_ttl_model::container::{Operation, Request, SettingsDraft, TtlChange};
use cosmos_ttl_model::rule::{DefaultTtl, ItemTtl, Wire};

use super::{BeliefPath, ITEM, LONGEST_S, PathAnswer, PathWriter, REAPPEARANCE, VectorDraft, lists};

/// A view and a shortest way to it without reads.
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
    clauses.extend(shown_clauses(&reached.view, requests, after));
    // Only if the patch restarts the count does the item live as long as the vector says.
    let is_counted = doing == Doing::PatchesAnother && clauses.contains("gone-at-deadline");
    clauses.extend(is_counted.then_some("patch-restarts-count"));
    VectorDraft {
        section: section(&reached.view, requests),
        id: id(&reached.view, doing),
        title: title(client, &reached.view, doing, after),
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
            self.path.clauses.extend(self.path.belief.views().map(life_clause));
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

/// The action in a view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Doing {
    /// Reads, queries and settings that change nothing.
    Looks,
    /// Writes that change nothing.
    Idle,
    /// Nothing: only time passes.
    Wait,
    /// The container's `defaultTtl` changes to this.
    SwitchTo(Wire),
    Does(&'static str),
    /// A verb, and the `ttl` that results.
    Writes(&'static str, Wire),
    /// A patch of a property that has nothing to do with time to live.
    PatchesAnother,
}

impl Doing {
    /// A request that changes nothing.
    fn idle(request: &Request) -> Self {
        match request {
            Request::Item(Operation::Read(_)) | Request::Query | Request::Configure(_) => Self::Looks,
            _ => Self::Idle,
        }
    }

    /// A request that changes something.
    fn of(before: &View, request: &Request) -> Self {
        let before = before.known(ITEM);
        let open = matches!(before, ClientKnowledge::Open { .. });
        let operation = match request {
            Request::Item(operation) => operation,
            Request::Configure(draft) => return Self::SwitchTo(draft.default_ttl),
            _ => return Self::Does("query"),
        };
        match (before, operation) {
            (ClientKnowledge::Absent, Operation::Upsert(draft)) | (_, Operation::Create(draft)) => {
                Self::Writes("create", draft.ttl)
            }
            (ClientKnowledge::Living { .. }, Operation::Upsert(draft)) => Self::Writes("write", draft.ttl),
            (_, Operation::Upsert(draft)) => Self::Writes("upsert", draft.ttl),
            (_, Operation::Replace { draft, .. }) => {
                Self::Writes(if open { "replace" } else { "write" }, draft.ttl)
            }
            (
                ClientKnowledge::Living { ttl, .. } | ClientKnowledge::Open { ttl, .. },
                Operation::Patch { ttl: change, .. },
            ) => match change {
                TtlChange::Set(ttl) => Self::Writes("patch", *ttl),
                TtlChange::Remove => Self::Writes("patch", Wire::Absent),
                TtlChange::Keep if open => Self::PatchesAnother,
                TtlChange::Keep => Self::Writes("patch", wire(ttl)),
            },
            (_, Operation::Patch { .. }) => Self::Does("patch"),
            (_, Operation::Read(_)) => Self::Does("read"),
            (_, Operation::Delete { .. }) => Self::Does("delete"),
        }
    }

    fn slug(self) -> String {
        match self {
            Self::Looks => "look".into(),
            Self::Idle => "write-in-vain".into(),
            Self::Wait => "wait".into(),
            Self::SwitchTo(default_ttl) => format!("switch-to-{}", default_slug(default_ttl)),
            Self::Does(verb) => verb.into(),
            Self::Writes(verb, ttl) => format!("{verb}-{}", ttl_slug(ttl)),
            Self::PatchesAnother => "patch-another-property".into(),
        }
    }
}

pub(crate) fn wire(ttl: ItemTtl) -> Wire {
    match ttl {
        ItemTtl::Inherit => Wire::Absent,
        ItemTtl::Never => Wire::Whole(-1),
        ItemTtl::Seconds(seconds) => Wire::Whole(seconds.get()),
    }
}

fn default_wire(view: &View) -> Wire {
    match view.default_ttl() {
        DefaultTtl::Off => Wire::Absent,
        DefaultTtl::NoDefault => Wire::Whole(-1),
        DefaultTtl::Seconds(seconds) => Wire::Whole(seconds.get()),
    }
}

/// `plain`, `never`, `ttl-1`
pub(super) fn ttl_slug(ttl: Wire) -> String {
    by_value(ttl, ["plain", "never", "ttl-"])
}

/// `off`, `no-default`, `default-1`
pub(super) fn default_slug(ttl: Wire) -> String {
    by_value(ttl, ["off", "no-default", "default-"])
}

/// ``without `ttl` ``, ``with `ttl` 1``
pub(super) fn ttl_words(ttl: Wire) -> String {
    by_value(ttl, ["without `ttl`", "with `ttl` -1", "with `ttl` "])
}

/// `off`, `` `defaultTtl` 1``
pub(super) fn default_words(ttl: Wire) -> String {
    by_value(ttl, ["off", "`defaultTtl` -1", "`defaultTtl` "])
}

fn by_value(ttl: Wire, [absent, never, seconds]: [&str; 3]) -> String {
    match ttl {
        Wire::Whole(-1) => never.into(),
        Wire::Whole(number) => format!("{seconds}{number}"),
        _ => absent.into(),
    }
}

/// The id, unique in the section since a view and what is done in it are.
fn id(before: &View, doing: Doing) -> String {
    let aged = |state, ttl, age_s: i64| format!("{state}{}-aged-{age_s}", ttl_slug(wire(ttl)));
    let item = match before.known(ITEM) {
        ClientKnowledge::Absent => "nothing".into(),
        ClientKnowledge::Living { ttl, age_s } => aged("", ttl, age_s),
        ClientKnowledge::Expired { ttl, age_s } => aged("expired-", ttl, age_s),
        ClientKnowledge::Open { ttl, age_s } => aged("lapsed-", ttl, age_s),
    };
    format!("{DERIVED}{}-over-{item}-under-{}", doing.slug(), default_slug(default_wire(before)))
}

fn title(client: &Client, before: &View, doing: Doing, after: &BeliefPath) -> String {
    let (default, then) = (default_words(default_wire(before)), then(client, after));
    let aged = |ttl, of, age_s: i64| format!("an item {} {of} age {age_s} s", ttl_words(wire(ttl)));
    let item = match before.known(ITEM) {
        ClientKnowledge::Absent => "nothing".into(),
        ClientKnowledge::Living { ttl, age_s } => aged(ttl, "of", age_s),
        ClientKnowledge::Expired { ttl, age_s } => aged(ttl, "that is expired at", age_s),
        ClientKnowledge::Open { ttl, age_s } => aged(ttl, "of", age_s) + " that was expired once",
    };
    let article = |verb: &str| if verb.starts_with('u') { "an" } else { "a" };
    let over = match doing {
        Doing::SwitchTo(to) => {
            return format!("After switching from {default} to {} with {item}, {then}", default_words(to));
        }
        Doing::Looks => "looks that change nothing with".into(),
        Doing::Wait => "a second with".into(),
        Doing::Idle => "writes that change nothing over".into(),
        Doing::Does(verb) => format!("{} {verb} over", article(verb)),
        Doing::Writes(verb, ttl) => format!("{} {verb} {} over", article(verb), ttl_words(ttl)),
        Doing::PatchesAnother => "a patch of another property over".into(),
    };
    format!("After {over} {item} under {default}, {then}")
}

fn then(client: &Client, after: &BeliefPath) -> String {
    let BeliefPath::Sure(view) = after else {
        return "whether it is back or gone decides what follows".into();
    };
    let mut view = view.clone();
    for second in 0..=LONGEST_S {
        match (view.known(ITEM), second) {
            (ClientKnowledge::Absent, _) => return "there is none".into(),
            (ClientKnowledge::Expired { .. }, 0) => return "it is gone".into(),
            (ClientKnowledge::Expired { .. }, second) => return format!("it is gone {second} s later"),
            (ClientKnowledge::Open { .. }, _) => return "it is back, or gone for good".into(),
            (ClientKnowledge::Living { .. }, _) => view = client.pass(&view),
        }
    }
    "it lives on".into()
}

fn section(before: &View, requests: &[Request]) -> &'static str {
    let configures = |request: &Request| matches!(request, Request::Configure(_));
    match before.known(ITEM) {
        ClientKnowledge::Open { .. } => "purge",
        _ if !requests.is_empty() && requests.iter().all(configures) => "settings",
        ClientKnowledge::Absent => "lifetime",
        ClientKnowledge::Living { .. } => "writes",
        ClientKnowledge::Expired { .. } => "expired",
    }
}

/// The clause that says how long the item lives; of nothing, how long the witness does.
fn life_clause(view: &View) -> &'static str {
    of_cell(view.default_ttl(), ttl_known(view.known(ITEM)).unwrap_or(ItemTtl::Never))
}

/// The clauses that these requests show, where they were asked.
fn shown_clauses(before: &View, requests: &[Request], after: &BeliefPath) -> BTreeSet<&'static str> {
    let changes = *after != BeliefPath::Sure(before.clone());
    let one = |request: &Request| match request {
        Request::Item(operation) => {
            let after = if let BeliefPath::Sure(view) = after { ttl_known(view.known(ITEM)) } else { None };
            of_operation(before.known(ITEM), operation, after, changes)
        }
        Request::Configure(_) if changes => {
            let mut all = vec!["current-settings-decide"];
            if let BeliefPath::Sure(after) = after {
                let [before, after] = [before, after].map(|view| (view.default_ttl(), view.known(ITEM)));
                all.extend(of_change(before, after));
            }
            all
        }
        _ => match before.known(ITEM) {
            ClientKnowledge::Living { .. } => vec!["read-does-not-restart"],
            ClientKnowledge::Expired { .. } => vec!["expired-not-in-queries", "hidden-immediately"],
            ClientKnowledge::Absent | ClientKnowledge::Open { .. } => Vec::new(),
        },
    };
    requests.iter().flat_map(one).collect()
}
