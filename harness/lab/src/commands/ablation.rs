//! `cargo lab ablation`

use serde::Serialize;
use wildmatch::WildMatch;

use crate::ablation::{AblationFindings, Laws, find};
use crate::args::AblationArgs;
use crate::report_text::{self, grouped, missing_lines};
use cosmos_ttl::shell::{CommandError, Format, Output};
use cosmos_ttl_harness::clauses::{Clause, Section};
use cosmos_ttl_harness::vector::{Suite, Vector, embedded_with_derived};
use cosmos_ttl_report::style::{BAD, BOLD, DIM, GOOD, RenderOptions, styled, wrapped};
use cosmos_ttl_report::table::Align;

/// More clauses than these are told as a table.
const MOST_AT_LENGTH: usize = 5;

pub(super) fn ablation(args: &AblationArgs, look: RenderOptions) -> Result<Output, CommandError> {
    let suite = match &args.directory {
        Some(directory) => Suite::load(directory)?.with_derived(),
        None => embedded_with_derived()?,
    };
    let clauses = pick(&suite, &args.clauses)?;
    let found = find(&suite, &clauses)?;
    let code = u8::from(!found.iter().all(AblationFindings::is_enough));
    let text = match args.format {
        Format::Json => json(&found),
        Format::Text if found.len() <= MOST_AT_LENGTH => at_length(&found, look),
        Format::Text => findings_table(&suite, &found, look),
    };
    Ok(Output { text, code })
}

/// What is accepted where a clause is.
const ACCEPTED: &str = "\
name a clause or a section; `*` stands for any characters
`cosmos-ttl list --clauses` shows them";

/// The clauses that one of these words names; all without a word.
fn pick<'a>(suite: &'a Suite, words: &[String]) -> Result<Vec<&'a Clause>, CommandError> {
    let sections = || suite.catalogue.sections.iter();
    let clauses = sections().flat_map(|section| section.clauses.iter().map(move |clause| (section, clause)));
    let all: Vec<_> = clauses.collect();
    let takes = |word: &str, (section, clause): (&Section, &Clause)| {
        let glob = WildMatch::new(word);
        glob.matches(&section.name) || glob.matches(&clause.id)
    };
    let known = || {
        let known = sections().map(|section| section.name.as_str());
        known.chain(suite.catalogue.clauses().map(|clause| clause.id.as_str()))
    };
    let picked = report_text::pick(&all, words, takes, ["is no clause", ACCEPTED], known)?;
    Ok(picked.into_iter().map(|(_, clause)| clause).collect())
}

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct AblationPage<'a> {
    /// The version of the form.
    format: u32,
    clauses: Vec<AblationRow<'a>>,
    missing: Vec<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct AblationRow<'a> {
    clause: &'a str,
    instead: Option<&'a str>,
    enough: bool,
    shortest: Option<&'a str>,
    citing: Vec<&'a str>,
    others: Vec<&'a str>,
    derived: Vec<&'a str>,
    own_laws: &'a Laws,
    other_laws: &'a Laws,
}

fn json(found: &[AblationFindings<'_>]) -> String {
    report_text::json(&AblationPage {
        format: 1,
        clauses: found.iter().map(json_row).collect(),
        missing: found.iter().filter_map(AblationFindings::missing).collect(),
    })
}

fn json_row<'a>(one: &'a AblationFindings<'a>) -> AblationRow<'a> {
    let names = |vectors: &'a [&'a Vector]| vectors.iter().map(|vector| vector.name.as_str()).collect();
    AblationRow {
        clause: &one.clause.id,
        instead: one.instead.as_deref(),
        enough: one.is_enough(),
        shortest: one.shortest().map(|vector| vector.name.as_str()),
        citing: names(&one.citing),
        others: names(&one.others),
        derived: names(&one.derived),
        own_laws: &one.own_laws,
        other_laws: &one.other_laws,
    }
}

/// Clause by clause, a few sentences each.
fn at_length(found: &[AblationFindings<'_>], look: RenderOptions) -> String {
    let parts = found.iter().map(|one| entry(one, look)).chain([ending(found, look)]);
    parts.collect::<Vec<_>>().join("\n")
}

/// One line a clause.
fn findings_table(suite: &Suite, found: &[AblationFindings<'_>], look: RenderOptions) -> String {
    let groups = suite.catalogue.sections.iter().map(|section| {
        let own =
            |one: &&AblationFindings<'_>| section.clauses.iter().any(|clause| clause.id == one.clause.id);
        (section.name.as_str(), found.iter().filter(own).map(row).collect())
    });
    let head = ["without", "citing", "others", "derived", "laws", "the shortest that cites it"];
    let columns = [Align::Left, Align::Right, Align::Right, Align::Right, Align::Right, Align::Left];
    let lines = grouped(&columns, &head, groups);
    format!("{}\n\n{}", lines.join("\n"), ending(found, look))
}

fn row(one: &AblationFindings<'_>) -> Vec<String> {
    let laws = one.own_laws.len() + one.other_laws.len();
    let shortest = match (one.shortest(), one.is_enough()) {
        (Some(vector), _) => with_steps(vector),
        (None, true) => "– (a law states it)".into(),
        (None, false) => "NONE".into(),
    };
    let counts = [one.citing.len(), one.others.len(), one.derived.len(), laws].map(|count| count.to_string());
    [format!("  {}", one.clause.id)].into_iter().chain(counts).chain([shortest]).collect()
}

fn entry(one: &AblationFindings<'_>, look: RenderOptions) -> String {
    let line = |text: String| wrapped(&format!("  {text}"), look.width, "    ");
    let mut lines = vec![styled(BOLD, &one.clause.id), line(one.clause.says.clone())];
    if let Some(instead) = &one.instead {
        lines.push(line(format!("without it: {instead}")));
    }
    lines.push(line(format!("vectors that cite it and fail: {}", some(&one.citing, one.shortest()))));
    lines.push(line(format!("others that fail: {}", some(&one.others, None))));
    lines.push(line(format!("derived vectors that fail: {}", one.derived.len())));
    lines.push(line(format!("laws that state it and break: {}", one.own_laws.len())));
    lines.extend(one.own_laws.keys().map(|law| line(format!("  {law}"))));
    lines.push(line(format!("other laws that break: {}", first_laws(&one.other_laws))));
    lines.join("\n") + "\n"
}

/// How many there are, the shortest, and some names.
fn some(vectors: &[&Vector], shortest: Option<&Vector>) -> String {
    const MOST: usize = 5;
    if vectors.is_empty() {
        return "none".into();
    }
    let shortest =
        shortest.map_or_else(String::new, |vector| format!(", the shortest {}", with_steps(vector)));
    let names: Vec<_> = vectors.iter().take(MOST).map(|vector| vector.name.as_str()).collect();
    let more = vectors.len() - names.len();
    let more = if more == 0 { String::new() } else { format!(" and {more} more") };
    format!("{}{shortest}: {}{more}", vectors.len(), names.join(", "))
}

fn first_laws(laws: &Laws) -> String {
    match laws.keys().next() {
        None => "none".into(),
        Some(first) => format!("{}, as: {first}", laws.len()),
    }
}

fn with_steps(vector: &Vector) -> String {
    format!("{} ({} requests)", vector.name, vector.steps.len())
}

/// What is missing, and the line that says it all.
fn ending(found: &[AblationFindings<'_>], look: RenderOptions) -> String {
    let missing: Vec<_> = found.iter().filter_map(AblationFindings::missing).collect();
    let mut lines = missing_lines(&missing, look);
    let have = found.iter().filter(|one| one.is_enough()).count();
    let all = found.len();
    let style = if have == all { GOOD } else { BAD };
    lines.push(styled(style, format!("{have} of {all} clauses have a witness")));
    if have == all && all > 1 {
        let why = "a vector that cites them and fails without them, or a law where no client can see them";
        lines.push(styled(DIM, wrapped(why, look.width, "")));
    }
    lines.join("\n") + "\n"
}
