//! Tests of the answers that the belief state allows after earlier answers, and of those that it does not.

use cosmos_ttl_explore::belief::Belief;
use cosmos_ttl_harness::literal::Literal;
use cosmos_ttl_harness::target::{
    Body, Container, Document, Indexing, Item, Operation, Patch, Properties, Request, Response, Status,
};

fn literal(text: &str) -> Option<Literal> {
    (!text.is_empty()).then(|| Literal::parse(text).unwrap())
}

fn settings(default_ttl: &str) -> Container {
    Container { default_ttl: literal(default_ttl), indexing: Indexing::Consistent }
}

fn document(id: &str, ttl: &str) -> Document {
    let properties: Properties = literal(ttl).map(|ttl| ("ttl".to_owned(), ttl)).into_iter().collect();
    Document { id: id.into(), properties }
}

fn create(id: &str, ttl: &str) -> Request {
    Request::Item(Operation::Create(document(id, ttl)))
}

fn upsert(id: &str) -> Request {
    Request::Item(Operation::Upsert(document(id, "")))
}

fn read(id: &str) -> Request {
    Request::Item(Operation::Read(id.into()))
}

fn item(status: Status, id: &str, ttl: &str, ts: i64) -> Response {
    Response::item(status, Item { document: document(id, ttl), ts: Some(ts), etag: None })
}

fn found(id: &str, ttl: &str, ts: i64) -> Response {
    item(Status::Found, id, ttl, ts)
}

fn is(status: Status) -> Response {
    Response::new(status)
}

fn ids(all: &[&str]) -> Response {
    Response::ids(all.iter().map(|id| (*id).to_owned()).collect())
}

/// A place with these settings, what was asked there, and what followed.
struct Place(Belief);

impl Place {
    fn new(default_ttl: &str) -> Self {
        Self(Belief::default()).hears(Request::CreateContainer(settings(default_ttl)), is(Status::Created))
    }

    #[track_caller]
    fn hears(mut self, request: Request, response: Response) -> Self {
        self.0.observe(&request, &response).unwrap_or_else(|differs| panic!("{differs:?}"));
        self
    }

    fn after(mut self, seconds: u64) -> Self {
        self.0.pass(seconds);
        self
    }

    fn set(self, default_ttl: &str) -> Self {
        self.hears(Request::ReplaceContainer(settings(default_ttl)), is(Status::Ok))
    }

    #[track_caller]
    fn refuses(self, request: Request, response: Response, expected: &str) -> Self {
        let mut belief = self.0.clone();
        let differs = belief.observe(&request, &response).unwrap_err();
        assert_eq!(differs.expected, expected);
        self
    }
}

/// An item that was expired when the container was switched off.
fn fate() -> Place {
    let place = Place::new("-1").hears(create("a", "1"), is(Status::Created));
    place.hears(create("b", "-1"), is(Status::Created)).after(1).set("")
}

#[test]
fn the_last_visible_second_is_the_one_before_the_deadline() {
    let place = Place::new("-1").hears(create("a", "2"), item(Status::Created, "a", "2", 100)).after(1);
    let place =
        place.refuses(read("a"), is(Status::NotFound), "found").hears(read("a"), found("a", "2", 100));
    let place = place.after(1).refuses(read("a"), found("a", "2", 100), "not-found");
    place.hears(read("a"), is(Status::NotFound)).hears(Request::Query, ids(&[]));
}

#[test]
fn ts_is_that_of_the_last_write() {
    let place = Place::new("").hears(create("a", ""), item(Status::Created, "a", "", 100)).after(3);
    let expected = "found with the `_ts` of its last write, 3 s ago";
    let place = place.refuses(read("a"), found("a", "", 103), expected);
    let expected = "ok with the `_ts` of this second";
    place.refuses(upsert("a"), item(Status::Ok, "a", "", 100), expected);
}

#[test]
fn a_value_that_was_taken_while_off_binds_no_other_value() {
    for taken in ["\"2\"", "-5"] {
        let place = || Place::new("").hears(create("a", taken), is(Status::Created));
        place().hears(create("a", "0"), is(Status::BadRequest));
        place().hears(create("a", "0"), is(Status::Conflict));
    }
}

#[test]
fn what_was_expired_comes_back_or_not_and_stays_so() {
    fate().hears(Request::Query, ids(&["a", "b"])).refuses(read("a"), is(Status::NotFound), "found");
    fate().hears(Request::Query, ids(&["b"])).refuses(read("a"), found("a", "1", 0), "not-found");
    fate().refuses(Request::Query, ids(&["a"]), "[a or not, b]");
    fate().hears(read("a"), is(Status::NotFound)).refuses(Request::Query, ids(&["a", "b"]), "[b]");
}

#[test]
fn a_count_lies_between_what_is_visible_and_what_may_be_stored() {
    for count in [1, 2] {
        fate().hears(Request::Count, Response::count(count));
    }
    for count in [0, 3] {
        fate().refuses(Request::Count, Response::count(count), "count 1 to 2");
    }
    // Whatever is visible is counted: an item that is not, is gone.
    fate().hears(Request::Count, Response::count(1)).hears(read("a"), is(Status::NotFound)).refuses(
        Request::Query,
        ids(&["a", "b"]),
        "[b]",
    );
}

#[test]
fn a_choice_binds_the_item_or_the_place() {
    let place = Place::new("-1").hears(create("a", "2.0"), item(Status::Created, "a", "2.0", 100));
    let again = Request::Item(Operation::Replace(document("a", "2.0"), None));
    let place = place.refuses(again.clone(), is(Status::BadRequest), "ok").hears(again, is(Status::Ok));
    place.hears(create("b", "2.0"), is(Status::BadRequest)).after(2).hears(Request::Query, ids(&[]));

    let null = || Request::ReplaceContainer(settings("null"));
    let place = Place::new("1").hears(null(), is(Status::BadRequest));
    place.refuses(null(), is(Status::Ok), "bad-request");
}

#[test]
fn a_value_that_is_none_counts_or_not_while_the_container_is_off() {
    // Kept as the number or as nothing: only when it is on again anybody learns which.
    let stored = || Place::new("").hears(create("a", "1.0"), is(Status::Created)).after(1).set("-1");
    stored().hears(Request::Query, ids(&["a"])).refuses(read("a"), is(Status::NotFound), "found");
    stored().hears(Request::Query, ids(&[])).refuses(read("a"), found("a", "1.0", 0), "not-found");
}

fn patch(id: &str, ttl: &str) -> Request {
    let set = document(id, ttl).properties;
    Request::Item(Operation::Patch(Patch { set, ..Patch::of(id) }, None))
}

fn aborted(at: usize, status: Status) -> Response {
    Response { body: Body::Aborted { at }, ..Response::new(status) }
}

#[test]
fn a_patch_of_ts_is_refused_and_changes_nothing() {
    let set: Properties = literal("1").map(|ts| ("_ts".to_owned(), ts)).into_iter().collect();
    let patch = Request::Item(Operation::Patch(Patch { set, ..Patch::of("a") }, None));
    Place::new("5")
        .hears(create("a", ""), item(Status::Created, "a", "", 100))
        .hears(patch.clone(), is(Status::BadRequest))
        .hears(read("a"), found("a", "", 100))
        .after(2)
        .refuses(patch, item(Status::Ok, "a", "", 102), "bad-request")
        .hears(read("a"), found("a", "", 100));
}

#[test]
fn of_two_refusals_either_may_be_answered_each_time() {
    let mut place = Place::new("2").hears(create("a", ""), is(Status::Created));
    for (request, of_item) in [
        (create("a", "0"), Status::Conflict),
        (patch("b", "-5"), Status::NotFound),
        (Request::Item(Operation::Replace(document("b", "0"), None)), Status::NotFound),
    ] {
        for status in [Status::BadRequest, of_item, Status::BadRequest] {
            place = place.hears(request.clone(), is(status));
        }
        place = place.refuses(
            request,
            is(Status::PreconditionFailed),
            &format!("{} or {}", Status::BadRequest.min(of_item), Status::BadRequest.max(of_item)),
        );
    }
    place.refuses(patch("a", "0"), is(Status::NotFound), "bad-request").refuses(
        patch("b", "5"),
        is(Status::BadRequest),
        "not-found",
    );
}

#[test]
fn a_batch_blames_any_operation_that_is_refused_and_no_other() {
    let all = [create("b", ""), create("a", ""), create("c", "0"), create("d", "")];
    let request = || Request::Batch(all.iter().flat_map(Request::operations).cloned().collect());
    let place = || Place::new("-1").hears(create("a", ""), is(Status::Created));
    for blamed in [aborted(1, Status::Conflict), aborted(2, Status::BadRequest)] {
        place().hears(request(), blamed).hears(Request::Query, ids(&["a"]));
    }
    let expected = "aborted at operation 1 with conflict or aborted at operation 2 with bad-request";
    for blamed in [aborted(0, Status::Conflict), aborted(1, Status::BadRequest), aborted(3, Status::Conflict)]
    {
        place().refuses(request(), blamed, expected);
    }
    let all = vec![Status::Created, Status::Conflict, Status::BadRequest, Status::Created];
    let committed = Response { body: Body::Committed(all), ..is(Status::Ok) };
    place().refuses(request(), committed, expected);
}

#[test]
fn more_items_than_can_be_told_apart_are_given_up_and_accuse_nobody() {
    let mut place = Place::new("");
    for number in 0..2_000 {
        place = place.hears(create(&format!("i{number}"), ""), is(Status::Created));
        assert!(!place.0.is_crowded());
    }
    place = place.hears(create("another", ""), is(Status::Created));
    assert!(place.0.is_crowded());
    let batch = Request::Batch(vec![Operation::Create(document("yet-another", ""))]);
    let committed = Response { body: Body::Committed(vec![Status::Created]), ..is(Status::Ok) };
    assert!(place.hears(batch, committed).0.is_crowded());
}

fn indexed(default_ttl: &str, indexing: Indexing) -> Container {
    Container { indexing, ..settings(default_ttl) }
}

#[test]
fn what_is_asked_of_a_container_without_an_index_may_answer_anything() {
    for (request, response) in [
        (Request::Query, is(Status::BadRequest)),
        (Request::List, ids(&[])),
        (Request::Count, Response::count(0)),
        (Request::Query, ids(&["a"])),
    ] {
        let place = Place(Belief::default());
        let made = Request::CreateContainer(indexed("", Indexing::None));
        let place = place.hears(made, is(Status::Created)).hears(create("a", ""), is(Status::Created));
        place.hears(request, response).refuses(read("a"), is(Status::NotFound), "found");
    }
}

#[test]
fn who_refuses_lazy_indexing_has_not_said_what_null_is() {
    let lazy_null = || Request::CreateContainer(indexed("null", Indexing::Lazy));
    let null = || Request::CreateContainer(settings("null"));
    for status in [Status::Created, Status::BadRequest] {
        let place = Place(Belief::default()).hears(lazy_null(), is(Status::BadRequest));
        place.hears(null(), is(status));
    }
}

#[test]
fn a_default_that_is_a_whole_number_written_as_a_fraction_may_be_taken_or_refused() {
    let set = || Request::ReplaceContainer(settings("2.0"));
    let place = || Place::new("-1").hears(create("a", ""), is(Status::Created));
    let taken = place().hears(set(), is(Status::Ok)).after(2);
    taken.refuses(read("a"), found("a", "", 0), "not-found");
    let refused = place().hears(set(), is(Status::BadRequest)).after(2);
    refused.refuses(read("a"), is(Status::NotFound), "found");
    for odd in ["2.5", "0.0", "-2.0"] {
        let set = Request::ReplaceContainer(settings(odd));
        place().refuses(set, is(Status::Ok), "bad-request");
    }
}

#[test]
fn what_was_no_setting_while_off_inherits_or_never_expires() {
    let place = || Place::new("").hears(create("a", "0"), is(Status::Created)).set("2");
    place().after(1).refuses(read("a"), is(Status::NotFound), "found");
    let never = place().after(2).hears(read("a"), found("a", "0", 0)).after(100);
    never.refuses(read("a"), is(Status::NotFound), "found");
    let inherits = place().after(2).hears(read("a"), is(Status::NotFound));
    inherits.refuses(Request::Query, ids(&["a"]), "[]");
    let valid = Place::new("").hears(create("a", "1"), is(Status::Created)).set("2").after(1);
    valid.refuses(read("a"), found("a", "1", 0), "not-found");
}

#[test]
fn a_patch_may_be_refused_that_leaves_what_was_no_setting_while_off() {
    let place = || Place::new("").hears(create("a", "0"), is(Status::Created)).set("-1");
    let patch = |set: &[(&str, i64)], remove: &[&str]| {
        let set = set.iter().map(|(name, value)| ((*name).to_owned(), Literal::from(*value))).collect();
        let remove = remove.iter().map(|name| (*name).to_owned()).collect();
        Request::Item(Operation::Patch(Patch { set, remove, ..Patch::of("a") }, None))
    };
    let other = || patch(&[("value", 1)], &[]);
    place().hears(other(), is(Status::BadRequest)).hears(other(), is(Status::Ok));
    place().hears(
        Request::Batch(vec![other().operations()[0].clone()]),
        Response { body: Body::Aborted { at: 0 }, ..is(Status::BadRequest) },
    );
    // What replaces the value may not be refused, nor a patch after that, nor one of an allowed value.
    place().refuses(patch(&[("ttl", 5)], &[]), is(Status::BadRequest), "ok");
    place().refuses(patch(&[], &["ttl"]), is(Status::BadRequest), "ok");
    let mended = place().hears(upsert("a"), is(Status::Ok));
    mended.refuses(other(), is(Status::BadRequest), "ok");
    let allowed = Place::new("").hears(create("a", "9"), is(Status::Created)).set("-1");
    allowed.refuses(other(), is(Status::BadRequest), "ok");
}

#[test]
fn a_lazy_index_may_miss_items_and_show_old_ones_after_every_change_of_ttl() {
    let made = || {
        let place = Place(Belief::default());
        let made = Request::CreateContainer(indexed("1", Indexing::Lazy));
        place.hears(made, is(Status::Created)).hears(create("a", ""), is(Status::Created))
    };
    made().refuses(Request::Query, ids(&[]), "[a]");
    let set = || Request::ReplaceContainer(indexed("2", Indexing::Lazy));
    let changed = || made().hears(set(), is(Status::Ok));
    changed().hears(Request::Query, ids(&[])).hears(Request::Count, Response::count(0));
    let expired = || changed().after(2);
    expired().hears(Request::List, ids(&["a"])).hears(Request::Count, Response::count(1));
    expired().hears(Request::Query, ids(&["a"])).refuses(read("a"), found("a", "", 0), "not-found");
    // No document says that a change of the indexing ends what was begun under lazy indexing.
    let again = expired().hears(Request::ReplaceContainer(settings("2")), is(Status::Ok));
    again.hears(Request::Query, ids(&["a"])).refuses(read("a"), found("a", "", 0), "not-found");
    let never_lazy = Place::new("1").hears(create("a", ""), is(Status::Created)).set("2").after(2);
    never_lazy.refuses(Request::Query, ids(&["a"]), "[]");
}

#[test]
fn an_upsert_over_a_living_item_may_answer_that_it_made_one() {
    let place = || Place::new("").hears(create("a", ""), is(Status::Created));
    place().hears(upsert("a"), is(Status::Created)).hears(upsert("a"), is(Status::Ok));
    place().refuses(upsert("b"), is(Status::Ok), "created").refuses(upsert("a"), is(Status::Conflict), "ok");
}
