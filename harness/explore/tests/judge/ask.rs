//! The experiment of each open clause: its log tells the value, and nothing shorter does.

use std::collections::{BTreeMap, BTreeSet};

use cosmos_ttl_explore::ask::{Experiment, alphabet, experiments, send};
use cosmos_ttl_explore::reference::Reference;
use cosmos_ttl_explore::{Action, Call, Script};
use cosmos_ttl_harness::etags;
use cosmos_ttl_harness::request_log::{LogWriter, LoggedTarget};
use cosmos_ttl_harness::target::{Body, Request, Response, Target as _};
use cosmos_ttl_model::choices::{Binds, MadeChoice, OpenChoice, Preferences, every};
use cosmos_ttl_model::container::{ItemId, Response as Answer, World};
use cosmos_ttl_testing::shared_bytes::SharedBytes;

use crate::judged;

/// Plays a script, and returns the log and the last answer.
fn played(preferences: Preferences, script: &Script, purges: bool) -> (Vec<u8>, Response) {
    let (bytes, reference) = (SharedBytes::default(), Reference { preferences });
    let writer = LogWriter::new(bytes.clone());
    let target = LoggedTarget::new(&reference, &writer);
    let mut session = target.open().unwrap();
    let mut last = session.send(&Request::CreateContainer(script.container.clone())).unwrap();
    let mut etag = None;
    for action in &script.actions {
        match action {
            Action::Wait(seconds) => session.pass(*seconds).unwrap(),
            Action::Call(call) => {
                let request = etags::sent(&call.request, &call.conditions, |_, _| etag.clone().ok_or(()));
                last = session.send(&request.unwrap()).unwrap();
            }
        }
        if let Body::Item(item) = &last.body {
            etag.clone_from(&item.etag);
        }
        if purges {
            session.purge().unwrap();
        }
    }
    drop(session);
    let log = bytes.bytes();
    (log, last)
}

#[test]
fn the_log_of_each_experiment_tells_the_value() {
    let experiments = experiments();
    let unsettled: Vec<_> =
        OpenChoice::listed().filter(|(choice, _)| !experiments.contains_key(choice)).collect();
    assert_eq!(unsettled, [(OpenChoice::IndexLags, ["complete", "incomplete"])]);
    for (choice, experiment) in &experiments {
        for yes in [false, true] {
            let clause = choice.clause();
            let preferences = Preferences::default().with(*choice, yes);
            let purges = yes && *choice == OpenChoice::ExpiredIsGone;
            let (log, last) = played(preferences, &experiment.script, purges);
            let told = &experiment.answers[usize::from(yes)].response;
            let is_count = matches!(last.body, Body::Count(_));
            assert_eq!(last.status, told.status, "{clause}: {yes}");
            assert!(!is_count || last == *told, "{clause}: {yes}");
            let judgement = judged(&log, true);
            let seen: Vec<_> = judgement.choices.keys().copied().collect();
            let log = String::from_utf8_lossy(&log);
            assert_eq!(seen, [(*choice, yes)], "{clause}\n{log}{:?}", judgement.lines);
        }
    }
}
/// One way in which a store may have come through a script.
#[derive(Clone)]
struct Run {
    world: Option<World>,
    made: Vec<MadeChoice>,
    is_removed: bool,
}

/// What may be after this, with and without a removal.
fn removed(runs: Vec<Run>) -> Vec<Run> {
    let without = |run: &Run| {
        let mut run = Run { is_removed: true, ..run.clone() };
        run.world.as_mut()?.remove(ItemId(0)).then_some(run)
    };
    let more: Vec<_> = runs.iter().filter_map(without).collect();
    [runs, more].concat()
}

/// Every run after a request, with what the client sees; `None` if it cannot be sent.
fn asked(runs: &[Run], call: &Call) -> Option<Vec<(Run, String)>> {
    let mut all = Vec::new();
    for run in runs {
        for (made, sent) in every(|path| send(run.world.as_ref(), call, path)) {
            let (world, answer) = sent?;
            let is_other =
                |old: &MadeChoice, new: &MadeChoice| old.choice == new.choice && old.yes != new.yes;
            let binds = |old: &&MadeChoice| old.choice.binds() != Binds::Nothing;
            if run.made.iter().filter(binds).any(|old| made.iter().any(|new| is_other(old, new))) {
                continue;
            }
            let seen = match answer {
                Answer::Created(item) => format!("created {} {:?}", item.ts, item.etag),
                Answer::Ok(item) | Answer::Found(item) => format!("ok {} {:?}", item.ts, item.etag),
                Answer::Count { most: None, .. } | Answer::AnyIds => "any".into(),
                Answer::Count { most, .. } => format!("count {most:?}"),
                answer => format!("{answer:?}"),
            };
            all.push((Run { world, made: [&run.made[..], &made].concat(), ..*run }, seen));
        }
    }
    Some(all)
}

/// Whether the last answers tell the values of a clause, whatever else is chosen.
fn tells(before: &[Run], after: &[(Run, String)], choice: OpenChoice) -> bool {
    let is_stored = before
        .iter()
        .filter(|run| !run.is_removed)
        .any(|run| run.world.as_ref().is_some_and(|world| world.expired(ItemId(0)).is_some()));
    let is_about_stored = choice.clause().starts_with("expired-");
    if after.iter().any(|(_, seen)| seen == "any") || is_about_stored && !is_stored {
        return false;
    }
    let of = |yes: bool| -> BTreeSet<&str> {
        let fits = |run: &Run| {
            let mut made = run.made.iter().filter(|one| one.choice == choice).peekable();
            made.peek().is_none() || made.any(|one| one.yes == yes)
        };
        let is_of = |run: &Run| match choice {
            OpenChoice::ExpiredIsGone => run.is_removed == yes,
            _ => fits(run) && !(is_about_stored && run.is_removed),
        };
        after.iter().filter(|(run, _)| is_of(run)).map(|(_, seen)| seen.as_str()).collect()
    };
    let (no, yes) = (of(false), of(true));
    !no.is_empty() && !yes.is_empty() && no.is_disjoint(&yes)
}

type Cost = (usize, u64);

/// Tries every script that begins like this.
fn try_all(
    alphabet: &[Call],
    runs: &[Run],
    (requests, seconds): Cost,
    least: &mut BTreeMap<OpenChoice, Cost>,
) {
    for call in alphabet {
        let Some(after) = asked(runs, call) else { continue };
        let cost = (requests + 1, seconds);
        for (choice, _) in OpenChoice::listed() {
            if least.get(&choice).is_none_or(|least| *least > cost) && tells(runs, &after, choice) {
                least.insert(choice, cost);
            }
        }
        // Each answer but the last is the only one.
        let is_one = after.windows(2).all(|pair| pair[0].1 == pair[1].1);
        if requests + 1 < 4 && is_one {
            let runs = removed(after.into_iter().map(|(run, _)| run).collect());
            try_all(alphabet, &runs, cost, least);
        }
    }
    if (1..=2).contains(&requests) && seconds < 2 || requests == 3 && seconds < 1 {
        let waited = runs.iter().cloned().map(|mut run| {
            run.world.as_mut().unwrap().wait(1);
            run
        });
        try_all(alphabet, &removed(waited.collect()), (requests, seconds + 1), least);
    }
}

#[test]
fn no_shorter_script_settles_a_clause() {
    let start = Run { world: None, made: Vec::new(), is_removed: false };
    let mut least = BTreeMap::new();
    try_all(&alphabet(), &[start], (0, 0), &mut least);
    let cost = |experiment: &Experiment| {
        let waits = experiment
            .script
            .actions
            .iter()
            .map(|one| if let Action::Wait(seconds) = one { *seconds } else { 0 });
        let calls = waits.clone().filter(|seconds| *seconds == 0).count();
        (calls + 1, waits.sum())
    };
    let found: BTreeMap<_, Cost> = experiments().iter().map(|(choice, one)| (*choice, cost(one))).collect();
    assert_eq!(found, least);
}
