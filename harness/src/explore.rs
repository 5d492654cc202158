//! Exploration: requests that nobody wrote down, judged by what the model allows.

mod chance;
mod generate;
mod play;
mod run;
mod storyboard;
mod tally;
mod values;
mod walk;
pub mod worlds;

pub use chance::Chance;
pub use generate::{Generator, KINDS, Kind};
pub use play::{Asked, Difference, play, play_telling};
pub use run::{Explored, Found, Options, explore};
pub use storyboard::{Ask, Move, Storyboard};
pub use tally::Tally;
