//! Whether the correct stores of the set answer as the clauses say, and whether each fault shows on its script.

use cosmos_ttl_faults::FaultSet;
use cosmos_ttl_faults::script::Demonstration;
use cosmos_ttl_harness::target::{Fault, Removal};

const SCHEDULES: [Option<Removal>; 4] =
    [Some(Removal::Never), None, Some(Removal::Alternate), Some(Removal::Eager)];

/// Scripts with their answers, which follow from the clauses. Each statement that is answered is followed by ` => ` and
/// its answer or the beginning of it; `?` stands for any, and ` or ` between two that are both allowed.
const STORIES: &[&str] = &[
    // Settings.
    "open 0 => bad; open -2 => bad; open 2147483648 => bad; open 1 => created; open 1 => conflict",
    "open 7 none => bad; open -1 none => bad; open off none => created; set 2 none => bad; set 2 => ok",
    "open 3 => ?; set off none => ok; set -1 => ok; set 2147483647 => ok; set 3e9 => bad",
    "open 3 => ?; create a => ?; set 0 => bad; set -7 => bad; +2; read a => found; +1; read a => not-f",
    "open 4 => ?; create a => ?; set 9 none => bad; set 9999999999 => bad; +4; query => ok ",
    // Values of `ttl`.
    "open 9 => ?; create a => ?; replace a ttl=0 => bad; patch a ttl=-2 => bad; upsert a ttl=-0 => bad",
    "open 9 => ?; create a ttl=2147483648 => bad; create a ttl=18446744073709551615 => bad; list => ok ",
    "open 9 => ?; create a ttl=null => bad; batch [create a ttl=null] => bad-request at 0; read a => not-f",
    "2020; open 9 => ?; create a ttl=null => created; +8; read a => found; +1; read a => not-f",
    "2020; open -1 => ?; create a ttl=3 => ?; upsert a ttl=null => ok; +99; query => ok a",
    "open -1 => ?; create a ttl=-1 => created; patch a ttl=2147483647 => ok; +2147483646; list => ok a",
    "open 2 => ?; create a TTL=9 _ttl=9 x={\"ttl\":9} => ?; +2; read a => not-f",
    "open off => ?; create a ttl=2 => ?; +9; read a => found {\"ttl\": 2}; set -1 => ok; query => ok ",
    "open off => ?; create a ttl=0 => created or bad; read a => found or not-f",
    "open 9 => ?; create a ttl=1e1 => created or bad; create b ttl=0.0 => bad; create c ttl=-2.0 => bad; +10; list => ok ",
    "open -1 => ?; create a ttl=1.9 => created or bad; create b ttl=\"5\" => created or bad; create c => created; +9; read c => found",
    "open off => ?; set 2.0 => ok or bad; set \"x\" => ok or bad; set 0.0 => bad; set 3 => ok; create a => ?; +3; list => ok ",
    // Lifetimes.
    "open 4 => ?; create a ttl=6 => ?; create b ttl=-1 => ?; +4; list => ok a b; +2; query => ok b",
    "open 4 => ?; create a => ?; +3; query => ok a; +1; query => ok ; list => ok ; read a => not-f",
    "open -1 => ?; +600000000; create a ttl=2147483647 => ?; read a => found; +9; query => ok a",
    "open 6 => ?; create a => ?; +3; upsert a => ok; +5; read a => found {}; +1; read a => not-f",
    "open 6 => ?; create a ttl=2 => ?; replace a => ok; +5; query => ok a; +1; query => ok ",
    "open -1 => ?; create a ttl=9 => ?; +2; patch a ttl=3 => ok; +2; list => ok a; +1; list => ok ",
    "open 6 => ?; create a ttl=2 => ?; patch a -ttl => ok; +5; list => ok a; +1; list => ok ",
    "open 6 => ?; create a => ?; +5; query => ok a; list by 1 => ok; batch [read a] => ok; +1; query => ok ",
    "open 6 => ?; create a => ?; +5; create a => conflict; replace a ttl=0 => bad; +1; read a => not-f",
    "open 6 => ?; upsert a _ts=9999999999 => ?; +6; query => ok ",
    // Expired items.
    "open 2 => ?; create a x=1 => ?; +2; replace a => not-f; patch a y=1 => not-f; delete a => not-f; create a => created; read a => found {}",
    "open 2 => ?; create a => ?; +2; batch [patch a y=1] => not-found at 0; batch [create a | delete a] => ok; list => ok ",
    "open 2 => ?; create a => ?; read a => ?; +2; replace a if-match => not-f or precond; read a => not-f",
    "open 5 => ?; create a ttl=2 => ?; +2; upsert a => created or ok; +4; query => ok a; +1; query => ok ",
    "open 2 => ?; create a => ?; read a => ?; +2; patch a x=1 if-match => not-f or precond; delete a if-match => not-f or precond; list => ok ",
    "open 9 => ?; create a => ?; read a => ?; replace a x=1 => ok; read a => ?; +4; replace a if-stale => precond; +5; list => ok ",
    // Batches that are aborted.
    "open 9 => ?; create a => ?; batch [delete a | create b | replace c] => not-found at 2; query => ok a",
    "open 9 => ?; create a => ?; +4; batch [upsert a x=1 | create a] => conflict at 1; +5; list => ok ",
    "open 2 => ?; create a => ?; create b ttl=-1 => ?; +2; batch [create a | create b] => conflict at 1; list => ok b",
    // Changes of the settings.
    "open 3 => ?; create a => ?; +2; set 8 => ok; +5; read a => found; +1; query => ok ",
    "open 8 => ?; create a => ?; +4; set 4 => ok; read a => not-f; query => ok ; create a => created",
    "open off => ?; create a => ?; create b ttl=9 => ?; +5; set 5 => ok; list => ok b; +4; list => ok ",
    "open 5 => ?; set 9 => ok; set 5 => ok; create a => ?; +5; list => ok ",
    "open 5 => ?; create a => ?; set off => ok; +9; read a => found; set 5 => ok; read a => not-f",
    "open 5 => ?; create a ttl=1 => ?; delete a => no-content; set off => ok; read a => not-f",
    "open 5 => ?; create a => ?; +5; set off => ok; read a => found or not-f; +1; set 5 => ok; read a => not-f",
    // Removal.
    "open 5 => ?; create a => ?; +4; purge; read a => found; +1; purge; create a => created; purge; list => ok a",
    "open -1 => ?; create a ttl=2 => ?; upsert a ttl=4 => ok; +3; purge; query => ok a; +1; query => ok ",
    "open off => ?; create a ttl=2 => ?; +2; purge; query => ok a",
    // Partitions and pages.
    "open 5 => ?; create a => ?; +3; in q create a ttl=9 => created; +2; list => ok ; in q list => ok a; purge; in q read a => found",
    "open 5 => ?; in q create a => ?; set 9 => ok; +8; in q query => ok a; in r create a => created; +1; in q query => ok ",
    "open 5 => ?; create a => ?; create b ttl=-1 => ?; list by 1 => ok; +5; list rest => ok or no page; read b => found",
    "open 9 => ?; create a ttl=-1 => ?; create b => ?; create c => ?; query by 1 => ok; +9; query rest => ok  or ok a or no page",
    "open 9 => ?; create a ttl=-1 => ?; create b => ?; +3; query by 2 => ok; set 3 => ok; query rest => ok  or ok a or no page",
    "open 5 lazy => created or bad; set 5 => ok or not-f; create a => created or not-f; +5; read a => not-f",
];

fn fits(answer: &str, expected: &str) -> bool {
    expected.split(" or ").any(|expected| {
        let is_whole = expected.starts_with("ok ") || expected.contains(" at ");
        expected == "?" || if is_whole { answer == expected } else { answer.starts_with(expected) }
    })
}

#[test]
fn correct_stores_tell_the_stories_of_the_clauses() {
    for story in STORIES {
        // An empty answer keeps its space: `ok ` is a query that finds nothing.
        let parts: Vec<(&str, Option<&str>)> = story
            .split("; ")
            .map(|line| line.split_once(" => ").map_or((line, None), |(line, answer)| (line, Some(answer))))
            .collect();
        let text: Vec<&str> = parts.iter().map(|(statement, _)| *statement).collect();
        let text = text.join("; ");
        let expected: Vec<&str> = parts.iter().filter_map(|(_, answer)| *answer).collect();
        let script = Demonstration::parse(&text).unwrap();
        for one in FaultSet::Sixteenth.correct() {
            for removal in SCHEDULES {
                let answers = match script.play(one.store.target(), removal) {
                    Ok(answers) => answers,
                    Err(Fault::Unsupported(_)) => continue,
                    Err(other) => panic!("{}: {text}: {other}", one.name),
                };
                let all = answers.iter().zip(&expected).all(|(answer, expected)| fits(answer, expected));
                assert!(
                    all && answers.len() == expected.len(),
                    "{} {removal:?}: {text}\n{answers:#?}",
                    one.name
                );
            }
        }
    }
}

#[test]
fn each_script_shows_its_fault() {
    let set = FaultSet::Sixteenth;
    let mut missed = Vec::new();
    for fault in set.faults() {
        let script = Demonstration::parse(fault.shown_by).unwrap();
        let wrong = script.play(fault.store.target(), None).unwrap();
        for one in set.correct() {
            for removal in SCHEDULES {
                if script.play(one.store.target(), removal).is_ok_and(|right| right == wrong) {
                    missed.push(format!("{} as {} {removal:?}: {wrong:?}", fault.name, one.name));
                }
            }
        }
    }
    assert!(missed.is_empty(), "{missed:#?}");
}

#[test]
fn faults_that_do_not_show_break_nothing() {
    // A store with a mistake opens a container and creates an item as every other does.
    let script = Demonstration::parse("open 99; create a ttl=50; read a; query; +50; read a").unwrap();
    let right = script.play(FaultSet::Sixteenth.usual_store().target(), None).unwrap();
    let same = |store: &cosmos_ttl_faults::PlantedStore| script.play(store.target(), None).unwrap() == right;
    let faults = FaultSet::Sixteenth.faults();
    let others: Vec<_> = faults.iter().filter(|fault| !same(&fault.store)).map(|fault| fault.name).collect();
    assert_eq!(others, ["sixteenth-etag-of-content"; 0]);
}

#[test]
fn the_set_is_as_large_as_it_says() {
    let set = FaultSet::Sixteenth;
    assert!(set.faults().len() >= 100);
    assert!(set.correct().len() >= 40);
    let faults = set.faults().into_iter().map(|fault| fault.name);
    let mut names: Vec<_> = faults.chain(set.correct().into_iter().map(|one| one.name)).collect();
    assert!(names.iter().all(|name| name.starts_with("sixteenth-")));
    names.sort_unstable();
    let before = names.len();
    names.dedup();
    assert_eq!(names.len(), before);
}
