//! A vector as a drawing: a lane for the container and for each item, what was done to it, and how long it lives by the
//! rules.
//!
//! Requests are side by side in their order, and seconds are labelled: a second and sixty-eight years take as much room.

use std::collections::{BTreeMap, BTreeSet};

use maud::{Markup, html};

use super::safe;
use crate::timeline::{Does, Life, Setting, Span};
use crate::{Case, ReportedFailure};
use cosmos_ttl_harness::plain::cut;

/// A drawing has no more requests than this.
const MOST_STEPS: usize = 60;
/// And no more items.
const MOST_LANES: usize = 12;

/// The room for seconds and numbers of requests above.
const HEAD: usize = 52;
/// The height of a lane.
const LANE: usize = 34;
/// The width of a request.
const SLOT: usize = 34;
const GAP: usize = 26;
const PAD: usize = 8;
/// The width of a digit, roughly.
const DIGIT: usize = 8;
/// The width of a small character, roughly.
const CHARACTER: usize = 6;
/// No more characters of a name have room at the left.
const NAME: usize = 15;
/// And no fewer, which are those of `container`.
const LEAST_NAME: usize = 9;

/// A second in which something happens.
struct Second {
    at_s: u64,
    left: usize,
    width: usize,
    steps: Vec<usize>,
}

/// What all parts of a drawing need.
struct Drawing<'a> {
    case: &'a Case,
    failing: usize,
    /// The items that the answer has and must not have, or the other way round, where it is a list.
    astray: Option<BTreeSet<&'a str>>,
    seconds: Vec<Second>,
    /// The middle of each request.
    slots: BTreeMap<usize, usize>,
    /// The end of the names.
    left: usize,
    width: usize,
}

pub(super) fn drawing(case: &Case, failure: &ReportedFailure, anchor: &str) -> Markup {
    let lives = case.timeline.lives.get(..MOST_LANES).unwrap_or(&case.timeline.lives);
    let drawing = Drawing::of(case, failure, lives);
    let (title, desc) = (format!("{anchor}.title"), format!("{anchor}.desc"));
    let (width, height) = (drawing.width, HEAD + (lives.len() + 1) * LANE);
    let cut_short = MOST_STEPS < case.steps.len() || MOST_LANES < case.timeline.lives.len();
    html! {
        figure {
            div.scroll tabindex="0" role="region" aria-label={ "Drawing of " (safe(&case.name)) } {
                svg width=(width) height=(height) viewBox={ "0 0 " (width) " " (height) } role="img"
                    aria-labelledby={ (title) " " (desc) } {
                    title id=(title) { (safe(&case.name)) ", moment by moment" }
                    desc id=(desc) { (in_words(lives, failure.step)) }
                    (drawing.bands(height))
                    (drawing.container_lane())
                    @for (number, life) in lives.iter().enumerate() { (drawing.item_lane(life, number + 1)) }
                }
            }
            figcaption {
                (legend())
                @if cut_short { " The drawing is cut short; the table has the rest." }
            }
        }
    }
}

/// The items that are in only one of two lists, `[a, b]` and whatever follows.
fn astray(failure: &ReportedFailure) -> Option<BTreeSet<&str>> {
    fn listed(text: &str) -> Option<BTreeSet<&str>> {
        let (list, _) = text.strip_prefix('[')?.split_once(']')?;
        Some(list.split(", ").filter(|id| !id.is_empty()).collect())
    }
    let (expected, got) = (listed(&failure.expected)?, listed(&failure.got)?);
    let astray: BTreeSet<_> = expected.symmetric_difference(&got).copied().collect();
    (!astray.is_empty()).then_some(astray)
}

/// The drawing in words, for readers who do not see it.
fn in_words(lives: &[Life], failing: usize) -> String {
    let span = |span: &Span| {
        let there = if span.open { "open whether there" } else { "there" };
        let from = format!("{there} from {} s", span.from_s);
        match (span.deadline_s, span.until_s) {
            (Some(deadline_s), Some(until_s)) if until_s < deadline_s => format!("{from} to {until_s} s"),
            (Some(deadline_s), _) => format!("{from}, expired from {deadline_s} s on"),
            (None, Some(until_s)) => format!("{from} to {until_s} s"),
            (None, None) => format!("{from} on"),
        }
    };
    let lives = lives.iter().map(|life| {
        let spans: Vec<_> = life.spans.iter().take(MOST_STEPS).map(span).collect();
        let there = if spans.is_empty() { "never there".into() } else { spans.join(", then ") };
        format!("{}: {there}. ", cut(&life.item, 60))
    });
    let failing = failing.saturating_add(1);
    format!("{}Request {failing} is not answered as expected.", lives.collect::<String>())
}

fn legend() -> Markup {
    let signs = [
        (Does::Writes, "written"),
        (Does::Looks, "looked at"),
        (Does::Deletes, "deleted"),
        (Does::Nothing, "refused, by the rules"),
        (Does::Open, "open"),
    ];
    html! {
        ul.legend aria-hidden="true" {
            @for (does, word) in signs {
                li {
                    svg width="14" height="14" viewBox="0 0 14 14" { (sign(does, 7, 7)) }
                    " " (word)
                }
            }
            li { svg width="22" height="14" viewBox="0 0 22 14" { rect.lives x="0" y="3" width="22" height="8" rx="2" {} } " there, by the rules" }
            li { svg width="22" height="14" viewBox="0 0 22 14" { rect.open x="1" y="3" width="20" height="8" rx="2" {} } " open whether there" }
            li { svg width="14" height="14" viewBox="0 0 14 14" { line.deadline x1="7" x2="7" y1="0" y2="14" {} } " expired from here on" }
            li { span.bad { "✗" } " not as expected" }
        }
    }
}

/// The second of a deadline, unless the item is written, deleted or set anew before.
fn reached_deadline(span: &Span) -> Option<u64> {
    span.deadline_s.filter(|deadline_s| span.until_s.is_none_or(|until_s| *deadline_s <= until_s))
}

impl<'a> Drawing<'a> {
    /// Places the seconds of all requests, and those in which something expires, from left to right.
    fn of(case: &'a Case, failure: &'a ReportedFailure, lives: &[Life]) -> Self {
        let mut by_second: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
        for (number, step) in case.steps.iter().enumerate().take(MOST_STEPS) {
            by_second.entry(step.at_s).or_default().push(number);
        }
        let spans = lives.iter().flat_map(|life| life.spans.iter().take(MOST_STEPS));
        for deadline_s in spans.filter_map(reached_deadline) {
            by_second.entry(deadline_s).or_default();
        }
        let longest = lives.iter().map(|life| life.item.chars().take(NAME).count()).max().unwrap_or(0);
        let left = longest.max(LEAST_NAME) * DIGIT + PAD;
        let (mut seconds, mut slots, mut end) = (Vec::new(), BTreeMap::new(), left + PAD);
        for (at_s, steps) in by_second {
            let label = label(at_s).len() * DIGIT;
            let width = (steps.len().max(1) * SLOT).max(label) + PAD;
            let spare = (width - steps.len() * SLOT) / 2;
            for (number, step) in steps.iter().enumerate() {
                slots.insert(*step, end + spare + number * SLOT + SLOT / 2);
            }
            seconds.push(Second { at_s, left: end, width, steps });
            end += width + GAP;
        }
        Self { case, failing: failure.step, astray: astray(failure), seconds, slots, left, width: end }
    }

    /// The middle of a request; `None` of one that is not drawn.
    fn step(&self, number: usize) -> Option<usize> {
        self.slots.get(&number).copied()
    }

    /// The end of what goes on for ever.
    fn open_end(&self) -> usize {
        self.width - 4
    }

    /// The seconds as bands with their labels, and the numbers of the requests.
    fn bands(&self, height: usize) -> Markup {
        let apart = self.seconds.windows(2).filter_map(|pair| match pair {
            [before, second] if second.at_s - before.at_s > 1 => Some(second.left - GAP / 2),
            _ => None,
        });
        html! {
            @for second in &self.seconds {
                @let middle = second.left + second.width / 2;
                rect.band x=(second.left) y="0" width=(second.width) height=(height) rx="4" {}
                text.second x=(middle) y="18" text-anchor="middle" { (label(second.at_s)) }
                @for (step, x) in second.steps.iter().filter_map(|step| Some((step, self.step(*step)?))) {
                    @if *step == self.failing {
                        rect.failing x=(x - SLOT / 2) y="26" width=(SLOT) height=(height - 28) rx="4" {}
                        text.number.bad x=(x) y="42" text-anchor="middle" { "✗" (step + 1) }
                    } @else {
                        text.number x=(x) y="42" text-anchor="middle" { (step + 1) }
                    }
                }
            }
            @for x in apart { text.break x=(x) y="18" text-anchor="middle" { "⋯" } }
        }
    }

    fn lane_name(&self, y: usize, text: &str) -> Markup {
        html! {
            line.base x1=(self.left) x2=(self.width) y1=(y) y2=(y) {}
            text.name x="4" y=(y + 4) { title { (safe(text)) } (cut(text, NAME)) }
        }
    }

    /// What the container is set to, from request to request.
    fn container_lane(&self) -> Markup {
        let (settings, y) = (&self.case.timeline.settings, middle(0));
        html! {
            (self.lane_name(y, "container"))
            @for (number, setting) in settings.iter().enumerate() {
                @if let Some(x) = self.step(setting.step) {
                    (self.setting(setting, settings.get(number + 1..).unwrap_or(&[]), x, y))
                    (failed(setting.step == self.failing, x, y))
                }
            }
        }
    }

    fn setting(&self, setting: &Setting, later: &[Setting], x: usize, y: usize) -> Markup {
        let next = later.iter().find(|later| later.takes != Some(false));
        let end = next.and_then(|next| self.step(next.step)).unwrap_or(self.open_end());
        let room = later.first().and_then(|next| self.step(next.step)).unwrap_or(end);
        let room = (room.saturating_sub(x) / CHARACTER).saturating_sub(1);
        let says = match setting.says.trim_start_matches('{').trim_end_matches('}') {
            "" => "off",
            says if says.chars().count() <= room => says,
            says => says.trim_start_matches("defaultTtl: "),
        };
        html! {
            g {
                @if setting.takes == Some(false) {
                    title { (safe(&setting.says)) ": refused, by the rules" } (sign(Does::Nothing, x, y))
                } @else {
                    title { (safe(&setting.says)) }
                    rect.setting x=(x) y=(y - 10) width=(end.saturating_sub(x).saturating_sub(2)) height="20" rx="3" {}
                    text.says x=(x + 5) y=(y + 4) { (cut(says, room)) }
                }
            }
        }
    }

    /// An item: when it is there by the rules, and what is done to it.
    fn item_lane(&self, life: &Life, lane: usize) -> Markup {
        let y = middle(lane);
        let touches = life.touches.iter().filter_map(|touch| Some((touch, self.step(touch.step)?)));
        let is_astray = self.astray.as_ref().is_none_or(|astray| astray.contains(life.item.as_str()));
        let unreached = |step: usize| self.case.steps.get(step).is_none_or(|step| step.answered.is_none());
        html! {
            (self.lane_name(y, &life.item))
            @for span in &life.spans { @if let Some(from) = self.step(span.from_step) { (self.bar(span, from, y)) } }
            @for (touch, x) in touches {
                g.unreached[unreached(touch.step)] { (sign(touch.does, x, y)) }
                (failed(touch.step == self.failing && is_astray, x, y))
            }
        }
    }

    /// A time in which an item is there, up to its deadline or to what ends it before.
    fn bar(&self, span: &Span, from: usize, y: usize) -> Markup {
        let second = |at_s| self.seconds.iter().find(|second| second.at_s == at_s).map(|second| second.left);
        let deadline = reached_deadline(span).and_then(second);
        let until = span.until_step.and_then(|step| self.step(step));
        let width = deadline.or(until).unwrap_or(self.open_end()).saturating_sub(from);
        html! {
            rect class=(if span.open { "open" } else { "lives" }) x=(from) y=(y - 7) width=(width) height="14" rx="3" {}
            @if let Some(x) = deadline { line.deadline x1=(x) x2=(x) y1=(y - 14) y2=(y + 14) {} }
        }
    }
}

fn label(at_s: u64) -> String {
    format!("{at_s} s")
}

/// The middle of a lane.
fn middle(lane: usize) -> usize {
    HEAD + lane * LANE + LANE / 2
}

/// A circle around what was not answered as expected.
fn failed(differs: bool, x: usize, y: usize) -> Markup {
    html! { @if differs { circle.differs cx=(x) cy=(y) r="11" {} } }
}

/// The sign of what a request does.
fn sign(does: Does, x: usize, y: usize) -> Markup {
    let (left, right, top, bottom) = (x - 4, x + 4, y - 4, y + 4);
    html! {
        @match does {
            Does::Writes => circle.writes cx=(x) cy=(y) r="5" {},
            Does::Looks => circle.looks cx=(x) cy=(y) r="4" {},
            Does::Deletes => path.deletes d={ "M" (left) " " (top) "L" (right) " " (bottom) "M" (right) " " (top) "L" (left) " " (bottom) } {},
            Does::Nothing => rect.nothing x=(left) y=(top) width="8" height="8" {},
            Does::Open => {
                circle.looks cx=(x) cy=(y) r="6" {}
                text.question x=(x) y=(bottom) text-anchor="middle" { "?" }
            },
        }
    }
}
