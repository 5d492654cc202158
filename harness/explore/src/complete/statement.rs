//! The statement that holds of a target that passes the suite, in words.

use crate::complete::input::{REFUSED, REFUSED_DEFAULTS};
use crate::complete::run::Completion;

/// Returns the statement with its assumptions, and the lists that it refers to; each line is one sentence.
pub fn statement(done: &Completion) -> Vec<String> {
    let [states, inputs, core] = done.size;
    let (depth, longest_s) = (done.depth.0, done.longest_s);
    let reached = if depth == 0 {
        "by one of the access sequences".to_owned()
    } else {
        format!("by one of the access sequences and at most {depth} of {core} core inputs")
    };
    let is_one = done.items == 1;
    let model = if is_one { "one item" } else { "two items" };
    let influence = if is_one {
        "items do not influence each other"
    } else {
        "a third item influences neither of the two"
    };
    let mut lines = vec![
        format!(
            "No store of the following class passes this suite and differs from the model: every state of the store, with the etag that a client knows, is reached {reached}"
        ),
        "so a store of this class that passes answers as the model does, forever".into(),
        "harness/USAGE.md, \"Beyond the vectors\", explains the class and the assumptions".into(),
        format!("the model: {model}, lifetimes up to {longest_s} s, {states} states, {inputs} inputs"),
        "assumed: the same requests always lead to the same answers, but for the open choices that are listed".into(),
        format!("assumed: values of one class are treated alike, and {influence}"),
        "assumed: removal happens by the schedules that the target offers".into(),
    ];
    if is_one {
        lines.extend([
            "a condition: a read comes first where no answer has shown the etag since the last write".into(),
            "a condition whose item has had no such etag: one of another item is sent".into(),
        ]);
    }
    lines.push("a change of settings: a read comes next where an expired item may be back".into());
    let outside = if is_one {
        "two or more items (`--items 2` tests two, at depth 0)"
    } else {
        "conditions, three or more items, other values"
    };
    lines.push(format!("outside: longer lifetimes, {outside}, counters, a real clock, concurrent requests"));
    lines.push(format!("core inputs: {}", done.core_inputs.join("; ")));
    let lifetimes: Vec<String> = (1..=longest_s).map(|seconds| seconds.to_string()).collect();
    let lifetimes = lifetimes.join(", ");
    if is_one {
        lines.extend([
            format!("values of `ttl`: none, -1, {lifetimes}; refused: {}", REFUSED.join(", ")),
            format!(
                "values of `defaultTtl`: none, -1, {lifetimes}; refused or open: {}",
                REFUSED_DEFAULTS.join(", ")
            ),
        ]);
    }
    lines.extend([
        "open choices that are observed first and then expected: container-null-is-off, item-integral-fraction, item-invalid-while-off, reappearance".into(),
        "open choices that are free in each answer: expired-in-aggregates, expired-precondition, expired-upsert-status, refusal-order".into(),
    ]);
    lines
}
