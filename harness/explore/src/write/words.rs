//! A storyboard in words: the id and the title of its vector.

use super::line;
use crate::{Action, Call, Script};
use cosmos_ttl_harness::literal::Literal;
use cosmos_ttl_harness::plain::visible;
use cosmos_ttl_harness::target::{Container, Indexing, Operation, Request};
use cosmos_ttl_harness::vector::{Condition, Expect};

/// No id of ours is longer, a number at its end aside.
const LONGEST_ID: usize = 72;

/// What it does, as an id: the last request first, since that is what it is about.
pub(super) fn id(board: &Script, taken: impl Fn(&str) -> bool) -> String {
    let before = board.actions.iter().rev().skip(1);
    let told: Vec<String> = before.map(|one| slug(&of_move(one))).collect();
    let mut words: Vec<String> = told.into_iter().rev().collect();
    if !words.is_empty() {
        words.insert(0, "after".into());
    }
    words.insert(0, slug(&last(board)));
    if !board.actions.is_empty() {
        words.push(format!("under-{}", slug(&settings(&board.container))));
    }
    let mut id = words.join("-");
    if let Some((end, _)) = id.char_indices().nth(LONGEST_ID) {
        id.truncate(end);
    }
    let id = id.trim_matches('-').to_owned();
    let numbered = (2_u32..).map(|number| format!("{id}-{number}"));
    [id.clone()].into_iter().chain(numbered).find(|id| !taken(id)).unwrap_or(id)
}

/// What must hold, in a sentence.
pub(super) fn title(board: &Script, expect: &Expect) -> String {
    const MOST: usize = 4;
    let before: Vec<&Action> = board.actions.iter().rev().skip(1).collect();
    let told: Vec<String> = before.iter().rev().map(|one| of_move(one)).collect();
    let told = match told.len() {
        0 => "At once".into(),
        count if MOST < count => {
            format!("After {count} moves, the last of them {}", told.last().map_or("", String::as_str))
        }
        _ => format!("After {}", told.join(", ")),
    };
    let must: Vec<String> = expect.outcomes().filter_map(|one| line::outcome(one).ok()).collect();
    let must = must.join(" or ");
    let title = if board.actions.is_empty() {
        format!("At once, {} answers {must}", last(board))
    } else {
        format!("{told}, {} under {} answers {must}", last(board), settings(&board.container))
    };
    visible(title.trim_end_matches('.'))
}

fn last(board: &Script) -> String {
    let opening = || format!("create-container with {}", settings(&board.container));
    board.actions.last().map_or_else(opening, of_move)
}

fn of_move(one: &Action) -> String {
    match one {
        Action::Wait(seconds) => format!("{seconds} s"),
        Action::Call(ask) => of_ask(ask),
    }
}

fn of_ask(ask: &Call) -> String {
    let text = match &ask.request {
        Request::CreateContainer(container) => format!("create-container with {}", settings(container)),
        Request::ReplaceContainer(container) => format!("replace-container with {}", settings(container)),
        Request::Item(operation) => of_operation(operation),
        Request::Batch(operations) => {
            let all: Vec<String> = operations.iter().map(of_operation).collect();
            format!("batch of {}", all.join(" and "))
        }
        Request::Query => "query".into(),
        Request::List => "list".into(),
        Request::Count => "count".into(),
    };
    match ask.conditions.first() {
        None => text,
        Some((_, Condition::Seen)) => format!("{text} if seen"),
        Some((_, Condition::Stale)) => format!("{text} if stale"),
    }
}

fn of_operation(operation: &Operation) -> String {
    let with = |name: &str, ttl: Option<&Literal>| {
        let ttl = ttl.map_or_else(String::new, |ttl| format!(" with ttl {}", short(ttl)));
        format!("{name} {}{ttl}", operation.id())
    };
    match operation {
        Operation::Create(document) => with("create", document.ttl()),
        Operation::Upsert(document) => with("upsert", document.ttl()),
        Operation::Replace(document, _) => with("replace", document.ttl()),
        Operation::Patch(patch, _) => with("patch", patch.set.get("ttl")),
        Operation::Read(_) => with("read", None),
        Operation::Delete(..) => with("delete", None),
    }
}

fn settings(container: &Container) -> String {
    let default = container.default_ttl.as_ref();
    let default = default.map_or_else(|| "no default".into(), |value| format!("default {}", short(value)));
    match container.indexing {
        Indexing::Consistent => default,
        Indexing::Lazy => format!("{default} and a lazy index"),
        Indexing::None => format!("{default} and no index"),
    }
}

fn short(value: &Literal) -> String {
    value.as_str().chars().take(24).collect()
}

fn slug(text: &str) -> String {
    let minus = text.replace(" -", " minus ");
    let words = minus.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_ascii_lowercase).collect::<Vec<_>>().join("-")
}
