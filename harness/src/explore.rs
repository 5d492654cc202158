//! Exploration: requests that nobody wrote down, judged by what the model allows.

pub mod compare;
pub mod distinguish;
pub mod shrink;
mod storyboard;
pub mod write;

pub use shrink::shrink;
pub use storyboard::{Ask, Move, Storyboard};
pub use write::{Written, write};
