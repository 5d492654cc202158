//! Which mutant a run says that its target behaves like.

use crate::program::say;

#[test]
fn a_run_says_what_its_failures_look_like() {
    let text = say(&["run", "mutant:settings-at-write-decide", "settings/*", "--show", "0"]).out;
    let (_, rest) = text.split_once("The target behaves like").unwrap_or_else(|| panic!("{text}"));
    insta::assert_snapshot!(rest.split("\n\n").next().unwrap());
}

#[test]
fn a_run_of_few_failures_names_no_mutant() {
    let filters = ["settings/raised", "settings/off-to-default"];
    let text = say(&["run", "mutant:settings-at-write-decide", filters[0], filters[1]]).out;
    assert!(
        text.contains("2 fail") && !text.contains("behaves like") && !text.contains("No mutant"),
        "{text}"
    );
}
