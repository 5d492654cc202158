//! Exploration: requests that nobody wrote down, judged by what the model allows.

mod storyboard;

pub use storyboard::{Ask, Move, Storyboard};
