//! A target that is the reference, but for a few answers, and what its report is.

// Targets that are the reference but for one thing; the tests of the command line have them too.
#[path = "../cli/wrong.rs"]
#[allow(dead_code, reason = "not all of them are needed by every test")]
pub(crate) mod wrong;

use cosmos_ttl_harness::report::{Asked, Report};
use cosmos_ttl_harness::run::run_virtual;
use cosmos_ttl_harness::target::{
    Document, Fault, Item, Operation, Properties, Request, Response, Status, Target,
};
use cosmos_ttl_harness::vector::{Suite, embedded};

/// What every vector of this suite shows of a target.
pub(crate) fn report(suite: &Suite, target: &dyn Target) -> Report {
    let vectors: Vec<_> = suite.vectors.iter().collect();
    let run = run_virtual(target, &vectors).unwrap();
    Report::of(suite, &run, &Asked { target: "reference".into(), ..Asked::default() })
}

/// A target to whose point reads nothing is ever gone, and whose containers take anything.
pub(crate) fn failing() -> Report {
    report(&embedded().unwrap(), &wrong::Wrong(careless))
}

pub(crate) fn careless(request: &Request, response: Response) -> Result<Response, Fault> {
    match request {
        Request::Item(Operation::Read(id)) if response.status == Status::NotFound => {
            let document = Document { id: id.clone(), properties: Properties::new() };
            Ok(Response::item(Status::Found, Item { document, ts: None, etag: None }))
        }
        Request::CreateContainer(_) if response.status == Status::BadRequest => {
            Ok(Response::new(Status::Created))
        }
        Request::Count => Err(Fault::Unsupported("it does not count".into())),
        _ => Ok(response),
    }
}
