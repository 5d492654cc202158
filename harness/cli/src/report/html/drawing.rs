//! The drawing of a failure: a lane for the container and for each item, what was done to it, and how long it lives by the
//! rules. Requests are side by side in their order, and seconds are labelled: a second and sixty-eight years take as much
//! room.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use maud::{Markup, html};

use super::safe;
use crate::report::timeline::{Does, Life, Setting, Span};
use crate::report::wrong_items::astray;
use crate::report::{Case, ReportedFailure};
use cosmos_ttl_harness::describe::listed;
use cosmos_ttl_harness::plain::cut;

/// A drawing has no more requests, and no more items, than this.
const MOST_DRAWN_STEPS: usize = 60;
const MOST_LANES: usize = 12;

/// The room for seconds and numbers of requests above.
const HEAD: usize = 52;
/// The height of a lane, and the width of a request.
const LANE: usize = 34;
const SLOT: usize = 34;
const GAP: usize = 26;
const PAD: usize = 8;
/// The width of a digit and of a small character, roughly.
const DIGIT: usize = 8;
const CHARACTER: usize = 6;
/// No more characters of a name have room at the left.
const NAME: usize = 15;

struct Second {
    at_s: u64,
    label: String,
    left: usize,
    width: usize,
    /// The requests, each with its middle.
    steps: Vec<(usize, usize)>,
}

struct Drawing<'a> {
    case: &'a Case,
    failing: usize,
    /// The items that the answer has and must not have, or the other way round, where it is a list.
    astray: Option<BTreeSet<&'a str>>,
    seconds: Vec<Second>,
    /// The end of the names.
    left: usize,
    width: usize,
}

pub(super) fn drawing(case: &Case, failure: &ReportedFailure, anchor: &str) -> Markup {
    let lives = case.timeline.lives.get(..MOST_LANES).unwrap_or(&case.timeline.lives);
    let drawing = Drawing::of(case, failure, lives);
    let (title, desc) = (format!("{anchor}.title"), format!("{anchor}.desc"));
    let (width, height) = (drawing.width, HEAD + (lives.len() + 1) * LANE);
    let cut_short = MOST_DRAWN_STEPS < case.steps.len() || MOST_LANES < case.timeline.lives.len();
    html! {
        figure {
            div.scroll tabindex="0" role="region" aria-label={ "Drawing of " (safe(&case.name)) } {
                svg width=(width) height=(height) viewBox={ "0 0 " (width) " " (height) } role="img"
                    aria-labelledby={ (title) " " (desc) } {
                    title id=(title) { (safe(&case.name)) ", moment by moment" }
                    desc id=(desc) { (in_words(lives, failure.step)) }
                    (drawing.bands(height))
                    (drawing.container_lane(HEAD + LANE / 2))
                    @for (number, life) in lives.iter().enumerate() {
                        (drawing.item_lane(life, HEAD + (number + 1) * LANE + LANE / 2))
                    }
                }
                // A narrow screen begins at the failing request: a browser scrolls to this place.
                @if let Some(x) = drawing.step(failure.step) {
                    p.here aria-hidden="true" { svg width=(x.saturating_sub(SLOT)) height="1" {} span.failing {} }
                }
            }
            figcaption {
                (drawing.legend(lives))
                @if cut_short { " The drawing is cut short; the table has the rest." }
            }
        }
    }
}

fn names(list: &str, item: &str) -> bool {
    listed(list).is_some_and(|items| items.contains(item))
}

/// The drawing in words, for readers who do not see it.
fn in_words(lives: &[Life], failing: usize) -> String {
    let span = |span: &Span| {
        let from =
            format!("{} from {} s", if span.open { "open whether there" } else { "there" }, span.from_s);
        match (reached_deadline(span), span.until_s) {
            (Some(deadline_s), _) => format!("{from}, expired from {deadline_s} s on"),
            (None, Some(until_s)) => format!("{from} to {until_s} s"),
            (None, None) => format!("{from} on"),
        }
    };
    let lives = lives.iter().map(|life| {
        let spans: Vec<_> = life.spans.iter().take(MOST_DRAWN_STEPS).map(span).collect();
        let there = if spans.is_empty() { "never there".into() } else { spans.join(", then ") };
        format!("{}: {there}. ", cut(&life.item, 60))
    });
    let lives = lives.collect::<String>();
    format!("{lives}Request {} is not answered as expected.", failing.saturating_add(1))
}

/// The second of a deadline, unless the item is written, deleted or set again before.
fn reached_deadline(span: &Span) -> Option<u64> {
    span.deadline_s.filter(|deadline_s| span.until_s.is_none_or(|until_s| *deadline_s <= until_s))
}

impl<'a> Drawing<'a> {
    /// Places the seconds of all requests, and those in which something expires, from left to right.
    fn of(case: &'a Case, failure: &'a ReportedFailure, lives: &[Life]) -> Self {
        let mut by_second: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
        for (number, step) in case.steps.iter().enumerate().take(MOST_DRAWN_STEPS) {
            by_second.entry(step.at_s).or_default().push(number);
        }
        let spans = lives.iter().flat_map(|life| life.spans.iter().take(MOST_DRAWN_STEPS));
        for deadline_s in spans.filter_map(reached_deadline) {
            by_second.entry(deadline_s).or_default();
        }
        let names = lives.iter().map(|life| life.item.as_str()).chain(["container"]);
        let longest = names.map(|name| name.chars().take(NAME).count()).max().unwrap_or(0);
        let left = longest * DIGIT + PAD;
        let (mut seconds, mut end) = (Vec::new(), left + PAD);
        for (at_s, steps) in by_second {
            let label = format!("{at_s} s");
            let width = (steps.len().max(1) * SLOT).max(label.len() * DIGIT) + PAD;
            let first = end + (width - steps.len() * SLOT) / 2 + SLOT / 2;
            let steps = steps.into_iter().zip((first..).step_by(SLOT)).collect();
            seconds.push(Second { at_s, label, left: end, width, steps });
            end += width + GAP;
        }
        Self { case, failing: failure.step, astray: astray(failure), seconds, left, width: end }
    }

    /// Explains the signs that occur.
    fn legend(&self, lives: &[Life]) -> Markup {
        let settings = &self.case.timeline.settings;
        let refused = settings.iter().any(|setting| setting.takes == Some(false));
        let touches =
            || lives.iter().flat_map(|life| &life.touches).filter(|touch| self.step(touch.step).is_some());
        let spans =
            || lives.iter().flat_map(|life| &life.spans).filter(|span| self.step(span.from_step).is_some());
        let signs = [
            (Does::Writes, "written"),
            (Does::Looks, "looked at"),
            (Does::Deletes, "deleted"),
            (Does::Nothing, "refused, by the rules"),
            (Does::Open, "open"),
        ];
        let occurs = |does| touches().any(|touch| touch.does == does) || does == Does::Nothing && refused;
        let signs = signs.map(|(does, word)| (occurs(does), 14, sign(does, 7, 7), word));
        let others = [
            (
                spans().any(|span| !span.open),
                22,
                html! { rect.lives x="0" y="3" width="22" height="8" rx="2" {} },
                "there, by the rules",
            ),
            (
                spans().any(|span| span.open),
                22,
                html! { rect.open x="1" y="3" width="20" height="8" rx="2" {} },
                "open whether there",
            ),
            (
                spans().any(|span| reached_deadline(span).is_some()),
                14,
                html! { line.deadline x1="7" x2="7" y1="0" y2="14" {} },
                "expired from here on",
            ),
            (
                lives.iter().any(|life| self.returned(life).is_some()),
                22,
                html! { path.returned d=(hatch(0, 22, 7)) {} },
                "returned by the target, and expired",
            ),
        ];
        html! {
            ul.legend aria-hidden="true" {
                @for (_, width, sign, word) in signs.into_iter().chain(others).filter(|(occurs, ..)| *occurs) {
                    li { svg width=(width) height="14" viewBox={ "0 0 " (width) " 14" } { (sign) } " " (word) }
                }
                li { span.bad { "✗" } " not as expected" }
            }
        }
    }

    /// The deadline past which the failing answer still has the item, and the failing request: both as places.
    fn returned(&self, life: &Life) -> Option<(usize, usize)> {
        let failure = self.case.failure.as_ref()?;
        let until = self.step(self.failing)?;
        let touched = life.touches.iter().any(|touch| touch.step == self.failing);
        let has_item = if let Some(astray) = &self.astray {
            astray.contains(life.item.as_str()) && !names(&failure.expected, &life.item)
        } else {
            let success = ["found", "ok", "no-content"].iter().any(|word| failure.got.starts_with(word));
            success && failure.expected.starts_with("not-found")
        };
        let before = life.spans.iter().rev().find(|span| span.from_step < self.failing)?;
        let deadline_s = reached_deadline(before).filter(|deadline_s| *deadline_s <= failure.at_s)?;
        let second = self.seconds.iter().find(|second| second.at_s == deadline_s)?;
        (touched && has_item && second.left < until).then_some((second.left, until))
    }

    fn step(&self, number: usize) -> Option<usize> {
        let mut steps = self.seconds.iter().flat_map(|second| &second.steps);
        steps.find(|(step, _)| *step == number).map(|(_, x)| *x)
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
                text.second x=(middle) y="18" text-anchor="middle" { (second.label) }
                @for (step, x) in &second.steps {
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

    fn container_lane(&self, y: usize) -> Markup {
        let settings = &self.case.timeline.settings;
        html! {
            (self.lane_name(y, "container"))
            @for (number, setting) in settings.iter().enumerate() {
                @if let Some(x) = self.step(setting.step) {
                    (self.setting(setting, settings.get(number + 1..).unwrap_or_default(), x, y))
                    @if setting.step == self.failing { circle.differs cx=(x) cy=(y) r="11" {} }
                }
            }
        }
    }

    fn setting(&self, setting: &Setting, later: &[Setting], x: usize, y: usize) -> Markup {
        let next = later.iter().find(|later| later.takes != Some(false));
        let end = next.and_then(|next| self.step(next.step)).unwrap_or(self.width - 4);
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

    fn item_lane(&self, life: &Life, y: usize) -> Markup {
        let touches = life.touches.iter().filter_map(|touch| Some((touch, self.step(touch.step)?)));
        let is_astray = self.astray.as_ref().is_none_or(|astray| astray.contains(life.item.as_str()));
        let unreached = |step: usize| self.case.steps.get(step).is_none_or(|step| step.answered.is_none());
        html! {
            (self.lane_name(y, &life.item))
            @for span in &life.spans { @if let Some(from) = self.step(span.from_step) { (self.bar(span, from, y)) } }
            @if let Some((from, until)) = self.returned(life) { path.returned d=(hatch(from, until, y)) {} }
            @for (touch, x) in touches {
                g.unreached[unreached(touch.step)] { (sign(touch.does, x, y)) }
                @if touch.step == self.failing && is_astray { circle.differs cx=(x) cy=(y) r="11" {} }
            }
        }
    }

    /// A time in which an item is there, up to its deadline or to what ends it before.
    fn bar(&self, span: &Span, from: usize, y: usize) -> Markup {
        let second = |at_s| self.seconds.iter().find(|second| second.at_s == at_s).map(|second| second.left);
        let deadline = reached_deadline(span).and_then(second);
        let until = span.until_step.and_then(|step| self.step(step));
        let width = deadline.or(until).unwrap_or(self.width - 4).saturating_sub(from);
        html! {
            rect class=(if span.open { "open" } else { "lives" }) x=(from) y=(y - 7) width=(width) height="14" rx="3" {}
            @if let Some(x) = deadline { line.deadline x1=(x) x2=(x) y1=(y - 14) y2=(y + 14) {} }
        }
    }
}

/// A bar of slanting lines, as the path of an SVG.
fn hatch(from: usize, until: usize, y: usize) -> String {
    let (top, bottom) = (y.saturating_sub(6), y + 6);
    let lines = (from..until.saturating_sub(5)).step_by(6);
    lines.fold(String::new(), |mut path, x| {
        // A string takes all that is written to it.
        let _ = write!(path, "M{x} {bottom}L{} {top}", x + 6);
        path
    })
}

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
