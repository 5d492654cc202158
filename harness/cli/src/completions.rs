//! `cosmos-ttl completions`: a script that also completes the names of vectors, clauses, sections and mutants.

use clap::builder::PossibleValuesParser;
use clap::{Command, CommandFactory as _};
use clap_complete::Shell;

use super::args::Args;
use crate::shell::filter::names;
use crate::shell::{CommandError, VectorsArgs, suite};
use cosmos_ttl_mutants::mutants;

/// Returns the script. Its names are those of this build: print it again after an update.
///
/// The parser itself takes any word, since a filter may be a part of a name: only the script lists the names. Scripts of bash
/// and zsh complete them; bash breaks words at a colon, so there `mutant:` is completed only without it, as `explain` takes it.
pub(super) fn completions(shell: Shell) -> Result<String, CommandError> {
    let suite = suite(&VectorsArgs::default())?;
    let filters: Vec<String> = names(&suite).map(str::to_owned).collect();
    let of_mutants = || mutants().map(|mutant| mutant.name.to_owned());
    let explained = [filters.clone(), vec!["matrix".to_owned()], of_mutants().collect()].concat();
    let targets = [vec!["reference".to_owned()], of_mutants().map(|name| format!("mutant:{name}")).collect()];
    let targets = targets.concat();
    let run = [targets.clone(), filters.clone()].concat();
    let command = Args::command();
    let command = with_names(command, "run", "words", &run);
    let command = with_names(command, "list", "filters", &filters);
    let command = with_names(command, "explain", "word", &explained);
    let mut command = with_names(command, "explore", "target", &targets);
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command, "cosmos-ttl", &mut script);
    // For bash, clap_complete 4.6.11 sets one name of a subcommand and looks for another if the program has a hyphen.
    Ok(String::from_utf8_lossy(&script).replace("cosmos__subcmd__ttl", "cosmos__ttl"))
}

/// Returns the command line with these values of this argument of a subcommand.
fn with_names(command: Command, of: &str, argument: &str, values: &[String]) -> Command {
    command.mut_subcommand(of, |command| {
        // `mut_arg` would move the argument behind the other positional ones.
        command.mut_args(|arg| {
            if arg.get_id() == argument {
                arg.value_parser(PossibleValuesParser::new(values.to_vec()))
            } else {
                arg
            }
        })
    })
}
