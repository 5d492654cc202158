//! The statement that holds of a target that passes the suite, in words.

use crate::run::Completion;

/// Returns the statement with its assumptions, a sentence a line.
pub fn statement(done: &Completion) -> Vec<String> {
    let [states, inputs, core] = done.size;
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
        format!("the model: one item, lifetimes up to {longest_s} s, {states} states, {inputs} inputs"),
        "assumed: the same requests always lead to the same answers, but for the open choices that are listed".into(),
        "assumed: values of one class are treated alike, and items do not influence each other".into(),
        "assumed: removal happens by the schedules that the target offers".into(),
        "outside: longer lifetimes, two or more items (`cargo lab complete` counts tests of two), counters, a real clock, concurrent requests".into(),
    ]
}
