//! Targets that are the reference, but for one thing.

use std::sync::LazyLock;

use cosmos_ttl_explore::reference::Reference;
use cosmos_ttl_harness::target::{
    About, Document, Fault, Item, Operation, Properties, Request, Response, Session, Status, Target,
};

use crate::hooked::hooked_box;

/// A function that changes an answer.
pub type Twist = fn(&Request, Response) -> Result<Response, Fault>;

/// The reference, each of whose answers is twisted.
pub struct Wrong(pub Twist);

impl Target for Wrong {
    fn about(&self) -> About {
        About { name: "wrong".into(), version: "1.0".into(), ..Reference::default().about() }
    }

    fn open(&self) -> Result<Box<dyn Session + '_>, Fault> {
        twisted(self.0)
    }
}

/// Returns a session at the reference, each of whose responses is twisted.
pub fn twisted(twist: Twist) -> Result<Box<dyn Session>, Fault> {
    static REFERENCE: LazyLock<Reference> = LazyLock::new(Reference::default);
    Ok(hooked_box(REFERENCE.open()?, move |session, request| {
        let response = session.send(request)?;
        twist(request, response)
    }))
}

/// The reference with hostile texts.
pub struct Hostile;

impl Target for Hostile {
    fn about(&self) -> About {
        About {
            name: "\u{1b}]0;owned\u{7}\u{1b}[2J".into(),
            version: "1\n2 vectors = 2 pass\nconformant".into(),
            purges: false,
            ..Reference::default().about()
        }
    }

    fn open(&self) -> Result<Box<dyn Session + '_>, Fault> {
        twisted(hostile)
    }
}

fn hostile(request: &Request, response: Response) -> Result<Response, Fault> {
    match request {
        Request::Query => Ok(Response::ids(vec!["\u{1b}[32mpass\u{1b}[0m\u{202e}".into(), "x".repeat(5000)])),
        Request::Item(Operation::Patch(..)) => {
            Ok(Response::new(Status::Other(500)).with_detail("\r\u{1b}[1A\u{1b}[32mall is well\u{9b}K\n"))
        }
        Request::Count => Err(Fault::Unsupported("\u{1b}[8m".to_owned() + &"long ".repeat(500))),
        _ => Ok(response),
    }
}

/// To its point reads nothing is ever gone, and its containers take anything.
pub fn careless(request: &Request, response: Response) -> Result<Response, Fault> {
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
