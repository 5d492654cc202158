//! `cosmos-ttl ask`, and the lines for the evidence that `judge` writes.

use std::fs;

use crate::program::{check, check_in, directory, succeeds};

const LOG: &str = r#"{"sent":0,"received":0,"clock":"exact","container":"c","request":{"create-container":{"defaultTtl":-1}},"answer":{"status":201}}
{"sent":0,"received":0,"clock":"exact","container":"c","request":{"create":{"item":{"id":"a","ttl":1}}},"answer":{"status":201,"item":{"id":"a","ttl":1,"_ts":1000,"_etag":"1"}}}
{"sent":2,"received":2,"clock":"exact","container":"c","request":{"count":{}},"answer":{"status":200,"count":COUNT}}
"#;

#[test]
fn what_people_read_of_experiments() {
    insta::assert_snapshot!(
        "ask",
        [&["ask"][..], &["ask", "expired-in-aggregates"]].map(succeeds).join("---\n")
    );
}

#[test]
fn experiments_and_programs() {
    check(
        r#"
        0 | ask --format json | "clause": "reappearance" | "requests": 4 | "unsettled": "no client can settle it
        0 | ask reappearance --format json | "answer": "404 not-found" | "value": "gone" | !unsettled
        3 | ask lazy-index-may-lag | no client can settle it: a lazy index
        3 | ask lazy-index-may-lag --client curl | no client can settle it
        0 | ask expired-precondition --client python | {"replace":{"item":{"id":"a"},"if-match":"@ETAG@"}} | {"wait":2} | !@STEPS@ | !@TITLE@
        0 | ask item-integral-fraction --client python | {"id":"a","ttl":10.0}
        0 | ask container-null-at-creation --client javascript | {"defaultTtl":null,
        0 | ask expired-precondition --client curl | sleep 2 | -H 'if-match: '"${ETAG:?}"'' | answered '404|412' curl -sSi -X PUT "$URL"'/dbs/'"$DATABASE"'/colls/c/docs/a' | 412 precondition-failed means | !@ETAG@ | !@DATABASE@ | !@DELETE@
        2 | ask item-integral-fraction --client javascript | JavaScript writes 10.0 as 10 | `--client curl` sends everything
        2 | ask container-null-at-creation --client python | leaves out a `defaultTtl` that is null
        2 | ask gone-at-deadline | `gone-at-deadline` leaves nothing open
        2 | ask reapearance | no open clause is called `reapearance` | did you mean reappearance?
        2 | ask --client curl
        "#,
    );
}

#[test]
fn a_log_becomes_a_line_for_the_evidence() {
    let logs = directory("ask-evidence");
    for count in ["0", "1", "2"] {
        fs::write(logs.join(count), LOG.replace("COUNT", count)).unwrap();
    }
    let excluded =
        "STORE chose excluded under `expired-in-aggregates`, if the expired item was still stored; lines";
    check_in(
        &logs,
        &format!(
            "0 | judge --sole-writer --evidence 0 | id: S-NEW, kind: observed | {excluded}
             0 | judge --sole-writer --evidence 1 | STORE chose counted under `expired-in-aggregates`; lines
             0 | judge --sole-writer 1 | expired-in-aggregates: counted | !S-NEW
             0 | judge --sole-writer --evidence 2 | not judged: 1 (a count | !S-NEW
             0 | judge --evidence 1 | not judged: 1 (a count | !S-NEW"
        ),
    );
}
