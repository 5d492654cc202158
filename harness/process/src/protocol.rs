//! What the harness and a process say to each other: one JSON object a line.
//!
//! `harness/process/PROTOCOL.md` is the reference. Values of items and settings travel as the JSON text that they are, so that
//! `10.0`, `1e400` and 2^64 arrive as they were written, and what is absent is told from what is null.

mod answer;
mod line;
mod message;
mod request;
mod schema;
mod shape;
mod unique;

pub use answer::{Answer, StatusCode, Word};
pub use line::{Garbled, Kinds, Line, parse};
pub use message::{Ask, Close, Do, Empty, Greeting, Hello, Open, Pass, Purge, Reply, Send};
pub use request::{Container, Named, Operation, Patch, Request, Write};
pub use schema::schema_json;

/// The version of the protocol that this harness speaks.
pub const VERSION: u32 = 1;

/// The JSON Schema of a line, as committed.
pub const SCHEMA: &str = include_str!("../schemas/protocol.schema.json");
