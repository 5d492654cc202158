//! `cargo lab pictures`: the life of an item and the table of lifetimes as SVG, and the life in words for
//! `cosmos-ttl explain life`.
//!
//! The model says which states, arrows and cells there are. Only where they are drawn is written here: an arrow without a
//! place, and a place without an arrow, are errors.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use cosmos_ttl_checker::life::{LifeCause, LifeGraph, LifeState, life};
use cosmos_ttl_report::lifetime_cells;

/// A box or a frame, at which an arrow begins or ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum ArrowEnd {
    Only(LifeState),
    /// The frame around the two states of an expired item.
    Expired,
}

type Arrows = BTreeMap<(ArrowEnd, ArrowEnd), BTreeSet<LifeCause>>;

/// Where an arrow is: its path, and the first line of its label.
struct DrawnArrow {
    ends: (ArrowEnd, ArrowEnd),
    path: &'static str,
    label: (u16, u16),
    anchor: &'static str,
}

const fn drawn(
    from: ArrowEnd,
    to: ArrowEnd,
    path: &'static str,
    label: (u16, u16),
    anchor: &'static str,
) -> DrawnArrow {
    DrawnArrow { ends: (from, to), path, label, anchor }
}

const FREE: ArrowEnd = ArrowEnd::Only(LifeState::Free);
const LIVING: ArrowEnd = ArrowEnd::Only(LifeState::Living);
const STORED: ArrowEnd = ArrowEnd::Only(LifeState::Stored);
const REMOVED: ArrowEnd = ArrowEnd::Only(LifeState::Removed);
const BACK: ArrowEnd = ArrowEnd::Only(LifeState::PossiblyBack);

const LAYOUT: [DrawnArrow; 10] = [
    drawn(FREE, LIVING, "M150 300 V130", (158, 220), "start"),
    drawn(LIVING, FREE, "M100 130 V300", (92, 220), "end"),
    drawn(LIVING, LIVING, "M95 70 C85 30 155 30 145 70", (158, 42), "start"),
    drawn(LIVING, STORED, "M215 85 H485", (340, 59), "middle"),
    drawn(ArrowEnd::Expired, LIVING, "M460 150 L215 115", (330, 157), "middle"),
    drawn(STORED, REMOVED, "M580 115 V165", (590, 145), "start"),
    drawn(ArrowEnd::Expired, BACK, "M545 240 V300", (537, 275), "end"),
    drawn(BACK, ArrowEnd::Expired, "M615 300 V240", (625, 266), "start"),
    drawn(BACK, LIVING, "M485 310 L200 130", (300, 236), "end"),
    drawn(BACK, FREE, "M485 335 H215", (340, 356), "middle"),
];

/// Returns the middle of a state's box.
fn middle(state: LifeState) -> (u16, u16) {
    match state {
        LifeState::Free => (120, 330),
        LifeState::Living => (120, 100),
        LifeState::Stored => (580, 85),
        LifeState::Removed => (580, 195),
        LifeState::PossiblyBack => (580, 330),
    }
}

/// Returns the name of a state, and its meaning.
fn words(state: LifeState) -> (&'static str, &'static str) {
    match state {
        LifeState::Free => ("id free", "no item has the id"),
        LifeState::Living => ("living", "every client sees the item"),
        LifeState::Stored => ("expired and stored", "hidden; still stored"),
        LifeState::Removed => ("removed", "hidden; no longer stored"),
        LifeState::PossiblyBack => ("possibly back", "visible, or gone if removed"),
    }
}

fn cause(cause: LifeCause) -> &'static str {
    match cause {
        LifeCause::Write => "write",
        LifeCause::Delete => "delete",
        LifeCause::Answer => "another request",
        LifeCause::Time => "time passes",
        LifeCause::Settings => "settings change",
        LifeCause::Removal => "removal",
    }
}

/// Returns one arrow in the place of two, if both states of an expired item have it: it belongs to the frame around them.
fn folded(graph: &LifeGraph) -> Arrows {
    use LifeState::{Removed, Stored};
    let place = |state, twin: Option<&BTreeSet<LifeCause>>, causes| match state {
        Stored | Removed if twin == Some(causes) => ArrowEnd::Expired,
        state => ArrowEnd::Only(state),
    };
    let twin = |state| match state {
        Stored => Removed,
        Removed => Stored,
        state => state,
    };
    let arrows = graph.iter().map(|(&(from, to), causes)| {
        let start = place(from, graph.get(&(twin(from), to)), causes);
        let end = place(to, graph.get(&(from, twin(to))), causes);
        ((start, end), causes.clone())
    });
    arrows.collect()
}

/// Colours for a light and for a dark page: a picture does not inherit `currentColor` from its page.
const STYLE: &str = "<style>svg{color:#1f2328;font:14px system-ui,sans-serif}\
@media(prefers-color-scheme:dark){svg{color:#e6edf3}}\
text{fill:currentColor}.s{font-size:12px}.b{font-weight:600}\
rect,path{fill:none;stroke:currentColor;stroke-width:1.3}.f{stroke-dasharray:5 4}.m{fill:currentColor;fill-opacity:.1}\
marker path{fill:currentColor;stroke:none}</style>\n";

fn svg(width: u16, height: u16, title: &str, body: &str) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" role=\"img\">\n\
         <title>{title}</title>\n{STYLE}{body}</svg>\n"
    )
}

fn text((x, y): (u16, u16), anchor: &str, class: &str, words: &str) -> String {
    format!("<text x=\"{x}\" y=\"{y}\" text-anchor=\"{anchor}\" class=\"{class}\">{words}</text>\n")
}

/// Returns the life of an item as SVG, or the arrow that the model and the layout do not share.
fn life_svg(graph: &LifeGraph) -> Result<String, String> {
    let mut arrows = folded(graph);
    let mut body = String::from(
        "<defs><marker id=\"a\" markerWidth=\"9\" markerHeight=\"8\" refX=\"8\" refY=\"4\" orient=\"auto\">\
         <path d=\"M0 0 L9 4 L0 8 Z\"/></marker></defs>\n\
         <rect class=\"f\" x=\"460\" y=\"20\" width=\"240\" height=\"220\" rx=\"12\"/>\n",
    );
    body += &text((580, 42), "middle", "s", "expired: no client sees the item");
    for state in LifeState::ALL {
        let ((x, y), (name, meaning)) = (middle(state), words(state));
        let (left, top) = (x.saturating_sub(95), y.saturating_sub(30));
        let _ = writeln!(body, "<rect x=\"{left}\" y=\"{top}\" width=\"190\" height=\"60\" rx=\"8\"/>");
        body += &text((x, y.saturating_sub(4)), "middle", "b", name);
        body += &text((x, y.saturating_add(16)), "middle", "s", meaning);
    }
    for DrawnArrow { ends, path, label: (x, y), anchor } in LAYOUT {
        let causes = arrows.remove(&ends).ok_or_else(|| format!("the model has no arrow {ends:?}"))?;
        let _ = writeln!(body, "<path d=\"{path}\" marker-end=\"url(#a)\"/>");
        for (cause, line) in causes.into_iter().map(cause).zip((y..).step_by(16)) {
            body += &text((x, line), anchor, "s", cause);
        }
    }
    match arrows.keys().next() {
        None => Ok(svg(740, 380, "The life of an item", &body)),
        Some(ends) => Err(format!("the layout has no place for the arrow {ends:?}")),
    }
}

/// Returns the life of an item as text.
fn life_text(graph: &LifeGraph) -> String {
    let mut page = String::from("The life of an item: each state, and what leads from it to which state.\n");
    for state in LifeState::ALL {
        let (name, meaning) = words(state);
        let _ = write!(page, "\n{name}: {meaning}\n");
        for ((_, to), causes) in graph.iter().filter(|((from, _), _)| *from == state) {
            let causes = causes.iter().map(|one| cause(*one)).collect::<Vec<_>>().join(", ");
            let again = if *to == state { "; the count starts again" } else { "" };
            let _ = writeln!(page, "  {causes:<30} {}{again}", words(*to).0);
        }
    }
    page
}

/// Returns the table of lifetimes as SVG.
fn matrix_svg() -> String {
    const WIDTHS: u16 = 150;
    const HEIGHT: u16 = 40;
    let column = |index: u16| 190_u16.saturating_add(index.saturating_mul(WIDTHS));
    let line = |index: u16| 40_u16.saturating_add(index.saturating_mul(HEIGHT));
    let mut body = String::new();
    for (name, at) in ["ttl absent", "ttl -1", "ttl m"].into_iter().zip(0..) {
        body += &text((column(at).saturating_add(WIDTHS / 2), 26), "middle", "b", name);
    }
    let rows = ["defaultTtl absent: off", "defaultTtl -1: on", "defaultTtl n: on"];
    for ((name, cells), row) in rows.into_iter().zip(lifetime_cells("n", "m")).zip(0..) {
        body += &text((180, line(row).saturating_add(25)), "end", "b", name);
        for (cell, at) in cells.into_iter().zip(0..) {
            let (left, top) = (column(at), line(row));
            // Cells with an expiry are shaded, because a reader remembers the pattern.
            let class = if cell.starts_with("never") { "" } else { " class=\"m\"" };
            let _ = writeln!(
                body,
                "<rect{class} x=\"{left}\" y=\"{top}\" width=\"{WIDTHS}\" height=\"{HEIGHT}\"/>"
            );
            let middle = (left.saturating_add(WIDTHS / 2), top.saturating_add(25));
            body += &text(middle, "middle", "", &cell);
        }
    }
    svg(650, 170, "How long an item lives, by its container's defaultTtl and its own ttl", &body)
}

/// Returns each picture by its file in the project.
pub(crate) fn pictures() -> Result<[(&'static str, String); 3], String> {
    let graph = life();
    Ok([
        ("model/life.svg", life_svg(&graph)?),
        ("model/matrix.svg", matrix_svg()),
        ("harness/cli/src/life.txt", life_text(&graph)),
    ])
}
