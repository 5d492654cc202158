//! Scripts that become small, and become vectors.

mod boards;
mod shrinking;
mod writing;
