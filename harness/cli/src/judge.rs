//! `cosmos-ttl judge`

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use cosmos_ttl_explore::judge::{Impossible, JudgeOptions, Judgement, LineVerdict, Why, judge as judged};
use cosmos_ttl_harness::clauses::{Catalogue, Level};
use cosmos_ttl_harness::plain::{cut, plain};
use cosmos_ttl_harness::request_log::RequestLog;
use cosmos_ttl_harness::vector::embedded;
use cosmos_ttl_model::container::{Indexing, Settings};
use cosmos_ttl_model::rule::{self, Sent};
use serde::Serialize;

use super::args::JudgeArgs;
use crate::shell::progress::during;
use crate::shell::{CommandError, Format, Output, grouped};

/// How many unreadable lines are shown.
pub(super) const FEW: usize = 3;
/// The most characters of a sentence.
const MOST_CHARS: usize = 1_000;

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct JudgeReport {
    conclusion: String,
    exit_code: u8,
    lines: usize,
    possible: usize,
    impossible: usize,
    not_judged: BTreeMap<String, usize>,
    unreadable: Vec<(usize, String)>,
    contradictions: Vec<ReportedContradiction>,
    choices: Vec<SeenChoice>,
}

#[derive(Serialize)]
struct ReportedContradiction {
    line: usize,
    level: Level,
    clauses: Vec<&'static str>,
    says: String,
}

#[derive(Serialize)]
struct SeenChoice {
    clause: &'static str,
    value: &'static str,
    lines: usize,
    first: usize,
}

pub(super) fn judge(args: &JudgeArgs) -> Result<Output, CommandError> {
    let options = JudgeOptions { is_sole_writer: args.sole_writer, settings: args.default_ttl };
    let log = read(&args.log)?;
    let catalogue = embedded()?.catalogue;
    let judgement = during("judging", || judged(&log, options));
    let report = report(args, &catalogue, &judgement);
    let text = match args.format {
        Format::Text => text(args, &report),
        Format::Json => {
            serde_json::to_string_pretty(&report).map_or_else(|err| err.to_string(), |json| json + "\n")
        }
    };
    Ok(Output { text, code: report.exit_code })
}

/// Reads a log.
pub(super) fn read(path: &Path) -> Result<RequestLog, CommandError> {
    let from = || -> io::Result<Box<dyn Read>> {
        Ok(if path == Path::new("-") { Box::new(io::stdin().lock()) } else { Box::new(File::open(path)?) })
    };
    from().and_then(RequestLog::read).map_err(|err| {
        let what = format!("{}: {err}", plain(&path.display().to_string()));
        CommandError::usage(
            what,
            "name a log as harness/explore/LOGS.md describes it, or `-` for standard input",
        )
    })
}

/// Reads `off`, `-1` or a number of seconds.
pub(super) fn default_ttl(text: &str) -> Result<Settings, String> {
    let sent = match text {
        "off" => Some(Sent::Absent),
        number => number.parse().ok().map(Sent::Whole),
    };
    let default_ttl = sent.and_then(|sent| rule::read(sent).ok());
    let default_ttl = default_ttl.ok_or("accepted are off, -1 and 1 to 2147483647")?;
    Ok(Settings { default_ttl, indexing: Indexing::Consistent })
}

fn report(args: &JudgeArgs, catalogue: &Catalogue, judgement: &Judgement) -> JudgeReport {
    let level = |one: &Impossible| {
        let levels = one.clauses.iter().filter_map(|id| catalogue.get(id)).map(|clause| clause.level);
        levels.max().unwrap_or(Level::Must)
    };
    let contradictions: Vec<_> = judgement
        .impossible
        .iter()
        .map(|one| ReportedContradiction {
            line: one.line,
            level: level(one),
            clauses: one.clauses.clone(),
            says: cut(&one.says, MOST_CHARS),
        })
        .collect();
    let mut not_judged: BTreeMap<String, usize> = BTreeMap::new();
    for verdict in judgement.lines.values() {
        if let LineVerdict::NotJudged(why) = verdict {
            *not_judged.entry(why.to_string()).or_default() += 1;
        }
    }
    let possible = judgement.count(|verdict| verdict == LineVerdict::Possible);
    let impossible = judgement.count(|verdict| verdict == LineVerdict::Impossible);
    let binding = contradictions.iter().find(|one| args.strict || one.level != Level::Should);
    let (conclusion, exit_code) = match (binding, possible + impossible) {
        (Some(one), _) => (format!("contradiction: no right store answers as in line {}", one.line), 1),
        (None, 0) => ("undecided: nothing could be judged".into(), 3),
        (None, judged) if contradictions.is_empty() => (
            format!(
                "possible: a right store may answer as in the {} lines that could be judged",
                grouped(wide(judged))
            ),
            0,
        ),
        _ => ("possible, but for what a store should do".into(), 0),
    };
    let choices = judgement.choices.iter().filter_map(|((choice, yes), (lines, first))| {
        let [no, other] = choice.values()?;
        let value = if *yes { other } else { no };
        Some(SeenChoice { clause: choice.clause(), value, lines: *lines, first: *first })
    });
    JudgeReport {
        conclusion,
        exit_code,
        lines: judgement.lines.len(),
        possible,
        impossible,
        not_judged,
        unreadable: judgement.unreadable.clone(),
        contradictions,
        choices: choices.collect(),
    }
}

fn text(args: &JudgeArgs, report: &JudgeReport) -> String {
    let mut lines = Vec::new();
    for one in report.contradictions.iter().take(args.show) {
        let word = if args.strict || one.level != Level::Should { "error" } else { "warning" };
        lines.extend([
            format!("{word}: line {}: {}", one.line, one.says),
            format!("  clauses: {}", one.clauses.join(", ")),
            String::new(),
        ]);
    }
    for (line, why) in report.unreadable.iter().take(FEW) {
        lines.push(format!("unreadable: line {line}: {why}"));
    }
    lines.push(format!(
        "{} lines: {} possible, {} impossible",
        grouped(wide(report.lines)),
        grouped(wide(report.possible)),
        grouped(wide(report.impossible))
    ));
    lines.extend(
        report
            .not_judged
            .iter()
            .map(|(why, count)| format!("  not judged: {} ({why})", grouped(wide(*count)))),
    );
    for SeenChoice { clause, value, lines: count, first } in &report.choices {
        lines.push(format!(
            "  open clause {clause}: {value}, in {} lines, first in line {first}",
            grouped(wide(*count))
        ));
    }
    for SeenChoice { clause, value, lines: count, .. } in report.choices.iter().filter(|_| args.evidence) {
        // The other values show that it was.
        let is_caveat = clause.starts_with("expired-") && !["counted", "replaced"].contains(value);
        let stored = if is_caveat { ", if the expired item was still stored" } else { "" };
        let seen =
            format!("STORE chose {value} under `{clause}`{stored}; lines of a log that show it: {count}.");
        lines.push("- {id: S-NEW, kind: observed, at: [PLACE],".into());
        lines.push(format!("   finding: \"On DATE, {seen}\"}}"));
    }
    let others = Why::OtherWriters.to_string();
    if report.not_judged.contains_key(&others) {
        lines.push(
            "with `--sole-writer` more can be judged, if nobody else writes to these containers".into(),
        );
    }
    lines.push(report.conclusion.clone());
    lines.join("\n") + "\n"
}

pub(super) fn wide(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}
