//! Script that become small, become vectors, and tell targets apart.

mod boards;
mod shrinking;
mod telling;
mod writing;
