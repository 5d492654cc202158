//! Exploration: requests that nobody wrote down, judged by what the model allows.

pub mod by_itself;
mod chance;
mod choice;
pub mod cite;
pub mod compare;
pub mod distinguish;
pub mod draft;
mod generate;
pub mod mutants;
mod play;
mod run;
pub mod shrink;
mod smallest;
mod storyboard;
mod tally;
pub mod told;
mod values;
mod walk;
pub mod worlds;
pub mod write;

pub use chance::Chance;
pub use choice::Chosen;
pub use generate::{Generator, KINDS, Kind};
pub use play::{Asked, Difference, play, play_telling};
pub use run::{Explored, Found, Options, explore, explore_after};
pub use shrink::shrink;
pub use smallest::Smallest;
pub use storyboard::{Ask, Move, Storyboard};
pub use tally::Tally;
pub use write::{Written, write};
