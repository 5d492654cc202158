//! Targets that are processes: one JSON object a line over standard input and output, as `PROTOCOL.md` says.

pub mod protocol;

pub mod target;

pub mod serve;

pub mod smoke;
