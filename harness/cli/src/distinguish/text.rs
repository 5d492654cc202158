//! A difference for people: the storyboard, and at its end both answers.

use cosmos_ttl_explore::distinguish::{Difference, Searched};
use cosmos_ttl_harness::describe;
use cosmos_ttl_harness::plain::plain;
use cosmos_ttl_harness::plain::visible;
use cosmos_ttl_harness::target::{Body, Edition, Item, Response};

pub(super) fn text(names: &[String; 2], found: Option<&Difference>, searched: &Searched) -> String {
    let [a, b] = names.each_ref().map(|name| plain(name));
    let Some(difference) = found else {
        return format!("no difference found between {a} and {b} within {}\n", within(searched));
    };
    let mut lines = vec![headline(difference, [&a, &b])];
    lines.extend(steps(difference, [&a, &b]));
    lines.push(String::new());
    let proof = if difference.shortest {
        "nothing shorter differs in"
    } else {
        "short, not proved to be shortest; from"
    };
    lines.push(format!("{proof} {}", visible(&difference.found)));
    lines.push(format!("searched: {}", within(searched)));
    lines.join("\n") + "\n"
}

fn headline(difference: &Difference, [a, b]: [&str; 2]) -> String {
    let mut under = Vec::new();
    if let Some(removal) = difference.removal {
        under.push(format!("removal {removal}"));
    }
    if difference.board.edition != Edition::default() {
        under.push(format!("edition {}", difference.board.edition));
    }
    let under = if under.is_empty() { String::new() } else { format!(", {}", under.join(", ")) };
    let count = difference.heard.len();
    format!("{a} and {b} differ at request {count}{under}\n")
}

fn steps(difference: &Difference, [a, b]: [&str; 2]) -> Vec<String> {
    let last = difference.heard.len();
    let asked: Vec<String> = difference
        .heard
        .iter()
        .map(|(heard, _)| visible(&describe::request(&heard.ask.request, &heard.ask.conditions)))
        .collect();
    let said = difference.heard.iter().enumerate().map(|(number, (heard, other))| {
        if number.saturating_add(1) == last {
            format!("{a}: {}; {b}: {}", answer(&heard.response, true), answer(other, true))
        } else {
            answer(&heard.response, false)
        }
    });
    let said: Vec<String> = said.collect();
    let each = difference.heard.iter().zip(asked.iter().zip(&said));
    let each = each.map(|((heard, _), (asked, said))| (heard.at_s, asked.as_str(), said.as_str()));
    describe::lines(each).into_iter().map(|line| format!("  {line}")).collect()
}

/// An answer in words, its item included where that may be what differs.
pub(super) fn answer(response: &Response, whole: bool) -> String {
    let text = match &response.body {
        Body::Item(item) if whole => format!("{} {}", response.status, self::item(item)),
        Body::Nothing | Body::Item(_) => response.status.to_string(),
        Body::Ids(ids) => format!("[{}]", ids.join(", ")),
        Body::Count(count) => format!("count {count}"),
        Body::Committed(statuses) => {
            let words: Vec<String> = statuses.iter().map(ToString::to_string).collect();
            format!("committed [{}]", words.join(", "))
        }
        Body::Aborted { at } => format!("aborted at operation {at} with {}", response.status),
    };
    plain(&text)
}

fn item(item: &Item) -> String {
    let mut each: Vec<String> =
        item.document.properties.iter().map(|(name, value)| format!("{name}: {value}")).collect();
    each.extend(item.ts.map(|ts| format!("_ts: {ts}")));
    each.extend(item.etag.iter().map(|etag| format!("_etag: {etag}")));
    format!("{} {{{}}}", item.document.id, each.join(", "))
}

fn within(searched: &Searched) -> String {
    let mut parts = Vec::new();
    if 0 < searched.depth {
        parts.push(format!("every row of up to {} moves in the scopes that go so far", searched.depth));
    }
    if 0 < searched.vectors {
        parts.push(format!("the requests of {} vectors", searched.vectors));
    }
    if 0 < searched.chances {
        parts.push(format!("{} rows by chance", searched.chances));
    }
    parts.push(format!("{} moves in all", searched.actions));
    parts.join(", ")
}
