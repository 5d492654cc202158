//! The http target against a scripted server: what it sends, what it makes of answers, and of everything that is none.

mod answers;
mod cleanup;
mod pool;
mod secrets;
mod server;
mod sessions;
mod wire;

use cosmos_ttl_harness::literal::Literal;
use cosmos_ttl_harness::target::{Container, Document, Operation, Patch, Request};
use libtest_mimic::Trial;

pub(crate) fn trials() -> Vec<Trial> {
    let groups = [
        answers::trials(),
        cleanup::trials(),
        pool::trials(),
        secrets::trials(),
        sessions::trials(),
        wire::trials(),
    ];
    groups.into_iter().flatten().collect()
}

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

fn delete(id: &str) -> Request {
    Request::Item(Operation::Delete(id.to_owned(), None))
}

fn patch(id: &str, set: &[(&str, &str)], remove: &[&str]) -> Patch {
    let remove = remove.iter().map(|name| (*name).to_owned()).collect();
    Patch { set: document(id, set).properties, remove, ..Patch::of(id) }
}

fn container() -> Request {
    Request::CreateContainer(Container::default())
}
