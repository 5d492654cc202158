//! Each written vector loads, is right, and kills the mutant for which it was written.

use std::collections::BTreeSet;
use std::fs;

use cosmos_ttl_explore::{Action, Call, Script, write};
use cosmos_ttl_harness::literal::Literal;
use cosmos_ttl_harness::run::run_virtual;
use cosmos_ttl_harness::target::{Container, Document, Edition, Indexing, Operation, Request, Target};
use cosmos_ttl_harness::vector::{Suite, Vector};
use cosmos_ttl_harness::verdict::Outcome;
use cosmos_ttl_mutants::{IndependentStore, mutants, named};

use super::boards::{asked_by, drawn, errs, shrink};
use cosmos_ttl_testing::choices::{COUNT, In, numbered, reference};
use cosmos_ttl_testing::suite;

fn kind(target: &dyn Target, vector: &Vector) -> Outcome {
    run_virtual(target, &[vector]).unwrap().results[0].verdict.outcome()
}

fn fails(target: &dyn Target, vector: &Vector) -> bool {
    kind(target, vector) == Outcome::Fail
}

/// Both oracles pass it, whatever they choose.
fn check_right(vector: &Vector, text: &str) {
    let edition = vector.edition.unwrap_or_default();
    for number in (0..COUNT).step_by(9).chain([COUNT - 1]) {
        let (interpretation, choices) = numbered(number);
        let model = kind(&In(edition, reference(interpretation)), vector);
        assert_eq!(model, Outcome::Pass, "the model, choice {number}:\n{text}");
        let naive = kind(&In(edition, IndependentStore { choices, ..IndependentStore::default() }), vector);
        assert_eq!(naive, Outcome::Pass, "the naive store, choice {number}:\n{text}");
    }
}

#[test]
fn most_mutants_come_to_a_vector_of_their_own_that_they_fail() {
    let suite = suite();
    let boards: Vec<Script> = suite.vectors.iter().map(asked_by).collect();
    let (mut written, mut refused) = (0, Vec::new());
    for mutant in mutants().step_by(12) {
        let store = mutant.store();
        let found = boards.iter().filter(|board| errs(&store, board)).min_by_key(|board| board.actions.len());
        let Some(board) = found else { continue };
        let small = shrink(board, &mut |board| errs(&store, board));
        match write(&small, suite, mutant.clauses, &mut |vector| fails(&store, vector)) {
            Ok(one) => {
                written += 1;
                assert!(fails(&store, &one.vector), "{}:\n{}", mutant.name, one.text);
                assert!(suite.get(&one.vector.name).is_none());
                check_right(&one.vector, &one.text);
            }
            Err(why) => refused.push(format!("{}: {why}", mutant.name)),
        }
    }
    assert!(18 <= written && refused.len() * 3 < written, "{written} written, not {refused:#?}");
}

#[test]
fn whatever_is_written_of_a_script_by_chance_is_right() {
    let suite = suite();
    let (mut written, mut refused) = (0, BTreeSet::new());
    for board in (0..120).map(drawn) {
        match write(&board, suite, &[], &mut |_| true) {
            Ok(one) => {
                written += 1;
                check_right(&one.vector, &one.text);
            }
            Err(why) => {
                assert!(!why.contains("does not agree"), "{why}: {board:#?}");
                refused.insert(why);
            }
        }
    }
    assert!(50 < written, "{written} written, not {refused:#?}");
}

fn ask(request: Request) -> Action {
    Action::Call(Call { request, conditions: Vec::new() })
}

fn create(id: &str, ttl: i64) -> Action {
    let properties = [("ttl".to_owned(), Literal::from(ttl))].into();
    ask(Request::Item(Operation::Create(Document { id: id.into(), properties })))
}

fn board(default_ttl: Option<i64>, actions: Vec<Action>) -> Script {
    let container = Container { default_ttl: default_ttl.map(Literal::from), indexing: Indexing::Consistent };
    Script { edition: Edition::Y2024, container, actions }
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
    let board = Script { edition: Edition::Y2024, container, actions: Vec::new() };
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
fn each_form_that_is_not_written_has_its_reason() {
    let named_witness = board(Some(1), vec![create("witness", 1), Action::Wait(1), ask(Request::Query)]);
    let why = write(&named_witness, suite(), &[], &mut |_| false).unwrap_err();
    assert!(why.contains("without a witness") && why.contains("with a witness and with details"), "{why}");
    assert!(why.contains("an item of its own is called `witness`"), "{why}");
}
