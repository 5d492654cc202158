//! The model and the naive store side by side, request by request.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use cosmos_ttl_harness::describe::{asked, wanted};
use cosmos_ttl_harness::target::{
    Body, Edition, Id, Item, Opening, Operation, PageRequest, PartitionKey, Removal, Request, RequestOptions,
    Response, Session, Target,
};
use cosmos_ttl_harness::vector::{Condition, Pages, Step, Vector};
use cosmos_ttl_mutants::IndependentStore;

use cosmos_ttl_testing::choices::{numbered, reference};

/// An answer without what no two stores have in common: when they started, and what their etags are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ComparableAnswer {
    status: String,
    body: String,
}

impl ComparableAnswer {
    fn words(&self) -> String {
        if self.body.is_empty() { self.status.clone() } else { format!("{} {}", self.status, self.body) }
    }
}

/// One store in the middle of a vector.
struct Side<'a> {
    session: Box<dyn Session + 'a>,
    /// The second of its epoch in which it started, once it has told.
    start: Option<i64>,
    /// Every etag that it told of each item, the last one last.
    etags: BTreeMap<(Option<PartitionKey>, Id), Vec<String>>,
    now_s: u64,
    /// The next page of each query and list that was begun, by kind and partition.
    pages: BTreeMap<(&'static str, Option<String>), PageRequest>,
}

impl<'a> Side<'a> {
    fn open(target: &'a dyn Target, opening: Opening) -> Self {
        let session = target.open(&opening).unwrap();
        Self { session, start: None, etags: BTreeMap::new(), now_s: 0, pages: BTreeMap::new() }
    }

    fn take(&mut self, step: &Step) -> ComparableAnswer {
        if self.now_s < step.at_s {
            self.session.pass(step.at_s - self.now_s).unwrap();
            self.now_s = step.at_s;
        }
        let response = self.ask(step);
        self.told(step, &response)
    }

    /// All pages of a step, where it asks for pages, in one response.
    fn ask(&mut self, step: &Step) -> Response {
        let request = self.with_etags(step);
        let partition = step.partition.clone();
        let Some(pages) = step.pages else {
            return self.session.send_with(&request, &RequestOptions { partition, page: None }).unwrap();
        };
        let key = (request.word(), partition.clone());
        if let Pages::First(size) = pages {
            self.pages.insert(key.clone(), PageRequest { size, continuation: None });
        }
        let mut ids = Vec::new();
        while let Some(page) = self.pages.remove(&key) {
            let size = page.size;
            let options = RequestOptions { partition: partition.clone(), page: Some(page) };
            let response = self.session.send_with(&request, &options).unwrap();
            let Body::Ids(page) = response.body else { panic!("no page: {response:?}") };
            ids.extend(page);
            let next = response.continuation.map(|token| PageRequest { size, continuation: Some(token) });
            self.pages.extend(next.map(|next| (key.clone(), next)));
            if pages != Pages::Rest {
                break;
            }
        }
        // Both divide items in the order in which they were created.
        Response::ids(ids)
    }

    fn with_etags(&self, step: &Step) -> Request {
        let mut request = step.request.clone();
        let operations: &mut [Operation] = match &mut request {
            Request::Item(operation) => std::slice::from_mut(operation),
            Request::Batch(operations) => operations,
            _ => &mut [],
        };
        for (number, condition) in &step.conditions {
            let key = (step.partition.clone(), operations[*number].id().to_owned());
            let seen = self.etags.get(&key).cloned().unwrap_or_default();
            let from_the_last = match condition {
                Condition::Seen => 1,
                Condition::Stale => 2,
            };
            let etag = seen.len().checked_sub(from_the_last).map(|at| seen[at].clone());
            operations[*number].require(etag.unwrap_or_else(|| "\"none\"".into()));
        }
        request
    }

    fn told(&mut self, step: &Step, response: &Response) -> ComparableAnswer {
        let body = match &response.body {
            Body::Nothing => String::new(),
            Body::Item(item) => self.item(step, item),
            Body::Ids(ids) => format!("{:?}", ids.iter().collect::<BTreeSet<_>>()),
            Body::Count(count) => count.to_string(),
            Body::Committed(all) => format!("{all:?}"),
            Body::Aborted { at } => format!("at operation {at}"),
        };
        ComparableAnswer { status: response.status.to_string(), body }
    }

    fn item(&mut self, step: &Step, item: &Item) -> String {
        let key = (step.partition.clone(), item.document.id.clone());
        let etags = self.etags.entry(key).or_default();
        let etag = item.etag.clone().unwrap_or_default();
        let is = if etags.last() == Some(&etag) { "the same etag" } else { "a new etag" };
        if etags.last() != Some(&etag) {
            etags.push(etag);
        }
        let ts = item.ts.unwrap();
        let start = *self.start.get_or_insert(ts - i64::try_from(self.now_s).unwrap());
        format!("{:?} written at {}, {is}", item.document.properties, ts - start)
    }
}

/// Returns the answers of both to every request of a vector.
pub(crate) fn both(
    vector: &Vector,
    choices: u16,
    edition: Edition,
    removal: Removal,
) -> Vec<[ComparableAnswer; 2]> {
    let (preferences, choices) = numbered(choices);
    let (model, naive) =
        (reference(preferences), IndependentStore { choices, ..IndependentStore::default() });
    let opening = Opening::new(edition, Some(removal));
    let (mut model, mut naive) = (Side::open(&model, opening), Side::open(&naive, opening));
    vector.steps.iter().map(|step| [model.take(step), naive.take(step)]).collect()
}

/// The vector's storyboard: what it expects, and what each of the two answers.
pub(crate) fn side_by_side(vector: &Vector, choices: u16, edition: Edition, removal: Removal) -> String {
    let mut text =
        format!("{} under choices {choices:07b}, edition {edition}, removal {removal}\n", vector.name);
    for (step, [model, naive]) in vector.steps.iter().zip(both(vector, choices, edition, removal)) {
        writeln!(text, "at {} s  {}", step.at_s, asked(step)).unwrap();
        writeln!(text, "    the vector expects  {}", wanted(step)).unwrap();
        let differ = if model == naive { "" } else { "   <- they differ" };
        writeln!(text, "    the model answers   {}", model.words()).unwrap();
        writeln!(text, "    the naive store     {}{differ}", naive.words()).unwrap();
    }
    text
}
