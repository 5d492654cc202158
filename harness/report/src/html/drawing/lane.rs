//! The lanes of a drawing.

use maud::{Markup, html};

use super::axis::{Axis, HEAD, LANE, NAME};
use super::{Drawn, unreached};
use crate::html::safe::{cut, said};
use crate::timeline::{Does, Life, Setting, Span, Touch};

/// The width of a character, roughly.
const CHARACTER: usize = 6;

/// The middle of a lane.
fn middle(lane: usize) -> usize {
    HEAD.saturating_add(lane.saturating_mul(LANE)).saturating_add(LANE / 2)
}

fn name(lane: usize, text: &str, axis: &Axis) -> Markup {
    html! {
        line.base x1=(axis.left) x2=(axis.width) y1=(middle(lane)) y2=(middle(lane)) {}
        text.name x="4" y=(middle(lane).saturating_add(4)) { title { (said(text)) } (cut(text, NAME)) }
    }
}

/// What the container is set to, from request to request.
pub(super) fn container(drawn: &Drawn<'_>) -> Markup {
    let settings = &drawn.case.timeline.settings;
    html! {
        (name(0, "container", &drawn.axis))
        @for (number, setting) in settings.iter().enumerate() {
            @let later = settings.get(number.saturating_add(1)..).unwrap_or(&[]);
            (self::setting(drawn, setting, later))
        }
    }
}

fn setting(drawn: &Drawn<'_>, setting: &Setting, later: &[Setting]) -> Markup {
    let Some(x) = drawn.axis.step(setting.step) else { return Markup::default() };
    let y = middle(0);
    let next = later.iter().find(|later| later.takes != Some(false));
    let end = next.and_then(|next| drawn.axis.step(next.step)).unwrap_or(drawn.axis.width.saturating_sub(4));
    let room = later.first().and_then(|next| drawn.axis.step(next.step)).unwrap_or(end).saturating_sub(x)
        / CHARACTER;
    let says = setting.says.trim_start_matches('{').trim_end_matches('}');
    let says = if says.is_empty() { "off" } else { says };
    html! {
        @if setting.takes == Some(false) {
            g { title { (said(&setting.says)) ": refused, by the rules" } (sign(Does::Nothing, x, y)) }
        } @else {
            g {
                title { (said(&setting.says)) }
                rect.setting x=(x) y=(y.saturating_sub(10)) width=(end.saturating_sub(x).saturating_sub(2)) height="20" rx="3" {}
                text.says x=(x.saturating_add(5)) y=(y.saturating_add(4)) { (short(says, room.saturating_sub(1))) }
            }
        }
        (failed(setting.step == drawn.failing, x, y))
    }
}

/// As much of a text as there is room for.
fn short(text: &str, room: usize) -> String {
    if text.chars().count() <= room { said(text) } else { cut(text.trim_start_matches("defaultTtl: "), room) }
}

/// An item: when it is there by the rules, and what is done to it.
pub(super) fn item(drawn: &Drawn<'_>, life: &Life, lane: usize) -> Markup {
    let y = middle(lane);
    let spans = life.spans.iter().filter_map(|span| bar(drawn, span, y));
    let touches = life.touches.iter().filter_map(|touch| Some((touch, drawn.axis.step(touch.step)?)));
    html! {
        (name(lane, &life.item, &drawn.axis))
        @for span in spans { (span) }
        @for (touch, x) in touches { (self::touch(drawn, touch, &life.item, x, y)) }
    }
}

/// A time in which it is there, up to its deadline or to what ends it before.
fn bar(drawn: &Drawn<'_>, span: &Span, y: usize) -> Option<Markup> {
    let from = drawn.axis.step(span.from_step)?;
    let reached = span.deadline_s.filter(|at_s| span.until_s.is_none_or(|until_s| *at_s <= until_s));
    let deadline = reached.and_then(|at_s| drawn.axis.second(at_s));
    let until = span.until_step.and_then(|step| drawn.axis.step(step));
    let end = deadline.or(until).unwrap_or(drawn.axis.width.saturating_sub(4));
    let width = end.saturating_sub(from);
    Some(html! {
        rect class=(if span.open { "open" } else { "lives" }) x=(from) y=(y.saturating_sub(7)) width=(width) height="14" rx="3" {}
        @if let Some(x) = deadline {
            line.deadline x1=(x) x2=(x) y1=(y.saturating_sub(14)) y2=(y.saturating_add(14)) {}
        }
    })
}

fn touch(drawn: &Drawn<'_>, touch: &Touch, item: &str, x: usize, y: usize) -> Markup {
    let differs = touch.step == drawn.failing && drawn.differs(item);
    html! {
        g.unreached[unreached(drawn.case, touch)] { (sign(touch.does, x, y)) }
        (failed(differs, x, y))
    }
}

/// Around what was not answered as expected.
fn failed(differs: bool, x: usize, y: usize) -> Markup {
    html! { @if differs { circle.differs cx=(x) cy=(y) r="11" {} } }
}

/// The sign of what a request does.
pub(super) fn sign(does: Does, x: usize, y: usize) -> Markup {
    let (left, right) = (x.saturating_sub(4), x.saturating_add(4));
    let (top, bottom) = (y.saturating_sub(4), y.saturating_add(4));
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
