//! Filters: the words that select vectors and clauses.

use wildmatch::WildMatch;

use super::{CommandError, Profile};
use cosmos_ttl_harness::clauses::{Clause, Observe};
use cosmos_ttl_harness::suggest;
use cosmos_ttl_harness::vector::{DERIVED, QUICK_FILE, Suite, Vector};

/// What is accepted where a filter is.
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
        let glob = |text: &str| Some(WildMatch::new(text));
        if let Some(clause) = word.strip_prefix("clause:") {
            return Self { section: None, id: None, clause: glob(clause) };
        }
        match word.split_once('/') {
            Some((section, id)) => Self { section: glob(section), id: glob(id), clause: None },
            None => Self { section: glob(word), id: None, clause: glob(word) },
        }
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

/// The vectors that one of the filters takes, in the suite's order; all without a filter.
///
/// # Errors
///
/// [`CommandError`] where a filter takes none.
pub fn filter_vectors<'a>(suite: &'a Suite, words: &[String]) -> Result<Vec<&'a Vector>, CommandError> {
    if words.is_empty() {
        return Ok(suite.vectors.iter().collect());
    }
    let filters: Vec<_> = words.iter().map(|word| VectorFilter::read(word)).collect();
    for (word, filter) in words.iter().zip(&filters) {
        if !suite.vectors.iter().any(|vector| filter.takes(vector)) {
            return Err(no_vector(suite, word));
        }
    }
    let taken = |vector: &&Vector| filters.iter().any(|filter| filter.takes(vector));
    Ok(suite.vectors.iter().filter(taken).collect())
}

/// Of these vectors, those of the profile that were not left out when the suite was read.
///
/// # Errors
///
/// [`CommandError`] where the suite names no quick vectors, or none of these is quick.
pub fn filter_profile<'a>(
    suite: &Suite,
    profile: Profile,
    vectors: Vec<&'a Vector>,
) -> Result<Vec<&'a Vector>, CommandError> {
    if profile != Profile::Quick {
        return Ok(vectors);
    }
    if suite.quick.is_empty() {
        let what = format!("{}: no {QUICK_FILE}, so nothing is quick", suite.origin);
        return Err(CommandError::usage(what, "`cargo lab quick --vectors DIR` writes it"));
    }
    let all = vectors.len();
    let quick: Vec<_> = vectors.into_iter().filter(|vector| suite.quick.contains(&vector.name)).collect();
    if quick.is_empty() {
        let what = format!("none of the {all} vectors that were asked for is quick");
        return Err(CommandError::usage(
            what,
            "leave `--profile quick` away; `cosmos-ttl list --profile quick` shows them",
        ));
    }
    Ok(quick)
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
    CommandError::usage(
        no_match(word),
        help(&[derived, &suggest::question(&suggest::suggest(id, names(suite))), ACCEPTED]),
    )
}

/// The clauses, each with its section, that one of the filters takes or one of these vectors cites.
///
/// # Errors
///
/// [`CommandError`] where a filter takes none.
pub fn filter_clauses<'a>(
    suite: &'a Suite,
    words: &[String],
) -> Result<Vec<(&'a str, &'a Clause)>, CommandError> {
    let mut taken = vec![words.is_empty(); suite.catalogue.clauses().count()];
    for word in words {
        let filter = VectorFilter::read(word);
        let cited = |clause: &Clause| {
            suite.vectors.iter().any(|vector| filter.takes(vector) && vector.clauses.contains(&clause.id))
        };
        let matched: Vec<bool> =
            clauses(suite).map(|(section, one)| filter.takes_clause(section, one) || cited(one)).collect();
        if !matched.contains(&true) {
            return Err(no_vector(suite, word));
        }
        taken.iter_mut().zip(matched).for_each(|(taken, matched)| *taken |= matched);
    }
    Ok(clauses(suite).zip(taken).filter(|(_, taken)| *taken).map(|(clause, _)| clause).collect())
}

/// Every clause with its section.
fn clauses(suite: &Suite) -> impl Iterator<Item = (&str, &Clause)> {
    let sections = suite.catalogue.sections.iter();
    sections.flat_map(|section| section.clauses.iter().map(|clause| (section.name.as_str(), clause)))
}

/// What is said of a word that matches nothing.
pub fn no_match(word: &str) -> String {
    format!("`{word}` matches no vector")
}

/// Everything that has a name.
pub fn names(suite: &Suite) -> impl Iterator<Item = &str> {
    let sections = suite.catalogue.sections.iter().map(|section| section.name.as_str());
    let clauses = suite.catalogue.clauses().map(|clause| clause.id.as_str());
    sections.chain(clauses).chain(suite.vectors.iter().map(|vector| vector.name.as_str()))
}

/// Lines of help, without the empty ones.
pub fn help(lines: &[&str]) -> String {
    lines.iter().filter(|line| !line.is_empty()).copied().collect::<Vec<_>>().join("\n")
}
