//! Vectors that must load and then pass or fail, each with the very words that it fails in.

use cosmos_ttl_explore::reference::Reference;
use cosmos_ttl_harness::run::{Conclusion, Tally, run_virtual};
use cosmos_ttl_harness::target::{Body, Item, Response, Status, Target};
use cosmos_ttl_harness::vector::Suite;
use cosmos_ttl_harness::verdict::{Outcome, Verdict};
use cosmos_ttl_mutants::{IndependentStore, named};
use cosmos_ttl_testing::wrong::Tampered;
use cosmos_ttl_testing::{GOOD, scratch};

/// The verdict on the good vector, with a part of its text replaced.
#[track_caller]
fn verdict(target: &dyn Target, from: &str, to: &str) -> Verdict {
    let text = GOOD[1].1;
    assert_eq!(text.matches(from).count(), 1, "`{from}` stands there once");
    let directory = scratch("verdict", &[("lifetime.yaml", text.replace(from, to).as_bytes())]);
    let suite = Suite::load(&directory).unwrap_or_else(|flaw| panic!("{flaw}"));
    let run = run_virtual(target, &[&suite.vectors[0]]).unwrap();
    run.results[0].verdict.clone()
}

/// With the expectation changed so, both oracles fail it in these words.
#[track_caller]
fn check_fails(from: &str, to: &str, signature: &str) {
    for target in [&Reference::default() as &dyn Target, &IndependentStore::default()] {
        let verdict = verdict(target, from, to);
        assert_eq!((verdict.outcome(), verdict.reason().as_deref()), (Outcome::Fail, Some(signature)));
    }
}

#[track_caller]
fn check_passes(from: &str, to: &str) {
    for target in [&Reference::default() as &dyn Target, &IndependentStore::default()] {
        assert_eq!(verdict(target, from, to), Verdict::Pass);
    }
}

const READ: &str = "- read: {id: a, expect: not-found}";
const QUERY: &str = "- query: {expect: [witness]}";
const DETAILS: &str = "value: 2, absent: [ttl], written-at: 10}}";
const BATCH: &str = "operations: [{create: {id: b}}, {delete: {id: witness}}]\n      expect: {committed: [created, no-content]}";
const OPEN: &str = "{open: maybe, back: found, gone: not-found}";
const OPEN_QUERY: &str = "back: [a, b], gone: [b]";

#[test]
fn the_good_vector_passes_however_it_says_the_same() {
    check_passes(READ, READ);
    check_passes(QUERY, "- list: {expect: [witness]}");
    check_passes(
        QUERY,
        "- read: {id: witness, expect: {found: {etag: same}}}\n  - query: {expect: [witness]}",
    );
    check_passes(QUERY, "- count: {expect: 1}\n  - query: {expect: [witness]}");
    check_passes(DETAILS, "value: 2, absent: [ttl, other], written-at: 10, etag: new}}");
    check_passes(
        BATCH,
        "operations: [{create: {id: b}}, {create: {id: b}}]\n      expect: {aborted: {at: 1, with: conflict}}\n  - create: {id: b, expect: created}\n  - delete: {id: witness, expect: no-content}",
    );
}

#[test]
fn a_wrong_status_fails() {
    check_fails(READ, "- read: {id: a, expect: found}", "at second 10: expected found, got not-found");
    check_fails(
        "defaultTtl: 100, expect: created",
        "defaultTtl: 0, expect: created",
        "at second 0: expected created, got bad-request",
    );
}

#[test]
fn an_upsert_that_should_replace_may_answer_that_it_created() {
    let upsert = |upsert: &str| {
        format!("value: 2}}}}}}\n  - upsert: {upsert}\n  - delete: {{id: c, expect: no-content")
    };
    check_passes(DETAILS, &upsert("{id: c, value: 4, expect: {ok: {value: 4, etag: new}}}"));
    check_passes(
        BATCH,
        "operations: [{upsert: {id: b}}]\n      expect: {committed: [ok]}\n  - delete: {id: witness, expect: no-content}",
    );
    check_fails(
        DETAILS,
        &upsert("{id: c, value: 4, expect: {ok: {value: 5}}}"),
        "at second 10: expected ok with value: 5, got ok with value: 4",
    );
}

#[test]
fn a_wrong_list_or_number_fails() {
    check_fails(
        QUERY,
        "- query: {expect: [a, witness]}",
        "at second 10: expected [a, witness], got [witness]",
    );
    check_fails(
        QUERY,
        "- list: {expect: [other, witness]}",
        "at second 10: expected [other, witness], got [witness]",
    );
    check_fails(
        "- replace-container: {expect: ok}",
        "- query: {expect: []}\n  - replace-container: {expect: ok}",
        "at second 10: expected [], got [b]",
    );
    check_fails(
        QUERY,
        "- count: {expect: 2}\n  - query: {expect: [witness]}",
        "at second 10: expected count 2, got count 1",
    );
}

#[test]
fn a_wrong_detail_fails() {
    let fails = |to, signature| check_fails(DETAILS, to, signature);
    fails("value: 3}}", "at second 10: expected ok with value: 3, got ok with value: 2");
    fails("ttl: -1}}", "at second 10: expected ok with ttl: -1, got ok without ttl");
    fails("ttl-json: \"null\"}}", "at second 10: expected ok with ttl: null, got ok without ttl");
    fails("more: {other: [1]}}}", "at second 10: expected ok with other: [1], got ok without other");
    fails("absent: [value]}}", "at second 10: expected ok without value, got ok with value: 2");
    fails(
        "written-at: 0}}",
        "at second 10: expected ok with the `_ts` of second 0, got ok with `_ts` +10 s from that",
    );
    fails("etag: same}}", "at second 10: expected ok with the etag seen last, got ok with another etag");
    check_fails(
        READ,
        "- read: {id: a, expect: not-found}\n  - read: {id: witness, expect: {found: {etag: new}}}",
        "at second 10: expected found with a new etag, got found with an etag seen before",
    );
}

#[test]
fn a_wrong_batch_fails() {
    check_fails(
        BATCH,
        "operations: [{create: {id: b}}, {delete: {id: witness}}]\n      expect: {aborted: {at: 0, with: conflict}}\n  - create: {id: b, expect: created}",
        "at second 10: expected aborted at operation 0 with conflict, got committed [created, no-content]",
    );
    check_fails(
        BATCH,
        "operations: [{create: {id: b}}, {create: {id: witness}}]\n      expect: {aborted: {at: 0, with: conflict}}\n  - create: {id: b, expect: created}",
        "at second 10: expected aborted at operation 0 with conflict, got aborted at operation 1 with conflict",
    );
    check_fails(
        BATCH,
        "operations: [{create: {id: b}}, {create: {id: witness}}]\n      expect: {aborted: {at: 1, with: bad-request}}\n  - create: {id: b, expect: created}",
        "at second 10: expected aborted at operation 1 with bad-request, got aborted at operation 1 with conflict",
    );
    check_fails(
        BATCH,
        "operations: [{create: {id: b}}, {create: {id: witness}}]\n      expect: {committed: [created, created]}",
        "at second 10: expected committed [created, created], got aborted at operation 1 with conflict",
    );
}

#[test]
fn operations_of_a_batch_have_conditions_of_their_own() {
    let batch = |condition: &str, expect: &str| {
        let operations =
            format!("{{create: {{id: b}}}}, {{replace: {{id: witness, if-match: {condition}}}}}");
        format!(
            "operations: [{operations}]\n      expect: {{{expect}}}\n  - delete: {{id: witness, expect: no-content}}"
        )
    };
    let refused = batch("stale", "aborted: {at: 1, with: precondition-failed}");
    check_passes(BATCH, &format!("{refused}\n  - create: {{id: b, expect: created}}"));
    check_passes(BATCH, &batch("seen", "committed: [created, ok]"));
}

#[test]
fn an_open_clause_allows_its_values_and_nothing_else() {
    check_fails(
        OPEN,
        "{open: maybe, back: {found: {value: 9}}, gone: not-found}",
        "at second 10: expected found with value: 9 (back) or not-found (gone), got found without value",
    );
    check_fails(
        OPEN,
        "{open: maybe, back: {found: {more: {one: 1}}}, gone: {found: {more: {two: 1}}}}",
        "at second 10: expected found with one: 1 (back) or found with two: 1 (gone), got found without one",
    );
    // Of several differences the first is told, however long the others are.
    check_fails(
        OPEN,
        "{open: maybe, back: {found: {more: {one: 1}}}, gone: {found: {more: {another: 1}}}}",
        "at second 10: expected found with one: 1 (back) or found with another: 1 (gone), got found without one",
    );
    check_fails(
        OPEN_QUERY,
        "back: [a], gone: [b]",
        "at second 10: expected [a] (back), since it chose back before, got [a, b]",
    );
    // The other way round: under eager removal the item is gone, and that binds too.
    check_fails(
        OPEN_QUERY,
        "back: [a, b], gone: [b, other]",
        "at second 10: expected [b, other] (gone), since it chose gone before, got [b]",
    );
    check_passes(OPEN_QUERY, "back: [b, a], gone: [b]");
}

type Tamper = fn(&mut Response);

fn on_item(response: &mut Response, change: fn(&mut Item)) {
    if let Body::Item(item) = &mut response.body {
        change(item);
    }
}

fn set_ts(response: &mut Response, change: fn(i64) -> i64) {
    if let Body::Item(item) = &mut response.body {
        item.ts = item.ts.map(change);
    }
}

fn without_item_where(response: &mut Response, is_meant: bool) {
    if is_meant && matches!(response.body, Body::Item(_)) {
        response.body = Body::Nothing;
    }
}

#[test]
fn an_answer_that_was_tampered_with_is_told_in_these_words() {
    use Outcome::{Fail, Unsupported};
    let cases: [(Tamper, Outcome, &str); 13] = [
        (|answer| on_item(answer, |item| item.etag = None), Unsupported, "the target shows no etags"),
        (|answer| on_item(answer, |item| item.ts = None), Unsupported, "the target shows no `_ts`"),
        (|answer| without_item_where(answer, true), Unsupported, "the target returns no item with `created`"),
        (
            |answer| without_item_where(answer, answer.status == Status::Found),
            Fail,
            "at second 10: expected found (back) or not-found (gone), got found without an item",
        ),
        (
            |answer| on_item(answer, |item| item.document.id = "zzz".into()),
            Fail,
            "at second 0: expected created, got created with the item `zzz`",
        ),
        (
            |answer| {
                if let Body::Ids(ids) = &answer.body {
                    answer.body = Body::Count(ids.len() as u64);
                }
            },
            Fail,
            "at second 10: expected [witness], got count 1",
        ),
        (
            |answer| {
                if matches!(answer.body, Body::Ids(_)) {
                    *answer = Response::new(Status::Other(503)).with_detail("gone fishing");
                }
            },
            Fail,
            "at second 10: expected [witness], got status 503 (gone fishing)",
        ),
        (refuse_lists, Fail, "at second 10: expected [witness], got status 503"),
        (|answer| set_ts(answer, |_| i64::MAX), Fail, NO_SECOND),
        (|answer| set_ts(answer, |_| i64::MAX - (1 << 31)), Fail, NO_SECOND),
        (|answer| set_ts(answer, |_| -1), Fail, NO_SECOND),
        (|answer| set_ts(answer, |ts| ts * 1000), Fail, NO_SECOND),
        (|answer| set_ts(answer, |_| 253_402_300_800), Fail, NO_SECOND),
    ];
    for (tamper, kind, words) in cases {
        let verdict = verdict(&Tampered(IndependentStore::default(), tamper), QUERY, QUERY);
        let reason = verdict.reason().unwrap();
        assert_eq!(verdict.outcome(), kind, "{reason}");
        assert!(if words == NO_SECOND { reason.ends_with(words) } else { reason == words }, "{reason}");
    }
}

const NO_SECOND: &str = ", which is no second from 1970 to 9999";

fn refuse_lists(answer: &mut Response) {
    if matches!(answer.body, Body::Ids(_) | Body::Count(_) | Body::Committed(_)) {
        answer.status = Status::Other(503);
    }
}

#[test]
fn a_ts_that_never_changes_is_never_conformant() {
    let suite = cosmos_ttl_testing::core_suite();
    // JSON has numbers beyond 64 bits; they are read as the greatest.
    let huge: Item = serde_json::from_str(r#"{"id": "a", "_ts": 1e40}"#).unwrap();
    assert_eq!(huge.ts, Some(i64::MAX));
    let tampers: [fn(&mut Response); 5] = [
        |response| set_ts(response, |_| i64::MAX),
        |response| set_ts(response, |_| i64::MAX - (1 << 31)),
        |response| set_ts(response, |_| 253_402_300_799),
        |response| set_ts(response, |_| 0),
        |response| set_ts(response, |_| -1),
    ];
    for tamper in tampers {
        let run = cosmos_ttl_testing::run_all(&Tampered(IndependentStore::default(), tamper), suite);
        assert_eq!(Tally::of(&run).conclusion(true), Conclusion::Nonconformant);
    }
}

#[test]
fn an_answer_that_is_no_success_is_told_by_its_status_whatever_it_carries() {
    let check = |to, words| {
        let reason =
            verdict(&Tampered(IndependentStore::default(), refuse_lists), QUERY, to).reason().unwrap();
        assert_eq!(reason, format!("at second 10: expected {words}"));
    };
    check("- count: {expect: 1}\n  - query: {expect: [witness]}", "count 1, got status 503");
    let batch = format!(
        "- batch:\n      {BATCH}\n  - create: {{id: witness, expect: created}}\n  {QUERY}\n  - create: {{id: b, expect: conflict}}\n  - delete: {{id: b, expect: no-content}}"
    );
    check(&batch, "committed [created, no-content], got status 503");
}

#[test]
fn an_item_that_is_listed_twice_does_not_stand_for_another() {
    let tamper: fn(&mut Response) = |response| {
        if let Body::Ids(ids) = &mut response.body
            && let [first, second] = ids.as_mut_slice()
        {
            second.clone_from(first);
        }
    };
    let target = Tampered(IndependentStore::default(), tamper);
    let two = "- create: {id: z, ttl: -1, expect: created}\n  - query: {expect: [witness, z]}\n  - delete: {id: z, expect: no-content}";
    let reason = verdict(&target, QUERY, two).reason().unwrap();
    assert_eq!(reason, "at second 10: expected [witness, z], got [witness, witness]");
}

#[test]
fn lazy_indexing_that_is_refused_is_not_supported_unless_it_was_taken_before() {
    let taken = "indexing: lazy, expect: created}\n  - replace-container: {defaultTtl: 100, indexing: lazy, expect: ok";
    let cases: [(Tamper, &str, Outcome); 2] = [
        (
            |answer| refuse(answer, Status::Created),
            "defaultTtl: 100, indexing: lazy, expect: created",
            Outcome::Unsupported,
        ),
        (|answer| refuse(answer, Status::Ok), taken, Outcome::Fail),
    ];
    for (tamper, to, outcome) in cases {
        let verdict =
            verdict(&Tampered(IndependentStore::default(), tamper), "defaultTtl: 100, expect: created", to);
        assert_eq!(verdict.outcome(), outcome);
    }
}

fn refuse(answer: &mut Response, status: Status) {
    if answer.status == status && matches!(answer.body, Body::Nothing | Body::Container { .. }) {
        answer.status = Status::BadRequest;
    }
}

#[test]
fn an_etag_that_outlives_a_write_is_called_so() {
    let target = named("etags-stay").unwrap();
    let stale = "value: 2}}}\n  - replace: {id: witness, if-match: stale, expect: precondition-failed";
    let verdict = verdict(&target, DETAILS, stale);
    assert_eq!(
        verdict,
        Verdict::Unsupported("the target keeps the etag of `witness` when it is written".into())
    );
}

#[test]
fn text_from_a_target_is_cut_short() {
    let tamper = |response: &mut Response| {
        if matches!(response.body, Body::Ids(_)) {
            response.body = Body::Ids(vec!["x".repeat(10_000); 10_000]);
        }
    };
    let verdict = verdict(&Tampered(IndependentStore::default(), tamper), QUERY, QUERY);
    assert!(verdict.reason().unwrap().len() < 2_000);
}
