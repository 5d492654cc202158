//! Which mutant a run says that its target behaves like.

use crate::program::say;

#[test]
fn a_run_says_what_its_failures_look_like() {
    let filters = ["settings/raised", "settings/off-to-default"];
    let words = ["run", "mutant:settings-at-write-decide", filters[0], filters[1], "--show", "0"];
    let text = say(&words).out;
    let (_, rest) = text.split_once("The target behaves like").unwrap_or_else(|| panic!("{text}"));
    insta::assert_snapshot!(rest.split("\n\n").next().unwrap());
}
