//! What is said of each line of small logs.

use cosmos_ttl_explore::judge::{Judgement, LineVerdict};

use crate::judged;

/// A line of container `c`: when it was sent and answered, the request, and the answer.
fn line(row: &str) -> String {
    let cells: Vec<&str> = row.split(" | ").map(str::trim).collect();
    let [times, request, answer @ ..] = cells.as_slice() else { return row.to_owned() };
    let answer = answer.first().copied().unwrap_or_default();
    let (sent, received) = times.split_once("..").unwrap();
    let received = if received.is_empty() { String::new() } else { format!("\"received\":{received},") };
    let answer = if answer.is_empty() { String::new() } else { format!(",\"answer\":{answer}") };
    format!("{{\"sent\":{sent},{received}\"container\":\"c\",\"request\":{request}{answer}}}")
}

fn letters(judgement: &Judgement) -> String {
    let letter = |verdict: &LineVerdict| match verdict {
        LineVerdict::Possible => 'p',
        LineVerdict::NotJudged(_) => '-',
        LineVerdict::Impossible => 'X',
    };
    judgement.lines.values().map(letter).collect()
}

/// Checks what is said of each line with `--sole-writer`, and without: `p`ossible, not judged (`-`), impossible (`X`).
#[track_caller]
fn check(sole: &str, others: &str, rows: &str) {
    let rows = rows.lines().map(str::trim).filter(|row| !row.is_empty());
    let log = rows.map(line).collect::<Vec<_>>().join("\n");
    let said = [true, false].map(|is_sole_writer| judged(log.as_bytes(), is_sole_writer));
    let told = said.each_ref().map(letters);
    assert_eq!(told.each_ref().map(String::as_str), [sole, others], "{:?}\n{log}", said[0].impossible);
}

/// A container with `defaultTtl` 5, and an item in it whose `_ts` is 1001.
const NEW: &str = r#"
    0.0..0.1 | {"create-container":{"defaultTtl":5}} | {"status":201}
    1.0..1.1 | {"create":{"item":{"id":"a"}}} | {"status":201,"item":{"id":"a","_ts":1001,"_etag":"1"}}
"#;
const FOUND: &str = r#"{"read":{"id":"a"}} | {"status":200,"item":{"id":"a","_ts":1001,"_etag":"1"}}"#;
const GONE: &str = r#"{"read":{"id":"a"}} | {"status":404}"#;

#[test]
fn deadlines_are_intervals() {
    for (at, found, gone) in [(3.0, 'p', 'X'), (5.5, 'p', 'p'), (8.5, 'X', 'p')] {
        let row = |look: &str| format!("{NEW}\n{at}..{} | {look}", at + 0.1);
        check(&format!("pp{found}"), &format!("pp{found}"), &row(FOUND));
        check(&format!("pp{gone}"), "pp-", &row(GONE));
    }
    // A log in the middle shows its item first, and its settings never.
    check("-", "-", &format!("1.0..1.1 | {FOUND}"));
    // A write at each end of a second tells the clock, until it has drifted.
    let tick = r#"1.95..1.96 | {"upsert":{"item":{"id":"b"}}} | {"status":201,"item":{"id":"b","_ts":1001}}"#;
    check("pppX", "pppX", &format!("{NEW}{tick}\n7.3..7.4 | {FOUND}"));
    let late =
        r#"2000.0..2000.1 | {"upsert":{"item":{"id":"b"}}} | {"status":201,"item":{"id":"b","_ts":3001}}"#;
    check("ppp", "ppp", &format!("{NEW}{late}"));
    check("ppX", "ppX", &format!("{NEW}{}", late.replace("3001", "3009")));
}

#[test]
fn what_was_lost_may_come_late() {
    let lost = r#"2.0.. | {"upsert":{"item":{"id":"a","v":2}}}"#;
    let new = r#"{"read":{"id":"a"}} | {"status":200,"item":{"id":"a","v":2,"_ts":1008,"_etag":"2"}}"#;
    check("pp-pp", "pp-pp", &format!("{NEW}{lost}\n3.0..3.1 | {FOUND}\n9.0..9.1 | {new}"));
    check("pp-pX", "pp-p-", &format!("{NEW}{lost}\n9.0..9.1 | {new}\n9.2..9.3 | {GONE}"));
    // A server that failed may have done it all the same; one that was busy has not.
    let failed = r#"2.0..2.1 | {"delete":{"id":"a"}} | {"status":503}"#;
    check("pp-p", "pp--", &format!("{NEW}{failed}\n3.0..3.1 | {GONE}"));
    check("pp-X", "pp--", &format!("{NEW}{}\n3.0..3.1 | {GONE}", failed.replace("503", "429")));
}

#[test]
fn a_refusal_is_about_the_ttl_that_was_sent() {
    for (ttl, status, said) in
        [("", 400, '-'), (",\"ttl\":7", 400, 'X'), (",\"ttl\":0", 400, 'p'), (",\"ttl\":0", 200, 'X')]
    {
        let row = format!("{{\"upsert\":{{\"item\":{{\"id\":\"a\"{ttl}}}}}}} | {{\"status\":{status}}}");
        check(&format!("pp{said}"), &format!("pp{said}"), &format!("{NEW}2.0..2.1 | {row}"));
    }
}

#[test]
fn requests_that_overlap_come_in_any_order() {
    let delete = r#"{"delete":{"id":"a"}} | {"status":204}"#;
    check("pppp", "pppp", &format!("{NEW}2.0..2.9 | {delete}\n2.1..2.8 | {FOUND}"));
    check("ppXp", "pppp", &format!("{NEW}2.5..2.9 | {FOUND}\n2.1..2.2 | {delete}"));
    let many: Vec<_> = (0..9).map(|more| format!("2.{more}..3.5 | {GONE}")).collect();
    check("pp---------", "pp---------", &format!("{NEW}{}", many.join("\n")));
}

#[test]
fn unreadable_lines_make_unknown_what_they_may_be_about() {
    let gone = format!("3.0..3.1 | {GONE}");
    for (wrong, sole) in [
        ("{", "p--"),
        (r#"{"sent":2,"received":2.1,"container":"c","request":{"delete":{"id":"a","x":[}}"#, "p--"),
        (r#"2.0..2.1 | {"other":{}} | {"status":200}"#, "pp--"),
        (r#"2.0..2.1 | {"batch":null} | {"status":200}"#, "pp--"),
        (r#"2.0..2.1 | {"delete":{"id":"a","if-match":7}} | {"status":204}"#, "pp--"),
        (r#"2.0..2.1 | {"delete":{"id":"b","if-match":7}} | {"status":204}"#, "pp-X"),
        (r#"2.0..2.1 | {"read":{"idem":"a"}} | {"status":404}"#, "pp-X"),
    ] {
        let log = format!("{NEW}{wrong}\n{gone}");
        let rows = log.lines().map(str::trim).filter(|row| !row.is_empty()).map(line).collect::<Vec<_>>();
        let told = letters(&judged(rows.join("\n").as_bytes(), true));
        assert!(told.ends_with(&sole[sole.len() - 2..]), "{wrong}: {told}");
    }
}

#[test]
fn what_is_not_modelled_or_cut_accuses_nobody() {
    let new = r#"{"read":{"id":"a"}} | {"status":200,"item":{"id":"a","v":2,"_ts":1008,"_etag":"2"}}"#;
    let patch = r#"{"patch":{"id":"a","operations":[{"add":{"path":"/v","value":2}}]}}"#;
    for rows in [
        // Its answer was lost, or it may have been done in spite of it.
        format!("2.0.. | {patch}\n3.0..3.1 | {FOUND}\n9.0..9.1 | {new}"),
        format!("2.0..2.1 | {patch} | {{\"status\":503}}\n3.0..3.1 | {FOUND}\n9.0..9.1 | {new}"),
        // A log that ends within a line.
        format!("3.0..3.1 | {GONE}\n{{\"sent\":2"),
        // An id that the service refuses.
        r#"2.0..2.1 | {"create":{"item":{"id":"a/b","ttl":2}}} | {"status":400}"#.to_owned(),
        // A deleted container.
        format!("2.0..2.1 | {{\"delete-container\":{{}}}} | {{\"status\":204}}\n3.0..3.1 | {GONE}"),
    ] {
        let log = format!("{NEW}{rows}");
        let log = log.lines().map(str::trim).filter(|row| !row.is_empty()).map(line).collect::<Vec<_>>();
        let judgement = judged(log.join("\n").as_bytes(), true);
        assert!(judgement.impossible.is_empty(), "{rows}: {:?}", judgement.impossible);
    }
}

#[test]
fn lines_that_are_none_say_why() {
    let long = format!("{{\"sent\":1,\"x\":\"{}\"}}", "x".repeat(5 << 20));
    let deep = format!("{{\"sent\":{}", "[".repeat(100_000));
    for (row, why) in [
        (long.as_str(), "bytes are too many"),
        (&deep, ""),
        (&line(r#"1e13..1e13 | {"query":{}} | {"status":200}"#), "not of milliseconds"),
        (&line(r#"2..1 | {"query":{}} | {"status":200}"#), "`received` is before `sent`"),
        (&line(r#"2.. | {"query":{}} | {"status":200}"#), "without `received`"),
        (r#"{"sent":1,"received":2,"clock":"exact","container":"c","request":{"query":{}}}"#, "`exact`"),
        ("\u{1b}[31m\u{202e}", "expected value"),
    ] {
        let judgement = judged(row.as_bytes(), true);
        let (number, said) = &judgement.unreadable[0];
        assert!(
            *number == 1 && said.contains(why) && said.len() < 9_000 && !said.contains('\u{1b}'),
            "{said}"
        );
    }
}

#[test]
fn a_hundred_thousand_items_are_no_limit() {
    let item = |number: usize| {
        let at = format!("{number}.25..{number}.75");
        let answer = format!(r#"{{"status":201,"item":{{"id":"i{number}","_ts":{}}}}}"#, 1_000 + number);
        line(&format!(r#"{at} | {{"create":{{"item":{{"id":"i{number}"}}}}}} | {answer}"#))
    };
    let log: Vec<String> = (0..100_000).map(item).collect();
    let judgement = judged(log.join("\n").as_bytes(), true);
    assert_eq!(judgement.count(|verdict| verdict == LineVerdict::Possible), 100_000);
}
