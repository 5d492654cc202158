//! The http target against a scripted server: what it sends, what it makes of answers, and of everything that is none.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test, helpers included")]

mod again;
mod answers;
mod cleanup;
mod config;
mod excuses;
mod faults;
mod leftovers;
mod mutated;
mod paging;
mod pool;
mod secrets;
mod server;
mod wire;

use cosmos_ttl_harness::literal::Literal;
use cosmos_ttl_harness::target::{Container, Document, Operation, Patch, Request};

fn literal(text: &str) -> Literal {
    Literal::parse(text).unwrap()
}

fn document(id: &str, properties: &[(&str, &str)]) -> Document {
    let properties = properties.iter().map(|(name, value)| ((*name).to_owned(), literal(value)));
    Document { id: id.to_owned(), properties: properties.collect() }
}

fn create(id: &str) -> Request {
    Request::Item(Operation::Create(document(id, &[("ttl", "10")])))
}

fn read(id: &str) -> Request {
    Request::Item(Operation::Read(id.to_owned()))
}

fn patch(id: &str, set: &[(&str, &str)], remove: &[&str]) -> Patch {
    let remove = remove.iter().map(|name| (*name).to_owned()).collect();
    Patch { id: id.to_owned(), set: document(id, set).properties, remove }
}

fn container() -> Request {
    Request::CreateContainer(Container::default())
}
