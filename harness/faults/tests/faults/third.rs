//! The third store, its faults and its correct variants.

use std::collections::BTreeMap;

use cosmos_ttl_faults::script::{Demonstration, ScriptStep};
use cosmos_ttl_faults::second::{self, DocumentStore};
use cosmos_ttl_faults::third::latitude::{Latitude, USUAL};
use cosmos_ttl_faults::third::{CorrectRowStore, RowFault, RowStore, all_correct, all_faults};
use cosmos_ttl_faults::{CORRECT, FAULTS};
use cosmos_ttl_harness::target::{Fault, Removal, Target};

const SCHEDULES: [Removal; 3] = [Removal::Never, Removal::Eager, Removal::Alternate];

/// Plays a script; `None` if the target does not support it.
fn played(target: &dyn Target, script: &Demonstration, removal: Option<Removal>) -> Option<Vec<String>> {
    match script.play(target, removal) {
        Ok(answers) => Some(answers),
        Err(Fault::Unsupported(_)) => None,
        Err(other) => panic!("{}: {other}", target.about().name),
    }
}

fn script(fault: &RowFault) -> Demonstration {
    Demonstration::parse(fault.shown_by).unwrap_or_else(|why| panic!("{}: {why}", fault.name))
}

/// Returns the scripts of all three sets.
fn all_scripts() -> Vec<(&'static str, Demonstration)> {
    let first = FAULTS.iter().map(|fault| fault.shown_by);
    let second = second::all_faults().map(|fault| fault.shown_by);
    let texts = first.chain(second).chain(all_faults().map(|fault| fault.shown_by));
    let read = |text| Demonstration::parse(text).unwrap_or_else(|why| panic!("{why}"));
    texts.map(|text| (text, read(text))).collect()
}

#[test]
fn the_third_store_answers_every_script_as_the_second_does() {
    let mut different = Vec::new();
    for (text, script) in all_scripts() {
        for removal in SCHEDULES {
            let second = played(&DocumentStore::CORRECT, &script, Some(removal));
            let third = played(&RowStore::CORRECT, &script, Some(removal));
            if second != third {
                different.push(format!("under {removal}: {text}\n  {second:?}\n  {third:?}"));
            }
        }
    }
    assert!(different.is_empty(), "{}", different.join("\n"));
}

/// Returns every correct store, of all three kinds.
fn correct_stores() -> Vec<(&'static str, Box<dyn Target>)> {
    let first = CORRECT.iter().map(|one| (one.name, Box::new(one.store()) as Box<dyn Target>));
    let second = second::all_correct().map(|one| (one.name, Box::new(one.store()) as Box<dyn Target>));
    let third = all_correct().map(|one| (one.name, Box::new(one.store()) as Box<dyn Target>));
    let usual = [("third-correct", Box::new(RowStore::CORRECT) as Box<dyn Target>)];
    first.chain(second).chain(third).chain(usual).collect()
}

#[test]
fn no_correct_store_of_three_kinds_answers_a_script_as_its_fault_does() {
    let correct = correct_stores();
    let mut alike = Vec::new();
    for fault in all_faults() {
        let script = script(fault);
        let wrong = played(&fault.store(), &script, None);
        assert!(wrong.is_some(), "{} does not play its script", fault.name);
        for (name, store) in &correct {
            for removal in SCHEDULES {
                if played(store.as_ref(), &script, Some(removal)) == wrong {
                    alike.push(format!("{}: {name} under {removal}: {}", fault.name, fault.shown_by));
                }
            }
        }
    }
    assert!(alike.is_empty(), "{}", alike.join("\n"));
}

/// Returns how many requests the correct store refuses.
fn refusals(script: &Demonstration) -> usize {
    let refused = ["bad-request", "not-found", "conflict", "precondition-failed", "no page follows"];
    let answers = played(&RowStore::CORRECT, script, None).unwrap_or_default();
    answers.iter().filter(|answer| refused.iter().any(|word| answer.starts_with(word))).count()
}

/// Returns the answers without their etags.
fn without_etags(answers: Vec<String>) -> Vec<String> {
    let cut = |answer: String| answer.split(" _etag ").next().unwrap_or_default().to_owned();
    answers.into_iter().map(cut).collect()
}

// A step stays if a later one would be refused without it: the script would be about something else.
#[test]
fn no_step_of_a_script_of_the_third_set_can_be_left_out() {
    let mut superfluous = Vec::new();
    for fault in all_faults() {
        let script = script(fault);
        let opens = |step: &ScriptStep| matches!(step, ScriptStep::Send(request, _) if request.word() == "create-container");
        for number in (0..script.steps.len()).filter(|number| !opens(&script.steps[*number])) {
            let mut shorter = script.clone();
            shorter.steps.remove(number);
            let Some(answers) = played(&fault.store(), &shorter, None).map(without_etags) else { continue };
            let is_right = all_correct().any(|one| {
                let store = one.store();
                let right =
                    SCHEDULES.map(|removal| played(&store, &shorter, Some(removal)).map(without_etags));
                right.contains(&Some(answers.clone()))
            });
            if !is_right && refusals(&shorter) <= refusals(&script) {
                superfluous.push(format!("{}: step {number} of {}", fault.name, fault.shown_by));
            }
        }
    }
    assert!(superfluous.is_empty(), "{}", superfluous.join("\n"));
}

#[test]
fn no_two_faults_of_the_third_set_behave_alike() {
    let mut scripts = all_scripts();
    for more in [
        "open 0; create a ttl=2; +2; read a",
        "open 2; create a x=1; +2; read a",
        "open 5; set off; create a ttl=2; +2; read a",
    ] {
        scripts.push((more, Demonstration::parse(more).unwrap()));
    }
    let mut behaviours: BTreeMap<Vec<Option<Vec<String>>>, &str> = BTreeMap::new();
    let mut alike = Vec::new();
    for fault in all_faults() {
        let plays = scripts.iter().flat_map(|(_, script)| SCHEDULES.map(|removal| (script, removal)));
        let answers = plays.map(|(script, removal)| played(&fault.store(), script, Some(removal))).collect();
        if let Some(other) = behaviours.insert(answers, fault.name) {
            alike.push(format!("{other} and {}", fault.name));
        }
    }
    assert!(alike.is_empty(), "{}", alike.join("\n"));
}

#[test]
fn every_correct_store_of_the_third_kind_hides_what_is_expired_and_shows_what_lives() {
    let script = Demonstration::parse("open 5; create ab; +4; read ab; +1; read ab; create ab").unwrap();
    for store in all_correct() {
        let answers = played(&store.store(), &script, None).unwrap();
        let statuses: Vec<_> = answers.iter().map(|answer| answer.split(' ').next().unwrap()).collect();
        assert_eq!(statuses, ["created", "created", "found", "not-found", "created"], "{}", store.name);
    }
}

#[test]
fn every_correct_store_of_the_third_kind_differs_from_the_usual_one() {
    let texts = [
        "open null; set -1 lazy; create a; create b; create c; query; +5; query",
        "open 5.0",
        "open \"5\"",
        "open 5.5",
        "open off none; query",
        "open 5; create a ttl=10.0",
        "open 5; create ab ttl=1e1",
        "open 5; in q create a ttl=10.0",
        "open 5; create a ttl=\"5\"",
        "open 5; create a ttl=5.5",
        "open 5; create a ttl=true",
        "open 5; create a ttl=10",
        "open off; create a ttl=0; create ab ttl=0",
        "open 5; replace a ttl=0; create b; create b ttl=0; replace a ttl=0",
        "open 5; batch [replace a ttl=0 | read b]",
        "open -1; create a ttl=2; create b ttl=2; +2; count; +1; count; +1; batch [upsert a]; upsert b",
        "open 2; create a; +2; upsert a; +3; upsert a",
        "open 2; create a; +2; replace a if-match; patch a if-match; batch [replace a if-match]",
        "open 2; create a; in q create a; create b; +2; set off; read a; in q read a; read b; list",
        "open 5; create a; +1; patch a; patch a x=1; read a",
        "open off; create a; create b; create c; create d; query by 3; query rest; list by 1; list by 4",
        "2020; open 5; create a ttl=null",
        "open -1; create a ttl=2; create b; +2; query by 1",
        "open off; create a; query by 4; query rest",
    ];
    let scripts: Vec<_> = texts.iter().map(|text| Demonstration::parse(text).unwrap()).collect();
    let plays =
        |store: &RowStore| scripts.iter().map(|script| played(store, script, None)).collect::<Vec<_>>();
    let usual = plays(&RowStore::CORRECT);
    let mut behaviours: BTreeMap<Vec<Option<Vec<String>>>, Vec<&str>> = BTreeMap::new();
    for store in all_correct() {
        behaviours.entry(plays(&store.store())).or_default().push(store.name);
    }
    let silent = behaviours.remove(&usual).unwrap_or_default();
    // The answers do not show when rows are removed, the order of a list, the form of an etag, the clock and the editions.
    for name in &silent {
        let store = all_correct().find(|store| store.name == *name).unwrap().latitude;

        let is_unseen = store.removal != USUAL.removal
            || store.rows != USUAL.rows
            || store.etags != USUAL.etags
            || store.start_s != USUAL.start_s
            || store.editions != USUAL.editions;
        assert!(is_unseen, "{name} answers as the usual store does");
    }
}

/// Draws one of these.
fn drawn(state: &mut u64, words: &[&'static str]) -> &'static str {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    let number = usize::try_from(*state >> 33).unwrap_or_default();
    words.get(number.checked_rem(words.len()).unwrap_or_default()).copied().unwrap_or_default()
}

fn drawn_operation(state: &mut u64) -> String {
    let kind = drawn(state, &["create", "upsert", "replace", "patch", "patch-off", "delete", "read"]);
    let id = drawn(state, &["a", "b"]);
    let ttl = drawn(
        state,
        &["", "", "ttl=1", "ttl=3", "ttl=-1", "ttl=0", "ttl=null", "ttl=2.0", "ttl=2147483648", "x=1"],
    );
    match kind {
        "patch-off" => format!("patch {id} -ttl"),
        "delete" | "read" => format!("{kind} {id}"),
        _ => format!("{kind} {id} {ttl}"),
    }
}

/// Returns a script of requests drawn from a seed.
fn drawn_script(seed: u64) -> String {
    let mut state = seed;
    let mut script = format!("open {}", drawn(&mut state, &["off", "-1", "2", "4"]));
    for _ in 0..24 {
        let steps =
            ["set", "+0", "+1", "+2", "batch", "feed", "in q", "item", "item", "item", "item", "item"];
        let step = match drawn(&mut state, &steps) {
            "set" => {
                let settings = ["off", "-1", "2", "4", "0", "null", "3 none", "3 lazy"];
                format!("set {}", drawn(&mut state, &settings))
            }
            "batch" => format!("batch [{} | {}]", drawn_operation(&mut state), drawn_operation(&mut state)),
            "feed" => drawn(&mut state, &["query", "list", "count"]).to_owned(),
            "in q" => format!("in q {}", drawn_operation(&mut state)),
            "item" => drawn_operation(&mut state),
            seconds => seconds.to_owned(),
        };
        script.push_str("; ");
        script.push_str(&step);
    }
    script
}

#[test]
fn the_second_and_the_third_store_answer_drawn_scripts_alike() {
    for seed in 0..1_000 {
        let text = drawn_script(seed);
        let script = Demonstration::parse(&text).unwrap();
        // A removal may decide whether an item comes back, and each store removes at a time of its own.
        let second = played(&DocumentStore::CORRECT, &script, Some(Removal::Never));
        let third = played(&RowStore::CORRECT, &script, Some(Removal::Never));
        assert_eq!(second, third, "seed {seed}: {text}");
    }
}

#[test]
fn no_answer_shows_when_a_correct_store_of_the_third_kind_removes_while_the_settings_stay() {
    let removes_only = |store: &RowStore| {
        let same = Latitude { removal: USUAL.removal, ..store.latitude };
        format!("{same:?}") == format!("{USUAL:?}")
    };
    let stores: Vec<_> = all_correct().map(CorrectRowStore::store).filter(removes_only).collect();
    assert!(stores.len() >= 8);
    for seed in 0..200 {
        let text = drawn_script(seed);
        let steps: Vec<_> = text.split("; ").filter(|step| !step.starts_with("set ")).collect();
        let script = Demonstration::parse(&steps.join(";")).unwrap();
        let right = played(&RowStore::CORRECT, &script, Some(Removal::Never));
        for removal in SCHEDULES {
            assert_eq!(played(&RowStore::CORRECT, &script, Some(removal)), right, "{removal}: {text}");
        }
        for store in &stores {
            assert_eq!(played(store, &script, None), right, "{}: {text}", store.name);
        }
    }
}
