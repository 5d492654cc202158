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

#[track_caller]
fn check_tampered(tamper: fn(&mut Response), kind: Outcome, reason: &str) {
    let verdict = verdict(&Tampered(IndependentStore::default(), tamper), QUERY, QUERY);
    assert_eq!((verdict.outcome(), verdict.reason().as_deref()), (kind, Some(reason)));
}

#[test]
fn what_a_target_does_not_show_is_no_failure() {
    let tamper = |response: &mut Response| {
        if let Body::Item(item) = &mut response.body {
            item.etag = None;
        }
    };
    check_tampered(tamper, Outcome::Unsupported, "the target shows no etags");
    let tamper = |response: &mut Response| {
        if let Body::Item(item) = &mut response.body {
            item.ts = None;
        }
    };
    check_tampered(tamper, Outcome::Unsupported, "the target shows no `_ts`");
    let tamper = |response: &mut Response| {
        if matches!(response.body, Body::Item(_)) {
            response.body = Body::Nothing;
        }
    };
    check_tampered(tamper, Outcome::Unsupported, "the target returns no item with `created`");
}

#[test]
fn a_ts_that_is_no_second_fails() {
    fn check(tamper: fn(&mut Response), ts: i64) {
        let reason = format!(
            "at second 0: expected created, got created with `_ts` {ts}, which is no second from 1970 to 9999"
        );
        check_tampered(tamper, Outcome::Fail, &reason);
    }
    check(|response| set_ts(response, |_| i64::MAX), i64::MAX);
    check(|response| set_ts(response, |_| i64::MAX - (1 << 31)), i64::MAX - (1 << 31));
    check(|response| set_ts(response, |_| -1), -1);
    check(|response| set_ts(response, |ts| ts * 1000), 1_600_000_000_000);
    check(|response| set_ts(response, |_| 253_402_300_800), 253_402_300_800);
}

fn set_ts(response: &mut Response, change: fn(i64) -> i64) {
    if let Body::Item(item) = &mut response.body {
        item.ts = item.ts.map(change);
    }
}

#[test]
fn a_ts_that_never_changes_is_never_conformant() {
    let suite = cosmos_ttl_testing::suite();
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
fn an_answer_of_the_wrong_kind_fails() {
    let tamper = |response: &mut Response| {
        if let Body::Ids(ids) = &response.body {
            response.body = Body::Count(ids.len() as u64);
        }
    };
    check_tampered(tamper, Outcome::Fail, "at second 10: expected [witness], got count 1");
    let tamper = |response: &mut Response| {
        if matches!(response.body, Body::Ids(_)) {
            *response = Response::new(Status::Other(503)).with_detail("gone fishing");
        }
    };
    check_tampered(tamper, Outcome::Fail, "at second 10: expected [witness], got status 503 (gone fishing)");
}

#[test]
fn an_answer_that_is_no_success_is_told_by_its_status_whatever_it_carries() {
    let tamper = |response: &mut Response| {
        if matches!(response.body, Body::Ids(_) | Body::Count(_) | Body::Committed(_)) {
            response.status = Status::Other(503);
        }
    };
    let check = |from, to, words| {
        let reason = verdict(&Tampered(IndependentStore::default(), tamper), from, to).reason().unwrap();
        assert_eq!(reason, format!("at second 10: expected {words}"));
    };
    check(QUERY, QUERY, "[witness], got status 503");
    check(QUERY, "- count: {expect: 1}\n  - query: {expect: [witness]}", "count 1, got status 503");
    let batch = format!(
        "- batch:\n      {BATCH}\n  - create: {{id: witness, expect: created}}\n  {QUERY}\n  - create: {{id: b, expect: conflict}}\n  - delete: {{id: b, expect: no-content}}"
    );
    check(QUERY, &batch, "committed [created, no-content], got status 503");
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
fn an_answer_about_another_item_fails() {
    let tamper = |response: &mut Response| {
        if let Body::Item(item) = &mut response.body {
            item.document.id = "zzz".into();
        }
    };
    check_tampered(tamper, Outcome::Fail, "at second 0: expected created, got created with the item `zzz`");
}

#[test]
fn found_without_an_item_fails() {
    let tamper = |response: &mut Response| {
        if response.status == Status::Found {
            response.body = Body::Nothing;
        }
    };
    check_tampered(
        tamper,
        Outcome::Fail,
        "at second 10: expected found (back) or not-found (gone), got found without an item",
    );
}

#[test]
fn lazy_indexing_that_is_refused_is_not_supported() {
    let verdict = verdict(
        &Tampered(IndependentStore::default(), |response| {
            if response.status == Status::Created && response.body == Body::Nothing {
                response.status = Status::BadRequest;
            }
        }),
        "defaultTtl: 100, expect: created",
        "defaultTtl: 100, indexing: lazy, expect: created",
    );
    assert_eq!(verdict.outcome(), Outcome::Unsupported);
}

#[test]
fn lazy_indexing_that_is_refused_after_it_was_taken_is_a_failure() {
    let verdict = verdict(
        &Tampered(IndependentStore::default(), |response| {
            if response.status == Status::Ok && response.body == Body::Nothing {
                response.status = Status::BadRequest;
            }
        }),
        "defaultTtl: 100, expect: created}",
        "indexing: lazy, expect: created}\n  - replace-container: {defaultTtl: 100, indexing: lazy, expect: ok}",
    );
    assert_eq!(verdict.outcome(), Outcome::Fail);
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
