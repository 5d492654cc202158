//! Each written vector loads, is right, and kills the mutant for which it was written.

use std::fs;

use cosmos_ttl_explore::{Action, Call, Script, write};
use cosmos_ttl_harness::literal::Literal;
use cosmos_ttl_harness::target::{Container, Document, Indexing, Operation, Patch, Request};
use cosmos_ttl_harness::vector::Suite;
use cosmos_ttl_mutants::named;

use super::boards::{check_right, fails};
use cosmos_ttl_testing::suite;

fn ask(request: Request) -> Action {
    Action::Call(Call::plain(request))
}

fn create(id: &str, ttl: i64) -> Action {
    let properties = [("ttl".to_owned(), Literal::from(ttl))].into();
    ask(Request::Item(Operation::Create(Document { id: id.into(), properties })))
}

fn board(default_ttl: Option<i64>, actions: Vec<Action>) -> Script {
    let container = Container { default_ttl: default_ttl.map(Literal::from), indexing: Indexing::Consistent };
    Script { container, actions }
}

fn off() -> Action {
    ask(Request::ReplaceContainer(Container::default()))
}

#[track_caller]
fn check_refused(board: &Script, why: &str) {
    let refused = write(board, suite(), &[], &mut |_| true).unwrap_err();
    assert!(refused.contains(why), "{refused}");
}

/// A container that is made, or must not be, and nothing else.
#[track_caller]
fn check_container(default_ttl: &str, indexing: Indexing, mutant: &str, clauses: &[&str]) {
    let container = Container { default_ttl: Some(Literal::parse(default_ttl).unwrap()), indexing };
    let board = Script { container, actions: Vec::new() };
    let store = named(mutant).unwrap();
    let one = write(&board, suite(), &[], &mut |vector| fails(&store, vector)).unwrap();
    assert_eq!(one.vector.clauses, clauses, "{}", one.text);
    assert!(fails(&store, &one.vector), "{}", one.text);
    check_right(&one.vector, &one.text);
}

#[test]
fn the_making_of_a_container_alone_is_a_vector_too() {
    let (plain, none) = (Indexing::Consistent, Indexing::None);
    check_container("0", plain, "container-zero-is-at-once", &["container-zero-rejected"]);
    check_container(
        "{}",
        plain,
        "container-object-is-off-at-creation",
        &["container-not-an-integer-rejected"],
    );
    check_container("1", none, "no-index-is-fine-at-creation", &["ttl-needs-an-index"]);
    check_container("1", plain, "container-one-is-refused", &["container-seconds-range"]);
    check_container(
        "-1",
        plain,
        "container-minus-one-is-refused",
        &["container-minus-one-is-on-without-default"],
    );
}

#[test]
fn what_the_format_cannot_say_is_refused_with_the_reason() {
    let two = vec![create("a", 1), create("b", 1), Action::Wait(1), off(), ask(Request::Query)];
    check_refused(
        &board(Some(-1), two),
        "4 answers are allowed here, and no single open clause says which is when",
    );
    let read = ask(Request::Item(Operation::Read("a".into())));
    check_refused(&board(Some(-1), vec![read.clone(), Action::Wait(1)]), "it shows no clause");
    let lazy = Container { default_ttl: Some(Literal::from(1)), indexing: Indexing::Lazy };
    let on = ask(Request::ReplaceContainer(lazy.clone()));
    let lagging = Script {
        container: Container { default_ttl: None, ..lazy },
        ..board(None, vec![create("a", 5), on, ask(Request::Query)])
    };
    check_refused(&lagging, "lazy index");
}

#[test]
fn a_file_with_the_vector_in_it_loads_and_the_next_one_is_called_otherwise() {
    let suite = suite();
    let read = ask(Request::Item(Operation::Read("a".into())));
    let board = board(Some(-1), vec![create("a", 1), Action::Wait(1), off(), read]);
    let first = write(&board, suite, &[], &mut |_| true).unwrap();
    let told = [
        "  - create: {id: witness, ttl: -1, expect: created}",
        "  - read: {id: witness, expect: found}",
        "  - read: {id: a, expect: {open: reappearance, back: found, gone: not-found}}",
    ];
    assert!(told.iter().all(|line| first.text.contains(line)), "{}", first.text);
    let directory = cosmos_ttl_testing::temporary().join("written");
    let _ = fs::remove_dir_all(&directory);
    fs::create_dir_all(&directory).unwrap();
    let vectors = cosmos_ttl_testing::project().join("vectors");
    for entry in fs::read_dir(vectors).unwrap().map(Result::unwrap).filter(|entry| entry.path().is_file()) {
        fs::copy(entry.path(), directory.join(entry.file_name())).unwrap();
    }
    fs::write(directory.join(format!("{}.yaml", first.vector.section)), &first.file).unwrap();
    let grown = Suite::load(&directory).unwrap();
    assert_eq!(grown.vectors.len(), suite.vectors.len() + 1);
    assert!(grown.get(&first.vector.name).is_some());
    let second = write(&board, &grown, &[], &mut |_| true).unwrap();
    assert_ne!(second.vector.name, first.vector.name);
}

fn clauses_of(board: &Script) -> Vec<String> {
    write(board, suite(), &[], &mut |_| true).unwrap().vector.clauses
}

#[test]
fn a_fraction_that_is_zero_is_cited_as_zero() {
    let create = |ttl: &str| {
        let properties = [("ttl".to_owned(), Literal::parse(ttl).unwrap())].into();
        ask(Request::Item(Operation::Create(Document { id: "a".into(), properties })))
    };
    for (ttl, clause) in [
        ("0.0", "item-zero-rejected"),
        ("-2.0", "item-below-minus-one-rejected"),
        ("4e9", "item-above-maximum-rejected"),
        ("0.5", "item-not-an-integer-rejected"),
    ] {
        let clauses = clauses_of(&board(Some(10), vec![create(ttl)]));
        assert!(clauses.iter().any(|cited| cited == clause), "{ttl}: {clauses:?}");
    }
}

#[test]
fn an_item_in_the_second_of_its_write_does_not_show_that_nothing_expires() {
    let read = ask(Request::Item(Operation::Read("a".into())));
    let never = |clauses: Vec<String>| clauses.iter().any(|cited| cited == "off-never-expires");
    let at_once = board(None, vec![create("a", 1), read.clone()]);
    let told = write(&at_once, suite(), &[], &mut |_| true);
    assert!(!told.is_ok_and(|one| never(one.vector.clauses)));
    assert!(never(clauses_of(&board(None, vec![create("a", 1), Action::Wait(1), read]))));
}

#[test]
fn an_item_of_another_partition_may_live_by_its_patch_alone_when_settings_change() {
    let elsewhere = |operation: Operation| {
        let partition = Some("q".into());
        Action::Call(Call { partition, ..Call::plain(Request::Item(operation)) })
    };
    let patch = Patch { set: [("value".into(), Literal::from(1))].into(), ..Patch::of("a") };
    let raised = Container { default_ttl: Some(Literal::from(100)), ..Container::default() };
    let clauses = clauses_of(&board(
        Some(5),
        vec![
            elsewhere(Operation::Create(Document { id: "a".into(), properties: [].into() })),
            Action::Wait(3),
            elsewhere(Operation::Patch(patch, None)),
            Action::Wait(3),
            ask(Request::ReplaceContainer(raised)),
            elsewhere(Operation::Read("a".into())),
        ],
    ));
    assert!(clauses.iter().any(|cited| cited == "patch-restarts-count"), "{clauses:?}");
}

#[test]
fn each_form_that_is_not_written_has_its_reason() {
    let named_witness = board(Some(1), vec![create("witness", 1), Action::Wait(1), ask(Request::Query)]);
    let why = write(&named_witness, suite(), &[], &mut |_| false).unwrap_err();
    assert!(why.contains("without a witness") && why.contains("with a witness and with details"), "{why}");
    assert!(why.contains("an item of its own is called `witness`"), "{why}");
}
