//! `cosmos-ttl explore` and `cosmos-ttl prove`.

use crate::program::{check, check_said, of_script, say, words};

#[test]
fn a_difference_is_shown_small_and_as_a_vector() {
    let said = say(&words("explore mutant:one-second-late --seed 1"));
    assert_eq!((said.code, said.err.as_str()), (1, ""));
    insta::assert_snapshot!("explored", said.out);
}

#[test]
fn explorations() {
    check(&[
        ("explore reference --steps 2000", 0, &["no difference in 2,000 requests", "met an expired item"]),
        ("explore --steps 1000 -- THIS serve --stdio", 0, &["no difference in 1,000 requests"]),
        ("explore mutant:patch-does-not-restart --steps 3000", 0, &["warning: ", "patch-restarts-count"]),
        ("explore mutant:patch-does-not-restart --steps 3000 --strict", 1, &["error: "]),
        ("explore mutant:no-write-shows-its-item --steps 2000", 0, &[]),
        (
            "explore mutant:one-second-late --steps 500 --except gone-at-deadline",
            0,
            &["left out: ", "no difference in 500 "],
        ),
        ("explore --except gone-at-dedline", 2, &["`gone-at-dedline` is no clause"]),
        ("explore mutant:nobody", 2, &["no target that comes with this program"]),
        ("explore SUITE lifetime", 2, &["`lifetime` is no target"]),
        ("explore ftp://127.0.0.1", 2, &["no URL that can be reached"]),
        ("explore reference --without patch", 2, &["`patch` is declared missing, and answers"]),
    ]);
}

#[test]
fn complete_suites() {
    check(&[
        (
            "prove --depth 0 --longest-ttl 1 reference",
            0,
            &["conformant: ", "This target answers as the model does, forever, unless "],
        ),
        (
            "prove --depth 0 --longest-ttl 1 mutant:one-second-late",
            1,
            &[
                "error: ",
                "clauses: ",
                "- id: ",
                "!forever",
                "again: cosmos-ttl prove --depth 0 --longest-ttl 1 mutant:one-second-late\n",
            ],
        ),
        (
            "prove --depth 0 --longest-ttl 1 mutant:whole-fractions-taken-for-some",
            3,
            &[" tests ended early, so nothing is proved: ", "undecided: ", "!forever"],
        ),
        (
            "prove --depth 0 --longest-ttl 1 --format json mutant:whole-fractions-taken-for-some",
            3,
            &["\"complete\": false", "\"statement\": null"],
        ),
        (
            "prove --items 2 --longest-ttl 1 mutant:one-second-late",
            1,
            &["again: cosmos-ttl prove --depth 0 --items 2 --longest-ttl 1 mutant:one-second-late\n"],
        ),
        (
            "prove --depth 0 --longest-ttl 1 mutant:patch-in-a-batch-does-not-restart",
            0,
            &["warning: ", "nothing is proved"],
        ),
        ("prove --depth 0 --longest-ttl 1 --strict mutant:item-text-counts", 1, &["error: "]),
        ("prove --items 2 --depth 1 reference", 2, &["only `--depth 0` and `--longest-ttl 1` are accepted"]),
        (
            "prove --items 2 --longest-ttl 2 reference",
            2,
            &["only `--depth 0` and `--longest-ttl 1` are accepted"],
        ),
        ("prove lifetime", 2, &["`lifetime` is no target"]),
        ("prove reference lifetime", 2, &[]),
        ("prove http://127.0.0.1:1", 2, &["needs a virtual clock"]),
        ("prove --items 3", 2, &[]),
    ]);
}

#[cfg(unix)]
#[test]
fn requests_of_a_part_that_is_declared_missing_are_not_sent() {
    let lacks = |parts: &[&str]| {
        let renamed = parts.iter().map(|part| format!("-e 's/{{\"{part}\":/{{\"other\":/g' "));
        format!("sed -u {}| \"$0\" serve --stdio", renamed.collect::<String>())
    };
    for (line, parts, code, contains) in [
        ("explore --steps 2000 --without patch", &["patch"][..], 0, "no difference in 2,000 requests"),
        (
            "prove --depth 0 --longest-ttl 1 --without patch,batch",
            &["patch", "batch"],
            3,
            "declared missing: patch, batch",
        ),
        ("prove --without upsert", &["upsert"], 2, "the complete suite needs `upsert`"),
    ] {
        check_said(line, &of_script(line, &lacks(parts)), code, &[contains]);
    }
}
