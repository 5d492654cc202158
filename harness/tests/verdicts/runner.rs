//! The runner's own tests, as files: those that must not load, vectors that must pass, and vectors that must load and
//! fail, each against a right store and four that are no store at all. What comes of it stands in the head of each file.

mod figures;
mod files;
mod load;
mod verdicts;
