//! Where requests and seconds stand from left to right.

use std::collections::{BTreeMap, BTreeSet};

use maud::{Markup, html};

use crate::Case;
use crate::timeline::Life;

/// The room for seconds and numbers of requests above.
pub(super) const HEAD: usize = 52;
/// The height of a lane.
pub(super) const LANE: usize = 34;

const SLOT: usize = 34;
const GAP: usize = 26;
const PAD: usize = 8;
/// The width of a digit, roughly.
const DIGIT: usize = 8;
/// No more characters of a name have room at the left.
pub(super) const NAME: usize = 15;
/// And no fewer, which are those of `container`.
const LEAST_NAME: usize = 9;

/// A second in which something happens.
struct Second {
    at_s: u64,
    left: usize,
    width: usize,
    steps: Vec<usize>,
}

/// Where everything stands.
pub(super) struct Axis {
    seconds: Vec<Second>,
    slots: BTreeMap<usize, usize>,
    /// Where the names end.
    pub(super) left: usize,
    pub(super) width: usize,
}

impl Axis {
    /// The seconds of all requests, and those in which something expires.
    pub(super) fn of(case: &Case, lives: &[Life], most: usize) -> Self {
        let mut by_second: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
        for (number, step) in case.steps.iter().enumerate().take(most) {
            by_second.entry(step.at_s).or_default().push(number);
        }
        for deadline_s in deadlines(lives, most) {
            by_second.entry(deadline_s).or_default();
        }
        let longest = lives.iter().map(|life| life.item.chars().take(NAME).count()).max().unwrap_or(0);
        let left = longest.max(LEAST_NAME).saturating_mul(DIGIT).saturating_add(PAD);
        let width = left.saturating_sub(GAP).saturating_add(PAD);
        let mut axis = Self { seconds: Vec::new(), slots: BTreeMap::new(), left, width };
        for (at_s, steps) in by_second {
            axis.add(at_s, steps);
        }
        axis.width = axis.width.saturating_add(GAP);
        axis
    }

    fn add(&mut self, at_s: u64, steps: Vec<usize>) {
        let left = self.width.saturating_add(GAP);
        let label = label(at_s).len().saturating_mul(DIGIT);
        let slots = steps.len().max(1).saturating_mul(SLOT);
        let width = slots.max(label).saturating_add(PAD);
        let spare = width.saturating_sub(steps.len().saturating_mul(SLOT)) / 2;
        for (number, step) in steps.iter().enumerate() {
            let middle = number.saturating_mul(SLOT).saturating_add(SLOT / 2);
            self.slots.insert(*step, left.saturating_add(spare).saturating_add(middle));
        }
        self.seconds.push(Second { at_s, left, width, steps });
        self.width = left.saturating_add(width);
    }

    /// The middle of a request; `None` of one that is not drawn.
    pub(super) fn step(&self, number: usize) -> Option<usize> {
        self.slots.get(&number).copied()
    }

    /// Where a second begins.
    pub(super) fn second(&self, at_s: u64) -> Option<usize> {
        self.seconds.iter().find(|second| second.at_s == at_s).map(|second| second.left)
    }
}

/// The seconds in which an item expires, unless it is written, deleted or set anew before.
fn deadlines(lives: &[Life], most: usize) -> BTreeSet<u64> {
    let spans = lives.iter().flat_map(|life| life.spans.iter().take(most));
    let reached =
        |deadline_s: &u64, until_s: Option<u64>| until_s.is_none_or(|until_s| *deadline_s <= until_s);
    spans.filter_map(|span| span.deadline_s.filter(|at_s| reached(at_s, span.until_s))).collect()
}

fn label(at_s: u64) -> String {
    format!("{at_s} s")
}

/// The seconds as bands with their labels, and the numbers of the requests.
pub(super) fn seconds(axis: &Axis, failing: usize, height: usize) -> Markup {
    let mut before: Option<&Second> = None;
    let mut breaks = Vec::new();
    for second in &axis.seconds {
        if before.is_some_and(|before| 1 < second.at_s.saturating_sub(before.at_s)) {
            breaks.push(second.left.saturating_sub(GAP / 2));
        }
        before = Some(second);
    }
    html! {
        @for second in &axis.seconds {
            @let middle = second.left.saturating_add(second.width / 2);
            rect.band x=(second.left) y="0" width=(second.width) height=(height) rx="4" {}
            text.second x=(middle) y="18" text-anchor="middle" { (label(second.at_s)) }
            @for (step, x) in second.steps.iter().filter_map(|step| Some((step, axis.step(*step)?))) {
                @if *step == failing {
                    rect.failing x=(x.saturating_sub(SLOT / 2)) y="26" width=(SLOT) height=(height.saturating_sub(28)) rx="4" {}
                    text.number.bad x=(x) y="42" text-anchor="middle" { "✗" (step.saturating_add(1)) }
                } @else {
                    text.number x=(x) y="42" text-anchor="middle" { (step.saturating_add(1)) }
                }
            }
        }
        @for x in breaks { text.break x=(x) y="18" text-anchor="middle" { "⋯" } }
    }
}
