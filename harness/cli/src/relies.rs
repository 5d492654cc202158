//! `cosmos-ttl relies`: which rules of time to live a client's log shows at work, and which of them a fake fails.

use std::collections::BTreeMap;

use cosmos_ttl_explore::reference::translate::{literal, setting};
use cosmos_ttl_harness::clauses::{Catalogue, Level, Observe};
use cosmos_ttl_harness::describe;
use cosmos_ttl_harness::plain::{cut, plain};
use cosmos_ttl_harness::target::{Body, Container, Indexing, Response};
use cosmos_ttl_harness::vector::embedded;
use cosmos_ttl_harness::verdict::Outcome;
use cosmos_ttl_mutants::mutants;
use cosmos_ttl_mutants::reliance::{Reliance, Shown, Sighting, reliance};
use serde::Serialize;

use crate::args::ReliesArgs;
use crate::judge::read;
use crate::report::style::{RenderOptions, wrapped};
use crate::report::{Report, ReportedClause};
use crate::report_files;
use crate::shell::progress::during;
use crate::shell::{CommandError, Format, Output, grouped, json};

/// How many characters of a request, and of an answer, are shown.
const SHOWN_CHARS: usize = 80;

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct RelianceReport {
    format: u32,
    conclusion: String,
    exit_code: u8,
    replayed: usize,
    left_out: BTreeMap<&'static str, usize>,
    /// Lines that a right store answers with another status, unless a clause is open.
    otherwise: Vec<usize>,
    clauses: Vec<ReliedClause>,
    not_seen: Vec<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct ReliedClause {
    id: &'static str,
    level: Level,
    line: usize,
    request: String,
    right: String,
    /// What a store with this fault answers.
    wrong: String,
    mutant: &'static str,
    /// Nothing but `_ts` or `_etag` differs.
    is_stamp_only: bool,
    against: Option<Fake>,
}

/// What the report of a store says of a clause.
#[derive(Clone, Copy, Serialize)]
#[serde(rename_all = "kebab-case")]
struct Fake {
    failing: usize,
    passing: usize,
}

pub(super) fn relies(args: &ReliesArgs, look: RenderOptions) -> Result<Output, CommandError> {
    let log = read(&args.log)?;
    let against = args.against.as_deref().map(report_files::read).transpose()?;
    let settings = args.default_ttl.map(|settings| Container {
        default_ttl: literal(setting(settings.default_ttl)),
        indexing: Indexing::Consistent,
    });
    let reliance = during("replaying", || reliance(&log, settings.as_ref()));
    let report = report(&embedded()?.catalogue, reliance, against.as_ref());
    let text = match args.format {
        Format::Text => text(&report, look),
        Format::Json => json(&report),
    };
    Ok(Output { text, code: report.exit_code })
}

fn report(catalogue: &Catalogue, reliance: Reliance, against: Option<&Report>) -> RelianceReport {
    let fake = |id: &str| {
        let mut clauses = against?.sections.iter().flat_map(|section| &section.clauses);
        let ReportedClause { counts, .. } = clauses.find(|clause| clause.id == id)?;
        let failing = [Outcome::Fail, Outcome::Differ, Outcome::KnownFailure];
        let failing: usize = failing.map(|outcome| counts.get(outcome)).iter().sum();
        // A vector cites several clauses. Where mutants explain all failures, theirs are those that fail.
        let explained = against?.diagnosis.as_ref().filter(|one| one.unexplained == 0 && one.more == 0);
        let is_broken = explained.is_none_or(|one| {
            one.like.iter().any(|like| {
                let breaks =
                    |name: &String| mutants().any(|one| one.name == name && one.clauses.contains(&id));
                like.clauses.iter().any(|clause| clause == id) || like.also.iter().any(breaks)
            })
        });
        Some(Fake { failing: if is_broken { failing } else { 0 }, passing: counts.get(Outcome::Pass) })
    };
    let relied = |(id, seen): (&&'static str, &Sighting)| ReliedClause {
        id,
        level: catalogue.get(id).map_or(Level::Must, |clause| clause.level),
        line: seen.line,
        request: cut(&plain(&describe::request(&seen.request, &[])), SHOWN_CHARS),
        right: answer(&seen.right, &seen.wrong),
        wrong: answer(&seen.wrong, &seen.right),
        mutant: seen.mutant.name,
        is_stamp_only: seen.shown == Shown::Stamp,
        against: fake(id),
    };
    let mut clauses: Vec<_> = reliance.clauses.iter().map(relied).collect();
    clauses.sort_by_key(|one| (one.is_stamp_only, one.line, one.id));
    let by_client = catalogue.clauses().filter(|clause| clause.observe == Observe::Client);
    let not_seen = by_client.map(|clause| clause.id.clone());
    let not_seen: Vec<_> = not_seen.filter(|id| !reliance.clauses.contains_key(id.as_str())).collect();
    let failed = clauses.iter().filter(|one| one.against.is_some_and(|fake| fake.failing > 0)).count();
    let unjudged = |one: &&ReliedClause| {
        against.is_some() && one.against.is_none_or(|fake| fake.failing + fake.passing == 0)
    };
    let unjudged = clauses.iter().filter(unjudged).count();
    let relied = format!("relies on {} of {} clauses", clauses.len(), clauses.len() + not_seen.len());
    let (conclusion, exit_code) = match (reliance.replayed, failed, unjudged) {
        (0, ..) => ("undecided: no line could be replayed".to_owned(), 3),
        (_, 0, 0) if against.is_some() => (format!("{relied}, and that store fails none of them"), 0),
        (_, 0, 0) => (relied, 0),
        (_, 0, unjudged) => {
            (format!("{relied}; undecided: of {unjudged} of them that report judges no vector"), 3)
        }
        (_, failed, _) => (format!("{relied}, and that store fails vectors of {failed} of them"), 1),
    };
    let mut left_out: BTreeMap<_, usize> = BTreeMap::new();
    for (_, why) in reliance.left_out {
        *left_out.entry(why).or_default() += 1;
    }
    let (replayed, otherwise) = (reliance.replayed, reliance.otherwise);
    RelianceReport { format: 1, conclusion, exit_code, replayed, left_out, otherwise, clauses, not_seen }
}

/// What was answered, with as much as tells it from the other answer.
fn answer(response: &Response, other: &Response) -> String {
    let words = [response, other].map(describe::response);
    let whole = |response: &Response| match &response.body {
        Body::Item(item) => format!("{} {}", response.status, describe::item(item)),
        Body::Container { default_ttl } => {
            let shown =
                default_ttl.as_ref().map_or("no defaultTtl".into(), |ttl| format!("defaultTtl {ttl}"));
            format!("{} {shown}", response.status)
        }
        _ => describe::response(response),
    };
    let [word, same] = words;
    cut(&plain(&if word == same { whole(response) } else { word }), SHOWN_CHARS)
}

fn text(report: &RelianceReport, look: RenderOptions) -> String {
    let mut lines = Vec::new();
    for (is_stamp_only, head) in [(false, "seen at work:"), (true, "seen in `_ts` or `_etag` only:")] {
        let clauses = report.clauses.iter().filter(|one| one.is_stamp_only == is_stamp_only);
        for (number, one) in clauses.enumerate() {
            if number == 0 {
                lines.push(head.to_owned());
            }
            let fake = match one.against {
                Some(Fake { failing: 0, passing: 0 }) => "; that store was not judged".into(),
                Some(Fake { failing: 0, .. }) | None => String::new(),
                Some(Fake { failing, .. }) => format!("; that store fails {failing} vectors that cite it"),
            };
            lines.push(format!("  {}: line {}{fake}", one.id, one.line));
            let (request, right, wrong, mutant) = (&one.request, &one.right, &one.wrong, one.mutant);
            let says = format!("`{request}` -> {right}; mutant:{mutant} -> {wrong}");
            lines.push(wrapped(&format!("    {says}"), look.width, "    "));
        }
    }
    lines.push(format!("not seen: {} clauses; `--format json` names them", report.not_seen.len()));
    let count = |count: usize| grouped(u64::try_from(count).unwrap_or(u64::MAX));
    lines.push(format!("{} lines replayed", count(report.replayed)));
    lines.extend(report.left_out.iter().map(|(why, lines)| format!("  left out: {} ({why})", count(*lines))));
    if let Some(first) = report.otherwise.first() {
        let says = format!(
            "{} lines, line {first} first, have another status than the independent store gives. Some may be open, and `cosmos-ttl \
             judge` tells. If they are wrong, the client went on otherwise than it would with the service.",
            count(report.otherwise.len())
        );
        lines.push(wrapped(&says, look.width, ""));
    }
    lines.push(report.conclusion.clone());
    lines.join("\n") + "\n"
}
