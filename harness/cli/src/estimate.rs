//! Estimates the requests and the cost of a run, without a connection: `run --dry-run`.
//!
//! Request units are estimates from the documentation of the service
//! (<https://learn.microsoft.com/azure/cosmos-db/request-units>): the items of vectors are smaller than 1 KB, and indexed.
//! Requests about containers are counted and cost no request units of a container.

use std::cmp::Reverse;

use crate::report::vectors as vectors_in_words;
use cosmos_ttl_harness::plain::plain;
use cosmos_ttl_harness::realtime::left_out;
use cosmos_ttl_harness::target::{Operation, Request};
use cosmos_ttl_harness::vector::Vector;
use cosmos_ttl_targets::http::AccountKey;
use serde::Serialize;

use super::args::ReplayArgs;
use super::target::{TargetName, http_config};
use crate::shell::{CommandError, Format, Output, grouped, json};

/// A point read of 1 KB, a write of 1 KB with its index, and a query within one partition.
const READ_UNITS: u64 = 1;
const WRITE_UNITS: u64 = 6;
const QUERY_UNITS: u64 = 3;

/// An endpoint that is not on loopback may cost money: beyond either, a run asks for `--yes`. A run of all vectors with a
/// pool of ten containers stays below the first and spends more than the second.
const MOST_CONTAINERS: u64 = 100;
const MOST_UNITS: u64 = 20_000;

/// Looks at the clock in a second, those of the search at the start, and what a vector takes to begin and to end.
const LOOKS_A_SECOND: u64 = 2;
const SEARCH_LOOKS: u64 = 100;
const OVERHEAD_S: u64 = 3;

/// The estimate of a run.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct RunEstimate {
    /// The word that names the target.
    target: String,
    is_loopback: bool,
    /// The vectors that will be replayed, and those that such a run leaves out.
    vectors: u64,
    left_out: u64,
    /// The containers that will be created, and how many of them are used again.
    containers: u64,
    reused: u64,
    requests: u64,
    request_units: u64,
    seconds: u64,
    budget_s: u64,
}

impl RunEstimate {
    /// Returns the estimate for a run of these vectors.
    ///
    /// # Errors
    ///
    /// [`CommandError`] where the endpoint's URL or a flag cannot be used.
    pub(super) fn of(
        name: &TargetName,
        vectors: &[&Vector],
        args: &ReplayArgs,
    ) -> Result<Self, CommandError> {
        let asked = |vectors: &[&Vector]| count(vectors.iter().map(|vector| vector.steps.len()).sum());
        let TargetName::Url(url) = name else {
            let (target, vectors, requests) = (name.words(), count(vectors.len()), asked(vectors));
            return Ok(Self { target, is_loopback: true, vectors, requests, ..Self::default() });
        };
        // Nothing is sent, so any key does.
        let config = http_config(url, Some(AccountKey::emulator()?), &args.at)?;
        let pool = count(config.containers());
        let budget_s = args.budget_s(pool > 0);
        let left_out = left_out(vectors, budget_s);
        let fits = |vector: &&&Vector| left_out(vector).is_none();
        let chosen: Vec<&Vector> = vectors.iter().filter(fits).copied().collect();
        let seconds = seconds(&chosen, pool);
        let single = chosen.iter().filter(|vector| pool == 0 || vector.needs_new_container()).count();
        let (all, single) = (count(chosen.len()), count(single));
        let reused = pool.min(all.saturating_sub(single));
        let looks = SEARCH_LOOKS + LOOKS_A_SECOND * seconds.min(budget_s);
        // A container that is used again is set back by a change, a query and a deletion of each item; others are deleted.
        let items = chosen.iter().map(|vector| items(vector)).sum::<u64>();
        let (set_back, set_back_units) =
            if pool > 0 { (2 * all + items, QUERY_UNITS * all + WRITE_UNITS * items) } else { (all, 0) };
        let steps = chosen.iter().flat_map(|vector| &vector.steps);
        Ok(Self {
            target: name.words(),
            is_loopback: config.is_loopback(),
            vectors: all,
            left_out: count(vectors.len() - chosen.len()),
            containers: single + reused + 1,
            reused,
            requests: asked(&chosen) + looks + set_back,
            request_units: steps.map(|step| units(&step.request)).sum::<u64>()
                + WRITE_UNITS * looks
                + set_back_units,
            seconds,
            budget_s,
        })
    }

    /// Refuses a run that may cost more than a user expects, unless `--yes` allows it.
    ///
    /// # Errors
    ///
    /// [`CommandError`] where the endpoint is not on loopback and the run is beyond a limit.
    pub(super) fn check(&self, args: &ReplayArgs) -> Result<(), CommandError> {
        if self.is_loopback
            || args.yes
            || (self.containers <= MOST_CONTAINERS && self.request_units <= MOST_UNITS)
        {
            return Ok(());
        }
        let (containers, units) = (self.containers, grouped(self.request_units));
        let what = format!("this run creates {containers} containers and spends about {units} request units");
        let limits = format!("{MOST_CONTAINERS} containers or {} request units", grouped(MOST_UNITS));
        let help = format!(
            "beyond {limits}, an endpoint that is not on loopback needs `--yes`; `--dry-run` says what the run may \
             cost; `--containers`, filters and `--profile quick` make it smaller"
        );
        Err(CommandError::usage(what, help))
    }

    /// Returns the estimate as text or as JSON.
    pub(super) fn output(&self, format: Format) -> Output {
        match format {
            Format::Text => self.text().into(),
            Format::Json => json(self).into(),
        }
    }

    fn text(&self) -> String {
        let budget_s = self.budget_s;
        let left_out = match self.left_out {
            0 => String::new(),
            left_out => format!(
                "; {left_out} more last longer than the budget of {budget_s} s, or are for `--profile soak`"
            ),
        };
        let vectors = vectors_in_words(usize::try_from(self.vectors).unwrap_or(usize::MAX));
        let seconds = match self.seconds {
            0 => "as fast as the target answers, if the harness moves its clock".into(),
            seconds if budget_s < seconds => {
                format!("about {seconds}, more than the budget of {budget_s}: raise `--budget`")
            }
            seconds => format!("about {seconds}, at most the budget of {budget_s}"),
        };
        let units = grouped(self.request_units);
        let rule = format!("a read {READ_UNITS}, a write {WRITE_UNITS}, a query {QUERY_UNITS}");
        let rows = [
            ("target", plain(&self.target)),
            ("vectors", vectors + &left_out),
            ("containers", format!("{} created, {} of them used again", self.containers, self.reused)),
            ("requests", format!("about {}", grouped(self.requests))),
            ("request units", format!("about {units} (an estimate: {rule})")),
            ("seconds", seconds),
        ];
        let rows = rows
            .into_iter()
            .filter(|(name, _)| self.containers > 0 || !["containers", "request units"].contains(name));
        let rows: Vec<_> = rows.map(|(name, value)| format!("{name:<15}{value}\n")).collect();
        format!("dry run: nothing was sent\n{}", rows.concat())
    }
}

fn count(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}

/// The request units of one request.
pub(super) fn units(request: &Request) -> u64 {
    let of_operation = |operation: &Operation| {
        if operation.is_write() || matches!(operation, Operation::Delete(..)) {
            WRITE_UNITS
        } else {
            READ_UNITS
        }
    };
    match request {
        Request::CreateContainer(_)
        | Request::ReplaceContainer(_)
        | Request::ReadContainer
        | Request::DeleteContainer => 0,
        Request::Item(_) | Request::Batch(_) => request.operations().iter().map(of_operation).sum(),
        _ => QUERY_UNITS,
    }
}

/// How many items a vector may leave behind.
fn items(vector: &Vector) -> u64 {
    let operations = vector.steps.iter().flat_map(|step| step.request.operations());
    let ids = operations.filter(|operation| operation.is_write()).map(Operation::id);
    count(ids.collect::<std::collections::BTreeSet<_>>().len())
}

/// How long these vectors take if at most `at_once` of them wait at the same time, the longest first; 0 is no limit.
pub(super) fn seconds(vectors: &[&Vector], at_once: u64) -> u64 {
    let mut spans_s: Vec<_> = vectors.iter().map(|vector| vector.span_s.saturating_add(OVERHEAD_S)).collect();
    spans_s.sort_by_key(|span_s| Reverse(*span_s));
    if at_once == 0 {
        return spans_s.first().copied().unwrap_or(0);
    }
    // One of the sessions is the clock's.
    let places =
        usize::try_from(at_once.saturating_sub(1).max(1)).unwrap_or(usize::MAX).min(spans_s.len().max(1));
    let mut ends_s = vec![0_u64; places];
    for span_s in spans_s {
        if let Some(earliest) = ends_s.iter_mut().min() {
            *earliest = earliest.saturating_add(span_s);
        }
    }
    ends_s.into_iter().max().unwrap_or(0)
}
