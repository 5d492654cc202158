//! `cargo lab ablation`

mod json;
mod text;

use wildmatch::WildMatch;

use crate::ablation::{Witnesses, witnesses};
use crate::args::AblationArgs;
use cosmos_ttl::shell::filter::help;
use cosmos_ttl::shell::{CommandError, Format, Output};
use cosmos_ttl_harness::clauses::Clause;
use cosmos_ttl_harness::suggest;
use cosmos_ttl_harness::vector::{Suite, embedded_with_derived};
use cosmos_ttl_report::style::RenderOptions;

/// More clauses than these are told as a table.
const MOST_AT_LENGTH: usize = 5;

pub(super) fn ablation(args: &AblationArgs, look: RenderOptions) -> Result<Output, CommandError> {
    let suite = match &args.directory {
        Some(directory) => Suite::load(directory)?.with_derived(),
        None => embedded_with_derived()?,
    };
    let clauses = pick(&suite, &args.clauses)?;
    let found = witnesses(&suite, &clauses)?;
    let code = u8::from(!found.iter().all(Witnesses::is_enough));
    let text = match args.format {
        Format::Json => json::json(&found),
        Format::Text if found.len() <= MOST_AT_LENGTH => text::at_length(&found, look),
        Format::Text => text::table(&suite, &found, look),
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
    let clauses =
        || sections().flat_map(|section| section.clauses.iter().map(move |clause| (&section.name, clause)));
    let names = |word: &String, (section, clause): &(&String, &Clause)| {
        let glob = WildMatch::new(word);
        glob.matches(section) || glob.matches(&clause.id)
    };
    for word in words {
        if !clauses().any(|one| names(word, &one)) {
            let known = sections().map(|section| section.name.as_str());
            let known = known.chain(suite.catalogue.clauses().map(|clause| clause.id.as_str()));
            let question = suggest::question(&suggest::suggest(word, known));
            return Err(CommandError::usage(format!("`{word}` is no clause"), help(&[&question, ACCEPTED])));
        }
    }
    let picked = clauses().filter(|one| words.is_empty() || words.iter().any(|word| names(word, one)));
    Ok(picked.map(|(_, clause)| clause).collect())
}
