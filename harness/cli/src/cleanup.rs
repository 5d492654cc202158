//! `cosmos-ttl cleanup`: deletes what runs that were killed have left at an endpoint.

use std::time::Duration;

use cosmos_ttl_harness::plain::plain;
use cosmos_ttl_targets::http::{HttpConfig, HttpTarget, Leftover};

use super::args::CleanupArgs;
use crate::shell::{CommandError, Output};

/// A younger database may be of a run that goes on. No run lasts that long without being told to.
const OLD: Duration = Duration::from_secs(3600);
/// How many databases are named where a run begins.
const NAMED: usize = 3;

pub(super) fn cleanup(args: &CleanupArgs) -> Result<Output, CommandError> {
    let config = HttpConfig::new(&args.url, args.key.clone().transpose()?)?;
    let target = HttpTarget::new(config.with_timeout(Duration::from_secs(args.timeout)));
    let mut lines = Vec::new();
    let (mut deleted, mut left) = (0_usize, 0_usize);
    for leftover in target.leftovers()? {
        let named = args.databases.contains(&leftover.name);
        if !named && (!args.databases.is_empty() || leftover.age < OLD) {
            if args.databases.is_empty() {
                let command = target.cleanup_command(&leftover.name);
                let why = "its run may still go on; if not";
                lines.push(format!("kept {}: {why}: {command}", described(&leftover)));
            }
            continue;
        }
        match target.delete_leftover(&leftover.name) {
            Ok(()) => {
                deleted += 1;
                lines.push(format!("deleted {}", described(&leftover)));
            }
            Err(fault) => {
                left += 1;
                lines.push(format!("not deleted: {}: {}", plain(&leftover.name), plain(&fault.to_string())));
            }
        }
    }
    let missing = |name: &&String| !lines.iter().any(|line| line.contains(name.as_str()));
    let absent: Vec<_> =
        args.databases.iter().filter(missing).map(|name| format!("not there: {}", plain(name))).collect();
    lines.extend(absent);
    lines.push(format!("{deleted} deleted, {left} not deleted"));
    Ok(Output { text: lines.join("\n") + "\n", code: if left == 0 { 0 } else { BROKE } })
}

const BROKE: u8 = 4;

fn described(leftover: &Leftover) -> String {
    format!("{} ({} old)", plain(&leftover.name), age(leftover.age))
}

/// Returns an age in the largest unit of which it has two.
pub(super) fn age(age: Duration) -> String {
    let seconds = age.as_secs();
    let units = [(86_400, "days"), (3_600, "h"), (60, "min")];
    let fits = units.into_iter().find(|(unit, _)| seconds >= 2 * unit);
    fits.map_or_else(|| format!("{seconds} s"), |(unit, word)| format!("{} {word}", seconds / unit))
}

/// Returns what to tell a user of the databases that earlier runs left; nothing where there are none.
///
/// An endpoint that does not list its databases is not blamed for it.
pub(super) fn notice(target: &HttpTarget) -> Option<String> {
    let leftovers = target.leftovers().ok().filter(|leftovers| !leftovers.is_empty())?;
    let named: Vec<_> = leftovers.iter().take(NAMED).map(described).collect();
    let more = match leftovers.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let count = match leftovers.len() {
        1 => "1 database of another run is".to_owned(),
        count => format!("{count} databases of other runs are"),
    };
    let command = target.cleanup_command("");
    Some(format!(
        "note: {count} at this endpoint: {}{more}; to delete those that are older than an hour: {command}\n",
        named.join(", ")
    ))
}
