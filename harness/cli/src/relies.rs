//! `cosmos-ttl relies`: which rules of time to live a client's log shows at work, and which of them a fake fails.

use std::collections::{BTreeMap, BTreeSet};

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
use crate::judge::{FEW, read, wide};
use crate::report::style::{RenderOptions, wrapped};
use crate::report::{Case, Report, ReportedClause};
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
    unreadable: Vec<(usize, String)>,
    left_out: BTreeMap<&'static str, Vec<usize>>,
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
    /// The mutant breaks so many clauses, and shows one of them at least.
    one_of: usize,
    /// Nothing but `_ts`, `_etag` or a shown setting differs.
    is_stamp_only: bool,
    against: Option<Fake>,
}

/// What the report of a store says of a clause.
#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Fake {
    /// So many vectors that cite it fail.
    Fails(usize),
    Passes,
    /// No vector says so much, or each one that fails may speak against another clause.
    NotJudged,
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
    let fake = |id: &str| against.map(|against| verdict(against, id));
    let relied = |(id, seen): (&&'static str, &Sighting)| ReliedClause {
        id,
        level: catalogue.get(id).map_or(Level::Must, |clause| clause.level),
        line: seen.line,
        request: cut(&plain(&describe::request(&seen.request, &[])), SHOWN_CHARS),
        right: answer(&seen.right, &seen.wrong),
        wrong: answer(&seen.wrong, &seen.right),
        mutant: seen.mutant.name,
        one_of: seen.mutant.clauses.len(),
        is_stamp_only: seen.shown == Shown::Stamp,
        against: fake(id),
    };
    let mut clauses: Vec<_> = reliance.clauses.iter().map(relied).collect();
    clauses.sort_by_key(|one| (one.is_stamp_only, one.line, one.id));
    let by_client = catalogue.clauses().filter(|clause| clause.observe == Observe::Client);
    let not_seen = by_client.map(|clause| clause.id.clone());
    let not_seen: Vec<_> = not_seen.filter(|id| !reliance.clauses.contains_key(id.as_str())).collect();
    let failed = clauses.iter().filter(|one| matches!(one.against, Some(Fake::Fails(_)))).count();
    let is_unjudged = |one: &&ReliedClause| one.against == Some(Fake::NotJudged) && !one.is_stamp_only;
    let unjudged = clauses.iter().filter(is_unjudged).count();
    let all = clauses.len() + not_seen.len();
    let mut relied = format!("relies on {} of {all} clauses that a client can see", clauses.len());
    let lines = reliance.replayed + reliance.left_out.len() + reliance.unreadable.len();
    if reliance.replayed < lines {
        relied = format!("by {} of {lines} lines {relied}", reliance.replayed);
    }
    let (conclusion, exit_code) = match (reliance.replayed, failed, unjudged) {
        (0, ..) => ("undecided: no line could be replayed".to_owned(), 3),
        (_, 0, _) if against.is_some() && reliance.is_cut => {
            (format!("{relied}; undecided: the lines that were left out may show more"), 3)
        }
        (_, 0, 0) if against.is_some() => (format!("{relied}, and that store fails none of them"), 0),
        (_, 0, 0) => (relied, 0),
        (_, 0, unjudged) => {
            (format!("{relied}; undecided: that report does not decide {unjudged} of them"), 3)
        }
        (_, failed, _) => (format!("{relied}, and that store fails vectors of {failed} of them"), 1),
    };
    let mut left_out: BTreeMap<_, Vec<usize>> = BTreeMap::new();
    for (line, why) in reliance.left_out {
        left_out.entry(why).or_default().push(line);
    }
    RelianceReport {
        format: 1,
        conclusion,
        exit_code,
        replayed: reliance.replayed,
        unreadable: reliance.unreadable,
        left_out,
        otherwise: reliance.otherwise,
        clauses,
        not_seen,
    }
}

/// Whether the store of a report fails a clause.
///
/// A vector cites several clauses, and fails for another fault as well. So a failure that a mutant explains speaks against the
/// clauses of the mutant, and any other one against the clause that its vector alone cites.
fn verdict(report: &Report, id: &str) -> Fake {
    let mut clauses = report.sections.iter().flat_map(|section| &section.clauses);
    let Some(ReportedClause { counts, .. }) = clauses.find(|clause| clause.id == id) else {
        return Fake::NotJudged;
    };
    let like: Vec<_> = report.diagnosis.iter().flat_map(|diagnosis| &diagnosis.like).collect();
    let breaks = |name: &String| mutants().any(|one| one.name == name && one.clauses.contains(&id));
    let is_alike = like.iter().any(|like| breaks(&like.mutant) || like.also.iter().any(breaks));
    let explained: BTreeSet<&String> = like.iter().flat_map(|like| &like.vectors).collect();
    let accuses = |case: &&Case| {
        case.failure.as_ref().is_some_and(|failure| failure.accused.iter().any(|one| one == id))
    };
    let accusing: Vec<&Case> = report.cases.iter().filter(accuses).collect();
    let others = accusing.iter().filter(|case| !explained.contains(&case.name));
    let is_alone = |case: &&&Case| case.failure.as_ref().is_some_and(|failure| failure.accused.len() == 1);
    let alone = others.clone().filter(is_alone).count();
    let is_open =
        [Outcome::Broken, Outcome::Inconclusive, Outcome::NotRun].iter().any(|one| counts.get(*one) > 0);
    match (is_alike, alone) {
        (true, _) if !accusing.is_empty() => Fake::Fails(accusing.len()),
        (_, 1..) => Fake::Fails(alone),
        _ if others.count() > 0 || is_open || !report.complete || counts.get(Outcome::Pass) == 0 => {
            Fake::NotJudged
        }
        _ => Fake::Passes,
    }
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
    for (is_stamp_only, head) in
        [(false, "seen at work:"), (true, "seen in `_ts`, `_etag` or a shown setting only:")]
    {
        let clauses = report.clauses.iter().filter(|one| one.is_stamp_only == is_stamp_only);
        for (number, one) in clauses.enumerate() {
            if number == 0 {
                lines.push(head.to_owned());
            }
            let fake = match one.against {
                Some(Fake::NotJudged) => "; that report does not decide it".into(),
                Some(Fake::Passes) | None => String::new(),
                Some(Fake::Fails(vectors)) => {
                    format!("; that store fails it, in {vectors} vectors that cite it")
                }
            };
            let one_of = if one.one_of > 1 { format!(", one of {}", one.one_of) } else { String::new() };
            lines.push(format!("  {}: line {}{one_of}{fake}", one.id, one.line));
            let (request, right, wrong, mutant) = (&one.request, &one.right, &one.wrong, one.mutant);
            let says = format!("`{request}` -> {right}; mutant:{mutant} -> {wrong}");
            lines.push(wrapped(&format!("    {says}"), look.width, "    "));
        }
    }
    lines.push(format!("not seen: {} clauses; `--format json` names them", report.not_seen.len()));
    let count = |count| grouped(wide(count));
    lines.push(format!("{} lines replayed", count(report.replayed)));
    for (why, lines_left) in &report.left_out {
        let first = lines_left.first().copied().unwrap_or_default();
        lines.push(format!("  left out: {}, line {first} first ({why})", count(lines_left.len())));
    }
    let unreadable = report.unreadable.iter().take(FEW);
    lines.extend(unreadable.map(|(line, why)| format!("  unreadable: line {line}: {why}")));
    if report.unreadable.len() > FEW {
        lines.push(format!("  unreadable: {} lines in all", count(report.unreadable.len())));
    }
    if let Some(first) = report.otherwise.first() {
        let says = format!(
            "The independent store gives another status in {} of them, in line {first} first. Some may be open, and `cosmos-ttl judge` \
             tells. If they are wrong, the client went on otherwise than it would with the service.",
            count(report.otherwise.len())
        );
        lines.push(wrapped(&says, look.width, ""));
    }
    lines.push(report.conclusion.clone());
    lines.join("\n") + "\n"
}
