//! The inputs of a test: every kind of request by every path, and waiting for one second.

use cosmos_ttl_harness::describe;
use cosmos_ttl_harness::literal::Literal;
use cosmos_ttl_harness::target::{Container, Document, Indexing, Operation, Patch, Properties, Request};
use cosmos_ttl_harness::vector::Condition;

/// The item of a test of one item.
pub const ITEM: &str = "item";
/// The two items of a test of two.
const PAIR: [&str; 2] = ["a", "b"];
/// An item that lives forever, and makes batches abort.
pub(crate) const WITNESS: &str = "w";
/// The property that has nothing to do with time to live.
pub(crate) const CONTENT: &str = "value";

/// Values that are no `ttl`, a few of each class.
pub(crate) const REFUSED: [&str; 10] =
    ["0", "-2", "2147483648", "null", "1.0", "1.5", "\"1\"", "true", "[1]", "{}"];
/// Values that are no `defaultTtl`; null is open.
pub(crate) const REFUSED_DEFAULTS: [&str; 9] =
    ["0", "-2", "2147483648", "null", "1.5", "\"1\"", "true", "[1]", "{}"];

/// The number of an input in its alphabet.
pub type InputNumber = u8;

/// One thing that a client does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// The request about [`ITEM`], without its etags; `None` lets a second pass.
    pub request: Option<Request>,
    /// The etags to send: the operation's number in a batch, 0 elsewhere, and which etag. Where no answer has shown the
    /// etag of the item since it was written, a read comes first: a client can send only what it has seen.
    pub conditions: Vec<(usize, Condition)>,
}

impl Input {
    fn ask(request: Request) -> Self {
        Self { request: Some(request), conditions: Vec::new() }
    }

    fn under(request: Request, condition: Condition) -> Self {
        Self { request: Some(request), conditions: vec![(0, condition)] }
    }

    /// Returns whether it is about the container or all items.
    pub fn is_shared(&self) -> bool {
        self.request.as_ref().is_none_or(|request| request.operations().is_empty())
    }

    /// Returns the same about the item with this id.
    pub(crate) fn about(&self, id: &str) -> Self {
        let mut input = self.clone();
        let operations = input.request.as_mut().map_or_else(Default::default, Request::operations_mut);
        for named in operations.iter_mut().map(Operation::id_mut).filter(|named| *named == ITEM) {
            id.clone_into(named);
        }
        input
    }

    /// Returns it in words.
    pub fn words(&self) -> String {
        match &self.request {
            None => "a second passes".into(),
            Some(request) => describe::phrase(request, &self.conditions) + &patched(request),
        }
    }
}

/// Returns what a patch changes but a lifetime, in words.
fn patched(request: &Request) -> String {
    match request {
        Request::Item(Operation::Patch(patch, _)) if !patch.remove.is_empty() => {
            format!(" to remove {}", patch.remove.join(", "))
        }
        Request::Item(Operation::Patch(patch, _)) if !patch.set.contains_key("ttl") => {
            let names: Vec<&str> = patch.set.keys().map(String::as_str).collect();
            format!(" to set {}", names.join(", "))
        }
        _ => String::new(),
    }
}

/// Everything that a client may do.
#[derive(Clone, Debug)]
pub struct Alphabet {
    /// The ids of the items.
    pub ids: &'static [&'static str],
    /// The inputs; those of the core come first.
    pub inputs: Vec<Input>,
    /// How many of them are the core: the requests that may lead to a hidden state of a store.
    pub core: usize,
    /// The settings with which a container is created.
    pub openings: Vec<Container>,
}

impl Alphabet {
    /// Returns the inputs with lifetimes up to this many seconds.
    pub fn new(longest_s: u8) -> Self {
        let ttls: Vec<Option<String>> = [None, Some("-1".into())]
            .into_iter()
            .chain((1..=longest_s).map(|s| Some(s.to_string())))
            .collect();
        let ttls: Vec<Option<&str>> = ttls.iter().map(Option::as_deref).collect();
        let mut inputs = vec![
            Input { request: None, conditions: Vec::new() },
            Input::ask(Request::Query),
            Input::ask(Request::Item(Operation::Read(ITEM.into()))),
        ];
        inputs.extend(ttls.iter().map(|ttl| Input::ask(Request::ReplaceContainer(container(*ttl)))));
        inputs.extend([create(None), create(Some("1"))].map(Request::Item).map(Input::ask));
        inputs.extend(ttls.iter().copied().map(upsert).map(Request::Item).map(Input::ask));
        let changes = [replace(None), patch_ttl("1"), patch_no_ttl(), patch_content(), delete()];
        inputs.extend(changes.map(Request::Item).map(Input::ask));
        inputs.extend([committed(upsert(Some("1"))), aborted(upsert(Some("-1"))), aborted(delete())]);
        inputs.extend([
            Input::under(Request::Item(patch_content()), Condition::Stale),
            Input::ask(Request::Item(create(Some("0")))),
            Input::ask(Request::Item(patch_ttl("null"))),
            Input::ask(Request::ReplaceContainer(container(Some("0")))),
        ]);
        let core = inputs.len();
        let rest = rest(&writes(&ttls), ttls.last().copied().flatten());
        for input in rest {
            if !inputs.contains(&input) {
                inputs.push(input);
            }
        }
        Self { ids: &[ITEM], inputs, core, openings: ttls.into_iter().map(container).collect() }
    }

    /// Returns the same inputs under each id by which the item of a test is called: a store may choose for each id. Two items have
    /// one pair of ids.
    pub(crate) fn named(&self) -> Vec<Self> {
        const NAMES: &[&str] = &["a", "b", "c", "d", "e", "f", "g", "h"];
        if self.ids != [ITEM] {
            return vec![self.clone()];
        }
        let of = |(ids, id): (&'static [&'static str], &&str)| {
            let inputs = self.inputs.iter().map(|input| input.about(id)).collect();
            Self { ids, inputs, ..self.clone() }
        };
        NAMES.chunks(1).zip(NAMES).map(of).collect()
    }

    /// Returns the inputs of two items: the core without conditions about each of them, and the batches of two core writes,
    /// the first of them about the first item.
    pub fn of_two(longest_s: u8) -> Self {
        let one = Self::new(longest_s);
        let (mut inputs, mut writes) = (Vec::new(), Vec::new());
        for input in one.inputs.iter().take(one.core).filter(|input| input.conditions.is_empty()) {
            if input.is_shared() {
                inputs.push(input.clone());
                continue;
            }
            let own = PAIR.map(|id| input.about(id));
            if let [Some(Request::Item(first)), Some(Request::Item(second))] =
                own.each_ref().map(|one| &one.request)
                && !matches!(first, Operation::Read(_))
            {
                writes.push([first.clone(), second.clone()]);
            }
            inputs.extend(own);
        }
        let core = inputs.len();
        for [first, _] in &writes {
            let batch = |[_, second]: &[Operation; 2]| {
                Input::ask(Request::Batch(vec![first.clone(), second.clone()]))
            };
            inputs.extend(writes.iter().map(batch));
        }
        Self { ids: &PAIR, inputs, core, openings: one.openings }
    }

    /// Returns whether an input is about the container or all items.
    pub(crate) fn is_shared(&self, input: InputNumber) -> bool {
        self.inputs.get(usize::from(input)).is_some_and(Input::is_shared)
    }
}

/// Returns requests after which the target has shown two etags of this item, and it is gone again.
pub(crate) fn prologue(id: &str) -> [Input; 3] {
    [create(None), upsert(None), delete()].map(|write| Input::ask(Request::Item(write)).about(id))
}

/// Returns the inputs that are sent once at each state, and never on the way to one.
fn rest(writes: &[Operation], longest: Option<&str>) -> Vec<Input> {
    let mut all = vec![Input::ask(Request::List), Input::ask(Request::Count)];
    all.extend(writes.iter().cloned().map(Request::Item).map(Input::ask));
    all.extend(writes.iter().cloned().map(committed));
    all.push(committed(Operation::Read(ITEM.into())));
    all.push(Input::ask(Request::Batch(vec![delete(), create(longest)])));
    let kinds = || {
        [
            create(None),
            upsert(None),
            replace(longest),
            patch_ttl("1"),
            patch_no_ttl(),
            patch_content(),
            delete(),
        ]
    };
    all.extend(kinds().map(aborted));
    for condition in [Condition::Seen, Condition::Stale] {
        for operation in kinds().into_iter().chain([replace(None)]).filter(Operation::takes_etag) {
            all.push(Input::under(Request::Item(operation.clone()), condition));
            all.push(Input::under(Request::Batch(vec![operation.clone()]), condition));
            all.push(Input::under(Request::Batch(vec![operation, create_witness()]), condition));
        }
    }
    for ttl in REFUSED {
        let refused = [create(Some(ttl)), upsert(Some(ttl)), replace(Some(ttl)), patch_ttl(ttl)];
        all.extend(refused.clone().map(committed));
        all.extend(refused.map(Request::Item).map(Input::ask));
    }
    all.extend(REFUSED_DEFAULTS.map(|ttl| Input::ask(Request::ReplaceContainer(container(Some(ttl))))));
    let unindexed = Container { indexing: Indexing::None, ..container(Some("1")) };
    all.push(Input::ask(Request::ReplaceContainer(unindexed)));
    all
}

/// Every kind of write, with each `ttl`.
fn writes(ttls: &[Option<&str>]) -> Vec<Operation> {
    let mut all: Vec<Operation> = Vec::new();
    all.extend(ttls.iter().copied().map(create));
    all.extend(ttls.iter().copied().map(upsert));
    all.extend(ttls.iter().copied().map(replace));
    all.extend(ttls.iter().flatten().map(|ttl| patch_ttl(ttl)));
    all.extend([patch_no_ttl(), patch_content(), delete()]);
    all
}

fn container(default_ttl: Option<&str>) -> Container {
    Container { default_ttl: default_ttl.and_then(literal), indexing: Indexing::Consistent }
}

fn literal(text: &str) -> Option<Literal> {
    // Each text stands in this file.
    Literal::parse(text).ok()
}

fn document(ttl: Option<&str>) -> Document {
    let properties = ttl.and_then(literal).map(|ttl| ("ttl".to_owned(), ttl)).into_iter().collect();
    Document { id: ITEM.into(), properties }
}

fn create(ttl: Option<&str>) -> Operation {
    Operation::Create(document(ttl))
}

fn upsert(ttl: Option<&str>) -> Operation {
    Operation::Upsert(document(ttl))
}

fn replace(ttl: Option<&str>) -> Operation {
    Operation::Replace(document(ttl), None)
}

fn patch(set: Properties, remove: Vec<String>) -> Operation {
    Operation::Patch(Patch { set, remove, ..Patch::of(ITEM) }, None)
}

fn patch_ttl(ttl: &str) -> Operation {
    patch(literal(ttl).map(|ttl| ("ttl".to_owned(), ttl)).into_iter().collect(), Vec::new())
}

fn patch_no_ttl() -> Operation {
    patch(Properties::new(), vec!["ttl".into()])
}

fn patch_content() -> Operation {
    patch([(CONTENT.to_owned(), Literal::from(1))].into(), Vec::new())
}

fn delete() -> Operation {
    Operation::Delete(ITEM.into(), None)
}

/// In a batch of its own.
fn committed(operation: Operation) -> Input {
    Input::ask(Request::Batch(vec![operation]))
}

/// In a batch that aborts, since the witness is there.
fn aborted(operation: Operation) -> Input {
    Input::ask(Request::Batch(vec![operation, create_witness()]))
}

pub(crate) fn create_witness() -> Operation {
    Operation::Create(witness())
}

/// Writes the witness a second time, so that it has had two etags. No item has this content: a store may make etags of it.
pub(crate) fn upsert_witness() -> Operation {
    let mut witness = witness();
    witness.properties.insert(CONTENT.to_owned(), Literal::from(2));
    Operation::Upsert(witness)
}

fn witness() -> Document {
    let properties = [("ttl".to_owned(), Literal::from(-1))].into();
    Document { id: WITNESS.into(), properties }
}
