//! One vector on the page: its outcome, its requests, its text, the command that repeats it; and the drawing of a failure:
//! a lane for the container and for each item, what was done to it, and how long it lives by the rules. There, requests are
//! side by side in their order, and seconds are labelled: a second and sixty-eight years take as much room.

use std::collections::{BTreeMap, BTreeSet};

use maud::{Markup, html};

use super::{Anchors, MOST_LINES, is_wrong, lines, link, safe, sentence, verdict};
use crate::timeline::{Does, Life, Setting, Span};
use crate::{Case, Excerpt, Listed, Report, ReportedFailure, ReportedStep};
use cosmos_ttl_harness::known_failures::FailureKind;
use cosmos_ttl_harness::plain::cut;

/// No vector is shown with more requests than this.
const MOST_STEPS: usize = 200;

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

pub(super) fn case(report: &Report, anchors: &Anchors<'_>, anchor: &str, case: &Case, open: bool) -> Markup {
    let clauses = case.failure.iter().flat_map(|_| case.blamed()).filter_map(|id| report.clause(id));
    html! {
        details.vector.wrong[is_wrong(case.verdict)] open[open] {
            summary {
                h4 { (verdict(case.verdict)) " " code { (safe(&case.name)) } }
                span.title { (sentence(&case.title)) }
            }
            // A browser that is sent to this place opens what it is in.
            div.body id=(anchor) {
                p.cites {
                    (case.level) ": "
                    @for (number, id) in case.clauses.iter().enumerate() {
                        @if number > 0 { ", " }
                        @if let Some(anchor) = anchors.clauses.get(id.as_str()) { a href={ "#" (anchor) } { (safe(id)) } } @else { (safe(id)) }
                    }
                }
                @for clause in clauses { blockquote { (sentence(&clause.says)) } }
                @if let Some(spared) = case.spared() { p.cites { (sentence(&spared)) } }
                @if let Some(failure) = &case.failure {
                    dl.differs {
                        div { dt { "Request" } dd { (failure.step.saturating_add(1)) ", at " (failure.at_s) " s" } }
                        div { dt { "Expected" } dd { code { (safe(&failure.expected)) } } }
                        div.bad { dt { span aria-hidden="true" { "✗ " } "Answered" } dd { code { (safe(&failure.got)) } } }
                        @if let Some(removal) = &failure.removal { div { dt { "Removal" } dd { (safe(removal)) } } }
                    }
                    (drawing(case, failure, anchor))
                } @else if let Some(why) = case.why().filter(|why| !why.is_empty()) {
                    p.because { (safe(why)) }
                }
                @if let Some(known) = &case.known { (self::known(known)) }
                (steps(case))
                @if !case.choices.is_empty() {
                    p.chose {
                        "Chosen where it may: "
                        @for choice in case.choices.iter().take(MOST_STEPS) {
                            span.chip { code { (safe(&choice.clause)) } " " strong { (safe(&choice.value)) } " at request " (choice.step.saturating_add(1)) } " "
                        }
                    }
                }
                @if let Some(failure) = &case.failure { (excerpt(&failure.source)) }
                @if let Some(log) = &case.log {
                    h5 { "What the target wrote meanwhile" }
                    pre tabindex="0" { code { (lines(log)) } }
                }
                h5 { "Repeat it" }
                pre.command tabindex="0" { code { (lines(&case.again)) } }
                p.digest { "Lasts " (case.span_s) " s. Digest " code { (safe(&case.digest)) } }
            }
        }
    }
}

fn known(known: &Listed) -> Markup {
    let kind = match known.kind {
        FailureKind::Bug => "a bug, to be mended",
        FailureKind::WontFix => "it stays so",
        FailureKind::Flaky => "flaky: it passes or fails from run to run",
    };
    html! {
        div.known {
            p { strong { "On the list of known failures: " } (kind) ". " (safe(&known.reason)) }
            @if let Some(text) = &known.link {
                p { @if let Some(address) = link(text) { a href=(address) rel="noopener noreferrer nofollow" { (address) } } @else { (safe(text)) } }
            }
            @if let Some(signature) = &known.signature { p { "Known to fail so: " code { (safe(signature)) } } }
        }
    }
}

fn steps(case: &Case) -> Markup {
    let windows = case.steps.iter().any(|step| step.window.is_some());
    let failing = case.failure.as_ref().map(|failure| failure.step);
    let more = case.steps.len().saturating_sub(MOST_STEPS);
    html! {
        div.scroll tabindex="0" role="region" aria-label={ "Requests of " (safe(&case.name)) } {
            table.steps {
                thead {
                    tr {
                        @for name in ["#", "At"] { th.number scope="col" { (name) } }
                        @for name in ["Asked", "Expected", "Answered", "As expected"] { th scope="col" { (name) } }
                        @if windows { th.number scope="col" { "In second, since 1970" } }
                    }
                }
                tbody {
                    @for (number, step) in case.steps.iter().enumerate().take(MOST_STEPS) {
                        tr.bad[failing == Some(number)] {
                            th.number scope="row" { (number + 1) }
                            (cells(step))
                            @if windows {
                                // The seconds in which the target may have dealt with the request.
                                td.number { @if let Some([first, last]) = step.window { (first) @if first != last { " to " (last) } } }
                            }
                        }
                    }
                }
            }
        }
        @if more > 0 { p { "And " (more) " more requests, in the report as JSON." } }
    }
}

fn cells(step: &ReportedStep) -> Markup {
    let (class, sign, word) = match step.as_expected {
        Some(true) => ("good", "✓", " yes"),
        Some(false) => ("bad", "✗", " no"),
        None => ("dim", "·", " not asked"),
    };
    html! {
        td.number { (step.at_s) " s" }
        td { code { (safe(&step.asked)) } }
        td { code { (safe(&step.expected)) } }
        td { @match &step.answered { Some(answered) => code { (safe(answered)) }, None => span.dim { "–" } } }
        td { span class=(class) { span aria-hidden="true" { (sign) } (word) } }
    }
}

fn excerpt(excerpt: &Excerpt) -> Markup {
    let mut from = 0;
    let lines = excerpt.text.split('\n').enumerate().take(MOST_LINES).map(|(number, line)| {
        let parts = parts(line, from, excerpt);
        from += line.len() + 1;
        (excerpt.line.saturating_add(number), parts)
    });
    html! {
        h5 { "As it is written, from " code { (safe(&excerpt.file)) ":" (excerpt.line) } }
        pre.source tabindex="0" {
            code {
                @for (number, (before, marked, after)) in lines {
                    span.line.at[!marked.is_empty()] {
                        span.n { (number) }
                        (safe(before)) @if !marked.is_empty() { mark { (safe(marked)) } } (safe(after)) "\n"
                    }
                }
            }
        }
    }
}

/// The parts of a line before, in and after the place; a place that is no place marks nothing.
fn parts<'a>(line: &'a str, from: usize, excerpt: &Excerpt) -> (&'a str, &'a str, &'a str) {
    let start = excerpt.start.saturating_sub(from).min(line.len());
    let end = excerpt.end.saturating_sub(from).min(line.len());
    match (line.get(..start), line.get(start..end), line.get(end..)) {
        (Some(before), Some(marked), Some(after)) => (before, marked, after),
        _ => (line, "", ""),
    }
}

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

fn drawing(case: &Case, failure: &ReportedFailure, anchor: &str) -> Markup {
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

fn legend() -> Markup {
    let signs = [
        (Does::Writes, "written"),
        (Does::Looks, "looked at"),
        (Does::Deletes, "deleted"),
        (Does::Nothing, "refused, by the rules"),
        (Does::Open, "open"),
    ];
    let signs = signs.map(|(does, word)| (14, sign(does, 7, 7), word));
    let others = [
        (22, html! { rect.lives x="0" y="3" width="22" height="8" rx="2" {} }, "there, by the rules"),
        (22, html! { rect.open x="1" y="3" width="20" height="8" rx="2" {} }, "open whether there"),
        (14, html! { line.deadline x1="7" x2="7" y1="0" y2="14" {} }, "expired from here on"),
    ];
    html! {
        ul.legend aria-hidden="true" {
            @for (width, sign, word) in signs.into_iter().chain(others) {
                li { svg width=(width) height="14" viewBox={ "0 0 " (width) " 14" } { (sign) } " " (word) }
            }
            li { span.bad { "✗" } " not as expected" }
        }
    }
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
