//! Every command, as the program: what a command line comes to.

use std::fs;
use std::process::Stdio;

use clap::Parser as _;
use cosmos_ttl::Args;
use cosmos_ttl::report::Report;
use serde_json::Value;

use crate::program::{ProgramOutput, check, copied, directory, program, say, succeeds, words};

#[test]
fn runs_and_selections() {
    check(
        r"
        0 |  | conformant: every vector passes
        0 | run SUITE | 5 vectors = 5 pass | conformant: every vector passes | !ESC[
        0 | run SUITE lifetime/*null* reappearance | 2 of 5 | this says nothing about conformance
        0 | run SUITE mutant:expiry-latched | conformant
        1 | run SUITE mutant:one-second-late | again: cosmos-ttl run --vectors suite mutant:one-second-late 
        3 | run SUITE mutant:no-write-shows-its-item | !FAIL | undecided
        1 | run mutant:settings-at-write-decide settings/* | behaves like mutant:settings-at-write-decide
        0 | run --profile quick | no failure in the quick profile: 
        2 | run --profile quick SUITE | no quick.yaml | cargo lab quick
        2 | run --profile quick clock/longest-ttl | is quick | leave `--profile quick` away
        0 | run --profile soak | no failure in the soak profile: 20 vectors pass
        0 | list --profile soak --sweep 45 | soak/off-for-80-seconds | soak/patched-for-80-seconds | !40-seconds | !330-seconds
        2 | run --profile soak --sweep 60 clock | is soak | leave `--profile soak` away
        2 | run --sweep 60 | `--sweep` is about no other profile than soak | add `--profile soak`
        0 | run --dry-run --profile soak --sweep 300 http://127.0.0.1:1 | 5 vectors | about 333, at most the budget of 1500
        0 | run --dry-run --containers 5 http://127.0.0.1:1 | more last longer than the budget of 900 s, or are for `--profile soak`
        1 | run --profile model mutant:one-second-late expired | cosmos-ttl run --profile model mutant:one-second-late 
        0 | run --random 30 --seed 7 reference | 30 selected vectors pass; 
        1 | run --random 30 --seed 7 mutant:one-second-late | cosmos-ttl run --random 30 --seed 7 mutant:one-second-late 
        2 | run --random 3 reference lifetime/off-* | no filter selects one of the 3 random vectors
        ",
    );
}

#[test]
fn lists_and_explanations() {
    check(
        r#"
        0 | list SUITE settings | settings/expired-then-off | settings/refused-batch | !lifetime/ | !ESC[
        0 | list SUITE settings/refused-batch | settings/refused-batch | !settings/expired-then-off
        0 | list SUITE */*null* | lifetime/null-is-refused | !settings/
        0 | list SUITE item-seconds-override | lifetime/item-shorter-than-default | lifetime/patched-item | !null
        0 | list SUITE clause:reappearance lifetime/patched-item | settings/expired-then-off | lifetime/patched-item
        0 | list SUITE --clauses cost --format json | "id": "purge-uses-leftover" | "vectors": 0
        0 | list SUITE --color always | ESC[
        2 | list SUITE --steps | add `--format json`
        2 | list SUITE lifetime nothing/* | `nothing/*` matches no vector
        0 | explain SUITE mutant:patch-does-not-restart | patch-restarts-count | killed by
        0 | explain SUITE removal-eager | a control: a correct store
        0 | explain SUITE S-57 | S-57 (
        0 | explain SUITE d2017 | D2017 (https://
        0 | explain SUITE C-2 | held here   
        0 | explain SUITE patch |   patch-restarts-count  
        0 | explain SUITE RESTARTS | clauses with `restarts`: 
        2 | explain SUITE xyzzy | nothing is called `xyzzy`
        2 | explain SUITE one-second-lat | did you mean one-second-late or one-second-early?
        0 | completions bash | cosmos-ttl
        "#,
    );
    assert_eq!(succeeds(&["schema"]), cosmos_ttl_harness::vector::SCHEMA);
    assert_eq!(succeeds(&["schema", "protocol"]), cosmos_ttl_targets::process::protocol::SCHEMA);
    assert_eq!(succeeds(&["schema", "report"]), cosmos_ttl::report::SCHEMA);
}

#[test]
fn wrong_use_says_what_is_accepted() {
    check(
        r"
        2 | frobnicate
        2 | run --frobnicate
        2 | explain
        2 | run SUITE lifetme | did you mean lifetime? | a target is `reference`
        2 | run SUITE reference null-is-refused | did you mean lifetime/null-is-refused? | !a target is
        2 | run SUITE localhost:8081 | did you mean the URL http://localhost:8081?
        2 | run SUITE python3 adapter.py | `cosmos-ttl run -- python3 adapter.py`
        2 | run SUITE lifetime purge-uses-leftover | no client can see what it says
        2 | run SUITE ftp://localhost | no URL that can be reached
        2 | run SUITE lifetime http://localhost:8081 | a target stands among the filters
        2 | run SUITE reference -- true | name one target
        2 | run SUITE lifetime -- | no command stands after `--`
        2 | smoke --
        2 | smoke
        2 | run SUITE mutant:one-second-lat | did you mean one-second-late or one-second-early?
        2 | serve --stdio --target http://127.0.0.1:9 | no target that comes with this program
        2 | run SUITE http://user:c2VjcmV0@localhost:8081 | !c2VjcmV0
        2 | run SUITE http://localhost:8081 --key c2VjcmV0? | the key is not base64 | !c2VjcmV0
        2 | run SUITE https://account.example.com/dbs
        2 | run SUITE http://account.example.com --yes | it needs the key of its account
        4 | run SUITE http://127.0.0.1:9 | connection refused; nothing listens there
        2 | run SUITE --without pach | 'patch'
        2 | run SUITE --without patch | `patch` is declared missing, and answers
        2 | run --vectors missing | missing
        2 | run http://127.0.0.1:9 --timeout 0
        2 | run http://127.0.0.1:9 --timeout 86401
        2 | run http://127.0.0.1:9 --budget 31536001
        2 | run http://127.0.0.1:9 --budget 18446744073709551616
        0 | run SUITE --dry-run http://127.0.0.1:9 --timeout 86400 --budget 31536000
        ",
    );
}

#[test]
fn estimates_and_runs_that_cost_much() {
    check(
        r"
        0 | run --dry-run http://account.invalid:443 | nothing was sent | 10 of them used again | request units about
        0 | run --dry-run http://account.invalid:443 --budget 3 | last longer than the budget of 3 s
        0 | run --dry-run SUITE | !containers | !request units | as fast as the target answers
        2 | run http://account.invalid:443 settings --containers 0 | this run creates | `--yes`
        # What is looked at next is the key: the run was allowed.
        2 | run http://account.invalid:443 --containers 0 --yes --key ? | the key is not base64
        2 | run SUITE http://account.invalid:443 --key ? | the key is not base64
        ",
    );
}

#[test]
fn what_people_read() {
    let helps = [
        "",
        "run",
        "init",
        "smoke",
        "explore",
        "ask",
        "prove",
        "list",
        "explain",
        "known update",
        "report",
        "diff",
        "what-if",
        "cleanup",
    ];
    let help = |command: &&str| succeeds(&[&words(command)[..], &["--help"]].concat());
    let rule = format!("\n{}\n\n", "-".repeat(100));
    insta::assert_snapshot!("help", helps.iter().map(help).collect::<Vec<_>>().join(&rule));
    let pages = [
        "item-seconds-override",
        "reappearance",
        "purge-uses-leftover",
        "settings",
        "settings/expired-then-off",
    ];
    let page = |word: &&str| succeeds(&["explain", word, "--vectors", "suite"]);
    insta::assert_snapshot!("explained", pages.iter().map(page).collect::<Vec<_>>().join(&rule));
    insta::assert_snapshot!("rules", ["matrix", "life"].iter().map(page).collect::<Vec<_>>().join(&rule));
}

/// A file in JSON is a file in YAML, so the export is loaded as vectors again.
#[test]
fn whole_vectors_are_exported_for_languages_without_a_reader_of_yaml() {
    let vectors = copied("exported").join("vectors");
    for section in ["settings", "lifetime"] {
        let words = ["list", "--vectors", "suite", section, "--format", "json", "--steps"];
        let exported = succeeds(&words);
        let (_, file) = exported.split_once("\"files\": [").unwrap();
        let (file, _) = file.rsplit_once(']').unwrap();
        fs::write(vectors.join(format!("{section}.yaml")), file).unwrap();
    }
    let replayed = |vectors: &str| -> Vec<_> {
        let report = succeeds(&["run", "--format", "json", "--vectors", vectors]);
        let report: Report = serde_json::from_str(&report).unwrap();
        report.cases.into_iter().map(|case| (case.name, case.verdict, case.steps)).collect()
    };
    assert_eq!(replayed(vectors.to_str().unwrap()), replayed("suite"));
}

#[test]
fn a_run_ends_at_the_first_failure_and_repeats_what_failed() {
    let report = directory("failed").display().to_string();
    let run = |words: &[&str]| -> Value {
        let own = ["run", "--vectors", "suite", "mutant:one-second-late", "--format", "json"];
        let said = say(&[&own[..], words].concat());
        assert_eq!(said.code, 1, "{}", said.err);
        serde_json::from_str(&said.out).unwrap()
    };
    let first = run(&["--fail-fast"]);
    assert_eq!((&first["counts"]["fail"], &first["complete"]), (&1.into(), &false.into()));
    let (all, failed) = (run(&["--report", &report]), run(&["--failed", &report]));
    assert!(all["counts"]["pass"].as_u64().unwrap() > 0);
    assert_eq!(failed["counts"]["vectors"], all["counts"]["fail"]);
    assert_eq!(failed["counts"]["fail"], all["counts"]["fail"]);
}

#[test]
fn colours_add_nothing_but_colours_and_a_key_is_never_shown() {
    for line in ["run SUITE", "explain SUITE reappearance", "run SUITE lifetme"] {
        let with = |variable: (&str, &str)| -> String {
            let output = program().args(words(line)).env(variable.0, variable.1).output().unwrap();
            String::from_utf8([output.stdout, output.stderr].concat()).unwrap()
        };
        let coloured = with(("CLICOLOR_FORCE", "1"));
        assert!(coloured.contains("\u{1b}["), "{line}");
        assert_eq!(anstream::adapter::strip_str(&coloured).to_string(), with(("NO_COLOR", "1")), "{line}");
    }
    let help = program().args(["run", "--help"]).env("COSMOS_TTL_KEY", "c2VjcmV0").output().unwrap();
    assert!(!ProgramOutput::from(help).out.contains("c2VjcmV0"));
    for key in ["s3cret!", "czNjcmV0LXMzY3JldA==", "", "s3cret\u{0}"] {
        let args = Args::try_parse_from(["cosmos-ttl", "run", "http://127.0.0.1:9", "--key", key]).unwrap();
        let shown = format!("{args:?} {args:#?}");
        assert!(!["s3cret", "czNj", "115, 51, 99"].iter().any(|secret| shown.contains(secret)), "{shown}");
    }
}

#[test]
fn nobody_who_listens_is_no_error() {
    for line in ["list SUITE --format json", "run SUITE", "schema"] {
        let mut child =
            program().args(words(line)).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let said = ProgramOutput::from(child.wait_with_output().unwrap());
        assert_eq!((said.code, said.err.as_str()), (0, ""), "{line}");
    }
}
