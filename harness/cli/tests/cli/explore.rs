//! `cosmos-ttl explore` and `cosmos-ttl prove`.

use crate::program::{check, say, words};

#[test]
fn a_difference_is_shown_small_and_as_a_vector() {
    let said = say(&words("explore mutant:one-second-late --seed 1"));
    assert_eq!((said.code, said.err.as_str()), (1, ""));
    insta::assert_snapshot!("explored", said.out);
}

#[test]
fn explorations() {
    check(
        r"
        0 | explore reference --steps 2000 | no difference in 2,000 requests | met an expired item
        0 | explore --steps 1000 -- THIS serve --stdio | no difference in 1,000 requests
        0 | explore mutant:patch-does-not-restart --steps 3000 | warning:  | patch-restarts-count
        1 | explore mutant:patch-does-not-restart --steps 3000 --strict | error: 
        0 | explore mutant:no-write-shows-its-item --steps 2000
        0 | explore mutant:one-second-late --steps 500 --except gone-at-deadline | left out:  | no difference in 500 
        2 | explore --except gone-at-dedline | `gone-at-dedline` is no clause
        2 | explore mutant:nobody | no target that comes with this program
        2 | explore SUITE lifetime | `lifetime` is no target
        2 | explore ftp://127.0.0.1 | no URL that can be reached
        2 | explore reference --without patch | `patch` is declared missing, and answers
        ",
    );
}

#[test]
fn complete_suites() {
    check(
        r"
        0 | prove --depth 0 --longest-ttl 1 reference | conformant:  | This target always answers as the model does, unless 
        1 | prove --depth 0 --longest-ttl 1 mutant:one-second-late | error:  | clauses:  | - id:  | !forever | again: cosmos-ttl prove --depth 0 --longest-ttl 1 mutant:one-second-late
        3 | prove --depth 0 --longest-ttl 1 mutant:whole-fractions-taken-for-some |  tests ended early, so nothing is proved:  | undecided:  | !forever
        1 | prove --items 2 --longest-ttl 1 mutant:one-second-late | again: cosmos-ttl prove --depth 0 --items 2 --longest-ttl 1 mutant:one-second-late
        0 | prove --depth 0 --longest-ttl 1 mutant:patch-in-a-batch-does-not-restart | warning:  | nothing is proved
        1 | prove --depth 0 --longest-ttl 1 --strict mutant:item-text-counts | error: 
        2 | prove --items 2 --depth 1 reference | only `--depth 0` and `--longest-ttl 1` are accepted
        2 | prove --items 2 --longest-ttl 2 reference | only `--depth 0` and `--longest-ttl 1` are accepted
        2 | prove lifetime | `lifetime` is no target
        2 | prove reference lifetime
        2 | prove http://127.0.0.1:1 | needs a virtual clock
        2 | prove --items 3
        ",
    );
}
