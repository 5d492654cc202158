//! Files that must not load: each is refused at its place, in its words.

use super::files::{Case, cases};
use cosmos_ttl_harness::vector::Suite;
use cosmos_ttl_testing::{GOOD, scratch};

/// What is said of the file, without the directory in which it happens to stand.
fn complaint(text: &str) -> Result<(), String> {
    let directory = scratch("must-not-load", &[(GOOD[1].0, text.as_bytes())]);
    let file = format!("{}:", directory.join(GOOD[1].0).display());
    Suite::load(&directory).map(drop).map_err(|flaw| flaw.to_string().replacen(&file, "", 1))
}

fn wrong(case: &Case) -> Option<String> {
    let [(place, words)] = case.head.as_slice() else {
        return Some(format!("{}: one line says where and what", case.name));
    };
    match complaint(&case.text) {
        Ok(()) => Some(format!("{}: it loads", case.name)),
        Err(said) if said == format!("{place}: {words}") => None,
        Err(said) => Some(format!("{}: not `{place}: {words}` but `{said}`", case.name)),
    }
}

#[test]
fn every_file_that_must_not_load_is_refused_at_its_place_and_in_its_words() {
    let cases = cases("must-not-load");
    let wrong: Vec<_> = cases.iter().filter_map(wrong).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_file_that_loads_or_is_refused_elsewhere_is_noticed() {
    let case = |head: &[(&str, &str)], text: &str| Case {
        name: "it".into(),
        head: head.iter().map(|(place, words)| ((*place).into(), (*words).into())).collect(),
        text: text.into(),
    };
    let seven = GOOD[1].1.replace("format: 1", "format: 7");
    let words = "format 7 is not known (this reads format 1)";
    assert_eq!(wrong(&case(&[("1:9", words)], &seven)), None);
    assert!(wrong(&case(&[("1:8", words)], &seven)).unwrap().contains("not `1:8: format 7"));
    assert!(wrong(&case(&[("1:9", "format 7")], &seven)).is_some());
    assert!(wrong(&case(&[], &seven)).is_some());
    assert!(wrong(&case(&[("1:9", words)], GOOD[1].1)).unwrap().contains("it loads"));
}
