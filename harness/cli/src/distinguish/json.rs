//! A difference for programs.

use serde::Serialize;

use super::text::answer;
use cosmos_ttl_explore::distinguish::{Difference, Searched};
use cosmos_ttl_harness::describe;
use cosmos_ttl_harness::plain::visible;
use cosmos_ttl_harness::target::{Edition, Removal};

/// The version of the form.
const FORMAT: u32 = 1;

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Report<'a> {
    format: u32,
    targets: &'a [String; 2],
    difference: Option<Found<'a>>,
    searched: Effort,
}

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Found<'a> {
    edition: Edition,
    removal: Option<Removal>,
    shortest: bool,
    from: &'a str,
    steps: Vec<Step>,
}

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Step {
    at_s: u64,
    asked: String,
    answered: [String; 2],
}

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Effort {
    moves: u64,
    depth: usize,
    vectors: u64,
    chances: u64,
}

pub(super) fn json(names: &[String; 2], found: Option<&Difference>, searched: &Searched) -> String {
    let difference = found.map(|difference| Found {
        edition: difference.board.edition,
        removal: difference.removal,
        shortest: difference.shortest,
        from: &difference.found,
        steps: steps(difference),
    });
    let Searched { actions: moves, depth, vectors, chances } = *searched;
    let searched = Effort { moves, depth, vectors, chances };
    let report = Report { format: FORMAT, targets: names, difference, searched };
    // Strings, numbers, lists and structs: nothing that JSON could refuse.
    serde_json::to_string_pretty(&report).unwrap_or_default() + "\n"
}

fn steps(difference: &Difference) -> Vec<Step> {
    let step =
        |(heard, other): &(cosmos_ttl_explore::compare::Heard, cosmos_ttl_harness::target::Response)| Step {
            at_s: heard.at_s,
            asked: visible(&describe::request(&heard.ask.request, &heard.ask.conditions)),
            answered: [answer(&heard.response, true), answer(other, true)],
        };
    difference.heard.iter().map(step).collect()
}
