//! A vector as a drawing: a lane for the container and for each item, what was done to it, and how long it lives by the
//! rules.
//!
//! Requests stand side by side in their order, and seconds are labelled: a second and sixty-eight years take as much room.

mod axis;
mod lane;

use std::collections::BTreeSet;

use maud::{Markup, html};

use self::axis::{Axis, HEAD, LANE};
use super::safe::{cut, said};
use crate::timeline::{Does, Life, Touch};
use crate::{Case, Failure};

/// A drawing has no more requests than this.
const MOST_STEPS: usize = 60;

/// And no more items.
const MOST_LANES: usize = 12;

/// What all parts of a drawing look at.
struct Drawn<'a> {
    case: &'a Case,
    failing: usize,
    /// The items that the answer has and must not have, or the other way round, where it is a list.
    astray: Option<BTreeSet<&'a str>>,
    axis: Axis,
}

impl Drawn<'_> {
    /// Whether the request that failed shows something wrong of this item.
    fn differs(&self, item: &str) -> bool {
        self.astray.as_ref().is_none_or(|astray| astray.contains(item))
    }
}

/// The items that stand in only one of two lists in words.
fn astray(failure: &Failure) -> Option<BTreeSet<&str>> {
    let (expected, got) = (listed(&failure.expected)?, listed(&failure.got)?);
    let astray: BTreeSet<_> = expected.symmetric_difference(&got).copied().collect();
    (!astray.is_empty()).then_some(astray)
}

/// `[a, b]`, and whatever follows.
fn listed(text: &str) -> Option<BTreeSet<&str>> {
    let (list, _) = text.strip_prefix('[')?.split_once(']')?;
    Some(list.split(", ").filter(|id| !id.is_empty()).collect())
}

pub(super) fn drawing(case: &Case, failure: &Failure, anchor: &str) -> Markup {
    let lives = case.timeline.lives.get(..MOST_LANES).unwrap_or(&case.timeline.lives);
    let axis = Axis::of(case, lives, MOST_STEPS);
    let drawn = Drawn { case, failing: failure.step, astray: astray(failure), axis };
    let (title, desc) = (format!("{anchor}.title"), format!("{anchor}.desc"));
    let lanes = lives.len().saturating_add(1);
    let (width, height) = (drawn.axis.width, HEAD.saturating_add(lanes.saturating_mul(LANE)));
    let cut_short = MOST_STEPS < case.steps.len() || MOST_LANES < case.timeline.lives.len();
    html! {
        figure {
            div.scroll tabindex="0" role="region" aria-label={ "Drawing of " (said(&case.name)) } {
                svg width=(width) height=(height) viewBox={ "0 0 " (width) " " (height) } role="img"
                    aria-labelledby={ (title) " " (desc) } {
                    title id=(title) { (said(&case.name)) ", moment by moment" }
                    desc id=(desc) { (told(&drawn, lives)) }
                    (axis::seconds(&drawn.axis, drawn.failing, height))
                    (lane::container(&drawn))
                    @for (number, life) in lives.iter().enumerate() { (lane::item(&drawn, life, number.saturating_add(1))) }
                }
            }
            figcaption {
                (legend())
                @if cut_short { " The drawing is cut short; the table has the rest." }
            }
        }
    }
}

/// The drawing in words, for whoever does not see it.
fn told(drawn: &Drawn<'_>, lives: &[Life]) -> String {
    let lives = lives.iter().map(|life| {
        let spans: Vec<_> = life.spans.iter().take(MOST_STEPS).map(span).collect();
        let there = if spans.is_empty() { "never there".into() } else { spans.join(", then ") };
        format!("{}: {there}.", cut(&life.item, 60))
    });
    let failing = format!("Request {} is not answered as expected.", drawn.failing.saturating_add(1));
    lives.chain([failing]).collect::<Vec<_>>().join(" ")
}

fn span(span: &crate::timeline::Span) -> String {
    let there = if span.open { "open whether there" } else { "there" };
    let from = format!("{there} from {} s", span.from_s);
    match (span.deadline_s, span.until_s) {
        (Some(deadline_s), Some(until_s)) if until_s < deadline_s => format!("{from} to {until_s} s"),
        (Some(deadline_s), _) => format!("{from}, expired from {deadline_s} s on"),
        (None, Some(until_s)) => format!("{from} to {until_s} s"),
        (None, None) => format!("{from} on"),
    }
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
                    svg width="14" height="14" viewBox="0 0 14 14" { (lane::sign(does, 7, 7)) }
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

/// Whether nobody came to this request.
fn unreached(case: &Case, touch: &Touch) -> bool {
    case.steps.get(touch.step).is_none_or(|step| step.answered.is_none())
}
