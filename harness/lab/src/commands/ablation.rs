//! `cargo lab ablation`

use serde::Serialize;
use wildmatch::WildMatch;

use crate::ablation::{AblationFindings, Laws, find};
use crate::args::AblationArgs;
use crate::report_text::{self, grouped, takes_none};
use cosmos_ttl::shell::{CommandError, Format, Output, filter, json};
use cosmos_ttl_harness::clauses::{Clause, Section};
use cosmos_ttl_harness::vector::{Suite, embedded_with_derived};
use cosmos_ttl_report::style::{BOLD, DIM, RenderOptions, styled, wrapped};
use cosmos_ttl_report::table::Align::{Left, Right};

/// More clauses than these are told as a table.
const MOST_AT_LENGTH: usize = 5;

pub(crate) fn ablation(args: &AblationArgs, look: RenderOptions) -> Result<Output, CommandError> {
    let suite = match &args.directory {
        Some(directory) => Suite::load(directory)?.with_derived(),
        None => embedded_with_derived()?,
    };
    let clauses = pick(&suite, &args.clauses)?;
    let found = find(&suite, &clauses)?;
    let missing: Vec<_> = found.iter().filter_map(AblationFindings::missing).collect();
    let code = u8::from(!missing.is_empty());
    let lines = match args.format {
        Format::Json => {
            let text = json(&AblationPage { format: 1, clauses: &found, missing: &missing });
            return Ok(Output { text, code });
        }
        Format::Text if found.len() <= MOST_AT_LENGTH => {
            found.iter().flat_map(|one| entry(one, look)).collect()
        }
        Format::Text => findings_table(&suite, &found),
    };
    let text = lines.into_iter().chain(ending(found.len(), &missing, look)).collect::<Vec<_>>().join("\n");
    Ok(Output { text: text + "\n", code })
}

#[derive(Serialize)]
struct AblationPage<'a> {
    format: u32,
    clauses: &'a [AblationFindings<'a>],
    missing: &'a [String],
}

const ACCEPTED: &str = "\
name a clause or a section; `*` stands for any characters
`cosmos-ttl list --clauses` shows them";

/// The clauses that one of these words names; all without a word.
fn pick<'a>(suite: &'a Suite, words: &[String]) -> Result<Vec<&'a Clause>, CommandError> {
    let sections = || suite.catalogue.sections.iter();
    let clauses = sections().flat_map(|section| section.clauses.iter().map(move |clause| (section, clause)));
    let takes = |word: &str, (section, clause): (&Section, &Clause)| {
        let glob = WildMatch::new(word);
        glob.matches(&section.name) || glob.matches(&clause.id)
    };
    let names = sections().map(|section| section.name.as_str());
    let known = names.chain(suite.catalogue.clauses().map(|clause| clause.id.as_str()));
    let all: Vec<_> = clauses.collect();
    let picked =
        filter::pick(&all, words, takes, |word| takes_none(word, ["is no clause", ACCEPTED], known))?;
    Ok(picked.into_iter().map(|(_, clause)| clause).collect())
}

/// One line a clause.
fn findings_table(suite: &Suite, found: &[AblationFindings<'_>]) -> Vec<String> {
    let groups = suite.catalogue.sections.iter().map(|section| {
        let own =
            |one: &&AblationFindings<'_>| section.clauses.iter().any(|clause| clause.id == one.clause.id);
        (section.name.as_str(), found.iter().filter(own).map(row).collect())
    });
    let numbers = ["citing", "others", "derived", "laws"].map(|name| (name, Right));
    let columns = [&[("without", Left)], &numbers[..], &[("the shortest that cites it", Left)]].concat();
    let mut lines = grouped(&columns, groups);
    lines.push(String::new());
    lines
}

fn row(one: &AblationFindings<'_>) -> Vec<String> {
    let laws = one.own_laws.len() + one.other_laws.len();
    let shortest = match (one.shortest, one.enough) {
        (Some(name), _) => with_steps(name, one.steps),
        (None, true) => "– (a law states it)".into(),
        (None, false) => "NONE".into(),
    };
    let counts = [one.citing.len(), one.others.len(), one.derived.len(), laws].map(|count| count.to_string());
    [format!("  {}", one.clause.id)].into_iter().chain(counts).chain([shortest]).collect()
}

/// A clause in a few sentences.
fn entry(one: &AblationFindings<'_>, look: RenderOptions) -> Vec<String> {
    let shortest = one.shortest.map(|name| format!(", the shortest {}", with_steps(name, one.steps)));
    let mut texts = vec![one.clause.says.clone()];
    texts.extend(one.instead.iter().map(|instead| format!("without it: {instead}")));
    texts
        .push(format!("vectors that cite it and fail: {}", some(&one.citing, &shortest.unwrap_or_default())));
    texts.push(format!("others that fail: {}", some(&one.others, "")));
    texts.push(format!("derived vectors that fail: {}", one.derived.len()));
    texts.push(format!("laws that state it and break: {}", one.own_laws.len()));
    texts.extend(one.own_laws.keys().map(|law| format!("  {law}")));
    texts.push(format!("other laws that break: {}", first_laws(&one.other_laws)));
    let lines = texts.iter().map(|text| wrapped(&format!("  {text}"), look.width, "    "));
    [styled(BOLD, &one.clause.id)].into_iter().chain(lines).chain([String::new()]).collect()
}

/// How many there are, the shortest, and some names.
fn some(vectors: &[&str], shortest: &str) -> String {
    const MOST: usize = 5;
    if vectors.is_empty() {
        return "none".into();
    }
    let names = vectors.iter().take(MOST).copied().collect::<Vec<_>>().join(", ");
    let more = vectors.len().saturating_sub(MOST);
    let more = if more == 0 { String::new() } else { format!(" and {more} more") };
    format!("{}{shortest}: {names}{more}", vectors.len())
}

fn first_laws(laws: &Laws) -> String {
    let first = laws.keys().next();
    first.map_or("none".into(), |first| format!("{}, as: {first}", laws.len()))
}

fn with_steps(name: &str, steps: usize) -> String {
    format!("{name} ({steps} requests)")
}

/// What is missing, and the line that says it all.
fn ending(all: usize, missing: &[String], look: RenderOptions) -> Vec<String> {
    let have = all - missing.len();
    let mut lines = report_text::ending(missing, &format!("{have} of {all} clauses have a witness"), look);
    if missing.is_empty() && all > 1 {
        let why = "a vector that cites them and fails without them, or a law where no client can see them";
        lines.push(styled(DIM, wrapped(why, look.width, "")));
    }
    lines
}
