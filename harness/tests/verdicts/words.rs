//! Texts: suggestions, escaped text, descriptions of requests and responses; and the words of clauses.

use std::sync::Arc;

use cosmos_ttl_harness::clauses::{Catalogue, Level};
use cosmos_ttl_harness::describe::{answered, item, phrase, request, response, response_with_detail};
use cosmos_ttl_harness::diagnostic::Source;
use cosmos_ttl_harness::evidence::Evidence as E;
use cosmos_ttl_harness::literal::Literal;
use cosmos_ttl_harness::plain::{plain, plain_lines, visible};
use cosmos_ttl_harness::suggest::suggest;
use cosmos_ttl_harness::target::{
    Container, Document, Indexing, Item, Operation, Patch, Properties, Request, Response, Status,
};
use cosmos_ttl_harness::vector::Condition;

#[test]
fn a_slip_is_recognised_and_what_has_little_in_common_is_no_guess() {
    let endless = "lifetime".repeat(100);
    for (word, names, guess) in [
        ("lifetme", ["lifetime", "domain"], Some("lifetime")),
        ("gone-at-dedline", ["gone-at-deadline", "visible-before-deadline"], Some("gone-at-deadline")),
        ("off-item-absent", ["lifetime/off-item-absent", "domain"], Some("lifetime/off-item-absent")),
        (&endless, ["lifetime", "domain"], None),
        ("xyzzy", ["lifetime", "domain"], None),
    ] {
        assert_eq!(suggest(word, names).first().copied(), guess, "{word}");
    }
}

#[test]
fn other_text_stays_as_it_is_and_long_text_ends() {
    for text in ["", "not-found", "größer \"als\" C:\\x", "生存时间"] {
        assert_eq!(plain(text), text);
    }
    let text = plain(&"x".repeat(10_000));
    assert!(text.chars().count() == 301 && text.ends_with('…'), "{text}");
}

#[test]
fn of_many_lines_the_last_are_kept() {
    assert_eq!(plain_lines("a\u{7}\nb\n"), "a\\u{7}\nb");
    let many = plain_lines(&"x\n".repeat(100));
    assert_eq!(many.lines().count(), 41);
    assert!(many.starts_with("… 60 lines before\n"));
}

#[test]
fn what_steers_reorders_or_hides_is_written_out() {
    let steering = ['\0', '\u{7}', '\u{1b}', '\u{7f}', '\u{80}', '\u{9b}'].into_iter();
    let unseen = [
        '\u{ad}'..='\u{ad}',
        '\u{61c}'..='\u{61c}',
        '\u{180e}'..='\u{180e}',
        '\u{200b}'..='\u{200f}',
        '\u{2028}'..='\u{202e}',
        '\u{2060}'..='\u{206f}',
        '\u{feff}'..='\u{feff}',
        '\u{fff9}'..='\u{fffb}',
        '\u{fffe}'..='\u{ffff}',
        '\u{e0000}'..='\u{e007f}',
    ];
    for character in steering.chain(unseen.into_iter().flatten()) {
        let shown = visible(&format!("a{character}b"));
        assert_eq!(shown, format!("a\\u{{{:x}}}b", u32::from(character)));
    }
    assert_eq!(visible("a\r\n\tb"), "a\\r\\n\\tb");
    assert_eq!(plain("\u{1b}[31mred\u{9b}0m\u{202e}"), "\\u{1b}[31mred\\u{9b}0m\\u{202e}");
}

fn ttl(text: &str) -> Properties {
    [("ttl".to_owned(), Literal::parse(text).unwrap())].into()
}

#[test]
fn a_request_is_described_in_a_line_and_in_a_phrase() {
    let check = |one: &Request, conditions: &[(usize, Condition)], line: &str, in_a_sentence: &str| {
        assert_eq!(request(one, conditions), line);
        assert_eq!(phrase(one, conditions), in_a_sentence);
    };
    let create = Operation::Create(Document { id: "a".into(), properties: ttl("10") });
    check(&Request::Item(create.clone()), &[], "create a {ttl: 10}", "create a with ttl 10");
    let patch = Patch { set: ttl("1"), remove: vec!["value".into()], ..Patch::of("b") };
    let patch = Operation::Patch(patch, None);
    check(
        &Request::Batch(vec![create, patch]),
        &[(1, Condition::Seen)],
        "batch: create a {ttl: 10}; patch b {ttl: 1} without value if its etag is the one seen last",
        "batch of create a with ttl 10 and patch b with ttl 1 if seen",
    );
    let container = Container { default_ttl: Some(Literal::from(-1)), indexing: Indexing::None };
    check(
        &Request::CreateContainer(container),
        &[],
        "create-container {defaultTtl: -1, indexing: none}",
        "create-container with default -1 and no index",
    );
    check(&Request::Query, &[], "query", "query");
}

#[test]
fn a_response_is_described_with_and_without_what_came_with_it() {
    let document = Document { id: "a".into(), properties: ttl("10") };
    let found = Item { document, ts: Some(7), etag: Some("e".into()) };
    assert_eq!(item(&found), "a {ttl: 10, _ts: 7, _etag: e}");
    assert_eq!(response(&Response::item(Status::Found, found)), "found");
    let ids = Response::ids(vec!["b".into(), "x".repeat(70)]);
    assert_eq!(response(&ids), format!("[b, {}…]", "x".repeat(60)));
    let other = Response::new(Status::Other(500)).with_detail("a\nb");
    assert_eq!(response(&other), "status 500");
    assert_eq!(response_with_detail(&other), "status 500 (a\nb)");
    assert_eq!(answered(&other), "status 500 (a\\nb)");
}

#[test]
fn a_long_answer_is_described_by_its_first_ids_whatever_their_order() {
    let ids: Vec<_> = (0..30).map(|number| format!("{number:02}")).collect();
    let described = response(&Response::ids(ids.clone()));
    assert!(described.starts_with("[00, 01, ") && described.ends_with(", 19]"), "{described}");
    assert_eq!(response(&Response::ids(ids.into_iter().rev().collect())), described);
}

#[test]
fn levels_and_evidence_are_words_that_fill_a_column() {
    let levels = [Level::Should, Level::Must, Level::Open].map(|level| format!("{level:<7}|"));
    assert_eq!(levels, ["should |", "must   |", "open   |"]);
    let all = [E::Documented, E::Observed, E::Inferred, E::Contradictory, E::Unknown];
    let words = ["documented", "observed", "inferred", "contradictory", "unknown"];
    assert_eq!(all.map(|evidence| format!("{evidence:>14}")), words.map(|word| format!("{word:>14}")));
}

#[test]
fn an_open_clause_has_two_values_or_more() {
    let read = |values: &str| {
        let text = format!(
            "format: 1\nsections:\n- section: a\n  clauses:\n  - {{id: b, level: open, values: [{values}], binds: item, \
             evidence: observed, observe: client, sources: [D1], says: Either.}}\n"
        );
        Catalogue::read(&Arc::new(Source::new("clauses.yaml", text)))
    };
    assert!(read("one, two").is_ok());
    for values in ["", "one"] {
        let flaw = read(values).unwrap_err().to_string();
        assert!(flaw.contains("clause `b` has the wrong fields for its level"), "{flaw}");
    }
}
