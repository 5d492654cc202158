//! `cosmos-ttl explain` and `cosmos-ttl list`

use std::collections::BTreeSet;

use serde::Serialize;
use serde_json::{Value, json};

use super::args::{ExplainArgs, ListArgs};
use crate::report::style::Align::{Left, Right};
use crate::report::style::{BOLD, DIM, RenderOptions, headed_table, styled, wrapped};
use crate::report::timeline::timeline;
use crate::report::{command, lifeline, lifetime_matrix, vectors};
use crate::shell::filter::{filter_clauses, filter_profile, filter_vectors, help, names};
use crate::shell::{CommandError, Format, json as page, secret, suite};
use cosmos_ttl_harness::clauses::{Binds, Clause, Level, Observe, Section};
use cosmos_ttl_harness::evidence::{Cited, Evidence, EvidenceFinding, EvidencePlace};
use cosmos_ttl_harness::vector::{Suite, Vector, citations};
use cosmos_ttl_harness::{describe, suggest};
use cosmos_ttl_mutants::matrix::KillMatrixRow;
use cosmos_ttl_mutants::{CONTROLS, Control, Mutant, mutants};

pub(super) fn explain(args: &ExplainArgs, look: RenderOptions) -> Result<String, CommandError> {
    let suite = suite(&args.vectors)?;
    let word = args.word.strip_prefix("clause:").unwrap_or(&args.word);
    let page = ExplainPage { suite: &suite, look, options: args.vectors.options() };
    let lines = match word {
        MATRIX => Some(page.matrix()),
        LIFE => Some(page.life()),
        word => match page.named(word)? {
            None => page.cited(word).or_else(|| page.search(word)),
            named => named,
        },
    };
    let lines = lines.ok_or_else(|| {
        let all = names(&suite).chain(mutants().map(|mutant| mutant.name));
        let guesses = suggest::question(&suggest::suggest(mutant_name(word), all));
        let accepted = "name a clause, a vector (`section/id`), a section, a mutant, a document or finding (`D2017`, `S-57`), or \
                        a word of a rule; `cosmos-ttl list` shows vectors and clauses";
        CommandError::usage(format!("nothing is called `{}`", secret::shown(word)), help(&[&guesses, accepted]))
    })?;
    Ok(lines.join("\n") + "\n")
}

/// Returns the name of a mutant with or without the prefix of a target.
fn mutant_name(word: &str) -> &str {
    word.strip_prefix("mutant:").unwrap_or(word)
}

/// The word for the table of lifetimes.
const MATRIX: &str = "matrix";

/// The word for the life of an item, and its page.
const LIFE: &str = "life";
const LIFE_TEXT: &str = include_str!("life.txt");

/// A page of what was found shows so many of each kind.
const MOST_FOUND: usize = 15;

/// Makes the lines of a page; a line may itself be wrapped into several.
struct ExplainPage<'a> {
    suite: &'a Suite,
    look: RenderOptions,
    /// Options that running the vectors needs.
    options: Vec<String>,
}

impl ExplainPage<'_> {
    /// Returns the page of what this word names; `None` if it names nothing.
    fn named(&self, word: &str) -> Result<Option<Vec<String>>, CommandError> {
        let (name, catalogue) = (mutant_name(word), &self.suite.catalogue);
        if let Some(mutant) = mutants().find(|one| one.name == name) {
            return self.mutant(mutant).map(Some);
        }
        let control = || CONTROLS.iter().find(|one| one.name == name).map(|control| self.control(control));
        let vector = self.suite.get(word).map(|vector| self.vector(vector));
        let clause = || catalogue.get(word).map(|clause| self.clause(clause));
        let section = || catalogue.section(word).map(|section| self.section(section));
        Ok(vector.or_else(clause).or_else(section).or_else(control))
    }

    fn clause(&self, clause: &Clause) -> Vec<String> {
        let holds = |section: &&Section| section.clauses.iter().any(|other| other.id == clause.id);
        let section = self.suite.catalogue.sections.iter().find(holds).map_or("", |section| &section.name);
        let mut lines = self.head(&clause.id, section, &clause.says);
        let binding = match clause.observe {
            Observe::Client => level(clause.level),
            Observe::Model => "a rule of the model; no run can judge a target by it",
        };
        lines.push(self.field("level", &format!("{}: {binding}", clause.level)));
        if clause.level == Level::Open {
            lines.push(self.field("values", &clause.values.join(", ")));
            lines.push(self.field("binds", clause.binds.map_or("", binds)));
        }
        lines.push(self.field("evidence", &format!("{}: {}", clause.evidence, evidence(clause.evidence))));
        lines.push(self.field("seen by", observe(clause.observe)));
        let (evidence, addresses) = self.sources(&clause.sources);
        lines.extend(evidence);
        lines.extend(self.shown_by(clause));
        lines.extend(addresses);
        lines
    }

    /// Returns what a document or a finding says, and the clauses that rest on it; `None` of anything else.
    fn cited(&self, word: &str) -> Option<Vec<String>> {
        let id = &self.suite.evidence.ids().find(|id| id.eq_ignore_ascii_case(word))?.to_owned();
        let mut lines = match self.suite.evidence.get(id)? {
            Cited::Place(place) => self.head(&place.id, &place.address, &title(place)),
            Cited::Finding(finding) => {
                let mut lines = self.head(&finding.id, &finding.kind.to_string(), &finding.finding);
                lines.extend(
                    self.fields("words", finding.quotes.iter().map(|quoted| format!("\"{quoted}\""))),
                );
                lines.extend(self.fields("held here", finding.held.iter().cloned()));
                lines.push(self.field("read in", &finding.at.join(", ")));
                lines
            }
        };
        let of_place = |finding: &&EvidenceFinding| finding.at.contains(id);
        let findings = self.suite.evidence.findings.iter().filter(of_place);
        lines.extend(self.fields("findings", findings.map(|it| format!("{}: {}", it.id, it.finding))));
        let clauses = self.suite.catalogue.clauses().filter(|clause| clause.sources.contains(id));
        lines.extend(self.fields("clauses", clauses.map(|it| format!("{}: {}", it.id, it.says))));
        Some(lines)
    }

    /// Returns the clauses, findings and vectors in which a word stands; `None` where there are none.
    fn search(&self, word: &str) -> Option<Vec<String>> {
        let word = &word.to_lowercase();
        let has = |text: &str| text.to_lowercase().contains(word);
        let clauses = self.suite.catalogue.clauses().map(|it| (&it.id, &it.says));
        let findings = self.suite.evidence.findings.iter().map(|it| (&it.id, &it.finding));
        let vectors = self.suite.vectors.iter().map(|it| (&it.name, &it.title));
        let kinds: [(&str, Vec<_>); 3] = [
            ("clauses", clauses.filter(|(id, says)| has(id) || has(says)).collect()),
            ("findings", findings.filter(|(_, finding)| has(finding)).collect()),
            ("vectors", vectors.filter(|(name, title)| has(name) || has(title)).collect()),
        ];
        let mut lines = Vec::new();
        for (kind, found) in kinds.iter().filter(|(_, found)| !found.is_empty()) {
            lines.extend((!lines.is_empty()).then(String::new));
            lines.push(styled(BOLD, format!("{kind} with `{word}`: {}", found.len())));
            lines.extend(found.iter().take(MOST_FOUND).map(|(id, says)| self.entry(id, says)));
            let more = found.len().saturating_sub(MOST_FOUND);
            lines.extend((more > 0).then(|| format!("  and {more} more")));
        }
        let next = "next: `cosmos-ttl explain` with one of these names";
        (!lines.is_empty()).then(|| [lines, vec![String::new(), next.into()]].concat())
    }

    /// Returns the documents and findings that a clause cites, and the lines that name each address once.
    fn sources(&self, sources: &[String]) -> (Vec<String>, Vec<String>) {
        let (findings, places) = rests_on(self.suite, sources);
        let is_place = |id: &&String| places.iter().any(|place| place.id == **id);
        let documents: Vec<_> = sources.iter().filter(is_place).map(String::as_str).collect();
        let mut lines = Vec::new();
        if !documents.is_empty() {
            lines.push(self.field("documents", &documents.join(", ")));
        }
        for EvidenceFinding { id, kind, finding, at, held, quotes } in findings {
            let quoted = quotes.iter().map(|quoted| format!(" In its words: \"{quoted}\""));
            let held = held.iter().map(|held| format!(" Held here: {held}"));
            let says = format!("{kind}: {finding} ({})", at.join(", "));
            lines.push(self.field(id, &[says].into_iter().chain(quoted).chain(held).collect::<String>()));
        }
        let addresses = places.into_iter().flat_map(|place| {
            let title = wrapped(&format!("  {}", title(place)), self.look.width, "    ");
            [title, format!("    {}", place.address)]
        });
        let heading = [String::new(), styled(BOLD, "addresses of the documents")];
        (lines, heading.into_iter().chain(addresses).collect())
    }

    fn shown_by(&self, clause: &Clause) -> Vec<String> {
        let cited = citations(&self.suite.vectors);
        let Some(cited) = cited.get(clause.id.as_str()) else {
            let why = match clause.observe {
                Observe::Model => {
                    "no vectors; `cargo lab check` checks it in every reachable state of the model"
                }
                Observe::Client => "no vectors yet",
            };
            return vec![String::new(), why.into()];
        };
        let mut lines = vec![String::new(), styled(BOLD, vectors(cited.len()))];
        lines.extend(cited.iter().map(|vector| self.entry(&vector.name, &vector.title)));
        lines.extend([String::new(), format!("run them: {}", self.run(&clause.id))]);
        lines
    }

    fn vector(&self, vector: &Vector) -> Vec<String> {
        let mut lines =
            self.head(&vector.name, &format!("{}:{}", vector.source.name, vector.line), &vector.title);
        let clauses = vector.clauses.iter().filter_map(|id| self.suite.catalogue.get(id));
        lines.extend(self.fields(
            "clauses",
            clauses.map(|one| format!("{} ({}, {}): {}", one.id, one.level, one.evidence, one.says)),
        ));
        lines.push(self.field("level", &format!("{}: {}", vector.level, level(vector.level))));
        let documents = vector.documents.iter().map(|id| format!("{id:?}"));
        let documents = documents.filter_map(|id| match self.suite.evidence.get(&id)? {
            Cited::Place(place) => Some(title(place)),
            Cited::Finding(_) => None,
        });
        lines.extend(self.fields("said by", documents));
        let margin = vector.margin_s.map_or("no item in it can expire".into(), |margin_s| {
            format!("{margin_s} s: the least distance between a request and a possible expiry")
        });
        lines.push(self.field("margin", &margin));
        lines.push(self.field("span", &format!("{} s", vector.span_s)));
        lines.push(String::new());
        lines.extend(self.storyboard(vector));
        lines.extend([String::new(), styled(BOLD, "the life of each item")]);
        let drawn = lifeline(vector, &timeline(vector, &[]), self.look.width.saturating_sub(2));
        lines.extend(drawn.into_iter().map(|line| format!("  {line}")));
        lines.extend([String::new(), format!("run it: {}", self.run(&vector.name))]);
        lines
    }

    fn matrix(&self) -> Vec<String> {
        let says = "How long an item lives after its last write, by the settings of its container and its own `ttl`.";
        let mut lines = vec![wrapped(says, self.look.width, ""), String::new()];
        lines.extend(lifetime_matrix(self.look.table_width));
        lines.extend([String::new(), format!("run its vectors: {}", self.run("lifetime"))]);
        lines
    }

    fn life(&self) -> Vec<String> {
        let mut lines: Vec<String> =
            LIFE_TEXT.lines().map(|line| wrapped(line, self.look.width, "    ")).collect();
        lines.extend([String::new(), format!("run its vectors: {}", self.run("expired"))]);
        lines
    }

    fn mutant(&self, mutant: &'static Mutant) -> Result<Vec<String>, CommandError> {
        let mut lines = self.head(mutant.name, "a mutant: a store with one fault", mutant.says);
        let clauses = mutant.clauses.iter().filter_map(|id| self.suite.catalogue.get(id));
        lines.extend(self.fields("breaks", clauses.map(|one| format!("{}: {}", one.id, one.says))));
        let row = KillMatrixRow::of(mutant, &self.suite.vectors.iter().collect::<Vec<_>>())?;
        let killed = match row.shortest() {
            Some(shortest) => format!("{}; the shortest is {}", vectors(row.failures.len()), shortest.name),
            None => "none of these vectors".into(),
        };
        lines.push(self.field("killed by", &killed));
        lines.extend([String::new(), format!("run it: {}", self.run(&format!("mutant:{}", mutant.name)))]);
        Ok(lines)
    }

    fn control(&self, control: &Control) -> Vec<String> {
        let mut lines =
            self.head(control.name, "a control: a correct store, which no vector may fail", control.says);
        lines.push(format!("run it: {}", self.run(&format!("mutant:{}", control.name))));
        lines
    }

    fn storyboard(&self, vector: &Vector) -> Vec<String> {
        let steps =
            vector.steps.iter().map(|step| (step.at_s, describe::asked(step), describe::wanted(step)));
        let lines = describe::lines(steps).into_iter();
        lines.map(|line| wrapped(&format!("  {line}"), self.look.width, "           ")).collect()
    }

    fn section(&self, section: &Section) -> Vec<String> {
        let own = self.suite.vectors.iter().filter(|vector| vector.section == section.name).count();
        let name = styled(BOLD, &section.name);
        let head = format!("{name}: {} clauses, {}", section.clauses.len(), vectors(own));
        let entry = |clause: &Clause| {
            let id = format!("{} ({}, {})", clause.id, clause.level, clause.evidence);
            self.entry(&id, &clause.says)
        };
        [head, String::new()].into_iter().chain(section.clauses.iter().map(entry)).collect()
    }

    /// A line of a list.
    fn entry(&self, name: &str, says: &str) -> String {
        wrapped(&format!("  {name}  {says}"), self.look.width, "      ")
    }

    fn run(&self, what: &str) -> String {
        command(self.options.iter().map(String::as_str).chain([what]))
    }

    fn head(&self, name: &str, place: &str, says: &str) -> Vec<String> {
        let place = styled(DIM, format!("({place})"));
        let says = wrapped(&format!("  {says}"), self.look.width, "  ");
        vec![format!("{} {place}", styled(BOLD, name)), String::new(), says, String::new()]
    }

    /// A name and what is said of it; further lines stand below that.
    fn field(&self, name: &str, value: &str) -> String {
        wrapped(&format!("{name:<12}{value}"), self.look.width, &" ".repeat(12))
    }

    /// Several fields, of which only the first is named.
    fn fields(&self, name: &str, values: impl Iterator<Item = String>) -> Vec<String> {
        values.enumerate().map(|(n, value)| self.field(if n == 0 { name } else { "" }, &value)).collect()
    }
}

fn level(level: Level) -> &'static str {
    match level {
        Level::Must => "a target that differs is nonconformant",
        Level::Should => "a target that differs is reported, and fails only under --strict",
        Level::Open => {
            "each of the values is allowed, anything else is nonconformant; the choice is reported"
        }
    }
}

fn binds(binds: Binds) -> &'static str {
    match binds {
        Binds::Target => "one choice holds for all vectors of a target",
        Binds::Item => "one choice holds for an item to the end of its vector; each item has its own choice",
        Binds::Nothing => "each answer stands alone",
    }
}

fn evidence(evidence: Evidence) -> &'static str {
    match evidence {
        Evidence::Documented => "an official page says so",
        Evidence::Observed => "a published test or report shows that the service does it",
        Evidence::Inferred => "it follows from what is documented or observed; no source states it",
        Evidence::Contradictory => "sources disagree",
        Evidence::Unknown => "no source says",
    }
}

fn observe(observe: Observe) -> &'static str {
    match observe {
        Observe::Client => "any client of one target",
        Observe::Model => {
            "no client: physical storage, request units and lazy indexing show only in the model"
        }
    }
}

fn title(EvidencePlace { id, title, date, .. }: &EvidencePlace) -> String {
    let date = date.iter().map(|date| format!(" ({date})"));
    format!("{id}: {title}{}", date.collect::<String>())
}

/// Returns the findings that these sources are or lead to, and every document and place that they name.
fn rests_on<'a>(
    suite: &'a Suite,
    sources: &'a [String],
) -> (Vec<&'a EvidenceFinding>, Vec<&'a EvidencePlace>) {
    let evidence = &suite.evidence;
    let mut findings = Vec::new();
    let mut unread: Vec<&str> = sources.iter().rev().map(String::as_str).collect();
    let mut read = BTreeSet::new();
    while let Some(id) = unread.pop() {
        let cited = evidence.get(id).filter(|_| read.insert(id));
        if let Some(Cited::Finding(finding)) = cited {
            findings.push(finding);
            unread.extend(finding.at.iter().rev().map(String::as_str));
        }
    }
    let places = evidence.documents.iter().chain(&evidence.places);
    (findings, places.filter(|place| read.contains(place.id.as_str())).collect())
}

/// The version of the lists.
const FORMAT: u32 = 1;

/// Whole vectors, for languages without a reader of YAML: each entry is a file of vectors as the schema describes it.
#[derive(Serialize)]
struct WholeVectors<F> {
    format: u32,
    files: Vec<F>,
}

#[derive(Serialize)]
struct WholeFile<'a, V> {
    format: u32,
    section: &'a str,
    vectors: Vec<V>,
}

fn whole<'a>(suite: &'a Suite, vectors: &[&'a Vector]) -> Result<impl Serialize, CommandError> {
    let mut files = Vec::new();
    for Section { name, .. } in &suite.catalogue.sections {
        let own = vectors.iter().filter(|vector| vector.section == *name);
        let vectors = own.map(|vector| vector.json()).collect::<Result<Vec<_>, _>>()?;
        let file = WholeFile { format: FORMAT, section: name, vectors };
        files.extend((!file.vectors.is_empty()).then_some(file));
    }
    Ok(WholeVectors { format: FORMAT, files })
}

fn listed(vector: &Vector) -> Value {
    let documents: Vec<_> = vector.documents.iter().map(|document| format!("{document:?}")).collect();
    json!({
        "name": vector.name,
        "title": vector.title,
        "level": vector.level,
        "clauses": vector.clauses,
        "documents": documents,
        "margin-s": vector.margin_s,
        "span-s": vector.span_s,
        "steps": vector.steps.len(),
        "file": vector.source.name,
        "line": vector.line,
        "digest": vector.digest(),
    })
}

#[derive(Serialize)]
struct ListedClause<'a> {
    section: &'a str,
    #[serde(flatten)]
    clause: &'a Clause,
    vectors: usize,
}

pub(super) fn list(args: &ListArgs, look: RenderOptions) -> Result<String, CommandError> {
    let suite = suite(&args.vectors)?;
    if args.clauses {
        let clauses = clauses(&suite, &args.filters)?;
        return Ok(match args.format {
            Format::Text => clauses_text(&clauses, look),
            Format::Json => page(&json!({"format": FORMAT, "clauses": clauses})),
        });
    }
    let vectors = filter_profile(&suite, &args.vectors, filter_vectors(&suite, &args.filters)?)?;
    match args.format {
        Format::Text if args.steps => {
            let help = "add `--format json`; `cosmos-ttl explain VECTOR` shows the steps of one vector";
            Err(CommandError::usage("`--steps` exports whole vectors for programs", help))
        }
        Format::Text => Ok(vectors_text(&vectors, look)),
        Format::Json if args.steps => Ok(page(&whole(&suite, &vectors)?)),
        Format::Json => {
            let vectors: Vec<_> = vectors.into_iter().map(listed).collect();
            Ok(page(&json!({"format": FORMAT, "vectors": vectors})))
        }
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
        let span = format!("{} s", vector.span_s);
        vec![vector.name.clone(), vector.level.to_string(), margin, span, vector.clauses.join(", ")]
    });
    let columns = [("vector", Left), ("level", Left), ("margin", Right), ("span", Right), ("clauses", Left)];
    headed_table(&columns, rows.collect(), look.table_width).join("\n") + "\n"
}

fn clauses_text(clauses: &[ListedClause<'_>], look: RenderOptions) -> String {
    let rows = clauses.iter().map(|ListedClause { section, clause, vectors }| {
        let by = if clause.observe == Observe::Model { "model only" } else { "" };
        let (level, evidence) = (clause.level.to_string(), clause.evidence.to_string());
        vec![clause.id.clone(), (*section).to_owned(), level, evidence, vectors.to_string(), by.to_owned()]
    });
    let start = ["clause", "section", "level", "evidence"].map(|name| (name, Left));
    let columns = [&start[..], &[("vectors", Right), ("", Left)]].concat();
    headed_table(&columns, rows.collect(), look.table_width).join("\n") + "\n"
}
