//! The second store, its faults and its correct variants.

use cosmos_ttl_faults::script::{Demonstration, ScriptStep};
use cosmos_ttl_faults::second::{DocumentFault, DocumentStore, all_correct, all_faults};
use cosmos_ttl_faults::{CORRECT, FAULTS, LogStore};
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

#[track_caller]
fn check(script: &str, answers: &[&str]) {
    let read = Demonstration::parse(script).unwrap_or_else(|why| panic!("{why}"));
    let played = played(&DocumentStore::CORRECT, &read, None);
    assert_eq!(played.as_deref().unwrap_or_default(), answers, "{script}");
}

#[test]
fn both_stores_answer_the_scripts_of_the_first_set_alike() {
    for fault in FAULTS.iter() {
        let script = Demonstration::parse(fault.shown_by).unwrap();
        for removal in SCHEDULES {
            let first = played(&LogStore::CORRECT, &script, Some(removal));
            let second = played(&DocumentStore::CORRECT, &script, Some(removal));
            assert_eq!(first, second, "{} under {removal}: {}", fault.name, fault.shown_by);
        }
    }
}

#[test]
fn items_with_one_id_in_two_partitions_do_not_know_each_other() {
    let alone = r#"created {"x": 1} _ts Some(0) _etag Some(0)"#;
    let other = r#"created {"ttl": 2} _ts Some(0) _etag Some(1)"#;
    let found = r#"found {"x": 1} _ts Some(0) _etag Some(0)"#;
    let script = "open -1; create a x=1; in q create a ttl=2; +2; in q read a; read a; in q list; list";
    check(script, &["created", alone, other, "not-found", found, "ok ", "ok a"]);
}

#[test]
fn pages_hold_what_is_alive_when_they_are_asked_for() {
    let script = Demonstration::parse(
        "open -1; create a ttl=2; create b; create c ttl=2; create d; query by 1; list by 2; +2; query rest; list rest",
    );
    let answers = played(&DocumentStore::CORRECT, &script.unwrap(), None).unwrap();
    assert_eq!(&answers[5..], ["ok a", "ok a b", "ok b d", "ok d"]);
}

#[test]
fn every_correct_store_plays_some_script() {
    let script = Demonstration::parse("open 5; create a; +5; read a").unwrap();
    for store in all_correct() {
        let answers = played(&store.store(), &script, None).unwrap();
        assert_eq!(answers.last().map(String::as_str), Some("not-found"), "{}", store.name);
    }
}

fn script(fault: &DocumentFault) -> Demonstration {
    Demonstration::parse(fault.shown_by).unwrap_or_else(|why| panic!("{}: {why}", fault.name))
}

/// Returns the name of a correct store, of either kind, that gives these answers to a script.
fn correct_store_with(answers: &[String], script: &Demonstration) -> Option<String> {
    let second = all_correct().map(|one| (one.name, Box::new(one.store()) as Box<dyn Target>));
    let first = CORRECT.iter().map(|one| (one.name, Box::new(one.store()) as Box<dyn Target>));
    for (name, store) in second.chain(first) {
        for removal in SCHEDULES {
            if played(store.as_ref(), script, Some(removal)).is_some_and(|right| right == answers) {
                return Some(format!("{name} under {removal}"));
            }
        }
    }
    None
}

#[test]
fn no_correct_store_of_either_kind_answers_a_script_as_its_fault_does() {
    let mut alike = Vec::new();
    for fault in all_faults() {
        let script = script(fault);
        let wrong = played(&fault.store(), &script, None).unwrap();
        if let Some(correct) = correct_store_with(&wrong, &script) {
            alike.push(format!("{}: {correct}: {}", fault.name, fault.shown_by));
        }
    }
    assert!(alike.is_empty(), "{}", alike.join("\n"));
}

/// Returns how many requests the correct store refuses.
fn refusals(script: &Demonstration) -> usize {
    let refused = ["bad-request", "not-found", "conflict", "precondition-failed", "no page follows"];
    let answers = played(&DocumentStore::CORRECT, script, None).unwrap_or_default();
    answers.iter().filter(|answer| refused.iter().any(|word| answer.starts_with(word))).count()
}

/// Returns the answers without their etags.
fn without_etags(answers: Vec<String>) -> Vec<String> {
    let cut = |answer: String| answer.split(" _etag ").next().unwrap_or_default().to_owned();
    answers.into_iter().map(cut).collect()
}

/// Returns whether no correct store gives these answers, whatever their etags are.
fn shows_without_etags(answers: Vec<String>, script: &Demonstration) -> bool {
    let answers = without_etags(answers);
    all_correct().all(|one| {
        let right = SCHEDULES.map(|removal| played(&one.store(), script, Some(removal)).map(without_etags));
        !right.contains(&Some(answers.clone()))
    })
}

// A step stays if a later one would be refused without it: the script would be about something else. No clause wants a
// new etag of every write, so a script without the step must show more than an etag.
#[test]
fn no_step_of_a_script_of_the_second_set_can_be_left_out() {
    let mut superfluous = Vec::new();
    for fault in all_faults() {
        let script = script(fault);
        let opens = |step: &ScriptStep| matches!(step, ScriptStep::Send(request, _) if request.word() == "create-container");
        for number in (0..script.steps.len()).filter(|number| !opens(&script.steps[*number])) {
            let mut shorter = script.clone();
            shorter.steps.remove(number);
            let Some(answers) = played(&fault.store(), &shorter, None) else { continue };
            let shows = shows_without_etags(answers, &shorter);
            if shows && refusals(&shorter) <= refusals(&script) {
                superfluous.push(format!("{}: step {number} of {}", fault.name, fault.shown_by));
            }
        }
    }
    assert!(superfluous.is_empty(), "{}", superfluous.join("\n"));
}
