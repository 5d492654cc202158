//! The belief keeps an item unsure where a removal that nobody saw may have happened. Here all such removals are tried in
//! worlds of their own, and the two say the same; and a container of many items is judged.

use cosmos_ttl_explore::belief::Belief;
use cosmos_ttl_explore::reference::{Names, settings};
use cosmos_ttl_harness::literal::Literal;
use cosmos_ttl_harness::target::{
    Container, Document, Operation, Patch, Properties, Request, Response, Status,
};
use cosmos_ttl_model::choices::Preferences;
use cosmos_ttl_model::container::{ItemId, World};

const SETTINGS: [Option<&str>; 4] = [None, Some("-1"), Some("1"), Some("2")];

fn literal(text: Option<&str>) -> Option<Literal> {
    text.map(|text| Literal::parse(text).unwrap())
}

fn container(default_ttl: Option<&str>) -> Container {
    Container { default_ttl: literal(default_ttl), ..Container::default() }
}

fn document(id: &str, ttl: Option<&str>) -> Document {
    let properties: Properties = literal(ttl).map(|ttl| ("ttl".to_owned(), ttl)).into_iter().collect();
    Document { id: id.into(), properties }
}

fn create(id: &str, ttl: Option<&str>) -> Request {
    Request::Item(Operation::Create(document(id, ttl)))
}

/// A session whose background may have removed what was expired: every world that it can be in, and the belief.
struct Both {
    worlds: Vec<World>,
    names: Names,
    belief: Belief,
}

impl Both {
    fn new(default_ttl: Option<&str>) -> Self {
        let mut belief = Belief::default();
        let request = Request::CreateContainer(container(default_ttl));
        belief.observe(&request, &Response::new(Status::Created)).unwrap();
        let draft = settings(&container(default_ttl));
        let world = World::new(0, draft, &mut Preferences::default()).unwrap();
        Self { worlds: vec![world], names: Names::default(), belief }
    }

    /// Everything succeeds that is asked on the way.
    fn hears(&mut self, request: &Request) {
        for world in &mut self.worlds {
            let asked = self.names.request(world, request);
            world.answer(&asked, &mut Preferences::default());
        }
        let status = if matches!(request, Request::Item(_)) { Status::Created } else { Status::Ok };
        self.belief.observe(request, &Response::new(status)).unwrap();
    }

    fn pass(&mut self, seconds: u64) {
        self.worlds.iter_mut().for_each(|world| world.wait(seconds));
        self.belief.pass(seconds);
        for id in [0, 1].map(ItemId) {
            let mut removed = self.worlds.clone();
            removed.retain_mut(|world| world.remove(id));
            self.worlds.extend(removed);
        }
    }

    /// Every answer in some world, under some choices.
    fn answers(&mut self, request: &Request) -> Vec<Response> {
        let mut all = Vec::new();
        for world in &self.worlds {
            let asked = self.names.request(world, request);
            let about = request.operations().first().and_then(|one| self.names.number(one.id()));
            for (_, (_, response)) in world.outcomes(&asked) {
                all.push(self.names.response(about.filter(|_| request.operations().len() == 1), &response));
            }
        }
        all
    }
}

fn requests() -> Vec<Request> {
    let set = literal(Some("1")).map(|one| ("value".into(), one)).into_iter().collect();
    let patch = Patch { set, ..Patch::of("a") };
    let operations = [
        Operation::Read("a".into()),
        Operation::Create(document("a", None)),
        Operation::Upsert(document("a", Some("2"))),
        Operation::Replace(document("a", Some("0")), None),
        Operation::Patch(patch, None),
        Operation::Delete("b".into(), None),
    ];
    let batch = |numbers: [usize; 2]| {
        Request::Batch(numbers.iter().map(|number| operations[*number].clone()).collect())
    };
    let mut all =
        vec![Request::Query, Request::List, Request::Count, batch([0, 5]), batch([4, 1]), batch([5, 3])];
    all.extend(operations.iter().cloned().map(Request::Item));
    all
}

#[test]
fn an_unsure_item_stands_for_the_worlds_with_it_and_without() {
    for (before, after) in SETTINGS.iter().flat_map(|one| SETTINGS.iter().map(move |other| (*one, *other))) {
        for (a, b) in SETTINGS.iter().flat_map(|one| SETTINGS.iter().map(move |other| (*one, *other))) {
            let mut both = Both::new(before);
            both.hears(&create("a", a));
            both.pass(1);
            both.hears(&create("b", b));
            both.pass(1);
            both.hears(&Request::ReplaceContainer(container(after)));
            for request in requests() {
                let tried = both.answers(&request);
                let believed: Vec<_> =
                    both.belief.all_answers(&request).into_iter().map(|answer| answer.response).collect();
                let place = format!("{before:?} {after:?} {a:?} {b:?} {request:?}");
                for answer in &tried {
                    assert!(believed.contains(answer), "{place}: the belief lacks {answer:?}");
                    assert!(both.belief.clone().observe(&request, answer).is_ok(), "{place}: {answer:?}");
                }
                // Of what is gone something may still be stored: only the belief counts that, or lets an upsert say so.
                let is_open = matches!(request, Request::Count | Request::Item(Operation::Upsert(_)));
                for answer in believed.iter().filter(|_| !is_open) {
                    assert!(tried.contains(answer), "{place}: no world gives {answer:?}");
                }
            }
        }
    }
}

#[test]
fn a_thousand_items_that_may_be_back_are_judged() {
    let names: Vec<String> = (0..1_000).map(|number| format!("i{number}")).collect();
    let mut belief = Belief::default();
    let mut hears = |request: Request, response: Response| belief.observe(&request, &response);
    hears(Request::CreateContainer(container(Some("1"))), Response::new(Status::Created)).unwrap();
    for name in &names {
        hears(create(name, None), Response::new(Status::Created)).unwrap();
    }
    belief.pass(1);
    let mut hears = |request: Request, response: Response| belief.observe(&request, &response);
    hears(Request::ReplaceContainer(container(None)), Response::new(Status::Ok)).unwrap();
    hears(Request::Count, Response::count(1_001)).unwrap_err();
    let (back, gone) = names.split_at(500);
    hears(Request::Query, Response::ids(back.to_vec())).unwrap();
    hears(Request::Query, Response::ids(gone.to_vec())).unwrap_err();
    assert!(!belief.is_crowded());
    assert_eq!(belief.count(), 1);
}
