//! `cosmos-ttl list`

use serde::Serialize;

use super::args::ListArgs;
use crate::shell::filter::{filter_clauses, filter_profile, filter_vectors};
use crate::shell::{CommandError, Format, json, suite};
use cosmos_ttl_harness::clauses::{Clause, Level, Observe};
use cosmos_ttl_harness::vector::{Suite, Vector, citations};
use cosmos_ttl_report::style::Align::{Left, Right};
use cosmos_ttl_report::style::{RenderOptions, headed_table};

const FORMAT: u32 = 1;

#[derive(Serialize)]
struct Listing<'a> {
    format: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    vectors: Option<Vec<ListedVector<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    clauses: Option<Vec<ListedClause<'a>>>,
}

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct ListedVector<'a> {
    name: &'a str,
    title: &'a str,
    level: Level,
    clauses: &'a [String],
    edition: Option<String>,
    documents: Vec<String>,
    margin_s: Option<u64>,
    span_s: u64,
    steps: usize,
    file: &'a str,
    line: usize,
    digest: &'a str,
}

#[derive(Serialize)]
struct ListedClause<'a> {
    section: &'a str,
    #[serde(flatten)]
    clause: &'a Clause,
    vectors: usize,
}

/// Ids are not broken for the sake of a narrow window: they are there to be copied.
const LEAST_WIDTH: usize = 130;

pub(super) fn list(args: &ListArgs, look: RenderOptions) -> Result<String, CommandError> {
    let suite = suite(&args.vectors)?;
    if args.clauses {
        let clauses = clauses(&suite, &args.filters)?;
        return Ok(match args.format {
            Format::Text => clauses_text(&clauses, look),
            Format::Json => json(&Listing { format: FORMAT, vectors: None, clauses: Some(clauses) }),
        });
    }
    let vectors = filter_profile(&suite, args.vectors.profile, filter_vectors(&suite, &args.filters)?)?;
    Ok(match args.format {
        Format::Text => vectors_text(&vectors, look),
        Format::Json => {
            let vectors = Some(vectors.into_iter().map(listed).collect());
            json(&Listing { format: FORMAT, vectors, clauses: None })
        }
    })
}

fn listed(vector: &Vector) -> ListedVector<'_> {
    ListedVector {
        name: &vector.name,
        title: &vector.title,
        level: vector.level,
        clauses: &vector.clauses,
        edition: vector.edition.map(|edition| edition.to_string()),
        documents: vector.documents.iter().map(|document| format!("{document:?}")).collect(),
        margin_s: vector.margin_s,
        span_s: vector.span_s,
        steps: vector.steps.len(),
        file: &vector.source.name,
        line: vector.source.position(vector.span.start).0,
        digest: &vector.digest,
    }
}

fn clauses<'a>(suite: &'a Suite, filters: &[String]) -> Result<Vec<ListedClause<'a>>, CommandError> {
    let cited = citations(&suite.vectors);
    let vectors = |clause: &Clause| cited.get(clause.id.as_str()).map_or(0, Vec::len);
    let picked = filter_clauses(suite, filters)?.into_iter();
    Ok(picked.map(|(section, clause)| ListedClause { section, clause, vectors: vectors(clause) }).collect())
}

fn vectors_text(vectors: &[&Vector], look: RenderOptions) -> String {
    let rows = vectors.iter().map(|vector| {
        let margin = vector.margin_s.map_or("–".into(), |margin_s| format!("{margin_s} s"));
        let edition = vector.edition.map_or("any".into(), |edition| edition.to_string());
        let span = format!("{} s", vector.span_s);
        vec![vector.name.clone(), vector.level.to_string(), margin, span, edition, vector.clauses.join(", ")]
    });
    let start = [("vector", Left), ("level", Left), ("margin", Right)];
    let columns = [start, [("span", Right), ("edition", Left), ("clauses", Left)]].concat();
    headed_table(&columns, rows.collect(), look.width.max(LEAST_WIDTH)).join("\n") + "\n"
}

fn clauses_text(clauses: &[ListedClause<'_>], look: RenderOptions) -> String {
    let rows = clauses.iter().map(|ListedClause { section, clause, vectors }| {
        let by = if clause.observe == Observe::Model { "model only" } else { "" };
        let (level, evidence) = (clause.level.to_string(), clause.evidence.to_string());
        vec![clause.id.clone(), (*section).to_owned(), level, evidence, vectors.to_string(), by.to_owned()]
    });
    let start = ["clause", "section", "level", "evidence"].map(|name| (name, Left));
    let columns = [&start[..], &[("vectors", Right), ("", Left)]].concat();
    headed_table(&columns, rows.collect(), look.width).join("\n") + "\n"
}
