//! `cosmos-ttl distinguish`: which targets differ, how the output shows it, and how much was searched if none does.

use crate::program::{refuses, say, succeeds};

#[test]
fn a_difference_is_told_with_both_answers_and_is_no_success() {
    let said = say(&["distinguish", "mutant:right", "mutant:one-second-late"]);
    assert_eq!((said.code, said.err.as_str()), (1, ""));
    let first = "mutant:right and mutant:one-second-late differ at request 3, removal never\n";
    assert!(said.out.starts_with(first), "{}", said.out);
    assert!(said.out.contains("\n  at 0 s  create a -> created\n"), "{}", said.out);
    assert!(said.out.contains("  query -> mutant:right: []; mutant:one-second-late: [a]\n"), "{}", said.out);
    let promise = "\nshrunk: no single simplification keeps a difference; from the requests of ";
    assert!(said.out.contains(promise) && !said.out.contains("the model allows both"), "{}", said.out);
}

#[test]
fn programs_get_the_same() {
    let said = say(&[
        "distinguish",
        "mutant:right",
        "mutant:one-second-late",
        "--vectors",
        "suite",
        "--format",
        "json",
    ]);
    assert_eq!(said.code, 1);
    let report: serde_json::Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!(report["targets"][1], "mutant:one-second-late");
    assert_eq!(
        (&report["difference"]["shrunk"], &report["difference"]["open"]),
        (&true.into(), &false.into())
    );
    let steps = report["difference"]["steps"].as_array().unwrap();
    let (last, before) = steps.split_last().unwrap();
    assert_ne!(last["answered"][0], last["answered"][1]);
    assert!(before.iter().all(|step| step["answered"][0] == step["answered"][1]));
}

#[test]
fn who_does_not_differ_is_told_how_much_was_searched() {
    let out = succeeds(&["distinguish", "reference", "mutant:right", "--steps", "300", "--vectors", "suite"]);
    let start = "no difference found between reference and mutant:right within the requests of ";
    assert!(out.starts_with(start) && out.ends_with(" vectors, 300 requests by chance\n"), "{out}");
}

#[test]
fn a_difference_under_an_open_clause_is_said_to_be_one_and_can_be_ignored() {
    let words =
        ["distinguish", "mutant:right", "mutant:every-other-choice", "--steps", "1000", "--vectors", "suite"];
    let said = say(&words);
    assert_eq!(said.code, 1, "{}{}", said.out, said.err);
    assert!(said.out.contains("\nthe model allows both answers: an open clause leaves it"), "{}", said.out);
    let out = succeeds(&[&words[..], &["--ignore-open"]].concat());
    assert!(out.contains(", but perhaps in what is open, within "), "{out}");
}

#[test]
fn a_process_is_compared_by_the_vectors_and_by_chance() {
    let program = env!("CARGO_BIN_EXE_cosmos-ttl");
    let serve = |target| {
        let words = [
            "distinguish",
            "reference",
            "--steps",
            "100",
            "--vectors",
            "suite",
            "--",
            program,
            "serve",
            "--stdio",
            "--target",
            target,
        ];
        say(&words)
    };
    let same = serve("reference");
    assert_eq!(same.code, 0, "{}{}", same.out, same.err);
    let other = serve("mutant:one-second-late");
    assert_eq!(other.code, 1, "{}{}", other.out, other.err);
    assert!(other.out.contains("keeps a difference; from "), "{}", other.out);
}

#[test]
fn what_is_no_target_is_refused() {
    assert!(refuses(&["distinguish", "reference"]).contains("<B>"));
    assert!(refuses(&["distinguish", "reference", "mutant:nobody"]).contains("nobody"));
    assert!(
        refuses(&["distinguish", "http://127.0.0.1:1", "reference"]).contains("no target that comes with")
    );
}
