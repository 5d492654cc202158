//! `cosmos-ttl what-if`: what a change of a container's `defaultTtl` does to the items that are stored.

mod items;

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read};
use std::str::FromStr;
use std::time::{Duration, SystemTime};

use cosmos_ttl_explore::reference::translate::sent;
use cosmos_ttl_harness::plain::{cut, plain};
use cosmos_ttl_model::rule::{Sent, Ttl, is_expired, lifetime, read};
use cosmos_ttl_targets::http::machine_clock;
use serde::Serialize;

use self::items::{Items, StoredItem};
use crate::args::WhatIfArgs;
use crate::cleanup::age;
use crate::report::style::{Align, RenderOptions, headed_table, wrapped};
use crate::shell::{CommandError, Format, Output, grouped, json};

const ACCEPTED: &str = "an item is an object with `id`, a text, `_ts`, whole seconds, and `ttl` if it has one\n\
`--skip-bad` counts what is no item, and goes on; `cosmos-ttl what-if --help` has the query";
const NOTHING_READ: u8 = 3;
/// As many items are named of each outcome.
const NAMED: usize = 10;

/// A `defaultTtl` on the command line.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Setting(Option<Ttl>);

impl FromStr for Setting {
    type Err = &'static str;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        let sent = if word == "off" { Sent::Absent } else { word.parse().map_or(Sent::Other, Sent::Whole) };
        read(sent).map(Self).map_err(|_| "`off`, -1, or seconds from 1 to 2147483647 are accepted")
    }
}

/// What a client sees of an item around the change.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
enum Outcome {
    AtOnce,
    Later,
    Never,
    Hidden,
    MayReturn,
    /// Its `ttl` is not allowed, so it is open how long it lives.
    Refused,
}

const OUTCOMES: [(Outcome, &str); 6] = [
    (Outcome::AtOnce, "vanish at once"),
    (Outcome::Later, "expire later"),
    (Outcome::Never, "never expire"),
    (Outcome::Hidden, "expired before, and stay so"),
    (Outcome::MayReturn, "expired before, and may come back"),
    (Outcome::Refused, "have a `ttl` that is refused"),
];

/// A unit in seconds, and the number of rows of its table.
const HOURS: (i64, i64) = (3_600, 48);
const DAYS: (i64, i64) = (86_400, 31);

#[derive(Default, Serialize)]
struct Group {
    count: u64,
    /// The first ten; of those that expire later, the first to do so.
    first: Vec<NamedItem>,
}

#[derive(Serialize)]
struct NamedItem {
    id: String,
    expires_at: Option<i64>,
    ttl: Option<String>,
}

/// What a change at a second of the Unix epoch does to the items that were read.
#[derive(Default, Serialize)]
struct Forecast {
    format: u32,
    #[serde(skip)]
    change: [Setting; 2],
    at: i64,
    items: u64,
    skipped: u64,
    /// Written after the change.
    future: u64,
    #[serde(flatten)]
    groups: BTreeMap<Outcome, Group>,
    /// How many of the refused vanish at once, at most.
    refused_at_once_at_most: u64,
    /// How many expire in which hour after the change, from 1.
    hours: BTreeMap<i64, u64>,
    days: BTreeMap<i64, u64>,
}

impl Forecast {
    fn read(&mut self, input: impl Read, skip_bad: bool) -> Result<(), String> {
        let mut items = Items::new(input);
        loop {
            match items.next() {
                Ok(None) => return Ok(()),
                Ok(Some(Ok(item))) => self.add(&item),
                Ok(Some(Err(_))) if skip_bad => self.skipped += 1,
                fault => {
                    let why = fault.map_or_else(|err| Some(err.to_string()), |item| item?.err());
                    let (line, number) = (items.first_line, self.items + self.skipped + 1);
                    return Err(format!("line {line}, item {number}: {}", why.unwrap_or_default()));
                }
            }
        }
    }

    fn outcome(&self, written: i64, own: Option<Ttl>) -> (Outcome, Option<i64>) {
        let age_s = self.at.saturating_sub(written);
        let [before, after] = self.change.map(|Setting(default)| lifetime(default, own));
        match (is_expired(before, age_s), is_expired(after, age_s), after) {
            (true, true, _) => (Outcome::Hidden, None),
            (true, false, _) => (Outcome::MayReturn, None),
            (false, true, _) => (Outcome::AtOnce, None),
            (false, false, Ttl::Forever) => (Outcome::Never, None),
            (false, false, Ttl::Seconds(seconds)) => (Outcome::Later, Some(written.saturating_add(seconds))),
        }
    }

    fn add(&mut self, item: &StoredItem) {
        self.items += 1;
        self.future += u64::from(item.written > self.at);
        let ttl = sent(item.ttl.as_ref());
        let (outcome, expires_at) = if let Ok(own) = read(ttl) {
            self.outcome(item.written, own)
        } else {
            // It means nothing, or -1, or 10 where it says 10.0.
            let whole =
                if let Sent::WholeAsFraction(seconds) = ttl { Sent::Whole(seconds) } else { Sent::Absent };
            let mut readings = [None, read(whole).unwrap_or(None)].into_iter();
            let vanishes = readings.any(|own| self.outcome(item.written, own).0 == Outcome::AtOnce);
            self.refused_at_once_at_most += u64::from(vanishes);
            (Outcome::Refused, None)
        };
        if let Some(expires_at) = expires_at {
            for (table, (unit_s, rows)) in [(&mut self.hours, HOURS), (&mut self.days, DAYS)] {
                let row = expires_at.saturating_sub(self.at).saturating_sub(1) / unit_s + 1;
                if row <= rows {
                    *table.entry(row).or_default() += 1;
                }
            }
        }
        let group = self.groups.entry(outcome).or_default();
        group.count += 1;
        let place = group.first.partition_point(|named| named.expires_at <= expires_at);
        if place < NAMED {
            let ttl = item.ttl.as_ref().map(|ttl| cut(ttl.as_str(), 40));
            group.first.insert(place, NamedItem { id: item.id(), expires_at, ttl });
            group.first.truncate(NAMED);
        }
    }

    fn text(&self, look: RenderOptions) -> String {
        let count = |outcome| self.groups.get(&outcome).map_or(0, |group| group.count);
        let rows = OUTCOMES.map(|(outcome, says)| {
            let named = self.groups.get(&outcome).into_iter().flat_map(|group| &group.first);
            let named = named.map(|NamedItem { id, expires_at, ttl }| {
                let left_s = expires_at.and_then(|at| u64::try_from(at.saturating_sub(self.at)).ok());
                let left = left_s.map(|left_s| format!(" in {}", age(Duration::from_secs(left_s))));
                let ttl = ttl.as_ref().filter(|_| outcome == Outcome::Refused).map(|ttl| format!(" {ttl}"));
                [id.clone(), left.or(ttl).unwrap_or_default()].concat()
            });
            vec![grouped(count(outcome)), says.into(), named.collect::<Vec<_>>().join(", ")]
        });
        let columns = [("items", Align::Right), ("", Align::Left), ("the first", Align::Left)];
        let mut lines = headed_table(&columns, rows.into(), look.table_width);
        if count(Outcome::Later) > 0 {
            lines.push(String::new());
            lines.extend(self.table(count(Outcome::Later), look));
        }
        let notes = [
            (
                count(Outcome::AtOnce),
                "If the old setting is taken back at once, those that vanish come back until they are removed, or they are gone for good: `reappearance` is open.",
            ),
            (
                count(Outcome::MayReturn),
                "What was expired before comes back until it is removed, or is gone for good: `reappearance` is open.",
            ),
            (
                count(Outcome::Refused),
                "A refused `ttl` fails the next write that sends it. Until then it counts as none or as -1 (`item-invalid-while-off` is open), or 10.0 as 10 (`item-integral-fraction`). These items are in no other row.",
            ),
            (self.refused_at_once_at_most, "Of those with a refused `ttl`, at most {} vanish at once, too."),
            (self.future, "Written after this time: {}. Is `--at` right, and is `_ts` in seconds?"),
            (self.skipped, "Skipped, as no items: {}. Nothing is said of them."),
            (u64::from(self.items == 0), "No item was read: nothing is known of the change."),
        ];
        let notes = notes.into_iter().filter(|(count, _)| *count > 0);
        lines.extend(notes.map(|(count, says)| {
            format!("\n{}", wrapped(&says.replace("{}", &grouped(count)), look.width, ""))
        }));
        format!("items read: {}, at second {}\n{}\n", grouped(self.items), self.at, lines.join("\n"))
    }

    /// When the later ones expire: by hour if the hours have at least half of them.
    fn table(&self, later: u64, look: RenderOptions) -> Vec<String> {
        let by_hour = self.hours.values().sum::<u64>() >= later.div_ceil(2);
        let (counts, unit) = if by_hour { (&self.hours, "h") } else { (&self.days, "days") };
        let rows = counts.iter().map(|(row, count)| (format!("{}-{row} {unit}", row - 1), *count));
        let rest = ("later".to_owned(), later - counts.values().sum::<u64>());
        let rows: Vec<_> = rows.chain([rest]).filter(|(_, count)| *count > 0).collect();
        let most = rows.iter().map(|(_, count)| *count).max().unwrap_or(1);
        let bar = |count: u64| "█".repeat(usize::try_from((count * 40).div_ceil(most)).unwrap_or(0));
        let rows = rows.into_iter().map(|(label, count)| vec![label, grouped(count), bar(count)]);
        let columns = [("expire in", Align::Right), ("items", Align::Right), ("", Align::Left)];
        headed_table(&columns, rows.collect(), look.table_width)
    }
}

pub(super) fn what_if(args: &WhatIfArgs, look: RenderOptions) -> Result<Output, CommandError> {
    let name = plain(&args.items.display().to_string());
    let fail = |what: String| CommandError::usage(format!("{name}: {what}"), ACCEPTED);
    let input: Box<dyn Read> = match name.as_str() {
        "-" => Box::new(io::stdin()),
        _ => Box::new(File::open(&args.items).map_err(|err| fail(err.to_string()))?),
    };
    let now = || machine_clock().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs();
    let mut forecast = Forecast {
        format: 1,
        change: [args.from, args.to],
        at: args.at.unwrap_or_else(|| i64::try_from(now()).unwrap_or(i64::MAX)),
        groups: OUTCOMES.map(|(outcome, _)| (outcome, Group::default())).into(),
        ..Forecast::default()
    };
    forecast.read(input, args.skip_bad).map_err(fail)?;
    let text = match args.format {
        Format::Text => forecast.text(look),
        Format::Json => json(&forecast),
    };
    Ok(Output { text, code: if forecast.items == 0 { NOTHING_READ } else { 0 } })
}
