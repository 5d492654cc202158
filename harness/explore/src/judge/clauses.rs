//! What a contradiction breaks, and how it is told.

use std::fmt::Write as _;

use cosmos_ttl_harness::describe::{self, excerpt};
use cosmos_ttl_harness::request_log::LoggedExchange;
use cosmos_ttl_harness::target::{Operation, Request, Status};
use cosmos_ttl_model::container::Settings;
use cosmos_ttl_model::rule::Ttl;

use super::guess::{Removal, Told, is_expired_at};
use super::item::{Difference, stored};
use crate::belief::ClientKnowledge as Known;
use crate::reference::Names;
use crate::write::{of_allowed, of_life, of_operation, of_refused, of_settings};

/// The clauses that the answer to a request breaks that sends settings.
pub(super) fn of_setting(request: &Request) -> Vec<&'static str> {
    let Some(container) = request.container() else { return Vec::new() };
    match container.default_ttl.as_ref().map(of_refused) {
        Some(Some([_, of_default])) => vec![of_default],
        Some(None) if container.indexing == cosmos_ttl_harness::target::Indexing::None => {
            vec!["ttl-needs-an-index"]
        }
        _ => of_settings(container, matches!(request, Request::CreateContainer(_))),
    }
}

/// The clauses that an answer about an item breaks.
pub(super) fn broken(one: &LoggedExchange, difference: &Difference) -> Vec<&'static str> {
    let operation = difference.ask.operations.last();
    let came = match &difference.ask.told {
        Told::One(status, _) | Told::Aborted(status) => Some(*status),
        Told::Committed(_) | Told::Lost | Told::Listed(_) => None,
    };
    let is_refused = came == Some(Status::BadRequest)
        || came.is_none_or(Status::is_success)
            && difference.wanted.iter().any(|wanted| wanted.contains("bad-request"));
    if let (true, Some(operation)) = (is_refused, operation) {
        let refused = difference.ask.operations.iter().filter_map(Operation::ttl).find_map(of_refused);
        let allowed = operation.ttl().and_then(of_allowed);
        let of_patch = match operation {
            Operation::Patch(patch, _) if patch.set.contains_key("_ts") => Some("patch-of-ts"),
            Operation::Patch(patch, _) if !patch.remove.is_empty() => Some("patch-of-absent-property"),
            _ => None,
        };
        let of_value = of_patch.or(refused.map(|[of_item, _]| of_item)).or(allowed);
        return vec![of_value.unwrap_or("item-absent-inherits")];
    }
    let is_expired = |settings| matches!(known(difference, settings), Known::Expired { .. });
    if difference.before.as_ref().is_some_and(|before| !is_expired(Some(before)))
        && is_expired(difference.settings.last())
    {
        return vec!["change-hides-at-once"];
    }
    let default_ttl = difference.settings.last().and_then(|settings| settings.default_ttl);
    let known = known(difference, difference.settings.last());
    let kind = operation.map(|operation| Names::default().operation(operation, |_| None));
    let mut all = Vec::new();
    match &difference.came {
        Some(came) if came.contains("`_ts`") => all.push(match operation {
            Some(Operation::Read(_)) => "read-does-not-restart",
            Some(Operation::Patch(..)) => return vec!["patch-restarts-count"],
            _ => "server-sets-ts",
        }),
        Some(came) if came.contains("ttl") => all.push("inherited-ttl-not-written-back"),
        Some(_) => all.push("failed-write-does-not-restart"),
        None => {}
    }
    all.extend(kind.iter().flat_map(|kind| of_operation(known, kind, known, true)));
    all.extend(of_life(known, default_ttl));
    all.extend(
        (kind.is_none() && matches!(known, Known::Expired { .. })).then_some("expired-not-in-queries"),
    );
    all.extend(matches!(known, Known::Absent).then_some("removed-never-returns"));
    all.extend(one.partition.as_ref().map(|_| "identity-is-partition-and-id"));
    if all.is_empty() {
        all.push("counted-from-last-write");
    }
    all
}

/// What is known of the item.
fn known(difference: &Difference, settings: Option<&Settings>) -> Known {
    let (Some(item), Some(guess), Some(settings)) = (stored(difference), &difference.guess, settings) else {
        return Known::Absent;
    };
    let (ttl, age_s) = (item.ttl, difference.now.first.saturating_sub(item.ts.last));
    if is_expired_at(item, *settings, age_s) {
        Known::Expired { ttl, age_s }
    } else if guess.removal == Removal::No {
        Known::Living { ttl, age_s }
    } else {
        Known::Open { ttl, age_s }
    }
}

/// Tells a contradiction in a sentence.
pub(super) fn sentence(container: &str, one: &LoggedExchange, id: &str, difference: &Difference) -> String {
    let request = describe::request(&one.request, &[]);
    let request: String = request.chars().take(120).collect();
    let answer = match (&difference.ask.told, &difference.came, &one.answer) {
        (Told::Listed(listed), ..) => {
            format!("{} `{}`", if *listed { "showed" } else { "did not show" }, excerpt(id))
        }
        (_, Some(came), Some(answer)) => format!("answered {} {came}", answer.status),
        (_, _, answer) => {
            format!("answered {}", answer.as_ref().map_or_else(String::new, describe::response))
        }
    };
    let partition =
        one.partition.as_ref().map_or_else(String::new, |key| format!(", partition {}", excerpt(key)));
    let mut says = format!("`{request}` in container {}{partition} {answer}", excerpt(container));
    let wanted: Vec<&str> = difference.wanted.iter().map(String::as_str).collect();
    let wanted = if wanted.is_empty() { "nothing".to_owned() } else { wanted.join(" or ") };
    // Writing to a string cannot fail.
    let _ = write!(says, "; possible: {wanted}");
    match stored(difference) {
        Some(item) if item.line > 0 => {
            let ttl = item.ttl.map_or_else(|| "no ttl".to_owned(), |ttl| format!("ttl {}", number(ttl)));
            let _ = write!(says, "; line {} wrote or showed it, with {ttl}", item.line);
            let least = difference.now.first.saturating_sub(item.ts.last).max(0);
            let most = difference.now.last.saturating_sub(item.ts.first);
            if most < 1 << 40 {
                let age = if least == most { least.to_string() } else { format!("{least} to {most}") };
                let _ = write!(says, ", {age} s before");
            }
        }
        _ => {}
    }
    if let (true, Some(settings)) = (difference.is_known, difference.settings.last()) {
        let default = settings.default_ttl.map_or_else(|| "off".to_owned(), number);
        let _ = write!(says, "; the container's defaultTtl is {default}");
    }
    says
}

fn number(ttl: Ttl) -> String {
    match ttl {
        Ttl::Forever => "-1".into(),
        Ttl::Seconds(seconds) => seconds.to_string(),
    }
}
