//! Filters: the words that select vectors and clauses.

use wildmatch::WildMatch;

use super::{CommandError, Profile, VectorsArgs, secret};
use cosmos_ttl_harness::clauses::{Clause, Observe};
use cosmos_ttl_harness::suggest;
use cosmos_ttl_harness::vector::{QUICK_FILE, Suite, Vector};

/// How long after a sweep is due a soak vector looks at the earliest, in seconds: its writes last four, the rest is the
/// sweep's.
const MARGIN_S: u64 = 10;

/// The words that are accepted as a filter.
pub const ACCEPTED: &str = "\
a filter is SECTION, SECTION/ID or CLAUSE; `*` stands for any characters
`cosmos-ttl list` shows the vectors, `cosmos-ttl list --clauses` the sections and clauses";

/// Whether a pattern, in which `*` stands for any characters, matches.
pub(crate) fn matches(pattern: &str, text: &str) -> bool {
    WildMatch::new(pattern).matches(text)
}

/// Whether a filter takes a vector: by its section, its name or a clause.
fn takes(filter: &str, vector: &Vector) -> bool {
    let id = vector.name.split_once('/').map_or(vector.name.as_str(), |(_, id)| id);
    let cites = |clause: &str| vector.clauses.iter().any(|id| matches(clause, id));
    match (filter.strip_prefix("clause:"), filter.split_once('/')) {
        (Some(clause), _) => cites(clause),
        (None, Some((section, wanted))) => matches(section, &vector.section) && matches(wanted, id),
        (None, None) => matches(filter, &vector.section) || cites(filter),
    }
}

fn takes_clause(filter: &str, section: &str, clause: &Clause) -> bool {
    match filter.strip_prefix("clause:") {
        Some(filter) => matches(filter, &clause.id),
        None => !filter.contains('/') && (matches(filter, section) || matches(filter, &clause.id)),
    }
}

/// Returns the vectors that one of the filters takes, in the suite's order; all without a filter.
///
/// # Errors
///
/// [`CommandError`] where a filter takes none.
pub fn filter_vectors<'a>(suite: &'a Suite, words: &[String]) -> Result<Vec<&'a Vector>, CommandError> {
    let all: Vec<_> = suite.vectors.iter().collect();
    pick(&all, words, takes, |word| no_vector(suite, words, word))
}

/// Returns those that one of the words takes, all without a word.
///
/// # Errors
///
/// Picks the named values. `none` makes the error about a word that names none.
pub fn pick<T: Copy>(
    all: &[T],
    words: &[String],
    takes: impl Fn(&str, T) -> bool,
    none: impl FnOnce(&str) -> CommandError,
) -> Result<Vec<T>, CommandError> {
    if let Some(word) = words.iter().find(|word| !all.iter().any(|one| takes(word, *one))) {
        return Err(none(word));
    }
    let picked = |one: &T| words.is_empty() || words.iter().any(|word| takes(word, *one));
    Ok(all.iter().copied().filter(picked).collect())
}

/// Returns those of these vectors that are of the profile and were not left out when the suite was read.
///
/// # Errors
///
/// [`CommandError`] where the suite names no quick vectors, or none of these is quick.
pub fn filter_profile<'a>(
    suite: &Suite,
    VectorsArgs { profile, sweep, .. }: &VectorsArgs,
    mut vectors: Vec<&'a Vector>,
) -> Result<Vec<&'a Vector>, CommandError> {
    if *profile != Profile::Soak && sweep.is_some() {
        return Err(CommandError::usage(
            "`--sweep` is about no other profile than soak",
            "add `--profile soak`",
        ));
    }
    if !matches!(profile, Profile::Quick | Profile::Soak) {
        return Ok(vectors);
    }
    if *profile == Profile::Quick && suite.quick.is_empty() {
        let what = format!("{}: no {QUICK_FILE}, so nothing is quick", suite.origin);
        return Err(CommandError::usage(what, "`cargo lab quick --vectors DIR` writes it"));
    }
    let all = vectors.len();
    // The shortest vectors that leave a sweep of every item its time.
    let waits = |vector: &&Vector| {
        vector.is_soak() && sweep.is_none_or(|sweep_s| sweep_s.saturating_add(MARGIN_S) <= vector.span_s)
    };
    let span_s = sweep.and_then(|_| suite.vectors.iter().filter(waits).map(|vector| vector.span_s).min());
    vectors.retain(|vector| match profile {
        Profile::Soak => waits(vector) && span_s.is_none_or(|span_s| vector.span_s == span_s),
        _ => suite.quick.contains(&vector.name),
    });
    if vectors.is_empty() {
        let name = if *profile == Profile::Soak { "soak" } else { "quick" };
        let what = format!("none of the {all} vectors that were asked for is {name}");
        let help = format!("leave `--profile {name}` away; `cosmos-ttl list --profile {name}` shows them");
        return Err(CommandError::usage(what, help));
    }
    Ok(vectors)
}

fn no_vector(suite: &Suite, words: &[String], word: &str) -> CommandError {
    if let Some(meant) = target_meant(words, word) {
        return CommandError::NoVector { word: word.into(), help: help(&[&meant, ACCEPTED]) };
    }
    let id = word.strip_prefix("clause:").unwrap_or(word);
    let mut unseen =
        clauses(suite).filter(|(section, clause)| takes_clause(word, section, clause)).peekable();
    if unseen.peek().is_some() && unseen.all(|(_, clause)| clause.observe == Observe::Model) {
        return CommandError::usage(
            format!("`{}` has no vectors: no client can see what it says", secret::shown(word)),
            "it is about the model; `cargo lab check` checks it, `cosmos-ttl explain` tells what it says",
        );
    }
    let question = suggest::question(&suggest::suggest(id, names(suite)));
    CommandError::NoVector { word: word.into(), help: help(&[&question, ACCEPTED]) }
}

/// Programs that run other programs; with one of them the rest of the words are its arguments.
const INTERPRETERS: [&str; 15] = [
    "python", "python3", "node", "npx", "npm", "deno", "bun", "java", "dotnet", "cargo", "go", "ruby", "php",
    "docker", "sh",
];

/// Returns what to write where a word looks like a target whose `http://` or `--` is missing.
fn target_meant(words: &[String], word: &str) -> Option<String> {
    let host = word.split('/').next().unwrap_or_default();
    let port = host.rsplit_once(':').filter(|(name, _)| !name.contains(':')).map(|(_, port)| port);
    let has_port =
        port.is_some_and(|port| !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit()));
    if has_port || host.ends_with(".azure.com") {
        let scheme = if host.ends_with(".azure.com") { "https" } else { "http" };
        return Some(format!(
            "did you mean the URL {scheme}://{}? {scheme}:// is missing",
            secret::shown(word)
        ));
    }
    // A name of a vector or a clause never has a full stop.
    let is_program = INTERPRETERS.contains(&word) || word.contains('.') || word.starts_with('/');
    let command = words.iter().map(|word| secret::shown(word)).collect::<Vec<_>>().join(" ");
    is_program.then(|| {
        format!("did you mean a program? its command comes after `--`, which is missing: `cosmos-ttl run -- {command}`")
    })
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
    let all: Vec<_> = clauses(suite).collect();
    let takes = |filter: &str, (section, clause): (&str, &Clause)| {
        let cites = |vector: &Vector| takes(filter, vector) && vector.clauses.contains(&clause.id);
        takes_clause(filter, section, clause) || suite.vectors.iter().any(cites)
    };
    pick(&all, words, takes, |word| no_vector(suite, words, word))
}

/// Every clause with its section.
fn clauses(suite: &Suite) -> impl Iterator<Item = (&str, &Clause)> {
    let sections = suite.catalogue.sections.iter();
    sections.flat_map(|section| section.clauses.iter().map(|clause| (section.name.as_str(), clause)))
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
