//! The printed page says what the model and the checker say.

use std::fs;
use std::path::Path;

use cosmos_ttl_checker::anomalies;
use cosmos_ttl_model::choices::OpenChoice;
use cosmos_ttl_model::rule::{Ttl, lifetime};

#[test]
fn the_page_has_each_lifetime_each_open_choice_and_each_anomaly() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../SPEC.md");
    let page = fs::read_to_string(page).unwrap();
    let says = |line: &str| assert!(page.contains(line), "model/SPEC.md does not say:\n{line}");
    let (n, m) = (Ttl::Seconds(1000), Ttl::Seconds(2000));
    for (name, default_ttl) in [("absent (off)", None), ("-1", Some(Ttl::Forever)), ("n", Some(n))] {
        let cells = [None, Some(Ttl::Forever), Some(m)].map(|ttl| match lifetime(default_ttl, ttl) {
            Ttl::Forever => "forever",
            Ttl::Seconds(1000) => "n s",
            Ttl::Seconds(_) => "m s",
        });
        says(&format!("| {name} | {} |\n", cells.join(" | ")));
    }
    for (choice, [no, yes]) in OpenChoice::listed() {
        let binds = format!("{:?}", choice.binds()).to_lowercase();
        says(&format!("| `{}` | {no} | {yes} | {binds} |\n", choice.clause()));
    }
    for (title, story) in anomalies() {
        assert!(story.len() <= 6, "{title}");
        says(&format!("**{title}**\n\n```text\n{}\n```\n", story.join("\n")));
    }
}
