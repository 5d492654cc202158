//! How vectors are named that a command works on.

use std::path::PathBuf;

use clap::ValueEnum;

#[derive(Debug, Default, clap::Args)]
pub(in crate::cli) struct VectorsArgs {
    /// A directory of vectors, instead of those that came with this program
    #[arg(long = "vectors", value_name = "DIR")]
    pub(in crate::cli) directory: Option<PathBuf>,
    /// Which of them: those written by hand, the few of them that are enough for a slow target, or the derived as well
    #[arg(long, value_enum, default_value_t)]
    pub(in crate::cli) profile: Profile,
}

/// Which vectors are meant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum Profile {
    #[default]
    Hand,
    Quick,
    All,
}

impl VectorsArgs {
    /// What a command that uses the same vectors must say.
    pub(in crate::cli) fn options(&self) -> Vec<String> {
        let directory = self.directory.iter();
        let mut all: Vec<String> =
            directory.flat_map(|directory| ["--vectors".into(), directory.display().to_string()]).collect();
        if let Some(value) = self.profile.to_possible_value().filter(|_| self.profile != Profile::Hand) {
            all.extend(["--profile".into(), value.get_name().into()]);
        }
        all
    }
}
