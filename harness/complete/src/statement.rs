//! The statement that holds of a target that passes the suite, in words.

use crate::run::Completion;

/// Returns the statement with its assumptions, a sentence a line.
pub fn statement(done: &Completion) -> Vec<String> {
    let [states, inputs, core] = done.size;
    let [model, influence, more] = match done.items {
        1 => [
            "one item",
            "items do not influence each other",
            "two or more items (`--items 2` tests two, at depth 0)",
        ],
        _ => ["two items", "a third item influences neither of the two", "three or more items, other values"],
    };
    let (depth, longest_s) = (done.depth.0, done.longest_s);
    let reached = if depth == 0 {
        "by one of the access sequences".to_owned()
    } else {
        format!("by one of the access sequences and at most {depth} of {core} inputs")
    };
    vec![
        format!(
            "each store of which every state is reached {reached}, and which passes, answers as the model does, forever"
        ),
        format!("the model: {model}, lifetimes up to {longest_s} s, {states} states, {inputs} inputs"),
        "assumed: the same requests always lead to the same answers, but for the open choices that are listed".into(),
        format!("assumed: values of one class are treated alike, and {influence}"),
        "assumed: removal happens by the schedules that the target offers".into(),
        "assumed: a condition has the same effect after the requests that give the item an earlier etag".into(),
        format!("outside: longer lifetimes, {more}, counters, a real clock, concurrent requests"),
    ]
}
