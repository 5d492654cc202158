//! Two items in one container, each of which must live its own life.

use std::collections::BTreeSet;

use cosmos_ttl_checker::client::Client;
use cosmos_ttl_model::container::{Content, Draft, ItemId, Operation, Request};
use cosmos_ttl_model::rule::Wire;

use super::LONGEST_S;
use super::name::{default_word, word};
use super::project::{self, wire};
use super::story::Story;
use super::track::{Answer, Track};
use super::walk::Walk;
use cosmos_ttl_explore::draft::{Line, WITNESS};
use cosmos_ttl_harness::target;
use cosmos_ttl_harness::vector::{DERIVED, Step, Vector};

/// Two items that are written, one of which may be written again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Crossing {
    /// The container's `defaultTtl`.
    pub default_ttl: Wire,
    /// The `ttl` of item `a`.
    pub first: Wire,
    /// The `ttl` of item `b`.
    pub second: Wire,
    /// How many seconds after `a` item `b` is written.
    pub apart_s: u64,
    /// Whether `a` is upserted a second after that.
    pub again: bool,
}

/// Every crossing: each default that is on, each `ttl` of either item, together or a second apart, `a` left alone or
/// written again.
pub fn crossings() -> Vec<Crossing> {
    let seconds = || (1..=i64::from(LONGEST_S)).map(Wire::Whole);
    let mut all = Vec::new();
    for default_ttl in [Wire::Whole(-1)].into_iter().chain(seconds()) {
        let ttls = || [Wire::Absent, Wire::Whole(-1)].into_iter().chain(seconds());
        for (first, second) in ttls().flat_map(|first| ttls().map(move |second| (first, second))) {
            for (apart_s, again) in [(0, false), (0, true), (1, false), (1, true)] {
                all.push(Crossing { default_ttl, first, second, apart_s, again });
            }
        }
    }
    all
}

const CONTENT: Content = Content(9);

fn names() -> Vec<String> {
    vec!["a".into(), "b".into()]
}

pub(super) fn stories() -> Vec<Story> {
    let client = Client::new(2, LONGEST_S);
    crossings().iter().filter_map(|crossing| Teller::new(&client, crossing)?.story(crossing)).collect()
}

struct Teller<'a> {
    client: &'a Client,
    track: Track,
    now: u64,
    lines: Vec<Line>,
    clauses: BTreeSet<&'static str>,
}

impl<'a> Teller<'a> {
    fn new(client: &'a Client, crossing: &Crossing) -> Option<Self> {
        let mut openings = client.openings().into_iter();
        let (opening, view) = openings.find(|(opening, _)| opening.default_ttl == crossing.default_ttl)?;
        let fields = project::field("defaultTtl", opening.default_ttl);
        let lines = vec![Line::ask("create-container", fields, "created"), Line::witness()];
        Some(Self { client, track: Track::Sure(view), now: 0, lines, clauses: BTreeSet::new() })
    }

    fn story(mut self, crossing: &Crossing) -> Option<Story> {
        let draft = |id, ttl| Draft { id: ItemId(id), ttl, content: CONTENT };
        let item = Request::Item;
        self.ask(&item(Operation::Create(draft(0, crossing.first))))?;
        self.pass(crossing.apart_s);
        self.ask(&item(Operation::Create(draft(1, crossing.second))))?;
        self.ask(&Request::Query)?;
        if crossing.again {
            self.pass(1);
            self.ask(&item(Operation::Upsert(draft(0, crossing.first))))?;
            self.ask(&Request::Query)?;
        }
        for _ in 0..LONGEST_S {
            self.pass(1);
            self.ask(&Request::Query)?;
        }
        self.clauses.extend([
            lives(crossing.default_ttl, crossing.first),
            lives(crossing.default_ttl, crossing.second),
        ]);
        Some(Story {
            section: "clock",
            id: id(crossing),
            title: title(crossing),
            clauses: self.clauses,
            edition: None,
            lines: self.lines,
        })
    }

    fn pass(&mut self, seconds: u64) {
        for _ in 0..seconds {
            self.track = self.track.pass(self.client);
            self.now = self.now.saturating_add(1);
        }
        if 0 < seconds {
            self.lines.push(Line::At(self.now));
        }
    }

    fn ask(&mut self, request: &Request) -> Option<()> {
        let (answer, after) = self.track.ask(self.client, request)?;
        match (&answer, request) {
            (Answer::Upsert { .. }, _) => {
                self.clauses.extend(["expired-upsert-creates", "expired-upsert-status"]);
            }
            (_, Request::Item(Operation::Upsert(_))) => {
                self.clauses.insert("write-restarts-count");
            }
            _ => {
                self.clauses.insert("counted-from-last-write");
            }
        }
        self.lines.push(project::line(request, &names(), &answer));
        self.track = after;
        Some(())
    }
}

fn lives(default_ttl: Wire, ttl: Wire) -> &'static str {
    match (default_ttl, ttl) {
        (_, Wire::Whole(-1)) => "item-minus-one-overrides",
        (_, Wire::Whole(_)) => "item-seconds-override",
        (Wire::Whole(-1), _) => "item-inherits-no-default",
        _ => "item-inherits-seconds",
    }
}

fn id(crossing: &Crossing) -> String {
    let Crossing { default_ttl, first, second, apart_s, again } = *crossing;
    let default = default_word(default_ttl);
    let when = if apart_s == 0 { "beside" } else { "before" };
    let again = if again { "-then-again" } else { "" };
    format!("{DERIVED}{}-{when}-{}{again}-under-{default}", word(first), word(second))
}

fn title(crossing: &Crossing) -> String {
    let words = |ttl| match ttl {
        Wire::Whole(number) => format!("with `ttl` {number}"),
        _ => "without `ttl`".into(),
    };
    let Wire::Whole(default) = crossing.default_ttl else { return String::new() };
    let when = if crossing.apart_s == 0 { "in the same second" } else { "a second later" };
    let again = if crossing.again { ", the first upserted once more a second after that," } else { "" };
    format!(
        "An item {} and one {} {when}{again} each live their own life under `defaultTtl` {default}",
        words(crossing.first),
        words(crossing.second)
    )
}

/// The crossings that these vectors show, judged by the graph of two items.
pub(super) fn crossed(vectors: &[Vector]) -> Result<BTreeSet<Crossing>, String> {
    let client = Client::new(2, LONGEST_S);
    let known: BTreeSet<Crossing> = crossings().into_iter().collect();
    let mut all = BTreeSet::new();
    for vector in vectors {
        if let Some(crossing) = Crossing::of(vector).filter(|crossing| known.contains(crossing))
            && let Some(walk) = Walk::of(&client, vector, names())
        {
            walk.along(&client)?;
            all.insert(crossing);
        }
    }
    Ok(all)
}

impl Crossing {
    /// What a vector shows, if it is two items that are written and watched every second to the end.
    fn of(vector: &Vector) -> Option<Self> {
        let target::Request::CreateContainer(container) = &vector.steps.first()?.request else { return None };
        let default_ttl = wire(container.default_ttl.as_ref())?;
        let writes: Vec<Write<'_>> = vector.steps.iter().filter_map(Write::of).collect();
        let (first, apart_s, second, again) = match writes.as_slice() {
            [Write(0, "create", "a", first), Write(apart_s, "create", "b", second)] => {
                (*first, *apart_s, *second, false)
            }
            [
                Write(0, "create", "a", first),
                Write(apart_s, "create", "b", second),
                Write(again_s, "upsert", "a", same),
            ] if first == same && *again_s == apart_s.saturating_add(1) => (*first, *apart_s, *second, true),
            _ => return None,
        };
        let end_s = writes.last()?.0.saturating_add(u64::from(LONGEST_S));
        let looks = |at_s| {
            let look = |step: &Step| step.at_s == at_s && step.request == target::Request::Query;
            vector.steps.iter().any(look)
        };
        (apart_s..=end_s).all(looks).then_some(Self { default_ttl, first, second, apart_s, again })
    }
}

/// What is asked of an item, the witness aside: when, what, of which, and with which `ttl`.
#[derive(Debug)]
struct Write<'a>(u64, &'static str, &'a str, Wire);

impl<'a> Write<'a> {
    fn of(step: &'a Step) -> Option<Self> {
        let target::Request::Item(operation) = &step.request else { return None };
        let (name, ttl) = match operation {
            target::Operation::Create(document) => ("create", wire(document.ttl())),
            target::Operation::Upsert(document) => ("upsert", wire(document.ttl())),
            _ => ("another", Some(Wire::Absent)),
        };
        // What is no setting of the scope makes it no crossing.
        let write = Self(step.at_s, name, operation.id(), ttl.unwrap_or(Wire::Null));
        (operation.id() != WITNESS).then_some(write)
    }
}
