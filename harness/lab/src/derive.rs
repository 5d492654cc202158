//! Vectors derived from the graph that the checker walks: every transition of a client's view, each with a look at the
//! remaining life afterwards.
//!
//! Derived vectors are only written here, never judged: they are loaded and replayed like any other. This file
//! writes a vector while it follows what a client knows; its modules say which vectors there are.

mod certificate;
mod comparison;
mod tours;
mod two_item_interleavings;
mod values;

use std::collections::{BTreeMap, BTreeSet};

use cosmos_ttl_checker::client::{Client, PossibleAnswers, View};
use cosmos_ttl_explore::write::WITNESS;
use cosmos_ttl_harness::literal::Literal;
use cosmos_ttl_harness::target;
use cosmos_ttl_harness::vector::render::{self, VectorText};
use cosmos_ttl_harness::vector::{Details, Expect, ExpectedResponse};
use cosmos_ttl_model::container::{ItemId, Request, Response, SettingsDraft};
use cosmos_ttl_reference::Names;
use cosmos_ttl_reference::translate::{container, status};

pub use certificate::certify;
pub use comparison::{CoveredInput, GraphComparison};
pub use two_item_interleavings::{Interleaving, two_item_interleavings};

pub(crate) use tours::wire;

/// The longest lifetime of the scope, in seconds.
const LONGEST_S: u8 = 2;

const ITEM: ItemId = ItemId(0);

/// Returns every file of derived vectors by its name, without the certificate.
pub fn derive() -> BTreeMap<String, String> {
    let tours = tours::tours(&Client::new(1, LONGEST_S)).into_iter();
    let values = values::invalid_values().into_iter().chain(values::boundary_values());
    let mut sections: BTreeMap<&str, Vec<VectorDraft>> = BTreeMap::new();
    for draft in tours.chain(values).chain(two_item_interleavings::drafts()) {
        sections.entry(draft.section).or_default().push(draft);
    }
    let pages = sections.into_iter();
    pages.map(|(section, drafts)| (format!("{section}.yaml"), yaml_page(section, &drafts))).collect()
}

/// The knowledge of one item so far.
#[derive(Clone, Debug, PartialEq, Eq)]
enum BeliefPath {
    Sure(View),
    /// One thing if it came back, another if it was gone for good: a read decided it.
    Split {
        back: View,
        gone: View,
    },
}

/// The clauses that leave the answers of one item open.
const UPSERT_STATUS: &str = "expired-upsert-status";
const REAPPEARANCE: &str = "reappearance";

#[derive(Clone, Debug, PartialEq, Eq)]
enum PathAnswer {
    One(Response),
    /// The choice under an open clause: each of its values, with the answer under it.
    Open {
        clause: &'static str,
        outcomes: [(&'static str, Response); 2],
    },
}

impl BeliefPath {
    /// The answer and what is known after it; `None` where no vector can say it.
    fn ask(&self, client: &Client, request: &Request) -> Option<(PathAnswer, Self)> {
        match self {
            Self::Sure(view) => match client.ask(view, request) {
                PossibleAnswers::Sure((response, after)) => {
                    Some((PathAnswer::One(response), Self::Sure(after)))
                }
                PossibleAnswers::Upsert { created, replaced, after } => {
                    let outcomes = [("created", created), ("replaced", replaced)];
                    Some((PathAnswer::Open { clause: UPSERT_STATUS, outcomes }, Self::Sure(after)))
                }
                PossibleAnswers::Fate { back: (back, back_after), gone: (gone, gone_after), .. } => {
                    Some((fate(back, gone), Self::Split { back: back_after, gone: gone_after }))
                }
                PossibleAnswers::Tangled => None,
            },
            Self::Split { back, gone } => {
                // One vector binds an item to one fate: it cannot say that it is open a second time.
                let (PossibleAnswers::Sure((back, back_after)), PossibleAnswers::Sure((gone, gone_after))) =
                    (client.ask(back, request), client.ask(gone, request))
                else {
                    return None;
                };
                let answer = if back == gone { PathAnswer::One(back) } else { fate(back, gone) };
                Some((answer, Self::Split { back: back_after, gone: gone_after }))
            }
        }
    }

    fn pass(&self, client: &Client) -> Self {
        match self {
            Self::Sure(view) => Self::Sure(client.pass(view)),
            Self::Split { back, gone } => Self::Split { back: client.pass(back), gone: client.pass(gone) },
        }
    }

    fn views(&self) -> impl Iterator<Item = &View> {
        let (first, second) = match self {
            Self::Sure(view) => (view, None),
            Self::Split { back, gone } => (back, Some(gone)),
        };
        [first].into_iter().chain(second)
    }
}

fn fate(back: Response, gone: Response) -> PathAnswer {
    PathAnswer::Open { clause: REAPPEARANCE, outcomes: [("back", back), ("gone", gone)] }
}

/// A vector, as text save for its layout.
#[derive(Clone, Debug)]
struct VectorDraft {
    section: &'static str,
    id: String,
    title: String,
    clauses: BTreeSet<&'static str>,
    /// `2024`, where the rule differs.
    edition: Option<&'static str>,
    steps: Vec<String>,
}

const NOTE: &str = "\
# Written by `cargo lab derive` from the graph that the checker walks; never edited. `certificate.yaml` says what it covers.
";

fn yaml_page(section: &str, drafts: &[VectorDraft]) -> String {
    let mut page = render::head("../schema.json", NOTE, section);
    for draft in drafts {
        let clauses: Vec<&str> = draft.clauses.iter().copied().collect();
        let VectorDraft { id, title, edition, steps, .. } = draft;
        let text = VectorText { id, title, clauses: &clauses, edition: *edition, steps };
        page = page + "\n" + &render::vector(&text).join("\n") + "\n";
    }
    page
}

/// Returns a request as a step, from its fields as text: values of a `ttl` may be anything here.
fn ask(name: &str, fields: &str, expect: &str) -> String {
    format!("- {name}: {{{fields}, expect: {expect}}}")
}

/// Returns the creation of a container, and of the witness.
fn opened(default_ttl: &str) -> Vec<String> {
    vec![ask("create-container", &format!("defaultTtl: {default_ttl}"), "created"), witness()]
}

fn witness() -> String {
    ask("create", &format!("id: {WITNESS}, ttl: -1"), "created")
}

/// Returns a query that must list these and the witness.
fn query(ids: &[String]) -> String {
    step(&target::Request::Query, &Expect::One(ids_and_witness(ids.iter().cloned())), ids)
}

fn ids_and_witness(ids: impl Iterator<Item = String>) -> ExpectedResponse {
    ExpectedResponse::Ids(ids.chain([WITNESS.into()]).collect())
}

fn step(request: &target::Request, expect: &Expect, names: &[String]) -> String {
    let order: Vec<&str> = names.iter().map(String::as_str).chain([WITNESS]).collect();
    // The scope has nothing that the format cannot hold; a vector with this would not load.
    render::step(request, &[], expect, &order).unwrap_or_else(|why| format!("- unwritable: {why}"))
}

/// Writes the steps of a vector while it follows what a client knows.
struct PathWriter<'a> {
    client: &'a Client,
    belief: BeliefPath,
    now_s: u64,
    /// The second that the steps have come to.
    written_s: u64,
    steps: Vec<String>,
    clauses: BTreeSet<&'static str>,
}

impl<'a> PathWriter<'a> {
    fn new(client: &'a Client, opening: SettingsDraft, view: View) -> Self {
        let request = target::Request::CreateContainer(container(opening));
        let created = Expect::One(ExpectedResponse::Status(target::Status::Created, Details::default()));
        let steps = vec![step(&request, &created, &[]), witness()];
        let belief = BeliefPath::Sure(view);
        Self { client, belief, now_s: 0, written_s: 0, steps, clauses: BTreeSet::new() }
    }

    fn pass(&mut self) {
        self.now_s += 1;
        self.belief = self.belief.pass(self.client);
    }

    /// Asks of items with these names; `None` where no vector can say the answer.
    fn ask(&mut self, request: &Request, names: &[String]) -> Option<PathAnswer> {
        let (answer, after) = self.belief.ask(self.client, request)?;
        self.push(step(&client_request(request, names), &expected(request, &answer, names), names));
        self.belief = after;
        Some(answer)
    }

    /// Queries all these items, which share one fate; `None` where no vector can say the answer.
    fn look(&mut self, names: &[String]) -> Option<PathAnswer> {
        let (answer, after) = self.belief.ask(self.client, &Request::Query)?;
        self.push(match &answer {
            PathAnswer::One(response) => query(if lists(response) { names } else { &[] }),
            open @ PathAnswer::Open { .. } => {
                step(&target::Request::Query, &expected(&Request::Query, open, names), names)
            }
        });
        self.belief = after;
        Some(answer)
    }

    fn push(&mut self, step: String) {
        if self.now_s > self.written_s {
            self.written_s = self.now_s;
            self.steps.push(render::at(self.now_s));
        }
        self.steps.push(step);
    }
}

/// Whether a query found an item of the scope.
fn lists(response: &Response) -> bool {
    matches!(response, Response::Ids(ids) if !ids.is_empty())
}

/// Returns a request as a client sends it about items with these names.
fn client_request(request: &Request, names: &[String]) -> target::Request {
    let mut request = Names::of(names).client_request(request);
    if let target::Request::Item(target::Operation::Patch(patch, _)) = &mut request
        && patch.set.is_empty()
        && patch.remove.is_empty()
    {
        patch.set.insert("value".into(), Literal::from(1));
    }
    request
}

fn expected(request: &Request, answer: &PathAnswer, names: &[String]) -> Expect {
    let table = Names::of(names);
    let one = |response: &Response| match response {
        Response::Ids(ids) => ids_and_witness(ids.iter().map(|id| table.name(*id).to_owned())),
        response => ExpectedResponse::Status(status(response), Details::default()),
    };
    match answer {
        PathAnswer::One(response) => Expect::One(one(response)),
        PathAnswer::Open { clause, outcomes } => Expect::Open {
            clause: (*clause).into(),
            of: if *request == Request::Query { names.first().cloned() } else { None },
            outcomes: outcomes.iter().map(|(value, response)| ((*value).into(), one(response))).collect(),
        },
    }
}
