//! Filters: the words that select vectors and clauses.

use wildmatch::WildMatch;

use super::{CommandError, Profile};
use cosmos_ttl_harness::clauses::{Clause, Observe};
use cosmos_ttl_harness::suggest;
use cosmos_ttl_harness::vector::{DERIVED, QUICK_FILE, Suite, Vector};

/// The words that are accepted as a filter.
pub const ACCEPTED: &str = "\
a filter is SECTION, SECTION/ID or CLAUSE; `*` stands for any characters
`cosmos-ttl list` shows the vectors, `cosmos-ttl list --clauses` the sections and clauses";

/// A word that selects vectors: by section, id or clause.
struct VectorFilter {
    section: Option<WildMatch>,
    id: Option<WildMatch>,
    clause: Option<WildMatch>,
}

impl VectorFilter {
    fn read(word: &str) -> Self {
        let (section, id, clause) = match (word.strip_prefix("clause:"), word.split_once('/')) {
            (Some(clause), _) => (None, None, Some(clause)),
            (None, Some((section, id))) => (Some(section), Some(id), None),
            (None, None) => (Some(word), None, Some(word)),
        };
        let glob = |text: Option<&str>| text.map(WildMatch::new);
        Self { section: glob(section), id: glob(id), clause: glob(clause) }
    }

    fn takes(&self, vector: &Vector) -> bool {
        let id = vector.name.split_once('/').map_or(vector.name.as_str(), |(_, id)| id);
        let cites = |clause: &WildMatch| vector.clauses.iter().any(|id| clause.matches(id));
        let named = self.section.as_ref().is_some_and(|section| section.matches(&vector.section))
            && self.id.as_ref().is_none_or(|glob| glob.matches(id));
        named || self.clause.as_ref().is_some_and(cites)
    }

    fn takes_clause(&self, section: &str, clause: &Clause) -> bool {
        let whole_section =
            self.id.is_none() && self.section.as_ref().is_some_and(|glob| glob.matches(section));
        whole_section || self.clause.as_ref().is_some_and(|glob| glob.matches(&clause.id))
    }
}

/// Returns the vectors that one of the filters takes, in the suite's order; all without a filter.
///
/// # Errors
///
/// [`CommandError`] where a filter takes none.
pub fn filter_vectors<'a>(suite: &'a Suite, words: &[String]) -> Result<Vec<&'a Vector>, CommandError> {
    select(suite, words, suite.vectors.iter(), |filter, vector| filter.takes(vector))
}

fn select<T>(
    suite: &Suite,
    words: &[String],
    all: impl Iterator<Item = T>,
    takes: impl Fn(&VectorFilter, &T) -> bool,
) -> Result<Vec<T>, CommandError> {
    let filters: Vec<_> = words.iter().map(|word| VectorFilter::read(word)).collect();
    let mut all: Vec<_> = all.collect();
    let takes_none = |filter: &VectorFilter| !all.iter().any(|one| takes(filter, one));
    if let Some((word, _)) = words.iter().zip(&filters).find(|(_, filter)| takes_none(filter)) {
        return Err(no_vector(suite, word));
    }
    all.retain(|one| words.is_empty() || filters.iter().any(|filter| takes(filter, one)));
    Ok(all)
}

/// Returns those of these vectors that are of the profile and were not left out when the suite was read.
///
/// # Errors
///
/// [`CommandError`] where the suite names no quick vectors, or none of these is quick.
pub fn filter_profile<'a>(
    suite: &Suite,
    profile: Profile,
    mut vectors: Vec<&'a Vector>,
) -> Result<Vec<&'a Vector>, CommandError> {
    if profile != Profile::Quick {
        return Ok(vectors);
    }
    if suite.quick.is_empty() {
        let what = format!("{}: no {QUICK_FILE}, so nothing is quick", suite.origin);
        return Err(CommandError::usage(what, "`cargo lab quick --vectors DIR` writes it"));
    }
    let all = vectors.len();
    vectors.retain(|vector| suite.quick.contains(&vector.name));
    if vectors.is_empty() {
        let what = format!("none of the {all} vectors that were asked for is quick");
        let help = "leave `--profile quick` away; `cosmos-ttl list --profile quick` shows them";
        return Err(CommandError::usage(what, help));
    }
    Ok(vectors)
}

fn no_vector(suite: &Suite, word: &str) -> CommandError {
    let id = word.strip_prefix("clause:").unwrap_or(word);
    let filter = VectorFilter::read(word);
    let mut unseen =
        clauses(suite).filter(|(section, clause)| filter.takes_clause(section, clause)).peekable();
    if unseen.peek().is_some() && unseen.all(|(_, clause)| clause.observe == Observe::Model) {
        return CommandError::usage(
            format!("`{word}` has no vectors: no client can see what it says"),
            "it is about the model; `cargo lab check` checks it, `cosmos-ttl explain` tells what it says",
        );
    }
    let derived = if id.contains(DERIVED) { "derived vectors are only there with --profile all" } else { "" };
    let question = suggest::question(&suggest::suggest(id, names(suite)));
    CommandError::usage(no_match(word), help(&[derived, &question, ACCEPTED]))
}

/// Returns the clauses, each with its section, that one of the filters takes or one of these vectors cites.
///
/// # Errors
///
/// [`CommandError`] where a filter takes none.
pub fn filter_clauses<'a>(
    suite: &'a Suite,
    words: &[String],
) -> Result<Vec<(&'a str, &'a Clause)>, CommandError> {
    select(suite, words, clauses(suite), |filter, (section, clause)| {
        let cites = |vector: &Vector| filter.takes(vector) && vector.clauses.contains(&clause.id);
        filter.takes_clause(section, clause) || suite.vectors.iter().any(cites)
    })
}

/// Every clause with its section.
fn clauses(suite: &Suite) -> impl Iterator<Item = (&str, &Clause)> {
    let sections = suite.catalogue.sections.iter();
    sections.flat_map(|section| section.clauses.iter().map(|clause| (section.name.as_str(), clause)))
}

/// Returns the message about a word that matches nothing.
pub fn no_match(word: &str) -> String {
    format!("`{word}` matches no vector")
}

/// Returns the names of all sections, clauses and vectors.
pub fn names(suite: &Suite) -> impl Iterator<Item = &str> {
    let sections = suite.catalogue.sections.iter().map(|section| section.name.as_str());
    let clauses = suite.catalogue.clauses().map(|clause| clause.id.as_str());
    sections.chain(clauses).chain(suite.vectors.iter().map(|vector| vector.name.as_str()))
}

/// Returns lines of help, without the empty ones.
pub fn help(lines: &[&str]) -> String {
    lines.iter().filter(|line| !line.is_empty()).copied().collect::<Vec<_>>().join("\n")
}
