//! Every clause, taken out, is missed.

use std::collections::BTreeSet;

use cosmos_ttl_harness::clauses::{Clause, Observe};
use cosmos_ttl_harness::literal::Literal;
use cosmos_ttl_harness::target::{Document, Operation, Patch, Properties, Target as _};
use cosmos_ttl_harness::vector::{Suite, embedded};
use cosmos_ttl_lab::ablation::{Ablation, find};
use cosmos_ttl_model::container::{Operation as ModelOperation, TtlChange};
use cosmos_ttl_model::rule::Wire;
use cosmos_ttl_reference::{Names, Reference};

use crate::program::{ProgramOutput, say};

#[track_caller]
fn says(words: &[&str], code: i32) -> String {
    let said = say(&[&["ablation"], words].concat());
    assert_eq!((said.code, said.err.as_str()), (code, ""), "{words:?}: {}", said.out);
    said.out
}

fn clause<'a>(suite: &'a Suite, id: &str) -> &'a Clause {
    suite.catalogue.get(id).unwrap()
}

/// Checks which witness of this clause is missing among the hand-written vectors that are kept.
#[track_caller]
fn check_missing(id: &str, keep: fn(&str) -> bool, missing: Option<&str>) {
    let mut suite = embedded().unwrap();
    suite.vectors.retain(|vector| keep(&vector.section));
    let found = find(&suite, &[clause(&suite, id)]).unwrap();
    assert_eq!(found[0].missing().as_deref(), missing, "{id}");
}

/// A test of the checker says that a property states each clause and fails without it.
#[test]
fn every_clause_that_a_client_can_see_has_a_vector_that_cites_it_and_fails_without_it() {
    let suite = embedded().unwrap();
    let removals = Reference::default().about().removals;
    for clause in suite.catalogue.clauses().filter(|clause| clause.observe == Observe::Client) {
        let citing: Vec<_> =
            suite.vectors.iter().filter(|vector| vector.clauses.contains(&clause.id)).collect();
        let failures = Ablation::of(&clause.id).unwrap().failures(&citing, &removals).unwrap();
        assert!(!failures.is_empty(), "{}", clause.id);
    }
}

#[test]
fn every_clause_can_be_taken_out_and_nothing_else() {
    let suite = embedded().unwrap();
    let clauses: Vec<_> = suite.catalogue.clauses().map(|clause| clause.id.as_str()).collect();
    let known: Vec<_> = Ablation::clauses().collect();
    let unique: BTreeSet<_> = known.iter().copied().collect();
    assert_eq!(unique.len(), known.len(), "a clause is taken out twice");
    assert_eq!(unique, clauses.into_iter().collect());
}

#[test]
fn what_is_insisted_on_is_a_value_of_its_clause() {
    let suite = embedded().unwrap();
    let insists = |clause: &Clause| Ablation::of(&clause.id).unwrap().insists();
    for clause in suite.catalogue.clauses() {
        let value = insists(clause).map(|(of, value)| (of.to_owned(), value.to_owned()));
        assert_eq!(value.is_some(), !clause.values.is_empty(), "{}", clause.id);
        if let Some((of, value)) = value {
            assert_eq!(of, clause.id);
            assert!(clause.values.contains(&value), "{value} of {}", clause.id);
        }
    }
}

#[test]
fn a_clause_is_told_at_length() {
    insta::assert_snapshot!(says(&["gone-at-deadline"], 0));
    insta::assert_snapshot!(says(&["expired-upsert-status", "purge-eventually"], 0));
}

#[test]
fn a_clause_without_a_witness_is_an_error() {
    insta::assert_snapshot!(says(&["--vectors", "suite"], 1));
    let without_indexing = |section: &str| section != "indexing";
    let missing = "without ttl-needs-an-index, indexing mode none is taken with a `defaultTtl`, and indexes all the \
                   same; no vector that cites it fails";
    check_missing("ttl-needs-an-index", without_indexing, Some(missing));
    check_missing("ttl-needs-an-index", |_| true, None);
}

#[test]
fn a_vector_that_fails_and_cites_other_clauses_is_no_witness() {
    let mut suite = embedded().unwrap();
    let id = "gone-at-deadline";
    for vector in &mut suite.vectors {
        vector.clauses.retain(|cited| cited != id);
    }
    let found = find(&suite, &[clause(&suite, id)]).unwrap();
    assert!(!found[0].others.is_empty() && !found[0].enough);
}

#[test]
fn programs_read_the_same() {
    let read: serde_json::Value =
        serde_json::from_str(&says(&["--format", "json", "gone-at-deadline"], 0)).unwrap();
    let suite = embedded().unwrap();
    let found = find(&suite, &[clause(&suite, "gone-at-deadline")]).unwrap();
    let count = |name: &str| read["clauses"][0][name].as_array().map(Vec::len);
    assert_eq!(count("citing"), Some(found[0].citing.len()));
    assert_eq!(count("others"), Some(found[0].others.len()));
    assert_eq!(read["missing"], serde_json::json!([]));
}

#[test]
fn a_clause_that_does_not_exist_is_refused() {
    let ProgramOutput { code, out, err } = say(&["ablation", "gone-at-dedline"]);
    assert_eq!((code, out.as_str()), (2, ""));
    assert!(err.contains("gone-at-deadline"), "{err}");
}

/// Returns the `ttl` of an operation of the model; `None` is that of a patch that keeps it.
fn read_by_model(operation: &Operation) -> Option<Wire> {
    match Names::default().operation(operation, |_| None) {
        ModelOperation::Create(draft)
        | ModelOperation::Upsert(draft)
        | ModelOperation::Replace { draft, .. } => Some(draft.ttl),
        ModelOperation::Patch { ttl: TtlChange::Keep, .. } => None,
        ModelOperation::Patch { ttl: TtlChange::Set(ttl), .. } => Some(ttl),
        ModelOperation::Patch { ttl: TtlChange::Remove, .. } => Some(Wire::Absent),
        other => panic!("{other:?} has no `ttl`"),
    }
}

/// Returns every write with these properties.
fn writes_of(properties: &Properties) -> [Operation; 4] {
    let document = || Document { id: "a".into(), properties: properties.clone() };
    let patch = Patch { id: "a".into(), set: properties.clone(), remove: Vec::new() };
    [
        Operation::Create(document()),
        Operation::Upsert(document()),
        Operation::Replace(document(), None),
        Operation::Patch(patch, None),
    ]
}

/// Returns every name of up to four of these characters, and names that a reader may take for `ttl`.
fn names_but_ttl() -> BTreeSet<String> {
    let mut all: BTreeSet<String> = [String::new()].into();
    for _ in 0..4 {
        let longer = all.iter().flat_map(|name| "tlTL_ $1".chars().map(move |next| format!("{name}{next}")));
        all = longer.chain(all.iter().cloned()).collect();
    }
    let alike =
        ["timeToLive", "TimeToLive", "time_to_live", "defaultTtl", "expires", "ttlSeconds", "properties.ttl"];
    all.extend(alike.map(str::to_owned));
    all.remove("ttl");
    all
}

/// The law of `only-root-ttl-counts`, which the model cannot state: its requests have no names of properties.
#[test]
fn no_property_but_ttl_at_the_root_reaches_the_model_as_a_ttl() {
    let literal = |text: &str| Literal::parse(text).unwrap();
    let own = [None, Some("7"), Some("-1"), Some("0"), Some("null")];
    let mut names = 0;
    for name in names_but_ttl() {
        names += 1;
        for value in ["1", "-1", "0", "null", "\"1\"", "{\"ttl\": 1}", "[{\"ttl\": 1}]"] {
            for own in own {
                let ttl = own.map(|own| ("ttl".to_owned(), literal(own)));
                let without: Properties = ttl.into_iter().collect();
                let mut with = without.clone();
                with.insert(name.clone(), literal(value));
                for (with, without) in writes_of(&with).iter().zip(&writes_of(&without)) {
                    assert_eq!(read_by_model(with), read_by_model(without), "{name}: {value}, {own:?}");
                }
            }
        }
    }
    assert_eq!(names, 8 + 64 + 512 + 4096 + 7);
}

#[test]
fn the_translation_without_only_root_ttl_counts_lets_another_property_reach_the_model() {
    let suite = embedded().unwrap();
    let found = find(&suite, &[clause(&suite, "only-root-ttl-counts")]).unwrap();
    assert!(found[0].own_laws.is_empty(), "a law of the model states it: leave it out of `UNSTATED`");
    assert!(found[0].citing.len() >= 7, "{:?}", found[0].citing);
}
