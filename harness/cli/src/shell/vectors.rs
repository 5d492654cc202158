//! How vectors are named that a command works on.

use std::path::PathBuf;

use clap::ValueEnum;

/// Which vectors a command works on.
#[derive(Debug, Default, clap::Args)]
pub struct VectorsArgs {
    /// A directory of vectors, instead of those that came with this program
    #[arg(long = "vectors", value_name = "DIR")]
    pub directory: Option<PathBuf>,
    /// Which of them: those written by hand, the few of them that are enough for a slow target, or the derived as well
    #[arg(long, value_enum, default_value_t)]
    pub profile: Profile,
}

/// Which vectors are meant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
#[expect(missing_docs, reason = "they are the words of the command line")]
pub enum Profile {
    #[default]
    Hand,
    Quick,
    All,
}

impl VectorsArgs {
    /// What a command that uses the same vectors must say.
    pub fn options(&self) -> Vec<String> {
        let directory = self.directory.iter();
        let mut all: Vec<String> =
            directory.flat_map(|directory| ["--vectors".into(), directory.display().to_string()]).collect();
        if let Some(value) = self.profile.to_possible_value().filter(|_| self.profile != Profile::Hand) {
            all.extend(["--profile".into(), value.get_name().into()]);
        }
        all
    }
}
